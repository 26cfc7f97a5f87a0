/**
 * Hears through LISTEN/NOTIFY what other controllers changed. While the connection is cut it says so, and on
 * return everything remembered is dropped: what was missed cannot be known. A connection that only looks alive is
 * found out by asking it.
 */
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { cut, sessionConfig } from '../db/session.js';

export interface FeedListeners {
  readonly sessionGone: (apiSessionId: string) => void;
  readonly allSessionsGone: () => void;
  readonly identityChanged: (identityId: string) => void;
  /** Sessions may have lost their grant. */
  readonly grantsLost: () => void;
  /** Keys or certificates of the network were renewed. */
  readonly pkiChanged: () => void;
  /** true: connected, and whatever happened before is unknown. */
  readonly connected: (isConnected: boolean) => void;
}

export interface ChangeFeed {
  /** The first attempt to connect is over. */
  readonly ready: Promise<void>;
  /** The database was found not to answer: the connection is given up and made anew. */
  suspect(): void;
  close(): void;
}

/** By which an operator knows this connection in pg_stat_activity. */
export const FEED_NAME = 'edge-controller changes';

const RETRY_MS = 500;
const PING_MS = 2_000;
const PATIENCE_MS = 2_000;

export function openChangeFeed(connection: ClientConfig, listeners: FeedListeners): ChangeFeed {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Gives up the connection, made or in the making. */
  let giveUp: () => void = () => undefined;

  const hear = (payload: string) => {
    const [subject, ...ids] = payload.split(' ');
    if (subject === 'session') {
      if (ids[0] === '*') listeners.allSessionsGone();
      else ids.forEach(listeners.sessionGone);
    } else if (subject === 'identity' && ids[0] !== undefined) listeners.identityChanged(ids[0]);
    else if (subject === 'grants') listeners.grantsLost();
    else if (subject === 'pki') listeners.pkiChanged();
  };

  const connect = async (): Promise<void> => {
    const client = new pg.Client({ ...sessionConfig({ application_name: FEED_NAME, ...connection }), connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
    let pings: NodeJS.Timeout | undefined;
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      clearInterval(pings);
      cut(client);
      if (closed) return;
      listeners.connected(false);
      timer = setTimeout(() => void connect(), RETRY_MS);
    };
    giveUp = lose;
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => { if (!lost) hear(payload ?? ''); });
    try {
      await client.connect();
      await client.query('LISTEN edge');
      if (lost) return;
      pings = setInterval(() => { client.query('SELECT 1').catch(lose); }, PING_MS).unref();
      listeners.connected(true);
    } catch {
      lose();
    }
  };

  return {
    ready: connect(),
    suspect() { giveUp(); },
    close() {
      closed = true;
      clearTimeout(timer);
      giveUp();
    },
  };
}
