/**
 * Hears through LISTEN/NOTIFY what controllers changed, this one too. It is believed only while it hears: at connect
 * and with each ping it sends itself an echo by another connection. Without one it says so, and on return everything
 * remembered is dropped: what was missed cannot be known.
 */
import { randomBytes } from 'node:crypto';
import type { ClientConfig } from 'pg';
import { ServerClient } from '../../db/postgres/servers.js';
import { cut, sessionConfig, prepareConnection } from '../../db/postgres/connection.js';

export interface FeedListeners {
  readonly sessionGone: (apiSessionId: string) => void;
  readonly allSessionsGone: () => void;
  /** What is known of the device of an API session has changed. */
  readonly postureMoved: (apiSessionId: string) => void;
  readonly identityChanged: (identityId: string) => void;
  /** The access epoch has moved. */
  readonly accessMoved: () => void;
  readonly routingMoved: () => void;
  /** Sessions may have lost their grant. */
  readonly grantsLost: () => void;
  /** API sessions began, or the certificates of their clients are others; undefined: of many. */
  readonly sessionsOpened: (apiSessionIds: readonly string[] | undefined) => void;
  /** Sessions for services have ended, by their ids. */
  readonly sessionsEnded: (sessionIds: readonly string[]) => void;
  /** The terminators of these services are other ones; undefined: of many. */
  readonly terminatorsChanged: (serviceIds: readonly string[] | undefined) => void;
  /** The certificates by which the identity logs in are others. */
  readonly printsChanged: (identityId: string) => void;
  /** A router was deleted or disabled, or has another certificate. */
  readonly routerChanged: (routerId: string) => void;
  /** Routers are told another list of controllers. */
  readonly controllersChanged: () => void;
  /** A router connected to some controller, or is gone. */
  readonly presenceMoved: () => void;
  /** CAs of others were verified, opened, closed or deleted. */
  readonly casChanged: () => void;
  /** Keys or certificates of the network were renewed. */
  readonly pkiChanged: () => void;
  /** A batch of events was closed. */
  readonly eventsClosed: (batch: number) => void;
  /** Some controller waits for events. */
  readonly eventsWatched: () => void;
  /** Targets of events have changed, or dead letters are to be sent again. */
  readonly webhooksChanged: () => void;
  /** It hears from now on; what happened before is unknown. */
  readonly hearing: () => void;
  /** It does not hear; called again at each attempt that fails. */
  readonly deaf: (cause: unknown) => void;
}

/** The announcement of a controller that waits for events. */
export const WATCHED = 'watched';

/** Announces on a channel of PostgreSQL, by a connection other than the feed's own. */
export type Announce = (channel: string, payload: string) => Promise<unknown>;

export interface ChangeFeed {
  /** The first attempt to connect is over. */
  readonly ready: Promise<void>;
  /** The database was found not to answer: the connection is dropped and opened again. */
  suspect(): void;
  /**
   * How long its last announcement to itself took to come back, or has been on its way by now, in milliseconds;
   * Infinity while there is no connection that hears.
   */
  readonly lagMs: () => number;
  /** Announcements of controllers, this one included, that were heard since the start. */
  readonly heard: () => number;
  close(): void;
}

/** By which an operator knows this connection in pg_stat_activity. */
export const FEED_NAME = 'edge-controller changes';

const RETRY_MS = 500;
const PING_MS = 2_000;
const PATIENCE_MS = 2_000;

export function openChangeFeed(connection: ClientConfig, announce: Announce, listeners: FeedListeners): ChangeFeed {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Drops the connection, also one that is still being opened. */
  let giveUp: (cause: unknown) => void = () => undefined;
  let present: Echo | undefined;
  let heard = 0;

  const subjects = subjectsOf(listeners);
  const hear = (payload: string) => {
    heard += 1;
    const [subject = '', ...ids] = payload.split(' ');
    subjects.get(subject)?.(ids);
  };

  const connect = async (): Promise<void> => {
    const client = new ServerClient({
      ...sessionConfig({ application_name: FEED_NAME, ...connection }),
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
    });
    const echo = openEcho(announce);
    let pings: NodeJS.Timeout | undefined;
    let lost = false;
    const lose = (cause: unknown) => {
      if (lost) return;
      lost = true;
      present = undefined;
      clearInterval(pings);
      cut(client);
      if (closed) return;
      listeners.deaf(cause);
      timer = setTimeout(() => void connect(), RETRY_MS);
    };
    giveUp = lose;
    client.on('error', lose);
    client.on('end', () => {
      lose(new Error('the connection was ended'));
    });
    client.on('notification', ({ channel, payload = '' }) => {
      if (lost) return;
      if (channel === echo.channel) echo.heard(payload);
      else hear(payload);
    });
    try {
      await client.connect();
      await prepareConnection(client);
      await client.query(`LISTEN edge; LISTEN ${echo.channel}`);
      await echo.call();
      if (lost) return;
      pings = setInterval(() => {
        echo.call().catch(lose);
      }, PING_MS).unref();
      present = echo;
      listeners.hearing();
    } catch (error) {
      lose(error);
    }
  };

  return {
    ready: connect(),
    suspect() {
      giveUp(new Error('the database does not answer'));
    },
    lagMs: () => present?.lagMs() ?? Infinity,
    heard: () => heard,
    close() {
      closed = true;
      clearTimeout(timer);
      giveUp(undefined);
    },
  };
}

type Hear = (ids: readonly string[]) => void;

/** What is announced, by the first word of an announcement; ids of what it is about follow, `*` for too many. */
function subjectsOf(listeners: FeedListeners): ReadonlyMap<string, Hear> {
  const each =
    (hear: (id: string) => void): Hear =>
    (ids) => {
      ids.forEach((id) => {
        hear(id);
      });
    };
  const orMany =
    (hear: (ids: readonly string[] | undefined) => void): Hear =>
    (ids) => {
      hear(ids[0] === '*' ? undefined : ids);
    };
  return new Map<string, Hear>([
    ['access', listeners.accessMoved],
    ['cas', listeners.casChanged],
    ['controllers', listeners.controllersChanged],
    ['ended', listeners.sessionsEnded],
    [
      'events',
      ([batch]) => {
        listeners.eventsClosed(Number(batch));
      },
    ],
    ['grants', listeners.grantsLost],
    ['identity', each(listeners.identityChanged)],
    ['opened', orMany(listeners.sessionsOpened)],
    ['pki', listeners.pkiChanged],
    ['posture', each(listeners.postureMoved)],
    ['presence', listeners.presenceMoved],
    ['prints', each(listeners.printsChanged)],
    ['router', each(listeners.routerChanged)],
    ['routing', listeners.routingMoved],
    [
      'session',
      (ids) => {
        if (ids[0] === '*') listeners.allSessionsGone();
        else ids.forEach(listeners.sessionGone);
      },
    ],
    ['terminators', orMany(listeners.terminatorsChanged)],
    [WATCHED, listeners.eventsWatched],
    ['webhooks', listeners.webhooksChanged],
  ]);
}

interface Echo {
  readonly channel: string;
  /** A notification came on the channel. */
  heard(payload: string): void;
  /** Announces something new. @throws Error unless it was heard in time */
  call(): Promise<void>;
  /** Of the last call, or of the one that is under way when that has taken longer by now. */
  lagMs(): number;
}

/** A channel of its own for each connection, so that no controller takes the echo of another for its own. */
function openEcho(announce: Announce): Echo {
  const channel = `edge_echo_${randomBytes(8).toString('hex')}`;
  const waiting = new Map<string, () => void>();
  let calls = 0;
  let lastMs = 0;
  let calledAt: number | undefined;
  return {
    channel,
    lagMs: () => Math.max(lastMs, calledAt === undefined ? 0 : performance.now() - calledAt),
    heard(payload) {
      waiting.get(payload)?.();
    },
    async call() {
      const payload = String((calls += 1));
      let overdue: NodeJS.Timeout | undefined;
      const since = performance.now();
      calledAt ??= since;
      const heard = new Promise<void>((resolve, reject) => {
        waiting.set(payload, resolve);
        overdue = setTimeout(() => {
          reject(
            new Error(
              'its own announcement did not come back: the connection hangs, ' +
                'or a pooler in transaction mode is in between',
            ),
          );
        }, PATIENCE_MS);
      });
      try {
        await Promise.all([announce(channel, payload), heard]);
        lastMs = performance.now() - since;
      } finally {
        clearTimeout(overdue);
        waiting.delete(payload);
        if (waiting.size === 0) calledAt = undefined;
      }
    },
  };
}
