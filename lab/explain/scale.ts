/** What is named and counted alike by all that fills a network or asks about one: its ids, names, tokens and shares. */
import { createHash } from 'node:crypto';

export interface Scale {
  readonly identities: number;
  readonly services: number;
}

type Kind =
  | 'identity'
  | 'service'
  | 'config'
  | 'policy'
  | 'router'
  | 'authenticator'
  | 'enrollment'
  | 'api-session'
  | 'session'
  | 'terminator'
  | 'check'
  | 'controller'
  | 'host'
  | 'signer'
  | 'revocation';

export const ID_LENGTH = 22;
/** The same as SQL's `idSql`. */
export const idOf = (kind: Kind, index: number | string): string =>
  createHash('md5').update(`${kind}-${index}`).digest('hex').slice(0, ID_LENGTH);
export const idSql = (kind: Kind, index: string): string => `left(md5('${kind}-' || (${index})), ${ID_LENGTH})`;
/** Six digits, and more from a million on: `lpad` alone would cut them. */
const digits = (index: string): string => `lpad((${index})::text, greatest(6, length((${index})::text)), '0')`;
export const name = (kind: string, index: string): string => `'bench-${kind}-' || ${digits(index)}`;
export const upTo = (count: number): string => `generate_series(0, ${count - 1}) i`;

export const GROUPS = 20;
export const ROUTERS = 50;
export const CHECKS = 20;
/** Every second identity has an authenticator and an API session. */
export const WITH_SESSION = 2;
/** Every tenth has an enrollment. */
export const WITH_ENROLLMENT = 10;
/** Of each API session. */
export const SESSIONS_EACH = 2;
/** The same as SQL's `repeat(md5(seed), 16)`. */
export const tokenOf = (seed: string): string => createHash('md5').update(seed).digest('hex').repeat(16);
export const tokenHashOf = (index: number): Buffer => createHash('sha256').update(`api-session-${index}`).digest();
