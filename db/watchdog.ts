/**
 * A sign of life from the database every second; without one, requests fail at once instead of waiting. A server that
 * answers but takes no writes counts as lost: it may be a former primary, and what it says may be old.
 */
import type pg from 'pg';
import { outageOf } from './outages.js';
import { ServerClient } from './servers.js';
import type { ServerConfig } from './servers.js';
import { cut, requireWritable } from './session.js';

interface Watch {
  readonly config: ServerConfig;
  readonly patienceMs: number;
  readonly setUp: (up: boolean, cause?: unknown) => void;
  readonly onLost: () => void;
}

/**
 * Asks the database for a sign of life every second on a connection of its own. When none comes in time, requests
 * that wait are failed and new ones refused at once, until it answers again.
 */
export function watch({ config, patienceMs, setUp, onLost }: Watch): { stop(): void } {
  let stopped = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  const drop = () => {
    const old = client;
    client = null;
    if (old !== null) { old.removeAllListeners('error'); old.on('error', () => undefined); old.end().catch(() => undefined); cut(old); }
  };
  const probe = async () => {
    try {
      if (client === null) {
        await config.servers?.find(patienceMs);
        const fresh = new ServerClient({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
        fresh.on('error', () => { if (client === fresh) client = null; });
        await fresh.connect();
        client = fresh;
      }
      await requireWritable(client);
      setUp(true);
    } catch (error) {
      drop();
      // A server without a connection for this is alive, and the connections that there are work.
      if (outageOf(error) === 'connectionLimit') setUp(true);
      else if (!stopped) { setUp(false, error); onLost(); }
    }
    if (!stopped) timer = setTimeout(() => void probe(), client === null ? 200 : 1000).unref();
  };
  timer = setTimeout(() => void probe(), 1000).unref();
  return { stop() { stopped = true; clearTimeout(timer); drop(); } };
}
