/**
 * Hears through LISTEN/NOTIFY what controllers changed, this one too. It is believed only while it hears: at connect
 * and with each ping it sends itself an echo by another connection. Each echo proves that all before it was heard, and
 * is believed for a second: memory is never further behind, also when the connection is silent or this process was
 * stopped for a while. Without an echo for longer it says so, and on return everything remembered is dropped: what was
 * missed cannot be known.
 */
import type { ClientConfig } from 'pg';
import { ServerClient } from '../../db/postgres/servers.js';
import { cut, sessionConfig, prepareConnection } from '../../db/postgres/connection.js';
import { Echo } from './echo.js';
import type { Announce } from './echo.js';
import type { Trust } from '../../domain/trust.js';
import { subjectsOf } from './feed-listeners.js';
import type { FeedListeners, Hear } from './feed-listeners.js';

/** The name that this connection has in pg_stat_activity. */
export const FEED_NAME = 'edge-controller changes';

const RETRY_MS = 500;
const PING_MS = 300;
const PATIENCE_MS = 2_000;
/** Memory is believed for so long after the begin of the last ping whose echo came. */
const BELIEF_MS = 1_000;
/** Pings on their way; more would wait for the same. */
const MOST_PINGS = 4;

export class ChangeFeed {
  /** The first attempt to connect is over. */
  readonly ready: Promise<void>;
  readonly #config: ClientConfig;
  readonly #announce: Announce;
  readonly #listeners: FeedListeners;
  readonly #subjects: ReadonlyMap<string, Hear>;
  #connection: FeedConnection | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  #heard = 0;

  constructor(config: ClientConfig, announce: Announce, listeners: FeedListeners) {
    this.#config = config;
    this.#announce = announce;
    this.#listeners = listeners;
    this.#subjects = subjectsOf(listeners);
    this.ready = this.#connect();
  }

  /** The database was found not to answer: the connection is dropped and opened again. */
  suspect(): void {
    this.#connection?.lose(new Error('the database does not answer'));
  }

  /**
   * Returns how long its last announcement to itself took to come back, or has been on its way by now, in milliseconds;
   * Infinity while there is no connection that hears.
   */
  lagMs(): number {
    return this.#connection?.lagMs() ?? Infinity;
  }

  readonly #isCurrent: Trust = () => this.#connection?.isCurrent() === true;

  /** Returns how many announcements of controllers, this one included, were heard since the start. */
  heard(): number {
    return this.#heard;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#connection?.lose(undefined);
  }

  async #connect(): Promise<void> {
    const connection = new FeedConnection(this.#config, this.#announce, {
      hear: (payload) => {
        this.#hear(payload);
      },
      hearing: () => {
        this.#listeners.hearing(this.#isCurrent);
      },
      lost: (cause) => {
        if (this.#isClosed) return;
        this.#listeners.deaf(cause);
        this.#retry = setTimeout(() => void this.#connect(), RETRY_MS);
      },
    });
    this.#connection = connection;
    await connection.open();
  }

  #hear(payload: string): void {
    this.#heard += 1;
    const [subject = '', ...ids] = payload.split(' ');
    this.#subjects.get(subject)?.(ids);
  }
}

interface ConnectionListeners {
  /** An announcement came. */
  readonly hear: (payload: string) => void;
  /** It hears from now on. */
  readonly hearing: () => void;
  /** It could not be opened, or does not hear any more; called once. */
  readonly lost: (cause: unknown) => void;
}

/** One connection of the feed, which hears until it is lost. */
class FeedConnection {
  readonly #listeners: ConnectionListeners;
  readonly #client: ServerClient;
  readonly #echo: Echo;
  #pings: NodeJS.Timeout | undefined;
  #state: 'opening' | 'hearing' | 'lost' = 'opening';

  constructor(config: ClientConfig, announce: Announce, listeners: ConnectionListeners) {
    this.#listeners = listeners;
    this.#client = new ServerClient({
      ...sessionConfig({ application_name: FEED_NAME, ...config }),
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
    });
    this.#echo = new Echo(announce, PATIENCE_MS);
    this.#client.on('error', (error) => {
      this.lose(error);
    });
    this.#client.on('end', () => {
      this.lose(new Error('the connection was ended'));
    });
    this.#client.on('notification', ({ channel, payload = '' }) => {
      if (this.#isLost()) return;
      if (channel === this.#echo.channel) this.#echo.heard(payload);
      else this.#listeners.hear(payload);
    });
  }

  /** Resolves when it hears, or is lost. */
  async open(): Promise<void> {
    try {
      await this.#client.connect();
      await prepareConnection(this.#client);
      await this.#client.query(`LISTEN edge; LISTEN ${this.#echo.channel}`);
      await this.#echo.call();
      if (this.#isLost()) return;
      this.#pings = setInterval(() => {
        this.#ping();
      }, PING_MS).unref();
      this.#state = 'hearing';
      this.#listeners.hearing();
    } catch (error) {
      this.lose(error);
    }
  }

  #ping(): void {
    if (this.#echo.waiting >= MOST_PINGS) return;
    const since = performance.now();
    this.#echo.call().catch((error: unknown) => {
      // A later one that came proves that the connection hears.
      if (this.#echo.provenMs <= since) this.lose(error);
    });
  }

  /** False also for a connection that has been silent for a while. */
  isCurrent(): boolean {
    return this.#state === 'hearing' && performance.now() - this.#echo.provenMs < BELIEF_MS;
  }

  /** Drops the connection, also one that is still being opened. */
  lose(cause: unknown): void {
    if (this.#isLost()) return;
    this.#state = 'lost';
    clearInterval(this.#pings);
    cut(this.#client);
    this.#listeners.lost(cause);
  }

  lagMs(): number {
    return this.#state === 'hearing' ? this.#echo.lagMs() : Infinity;
  }

  #isLost(): boolean {
    return this.#state === 'lost';
  }
}
