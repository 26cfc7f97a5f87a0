/**
 * One request of an API from socket to answer: limits, route, session, permission, validation, handler, answer.
 * Failures of every step end in one place.
 */
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../db/postgres/attribution.js';
import { RequestClock } from '../../db/postgres/request-clock.js';
import { DatabaseUnavailable } from '../../db/postgres/outages.js';
import type { Precondition } from '../../db/postgres/contracts.js';
import { DomainError } from '../../domain/errors.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { OperationSpec } from '../../generated/operation.js';
import type { Context } from '../../handlers/context.js';
import { AnsweredRefusal } from '../../handlers/oidc/exchange.js';
import type { Bindings, BoundHandler, BoundInput } from '../sessions/binder.js';
import { createBodyReader } from '../http/body.js';
import type { ReadBody } from '../http/body.js';
import { addressOf } from '../base/client-address.js';
import type { Compression } from '../http/compression.js';
import type { Settings } from '../settings/config.js';
import type { Exchange } from '../http/exchange.js';
import { changedVersion, preconditionOf } from '../http/entity-tags.js';
import type { ChangedVersion } from '../http/entity-tags.js';
import { requireAcceptable } from '../http/media.js';
import { authorize } from './authorize.js';
import type { Credentials } from './authorize.js';
import { fail } from './failure.js';
import type { FailureLogs } from './failure.js';
import { isSocket, socketMatch } from './fabric-sockets.js';
import type { FabricSockets } from './fabric-sockets.js';
import { explainRefusal } from './explain-refusal.js';
import { readInput } from './input.js';
import type { Peers } from './peer.js';
import { RefusedBody } from './refused-body.js';
import { mayReadReplicas } from './replica-reads.js';
import { isRead, matchOperation, pathUnknown, segmentsOf, targetOf } from '../http/paths.js';
import type { Match } from '../http/paths.js';
import { createdId, requestLine, traceOf } from '../http/request-log.js';
import { writeReply, writeStream } from '../http/reply.js';
import type { AnyReply } from '../http/reply.js';
import type { OwnChanges } from '../sessions/own-changes.js';
import type { RefusedLines } from '../http/refused-lines.js';
import type { AccessTokens } from '../sessions/access-tokens.js';
import type { RefusedLogins } from '../sessions/refused-logins.js';
import { RequestReader } from '../http/request-reader.js';
import type { LoginTurns } from '../sessions/login-turns.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';
import type { RequestCounts } from '../http/request-counts.js';
import { tracedContext } from '../traces/traces.js';
import type { RequestFacts, Traces } from '../http/request-facts.js';

export interface ApiOptions extends FailureLogs {
  readonly config: Pick<
    Settings,
    'maxBodyBytes' | 'maxBodiesBytes' | 'maxJsonDepth' | 'logRequests' | 'slowRequest' | 'readerPatience'
  >;
  readonly bindings: Bindings;
  readonly compression: Compression;
  readonly context: Context;
  readonly apiSessions: ApiSessionRegistry;
  readonly sockets: FabricSockets;
  readonly peers: Peers;
  readonly loginTurns: LoginTurns;
  /** Undefined where no login gives such tokens. */
  readonly accessTokens: AccessTokens | undefined;
  readonly refusedLogins: RefusedLogins;
  readonly refusedLines: RefusedLines;
  readonly ownChanges: OwnChanges;
  /** Undefined when there are no metrics. */
  readonly counts: RequestCounts | undefined;
  /** Undefined when nothing is traced. */
  readonly traces: Traces | undefined;
}

/** Versions of the entity that a request changes. */
interface Versions {
  readonly precondition: Precondition | undefined;
  readonly changed: ChangedVersion | undefined;
}

/** One of more bytes may take tens of milliseconds to read: one a turn, so that others are answered in between. */
const LARGE_BODY = 64 * 1024;

/** All APIs, and the provider of OpenID Connect. */
export class Apis {
  readonly #options: ApiOptions;
  readonly #credentials: Credentials;
  readonly #readBody: ReadBody;
  readonly #largeBodies = new YieldQueue({ waiting: Number.POSITIVE_INFINITY });

  constructor(options: ApiOptions) {
    const { config, context, apiSessions, accessTokens } = options;
    this.#options = options;
    const { peers } = options;
    const { secondTokens, stores } = context;
    this.#credentials = { apiSessions, accessTokens, peers, secondTokens, stores };
    this.#readBody = createBodyReader({ maxBytesOfAll: config.maxBodiesBytes });
  }

  /** Answers a request, whatever comes of it. */
  async answer(exchange: Exchange): Promise<void> {
    const { traces, refusedLogins } = this.#options;
    const started = performance.now();
    const seen: RequestFacts = { address: addressOf(exchange.request.socket) };
    if (traces !== undefined) seen.trace = traces.begin(exchange.request);
    try {
      await this.#run(exchange, seen);
    } catch (error) {
      const refusal: unknown = error instanceof AnsweredRefusal ? error.refusal : error;
      if (refusal instanceof DomainError) refusedLogins.seen({ error: refusal, seen, requestId: exchange.requestId });
      fail(error, exchange, seen, { ...this.#options, hasProvider: this.#options.context.loginProvider !== null });
    }
    this.#record(exchange, seen, started);
  }

  /** Limits, then trust, then sense: nothing that was sent is looked into before its sender may send it. */
  async #run(exchange: Exchange, seen: RequestFacts): Promise<void> {
    const { config, ownChanges } = this.#options;
    const { request, response, path } = exchange;
    const match = socketMatch(exchange) ?? this.#route(request, path);
    const bytes = await this.#readBody(request, this.#maxBodyOf(match));
    exchange.since = performance.now();
    if (config.slowRequest > 0) seen.clock = new RequestClock();
    if (match instanceof DomainError) throw match;
    const { operation, params } = match;
    seen.operation = operation;
    await authorize(request, match, seen, this.#credentials);
    if (isSocket(match)) {
      delete seen.clock; // it takes as long as its client stays
      const recheck = () => authorize(request, match, { address: seen.address }, this.#credentials);
      await this.#options.sockets.run(exchange, seen.caller?.identityId ?? '', recheck);
      return;
    }
    if (seen.caller !== undefined && !isRead(request)) ownChanges.take(operation, seen.caller.identityId);
    const handler = this.#negotiate(exchange, operation);
    if (bytes !== null && bytes.length > LARGE_BODY) await this.#largeBodies.run(() => undefined);
    const read = this.#read(exchange, match, bytes, seen);
    const input = read instanceof Promise ? await read : read;
    const versions = {
      precondition: preconditionOf(operation, params, request.headers['if-match']),
      changed: changedVersion(operation, params),
    };
    const reader = (exchange.reader = new RequestReader(input.caller?.identityId ?? '', response));
    try {
      const reply = await this.#act({ requestId: exchange.requestId, reader }, handler, input, seen, versions);
      if (reply.status === 201) seen.createdId = createdId(reply);
      if ('stream' in reply) {
        delete seen.clock; // it takes as long as its reader stays
        const recheck = () => authorize(request, match, { address: seen.address }, this.#credentials);
        await writeStream(response, operation, reply, exchange.headers, recheck);
        return;
      }
      await writeReply(response, operation, reply, exchange.headers, {
        readerPatienceMs: config.readerPatience * 1000,
        onText: () => {
          reader.permit.close();
        },
      });
    } catch (error) {
      await explainRefusal(error, input, this.#options.context.stores);
      throw error;
    } finally {
      reader.permit.close();
    }
  }

  /** @throws DomainError for what breaks the spec */
  #read(exchange: Exchange, match: Match, bytes: Buffer | null, seen: RequestFacts): BoundInput | Promise<never> {
    const { config, peers, loginTurns } = this.#options;
    try {
      return readInput(exchange, match, bytes, seen, { maxDepth: config.maxJsonDepth, peers, loginTurns });
    } catch (error) {
      if (!(error instanceof RefusedBody)) throw error;
      return error.error().then((refusal) => {
        throw refusal;
      });
    }
  }

  /** Returns the fault of a route, `routeUnknown` or `methodNotAllowed`: it is thrown once the body was read. */
  #route(request: IncomingMessage, path: string): Match | DomainError {
    try {
      const match = route(request, path);
      const isOff = match.operation.api === 'oidc' && this.#options.context.loginProvider === null;
      return isOff ? pathUnknown(path) : match;
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  #maxBodyOf(match: Match | DomainError): number {
    const { maxBodyBytes } = this.#options.config;
    const most = match instanceof DomainError ? null : match.operation.maxBodyBytes;
    return most === null ? maxBodyBytes : Math.min(most, maxBodyBytes);
  }

  #negotiate({ request, response }: Exchange, operation: OperationSpec): BoundHandler {
    const handler = this.#options.bindings.get(operation);
    if (handler === undefined || handler === 'pending') throw new DomainError('notImplemented');
    if (operation.api !== 'oidc') requireAcceptable(operation, request.headers.accept);
    this.#options.compression.prepare(response, operation);
    return handler;
  }

  async #act(
    { requestId, reader }: Pick<Exchange, 'requestId'> & { readonly reader: RequestReader },
    handler: BoundHandler,
    input: BoundInput,
    seen: RequestFacts,
    { precondition, changed }: Versions,
  ): Promise<AnyReply> {
    const { context } = this.#options;
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
      mayReadReplicas: seen.operation !== undefined && mayReadReplicas(seen.operation),
    });
    const own = trace === undefined ? context : tracedContext(context, trace);
    const reply = await handler(input, { ...own, stores });
    if (precondition !== undefined) await stores.settle();
    return changed?.tag === undefined ? reply : { ...reply, headers: { etag: changed.tag } };
  }

  /** Tells the log, a trace and metrics, each where the settings ask for it. */
  #record(exchange: Exchange, seen: RequestFacts, started: number): void {
    const { config, refusedLines, counts, log } = this.#options;
    const { clock, operation, facts } = seen;
    // A request that waited in vain for a database that is out has the line of that state.
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
  }
}

/** Returns who makes the changes of a request. A literal for each: with a spread it would cost each request more. */
const actorOf = ({ caller, address }: RequestFacts, requestId: string, controller: string): Actor => {
  if (caller === undefined) return { kind: 'anonymous', address, requestId, controller };
  const { identityId: id, identityName: name, apiSessionId } = caller;
  return { kind: 'identity', id, name, apiSessionId, address, requestId, controller };
};

/** @throws DomainError `routeUnknown`, `methodNotAllowed` */
function route(request: IncomingMessage, path: string): Match {
  const target = targetOf(segmentsOf(path));
  if (target === undefined) throw pathUnknown(path);
  return matchOperation(target, request.method ?? 'GET', path);
}
