/**
 * Starts the handshakes of new connections in order of arrival, a few in each turn of the event loop. However many
 * clients come back at once, requests of others are answered in between. One in four is the newest, so that the probe
 * of a balancer does not wait until all of them are through.
 */
import type { Socket } from 'node:net';

/** About 40 ms of work. With fewer, the last of a crowd would be let in only when most have logged in. */
const STARTED_IN_A_TURN = 32;
const NEWEST_EACH = 4;

interface Waiting {
  readonly socket: Socket;
  readonly start: () => void;
}

export class HandshakeTurns {
  #waiting: Waiting[] = [];
  /** Number of those at the beginning of `#waiting` that have been taken. */
  #taken = 0;
  #count = 0;
  #isArmed = false;

  /** @param start  called when its turn comes, unless the connection has closed by then */
  add(socket: Socket, start: () => void): void {
    this.#waiting.push({ socket, start });
    if (!this.#isArmed) this.#turn();
  }

  readonly #turn = (): void => {
    for (let started = 0; started < STARTED_IN_A_TURN;) {
      const next = this.#next();
      if (next === undefined) break;
      if (next.socket.destroyed) continue;
      started += 1;
      next.start();
    }
    // One turn more than there is work for: what comes within this turn of the loop waits for the next.
    this.#isArmed = this.#waiting.length > 0 || !this.#isArmed;
    if (this.#isArmed) setImmediate(this.#turn);
  };

  #next(): Waiting | undefined {
    if (this.#waiting.length === 0) return undefined;
    this.#count += 1;
    const isNewest = this.#count % NEWEST_EACH === 0;
    const next = isNewest ? this.#waiting.pop() : this.#waiting[this.#taken];
    if (!isNewest) this.#taken += 1;
    if (this.#taken < this.#waiting.length) return next;
    this.#waiting = [];
    this.#taken = 0;
    return next;
  }
}
