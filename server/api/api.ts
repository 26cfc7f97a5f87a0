/**
 * One request of an API from socket to answer: limits, route, session, permission, validation, handler, answer.
 * Failures of every step end in one place.
 */
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../db/postgres/attribution.js';
import { RequestClock } from '../../db/postgres/request-clock.js';
import { DatabaseUnavailable } from '../../db/postgres/outages.js';
import type { Precondition } from '../../db/postgres/contracts.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { OperationSpec } from '../../generated/operation.js';
import type { RequestConnection, Facts } from '../../handlers/handler.js';
import type { Context, OutgoingTrace } from '../../handlers/context.js';
import { ownerOfCertificate } from '../../handlers/login/certificate-login.js';
import { bearerTokens } from '../sessions/bearer-tokens.js';
import type { Bindings, BoundHandler, BoundInput } from '../sessions/binder.js';
import { SenderGone, createBodyReader } from '../http/body.js';
import { addressOf } from '../base/client-address.js';
import { requirePlainBody } from '../http/coding.js';
import type { Compression } from '../http/compression.js';
import type { Settings } from '../settings/config.js';
import { errorAnswer } from '../http/envelope.js';
import type { Exchange } from '../http/exchange.js';
import { bodyFault } from '../http/faults.js';
import { parseJson, bodyText } from '../http/json-body.js';
import type { Logger } from '../base/log.js';
import { changedVersion, preconditionOf } from '../http/entity-tags.js';
import type { ChangedVersion } from '../http/entity-tags.js';
import { mediaType, preferredOf, requireAcceptable, requireContentType } from '../http/media.js';
import { foldNames } from '../base/names.js';
import type { OutageLog } from '../base/outage-log.js';
import { readHeaders, readQuery } from '../http/parameters.js';
import { createPeers } from './peer.js';
import type { Peers } from './peer.js';
import { ReaderGone } from '../http/socket-writer.js';
import { isAdministration, requireOwnSession, requirePermission } from './permissions.js';
import { isRead, matchOperation, pathUnknown, segmentsOf, targetOf } from '../http/paths.js';
import type { Match } from '../http/paths.js';
import { createdId, requestLine, traceOf } from '../http/request-log.js';
import { ResponseFault, validatorsOf, write, writeError, writeReply, writeStream } from '../http/reply.js';
import type { AnyReply } from '../http/reply.js';
import type { OwnChanges } from '../sessions/own-changes.js';
import type { RefusedLines } from '../http/refused-lines.js';
import type { RefusedLogins } from '../sessions/refused-logins.js';
import { RequestReader } from '../http/request-reader.js';
import type { ApiSessionRegistry, Authenticated } from '../sessions/api-sessions.js';
import type { RequestCounts } from '../http/request-counts.js';
import { tracedContext } from '../traces/traces.js';
import type { RequestFacts, Traces } from '../http/request-facts.js';

export interface ApiOptions {
  readonly config: Pick<
    Settings,
    'maxBodyBytes' | 'maxBodiesBytes' | 'maxJsonDepth' | 'logRequests' | 'slowRequest' | 'readerPatience'
  >;
  readonly bindings: Bindings;
  readonly compression: Compression;
  readonly context: Context;
  readonly apiSessions: ApiSessionRegistry;
  /** Reports what the database lacks once, not for every request. */
  readonly outages: OutageLog;
  readonly refusedLogins: RefusedLogins;
  readonly refusedLines: RefusedLines;
  readonly ownChanges: OwnChanges;
  /** Undefined when there are no metrics. */
  readonly counts: RequestCounts | undefined;
  /** Undefined when nothing is traced. */
  readonly traces: Traces | undefined;
  readonly log: Logger;
}

const NO_SESSION =
  'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",' +
  'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
const BAD_BEARER = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';

/** Those of the entity that a request changes. */
interface Versions {
  readonly precondition: Precondition | undefined;
  readonly changed: ChangedVersion | undefined;
}

/** One of more bytes may take tens of milliseconds to read: one a turn, so that others are answered in between. */
const LARGE_BODY = 64 * 1024;

export type ApiHandler = (exchange: Exchange) => Promise<void>;

export function createApi(options: ApiOptions): ApiHandler {
  const { config, bindings, compression, context, apiSessions, outages, refusedLogins, counts, traces, log } = options;
  const { refusedLines, ownChanges } = options;
  const readBody = createBodyReader({ maxBytesOfAll: config.maxBodiesBytes });
  const largeBodies = new YieldQueue({ waiting: Number.POSITIVE_INFINITY });
  const { secondTokens } = context;
  const peers = createPeers((certificates) => ownerOfCertificate(certificates, context));

  const authorize = async (
    request: IncomingMessage,
    { operation, params }: Match,
    seen: RequestFacts,
  ): Promise<void> => {
    if (operation.permission === 'public') return;
    seen.clock?.enter('database'); // for a session that is not in memory
    const trace = seen.trace?.outgoing;
    const { caller, owner } = await identify(request, { apiSessions, peers, secondTokens, trace });
    seen.clock?.leave('database');
    seen.caller = caller;
    seen.params = params;
    requirePermission(operation, caller);
    if (owner.api === 'management' || !isAdministration(operation)) return;
    seen.clock?.enter('database');
    await requireOwnSession(request, { caller, owner }, { apiSessions, peers });
    seen.clock?.leave('database');
  };
  const maxBodyOf = (match: Match | DomainError): number => {
    const most = match instanceof DomainError ? null : match.operation.maxBodyBytes;
    return most === null ? config.maxBodyBytes : Math.min(most, config.maxBodyBytes);
  };
  const negotiate = ({ request, response }: Exchange, operation: OperationSpec): BoundHandler => {
    const handler = bindings.get(operation);
    if (handler === undefined || handler === 'pending') throw new DomainError('notImplemented');
    requireAcceptable(operation, request.headers.accept);
    compression.prepare(response, operation);
    return handler;
  };
  const read = (
    exchange: Exchange,
    { operation, params }: Match,
    bytes: Buffer | null,
    seen: RequestFacts,
  ): BoundInput => ({
    params,
    query: readQuery(operation, exchange.search),
    headers: readHeaders(operation, exchange.request.headers),
    caller: seen.caller,
    note: (facts: Facts) => {
      seen.facts = { ...seen.facts, ...facts };
    },
    ...readInput(exchange.request, operation, bytes, { maxDepth: config.maxJsonDepth, peers }),
  });
  const act = async (
    { requestId, reader }: Pick<Exchange, 'requestId'> & { readonly reader: RequestReader },
    handler: BoundHandler,
    input: BoundInput,
    seen: RequestFacts,
    { precondition, changed }: Versions,
  ): Promise<AnyReply> => {
    const { clock, trace } = seen;
    const actor = actorOf(seen, requestId, context.network.name);
    const onVersion = changed?.onVersion;
    const stores = context.stores.forRequest({
      reader,
      actor,
      clock,
      trace: trace?.statements,
      precondition,
      onVersion,
    });
    const own = trace === undefined ? context : tracedContext(context, trace);
    const reply = await handler(input, { ...own, stores });
    if (precondition !== undefined) await stores.settle();
    return changed?.tag === undefined ? reply : { ...reply, headers: { etag: changed.tag } };
  };

  /** Limits, then trust, then sense: nothing that was sent is looked into before its sender may send it. */
  const run = async (exchange: Exchange, seen: RequestFacts): Promise<void> => {
    const { request, response, path, headers } = exchange;
    const match = tryRoute(request, path);
    const bytes = await readBody(request, maxBodyOf(match));
    exchange.since = performance.now();
    if (config.slowRequest > 0) seen.clock = new RequestClock();
    if (match instanceof DomainError) throw match;
    seen.operation = match.operation;
    await authorize(request, match, seen);
    if (seen.caller !== undefined && !isRead(request)) ownChanges.take(match.operation, seen.caller.identityId);
    const handler = negotiate(exchange, match.operation);
    if (bytes !== null && bytes.length > LARGE_BODY) await largeBodies.run(() => undefined);
    const input = read(exchange, match, bytes, seen);
    const versions = {
      precondition: preconditionOf(match.operation, match.params, request.headers['if-match']),
      changed: changedVersion(match.operation, match.params),
    };
    const reader = (exchange.reader = new RequestReader(input.caller?.identityId ?? '', response));
    try {
      const reply = await act({ requestId: exchange.requestId, reader }, handler, input, seen, versions);
      if (reply.status === 201) seen.createdId = createdId(reply);
      if ('stream' in reply) {
        delete seen.clock; // it takes as long as its reader stays
        const recheck = () => authorize(request, match, { address: seen.address });
        await writeStream(response, match.operation, reply, headers, recheck);
        return;
      }
      await writeReply(response, match.operation, reply, headers, {
        readerPatienceMs: config.readerPatience * 1000,
        onText: () => {
          reader.place.close();
        },
      });
    } finally {
      reader.place.close();
    }
  };

  /** To the log, to a trace and to metrics, each where the settings ask for it. */
  const tell = (exchange: Exchange, seen: RequestFacts, started: number): void => {
    const { clock, operation, facts } = seen;
    // What waited in vain for a database that is out has the line of that state.
    const isSlow =
      clock !== undefined &&
      performance.now() - exchange.since >= config.slowRequest * 1000 &&
      !(exchange.failure instanceof DatabaseUnavailable);
    const isLogged = config.logRequests === 'all' || (config.logRequests === 'changes' && !isRead(exchange.request));
    const hasLine = isSlow || isLogged || traceOf(seen.caller) !== undefined;
    const isStrangers = seen.caller === undefined && exchange.failure !== undefined;
    if (hasLine && (!isStrangers || refusedLines.admits(seen.address))) {
      if (isSlow) log.warn({ ...requestLine(exchange, seen, 0), ...clock.read() }, 'slow request');
      else log.info(requestLine(exchange, seen, performance.now() - started), 'request');
    }
    seen.trace?.end(exchange, seen);
    if (counts === undefined) return;
    const { headersSent, statusCode } = exchange.response;
    counts.ended(operation, headersSent ? statusCode : 0, performance.now() - started, facts?.loginMethod);
  };

  return async (exchange) => {
    const started = performance.now();
    const seen: RequestFacts = { address: addressOf(exchange.request.socket) };
    if (traces !== undefined) seen.trace = traces.begin(exchange.request);
    try {
      await run(exchange, seen);
    } catch (error) {
      if (error instanceof DomainError) refusedLogins.seen({ error, seen, requestId: exchange.requestId });
      fail(error, exchange, seen, { log, outages });
    }
    tell(exchange, seen, started);
  };
}

/** Who makes the changes of a request. A literal for each: with a spread it would cost each request more. */
const actorOf = ({ caller, address }: RequestFacts, requestId: string, controller: string): Actor => {
  if (caller === undefined) return { kind: 'anonymous', address, requestId, controller };
  const { identityId: id, identityName: name, apiSessionId } = caller;
  return { kind: 'identity', id, name, apiSessionId, address, requestId, controller };
};

/** Or why there is none, `routeUnknown` or `methodNotAllowed`: that is answered once the body was read. */
function tryRoute(request: IncomingMessage, path: string): Match | DomainError {
  try {
    return route(request, path);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** @throws DomainError `routeUnknown`, `methodNotAllowed` */
function route(request: IncomingMessage, path: string): Match {
  const target = targetOf(segmentsOf(path));
  if (target === undefined) throw pathUnknown(path);
  return matchOperation(target, request.method ?? 'GET', path);
}

/**
 * @throws DomainError `unauthenticated`: no session, an unknown one, or one of another identity than the client
 * certificate's
 */
async function identify(
  request: IncomingMessage,
  {
    apiSessions,
    peers,
    secondTokens,
    trace,
  }: Pick<ApiOptions, 'apiSessions'> & { peers: Peers; trace: OutgoingTrace | undefined } & Pick<
      Context,
      'secondTokens'
    >,
): Promise<Authenticated> {
  const token = sessionToken(request);
  if (token === '') throw new DomainError('unauthenticated', challenge(bearerTokens(request)[0]));
  const authenticated = await apiSessions.authenticate(token);
  const { caller, owner } = authenticated;
  const { session } = owner;
  const check = peers.requireSame(request, caller);
  if (check !== undefined) await check;
  if (session.requiredSigner === null) return authenticated;
  const owedToken = await secondTokens.owed(bearerTokens(request), session.requiredSigner, trace);
  return { owner, caller: { ...caller, owedToken, isComplete: owedToken === null && !session.owesTotp } };
}

/**
 * '' without one. A header that came several times with one value, as some clients and proxies send it, is that value;
 * several values are one that no session has.
 */
function sessionToken({ headers }: IncomingMessage): string {
  const sent = headers['zt-session'] ?? headers['svc-session'];
  if (typeof sent !== 'string' || !sent.includes(', ')) return typeof sent === 'string' ? sent : '';
  const [first = '', ...others] = sent.split(', ');
  return others.every((other) => other === first) ? first : sent;
}

function challenge(bearer: string | undefined): ConstructorParameters<typeof DomainError>[1] {
  const isJwt = bearer !== undefined && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(bearer);
  if (bearer !== undefined && !isJwt) {
    return { headers: { 'www-authenticate': BAD_BEARER }, logReason: 'a bearer token that is no JWT' };
  }
  const causeMessage = 'unauthenticated for invalid credentials';
  return { headers: { 'www-authenticate': NO_SESSION }, causeMessage, logReason: 'no session token' };
}

/**
 * The body as the operation wants it, and what the connection tells.
 * @throws DomainError for a body that breaks the spec
 */
function readInput(
  request: IncomingMessage,
  operation: OperationSpec,
  bytes: Buffer | null,
  { maxDepth, peers }: { maxDepth: number; peers: Peers },
): { body: unknown; connection: RequestConnection } {
  const { body: spec } = operation;
  const type = bytes === null && spec === null ? '' : mediaType(request.headers['content-type']);
  const connection = {
    ipAddress: addressOf(request.socket),
    contentType: type,
    prefers: <T extends string>(...types: readonly [T, ...T[]]) => preferredOf(types, request.headers.accept),
    peerCertificates: () => peers.certificatesOf(request),
    bearerTokens: () => bearerTokens(request),
  };
  if (spec === null) return { body: undefined, connection };
  if (bytes === null) {
    if (spec.required) throw invalidField(spec.name, `${spec.name} in body is required`, '', `required ${spec.name}`);
    return { body: undefined, connection };
  }
  requireContentType(spec, type);
  requirePlainBody(request.headers['content-encoding']);
  if (spec.kind === 'text' || spec.textTypes.includes(type)) return { body: bodyText(bytes, spec.name), connection };
  const body = parseJson(bytes, spec.name, maxDepth);
  if (spec.names !== null) foldNames(body, operation.api, spec.names);
  const validate = spec.validator === null ? undefined : validatorsOf[operation.api][spec.validator];
  if (validate?.(body) === false) {
    const fault = validate.errors?.[0];
    if (fault !== undefined) throw bodyFault(fault, body, spec.name);
  }
  return { body, connection };
}

/** The one end of every failure: logged once if it is ours, told to the caller if it still can be. */
function fail(
  error: unknown,
  exchange: Exchange,
  { operation }: RequestFacts,
  { log, outages }: Pick<ApiOptions, 'log' | 'outages'>,
): void {
  const { request, response, requestId, headers } = exchange;
  exchange.failure ??= error;
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
  else if (!(error instanceof DomainError)) log.error({ ...where, err: error }, 'request failed');
  outages.seen(error);
  if (response.headersSent) {
    // An answer that was given whole, such as that of a timeout, still is on its way.
    if (!response.writableEnded) response.destroy();
    return;
  }
  const answer = errorAnswer(error, requestId);
  try {
    writeError(response, operation, answer, headers);
  } catch (fault) {
    log.error({ ...where, status: answer.status, err: fault }, 'an error answer breaks its spec');
    const plain = errorAnswer(fault, requestId);
    write(
      response,
      plain.status,
      { ...headers, 'content-type': 'application/json' },
      `${JSON.stringify(plain.body)}\n`,
    );
  }
}
