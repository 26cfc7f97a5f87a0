/**
 * The operations of both specs as rows of a table test: their names and paths, other spellings of a path, and what
 * is wrong with an answer.
 */
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { bindOperations } from '../../server/sessions/binder.js';
import { NO_ACCESS_TOKEN } from './challenges.js';
import type { Answer } from './client.js';

export const all: readonly OperationSpec[] = Object.values(operations).flatMap(
  (specs: Readonly<Record<string, OperationSpec>>) => Object.values(specs),
);
export const open = all.filter(({ permission }) => permission === 'public');
export const closed = all.filter(({ permission }) => permission !== 'public');
const bindings = bindOperations();
export const isPending = (operation: OperationSpec) => bindings.get(operation) === 'pending';
export const nameOf = ({ api, method, path, operationId }: OperationSpec) => `${api} ${operationId} ${method} ${path}`;

/** Operations that end the session they are called with. */
export const endsSession = ({ operationId }: OperationSpec) => operationId === 'deleteCurrentApiSession';

export function pathOf({ api, path }: OperationSpec, id = 'no-such-id'): string {
  return basePaths[api] + path.replaceAll(/\{[^}]+\}/g, id);
}

/** The same path, written otherwise: each must meet the same session and permission checks. */
export function spellingsOf(path: string): string[] {
  const [, ...parts] = path.replace(/\/$/, '').split('/');
  return [
    `${path}/`,
    `//${parts.join('/')}`,
    `/${parts.join('//')}`,
    `${path}?`,
    `/${[...parts.slice(0, -1), escaped(parts.at(-1) ?? '')].join('/')}`,
    `/${parts.join('///')}//`,
  ];
}

/** Each character as an escape. */
function escaped(segment: string): string {
  return [...Buffer.from(segment)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** All faults of the operations of a kind, as one list: a table test shows all its rows. */
export async function faultsOf(
  rows: readonly OperationSpec[],
  check: (operation: OperationSpec) => Promise<string | undefined>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const operation of rows) {
    const fault = await check(operation);
    if (fault !== undefined) faults.push(`${nameOf(operation)}: ${fault}`);
  }
  return faults;
}

export const show = ({ status, text }: Answer) => `${status} ${text.slice(0, 300)}`;

export function undeclared({ responses }: OperationSpec, answer: Answer): string | undefined {
  return responses[answer.status] === undefined && responses['default'] === undefined
    ? `undeclared ${show(answer)}`
    : undefined;
}

/** @param challenge  what a caller without a valid session gets; undefined for one without the right */
export function refusal(operation: OperationSpec, answer: Answer, challenge: string | undefined): string | undefined {
  const status = challenge === undefined ? operation.refusalStatus : 401;
  if (answer.status !== status || operation.responses[status] === undefined)
    return `not a declared ${status} but ${show(answer)}`;
  if (operation.api === 'oidc') return oauthRefusal(answer, challenge);
  if (answer.error?.code !== 'UNAUTHORIZED') return `code ${answer.error?.code}`;
  if (answer.headers['www-authenticate'] !== challenge) return `challenge ${answer.headers['www-authenticate']}`;
  return undefined;
}

/** Single sign-on knows no other credential than an access token: with a session of `authenticate` it is missing. */
function oauthRefusal({ json, headers }: Answer, challenge: string | undefined): string | undefined {
  const { error } = json as { error?: unknown };
  if (error !== 'invalid_request' && error !== 'invalid_token') return `error ${String(error)}`;
  const wanted = challenge?.startsWith('zt-session') === true ? NO_ACCESS_TOKEN : challenge;
  return headers['www-authenticate'] === wanted ? undefined : `challenge ${headers['www-authenticate']}`;
}
