/**
 * Writes refused logins and enrollments into the audit record. They change nothing, so they are in no transaction of a
 * change: they are kept for a moment and written together, and no answer waits for it. What one network, or all of
 * them, can have written in a minute is bounded, so no one can fill the disk: the rest of the minute becomes one sum.
 */
import type { RefusalRecord } from '../../domain/audit.js';
import type { DomainError, ErrorKind } from '../../domain/errors.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { Stores } from '../../db/stores/stores.js';
import { networkOf } from '../base/client-address.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import { OwnChangesSpent } from './own-changes.js';
import type { RequestFacts } from '../http/request-facts.js';

/** Written one by one in a minute: of a network, and of all. */
export const MOST_OF_NETWORK = 10;
export const MOST_OF_ALL = 120;
/** Networks with a sum of their own; what others are refused beyond is one sum more. */
const MOST_SUMS = 100;
const MINUTE_MS = 60_000;
const FLUSH_MS = 200;

/** A request that failed. */
export interface RefusedRequest {
  readonly error: DomainError;
  readonly seen: RequestFacts;
  readonly requestId: string;
}

export interface RefusedLogins {
  /** Writes it down soon when it is the refusal of a login. Never throws. */
  seen(failed: RefusedRequest): void;
  /** Ends the minute: its sums are written. */
  turn(): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface RefusedLoginsOptions {
  readonly stores: Pick<Stores, 'auditRecords'>;
  /** Name of this controller. */
  readonly controller: string;
  readonly log: Logger;
}

interface Sum {
  count: number;
  readonly since: Date;
}

export function createRefusedLogins({ stores, controller, log }: RefusedLoginsOptions): RefusedLogins {
  let due: RefusalRecord[] = [];
  let written = 0;
  let ofNetwork = new Map<string, number>();
  let sums = new Map<string | null, Sum>();
  const writing = new CoalescedTask(async () => {
    const refusals = due;
    due = [];
    if (refusals.length === 0) return;
    try {
      await stores.auditRecords.addRefusals(refusals, controller);
    } catch (error) {
      // They are as many as a minute may have: what a database that is out cannot take is lost, and was logged.
      noteFailure(log, error, 'refused logins could not be written into the audit record');
    }
  });
  const flush = setInterval(() => {
    if (due.length > 0) writing.schedule();
  }, FLUSH_MS).unref();

  const add = (network: string): boolean => {
    const count = (ofNetwork.get(network) ?? 0) + 1;
    if (count > MOST_OF_NETWORK || written >= MOST_OF_ALL) {
      const key = sums.has(network) || sums.size < MOST_SUMS ? network : null;
      const sum = sums.get(key) ?? { count: 0, since: new Date() };
      sum.count += 1;
      sums.set(key, sum);
      return false;
    }
    written += 1;
    ofNetwork.set(network, count);
    return true;
  };
  const endMinute = () => {
    for (const [address, { count, since }] of sums) due.push(sumOf(address, count, since));
    written = 0;
    ofNetwork = new Map();
    sums = new Map();
  };
  const turn = async () => {
    endMinute();
    await writing.runNow();
    await writing.runNow(); // what came while a turn was under way
  };
  const minute = setInterval(() => void turn(), MINUTE_MS).unref();

  return {
    seen(failed) {
      const refusal = refusalOf(failed);
      if (refusal !== undefined && add(networkOf(failed.seen.address))) due.push(refusal);
    },
    turn,
    async close() {
      clearInterval(flush);
      clearInterval(minute);
      await turn();
      await writing.close();
    },
  };
}

/** How a login or an enrollment is tried with an operation. */
export const METHODS: Readonly<Record<string, string>> = {
  authenticate: '', // the request says which
  authenticateMfa: 'totp',
  verifyMfa: 'totp',
  deleteMfa: 'totp',
  detailMfaRecoveryCodes: 'totp',
  createMfaRecoveryCodes: 'totp',
  updateCurrentIdentityAuthenticator: 'password',
  patchCurrentIdentityAuthenticator: 'password',
  enroll: 'enroll',
  enrollCa: 'ca',
  enrollOtt: 'ott',
  enrollOttCa: 'ottca',
  enrollUpdb: 'updb',
  enrollToken: 'token',
  enrollErOtt: 'erott',
  extendRouterEnrollment: 'router',
  loginByCert: 'cert',
  loginByExtJwt: 'ext-jwt',
  loginByPassword: 'password',
  loginByUsername: 'password',
  loginByTotp: 'totp',
  beginTotp: 'totp',
  removeTotp: 'totp',
  verifyTotp: 'totp',
};
const ENROLLMENTS = /^(?:enroll|extendRouterEnrollment)/;

/** Not refused for what was shown, but because it could not be looked at. */
const NO_REFUSALS: readonly ErrorKind[] = [
  'invalidField',
  'unparsableBody',
  'unsupportedMedia',
  'notAcceptable',
  'payloadTooLarge',
  'unavailable',
  'timeout',
  'notImplemented',
  'notFound',
  'duplicate',
];
/**
 * Refusals of a known caller: only of what it gave to prove itself once more, which may have a code word of its own.
 */
const OF_CALLERS: readonly ErrorKind[] = ['mfaCodeInvalid', 'rateLimited', 'tooManyRequests'];

function refusalOf({ error, seen, requestId }: RefusedRequest): RefusalRecord | undefined {
  if (error instanceof OwnChangesSpent) return undefined;
  const { operation, caller, facts, address } = seen;
  const method = operation && METHODS[operation.operationId];
  if (operation === undefined || method === undefined) return undefined;
  const isPublic = operation.permission === 'public';
  const isOfCaller = caller !== undefined && (OF_CALLERS.includes(error.kind) || error.reasonCode !== undefined);
  if (isPublic ? NO_REFUSALS.includes(error.kind) : !isOfCaller) return undefined;
  const authenticatorId = facts?.authenticatorId;
  return {
    kind: ENROLLMENTS.test(operation.operationId) ? 'enrollment.failed' : 'login.failed',
    reason: error.reasonCode ?? error.kind,
    identityId: caller?.identityId ?? facts?.identityId ?? null,
    apiSessionId: caller?.apiSessionId ?? null,
    address: address === '' ? null : address,
    requestId,
    facts: {
      method: method === '' ? (facts?.loginMethod ?? 'unknown') : (facts?.enrollmentMethod ?? method),
      ...(authenticatorId === undefined ? {} : { authenticatorId }),
    },
    at: new Date(),
  };
}

/** @param address  a network; null: of several */
function sumOf(address: string | null, count: number, since: Date): RefusalRecord {
  return {
    kind: 'login.failed',
    reason: 'tooManyRefusals',
    identityId: null,
    apiSessionId: null,
    address,
    requestId: null,
    facts: { count, since: since.toISOString() },
    at: new Date(),
  };
}
