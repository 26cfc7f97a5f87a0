/**
 * What a request needs to get the answer that it is meant to get. Most follow from the status alone: an entity made
 * from the spec's example for a success, no session for 401, a caller without the right for 403, an id of nothing for
 * 404, text that is no JSON for 400. The rest is in the files of preparations/, by operation and status.
 */
import type { OperationSpec } from '../../generated/operation.js';
import { enrollments } from './preparations/enrollments.js';
import { logins } from './preparations/logins.js';
import { resources } from './preparations/resources.js';
import { enterByToken, singleSignOn, spoilForm } from './preparations/single-sign-on.js';
import { change, enter, toId, toQuery } from './situation.js';
import type { Prepare, Situation } from './situation.js';
import { subject } from './subjects.js';
import { HOST } from '../support/oidc.js';
import { withNewNames } from './world.js';

const own = merged(enrollments, logins, resources, singleSignOn);
const MEBIBYTE = 1024 * 1024;

export async function prepareRequest(situation: Situation): Promise<void> {
  const { transaction, operation, status, world } = situation;
  if (status === 412) {
    // What would succeed, of another version.
    await prepareRequest({ ...situation, status: 200 });
    transaction.request.headers['If-Match'] = '"1.another"';
    return;
  }
  const isProvider = operation.api === 'oidc';
  if (isProvider) transaction.request.headers['Host'] = HOST;
  if (operation.permission === 'public' || status === 401) {
    // Nobody asks.
  } else if (isProvider) await enterByToken(situation);
  else await enter(situation, status === 403 ? 'ordinary' : operation.path.startsWith('/current-') ? 'new' : 'admin');
  const prepare =
    own[`${operation.api} ${operation.operationId} ${status}`] ?? own[`${operation.operationId} ${status}`];
  if (prepare !== undefined) return prepare(situation);
  if (status < 300) {
    if (isProvider) return; // what it needs beyond its examples is prepared by name
    if (operation.path.includes('{id}')) toId(situation, await subject(operation, world));
    change(transaction, (body) => (Array.isArray(body) ? body : withNewNames(body, world.unique)));
  } else if (status === 400) (isProvider ? spoilForm : spoil)(situation);
  else if (status === 413) transaction.request.body = JSON.stringify({ name: 'x'.repeat(MEBIBYTE) });
  else if (status === 415)
    Object.assign(transaction.request, {
      headers: { ...transaction.request.headers, 'Content-Type': 'application/xml' },
      body: '<no/>',
    });
  else if (status !== 401 && status !== 403 && status !== 404) throw unprepared(operation, status);
}

function unprepared({ operationId }: OperationSpec, status: number): Error {
  return new Error(
    `nothing is prepared for ${operationId} to answer ${status}: add it to preparations/, or to skips.ts with the ` +
      'reason',
  );
}

/** @throws Error when two of them have the same operation and status */
function merged(...parts: readonly Readonly<Record<string, Prepare>>[]): Record<string, Prepare> {
  const all: Record<string, Prepare> = {};
  for (const [key, prepare] of parts.flatMap((part) => Object.entries(part))) {
    if (key in all) throw new Error(`${key} is prepared twice`);
    all[key] = prepare;
  }
  return all;
}

/** Breaks the body, the query or the precondition of an operation, or else sends a body of a type that is none. */
function spoil(situation: Situation): void {
  const { operation, transaction } = situation;
  const { request } = transaction;
  if (operation.body !== null) request.body = '{';
  else if (operation.parameters.some(({ name }) => name === 'limit')) toQuery(situation, 'limit', 'many');
  else if (operation.parameters.some(({ name }) => name === 'If-Match')) request.headers['If-Match'] = 'no entity tag';
  else Object.assign(request, { headers: { ...request.headers, 'Content-Type': 'nonsense' }, body: '{}' });
}
