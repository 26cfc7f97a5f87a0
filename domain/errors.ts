/**
 * The one vocabulary of failures a caller can act on. Domain and database code throw these; they know
 * nothing of HTTP. `server/http/error-table.ts` holds the one table from a kind to a status, a code and a message.
 */

import { valueText } from './value-text.js';

/** Why a field was refused: shown to the caller as `cause: {field, reason, value}`. */
export interface FieldCause {
  readonly field: string;
  readonly reason: string;
  /** The offending value as text: missing is `<nil>`, a list is `[a b]`. */
  readonly value: string;
}

export type ErrorKind =
  // requests
  | 'invalidField'
  | 'badReference'
  | 'unparsableBody'
  | 'invalidFilter'
  | 'invalidSort'
  | 'notClustered'
  | 'unsupportedMedia'
  | 'notAcceptable'
  | 'payloadTooLarge'
  | 'routeUnknown'
  | 'methodNotAllowed'
  // entities
  | 'notFound'
  | 'duplicate'
  | 'inUse'
  | 'notDeletable'
  | 'notUpdatable'
  | 'preconditionFailed'
  | 'routerNotUpdatable'
  | 'forbidden'
  // callers
  | 'unauthenticated'
  | 'invalidAuth'
  | 'mfaExists'
  | 'mfaNotEnrolled'
  | 'mfaCodeInvalid'
  | 'sessionWithoutBacking'
  // authenticators and enrollment
  | 'authenticatorLimit'
  | 'authenticatorNotUpdatable'
  | 'enrollmentExists'
  | 'enrollmentExpired'
  | 'enrollmentMethodMismatch'
  | 'enrollmentTokenUnknown'
  | 'enrollmentTokenInvalid'
  | 'enrollmentNotAllowed'
  | 'identityEnrolled'
  | 'tokenUsed'
  | 'csrInvalid'
  | 'csrMissing'
  | 'certificateInvalid'
  | 'certificatePemInvalid'
  | 'signerCertificateInvalid'
  | 'caAlreadyVerified'
  | 'caNotValid'
  | 'noValidCas'
  | 'commonNameInvalid'
  | 'certificateNotOfCa'
  | 'certificateNotTrusted'
  | 'certificateInUse'
  | 'certificateClaimMissing'
  // sessions
  | 'invalidPosture'
  | 'noEdgeRouters'
  // load and life
  | 'tooManyRequests'
  | 'rateLimited'
  | 'unavailable'
  | 'timeout'
  | 'notImplemented';

/** Subject of a refusal, so that code that knows the caller may say more of it. */
export type ErrorSubject =
  | { readonly kind: 'missing'; readonly id: string }
  /** Another row has the value, by this constraint of the database. */
  | { readonly kind: 'taken'; readonly constraint: string; readonly value: string }
  /** Rows point at the entity by this field. */
  | { readonly kind: 'used'; readonly by: string; readonly field: string };

export interface DomainErrorOptions {
  readonly field?: FieldCause;
  readonly subject?: ErrorSubject;
  /** One sentence that follows the text of the cause: what to do about it. */
  readonly sentence?: string | undefined;
  /** One sentence for the caller under `cause.message`. */
  readonly causeMessage?: string;
  /** Facts for the caller under `cause.data`, next to the `causeMessage`. */
  readonly causeData?: Readonly<Record<string, unknown>>;
  /** Replaces the kind's usual message. */
  readonly message?: string;
  /** Response headers this failure carries, such as `retry-after` or `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The original failure, for the log only. */
  readonly cause?: unknown;
  /** Why, for the log only. Words of ours alone: never a text that a caller sent, which may be a secret. */
  readonly logReason?: string | undefined;
  /** Why a login was refused, as the audit record has it: a code word. The kind is taken when it is absent. */
  readonly reasonCode?: string | undefined;
}

/** A failure a caller can act on. Anything else that is thrown is our bug and answers 500. */
export class DomainError extends Error {
  field: FieldCause | undefined;
  readonly causeMessage: string | undefined;
  readonly causeData: Readonly<Record<string, unknown>> | undefined;
  readonly override: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  logReason: string | undefined;
  readonly reasonCode: string | undefined;
  subject: ErrorSubject | undefined;
  sentence: string | undefined;
  /** Further faults of the same request. */
  further: readonly FieldCause[] = [];

  constructor(
    readonly kind: ErrorKind,
    options: DomainErrorOptions = {},
  ) {
    super(options.message ?? options.field?.reason ?? options.causeMessage ?? kind, { cause: options.cause });
    this.name = 'DomainError';
    this.field = options.field;
    this.causeMessage = options.causeMessage;
    this.causeData = options.causeData;
    this.override = options.message;
    this.headers = options.headers;
    this.logReason = options.logReason;
    this.reasonCode = options.reasonCode;
    this.subject = options.subject;
    this.sentence = options.sentence;
  }
}

/**
 * A refused field: 400 with `{field, reason, value}`. `logReason` repeats nothing that a caller sent, names of fields
 * included.
 */
export function invalidField(field: string, reason: string, value: unknown, logReason?: string): DomainError {
  return new DomainError('invalidField', { field: { field, reason, value: valueText(value) }, logReason });
}

/** An entity that is not there, or that the caller may not know to be there. `entity` is singular camel case. */
export function notFound(entity: string, id: string): DomainError {
  return new DomainError('notFound', {
    causeMessage: `${entity} with id ${id} not found`,
    subject: { kind: 'missing', id },
  });
}

/** A reference in a request body to an entity that is not there, where the field answers 400. */
export function badReference(message: string, field: string, value: string): DomainError {
  return new DomainError('badReference', {
    message: `The field contains an invalid value: ${message}`,
    causeMessage: `the value '${value}' for '${field}' is invalid: ${message}`,
  });
}

/** Throws, for use in expressions: `row ?? raise(notFound(…))`. */
export function raise(error: Error): never {
  throw error;
}
