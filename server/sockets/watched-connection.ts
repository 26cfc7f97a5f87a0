/** A connection whose client may not read: what waits to be sent to it, as far as one look after another finds. */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The time of keep-alive has passed, and it is not known yet that the client has all it was sent. */
interface Expired {
  /** Bytes that the client had sent by then. More of them are a new request, or the beginning of one. */
  readonly bytesRead: number;
  /** The system was asked, and the client had not taken all. */
  isOwed: boolean;
}

export class WatchedConnection {
  readonly #socket: TLSSocket;
  /** The connection below TLS. */
  readonly below: Socket;
  #waiting = 0;
  #handedOver = 0;
  /** Bytes in the buffers of the system; undefined when it was not asked. */
  #unread: number | undefined;
  /** Bytes handed over when the buffers were empty: the system is not asked again before there are more. */
  #emptiedAt = 0;
  /** Looks in a row that found all three numbers unchanged and something waiting. */
  #idleLooks = 0;
  #expired: Expired | undefined;

  constructor(socket: TLSSocket, below: Socket) {
    this.#socket = socket;
    this.below = below;
  }

  get idleLooks(): number {
    return this.#idleLooks;
  }

  /** It was closed, or more was sent, since it was looked at. */
  get hasChanged(): boolean {
    return this.#socket.destroyed || this.#hasMoved();
  }

  /**
   * Notes what it finds: large bodies are written in pieces (socket-writer.ts), so that both numbers move as the client
   * reads.
   * @returns whether the system must be asked what it still has
   */
  note(): boolean {
    if (this.#hasMoved()) {
      this.#waiting = this.#socket.writableLength;
      this.#handedOver = this.#socket.bytesWritten;
      this.#unread = undefined;
      this.#idleLooks = 0;
      return false;
    }
    return this.#waiting > 0 || this.#emptiedAt !== this.#handedOver;
  }

  /**
   * @param unread  bytes that the system still has
   * @param isTurn  the look counts
   */
  judge(unread: number, keepAliveMs: number, isTurn: boolean): void {
    if (this.#waiting === 0 && unread === 0) {
      this.#emptiedAt = this.#handedOver;
      this.#unread = undefined;
      this.#idleLooks = 0;
      this.#endKeepAlive(keepAliveMs);
      return;
    }
    if (this.#expired !== undefined) this.#expired.isOwed = true;
    if (!isTurn) return;
    this.#idleLooks = unread === this.#unread ? this.#idleLooks + 1 : 0;
    this.#unread = unread;
  }

  /**
   * The time of keep-alive has passed.
   * @returns whether the system must be asked if the client has all; else the connection is closed
   */
  expire(): boolean {
    const { writableLength, bytesWritten, bytesRead } = this.#socket;
    if (writableLength === 0 && bytesWritten === this.#emptiedAt) {
      this.#socket.destroy();
      return false;
    }
    this.note();
    this.#expired = { bytesRead, isOwed: false };
    return true;
  }

  /** Resets the connection: else the system would go on for minutes with what it has of the answer. */
  cut(): void {
    this.below.resetAndDestroy();
  }

  #hasMoved(): boolean {
    return this.#socket.writableLength !== this.#waiting || this.#socket.bytesWritten !== this.#handedOver;
  }

  /** The client has all that it was sent. */
  #endKeepAlive(keepAliveMs: number): void {
    const expired = this.#expired;
    this.#expired = undefined;
    if (expired?.bytesRead !== this.#socket.bytesRead) return;
    // The head of the answer promised it that time after the answer.
    if (expired.isOwed) this.#socket.setTimeout(keepAliveMs);
    else this.#socket.destroy();
  }
}
