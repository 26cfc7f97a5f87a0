/** Holds an answer against the document: what it declares, and what follows from the case that was sent. */
import type { Answer } from '../../support/client.js';
import type { Case } from './cases.js';
import type { DeclaredAnswer, Operation } from './document.js';
import { exceptionFor, reasonFor } from './reasons.js';
import type { Reason } from './reasons.js';
import { faultAtClient } from './refusals.js';
import { careOf } from './special.js';
import type { Validator } from './validator.js';

export interface Judgement {
  readonly faults: readonly string[];
  /** The listed reason for which a valid request was refused. */
  readonly reason?: Reason;
}

/** Headers that say what a client may do next: an answer that carries one declares it. */
const TELLING = ['location', 'www-authenticate', 'retry-after', 'allow'];
/** That what was sent is at fault, and not what is there. */
const REFUSED = [400, 401, 403, 405, 406, 413, 415];
/** Requests that are broken in one place, and may be refused for a listed reason before that is seen. */
const ALSO_REFUSED: readonly Case['kind'][] = ['unknown id', 'wrong media'];
/** What each kind of broken request must get. */
const REFUSALS: Partial<Record<Case['kind'], readonly number[]>> = {
  'invalid body': [400, 413, 415],
  'invalid parameter': [400, 404],
  'unknown id': [404],
  nobody: [401],
  'wrong media': [415],
  unacceptable: [406],
  'wrong method': [405],
};

/** The provider tells the client of a fault by a redirect, which is no success. */
export const isSuccess = (answer: Answer): boolean => answer.status < 400 && faultAtClient(answer) === undefined;

/** @param answers  validates bodies of answers, undeclared members included */
export function judge(operation: Operation, sent: Case, answer: Answer, answers: Validator): Judgement {
  const { status } = answer;
  const exception =
    exceptionFor(operation.id, sent.what, answer) ??
    (ALSO_REFUSED.includes(sent.kind) && status === 400 ? reasonFor(operation.id, sent.what, answer) : undefined);
  const isTold = faultAtClient(answer) !== undefined;
  const expected = exception === undefined && !isTold ? REFUSALS[sent.kind] : undefined;
  const own = expected !== undefined && !expected.includes(status) ? [`must be ${expected.join(' or ')}`] : [];
  const declared = operation.answers[status] ?? (status >= 400 ? operation.answers['default'] : undefined);
  if (declared === undefined) return { faults: [...own, `status ${status} is not declared`] };
  // A path without the method is no operation: its answer is the API's own, in the form of every error.
  const faults = [
    ...own,
    ...mediaFaults(operation, answer),
    ...bodyFaults(declared, answer, answers),
    ...headerFaults(operation, sent, declared, answer),
  ];
  if (status >= 500) faults.push('fails');
  if (status === 429 && careOf(operation.id).isLimited !== true) faults.push('is refused as too much');
  if (sent.kind === 'ordinary') faults.push(...rightFaults(operation, status));
  if (exception !== undefined) return { faults, reason: exception };
  if (sent.kind !== 'valid' || !(isTold || REFUSED.includes(status))) return { faults };
  const reason = reasonFor(operation.id, sent.what, answer);
  if (reason !== undefined) return { faults, reason };
  return { faults: [...faults, 'a valid request is refused'] };
}

function mediaFaults({ produces }: Operation, { status, headers, text }: Answer): string[] {
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  if (text === '' && type === '') return [];
  if (!produces.includes(type)) return [`media type ${type} is not declared`];
  return status >= 400 && type !== 'application/json' ? [`an error as ${type}`] : [];
}

function bodyFaults({ schema }: DeclaredAnswer, { json, text, headers }: Answer, answers: Validator): string[] {
  if (schema === undefined) return text === '' ? [] : ['a body where none is declared'];
  if (json === undefined)
    return schema.type === 'string' || schema.type === 'file' || headers['content-type']?.includes('json') !== true
      ? []
      : ['no body where one is declared'];
  // The file forms of an answer have no schema that JSON could be held against.
  const fault = schema.type === 'file' ? undefined : answers.faultOf(schema, json);
  return fault === undefined ? [] : [`the body is not as declared: ${fault}`];
}

/** Headers of what was ignored, of a preference that was asked for, of lists with more pages, and of a code owed. */
const SOMETIMES = ['ignored-input', 'preference-applied', 'link', 'totp-required'];

function headerFaults(
  operation: Operation,
  { kind }: Case,
  { headers: declared }: DeclaredAnswer,
  { status, headers }: Answer,
): string[] {
  const names = Object.keys(declared).map((name) => name.toLowerCase());
  // A caller who lacks a right is not asked for other credentials, as the header's description says.
  const isOptional = (name: string) => SOMETIMES.includes(name) || (name === 'www-authenticate' && kind !== 'nobody');
  const must = operation.answers[status] === undefined ? [] : names.filter((name) => !isOptional(name));
  return [
    ...must.filter((name) => headers[name] === undefined).map((name) => `lacks the declared header ${name}`),
    ...TELLING.filter((name) => headers[name] !== undefined && !names.includes(name)).map(
      (name) => `has the undeclared header ${name}`,
    ),
    ...(status === 405 && headers.allow === undefined ? ['lacks the header allow'] : []),
  ];
}

/** An ordinary identity may not do what the document says is an administrator's. */
function rightFaults({ permission }: Operation, status: number): string[] {
  return permission === 'admin' && status !== 401 && status !== 403 ? ['an ordinary identity is let in'] : [];
}
