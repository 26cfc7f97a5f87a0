/** The Koa application: what every answer carries, then health and documents, then the APIs. */
import Koa from 'koa';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.js';
import type { Apis } from './api.js';
import type { Compression } from '../http/compression.js';
import { corsHeaders, preflightHeaders } from '../http/cors.js';
import { answer, errorReply, newRequestId } from '../http/envelope.js';
import type { Exchange } from '../http/exchange.js';
import { isProviderPath } from '../http/provider-errors.js';
import { write, writeError } from '../http/reply.js';
import type { Spas } from '../pages/spa.js';
import type { ResponseHeaders } from '../http/reply.js';
import type { Logger } from '../base/log.js';
import { PAGE_ALLOWS, allowedAt, canonicalPath, isRead, splitTarget } from '../http/paths.js';
import { hasBadHost, tooManyHeaders } from '../sockets/tls-server.js';

type PlainPage = (exchange: Exchange) => void | Promise<void>;

/** Pages, which are no API operations, by path without doubled or trailing slashes: they answer GET and HEAD. */
export type PlainRoutes = ReadonlyMap<string, PlainPage>;

export interface AppOptions {
  readonly common: CommonHeaders;
  readonly corsOrigins: readonly string[];
  readonly plainRoutes: PlainRoutes;
  /** Answers `/` to readers who prefer HTML; undefined where the settings leave the network page out. */
  readonly front: ((accept: string | undefined) => PlainPage | undefined) | undefined;
  readonly spas: Spas;
  readonly compression: Compression;
  readonly apis: Apis;
  /** Whether the settings offer logins by OpenID Connect. */
  readonly hasProvider: boolean;
  readonly inFlight: InFlight;
  readonly maxHeaders: number;
  /** The header, in lower case, in which a balancer names a request; null: names are made here. */
  readonly requestIdHeader: string | null;
  readonly log: Logger;
}

/** Requests that are being worked on: watched for time, counted for shutdown. */
export interface InFlight {
  readonly exchanges: Set<Exchange>;
  /** No balancer should send more: the controller stops soon, and serves as usual until it drains. */
  isLeaving: boolean;
  isDraining: boolean;
}

/** Headers of every answer of a controller. */
export interface CommonHeaders {
  readonly 'server': string;
  readonly 'ziti-instance-id': string;
  readonly 'x-content-type-options': string;
  readonly 'cache-control': string;
  readonly 'strict-transport-security': string;
}

/** @param hstsSeconds  never with `includeSubDomains`: other hosts are not this controller's to speak for */
export function commonHeaders(
  version: string,
  instanceId: string,
  hstsSeconds: number,
): CommonHeaders & ResponseHeaders {
  return {
    'server': `edge-controller/${version}`,
    'ziti-instance-id': instanceId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'strict-transport-security': `max-age=${Math.round(hstsSeconds)}`,
  };
}

/** A literal with all its keys: with a spread it would cost each request 4 us, when it is made and when it is read. */
function withRequestId(common: CommonHeaders, requestId: string): ResponseHeaders {
  return {
    'x-request-id': requestId,
    'server': common.server,
    'ziti-instance-id': common['ziti-instance-id'],
    'x-content-type-options': common['x-content-type-options'],
    'cache-control': common['cache-control'],
    'strict-transport-security': common['strict-transport-security'],
  };
}

/**
 * Koa whose middleware answers whole, whatever comes of it. So no request needs an answer of Koa's own, nor its watch
 * for the end of the response: 10 of the 120 us that a small answer takes.
 */
class Application extends Koa {
  handleRequest(context: Koa.Context, answer: (context: Koa.Context) => Promise<void>): Promise<void> {
    return answer(context).catch((error: unknown) => {
      context.onerror(error as Error);
    });
  }
}

export function createApp(options: AppOptions): Koa {
  const { corsOrigins, plainRoutes, front, spas, compression, apis, hasProvider, inFlight } = options;
  const { maxHeaders, requestIdHeader, log } = options;
  const plainPage = (path: string, accept: string | undefined) =>
    path === '/' && front !== undefined ? front(accept) : plainRoutes.get(path);
  /** Documents and health are pages of reads alone: what else comes to their paths is for the APIs to refuse. */
  const pageAt = (path: string, accept: string | undefined, isOfRead: boolean) =>
    (isOfRead ? plainPage(canonicalPath(path), accept) : undefined) ?? spas(path);
  const app = new Application();
  app.on('error', (error) => {
    log.error({ err: error as unknown }, 'request failed');
  });

  app.use(async (ctx) => {
    const { req: request, res: response } = ctx;
    ctx.respond = false;
    const requestId = givenId(request, requestIdHeader) ?? newRequestId();
    const headers = headersOf(request, requestId, options);
    const target = splitTarget(request.url ?? '/');
    const since = Number.POSITIVE_INFINITY;
    const exchange: Exchange = { request, response, requestId, headers, since, hasTimedOut: false, ...target };
    const refusal = refusalOf(request, maxHeaders);
    if (refusal !== undefined) {
      writeError(response, undefined, answer(refusal, requestId, {}), { ...headers, connection: 'close' });
      return;
    }
    if (request.method === 'OPTIONS') {
      const isPage = pageAt(exchange.path, undefined, true) !== undefined;
      const isOff = !hasProvider && isProviderPath(exchange.path);
      const own = preflight(exchange, isPage ? PAGE_ALLOWS : isOff ? '' : allowedAt(exchange.path), corsOrigins);
      if (own !== undefined) {
        write(response, 200, { ...headers, ...own }, '');
        return;
      }
    }
    inFlight.exchanges.add(exchange);
    try {
      const page = pageAt(exchange.path, request.headers.accept, isRead(request));
      if (page === undefined) {
        await apis.answer(exchange);
        return;
      }
      compression.prepare(response, undefined);
      await page(exchange);
    } catch (error) {
      if (!(error instanceof DomainError))
        log.error({ requestId, method: request.method, err: error }, 'request failed');
      writeError(response, undefined, errorReply(error, requestId), headers);
    } finally {
      inFlight.exchanges.delete(exchange);
    }
  });
  return app;
}

/** Returns what every answer of one request carries. */
function headersOf(
  { headers: { origin } }: IncomingMessage,
  requestId: string,
  { common, corsOrigins, inFlight }: AppOptions,
): ResponseHeaders {
  const headers = withRequestId(common, requestId);
  if (origin === undefined && !inFlight.isDraining) return headers;
  return {
    ...headers,
    ...(origin === undefined ? undefined : corsHeaders(origin, corsOrigins)),
    ...(inFlight.isDraining ? { connection: 'close' } : undefined),
  };
}

/** Returns the fault of a request that is not looked into at all. */
function refusalOf(request: IncomingMessage, maxHeaders: number): 'headersTooLarge' | 'malformedRequest' | undefined {
  if (tooManyHeaders(request, maxHeaders)) return 'headersTooLarge';
  return hasBadHost(request) ? 'malformedRequest' : undefined;
}

/** The target of an OPTIONS request about no path. */
const WHOLE_SERVER = '*';

/**
 * Returns the headers of the answer to OPTIONS; undefined where there is nothing.
 * @param allow  methods at the path; '' for none
 */
function preflight(
  { request, path }: Exchange,
  allow: string,
  corsOrigins: readonly string[],
): ResponseHeaders | undefined {
  if (allow === '' && path !== WHOLE_SERVER) return undefined;
  const { origin } = request.headers;
  return {
    ...(allow === '' ? undefined : { allow }),
    ...(origin === undefined ? undefined : preflightHeaders(request, origin, corsOrigins)),
  };
}

/**
 * The id that a balancer gave the request. Anything else than a short plain word is not believed: it goes into logs and
 * headers.
 */
function givenId(request: IncomingMessage, header: string | null): string | undefined {
  const given = header === null ? undefined : request.headers[header];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : undefined;
}

/**
 * Answers 503 for what takes too long. A list is not read any further; a change goes on to its own end, and its answer
 * is dropped.
 */
export function watchInFlight(inFlight: InFlight, timeoutMs: number): NodeJS.Timeout {
  const every = Math.max(50, Math.min(500, timeoutMs / 4));
  return setInterval(() => {
    const now = performance.now();
    for (const exchange of inFlight.exchanges) {
      if (now - exchange.since < timeoutMs || exchange.hasTimedOut || exchange.response.headersSent) continue;
      exchange.hasTimedOut = true;
      answerTimeout(exchange);
    }
  }, every).unref();
}

function answerTimeout(exchange: Exchange): void {
  const { response, requestId, headers, reader } = exchange;
  const fault = new DomainError('timeout', { causeMessage: 'the work may still complete' });
  exchange.failure = fault;
  writeError(response, undefined, errorReply(fault, requestId), { ...headers, connection: 'close' });
  reader?.abandon();
}
