/** The shape of a check of data integrity. */
import type { Db } from '../postgres/contracts.js';
import { unprepared } from '../postgres/statement.js';
import type { SchemaCheckOptions } from '../schema/schema-checks.js';
import type { SealedMfa } from './mfas.js';
import type { NetworkSecret, PkiRecord } from './network.js';
import type { SealedWebhook } from './webhooks.js';

/** Whether what is sealed in a row opens with the keys of this controller. */
export interface Seals {
  pki(record: Pick<PkiRecord, 'purpose' | 'generation' | 'sealedKey'>): boolean;
  mfa(mfa: SealedMfa): boolean;
  secret(secret: NetworkSecret): boolean;
  webhook(webhook: SealedWebhook): boolean;
}

export interface CheckOptions extends SchemaCheckOptions {
  readonly seals: Seals;
}

export interface IntegrityCheck {
  /** The name that the log shows. */
  readonly name: string;
  readonly canFix: boolean;
  /** Answers a sentence for each finding, each repaired when `isFixing` and `canFix`. */
  run(tx: Db, options: CheckOptions): Promise<string[]>;
}

export const rowsOf = async <R>(tx: Db, sql: string, values: readonly unknown[] = []): Promise<R[]> =>
  await tx.many(unprepared<R>('SQL', sql), values);
