/** Signs of life: `/livez` (the process), `/readyz` (whether it can do its work), `/health-checks` (with details). */
import type { Exchange } from '../http/exchange.js';
import type { PlainRoutes } from './app.js';
import type { Readiness } from './readiness.js';
import { write } from '../http/reply.js';

export interface HealthOptions {
  readonly readiness: Readiness;
  /** It is stopping, and asks balancers to send no more. */
  readonly isLeaving: () => boolean;
  readonly startedAt: Date;
}

export function healthPages({ readiness, isLeaving, startedAt }: HealthOptions): PlainRoutes {
  const reply = ({ response, headers }: Exchange, isHealthy: boolean, body: object) => {
    const status = isHealthy ? 200 : 503;
    write(response, status, { 'content-type': 'application/json', ...headers }, `${JSON.stringify(body)}\n`);
  };
  const state = () => {
    const reason = readiness.fault();
    if (isLeaving()) return { status: 'draining' };
    return reason === undefined ? { status: 'ok' } : { status: 'not ready', reason };
  };
  return new Map([
    [
      '/livez',
      (exchange: Exchange) => {
        reply(exchange, true, { status: 'ok' });
      },
    ],
    [
      '/readyz',
      (exchange: Exchange) => {
        const now = state();
        reply(exchange, now.status === 'ok', now);
      },
    ],
    [
      '/health-checks',
      (exchange: Exchange) => {
        const lastCheckTime = new Date().toISOString();
        const checks = readiness.checks().map((check) => ({ ...check, lastCheckTime }));
        const healthy = state().status === 'ok';
        reply(exchange, healthy, {
          data: { checks, healthy, startTime: startedAt.toISOString() },
          meta: {},
        });
      },
    ],
  ]);
}
