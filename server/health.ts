/** Signs of life: `/livez` (the process), `/readyz` (its database too), `/health-checks` (with details). */
import type { Exchange } from './api.js';
import type { Pages } from './app.js';
import { write } from './responder.js';

export interface HealthOptions {
  readonly isDatabaseUp: () => boolean;
  readonly isLeaving: () => boolean;
  readonly startedAt: Date;
}

export function healthPages({ isDatabaseUp, isLeaving, startedAt }: HealthOptions): Pages {
  const isReady = () => isDatabaseUp() && !isLeaving();
  const reply = ({ request, response, headers }: Exchange, healthy: boolean, body: object) => {
    write(response, healthy ? 200 : 503, { 'content-type': 'application/json', ...headers }, request.method === 'HEAD' ? '' : `${JSON.stringify(body)}\n`);
  };
  const state = () => (isLeaving() ? 'draining' : isDatabaseUp() ? 'ok' : 'database unreachable');
  return new Map([
    ['/livez', (exchange: Exchange) => { reply(exchange, true, { status: 'ok' }); }],
    ['/readyz', (exchange: Exchange) => { reply(exchange, isReady(), { status: state() }); }],
    ['/health-checks', (exchange: Exchange) => {
      const checks = [{ id: 'database', healthy: isDatabaseUp(), lastCheckTime: new Date().toISOString() }];
      reply(exchange, isReady(), { data: { checks, healthy: isReady(), startTime: startedAt.toISOString() }, meta: {} });
    }],
  ]);
}
