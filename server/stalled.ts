/**
 * Cuts connections whose clients do not read: bytes wait to be sent, and none has gone for a while. One timer looks at
 * all of them, so that a request costs nothing more. Bytes that the client sends do not count: it could send one now
 * and then and never read. A request that is being worked on has nothing waiting, and is left alone.
 */
import type { TLSSocket } from 'node:tls';
import type { Logger } from './log.js';

interface Outgoing {
  waiting: number;
  handedOver: number;
  /** Looks in a row that found both numbers unchanged and something waiting. */
  idleLooks: number;
}

export interface StallWatch {
  add(socket: TLSSocket): void;
  close(): void;
}

/**
 * In the time of the limit: a connection is cut at most a quarter late. Time that this process was busy for is not
 * counted.
 */
const LOOKS = 4;

/** @param timeoutMs  how long no byte may go to a connection that has some waiting */
export function watchStalls(timeoutMs: number, log: Logger): StallWatch {
  const sockets = new Map<TLSSocket, Outgoing>();
  const timer = setInterval(() => {
    let cut = 0;
    for (const [socket, seen] of sockets) {
      if (!isStalled(socket, seen)) continue;
      socket.destroy();
      cut += 1;
    }
    if (cut === 0) return;
    log.warn({ connections: cut, seconds: timeoutMs / 1000 }, 'cut connections whose clients did not read');
  }, timeoutMs / LOOKS).unref();
  return {
    add(socket) {
      sockets.set(socket, { waiting: 0, handedOver: 0, idleLooks: 0 });
      socket.once('close', () => {
        sockets.delete(socket);
      });
    },
    close() {
      clearInterval(timer);
    },
  };
}

/**
 * Notes what it finds: large bodies are written in pieces (outflow.ts), so that both numbers move as the client reads.
 */
function isStalled(socket: TLSSocket, seen: Outgoing): boolean {
  const waiting = socket.writableLength;
  const handedOver = socket.bytesWritten;
  const isIdle = waiting > 0 && waiting === seen.waiting && handedOver === seen.handedOver;
  seen.waiting = waiting;
  seen.handedOver = handedOver;
  seen.idleLooks = isIdle ? seen.idleLooks + 1 : 0;
  return seen.idleLooks >= LOOKS;
}
