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

interface Outgoing {
  /** The connection below TLS. */
  readonly below: Socket;
  waiting: number;
  handedOver: number;
  /** In the buffers of the system; undefined when it was not asked. */
  unread: number | undefined;
  /** Bytes handed over when the buffers were empty: the system is not asked again before there are more. */
  emptiedAt: number;
  /** Looks in a row that found all three numbers unchanged and something waiting. */
  idleLooks: number;
  expired: Expired | undefined;
}

/** The time of keep-alive has passed, and it is not known yet that the client has all it was sent. */
interface Expired {
  /** Bytes that the client had sent by then. More of them are a new request, or the beginning of one. */
  readonly bytesRead: number;
  /** The system was asked, and the client had not taken all. */
  isOwed: boolean;
}

export interface StallWatch {
  add(socket: TLSSocket, below: Socket): void;
  /** A connection was idle for the time of keep-alive: it is closed, unless an answer is on its way to the client. */
  expire(socket: TLSSocket): void;
  close(): void;
}

/**
 * In the time of the limit: a connection is cut at most half of it late. Time that this process was busy for is not
 * counted.
 */
const LOOKS = 4;

/** Connections whose keep-alive ends within this time are asked about together. */
const EXPIRY_MS = 250;

/** Asking the system takes longer the more connections there are; so many times as long it is not asked again. */
const REST = 10;

/**
 * @param timeoutMs  how long no byte may go to a connection that has some waiting
 * @param keepAliveMs  counted again from when a late reader has taken all
 */
export function watchStalls(timeoutMs: number, keepAliveMs: number, log: Logger): StallWatch {
  const sockets = new Map<TLSSocket, Outgoing>();
  /** Time by `performance.now`. */
  let restsUntil = 0;
  const look = async (isDoubtful: (socket: TLSSocket, seen: Outgoing) => boolean, isTurn: boolean) => {
    const begun = performance.now();
    restsUntil = Infinity;
    try {
      const doubtful = [...sockets].filter(([socket, seen]) => isDoubtful(socket, seen));
      const unread = await unreadBytes(doubtful.map(([, { below }]) => below));
      let cut = 0;
      for (const [socket, seen] of doubtful) {
        // It was closed, or more was sent, while the system was asked.
        if (socket.destroyed || hasMoved(socket, seen)) continue;
        judge(socket, seen, unread.get(seen.below) ?? 0, keepAliveMs, isTurn);
        if (seen.idleLooks < LOOKS) continue;
        // Without a reset the system would go on for minutes with what it has of the answer.
        seen.below.resetAndDestroy();
        cut += 1;
      }
      if (cut > 0)
        log.warn({ connections: cut, seconds: timeoutMs / 1000 }, 'cut connections whose clients did not read');
    } finally {
      const ended = performance.now();
      restsUntil = ended + (ended - begun) * REST;
    }
  };
  const isResting = () => performance.now() < restsUntil;
  const onFault = (err: unknown) => {
    log.error({ err }, 'connections whose clients do not read cannot be found');
  };
  const turns = setInterval(() => {
    if (!isResting()) look(note, true).catch(onFault);
  }, timeoutMs / LOOKS).unref();
  const expiries = new Set<Outgoing>();
  let expiry: NodeJS.Timeout | undefined;
  const askSoon = () => {
    expiry ??= setTimeout(() => {
      expiry = undefined;
      if (isResting()) {
        askSoon();
        return;
      }
      const asked = new Set(expiries);
      expiries.clear();
      look((_, seen) => asked.has(seen), false).catch(onFault);
    }, EXPIRY_MS).unref();
  };
  return {
    add(socket, below) {
      sockets.set(socket, {
        below,
        waiting: 0,
        handedOver: 0,
        unread: undefined,
        emptiedAt: 0,
        idleLooks: 0,
        expired: undefined,
      });
      socket.once('close', () => {
        sockets.delete(socket);
      });
    },
    expire(socket) {
      const seen = sockets.get(socket);
      if (seen === undefined || (socket.writableLength === 0 && socket.bytesWritten === seen.emptiedAt)) {
        socket.destroy();
        return;
      }
      note(socket, seen);
      seen.expired = { bytesRead: socket.bytesRead, isOwed: false };
      expiries.add(seen);
      askSoon();
    },
    close() {
      clearInterval(turns);
      clearTimeout(expiry);
    },
  };
}

const hasMoved = (socket: TLSSocket, seen: Outgoing) =>
  socket.writableLength !== seen.waiting || socket.bytesWritten !== seen.handedOver;

/**
 * Notes what it finds: large bodies are written in pieces (socket-writer.ts), so that both numbers move as the client
 * reads.
 * @returns whether the system must be asked what it still has
 */
function note(socket: TLSSocket, seen: Outgoing): boolean {
  if (hasMoved(socket, seen)) {
    seen.waiting = socket.writableLength;
    seen.handedOver = socket.bytesWritten;
    seen.unread = undefined;
    seen.idleLooks = 0;
    return false;
  }
  return seen.waiting > 0 || seen.emptiedAt !== seen.handedOver;
}

function judge(socket: TLSSocket, seen: Outgoing, unread: number, keepAliveMs: number, isTurn: boolean): void {
  if (seen.waiting === 0 && unread === 0) {
    seen.emptiedAt = seen.handedOver;
    seen.unread = undefined;
    seen.idleLooks = 0;
    endKeepAlive(socket, seen, keepAliveMs);
    return;
  }
  if (seen.expired !== undefined) seen.expired.isOwed = true;
  if (!isTurn) return;
  seen.idleLooks = unread === seen.unread ? seen.idleLooks + 1 : 0;
  seen.unread = unread;
}

/** The client has all that it was sent. */
function endKeepAlive(socket: TLSSocket, seen: Outgoing, keepAliveMs: number): void {
  const { expired } = seen;
  seen.expired = undefined;
  if (expired?.bytesRead !== socket.bytesRead) return;
  // The head of the answer promised it that time after the answer.
  if (expired.isOwed) socket.setTimeout(keepAliveMs);
  else socket.destroy();
}
