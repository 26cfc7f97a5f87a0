/**
 * Finds the PostgreSQL server in use: of the hosts of a connection URL, and of the addresses of a name, the first one
 * that takes writes. Every connection of ours is a `ServerClient`, which goes to that one; when the database is lost,
 * `find` looks again from the first.
 */
import { lookup } from 'node:dns/promises';
import { existsSync, readFileSync } from 'node:fs';
import { connect as connectSocket, isIP } from 'node:net';
import { checkServerIdentity, rootCertificates } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import type { ClientConfig, PoolClient } from 'pg';
import { ConnectionUrlError } from './connection-url.js';
import type { ConnectionUrl, Host, TlsWish } from './connection-url.js';
import { prepareConnection, requireWritable } from './connection.js';
import type { KnowingClient } from './connection.js';

type Server = Required<Pick<ClientConfig, 'port' | 'ssl'>> & Pick<ClientConfig, 'host'>;

export interface Servers {
  /** Settings of new connections. */
  present(): ClientConfig;
  /**
   * Makes the first server that takes writes the present one. A single server is not asked: connecting shows whether it
   * does.
   * @throws the failures as one AggregateError when none takes writes
   */
  find(timeoutMs: number): Promise<void>;
  /** Hosts and database for a message; undefined when they may hold a piece of a password. */
  readonly place: string | undefined;
}

/** A connection's settings with the servers it may go to. Survives being spread into another object. */
export interface ServerConfig extends ClientConfig {
  readonly servers?: Servers;
}

/** A connection to the present server of its settings. */
export class ServerClient extends pg.Client {
  /** Names of the statements that were sent to be prepared on it. */
  readonly prepared = new Set<string>();
  /** Columns of those, for each form in which their rows come. */
  readonly known: KnowingClient['known'] = { objects: new Map(), texts: new Map() };

  constructor(config: ServerConfig = {}) {
    super(presentConfig(config));
  }
}

/** One of a pool of them. */
export type PooledClient = ServerClient & PoolClient;

/**
 * Connections of a pool, from the moment that each is being made: one that waits in a proxy for a server that is gone
 * must be cut as well.
 */
export function trackedClients(): { readonly Client: typeof ServerClient; readonly open: ReadonlySet<pg.Client> } {
  const open = new Set<pg.Client>();
  return {
    open,
    Client: class extends ServerClient {
      constructor(config?: ServerConfig) {
        super(config);
        open.add(this);
        this.once('end', () => open.delete(this));
      }
    },
  };
}

/** Settings as of now. A pool hides the password of its settings from being listed, so it is named here. */
export function presentConfig(config: ServerConfig): ClientConfig {
  const { password } = config;
  return { ...config, ...(password === undefined ? {} : { password }), ...config.servers?.present() };
}

/**
 * @param takesWrites  false: it is to be a standby
 * @throws ConnectionUrlError when a file of a certificate cannot be used
 */
export function serversOf(url: ConnectionUrl, takesWrites = true): ServerConfig {
  const tls = tlsOptions(url.tls);
  let present: Server | undefined;
  const servers: Servers = {
    place: url.showsServer ? placeOf(url) : undefined,
    present: () => present ?? serverAt(url.hosts[0], url.hosts[0].host, tls),
    async find(timeoutMs) {
      const failures: unknown[] = [];
      const isAlone = url.hosts.length === 1;
      for (const host of url.hosts) {
        const addresses = await addressesOf(host).catch((error: unknown) => {
          failures.push(error);
          return [];
        });
        for (const address of addresses) {
          try {
            const isPlain = url.tls.mode === 'prefer' && !(await offersTls(address, host.port, timeoutMs));
            const server = serverAt(host, address, isPlain ? false : tls);
            if (!isAlone || addresses.length > 1)
              await requireServer({ ...url.config, ...server }, timeoutMs, takesWrites);
            present = server;
            return;
          } catch (error) {
            failures.push(error);
          }
        }
      }
      if (failures.length === 1) throw failures[0];
      throw new AggregateError(failures, `no server ${takesWrites ? 'of DATABASE_URL takes writes' : 'is a standby'}`);
    },
  };
  return { ...url.config, servers };
}

function placeOf({ hosts, config }: ConnectionUrl): string {
  const named = (host = 'this machine') => (host.includes(':') ? `[${host}]` : host);
  const names = hosts.map(({ host, port }) => `${named(host)}:${port}`);
  return `${names.join(',')}${config.database === undefined ? '' : ` (${config.database})`}`;
}

function serverAt({ host, port }: Host, address: string | undefined, tls: ConnectionOptions | false): Server {
  // TLS protects a network; libpq does not use it on a Unix socket either.
  const ssl = tls === false || address?.startsWith('/') === true ? false : withName(tls, host);
  return { ...(address === undefined ? {} : { host: address }), port, ssl };
}

/** The certificate must be of the name in the URL, also when the connection goes to one of its addresses. */
function withName(tls: ConnectionOptions, host: string | undefined): ConnectionOptions {
  return host === undefined || isIP(host) > 0 ? { ...tls } : { ...tls, servername: host };
}

/** Itself for a name with one address, so that each connection looks it up again. */
async function addressesOf({ host }: Host): Promise<(string | undefined)[]> {
  if (host === undefined || host.startsWith('/') || isIP(host) > 0) return [host];
  const addresses = [...new Set((await lookup(host, { all: true })).map(({ address }) => address))];
  return addresses.length === 1 ? [host] : addresses;
}

async function requireServer(config: ClientConfig, timeoutMs: number, takesWrites: boolean): Promise<void> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await (takesWrites ? requireWritable(client) : prepareConnection(client, { isStandby: true }));
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** SSLRequest: a length of 8, then a number that is no version of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Asks a server whether it speaks TLS, which it answers with one letter. */
function offersTls(host: string | undefined, port: number, timeoutMs: number): Promise<boolean> {
  if (host?.startsWith('/') === true) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, host ?? 'localhost', () => {
      socket.write(SSL_REQUEST);
    });
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(new Error('timeout expired'));
    });
    socket.once('data', (answer) => {
      resolve(answer.toString('latin1', 0, 1) === 'S');
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      reject(new Error('Connection terminated unexpectedly'));
    });
  });
}

function tlsOptions({ mode, rootCert, cert, key }: TlsWish): ConnectionOptions | false {
  if (mode === 'disable') return false;
  const files = {
    ...(rootCert === undefined ? {} : { ca: rootCert === 'system' ? systemRoots() : readPem('sslrootcert', rootCert) }),
    ...(cert === undefined || key === undefined ? {} : { cert: readPem('sslcert', cert), key: readPem('sslkey', key) }),
  };
  switch (mode) {
    case 'verify-full':
      return { ...files, checkServerIdentity };
    case 'verify-ca':
      return { ...files, checkServerIdentity: () => undefined };
    // No authority is given: the connection is encrypted, but the server is not verified.
    case 'prefer':
    case 'require':
      return { ...files, rejectUnauthorized: false };
  }
}

function readPem(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConnectionUrlError(`names a file in ${parameter} that cannot be read (${code})`);
  }
}

const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Certificates that OpenSSL finds; where the system has none, those that come with Node. */
function systemRoots(): string | string[] {
  const candidates = [process.env['SSL_CERT_FILE'] ?? '', ...SYSTEM_ROOTS];
  const file = candidates.find((candidate) => candidate !== '' && existsSync(candidate));
  return file === undefined ? [...rootCertificates] : readFileSync(file, 'utf8');
}
