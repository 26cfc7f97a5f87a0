/** One property run over an API: for each operation its cases, sent one after the other, and what was wrong. */
import type { Answer, Client } from '../../support/client.js';
import { casesOf, hasMadeBody } from './cases.js';
import type { Case, Maker } from './cases.js';
import type { Operation } from './document.js';
import { isSuccess, judge } from './judge.js';
import type { Network } from './network.js';
import type { Reason } from './reasons.js';
import { refusalOf } from './refusals.js';
import { withFields } from './lists.js';
import { careOf } from './special.js';
import type { Validator } from './validator.js';

export interface Result {
  cases: number;
  readonly faults: string[];
  readonly reasons: Set<Reason>;
  /** Operations that answered a valid case with success. */
  readonly successes: Set<string>;
  /** How often each status came. */
  readonly statuses: Map<number, number>;
}

/** Characters of a body that a fault shows. */
const SHOWN = 600;

export interface Run {
  readonly maker: Maker;
  /** Validates answers. */
  readonly answers: Validator;
  readonly network: Network;
}

export async function runOperations(run: Run, operations: readonly Operation[]): Promise<Result> {
  const result: Result = { cases: 0, faults: [], reasons: new Set(), successes: new Set(), statuses: new Map() };
  for (const operation of operations) if (careOf(operation.id).isLeftOut !== true) await runOne(run, operation, result);
  return result;
}

/** How often more cases are made for a reason that was not met. */
const ROUNDS = 6;

/**
 * Runs operations again, with other seeds, until each reason is met that may be met there. So the list of reasons does
 * not depend on which cases the usual seed happens to make; a needless one costs these rounds.
 */
export async function seekReasons(
  run: Run,
  operations: readonly Operation[],
  result: Result,
  wanted: readonly Reason[],
): Promise<void> {
  for (const reason of wanted)
    for (const operation of operations.filter(({ id }) => reason.operation.test(id)))
      for (let round = 1; round <= ROUNDS && !result.reasons.has(reason); round += 1)
        await runOne({ ...run, maker: { ...run.maker, seed: run.maker.seed + round } }, operation, result);
}

async function runOne({ maker, answers, network }: Run, operation: Operation, result: Result): Promise<void> {
  const { endsSession = false } = careOf(operation.id);
  let administrator = changesCaller(operation) ? await network.newAdministrator() : network.administrator;
  await network.prepare(operation, administrator);
  const takesId = operation.path.includes('{id}');
  const isList = operation.parameters.some(({ name }) => name === 'filter');
  let subject = takesId && isList ? await network.subjectOf(operation, administrator) : undefined;
  const fields = isList ? await fieldsOf(operation, administrator, subject) : [];
  const hints = (id: string) => withFields(maker.hints(id), fields);
  for (const one of casesOf({ ...maker, hints }, operation)) {
    const isValid = one.kind === 'valid';
    if (endsSession && one.kind === 'ordinary') continue; // all others use that session too
    if (endsSession) administrator = await network.newAdministrator();
    if (takesId && (subject === undefined || (isValid && operation.method === 'DELETE')))
      subject = await network.subjectOf(operation, administrator);
    const isProvider = operation.api === 'oidc';
    const isNobody = isProvider || one.kind === 'nobody';
    const client = isNobody ? network.anonymous : one.kind === 'ordinary' ? network.ordinary : administrator;
    result.cases += 1;
    const further = isProvider ? network.atProvider(operation, one.kind) : {};
    const sent = toSend(operation, { ...one, headers: { ...further, ...one.headers } }, subject ?? '', result.cases);
    const note = (fault: string, answer?: Answer): void => {
      result.faults.push(
        `${operation.api} ${operation.id}, ${one.kind} (${one.what}): ${fault}\n${shown(sent, answer)}`,
      );
    };
    try {
      const answer = await client.send(...sent);
      const { faults, reason } = judge(operation, one, answer, answers);
      for (const fault of faults) note(fault, answer);
      if (reason !== undefined) result.reasons.add(reason);
      if (isValid && isSuccess(answer)) result.successes.add(operation.id);
      result.statuses.set(answer.status, (result.statuses.get(answer.status) ?? 0) + 1);
    } catch (error) {
      note(String(error).slice(0, SHOWN));
    }
  }
}

/** Names that the filter of a list takes, as the list itself says; none of a list of what is not there. */
async function fieldsOf({ path }: Operation, client: Client, subject = ''): Promise<readonly string[]> {
  const answer = await client.get(`${path.replace('{id}', encodeURIComponent(subject))}?limit=1`);
  const { meta } = (answer.json ?? {}) as { meta?: { filterableFields?: readonly string[] } };
  return meta?.filterableFields ?? [];
}

function shown([method, path, body, { headers = {}, rawBody }]: Sent, answer?: Answer): string {
  const text = rawBody === undefined ? (JSON.stringify(body) as string | undefined) : String(rawBody);
  const asked = `  ${method} ${path} ${JSON.stringify(headers)} ${text?.slice(0, SHOWN) ?? ''}`;
  return answer === undefined ? asked : `${asked}\n  ${refusalOf(answer)} ${answer.text.slice(0, SHOWN)}`;
}

/** Whether an operation is about whoever calls it. */
const changesCaller = ({ path }: Operation): boolean => path.includes('/current-') || path.includes('/authenticate');

/** The arguments of a client's `send`. @param serial  makes names unique */
function toSend(operation: Operation, one: Case, subject: string, serial: number): Sent {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(one.path[name] ?? subject),
  );
  const query = one.query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const target = query === '' ? path : `${path}?${query}`;
  const body = one.kind === 'invalid body' ? one.body : withNewName(one.body, serial);
  const { headers } = one;
  if (operation.isForm && typeof body === 'object' && body !== null) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return [one.method, target, undefined, { rawBody: formOf(body), headers: { ...type, ...headers } }];
  }
  if (typeof body === 'string' && (one.kind === 'wrong media' || !hasMadeBody(operation)))
    return [one.method, target, undefined, { rawBody: body, headers: { 'content-type': 'text/plain', ...headers } }];
  return [one.method, target, body, { headers }];
}

type Sent = Required<Parameters<Client['send']>>;

const formOf = (body: object): string =>
  new URLSearchParams(
    Object.entries(body as Record<string, string | string[]>).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    ),
  ).toString();

/** Names are unique on the controller. One that is as long as it may be stays as long. */
function withNewName(body: unknown, serial: number): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { name } = body as { name?: unknown };
  if (typeof name !== 'string' || name === '') return body;
  const letters = [...name];
  const tail = String(serial);
  const kept = letters.length + tail.length > 512 ? letters.slice(0, 512 - tail.length) : letters;
  return { ...body, name: `${kept.join('')}${tail}` };
}
