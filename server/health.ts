/** Signs of life: `/livez` (the process), `/readyz` (its database too), `/health-checks` (with details). */
import type { Page } from './app.js';
import { write } from './responder.js';

export interface HealthOptions {
  readonly isDatabaseUp: () => boolean;
  readonly isDraining: () => boolean;
  readonly startedAt: Date;
}

export function healthPages({ isDatabaseUp, isDraining, startedAt }: HealthOptions): Page {
  return ({ request, response, headers }, path) => {
    if (path !== '/livez' && path !== '/readyz' && path !== '/health-checks') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const isReady = isDatabaseUp() && !isDraining();
    const healthy = path === '/livez' || isReady;
    const body = path === '/health-checks'
      ? { data: { checks: [{ id: 'database', healthy: isDatabaseUp(), lastCheckTime: new Date().toISOString() }], healthy, startTime: startedAt.toISOString() }, meta: {} }
      : { status: healthy ? 'ok' : isDraining() ? 'draining' : 'database unreachable' };
    write(response, healthy ? 200 : 503, { ...headers, 'content-type': 'application/json' }, request.method === 'HEAD' ? '' : `${JSON.stringify(body)}\n`);
    return true;
  };
}
