/**
 * Cuts connections whose clients do not read: bytes wait to be sent, and none has gone for a while. One timer looks at
 * all of them, so that a request costs nothing more. Bytes that the client sends do not count: it could send one now
 * and then and never read. A request that is being worked on has nothing waiting, and is left alone.
 *
 * What the system has taken of an answer waits too, where the system tells of it (unread.ts). The time of keep-alive
 * does not run while it does: a reader that pauses is cut by the limit for that alone.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '../base/log.js';
import { unreadBytes } from './unread.js';
import { WatchedConnection } from './watched-connection.js';

export interface StallLimits {
  /** Time for which no byte may go to a connection that has some waiting. */
  readonly timeoutMs: number;
  /** Time of keep-alive, counted again from when a late reader has taken all. */
  readonly keepAliveMs: number;
}

/**
 * Looks in the time of the limit: a connection is cut at most half of it late. Time that this process was busy for is
 * not counted.
 */
const LOOKS = 4;

/** Connections whose keep-alive ends within this time are asked about together. */
const EXPIRY_MS = 250;

/** Asking the system takes longer the more connections there are; so many times as long it is not asked again. */
const REST = 10;

export class StallWatch {
  readonly #limits: StallLimits;
  readonly #log: Logger;
  readonly #connections = new Map<TLSSocket, WatchedConnection>();
  /** Connections that the system is to be asked about soon, as their keep-alive has ended. */
  #expired = new Set<WatchedConnection>();
  readonly #turns: NodeJS.Timeout;
  #expiry: NodeJS.Timeout | undefined;
  /** Time by `performance.now`. */
  #restsUntil = 0;

  constructor(limits: StallLimits, log: Logger) {
    this.#limits = limits;
    this.#log = log;
    this.#turns = setInterval(() => {
      if (!this.#isResting()) this.#look((connection) => connection.note(), true);
    }, limits.timeoutMs / LOOKS).unref();
  }

  add(socket: TLSSocket, below: Socket): void {
    this.#connections.set(socket, new WatchedConnection(socket, below));
    socket.once('close', () => {
      this.#connections.delete(socket);
    });
  }

  /** A connection was idle for the time of keep-alive: it is closed, unless an answer is on its way to the client. */
  expire(socket: TLSSocket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) socket.destroy();
    else if (connection.expire()) {
      this.#expired.add(connection);
      this.#askSoon();
    }
  }

  close(): void {
    clearInterval(this.#turns);
    clearTimeout(this.#expiry);
  }

  #isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  #askSoon(): void {
    this.#expiry ??= setTimeout(() => {
      this.#expiry = undefined;
      if (this.#isResting()) {
        this.#askSoon();
        return;
      }
      const asked = this.#expired;
      this.#expired = new Set();
      this.#look((connection) => asked.has(connection), false);
    }, EXPIRY_MS).unref();
  }

  /** Asks the system about doubtful connections, and cuts those whose time is over. */
  #look(isDoubtful: (connection: WatchedConnection) => boolean, isTurn: boolean): void {
    const begun = performance.now();
    this.#restsUntil = Infinity;
    this.#judge([...this.#connections.values()].filter(isDoubtful), isTurn)
      .catch((err: unknown) => {
        this.#log.error({ err }, 'connections whose clients do not read cannot be found');
      })
      .finally(() => {
        const ended = performance.now();
        this.#restsUntil = ended + (ended - begun) * REST;
      });
  }

  /** @param isTurn  the look counts against those who do not read */
  async #judge(doubtful: readonly WatchedConnection[], isTurn: boolean): Promise<void> {
    const unread = await unreadBytes(doubtful.map(({ below }) => below));
    const { timeoutMs, keepAliveMs } = this.#limits;
    let cut = 0;
    for (const connection of doubtful) {
      // It was closed, or more was sent, while the system was asked.
      if (connection.hasChanged) continue;
      connection.judge(unread.get(connection.below) ?? 0, keepAliveMs, isTurn);
      if (connection.idleLooks < LOOKS) continue;
      connection.cut();
      cut += 1;
    }
    if (cut > 0)
      this.#log.warn({ connections: cut, seconds: timeoutMs / 1000 }, 'cut connections whose clients did not read');
  }
}
