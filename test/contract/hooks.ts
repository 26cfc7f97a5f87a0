/**
 * Dredd's hooks, run inside its process. They prepare data for each request and note how it ended; what is expected of
 * the answer is the document's alone, and nothing here touches it.
 */
import { appendFileSync } from 'node:fs';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { prepareRequest } from './preparations.js';
import { skipsOf } from './skips.js';
import { SETTINGS_VARIABLE } from './transaction.js';
import type { HookSettings, Outcome, Transaction } from './transaction.js';
import { openWorld } from './world.js';

const settings = JSON.parse(process.env[SETTINGS_VARIABLE] ?? '{}') as HookSettings;
const { api } = settings;
const world = openWorld(settings);
/** Content types as the document has them; preparing a request may change its own. */
const contentTypes = new WeakMap<Transaction, string>();

export async function prepare(transaction: Transaction): Promise<void> {
  const operation = operationOf(transaction);
  const status = Number(transaction.expected.statusCode);
  const contentType = transaction.request.headers['Content-Type'] ?? '';
  contentTypes.set(transaction, contentType);
  transaction.skip = skipsOf({ api, operationId: operation.operationId, status, contentType }).length > 0;
  if (!transaction.skip) await prepareRequest({ transaction, operation, status, world: await world });
}

export function record(transaction: Transaction): void {
  const { test, request, fullPath } = transaction;
  const sent = `${request.method} ${fullPath} ${request.body.slice(0, 500)}`;
  const came =
    test === undefined
      ? 'no answer'
      : `${test.message}\n${test.actual?.statusCode ?? ''} ${test.actual?.body?.slice(0, 1500) ?? ''}`;
  const outcome: Outcome = {
    operationId: operationOf(transaction).operationId,
    status: Number(transaction.expected.statusCode),
    contentType: contentTypes.get(transaction) ?? '',
    result: test?.status ?? 'error',
    requestId: transaction.real?.headers?.['x-request-id'] ?? '',
    detail: `${sent}\n${came}`,
  };
  appendFileSync(settings.outcomesFile, `${JSON.stringify(outcome)}\n`);
}

export async function close(): Promise<void> {
  (await world).close();
}

function operationOf({ origin, request }: Transaction): OperationSpec {
  const path = origin.resourceName.slice(basePaths[api].length);
  const found = Object.values(operations[api] as Readonly<Record<string, OperationSpec>>).find(
    (one) => one.method === request.method && one.path === path,
  );
  if (found === undefined) throw new Error(`no operation ${request.method} ${path}`);
  return found;
}
