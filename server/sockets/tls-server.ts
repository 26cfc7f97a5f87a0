/** The HTTPS server: TLS 1.2 and later, a client certificate asked for and never required, limits before trust. */
import { constants } from 'node:crypto';
import { createServer } from 'node:https';
import type { Server, ServerOptions } from 'node:https';
import type { IncomingMessage, RequestListener } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Server as NetServer, Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { formatHostPort, parseHostPort } from '../../domain/pki/server-name.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { newRequestId } from '../http/envelope.js';
import { connectionKey, guard } from './connection-limits.js';
import type { GateConfig } from './connection-limits.js';
import type { Logger } from '../base/log.js';
import type { ResponseHeaders } from '../http/reply.js';
import { isNoTls, refusePlain } from './plain-http.js';
import { RefusedConnections } from './refused-connections.js';
import { StallWatch } from './stalled.js';
import { serveUpgrades } from './upgrades.js';

type TimeLimit = 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'stallTimeout';
type ServerConfig = GateConfig & Pick<Settings, 'maxHeaderBytes' | 'maxHeaders' | TimeLimit>;

export interface TlsOptions {
  readonly config: ServerConfig;
  /** The server's certificate, then intermediates; never the root. */
  readonly chainPem: string;
  readonly privateKeyPem: string;
  readonly listener: RequestListener;
  /** Headers of every answer, also of those to what is no request. */
  readonly common: ResponseHeaders;
  readonly log: Logger;
  /** Takes over the connections of routers: none of the limits and timeouts of HTTPS applies to them. */
  readonly onRouter?: (connection: RouterConnection) => void;
}

/** A connection that speaks the protocol of routers, after its handshake. */
export interface RouterConnection {
  readonly socket: TLSSocket;
  /** It does not count among the connections that are limited any more: it is that of a router of the network. */
  admitted(): void;
}

/** ALPN name by which routers ask for the control channel, on the port that serves HTTPS. */
export const ROUTER_PROTOCOL = 'ziti-ctrl';

/** A time limit is met within half of itself; checking more often than this costs more than it saves. */
const SHORTEST_CHECK_MS = 250;

export interface TlsServer extends Server {
  /**
   * Cuts connections that have not sent a request yet: Node counts them as busy, and a shutdown would wait for them.
   */
  closeUnused(): void;
}

/**
 * Returns the options of a handshake; the same for the first certificate and for each that follows it. No connection is
 * resumed: a resumed one would know only the client's leaf (docs/decisions/0011). With tickets off, both versions of
 * TLS are left with session ids, and Node keeps no sessions to find by them unless a listener for `newSession` exists.
 * No connection is renegotiated: the client's certificate stays what it was in the handshake.
 */
export function secureContext(chainPem: string, privateKeyPem: string): SecureContextOptions {
  return {
    cert: chainPem,
    key: privateKeyPem,
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

const httpOptions = (config: ServerConfig): ServerOptions => ({
  requestCert: true,
  rejectUnauthorized: false,
  maxHeaderSize: config.maxHeaderBytes,
  headersTimeout: config.headersTimeout * 1000,
  requestTimeout: config.requestTimeout * 1000,
  keepAliveTimeout: config.keepAliveTimeout * 1000,
  handshakeTimeout: config.headersTimeout * 1000,
  insecureHTTPParser: false,
  requireHostHeader: false,
  connectionsCheckingInterval: Math.max(
    SHORTEST_CHECK_MS,
    Math.min(config.headersTimeout, config.requestTimeout) * 500,
  ),
});

export function createTlsServer({
  config,
  chainPem,
  privateKeyPem,
  listener,
  common,
  log,
  onRouter,
}: TlsOptions): TlsServer {
  const protocols = onRouter === undefined ? ['http/1.1'] : ['http/1.1', ROUTER_PROTOCOL];
  const server = createServer(
    { ...secureContext(chainPem, privateKeyPem), ...httpOptions(config), ALPNProtocols: protocols },
    listener,
  );
  serveUpgrades(server, listener);
  const gate = guard(server, config, log);
  if (onRouter !== undefined)
    divertRouters(server, (socket) => {
      onRouter({
        socket,
        admitted: () => {
          gate.release(socket);
        },
      });
    });
  // Node counts one more than this number and drops the rest in silence; the application refuses them (see app.ts).
  server.maxHeadersCount = config.maxHeaders + 1;
  // An unknown expectation is no reason to refuse (RFC 9110 section 10.1.1 leaves the choice).
  server.on('checkExpectation', listener);
  const limits = { timeoutMs: config.stallTimeout * 1000, keepAliveMs: config.keepAliveTimeout * 1000 };
  const stalls = new StallWatch(limits, log);
  // Only the time of keep-alive ends with this event. Node destroys the connection when it has no listener.
  server.on('timeout', (socket) => {
    stalls.expire(socket as TLSSocket);
  });
  server.on('close', () => {
    stalls.close();
  });
  const { below, closeUnused } = trackUnused(server, (socket, raw) => {
    stalls.add(socket, raw);
  });
  const refusals = new RefusedConnections(common);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = isNoTls(error) ? below(socket) : undefined;
    if (plain === undefined) refusals.refuse(error, socket, newRequestId());
    else refusePlain(plain);
  });
  return Object.assign(server, { closeUnused });
}

export const isOfRouter = ({ alpnProtocol }: TLSSocket): boolean => alpnProtocol === ROUTER_PROTOCOL;

/** HTTP never sees the connections of routers. */
function divertRouters(server: Server, take: (socket: TLSSocket) => void): void {
  const [startHttp, ...others] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  if (startHttp === undefined) throw new Error('a server that does not speak HTTP');
  server.removeAllListeners('secureConnection');
  for (const other of others) server.on('secureConnection', other);
  server.on('secureConnection', (socket) => {
    if (isOfRouter(socket)) take(socket);
    else startHttp.call(server, socket);
  });
}

interface Unused {
  /** The connection below one whose handshake has not ended. */
  readonly below: (socket: Socket) => Socket | undefined;
  readonly closeUnused: () => void;
}

/**
 * The socket of a request is the TLS layer's; before the end of the handshake there is only the one below.
 * @param onOpen  gets each connection of HTTP after its handshake
 */
function trackUnused(server: Server, onOpen: (socket: TLSSocket, below: Socket) => void): Unused {
  const inHandshake = new Map<string, Socket>();
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const key = connectionKey(socket);
    inHandshake.set(key, socket);
    socket.once('close', () => {
      if (inHandshake.get(key) === socket) inHandshake.delete(key);
    });
  });
  server.on('secureConnection', (socket) => {
    const key = connectionKey(socket);
    const raw = inHandshake.get(key);
    inHandshake.delete(key);
    if (isOfRouter(socket)) return;
    if (raw !== undefined) onOpen(socket, raw);
    unused.add(socket);
    socket.once('close', () => {
      unused.delete(socket);
    });
  });
  server.on('request', ({ socket }) => {
    unused.delete(socket);
  });
  return {
    below: (socket) => inHandshake.get(connectionKey(socket)),
    closeUnused: () => {
      for (const socket of [...inHandshake.values(), ...unused]) socket.destroy();
    },
  };
}

export function tooManyHeaders(request: IncomingMessage, maxHeaders: number): boolean {
  return request.rawHeaders.length / 2 > maxHeaders;
}

/**
 * HTTP/1.1 wants a `Host`, and every version at most one that names a host (RFC 9112 section 3.2): two readers of a
 * request must not take it for one of two hosts. Of no `Host`, Node would refuse by itself, but with an empty answer;
 * of several it keeps the first. Costs 0.3 us.
 */
export function hasBadHost({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.1';
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts !== 1 || !isHost(host);
}

/** A name or address as DNS and URLs have them, with or without a port: no user, no path, no escapes, no zone. */
const HOST = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|[A-Za-z0-9._-]{1,255})(?::(\d{0,5}))?$/;

function isHost(text: string): boolean {
  const match = HOST.exec(text);
  if (match === null || Number(match[2] ?? 0) > 65_535) return false;
  return match[1] === undefined || isIPv6(match[1]);
}

/**
 * Starts listening.
 * @param variable  of the environment, that sets the address
 * @param isExclusive  for this process alone, not for all workers
 * @returns where, as `host:port`
 * @throws ConfigError with a sentence about what to do
 */
/** Connections that the system keeps until they are accepted; Linux has a bound of its own, `net.core.somaxconn`. */
const BACKLOG = 4_096;

export async function listenAt(
  server: NetServer,
  address: string,
  variable: string,
  isExclusive = false,
): Promise<string> {
  const { host, port } = parseHostPort(address);
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      reject(new ConfigError(listenFault(error, address, variable), { cause: error }));
    };
    server.once('error', onError);
    server.listen({ port, host, backlog: BACKLOG, exclusive: isExclusive }, () => {
      server.off('error', onError);
      resolve();
    });
  });
  return formatHostPort({ host, port: (server.address() as { port: number }).port });
}

function listenFault({ code, message }: NodeJS.ErrnoException, address: string, variable: string): string {
  if (code === 'EADDRINUSE')
    return `${address} is in use by another program. Stop it, or set ${variable} to another address.`;
  // An error without a code says everything itself.
  return code === undefined
    ? message
    : `It cannot listen on ${address} (${message}): set ${variable} to an address and port that this user may ` +
        'listen on.';
}
