/**
 * One request of an API from socket to answer: limits, route, session, permission, validation, handler, answer.
 * Failures of every step end in one place.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestClock } from '../db/clock.js';
import { DatabaseUnavailable } from '../db/outages.js';
import { DomainError } from '../domain/errors.js';
import type { OperationSpec } from '../generated/operation.js';
import type { Caller, Connection, Facts } from '../handlers/handler.js';
import type { Services } from '../handlers/services.js';
import { ownerOfCertificate } from '../handlers/shared/certificate-login.js';
import type { Bindings, BoundHandler } from './binder.js';
import { SenderGone, createBodyReader, parseJson } from './body.js';
import { addressOf } from './client-address.js';
import type { Config } from './config.js';
import { errorAnswer } from './envelope.js';
import { bodyFault } from './faults.js';
import type { Logger } from './log.js';
import { mediaType, requireAcceptable, requireContentType } from './media.js';
import type { OutageLog } from './outages.js';
import { readHeaders, readQuery } from './parameters.js';
import { createPeers } from './peer.js';
import type { Peers } from './peer.js';
import { ReaderGone } from './outflow.js';
import { matchOperation, pathUnknown, segmentsOf, targetOf } from './paths.js';
import { createdId, requestLine } from './request-log.js';
import type { Seen } from './request-log.js';
import { ResponseFault, validatorsOf, write, writeError, writeReply } from './responder.js';
import type { Headers } from './responder.js';
import { RequestReader } from './request-reader.js';
import type { SessionRegistry } from './sessions.js';

export interface ApiOptions {
  readonly config: Pick<Config, 'maxBodyBytes' | 'maxBodiesBytes' | 'maxJsonDepth' | 'logRequests' | 'slowRequest' | 'readerPatience'>;
  readonly bindings: Bindings;
  readonly services: Services;
  readonly sessions: SessionRegistry;
  /** Reports what the database lacks once, not for every request. */
  readonly outages: OutageLog;
  readonly log: Logger;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
  /** On every answer of this exchange. */
  readonly headers: Headers;
  /** When the work on it began, by `performance.now()`; infinite while its body is still on the way. */
  since: number;
  /** What the answer tells of, when it tells of a failure. */
  failure?: unknown;
  /** Who waits for what it reads, once it is known who calls. */
  reader?: RequestReader;
}

const NO_SESSION = 'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",'
  + 'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
const BAD_BEARER = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';

/** Stands in for the caller of a public operation: using it is a bug of ours. */
const nobody = new Proxy({} as Caller, { get: () => { throw new Error('a public operation has no caller'); } });

export type ApiHandler = (exchange: Exchange) => Promise<void>;

export function createApi(options: ApiOptions): ApiHandler {
  const { config, bindings, services, sessions, outages, log } = options;
  const readBody = createBodyReader({ maxBytes: config.maxBodyBytes, maxBytesOfAll: config.maxBodiesBytes });
  const peers = createPeers((certificates) => ownerOfCertificate(certificates, services));

  const run = async (exchange: Exchange, seen: Seen): Promise<void> => {
    const { request, response, path, search, headers } = exchange;
    const bytes = await readBody(request);
    exchange.since = performance.now();
    if (config.slowRequest > 0) seen.clock = new RequestClock();
    const target = targetOf(segmentsOf(path));
    if (target === undefined) throw pathUnknown(path);
    const { operation, params } = matchOperation(target, request.method ?? 'GET', path);
    seen.operation = operation;
    let caller = nobody;
    if (operation.permission !== 'public') {
      seen.clock?.enter('database'); // for a session that is not in memory
      caller = await identify(request, sessions, peers);
      seen.clock?.leave('database');
      seen.caller = caller;
      seen.params = params;
      requirePermission(operation, caller);
    }
    const handler = bindings.get(operation);
    if (handler === undefined || handler === 'pending') throw new DomainError('notImplemented');
    requireAcceptable(operation, request.headers.accept);
    const reader = exchange.reader = new RequestReader(caller === nobody ? '' : caller.identityId, response);
    const input = {
      params, query: readQuery(operation, search), headers: readHeaders(operation, request.headers), caller,
      note: (facts: Facts) => { seen.facts = { ...seen.facts, ...facts }; },
      ...readInput(request, operation, bytes, { maxDepth: config.maxJsonDepth, peers }),
    };
    const clock = seen.clock === undefined ? undefined : { clock: seen.clock };
    const stores = services.stores.forRequest({ reader, ...clock });
    const reply = await call(handler, input, { ...services, stores });
    if (reply.status === 201) seen.createdId = createdId(reply);
    await writeReply(response, operation, reply, headers, config.readerPatience * 1000);
  };

  return async (exchange) => {
    const started = performance.now();
    const seen: Seen = { address: addressOf(exchange.request.socket) };
    try {
      await run(exchange, seen);
    } catch (error) {
      fail(error, exchange, seen, { log, outages });
    }
    const { clock } = seen;
    // What waited in vain for a database that is out has the line of that state.
    const isSlow = clock !== undefined && performance.now() - exchange.since >= config.slowRequest * 1000;
    if (isSlow && !(exchange.failure instanceof DatabaseUnavailable)) {
      log.warn({ ...requestLine(exchange, seen, 0), ...clock.read() }, 'slow request');
    }
    if (config.logRequests === 'none' || (config.logRequests === 'changes' && exchange.request.method === 'GET')) return;
    log.info(requestLine(exchange, seen, performance.now() - started), 'request');
  };
}

function call(handler: BoundHandler, input: unknown, services: Services) {
  return handler(input as Parameters<BoundHandler>[0], services);
}

/**
 * @throws DomainError `unauthenticated`: no session, an unknown one, or one of another identity than the client
 * certificate's
 */
async function identify(request: IncomingMessage, sessions: SessionRegistry, peers: Peers): Promise<Caller> {
  const token = request.headers['zt-session'] ?? request.headers['svc-session'];
  if (typeof token !== 'string' || token === '') throw new DomainError('unauthenticated', challenge(request.headers.authorization));
  const caller = await sessions.authenticate(token);
  const check = peers.requireSame(request, caller);
  if (check !== undefined) await check;
  return caller;
}

/** @throws DomainError `unauthenticated`, or `forbidden` for an operation whose spec declares 403 */
function requirePermission(operation: OperationSpec, caller: Caller): void {
  if (operation.permission !== 'admin' || caller.isAdmin) return;
  const kind = 403 in operation.responses ? 'forbidden' : 'unauthenticated';
  throw new DomainError(kind, { logReason: 'the identity is no administrator' });
}

function challenge(authorization: string | undefined): ConstructorParameters<typeof DomainError>[1] {
  const bearer = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  const isJwt = bearer !== undefined && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(bearer);
  if (bearer !== undefined && !isJwt) {
    return { headers: { 'www-authenticate': BAD_BEARER }, logReason: 'a bearer token that is no JWT' };
  }
  const causeMessage = 'unauthenticated for invalid credentials';
  return { headers: { 'www-authenticate': NO_SESSION }, causeMessage, logReason: 'no session token' };
}

/** The body as the operation wants it, and what the connection tells. @throws DomainError for a body that breaks the spec */
function readInput(request: IncomingMessage, operation: OperationSpec, bytes: Buffer | null, { maxDepth, peers }: { maxDepth: number; peers: Peers }): { body: unknown; connection: Connection } {
  const { body: spec } = operation;
  const type = bytes === null && spec === null ? '' : mediaType(request.headers['content-type']);
  const connection = {
    ipAddress: addressOf(request.socket), contentType: type, accept: request.headers.accept ?? '',
    peerCertificates: () => peers.certificatesOf(request),
  };
  if (spec === null) return { body: undefined, connection };
  if (bytes === null) {
    if (spec.required) throw bodyFault({ instancePath: '', schemaPath: '', keyword: 'required', params: { missingProperty: spec.name } }, undefined, spec.name);
    return { body: undefined, connection };
  }
  requireContentType(spec, type);
  if (spec.kind === 'text' || spec.textTypes.includes(type)) return { body: bytes.toString('utf8'), connection };
  const body = parseJson(bytes, spec.name, maxDepth);
  const validate = spec.validator === null ? undefined : validatorsOf[operation.api][spec.validator];
  if (validate?.(body) === false) {
    const fault = validate.errors?.[0];
    if (fault !== undefined) throw bodyFault(fault, body, spec.name);
  }
  return { body, connection };
}

/** The one end of every failure: logged once if it is ours, told to the caller if it still can be. */
function fail(
  error: unknown, exchange: Exchange, { operation }: Seen, { log, outages }: Pick<ApiOptions, 'log' | 'outages'>,
): void {
  const { request, response, requestId, headers } = exchange;
  exchange.failure ??= error;
  const where = { requestId, method: request.method, operation: operation?.operationId, api: operation?.api };
  if (error instanceof SenderGone) { log.debug({ ...where, err: error.cause }, error.message); return; }
  if (error instanceof ReaderGone) { log[error.level](where, error.message); response.destroy(); return; }
  if (error instanceof ResponseFault) log.error({ ...where, status: error.status, ...error.fault }, 'an answer breaks its spec and was not sent');
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
    write(response, plain.status, { ...headers, 'content-type': 'application/json' }, `${JSON.stringify(plain.body)}\n`);
  }
}
