/** The advisory locks of this program: their numbers, each once. */

/** Held while the schema is brought up to date. */
export const MIGRATION_LOCK = 7_210_417;
/** Held by a controller that starts, until it has found or made the network, and by a restore. */
export const START_LOCK = 7_210_418;
/** Held until the transaction ends in which the number of administrators may change. */
export const ADMINISTRATORS_LOCK = 7_210_419;
/** Held by the controller that checks or copies the database. */
export const MAINTENANCE_LOCK = 7_210_420;
/** Held while partitions of the audit record are made or dropped. */
export const AUDIT_LOCK = 7_210_421;
/** Held for as long as it lives by the controller that makes the scheduled backups. */
export const BACKUP_LOCK = 7_210_422;
/** Held while a batch of events is closed. */
export const EVENT_BATCH_LOCK = 7_210_425;
