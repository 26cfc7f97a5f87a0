/** The Koa application: what every answer carries, then health and documents, then the two APIs. */
import Koa from 'koa';
import type { ServerResponse } from 'node:http';
import { DomainError } from '../domain/errors.js';
import type { ApiHandler, Exchange } from './api.js';
import { corsHeaders, preflightHeaders } from './cors.js';
import { answer, errorAnswer, requestIds } from './envelope.js';
import { write, writeError } from './responder.js';
import type { Headers } from './responder.js';
import { tooManyHeaders } from './tls-server.js';

/** Answers a path that is no API operation; false when the path is not its own. */
export type Page = (exchange: Exchange, path: string) => boolean;

export interface AppOptions {
  readonly version: string;
  readonly instanceId: string;
  readonly corsOrigins: readonly string[];
  readonly pages: readonly Page[];
  readonly api: ApiHandler;
  readonly inFlight: InFlight;
  readonly maxHeaders: number;
}

/** Requests that are being worked on: watched for time, counted for shutdown. */
export interface InFlight {
  readonly exchanges: Set<Exchange & { readonly since: number }>;
  isDraining: boolean;
}

export function createApp({ version, instanceId, corsOrigins, pages, api, inFlight, maxHeaders }: AppOptions): Koa {
  const app = new Koa();
  const nextId = requestIds();
  const common: Headers = { server: `edge-controller/${version}`, 'ziti-instance-id': instanceId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

  app.use(async (ctx) => {
    const { req: request, res: response } = ctx;
    ctx.respond = false;
    const origin = request.headers.origin;
    const headers: Headers = {
      ...common, ...(origin === undefined ? {} : corsHeaders(origin, corsOrigins)), ...(inFlight.isDraining ? { connection: 'close' } : {}),
    };
    const exchange = { request, response, requestId: nextId(), headers, since: Date.now() };
    if (request.method === 'OPTIONS') {
      write(response, 200, { ...headers, ...(origin === undefined ? {} : preflightHeaders(request, origin, corsOrigins)) }, '');
      return;
    }
    if (tooManyHeaders(request, maxHeaders)) {
      writeError(response, undefined, answer('headersTooLarge', exchange.requestId, {}), { ...headers, connection: 'close' });
      return;
    }
    inFlight.exchanges.add(exchange);
    try {
      const path = ctx.path;
      if (!pages.some((page) => page(exchange, path))) await api(exchange);
    } finally {
      inFlight.exchanges.delete(exchange);
    }
  });
  return app;
}

/** Answers 503 for what takes too long. The work itself goes on to its own end; its answer is dropped. */
export function watchInFlight(inFlight: InFlight, timeoutMs: number): NodeJS.Timeout {
  const every = Math.max(50, Math.min(500, timeoutMs / 4));
  return setInterval(() => {
    const now = Date.now();
    for (const exchange of inFlight.exchanges) {
      if (now - exchange.since < timeoutMs || exchange.response.headersSent) continue;
      answerTimeout(exchange);
    }
  }, every).unref();
}

function answerTimeout({ response, requestId, headers }: Exchange): void {
  const answered = response as ServerResponse & { timedOut?: boolean };
  if (answered.timedOut === true) return;
  answered.timedOut = true;
  writeError(response, undefined, errorAnswer(new DomainError('timeout', { causeMessage: 'the work may still complete' }), requestId), { ...headers, connection: 'close' });
}
