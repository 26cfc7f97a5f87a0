/**
 * Why the database does not do what it should, when the request is not at fault: each cause with what a caller may
 * read, what an operator should do, and whether it mends itself. The one place that knows these codes and texts.
 */
import { DatabaseError } from 'pg';
import { DomainError } from '../../domain/errors.js';
import { ReadOnlyServer } from './connection.js';

interface OutageFacts {
  /** Text for callers: short, without internals. */
  readonly caller: string;
  /** Text for the log, and for a start that fails. */
  readonly state: string;
  readonly advice: string;
  /** How long until a person must act, in seconds; infinite: it mends itself. */
  readonly patienceSeconds: number;
  /** The connection that met it must not be used again. */
  readonly breaksConnection: boolean;
  /** A start waits for its end; otherwise it fails at once. */
  readonly isPassing: boolean;
  /** No caller can change anything meanwhile: a controller that meets it is not ready. */
  readonly stopsChanges: boolean;
}

const passing = { breaksConnection: true, isPassing: true, patienceSeconds: 30, stopsChanges: true } as const;
const fixed = { breaksConnection: true, isPassing: false, patienceSeconds: 0, stopsChanges: true } as const;
const full = { breaksConnection: false, isPassing: true, patienceSeconds: 0, stopsChanges: false } as const;

export const OUTAGES = {
  unreachable: {
    ...passing,
    caller: 'the database cannot be reached',
    state: 'the database cannot be reached',
    advice: 'Start it, or correct DATABASE_URL',
  },
  frozen: {
    ...passing,
    caller: 'the database does not answer',
    state: 'the database accepts connections and does not answer in time',
    advice: 'Look at its load, its disk and its locks',
  },
  startingUp: {
    ...passing,
    caller: 'the database is starting or stopping',
    state: 'the database is starting up or shutting down',
    advice: 'Wait for it; its log says what it does',
  },
  shuttingDown: {
    ...passing,
    caller: 'the database ended the connection',
    state: 'the database was shut down, or an administrator ended its connections',
    advice: 'Start it',
  },
  readOnly: {
    ...passing,
    caller: 'the database is read-only at the moment',
    state: 'the database only reads: it is a standby or was made read-only',
    advice:
      'Promote it, or set DATABASE_URL to the primary (several hosts may be given); ' +
      'if default_transaction_read_only is on, turn it off',
  },
  unconfirmed: {
    ...full,
    stopsChanges: true,
    caller: 'changes wait for a standby of the database',
    state: 'changes wait for a synchronous standby of the database',
    advice: 'Start the standby, or take it out of synchronous_standby_names',
  },
  connectionLimit: {
    ...full,
    stopsChanges: true,
    caller: 'the database has no connection left',
    state: 'the database gives no more connections: a limit is reached',
    advice: 'Raise max_connections or the CONNECTION LIMIT of the role or database, or lower EDGE_DATABASE_POOL_SIZE',
  },
  diskFull: {
    ...full,
    stopsChanges: true,
    isPassing: false,
    caller: 'the disk of the database is full',
    state: 'the disk of the database is full',
    advice: 'Free space on it, or enlarge it; nothing else has to be done',
  },
  outOfMemory: {
    ...full,
    isPassing: false,
    caller: 'the database has too little memory',
    state: 'the database has run out of memory or of another resource',
    advice: 'Look at its log and its memory settings',
  },
  faulty: {
    ...full,
    isPassing: false,
    caller: 'the database has a fault',
    state: 'the database reports a fault of its system, such as a failing disk',
    advice: 'Look at its log',
  },
  loginRefused: {
    ...fixed,
    caller: 'the database refuses the controller',
    state: 'the database refuses the login',
    advice: 'Correct user, password or database in DATABASE_URL, or the rules in pg_hba.conf',
  },
  tlsRefused: {
    ...fixed,
    caller: 'the connection to the database is not secure',
    state: 'TLS to the database fails',
    advice: 'Correct sslmode, sslrootcert or the certificate of the server',
  },
  noFiles: {
    ...full,
    isPassing: false,
    caller: 'the controller has too many open files',
    state: 'this process may open no more files or sockets',
    advice: 'Raise its limit (ulimit -n, LimitNOFILE)',
  },
  busy: {
    ...full,
    isPassing: true,
    patienceSeconds: 60,
    caller: 'the database is busy',
    state: 'all connections of the pool are in use for longer than a request waits',
    advice: 'If it lasts, look for slow statements and locks, or raise EDGE_DATABASE_POOL_SIZE',
  },
  locked: {
    ...full,
    patienceSeconds: 60,
    caller: 'the entity is locked',
    state: 'a lock in the database is held for too long',
    advice: 'If it lasts, look for its holder in pg_locks',
  },
  conflict: {
    ...full,
    patienceSeconds: Infinity,
    caller: 'too many changes at the same time',
    state: 'changes at the same time hindered each other',
    advice: 'It mends itself',
  },
} as const satisfies Record<string, OutageFacts>;

export type Outage = keyof typeof OUTAGES;

/** A request that failed by no fault of its own: 503. */
export class DatabaseUnavailable extends DomainError {
  constructor(
    readonly outage: Outage,
    cause: unknown,
  ) {
    const causeMessage = `${OUTAGES[outage].caller}; try again shortly`;
    super('unavailable', { causeMessage, headers: { 'retry-after': '1' }, cause, logReason: outage });
  }
}

/** SQLSTATEs, the first that fits. */
const STATES: readonly (readonly [RegExp, Outage])[] = [
  [/^08/, 'unreachable'],
  [/^57P0[125]/, 'shuttingDown'],
  [/^57P03/, 'startingUp'],
  [/^25006/, 'readOnly'],
  [/^53100/, 'diskFull'],
  [/^53300/, 'connectionLimit'],
  [/^53/, 'outOfMemory'],
  [/^58/, 'faulty'],
  [/^55P03/, 'locked'],
  [/^40(001|P01)/, 'conflict'],
  [/^(28|3D000|57P04)/, 'loginRefused'],
];

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EPIPE',
  'ENOTCONN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
]);
const NO_FILES = new Set(['EMFILE', 'ENFILE']);

/** Texts of node-postgres and its pool, which give no codes. */
const TEXTS: readonly (readonly [RegExp, Outage])[] = [
  [/^timeout exceeded when trying to connect/, 'busy'],
  [/^(timeout expired|Query read timeout|Connection terminated due to connection timeout)/, 'frozen'],
  [/^Connection terminated: the database does not answer/, 'frozen'],
  [/^(Connection terminated|Client has encountered a connection error|Cannot use a pool)|not queryable/, 'unreachable'],
  [/^The server does not support SSL|^There was an error establishing an SSL/, 'tlsRefused'],
];

const TLS_CODE = /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** ALLOW_CONNECTIONS of the database is false. Of a statement the same code means something else. */
const isClosed = ({ code, severity }: DatabaseError): boolean => code === '55000' && severity === 'FATAL';

/** Undefined: the database is not the reason. Of several failures, the first that waiting does not mend. */
export function outageOf(error: unknown): Outage | undefined {
  if (error instanceof DatabaseUnavailable) return error.outage;
  if (error instanceof ReadOnlyServer) return 'readOnly';
  if (error instanceof AggregateError) {
    const all = error.errors.map(outageOf);
    const lasting = all.find((outage) => outage !== undefined && !OUTAGES[outage].isPassing);
    return lasting ?? all.find((outage) => outage !== 'unreachable') ?? all[0];
  }
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (error instanceof DatabaseError)
    return isClosed(error) ? 'loginRefused' : STATES.find(([pattern]) => pattern.test(error.code ?? ''))?.[1];
  if (typeof code === 'string') {
    if (UNREACHABLE.has(code)) return 'unreachable';
    if (NO_FILES.has(code)) return 'noFiles';
    if (TLS_CODE.test(code)) return 'tlsRefused';
  }
  return TEXTS.find(([pattern]) => pattern.test(error.message))?.[1];
}

const CODES: Readonly<Record<string, string>> = {
  'ECONNREFUSED': 'connection refused',
  'ENOENT': 'its socket is not there',
  'ENOTFOUND': 'its host name is not known',
  'EAI_AGAIN': 'its host name cannot be looked up',
  '28P01': 'the password or the user is wrong',
  '28000': 'pg_hba.conf has no rule for this login, the user does not exist, or TLS is asked for',
  '3D000': 'the database does not exist',
  '42501': 'the user has no right to connect',
  '55000': 'the database accepts no connections',
};

/**
 * Says what went wrong in words that hold nothing of DATABASE_URL: the server's own message and the system's may repeat
 * user, host or database, which can be a piece of a password that was not encoded.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(reasonOf))].join(', ');
  }
  const outage = outageOf(error);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && Object.hasOwn(CODES, code)) return `${CODES[code] ?? ''} (${code})`;
  if (outage !== undefined) return `${OUTAGES[outage].state}${typeof code === 'string' ? ` (${code})` : ''}`;
  return typeof code === 'string' ? `error ${code}` : error instanceof Error ? error.name : 'unknown';
}
