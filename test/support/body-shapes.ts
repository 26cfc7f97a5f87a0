/**
 * What one body of a login costs the main thread, by its shape: read as JSON, folded, checked against the spec,
 * refused. It does what the server does with it, in this process, and takes the least of several times.
 */
import { DomainError } from '../../domain/errors.js';
import { operations } from '../../generated/operations.js';
import { errorReply } from '../../server/http/envelope.js';
import { bodyFault } from '../../server/http/faults.js';
import { IgnoredNames } from '../../server/http/ignored-names.js';
import { parseJson } from '../../server/http/json-body.js';
import { foldNames } from '../../server/base/names.js';
import { validatorsOf } from '../../server/http/spec-check.js';

const MAX_DEPTH = 64;

/** As much of `item` as fits between `head` and `tail`, with commas; `$` is the number of the item. */
function filled(bytes: number, head: string, item: string, tail: string): Buffer {
  const parts: string[] = [];
  let size = head.length + tail.length;
  for (let n = 0; ; n += 1) {
    const part = `${n === 0 ? '' : ','}${item.replaceAll('$', n.toString(36).padStart(4, '0'))}`;
    size += part.length;
    if (size > bytes) break;
    parts.push(part);
  }
  return Buffer.from(head + parts.join('') + tail);
}

const inList = (item: string) => (bytes: number) => filled(bytes, '{"configTypes":[', item, ']}');
const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** By what fills the body. */
export const SHAPES: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'empty texts in a list': inList('""'),
  'empty objects in a list': inList('{}'),
  'lists of an empty object': inList('[{}]'),
  'numbers in a list': inList('1'),
  'numbers of 17 digits': inList('12345678901234567'),
  'lists 60 deep': inList(deep(60)),
  'members': (bytes) => filled(bytes, '{', '"$":1', '}'),
  'members with escapes': (bytes) => filled(bytes, '{', '"\\u0061$":1', '}'),
  'members known by another case': (bytes) => filled(bytes, '{"envInfo":{', '"OsVersion$":"x"', '}}'),
  'objects of two members': inList('{"a":1,"b":2}'),
  'one text': (bytes) => Buffer.from(`{"username":"${'x'.repeat(bytes - 15)}"}`),
  'one text of escapes': (bytes) => Buffer.from(`{"username":"${'\\u00e9'.repeat((bytes - 15) / 6)}"}`),
  'one name': (bytes) => Buffer.from(`{"${'x'.repeat(bytes - 7)}":1}`),
  'broken at its end': (bytes) => filled(bytes, '{"configTypes":[', '""', ''),
};

/** What the server does with a body of `authenticate`, up to its answer. Answers the text of a refusal. */
export function handleBody(bytes: Buffer): string {
  const { body: spec } = operations.client.authenticate;
  if (spec?.validator == null || spec.names === null) throw new Error('a login has a body');
  try {
    const body = parseJson(bytes, spec.name, MAX_DEPTH);
    foldNames(body, 'client', spec.names, () => undefined);
    const validate = validatorsOf.client[spec.validator];
    const fault = validate?.(body) === false ? validate.errors?.[0] : undefined;
    if (fault !== undefined) throw bodyFault(fault, body, spec.name, new IgnoredNames());
    return '';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return JSON.stringify(errorReply(error, 'request').body);
  }
}

/** Milliseconds of the processor for one body, the least of `times`. */
export function costOf(bytes: Buffer, times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time += 1) {
    const before = process.cpuUsage();
    handleBody(bytes);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const SIZES = [65_536, 1_048_576];
const TIMES = 15;

/** A table in Markdown. */
export function shapeLines(): string[] {
  const head = `| one body of | ${SIZES.map((size) => `${size / 1024} KiB, ms`).join(' | ')} |`;
  const rows = Object.entries(SHAPES).map(
    ([shape, make]) => `| ${shape} | ${SIZES.map((size) => costOf(make(size), TIMES).toFixed(1)).join(' | ')} |`,
  );
  return [head, `|---|${SIZES.map(() => '--:|').join('')}`, ...rows];
}
