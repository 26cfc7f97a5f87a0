/**
 * Refusals of what routers ask for their clients: the codes that routers know, and what each makes a client do. A fault
 * of ours is always `internal`: clients try again, instead of logging in again all at once.
 */
import { DomainError } from '../../domain/errors.js';
import { MAX_COST } from '../../domain/fabric/terminator.js';
import type { RouterChannel } from './channel.js';
import { ErrorHeader, encodeText, encodeUint32 } from './headers.js';
import { message } from './frame.js';
import type { Message } from './frame.js';
import { ContentType } from './content-types.js';
import type { FailureLog } from './router-log.js';

/** Tells a client what to do after a failed bind or dial. */
const Retry = { Default: 0, TooBusy: 1, StartOver: 2, Never: 3 } as const;

export const EDGE_ERRORS = {
  internal: { code: 1, retryHint: Retry.Default },
  busy: { code: 1, retryHint: Retry.TooBusy },
  invalidApiSession: { code: 2, retryHint: Retry.StartOver },
  invalidSession: { code: 3, retryHint: Retry.StartOver },
  wrongSessionType: { code: 4, retryHint: Retry.StartOver },
  invalidEdgeRouter: { code: 5, retryHint: Retry.StartOver },
  invalidService: { code: 6, retryHint: Retry.Never },
  tunnelingNotEnabled: { code: 7, retryHint: Retry.Never },
  invalidTerminator: { code: 8, retryHint: Retry.Never },
  invalidCost: { code: 10, retryHint: Retry.Never },
  encryptionDataMissing: { code: 11, retryHint: Retry.StartOver },
  invalidInstanceId: { code: 13, retryHint: Retry.Never },
  accessDenied: { code: 14, retryHint: Retry.Default },
} as const;
export type EdgeErrorKind = keyof typeof EDGE_ERRORS;

/** The text goes to the client. */
export class EdgeError extends Error {
  override readonly name = 'EdgeError';

  constructor(
    readonly kind: EdgeErrorKind,
    message: string,
    /** Id of the circuit that was tried. */
    readonly circuitId?: string,
  ) {
    super(message);
  }
}

export const invalidApiSession = () => new EdgeError('invalidApiSession', 'invalid api session');
export const invalidSession = () => new EdgeError('invalidSession', 'invalid session');
export const wrongSessionType = () => new EdgeError('wrongSessionType', 'incorrect session type');
export const invalidEdgeRouter = () => new EdgeError('invalidEdgeRouter', 'invalid edge router for session');

/** Covers a service that exists and is not granted too: a client without access does not learn that it exists. */
export const invalidService = () => new EdgeError('invalidService', 'invalid service');
export const invalidTerminator = () => new EdgeError('invalidTerminator', 'invalid terminator');
export const tunnelingNotEnabled = () => new EdgeError('tunnelingNotEnabled', 'tunneling not enabled');

/** Turns any error into a refusal; one that is no `EdgeError` says nothing to the client. */
function asEdgeError(error: unknown): EdgeError {
  if (error instanceof EdgeError) return error;
  if (error instanceof DomainError && error.kind === 'tooManyRequests') return new EdgeError('busy', 'busy');
  return new EdgeError('internal', 'the controller could not do this now');
}

/**
 * Makes a refusal for the answer, and logs it.
 * @param what  the line for the log, such as `a terminator could not be changed`
 */
export function refusalOf(
  error: unknown,
  what: string,
  { routerId }: Pick<RouterChannel, 'routerId'>,
  { log, noteFailure }: FailureLog,
): EdgeError {
  const refusal = asEdgeError(error);
  if (refusal === error || refusal.kind === 'busy') log.debug({ routerId, reason: refusal.message }, what);
  else noteFailure(error, { routerId }, what);
  return refusal;
}

/** @throws EdgeError */
export function requireCost(cost: number): void {
  if (cost > MAX_COST) throw new EdgeError('invalidCost', `invalid cost ${cost}: at most ${MAX_COST}`);
}

export function errorMessage({ kind, message: text, circuitId }: EdgeError): Message {
  const { code, retryHint } = EDGE_ERRORS[kind];
  const headers: [number, Uint8Array][] = [
    [ErrorHeader.Code, encodeUint32(code)],
    [ErrorHeader.RetryHint, encodeUint32(retryHint)],
  ];
  if (circuitId !== undefined) headers.push([ErrorHeader.CircuitId, encodeText(circuitId)]);
  return message(ContentType.Error, text, headers);
}
