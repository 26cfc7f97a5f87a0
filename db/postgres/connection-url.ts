/**
 * How DATABASE_URL is read: libpq's connection URL with one or several hosts, and libpq's meaning of its parameters.
 * A text that can be read in two ways is refused. No message contains a piece of the user or of the password; where a
 * host name could be one (`showsServer`), callers must not print that either.
 */
import type { ClientConfig } from 'pg';

/** Says what is wrong with a connection URL and how to mend it; safe to print. */
export class ConnectionUrlError extends Error {}

export interface Host {
  /** A name, an address, or the directory of a Unix socket; undefined: this machine. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface TlsWish {
  readonly mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  /** Files in PEM; `system` as root certificates means those of the system. */
  readonly rootCert?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface ConnectionUrl {
  /** Tried in this order. At least one. */
  readonly hosts: readonly [Host, ...Host[]];
  /** All but host, port and TLS. */
  readonly config: ClientConfig;
  readonly tls: TlsWish;
  /** Whether hosts, port and database name surely hold no piece of a password, and may be printed. */
  readonly showsServer: boolean;
}

const DEFAULT_PORT = 5432;
const FORM = 'postgresql://user:password@host:5432/database';
const ENCODE =
  'Percent-encode user and password: ' +
  'write %40 for @, %2F for /, %3F for ?, %23 for #, %3A for : and %25 for %. ' +
  `This does it for the text that you type into it: node -p 'encodeURIComponent(fs.readFileSync(0, "utf8").trim())'`;

/** @throws ConnectionUrlError for whatever is not surely understood */
export function parseConnectionUrl(text: string): ConnectionUrl {
  const scheme = /^postgres(?:ql)?:\/\//.exec(text)?.[0];
  if (scheme === undefined) {
    throw refused(
      `must be a URL that begins with postgresql://, such as ${FORM}; the form host=… dbname=… is not taken`,
    );
  }
  const parts = /^(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^@/?#]*))?(?:\?([^@?#]*))?$/.exec(text.slice(scheme.length));
  if (parts === null) throw refused(`has an @, /, ? or # in a place where it cannot be told what it means. ${ENCODE}`);
  const [, userinfo, authority = '', path = '', query = ''] = parts;
  const parameters = readParameters(query, userinfo !== undefined || authority === '');
  const [user, password] = credentials(userinfo ?? '');
  const hosts = readHosts(authority, parameters);
  const tls = readTls(parameters);
  const config: ClientConfig = {
    ...optional('user', parameters.get('user') ?? user),
    ...optional('password', parameters.get('password') ?? password),
    ...optional('database', parameters.get('dbname') ?? decode(path)),
    ...readSettings(parameters),
  };
  // With credentials in their place, and none elsewhere, what follows the only @ cannot be a piece of them.
  const showsServer = (userinfo !== undefined || authority === '') && !parameters.has('password');
  return { hosts, config, tls, showsServer };
}

function refused(reason: string): ConnectionUrlError {
  return new ConnectionUrlError(reason);
}

function optional<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined || value === '' ? {} : ({ [key]: value } as Record<K, string>);
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (decoded.includes('\0')) throw new URIError('NUL');
    return decoded;
  } catch {
    throw refused(`has a % that does not begin an encoded character. ${ENCODE}`);
  }
}

function credentials(userinfo: string): [string, string] {
  const colon = userinfo.indexOf(':');
  if (colon < 0) return [decode(userinfo), ''];
  // libpq takes the rest as the password, but who did not encode one colon may have put it into the user.
  if (userinfo.indexOf(':', colon + 1) >= 0) throw refused(`has a second : before the @. ${ENCODE}`);
  return [decode(userinfo.slice(0, colon)), decode(userinfo.slice(colon + 1))];
}

/** Values that each parameter takes. The others of libpq change nothing that a controller does, and are refused. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  'host': /^/,
  'port': /^/,
  'user': /^/,
  'password': /^/,
  'dbname': /^/,
  'application_name': /^/,
  'options': /^/,
  'sslmode': /^(disable|allow|prefer|require|verify-ca|verify-full|no-verify)$/,
  'sslrootcert': /./,
  'sslcert': /./,
  'sslkey': /./,
  'sslnegotiation': /^(postgres|direct)$/,
  'target_session_attrs': /^(any|read-write|primary)$/,
  'connect_timeout': /^\d{1,4}$/,
  'channel_binding': /^(disable|prefer)$/,
  'client_encoding': /^(utf-?8|auto)$/i,
  'load_balance_hosts': /^disable$/,
};

const ADVICE: Readonly<Record<string, string>> = {
  target_session_attrs: 'a controller needs a server that takes writes: read-write is the only choice',
  channel_binding: 'prefer or disable can be chosen; what require adds, sslmode=verify-full gives',
  sslmode: 'it is one of disable, allow, prefer, require, verify-ca and verify-full',
  sslnegotiation: 'it is postgres or direct',
  connect_timeout: 'it is a whole number of seconds',
  client_encoding: 'it is UTF8',
  load_balance_hosts: 'hosts are tried in their order',
  ssl: 'write sslmode=verify-full, or another of its modes',
  hostaddr: 'write the address as the host',
};

/** @param isCertain  that this text cannot be a piece of a password, so that the names in it may be printed */
function readParameters(query: string, isCertain: boolean): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string | undefined] => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.length === 0 ? undefined : decode(value.join('='))];
    });
  const showsNames = isCertain && !pairs.some(([name]) => name === 'password');
  for (const [name, value] of pairs) {
    const shown = showsNames && /^[a-z_]{1,40}$/.test(name) ? ` ${name}` : '';
    const check = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    const advice = Object.hasOwn(ADVICE, name) ? `: ${ADVICE[name] ?? ''}` : '';
    if (check === undefined) {
      const hint = advice === '' ? `; known are ${Object.keys(PARAMETERS).join(', ')}` : advice;
      throw refused(`has a parameter${shown} that is not known here${hint}`);
    }
    if (value === undefined || !check.test(value)) {
      throw refused(`has the parameter ${name} without a value that can be used${advice}`);
    }
    if (found.has(name)) throw refused(`has the parameter ${name} twice`);
    found.set(name, value);
  }
  return found;
}

function readHosts(authority: string, parameters: ReadonlyMap<string, string>): [Host, ...Host[]] {
  const given =
    parameters
      .get('host')
      ?.split(',')
      .map((host) => ({ host, port: '' })) ?? authority.split(',').map(splitHost);
  const ports = parameters.get('port')?.split(',');
  if (ports !== undefined && ports.length !== 1 && ports.length !== given.length) {
    throw refused('has another number of ports than of hosts: give one for all, or one for each');
  }
  const hosts = given.map(({ host, port }, index) => {
    const ownPort = ports?.[ports.length === 1 ? 0 : index] ?? port;
    return { host: host === '' ? undefined : host, port: readPort(ownPort) };
  });
  return hosts as [Host, ...Host[]];
}

/** One of `host`, `host:port`, `[::1]`, `[::1]:port`, `:port`, `%2Fdirectory`. */
function splitHost(text: string): { host: string; port: string } {
  const [, v6, name, port = ''] = /^(?:\[([\da-fA-F:.%]+)\]|([^[\]:]*))(?::(\d*))?$/.exec(text) ?? [];
  if (v6 === undefined && name === undefined) {
    throw refused(
      `has a host or port that cannot be read: the form is ${FORM}, with an IPv6 address in brackets. ${ENCODE}`,
    );
  }
  return { host: decode(v6 ?? name ?? ''), port };
}

function readPort(text: string): number {
  const port = text === '' ? DEFAULT_PORT : Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw refused(`has a port that is not a number from 1 to 65535. ${ENCODE}`);
  }
  return port;
}

/** `allow` of libpq tries without TLS first; there is no reason to. */
const SAME_MODE: Readonly<Record<string, string>> = { 'allow': 'prefer', 'no-verify': 'require' };

function readTls(parameters: ReadonlyMap<string, string>): TlsWish {
  const [rootCert, cert, key] = [parameters.get('sslrootcert'), parameters.get('sslcert'), parameters.get('sslkey')];
  const fallback = rootCert === 'system' ? 'verify-full' : 'disable';
  const given = parameters.get('sslmode') ?? process.env['PGSSLMODE'] ?? fallback;
  if (!PARAMETERS['sslmode']?.test(given))
    throw refused('has no sslmode, and PGSSLMODE of the environment is not one of libpq');
  if (rootCert === 'system' && given !== 'verify-full') {
    throw refused(
      'has sslrootcert=system, which needs sslmode=verify-full: anybody can get a certificate from those authorities',
    );
  }
  if ((cert === undefined) !== (key === undefined)) throw refused('has one of sslcert and sslkey: give both or none');
  // With root certificates, `require` verifies against them.
  const mode = given === 'require' && rootCert !== undefined ? 'verify-ca' : (SAME_MODE[given] ?? given);
  if (mode === 'disable' && (rootCert ?? cert) !== undefined) {
    throw refused('has certificates for TLS, but no sslmode that uses them: add sslmode=verify-full');
  }
  if (parameters.get('sslnegotiation') === 'direct' && (mode === 'disable' || mode === 'prefer')) {
    throw refused('has sslnegotiation=direct, which needs sslmode=require or a stricter one');
  }
  return {
    mode: mode as TlsWish['mode'],
    ...(rootCert === undefined ? {} : { rootCert }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

function readSettings(parameters: ReadonlyMap<string, string>): ClientConfig {
  const seconds = Number(parameters.get('connect_timeout') ?? 0);
  return {
    ...optional('application_name', parameters.get('application_name')),
    ...optional('options', parameters.get('options')),
    ...(parameters.get('sslnegotiation') === 'direct' ? { sslnegotiation: 'direct' as const } : {}),
    ...(parameters.get('channel_binding') === 'prefer' ? { enableChannelBinding: true } : {}),
    // libpq waits for two seconds at least.
    ...(seconds === 0 ? {} : { connectionTimeoutMillis: Math.max(2, seconds) * 1000 }),
  };
}
