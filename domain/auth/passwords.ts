/**
 * Password hashes: Argon2id (RFC 9106), the only file that knows the library. A password is hashed as the UTF-8 bytes
 * that arrived, without Unicode normalisation: two spellings of the same characters are two passwords, and what an
 * existing client sends keeps working.
 */
import { randomBytes } from 'node:crypto';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { ConcurrencyLimit } from '../scheduling/concurrency-limit.js';
import type { LimitLoad } from '../scheduling/concurrency-limit.js';
import { KeyedMutex } from '../scheduling/keyed-mutex.js';

const PREFIX = '$argon2id$v=19$';

/** Work that one hash takes. There is no setting for it. */
export interface PasswordCost {
  readonly memoryKib?: number;
  readonly passes?: number;
  readonly lanes?: number;
}

export interface PasswordHasherOptions extends PasswordCost {
  /** Hashes at the same time; each takes `memoryKib` and one of the four threads that files and DNS need too. */
  readonly concurrent?: number;
  readonly waiting?: number;
}

export interface PasswordHasher {
  /** @returns a PHC string. @throws DomainError `tooManyRequests` */
  hash(password: string): Promise<string>;
  /**
   * Same work whether there is a hash or not: pass undefined for an unknown user, never skip the call.
   * @throws DomainError `tooManyRequests`; Error when `stored` is no Argon2 hash, which is damage and not a wrong
   * password
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
  /**
   * `work` that looks up what it verifies, and is refused before it does when too many wait. @throws DomainError
   * `tooManyRequests`
   */
  admit<T>(work: (verify: PasswordHasher['verify']) => Promise<T>): Promise<T>;
  /** The same, for work of which only one of each `key` runs at a time. @throws as `admit` */
  admitInTurn<T>(key: string, work: (verify: PasswordHasher['verify']) => Promise<T>): Promise<T>;
  /** A waiting hash counts from its admission, also while the caller queries the database. */
  readonly load: LimitLoad;
}

/** 19 MiB, two passes, one lane: about 12 ms on one core. */
const DEFAULTS: Required<PasswordHasherOptions> = {
  concurrent: 2,
  waiting: 64,
  memoryKib: 19_456,
  passes: 2,
  lanes: 1,
};

export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { concurrent, waiting, memoryKib, passes, lanes } = { ...DEFAULTS, ...options };
  const gate = new ConcurrencyLimit({ concurrent, waiting });
  const keys = new KeyedMutex();
  const parameters = { memoryCost: memoryKib, timeCost: passes, parallelism: lanes };
  const nobody = unmatchable(memoryKib, passes, lanes);
  const verify = async (stored: string | undefined, password: string) => {
    const matches = await argon2Verify(stored ?? nobody, password);
    return matches && stored !== undefined;
  };
  const admit: PasswordHasher['admit'] = (work) =>
    gate.admit((turn) => work((stored, password) => turn(() => verify(stored, password))));
  return {
    hash: (password) => gate.run(() => argon2Hash(password, parameters)),
    verify: (stored, password) => gate.run(() => verify(stored, password)),
    admit,
    admitInTurn: (key, work) => admit((inTurn) => keys.run(key, () => work(inTurn))),
    get load() {
      return gate.load;
    },
  };
}

/** A hash with the present parameters that no password is known for: random salt, random result, nothing computed. */
function unmatchable(memoryKib: number, passes: number, lanes: number): string {
  const text = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `${PREFIX}m=${memoryKib},t=${passes},p=${lanes}$${text(16)}$${text(32)}`;
}
