/**
 * The address of its own at which Prometheus reads metrics, with bounds of its own. Who asks is looked at before
 * anything is read. Signs of life are here too, for anybody: a crowd that comes to the APIs does not wait before them.
 */
import { X509Certificate, createHash, timingSafeEqual } from 'node:crypto';
import { createServer as createPlain } from 'node:http';
import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { SignsOfLife } from '../api/health.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { connectionKey } from '../sockets/connection-limits.js';
import type { Logger } from '../base/log.js';
import type { METRICS } from '../settings/metrics-settings.js';
import { splitTarget } from '../http/paths.js';
import { readSettingFile } from '../settings/setting-files.js';
import { bearerToken } from '../settings/setting-kinds.js';
import { secureContext } from '../sockets/tls-server.js';

const compress = promisify(gzip);

type MetricsConfig = Pick<Settings, keyof typeof METRICS>;

export interface ListenerOptions {
  readonly config: MetricsConfig;
  /** The controller's own certificate, then intermediates. */
  readonly chainPem: string;
  readonly privateKeyPem: string;
  /** All metrics as text. */
  readonly read: () => Promise<string>;
  readonly signs: SignsOfLife;
  readonly log: Logger;
}

export interface Listener {
  readonly server: PlainServer | TlsServer;
  /** Takes a renewed certificate of the controller, where it serves that one. */
  setSecureContext(context: SecureContextOptions): void;
}

/** Enough for two of Prometheus, and for a person who looks. */
const MAX_CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Size from which compression is worth it. */
const SMALL = 1024;

/** @throws ConfigError when a file of the settings cannot be used */
export function createListener(options: ListenerOptions): Listener {
  const { config } = options;
  const token = config.metricsToken ?? tokenIn(config.metricsTokenFile);
  const mayRead = tokenCheck(token);
  const read = once(options.read);
  const connections = new Connections();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void respond(request, response, { mayRead, connections, read, signs: options.signs, log: options.log });
  };
  const bounds = {
    headersTimeout: TIMEOUT_MS,
    requestTimeout: TIMEOUT_MS,
    keepAliveTimeout: 120_000,
    maxHeaderSize: 16_384,
  };
  if (config.metricsTls === 'off') {
    const server = createPlain(bounds, listener);
    connections.of(server);
    return { server, setSecureContext: () => undefined };
  }
  const ca = textIn(config.metricsClientCaFile, 'EDGE_METRICS_CLIENT_CA_FILE');
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  const own = config.metricsTls === 'network';
  const chainPem = own ? options.chainPem : (textIn(config.metricsCertFile, 'EDGE_METRICS_CERT_FILE') ?? '');
  const keyPem = own ? options.privateKeyPem : (textIn(config.metricsKeyFile, 'EDGE_METRICS_KEY_FILE') ?? '');
  const server = withTls(() => {
    // TLS takes a text without any certificate for an authority that signed nothing.
    if (ca !== undefined) new X509Certificate(ca);
    return createTls(
      { ...secureContext(chainPem, keyPem), ...bounds, ...clients, handshakeTimeout: TIMEOUT_MS },
      listener,
    );
  });
  connections.of(server);
  return {
    server,
    setSecureContext(context) {
      // The authority is set again each time: without it any certificate that the system trusts would be taken.
      if (own) server.setSecureContext({ ...context, ...(ca === undefined ? {} : { ca }) });
    },
  };
}

/**
 * Strangers take no places from who reads: one connection too many ends the oldest that has not shown that it may read,
 * and where all have, the one that has read nothing for longest.
 */
class Connections {
  readonly #strangers = new Map<string, Socket>();
  readonly #readers = new Map<string, Socket>();

  of(server: PlainServer | TlsServer): void {
    server.on('connection', (socket: Socket) => {
      const key = connectionKey(socket);
      if (this.#strangers.size + this.#readers.size >= MAX_CONNECTIONS) this.#makeRoom();
      this.#strangers.set(key, socket);
      socket.once('close', () => {
        for (const each of [this.#strangers, this.#readers]) if (each.get(key) === socket) each.delete(key);
      });
    });
  }

  /** The connection of this request reads. */
  reads({ socket }: IncomingMessage): void {
    const key = connectionKey(socket);
    const below = this.#strangers.get(key) ?? this.#readers.get(key);
    if (below === undefined) return;
    this.#strangers.delete(key);
    this.#readers.delete(key); // to the end of the row
    this.#readers.set(key, below);
  }

  #makeRoom(): void {
    const from = this.#strangers.size > 0 ? this.#strangers : this.#readers;
    const [oldest] = from;
    if (oldest === undefined) return;
    from.delete(oldest[0]);
    oldest[1].destroy();
  }
}

interface Responding {
  readonly mayRead: (request: IncomingMessage) => boolean;
  readonly connections: Connections;
  readonly read: () => Promise<string>;
  readonly signs: SignsOfLife;
  readonly log: Logger;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { mayRead, connections, read, signs, log }: Responding,
) {
  const { method = '', url = '/' } = request;
  const refuse = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(status, { ...COMMON, 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(method === 'HEAD' ? undefined : `${text}\n`);
  };
  request.resume();
  response.on('error', () => undefined);
  const isRead = method === 'GET' || method === 'HEAD';
  const { path } = splitTarget(url);
  const sign = signs.get(path)?.();
  if (sign !== undefined && isRead) {
    response.writeHead(sign.isGood ? 200 : 503, { ...COMMON, 'content-type': 'application/json' });
    response.end(method === 'HEAD' ? undefined : `${JSON.stringify(sign.body)}\n`);
    return;
  }
  if (!mayRead(request)) {
    refuse(401, 'Send the token of metrics as a bearer token.', { 'www-authenticate': 'Bearer realm="metrics"' });
    return;
  }
  connections.reads(request);
  if (path !== '/metrics' && sign === undefined) {
    refuse(404, 'Metrics are at /metrics, signs of life at /livez and /readyz.');
    return;
  }
  if (!isRead) {
    refuse(405, 'It is only read.', { allow: 'GET, HEAD' });
    return;
  }
  try {
    const text = await read();
    const isPacked = text.length > SMALL && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = isPacked ? await compress(text) : Buffer.from(text);
    response.writeHead(200, {
      ...COMMON,
      'content-type': CONTENT_TYPE,
      'content-length': body.length,
      'vary': 'accept-encoding',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(method === 'HEAD' ? undefined : body);
  } catch (error) {
    log.warn({ err: error }, 'metrics could not be read');
    if (!response.headersSent) refuse(503, 'Metrics could not be read; try again.');
  }
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** However many ask at a time, they are read once. */
function once(read: () => Promise<string>): () => Promise<string> {
  let running: Promise<string> | undefined;
  return () =>
    (running ??= read().finally(() => {
      running = undefined;
    }));
}

/** Compared as hashes, so that the time it takes gives nothing of the token away. */
function tokenCheck(token: string | undefined): (request: IncomingMessage) => boolean {
  if (token === undefined) return () => true;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const expected = hash(token);
  return ({ headers }) => {
    const [, sent] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    return sent !== undefined && timingSafeEqual(hash(sent), expected);
  };
}

/** @throws ConfigError */
function tokenIn(file: string | null): string | undefined {
  const text = textIn(file, 'EDGE_METRICS_TOKEN_FILE')?.trim();
  if (text === undefined) return undefined;
  try {
    return bearerToken(text);
  } catch (error) {
    throw new ConfigError(`The token in the file of EDGE_METRICS_TOKEN_FILE ${(error as Error).message}.`);
  }
}

/** @throws ConfigError */
const textIn = (file: string | null, variable: string): string | undefined =>
  file === null ? undefined : readSettingFile(file, variable);

/** @throws ConfigError for a certificate, key or authority that cannot be used */
function withTls<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ConfigError(
      `The certificate, key or authority of the metrics settings cannot be used: ${(error as Error).message}.`,
    );
  }
}
