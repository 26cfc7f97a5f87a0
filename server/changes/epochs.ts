/**
 * Epochs in memory, so that an answer that is kept costs no statement. They are kept as API sessions are: read from the
 * database once, believed until something may have moved them, and never while the change feed does not hear.
 *
 * Why memory is not behind:
 * - A change of this controller ends with `changed`, before its caller gets the answer: the next reader asks the
 *   database. Which changes move which epoch is known to triggers alone, so every change counts.
 * - A change by others is announced by the transaction that moves the epoch. PostgreSQL delivers that when the commit
 *   is visible, so whoever reads after it was heard finds the epoch moved. Until then memory is as far behind as the
 *   feed.
 * - A read may be overtaken: it is kept, and shared with others who ask, only while nothing was changed or heard since
 *   it began. Two reads may end in another order than they began; the later one is kept.
 * - What was never announced is found when the epoch is read again, after `MAX_UNCONFIRMED_MS` at the latest.
 *
 * Memory may be behind the database for the moment that an announcement takes. So an answer that is made meanwhile can
 * be newer than the epoch it is kept under, and is then made again; never older, since the epoch is taken first. Only
 * the database knows whether an epoch changed while something was read (`read`).
 */
import type { AccessEpoch } from '../../db/stores/access-view.js';
import type { Stores } from '../../db/stores/stores.js';
import { noTrust } from '../../domain/trust.js';
import type { Trust } from '../../domain/trust.js';
import type { Epoch, Epochs } from '../../handlers/context.js';

/** One statement of a controller in that time, whatever the number of requests. */
const MAX_UNCONFIRMED_MS = 5_000;

/** One epoch in memory. */
export interface KeptEpoch<T> extends Epoch<T> {
  /** It may have moved: memory is not used until the epoch was read again. */
  moved(): void;
  setTrusted(isTrusted: Trust): void;
}

export function keepEpoch<T>(ask: (stores: Stores) => Promise<T>): KeptEpoch<T> {
  let isTrusted = noTrust;
  let changes = 0;
  /** `sinceMs` is when the read began, by `performance.now()`, which is never set back. */
  let known: { readonly value: T; readonly sinceMs: number } | undefined;
  let reading: { readonly changes: number; readonly value: Promise<T> } | undefined;

  const moved = () => {
    changes += 1;
    known = undefined;
  };
  const read = async (stores: Stores): Promise<T> => {
    const before = changes;
    const sinceMs = performance.now();
    const value = await ask(stores);
    if (isTrusted() && before === changes && sinceMs >= (known?.sinceMs ?? 0)) known = { value, sinceMs };
    return value;
  };
  /** Readers that come while one reads, and nothing changed since it began, wait for the same answer. */
  const readTogether = (stores: Stores): Promise<T> => {
    if (reading?.changes === changes) return reading.value;
    const value = read(stores).finally(() => {
      if (reading?.value === value) reading = undefined;
    });
    reading = { changes, value };
    return value;
  };
  return {
    current(stores) {
      if (!isTrusted()) return ask(stores);
      if (known !== undefined && performance.now() - known.sinceMs < MAX_UNCONFIRMED_MS) return known.value;
      return readTogether(stores);
    },
    read,
    moved,
    setTrusted(next) {
      isTrusted = next;
      moved();
    },
  };
}

export interface EpochMemory extends Epochs {
  readonly access: KeptEpoch<AccessEpoch>;
  readonly advice: KeptEpoch<string>;
  /** The name of an identity, or more of it, has changed: no epoch of the database moves with that. */
  identityChanged(): void;
  /** This controller changed something, or may have. Call before the change is answered. */
  changed(): void;
  /** @param isTrusted  false while changes made elsewhere may go unheard */
  setTrusted(isTrusted: Trust): void;
}

export function createEpochMemory(): EpochMemory {
  const access = keepEpoch((stores) => stores.access.epoch());
  /** Changes of identities that were made here or heard of: a part of what names advice. */
  let identities = 0;
  let isTrusted = noTrust;
  const advice = keepEpoch(async (stores) => {
    // While changes of identities go unheard, no two answers have the same name.
    if (!isTrusted()) identities += 1;
    const before = identities;
    return `${await stores.advice.epoch()}.${before}`;
  });
  const all = [access, advice];
  return {
    access,
    advice,
    changed() {
      identities += 1;
      for (const epoch of all) epoch.moved();
    },
    identityChanged() {
      identities += 1;
      advice.moved();
    },
    setTrusted(next) {
      isTrusted = next;
      identities += 1;
      for (const epoch of all) epoch.setTrusted(next);
    },
  };
}
