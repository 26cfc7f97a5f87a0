/**
 * The configuration: one YAML file, every setting also an environment variable, which wins. Each setting stands once
 * in the table below with its default and its check; docs/configuration.md is written from the same table.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import { CORE_SCHEMA, YAMLException, dump, load } from 'js-yaml';
import { parseConnectionUrl } from '../db/connection-url.js';
import { usernameFault } from '../domain/auth/username.js';
import { formatHostPort, parseHost, parseHostPort } from '../domain/pki/server-name.js';
import { parseKeyKind } from '../domain/pki/keys.js';
import { parseTrustDomain } from '../domain/pki/spiffe.js';

/** A fault in the configuration: names the setting, where it was set and how to mend it. */
export class ConfigError extends Error {}

interface Setting<T> {
  /** Dotted place in the YAML file. */
  readonly path: string;
  readonly env: string;
  /** @throws Error with a reason */
  readonly parse: (value: unknown) => T;
  readonly fallback: T;
  readonly about: string;
  readonly isSecret?: boolean;
}

const setting = <T>(path: string, env: string, parse: (value: unknown) => T, fallback: T, about: string, isSecret = false): Setting<T> =>
  ({ path, env, parse, fallback, about, isSecret });

function text(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') throw new Error('must be a text that is not empty');
  return value;
}

const orNone = <T>(parse: (value: unknown) => T) => (value: unknown): T | null => (value === null || value === '' ? null : parse(value));

const integer = (min: number, max: number) => (value: unknown): number => {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) throw new Error(`must be a whole number from ${min} to ${max}`);
  return number;
};

function workerCount(value: unknown): number {
  return value === 'auto' ? availableParallelism() : integer(1, 256)(value);
}

function flag(value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw new Error('must be true or false');
}

const oneOf = <T extends string>(...allowed: readonly T[]) => (value: unknown): T => {
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
  return found;
};

/** A list in YAML, or a text with commas. */
const listOf = <T>(parse: (value: unknown) => T) => (value: unknown): readonly T[] => {
  const items: unknown[] = Array.isArray(value) ? value : value === null || value === '' ? [] : text(value).split(',').map((item) => item.trim());
  return items.map(parse);
};

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** `30m`, `1h30m`, `90s`, in seconds. */
const duration = (minSeconds: number, maxSeconds: number) => (value: unknown): number => {
  const match = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.exec(text(value));
  if (match === null) throw new Error("must be a duration such as '30m', '1h30m' or '45s'");
  let seconds = 0;
  for (const [, amount, unit] of match[0].matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) seconds += Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0);
  if (seconds < minSeconds || seconds > maxSeconds) throw new Error(`must be from ${minSeconds} s to ${maxSeconds} s`);
  return seconds;
};

/** In the one form of hosts, whatever was written: what is advertised is what the certificate says. */
const hostPort = (value: unknown): string => formatHostPort(parseHostPort(text(value)));

function databaseUrl(value: unknown): string {
  const url = text(value);
  parseConnectionUrl(url);
  return url;
}

function origin(value: unknown): string {
  const given = text(value);
  if (given === '*') return given;
  const parsed = URL.canParse(given) ? new URL(given).origin : 'null';
  if (parsed === 'null' || parsed !== given.replace(/\/$/, '')) throw new Error(`must be an origin such as https://console.example.com, not ${given}`);
  return parsed;
}

/** An address, or a network with its number of bits. */
function network(value: unknown): string {
  const [address = '', bits, ...more] = text(value).split('/');
  const family = isIP(address);
  const isSize = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  if (family === 0 || !isSize || more.length > 0) throw new Error(`must be an address or a network such as 10.0.0.0/8, not ${text(value)}`);
  return text(value);
}

const password = (value: unknown): string => {
  const given = text(value);
  if (given.length < 5 || given.length > 100) throw new Error('must have 5 to 100 characters');
  return given;
};

const username = (value: unknown): string => {
  const given = text(value);
  const fault = usernameFault(given);
  if (fault !== undefined) throw new Error(fault);
  return given;
};

/** Headers whose values must not be in a log. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'zt-session', 'svc-session', 'mfa-validation-code'];

function plainHeader(value: unknown): string {
  const name = text(value).toLowerCase();
  if (!/^[a-z0-9-]{1,64}$/.test(name)) throw new Error('must be the name of a header, such as x-request-id');
  if (CREDENTIALS.includes(name)) throw new Error(`must not be ${name}: its value would be logged`);
  return name;
}

export const SETTINGS = {
  name: setting('name', 'EDGE_NAME', text, hostname(), 'Name of this controller, unique among those that share a database.'),
  dataDir: setting('dataDir', 'EDGE_DATA_DIR', text, './data', 'Directory for the embedded database, the master key and first-start secrets; made with mode 0700.'),
  listen: setting('listen', 'EDGE_LISTEN', hostPort, '127.0.0.1:1280', 'Address and port to listen on; port 0 takes any free one.'),
  advertise: setting('advertise', 'EDGE_ADVERTISE', hostPort, 'localhost:1280', 'Address and port that clients reach: stands in enrollment JWTs, the version document and the server certificate. Changing it reissues that certificate.'),
  trustDomain: setting('trustDomain', 'EDGE_TRUST_DOMAIN', orNone((value) => parseTrustDomain(text(value))), null, 'SPIFFE trust domain; made at random, and settable, only at the first start.'),
  databaseUrl: setting('database.url', 'DATABASE_URL', orNone(databaseUrl), null, 'PostgreSQL 15 or newer to use, as a connection URL of libpq; several hosts with commas are tried in their order until one takes writes. Unset: an embedded server in the data directory.', true),
  databasePoolSize: setting('database.poolSize', 'EDGE_DATABASE_POOL_SIZE', integer(4, 500), 20, 'Most connections that this controller opens for requests; half of them are for lists, and of those at most 4 for lists without limit.'),
  databasePatience: setting('database.patience', 'EDGE_DATABASE_PATIENCE', duration(0.2, 60), 1.5, 'How long the database may be silent before requests are answered 503.'),
  databaseStartPatience: setting('database.startPatience', 'EDGE_DATABASE_START_PATIENCE', duration(0, 86_400), 60, 'How long a start waits for a database that cannot be reached, is starting up, only reads, or has no connection left. What waiting does not mend, such as a wrong password, ends it at once.'),
  adminUsername: setting('admin.username', 'EDGE_ADMIN_USERNAME', username, 'admin', 'Username of the default administrator, used at the first start.'),
  adminPassword: setting('admin.password', 'EDGE_ADMIN_PASSWORD', orNone(password), null, 'Its password, used at the first start; unset: a random one, shown once and kept in the data directory.', true),
  masterKey: setting('masterKey', 'EDGE_MASTER_KEY', orNone(text), null, 'Key that seals private keys in the database: 32 bytes in base64 or hex; unset: a file in the data directory, made at the first start.', true),
  masterKeyFile: setting('masterKeyFile', 'EDGE_MASTER_KEY_FILE', orNone(text), null, 'File to read the master key from instead.'),
  masterKeyLocal: setting('masterKeyLocal', 'EDGE_MASTER_KEY_LOCAL', flag, false, 'Whether a first start on the database of DATABASE_URL may make the master key in the data directory. Without that file the keys in the database cannot be opened.'),
  oldMasterKeys: setting('oldMasterKeys', 'EDGE_OLD_MASTER_KEYS', listOf(text), [] as readonly string[], 'Earlier master keys, still accepted for reading while secrets are sealed anew.', true),
  tlsKey: setting('tls.key', 'EDGE_TLS_KEY', (value) => parseKeyKind(text(value)), 'ec-p256' as const, 'Kind of the keys made at the first start: ec-p256, rsa-2048, rsa-3072 or rsa-4096.'),
  tlsNames: setting('tls.names', 'EDGE_TLS_NAMES', listOf((value) => parseHost(text(value))), [] as readonly string[], 'Further host names and addresses for the server certificate.'),
  tlsRenewalCheck: setting('tls.renewalCheck', 'EDGE_TLS_RENEWAL_CHECK', duration(0.1, 604_800), 3600, 'How often a running controller looks whether its certificate is due for renewal, or was renewed by another one.'),
  sessionTimeout: setting('edge.api.sessionTimeout', 'EDGE_API_SESSION_TIMEOUT', duration(1, 31_536_000), 1800, 'How long an API session lives without activity.'),
  defaultLimit: setting('edge.api.defaultLimit', 'EDGE_API_DEFAULT_LIMIT', integer(1, 100_000), 10, 'Length of a list that asks for none.'),
  maxLimit: setting('edge.api.maxLimit', 'EDGE_API_MAX_LIMIT', integer(1, 100_000), 500, 'Longest list that is answered in one piece.'),
  enrollmentDuration: setting('edge.enrollment.duration', 'EDGE_ENROLLMENT_DURATION', duration(60, 31_536_000), 10_800, 'How long an enrollment made with an identity may be used.'),
  corsOrigins: setting('cors.origins', 'EDGE_CORS_ORIGINS', listOf(origin), [] as readonly string[], 'Origins whose pages may call the APIs; * allows any, without credentials.'),
  proxyFrom: setting('proxyProtocol.from', 'EDGE_PROXY_PROTOCOL_FROM', listOf(network), [] as readonly string[],
    'Addresses or networks (10.0.0.0/8) of balancers that must send a PROXY protocol header, version 2, and are believed.'),
  workers: setting('workers', 'EDGE_WORKERS', workerCount, 1, 'Processes that share the port: a number, or auto for one per core.'),
  docs: setting('docs', 'EDGE_DOCS', flag, true, 'Whether the API explorer is served at /docs.'),
  maxBodyBytes: setting('limits.bodyBytes', 'EDGE_LIMIT_BODY_BYTES', integer(1024, 104_857_600), 1_048_576, 'Largest request body.'),
  maxBodiesBytes: setting('limits.bodiesBytes', 'EDGE_LIMIT_BODIES_BYTES', integer(1_048_576, 17_179_869_184), 134_217_728,
    'Most bytes of all request bodies on their way together, without the first 64 KiB of each; more are answered 429.'),
  maxHeaders: setting('limits.headers', 'EDGE_LIMIT_HEADERS', integer(16, 2000), 100, 'Most header lines of a request.'),
  maxHeaderBytes: setting('limits.headerBytes', 'EDGE_LIMIT_HEADER_BYTES', integer(4096, 1_048_576), 65_536, 'Largest sum of header lines.'),
  maxJsonDepth: setting('limits.jsonDepth', 'EDGE_LIMIT_JSON_DEPTH', integer(8, 500), 64, 'Deepest nesting of a JSON body.'),
  maxConnections: setting('limits.connections', 'EDGE_LIMIT_CONNECTIONS', integer(1, 1_000_000), 10_000, 'Most open connections.'),
  maxConnectionsPerAddress: setting('limits.connectionsPerAddress', 'EDGE_LIMIT_CONNECTIONS_PER_ADDRESS', integer(1, 1_000_000), 5_000,
    'Most open connections of one address; of IPv6, of one network of 64 bits.'),
  headersTimeout: setting('limits.headersTimeout', 'EDGE_LIMIT_HEADERS_TIMEOUT', duration(1, 300), 10, 'How long a client may take to send its headers.'),
  requestTimeout: setting('limits.requestTimeout', 'EDGE_LIMIT_REQUEST_TIMEOUT', duration(1, 3600), 30, 'How long a client may take to send a whole request.'),
  handlerTimeout: setting('limits.handlerTimeout', 'EDGE_LIMIT_HANDLER_TIMEOUT', duration(0.1, 600), 10, 'How long a request may be worked on before it is answered 503.'),
  listsPerIdentity: setting('limits.listsPerIdentity', 'EDGE_LIMIT_LISTS_PER_IDENTITY', integer(1, 500), 4, 'Lists of one identity that are read at the same time; more wait their turn.'),
  listQueue: setting('limits.listQueue', 'EDGE_LIMIT_LIST_QUEUE', integer(0, 10_000), 64, 'Lists of one identity that may wait for that; more are answered 429.'),
  keepAliveTimeout: setting('limits.keepAliveTimeout', 'EDGE_LIMIT_KEEP_ALIVE', duration(1, 3600), 75, 'How long an idle connection stays open.'),
  stallTimeout: setting('limits.stallTimeout', 'EDGE_LIMIT_STALL', duration(1, 3600), 60,
    'How long a client may read nothing of an answer that waits for it before its connection is cut.'),
  readerPatience: setting('limits.readerPatience', 'EDGE_LIMIT_READER_PATIENCE', duration(1, 300), 10,
    'How long the reader of a list without limit, which holds a connection of the database, may take for 64 KiB of it before it is cut.'),
  lameDuck: setting('limits.lameDuck', 'EDGE_LIMIT_LAME_DUCK', duration(0, 600), 0,
    'How long a controller that is stopping still accepts connections, with /readyz at 503, so that a balancer stops sending them.'),
  drainTimeout: setting('limits.drainTimeout', 'EDGE_LIMIT_DRAIN', duration(0, 600), 15, 'How long requests in flight may take at shutdown.'),
  passwordConcurrency: setting('limits.passwordConcurrency', 'EDGE_LIMIT_PASSWORD_CONCURRENCY', integer(1, 64), 2, 'Passwords hashed at the same time.'),
  passwordQueue: setting('limits.passwordQueue', 'EDGE_LIMIT_PASSWORD_QUEUE', integer(0, 10_000), 64, 'Logins that may wait for that; more are answered 429.'),
  cachedSessions: setting('limits.cachedSessions', 'EDGE_LIMIT_CACHED_SESSIONS', integer(10, 10_000_000), 20_000, 'API sessions kept in memory.'),
  logLevel: setting('log.level', 'EDGE_LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info', 'Least severe log line that is written.'),
  logFormat: setting('log.format', 'EDGE_LOG_FORMAT', oneOf('auto', 'json', 'pretty'), 'auto', 'auto: readable on a terminal, JSON elsewhere.'),
  logRequests: setting('log.requests', 'EDGE_LOG_REQUESTS', oneOf('all', 'changes', 'none'), 'changes', 'Which requests get a log line: all, those that change something, or none. Failures of ours always do.'),
  slowRequest: setting('log.slow', 'EDGE_LOG_SLOW', duration(0, 600), 1, 'Requests that take longer get a line of their own, whatever they are, which tells where the time went; 0s: none do.'),
  requestIdHeader: setting('log.requestIdHeader', 'EDGE_LOG_REQUEST_ID_HEADER', orNone(plainHeader), null, 'Header in which a load balancer names each request, such as x-request-id: the name is used in logs and answers when it has 1 to 64 letters, digits, dots, hyphens and underscores. Unset: names are made here.'),
};

export type Config = { readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never };

export interface ConfigSources {
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @throws ConfigError listing every fault at once */
export function readConfig({ file, env }: ConfigSources): Config {
  const faults: string[] = [];
  const fromFile = file === undefined ? new Map<string, unknown>() : readFile(file);
  const values: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const inEnv = env[item.env];
    const inFile = fromFile.get(item.path);
    fromFile.delete(item.path);
    const [value, place] = inEnv !== undefined ? [inEnv, `environment variable ${item.env}`] : [inFile, `${item.path} in ${file ?? ''}`];
    try {
      values[key] = value === undefined ? item.fallback : item.parse(value);
    } catch (error) {
      faults.push(`${place}: ${(error as Error).message}`);
    }
  }
  for (const path of fromFile.keys()) faults.push(`${path} in ${file ?? ''}: no such setting; the settings are in docs/configuration.md${nearest(path)}`);
  if (faults.length > 0) throw new ConfigError(`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`);
  const config = values as unknown as Config;
  return { ...config, dataDir: resolve(config.dataDir) };
}

/** The effective configuration as YAML, secrets hidden. */
export function printConfig(config: Config): string {
  const tree: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(SETTINGS) as [keyof Config, Setting<unknown>][]) {
    const value = config[key];
    const hidden = item.isSecret === true && value !== null && !(Array.isArray(value) && value.length === 0);
    const isDuration = DURATIONS.has(key);
    place(tree, item.path.split('.'), hidden ? '(hidden)' : isDuration ? `${String(value)}s` : value);
  }
  return dump(tree, { lineWidth: 100 });
}

const DURATIONS = new Set<keyof Config>(['databasePatience', 'databaseStartPatience', 'tlsRenewalCheck',
  'sessionTimeout', 'enrollmentDuration', 'headersTimeout', 'requestTimeout', 'handlerTimeout', 'keepAliveTimeout',
  'drainTimeout', 'slowRequest', 'stallTimeout', 'readerPatience', 'lameDuck']);

function place(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) { tree[head] = value; return; }
  const branch = (tree[head] ??= {}) as Record<string, unknown>;
  place(branch, rest, value);
}

function readFile(file: string): Map<string, unknown> {
  let tree: unknown;
  try {
    tree = load(readFileSync(file, 'utf8'), { filename: file, schema: CORE_SCHEMA });
  } catch (error) {
    throw new ConfigError(`The configuration file cannot be read: ${error instanceof YAMLException ? yamlFault(file, error) : (error as Error).message}`);
  }
  if (tree === undefined || tree === null) return new Map();
  if (typeof tree !== 'object' || Array.isArray(tree)) throw new ConfigError(`The configuration file ${file} must hold settings, such as 'listen: 0.0.0.0:1280'`);
  const flat = new Map<string, unknown>();
  const known = new Set(Object.values(SETTINGS).map((item) => item.path));
  const walk = (branch: object, prefix: string) => {
    for (const [key, value] of Object.entries(branch) as [string, unknown][]) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      const isSection = Object.values(SETTINGS).some((item) => item.path.startsWith(`${path}.`));
      if (isSection && value === null) continue; // its settings are commented out
      if (known.has(path) || typeof value !== 'object' || value === null || Array.isArray(value)) flat.set(path, value);
      else walk(value, path);
    }
  };
  walk(tree, '');
  return flat;
}

/** The setting that was probably meant: the same last word elsewhere, or one that is a slip or two away. */
/** Where and why, without the excerpt that the library shows: its lines may hold a password. */
function yamlFault(file: string, { reason, mark }: YAMLException): string {
  return `${file}, line ${(mark?.line ?? 0) + 1}: ${reason}`;
}

function nearest(path: string): string {
  const lastOf = (dotted: string) => (dotted.split('.').at(-1) ?? dotted).toLowerCase();
  const paths = Object.values(SETTINGS).map((item) => item.path);
  const found = paths.find((known) => lastOf(known) === lastOf(path)) ?? paths.find((known) => slips(known.toLowerCase(), path.toLowerCase()) <= 2);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
}

/** Letters to add, drop or change to get from one word to the other (Levenshtein). */
function slips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
