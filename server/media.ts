/** Content negotiation: what a body is said to be, and what an answer may be. */
import { DomainError, invalidField } from '../domain/errors.js';
import type { BodySpec, OperationSpec } from '../generated/operation.js';

/** Lower-case media type without parameters; '' without a header. @throws DomainError `unparsableBody` */
export function mediaType(header: string | undefined): string {
  if (header === undefined || header === '') return '';
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)) {
    throw new DomainError('unparsableBody', { causeMessage: `parsing Content-Type header from "${header.slice(0, 100)}" failed, because it is no media type` });
  }
  return type;
}

/** @throws DomainError `unsupportedMedia` for a body of a type that the operation does not take */
export function requireContentType(body: BodySpec, type: string): void {
  const actual = type === '' ? 'application/octet-stream' : type;
  if (body.consumes.includes(actual)) return;
  const { field } = invalidField('Content-Type', `unsupported media type "${actual}", only [${body.consumes.join(' ')}] are allowed`, actual);
  throw new DomainError('unsupportedMedia', field === undefined ? {} : { field });
}

/** @throws DomainError `notAcceptable` */
export function requireAcceptable(operation: OperationSpec, accept: string | undefined): void {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json' || accept.includes('*/*')) return;
  const ranges = accept.split(',').map((range) => (range.split(';', 1)[0] ?? '').trim().toLowerCase());
  const fits = (range: string) => operation.produces.some((type) => range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1))));
  // JSON is always acceptable to name: errors are JSON, and clients send it whatever they ask for.
  if (ranges.some((range) => range === 'application/json' || fits(range))) return;
  throw new DomainError('notAcceptable', { field: {
    field: 'Accept', reason: `unsupported media type requested, only [${operation.produces.join(' ')}] are available`, value: accept.slice(0, 200),
  } });
}
