/** Inspections: all processes that hold channels of routers are asked, and those that answer in time are heard. */
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import { inspectionMs } from '../../domain/fabric/inspection.js';
import type { AskedHost, HostAnswer } from '../../db/stores/inspections.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { raw } from '../handler.js';
import type { Handler } from '../handler.js';

/** Beyond the time of routers, for the rows of the answers. */
const ROWS_MS = 900;
const LOOK_MS = 50;

/** POST /inspections. Fails: `rateLimited` while as many as may be are under way. */
export const inspect: Handler<'fabric', 'inspect'> = async ({ body }, { stores, newId }) => {
  const id = newId();
  const { appRegex: pattern, requestedValues: requested } = body;
  const waitMs = inspectionMs(requested) + ROWS_MS;
  const asked = await stores.inspections.open(id, { pattern, requested, forMs: waitMs });
  if (asked === 'full') throw new DomainError('rateLimited', { causeMessage: 'other inspections are under way' });
  if (asked === 'badPattern') return answer([], ['appRegex is no regular expression']);
  try {
    const answers = await heard(id, asked, waitMs, stores);
    const silent = asked.filter(({ hostId }) => !answers.some((one) => one.hostId === hostId));
    return answer(
      answers,
      silent.map(({ controllerId }) => `${controllerId}: no answer within ${waitMs} ms`),
    );
  } finally {
    await stores.inspections.close(id);
  }
};

/** The answers of all that were asked, or of those that came in time. */
async function heard(
  id: string,
  asked: readonly AskedHost[],
  waitMs: number,
  { inspections }: Pick<StoreSet, 'inspections'>,
): Promise<HostAnswer[]> {
  for (const until = performance.now() + waitMs; ; await pause(LOOK_MS)) {
    const answers = await inspections.answers(id);
    if (answers.length >= asked.length || performance.now() > until) return answers;
  }
}

/** It stands in no envelope. */
function answer(answers: readonly HostAnswer[], faults: readonly string[]) {
  const values = answers.flatMap((one) => one.values);
  const errors = [...faults, ...answers.flatMap((one) => one.errors)];
  const found: Response.InspectResponse = {
    errors: errors.length === 0 ? null : errors,
    success: errors.length === 0,
    values: values.length === 0 ? null : [...values],
  };
  return raw('application/json', JSON.stringify(found));
}
