/** Signs of life: `/livez` (the process), `/readyz` (whether it can do its work), `/health-checks` (with details). */
import type { Exchange } from '../http/exchange.js';
import type { PlainRoutes } from './app.js';
import type { Readiness } from './readiness.js';
import { write } from '../http/reply.js';

export interface HealthOptions {
  readonly readiness: Pick<Readiness, 'fault' | 'checks'>;
  /** It is stopping, and asks balancers to send no more. */
  readonly isLeaving: () => boolean;
  readonly startedAt: Date;
}

interface SignOfLife {
  readonly isGood: boolean;
  readonly body: object;
}

/** Signs of life by their paths. They ask nothing of the database. */
export type SignsOfLife = ReadonlyMap<string, () => SignOfLife>;

const ALIVE: SignOfLife = { isGood: true, body: { status: 'ok' } };

/** Those that are answered at each address. */
export const signsOfLife = (options: Omit<HealthOptions, 'startedAt'>): SignsOfLife =>
  new Map([
    ['/livez', () => ALIVE],
    ['/readyz', () => readinessSign(options)],
  ]);

function readinessSign({ readiness, isLeaving }: Omit<HealthOptions, 'startedAt'>): SignOfLife {
  const reason = readiness.fault();
  if (isLeaving()) return { isGood: false, body: { status: 'draining' } };
  return reason === undefined ? ALIVE : { isGood: false, body: { status: 'not ready', reason } };
}

export function healthPages({ startedAt, ...options }: HealthOptions): PlainRoutes {
  const reply = ({ response, headers }: Exchange, isHealthy: boolean, body: object) => {
    const status = isHealthy ? 200 : 503;
    write(response, status, { 'content-type': 'application/json', ...headers }, `${JSON.stringify(body)}\n`);
  };
  const pages = [...signsOfLife(options)].map(([path, sign]) => {
    const page = (exchange: Exchange) => {
      const { isGood, body } = sign();
      reply(exchange, isGood, body);
    };
    return [path, page] as const;
  });
  return new Map([
    ...pages,
    [
      '/health-checks',
      (exchange: Exchange) => {
        const lastCheckTime = new Date().toISOString();
        const checks = options.readiness.checks().map((check) => ({ ...check, lastCheckTime }));
        const healthy = readinessSign(options).isGood;
        reply(exchange, healthy, {
          data: { checks, healthy, startTime: startedAt.toISOString() },
          meta: {},
        });
      },
    ],
  ]);
}
