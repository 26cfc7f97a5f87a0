/**
 * The log line of a request: who asked for what, from where, what came of it and why. It is made of what we know
 * ourselves (ids of entities, words of ours), never of what was sent; so no secret can be in it, whatever a client
 * sends.
 */
import { DomainError } from '../../domain/errors.js';
import { couldBeId } from '../../domain/ids.js';
import type { Caller } from '../../handlers/reply.js';
import type { Exchange } from './exchange.js';
import { ClientGone } from './body.js';
import { errorCodeOf } from './envelope.js';
import type { AnyReply } from './reply.js';
import type { RequestFacts } from './request-facts.js';

export function requestLine(
  { request, response, requestId, failure }: Exchange,
  seen: RequestFacts,
  ms: number,
): object {
  const { operation, caller, params, createdId, facts, address, trace } = seen;
  return {
    requestId,
    method: request.method,
    operation: operation?.operationId,
    api: operation?.api,
    status: response.headersSent ? response.statusCode : undefined,
    address,
    identityId: caller?.identityId,
    traceId: traceOf(caller),
    otelTraceId: trace?.traceId,
    entityId: idIn(params?.['id']),
    serviceId: idIn(params?.['serviceId']),
    createdId,
    ...facts,
    ...outcomeOf(failure),
    ms: Math.round(ms * 10) / 10,
  };
}

/** The trace under which the caller's requests are logged; it was named by an administrator, as a plain word. */
export function traceOf(caller: Caller | undefined): string | undefined {
  const trace = caller?.trace;
  return trace != null && trace.endsAt.getTime() > Date.now() ? trace.traceId : undefined;
}

function outcomeOf(failure: unknown): { code?: string; reason?: string | undefined } {
  if (failure === undefined) return {};
  if (failure instanceof ClientGone) return { reason: failure.message };
  return { code: errorCodeOf(failure), reason: failure instanceof DomainError ? failure.logReason : undefined };
}

/** A path may hold anything; what does not look like an id is no id of ours. */
function idIn(param: string | undefined): string | undefined {
  return param !== undefined && couldBeId(param) ? param : undefined;
}

export function createdId(reply: AnyReply): string | undefined {
  const { id } = ('data' in reply ? reply.data : {}) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}
