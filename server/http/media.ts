/** Content negotiation: what a body is said to be, and what an answer may be. */
import { DomainError, invalidField } from '../../domain/errors.js';
import type { BodySpec, OperationSpec } from '../../generated/operation.js';

/** Lower-case media type without parameters; '' without a header. @throws DomainError `unparsableBody` */
export function mediaType(header: string | undefined): string {
  if (header === undefined || header === '') return '';
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)) {
    throw new DomainError('unparsableBody', {
      causeMessage: `parsing Content-Type header from "${header.slice(0, 100)}" failed, because it is no media type`,
    });
  }
  return type;
}

/** @throws DomainError `unsupportedMedia` for a body of a type that the operation does not take */
export function requireContentType(body: BodySpec, type: string): void {
  const actual = type === '' ? 'application/octet-stream' : type;
  if (body.consumes.includes(actual)) return;
  const { field } = invalidField(
    'Content-Type',
    `unsupported media type "${actual}", only [${body.consumes.join(' ')}] are allowed`,
    actual,
  );
  throw new DomainError('unsupportedMedia', field === undefined ? {} : { field });
}

export const JSON_TYPE = 'application/json';
/** RFC 9457; of errors alone. */
export const PROBLEM_TYPE = 'application/problem+json';

/** @throws DomainError `notAcceptable` */
export function requireAcceptable(operation: OperationSpec, accept: string | undefined): void {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === JSON_TYPE) return;
  const ranges = rangesOf(accept);
  // Types of errors are always acceptable to name, and clients send them whatever they ask for.
  if ([JSON_TYPE, ...operation.produces].some((type) => welcomeOf(type, ranges).quality > 0)) return;
  if (qualityOf(PROBLEM_TYPE, accept, 2) > 0) return;
  throw new DomainError('notAcceptable', {
    field: {
      field: 'Accept',
      reason: `unsupported media type requested, only [${operation.produces.join(' ')}] are available`,
      value: accept.slice(0, 200),
    },
  });
}

/**
 * The type that `Accept` prefers: the one of highest quality, of equal ones the one that is named most precisely, else
 * the first. `requireAcceptable` has refused a header that takes none of them.
 */
export function preferredOf<T extends string>(types: readonly [T, ...T[]], accept: string | undefined): T {
  if (accept === undefined || accept === '') return types[0];
  const ranges = rangesOf(accept);
  let [best] = types;
  let most: Welcome = { quality: 0, precision: 0 };
  for (const type of types) {
    const welcome = welcomeOf(type, ranges);
    if (welcome.quality < most.quality) continue;
    if (welcome.quality === most.quality && welcome.precision <= most.precision) continue;
    best = type;
    most = welcome;
  }
  return best;
}

/** How willingly a type is taken, from 0 to 1. @param precision  0: also by a range; 2: only if named in full */
export function qualityOf(type: string, accept: string, precision: 0 | 2 = 0): number {
  const welcome = welcomeOf(type, rangesOf(accept));
  return welcome.precision < precision ? 0 : welcome.quality;
}

interface Range {
  readonly name: string;
  /** Weight from 0 to 1. */
  readonly quality: number;
}

function rangesOf(accept: string): Range[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
      return { name, quality: quality >= 0 && quality <= 1 ? quality : 1 };
    });
}

interface Welcome {
  readonly quality: number;
  /** 2: named in full; 1: by a range such as `text/*`; 0: as any type. */
  readonly precision: number;
}

/** How welcome a type is: the most precise range that matches counts (RFC 9110 section 12.5.1). */
function welcomeOf(type: string, ranges: readonly Range[]): Welcome {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type];
  for (let precision = 2; precision >= 0; precision -= 1) {
    const range = ranges.find(({ name }) => name === names[precision]);
    if (range !== undefined) return { quality: range.quality, precision };
  }
  return { quality: 0, precision: 0 };
}
