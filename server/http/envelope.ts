/** The JSON around every answer: `{data, meta}` or `{error, meta}`, written once. */
import { createIdGenerator } from '../../domain/auth/tokens.js';
import { DomainError } from '../../domain/errors.js';
import type { ErrorKind, FieldCause } from '../../domain/errors.js';
import { SHOWN_CHARACTERS } from '../../domain/value-text.js';
import type { PageInfo } from '../../handlers/reply.js';
import { ERROR_TABLE } from './error-table.js';

const API_VERSION = '0.0.1';
const API_ENROLLMENT_VERSION = '0.0.1';

/** Limit reported by a list without limit: the largest integer that every reader of JSON keeps exact. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const versions = { apiEnrollmentVersion: API_ENROLLMENT_VERSION, apiVersion: API_VERSION };
const versionsText = JSON.stringify(versions);

export interface Meta {
  readonly apiEnrollmentVersion: string;
  readonly apiVersion: string;
  readonly filterableFields?: readonly string[];
  readonly pagination?: {
    readonly limit: number;
    readonly offset: number;
    readonly totalCount: number;
    readonly isTotalCountMinimum?: true;
  };
}

export function metaOf(page: PageInfo | undefined): Meta {
  if (page === undefined) return versions;
  const { filterableFields, limit, offset, totalCount, isTotalMinimum } = page;
  return {
    apiEnrollmentVersion: API_ENROLLMENT_VERSION,
    apiVersion: API_VERSION,
    filterableFields,
    pagination: {
      limit: limit ?? NO_LIMIT,
      offset,
      totalCount,
      ...(isTotalMinimum && { isTotalCountMinimum: isTotalMinimum }),
    },
  };
}

/** `meta` as text. */
export function metaText(meta: Meta): string {
  return meta.pagination === undefined ? versionsText : JSON.stringify(meta);
}

export interface ErrorReply {
  readonly status: number;
  readonly body: { readonly error: ErrorBody; readonly meta: Meta };
  readonly headers: Readonly<Record<string, string>>;
}

export interface ErrorBody {
  readonly cause?: Readonly<Record<string, unknown>>;
  readonly furtherCauses?: readonly FieldCause[];
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
}

/** A text of a cause may repeat what the caller sent, and that may be a megabyte. */
function clip(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}

const clipped = ({ field, reason, value }: FieldCause): FieldCause => ({
  field: clip(field),
  reason: clip(reason),
  value: clip(value),
});

/** The code that a caller gets for a failure. */
export function errorCodeOf(error: unknown): string {
  return ERROR_TABLE[error instanceof DomainError ? error.kind : 'unhandled'].code;
}

/** Returns the response for a failure. It says nothing of an error of ours. */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  if (!(error instanceof DomainError)) return answer('unhandled', requestId, {});
  const { sentence } = error;
  const taught = (text: string) => (sentence === undefined ? clip(text) : `${clip(text)}. ${clip(sentence)}`);
  const cause =
    error.field !== undefined
      ? { ...clipped(error.field), reason: taught(error.field.reason) }
      : error.causeData !== undefined
        ? { data: error.causeData, message: taught(error.causeMessage ?? '') }
        : error.causeMessage !== undefined
          ? { code: 'UNHANDLED', message: taught(error.causeMessage) }
          : undefined;
  return answer(
    error.kind,
    requestId,
    {
      ...(cause === undefined ? {} : { cause }),
      ...(error.further.length === 0 ? {} : { furtherCauses: error.further.map(clipped) }),
      ...(error.override === undefined ? {} : { message: error.override }),
    },
    error.headers,
  );
}

export function answer(
  kind: ErrorKind | keyof typeof ERROR_TABLE,
  requestId: string,
  extra: { cause?: Record<string, unknown>; furtherCauses?: readonly FieldCause[]; message?: string },
  headers: Readonly<Record<string, string>> = {},
): ErrorReply {
  const { status, code, message } = ERROR_TABLE[kind];
  return {
    status,
    headers,
    body: {
      error: {
        ...(extra.cause === undefined ? {} : { cause: extra.cause }),
        code,
        ...(extra.furtherCauses === undefined ? {} : { furtherCauses: extra.furtherCauses }),
        message: extra.message ?? message,
        requestId,
      },
      meta: versions,
    },
  };
}

/** A short random id for a request: ten characters that need no escape in a header, a log or a URL. */
export const newRequestId: () => string = createIdGenerator(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  10,
);
