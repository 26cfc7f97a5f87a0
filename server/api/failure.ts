/** The one end of every failure: logged once if it is ours, told to the caller if it still can be. */
import { DomainError } from '../../domain/errors.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { AnsweredRefusal } from '../../handlers/oidc/exchange.js';
import type { Logger } from '../base/log.js';
import type { OutageLog } from '../base/outage-log.js';
import { SenderGone } from '../http/body.js';
import { errorReply } from '../http/envelope.js';
import type { Exchange } from '../http/exchange.js';
import { bearerTokens } from '../sessions/bearer-tokens.js';
import { isProviderPath, writeProviderError } from '../http/provider-errors.js';
import { write, writeError } from '../http/reply.js';
import type { RequestFacts } from '../http/request-facts.js';
import { ReaderGone } from '../http/socket-writer.js';
import { ResponseFault } from '../http/spec-check.js';

export interface FailureContext {
  /** Whether logins by OpenID Connect are offered, so that what is at their paths fails in their words. */
  readonly hasProvider: boolean;
}

export interface FailureLogs {
  readonly log: Logger;
  /** Reports what the database lacks once, not for every request. */
  readonly outages: OutageLog;
}

export function fail(
  error: unknown,
  exchange: Exchange,
  { operation }: RequestFacts,
  { log, outages, hasProvider }: FailureLogs & FailureContext,
): void {
  const { request, response, requestId, headers } = exchange;
  const isOfProvider = hasProvider && isProviderPath(exchange.path);
  exchange.failure ??= error instanceof AnsweredRefusal ? error.refusal : error;
  const where = { requestId, method: request.method, operation: operation?.operationId, api: operation?.api };
  if (error instanceof SenderGone) {
    log.debug({ ...where, err: error.cause }, error.message);
    return;
  }
  if (error instanceof ReaderGone) {
    log[error.level](where, error.message);
    response.destroy();
    return;
  }
  if (error instanceof ResponseFault)
    log.error({ ...where, status: error.status, ...error.fault }, 'an answer breaks its spec and was not sent');
  else if (!isAnswer(error)) log.error({ ...where, err: error }, 'request failed');
  outages.seen(error);
  if (response.headersSent) {
    // An answer that was given whole, such as that of a timeout, still is on its way.
    if (!response.writableEnded) response.destroy();
    return;
  }
  const answer = errorReply(error, requestId);
  const hasToken = isOfProvider && bearerTokens(request).length > 0;
  try {
    if (isOfProvider) writeProviderError(response, { error, requestId, hasToken, operation }, headers);
    else writeError(response, operation, answer, headers);
  } catch (fault) {
    log.error({ ...where, status: answer.status, err: fault }, 'an error answer breaks its spec');
    const plain = errorReply(fault, requestId);
    write(
      response,
      plain.status,
      { ...headers, 'content-type': 'application/json' },
      `${JSON.stringify(plain.body)}\n`,
    );
  }
}

/** Whether it says what the caller did wrong, or what it cannot have now: nothing is wrong with the controller. */
const isAnswer = (error: unknown): boolean =>
  error instanceof DomainError || error instanceof OauthFault || error instanceof AnsweredRefusal;
