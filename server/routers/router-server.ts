/**
 * The address that is for routers alone: TLS with a certificate asked for, their protocol and no other, and bounds of
 * its own. Who is let in is decided in fabric/channel/acceptor.ts.
 */
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import type { Settings } from '../settings/config.js';
import { guard } from '../sockets/connection-limits.js';
import type { Logger } from '../base/log.js';
import { ROUTER_PROTOCOL, isOfRouter, secureContext } from '../sockets/tls-server.js';
import type { RouterConnection } from '../sockets/tls-server.js';

export interface RouterServerOptions {
  readonly config: Pick<
    Settings,
    'controlConnections' | 'controlConnectionsPerAddress' | 'proxyFrom' | 'headersTimeout'
  >;
  /** The server's certificate, then intermediates; never the root. */
  readonly chainPem: string;
  readonly privateKeyPem: string;
  /** Takes over a connection after its handshake. */
  readonly onRouter: (connection: RouterConnection) => void;
  readonly log: Logger;
}

export interface RouterServer extends Server {
  /** Accepts no more, and cuts what is in its handshake. Those that were handed over are not waited for. */
  leave(): void;
}

/** Routers give up after this, too. */
const HANDSHAKE_MS = 5_000;

export function createRouterServer({
  config,
  chainPem,
  privateKeyPem,
  onRouter,
  log,
}: RouterServerOptions): RouterServer {
  const server = createServer({
    ...secureContext(chainPem, privateKeyPem),
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: [ROUTER_PROTOCOL],
    handshakeTimeout: HANDSHAKE_MS,
  });
  const bounds = {
    maxConnections: config.controlConnections,
    maxConnectionsPerAddress: config.controlConnectionsPerAddress,
    proxyFrom: config.proxyFrom,
    headersTimeout: Math.min(config.headersTimeout, HANDSHAKE_MS / 1000),
  };
  const names = { all: 'limits.controlConnections', perAddress: 'limits.controlConnectionsPerAddress' };
  const gate = guard(server, bounds, log, names);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Node leaves a connection open whose handshake failed, or did not end in time.
  server.on('tlsClientError', (_error, socket) => {
    socket.destroy();
  });
  server.on('secureConnection', (socket) => {
    // A client without ALPN is no router; the handshake itself cannot refuse it.
    if (!isOfRouter(socket)) {
      socket.destroy();
      return;
    }
    onRouter({
      socket,
      admitted: () => {
        gate.release(socket);
      },
    });
  });
  return Object.assign(server, {
    leave: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  });
}
