/** Errors as RFC 9457 has them, for clients that name that media type in `Accept`. */
import { STATUS_CODES } from 'node:http';
import type { FieldCause } from '../../domain/errors.js';
import type { ErrorBody } from './envelope.js';
import { JSON_TYPE, PROBLEM_TYPE, qualityOf } from './media.js';

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly errors?: readonly ProblemPart[];
}

interface ProblemPart {
  readonly field: string;
  readonly detail: string;
  readonly value: string;
}

/** Only an error can have that type: who names it as willingly as JSON wants it for errors. */
export function wantsProblem(accept: string | undefined): boolean {
  if (accept?.toLowerCase().includes(PROBLEM_TYPE) !== true) return false;
  const quality = qualityOf(PROBLEM_TYPE, accept, 2);
  return quality > 0 && quality >= qualityOf(JSON_TYPE, accept, 2);
}

export function asProblem(status: number, { cause, furtherCauses = [], code, message, requestId }: ErrorBody): Problem {
  const first = isField(cause) ? [cause] : [];
  const reason = isField(cause) ? cause.reason : typeof cause?.['message'] === 'string' ? cause['message'] : '';
  const errors = [...first, ...furtherCauses].map(({ field, reason: detail, value }) => ({ field, detail, value }));
  return {
    type: `urn:edge-controller:error:${code}`,
    title: message,
    status,
    detail: reason === '' ? (STATUS_CODES[status] ?? message) : reason,
    instance: requestId,
    code,
    ...(errors.length === 0 ? {} : { errors }),
  };
}

const isField = (cause: ErrorBody['cause']): cause is FieldCause & Record<string, unknown> =>
  typeof cause?.['field'] === 'string' && typeof cause['reason'] === 'string' && typeof cause['value'] === 'string';
