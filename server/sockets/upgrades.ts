/**
 * Requests that ask for another protocol. Once something listens for them, Node hands their connections over: each gets
 * an ordinary answer here, unless whoever answers takes the connection.
 */
import { ServerResponse } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

interface Upgrade {
  readonly socket: Socket;
  /** Bytes that came behind the request. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Has these requests answered as all others are; the connection ends afterwards. */
export function serveUpgrades(server: Server, listener: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Its body cannot be read any more.
    if (request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0') {
      socket.on('error', () => socket.destroy());
      socket.write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      socket.destroySoon();
      return;
    }
    const response = new ServerResponse(request);
    upgrades.set(request, { socket, head });
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    socket.on('error', () => socket.destroy());
    // HTTP watches this connection no more: a client that keeps its half open would stay.
    response.once('finish', () => {
      socket.destroySoon();
    });
    listener(request, response);
  });
}

/** Takes the connection of such a request, whose answer ends with it; undefined for any other request. */
export function takeUpgrade(request: IncomingMessage, response: ServerResponse): Upgrade | undefined {
  const upgrade = upgrades.get(request);
  if (upgrade === undefined || upgrade.socket.destroyed) return undefined;
  response.detachSocket(upgrade.socket);
  upgrade.socket.setTimeout(0);
  return upgrade;
}

export const isUpgrade = (request: IncomingMessage): boolean => upgrades.has(request);
