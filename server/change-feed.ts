/**
 * Hears through LISTEN/NOTIFY what other controllers changed. While the connection is cut it says so, and on
 * return everything remembered is dropped: what was missed cannot be known.
 */
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { sessionConfig } from '../db/db.js';

export interface FeedListeners {
  readonly sessionGone: (apiSessionId: string) => void;
  readonly allSessionsGone: () => void;
  readonly identityChanged: (identityId: string) => void;
  /** true: connected, and whatever happened before is unknown. */
  readonly connected: (isConnected: boolean) => void;
}

const RETRY_MS = 500;
const CONNECT_MS = 2_000;

export function openChangeFeed(connection: ClientConfig, listeners: FeedListeners): { ready: Promise<void>; close(): Promise<void> } {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const hear = (payload: string) => {
    const [subject, ...ids] = payload.split(' ');
    if (subject === 'session') {
      if (ids[0] === '*') listeners.allSessionsGone();
      else ids.forEach(listeners.sessionGone);
    } else if (subject === 'identity' && ids[0] !== undefined) listeners.identityChanged(ids[0]);
  };

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...sessionConfig(connection), connectionTimeoutMillis: CONNECT_MS });
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      client = undefined;
      if (closed) return;
      listeners.connected(false);
      timer = setTimeout(() => void connect(), RETRY_MS);
    };
    next.on('error', lose);
    next.on('end', lose);
    next.on('notification', ({ payload }) => { hear(payload ?? ''); });
    try {
      await next.connect();
      await next.query('LISTEN edge');
      client = next;
      listeners.connected(true);
    } catch {
      lose();
    }
  };

  return {
    ready: connect(),
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
