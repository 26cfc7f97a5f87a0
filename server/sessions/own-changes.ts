/**
 * How often an identity may change what is its own. Each such change leaves a record that is kept for a year, and no
 * administrator is asked: without a bound whoever can log in fills the disk.
 */
import { DomainError } from '../../domain/errors.js';
import { Allowances } from '../../domain/scheduling/allowances.js';
import type { OperationSpec } from '../../generated/operation.js';

const HOUR_MS = 3_600_000;

/** The allowance that an operation takes from. */
export const OWN_CHANGES: Readonly<Record<string, 'changes' | 'certificates'>> = {
  enrollMfa: 'changes',
  verifyMfa: 'changes',
  deleteMfa: 'changes',
  createMfaRecoveryCodes: 'changes',
  updateCurrentIdentityAuthenticator: 'changes',
  patchCurrentIdentityAuthenticator: 'changes',
  extendVerifyCurrentIdentityAuthenticator: 'changes',
  extendCurrentIdentityAuthenticator: 'certificates',
  createCurrentApiSessionCertificate: 'certificates',
};

/** The refusal of a caller that may do it, but not so often. */
export class OwnChangesSpent extends DomainError {
  constructor(seconds: number, what: string) {
    super('rateLimited', {
      headers: { 'retry-after': String(seconds) },
      causeMessage: `an identity may do this ${what} times an hour: try again in ${seconds} s`,
      logReason: 'the identity changed what is its own too often',
    });
  }
}

export interface OwnChangesOptions {
  /** Changes of one identity in an hour. */
  readonly changes: number;
  readonly certificates: number;
}

export class OwnChanges {
  readonly #kinds: Readonly<Record<'changes' | 'certificates', { readonly most: number; readonly left: Allowances }>>;

  constructor({ changes, certificates }: OwnChangesOptions) {
    const kind = (most: number) => ({ most, left: new Allowances({ most, periodMs: HOUR_MS }) });
    this.#kinds = { changes: kind(changes), certificates: kind(certificates) };
  }

  /** @throws OwnChangesSpent */
  take({ operationId, permission }: OperationSpec, identityId: string): void {
    if (permission === 'admin') return;
    const kind = OWN_CHANGES[operationId];
    if (kind === undefined) return;
    const { most, left } = this.#kinds[kind];
    const waitMs = left.take(identityId);
    if (waitMs > 0) throw new OwnChangesSpent(Math.ceil(waitMs / 1_000), String(most));
  }
}
