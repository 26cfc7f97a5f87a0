/**
 * Changes that are made only while their entity is as its sender has seen it. The row is locked and its version read
 * right before the first statement that writes, in the same transaction; what comes of it is decided when all else went
 * well, right before the commit. So every other refusal comes first, a change that is refused leaves nothing behind,
 * and of two writers who have seen the same version the second finds another one.
 */
import { DomainError } from '../../domain/errors.js';
import { versionOf } from '../../domain/entity-version.js';
import type { Rows } from './connection.js';
import type { Db, Source, TransactionOptions } from './db.js';
import { ScopedSource } from './request-scope.js';
import type { OnVersion, RequestScope } from './request-scope.js';

/** Where the version of an entity is: in the time of its last change, or of its making when nothing can be set. */
export interface Versioned {
  /** As errors name one. */
  readonly name: string;
  readonly table: string;
  /** The member that answers show it as. */
  readonly by: 'createdAt' | 'updatedAt';
}

const COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** The row that a request changes, and the versions of it that the sender takes for the present one. */
export interface Precondition {
  readonly entity: Versioned;
  readonly id: string;
  readonly isDelete: boolean;
  /** By `versionOf`. */
  readonly versions: ReadonlySet<string>;
}

/** The database for one request that has a precondition. */
export class GuardedSource extends ScopedSource {
  /** It held, and what was to be changed is. */
  #isDecided = false;

  constructor(
    source: Source,
    scope: RequestScope,
    readonly precondition: Precondition,
  ) {
    super(source, scope);
  }

  override async write<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>> {
    if (this.#isDecided) return super.write<R>(name, sql, values);
    return this.#guarded((guard) => guard.write<R>(name, sql, values));
  }

  override async writeAside<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>> {
    if (this.#isDecided) return super.writeAside<R>(name, sql, values);
    return this.#guarded((guard) => guard.writeAside<R>(name, sql, values));
  }

  async #guarded<R>(write: (guard: GuardedTransaction) => Promise<Rows<R>>): Promise<Rows<R>> {
    const rows = await super.transaction(async (tx) => {
      const guard = new GuardedTransaction(tx, this.precondition);
      const result = await write(guard);
      // One that found nothing to change has changed nothing: another statement may, or a refusal follows.
      if (result.rowCount > 0) await guard.require();
      return result;
    });
    this.#isDecided = rows.rowCount > 0;
    return rows;
  }

  override async transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions): Promise<T> {
    if (this.#isDecided) return super.transaction(work, options);
    const { result, hasWritten } = await super.transaction(async (tx) => {
      const guard = new GuardedTransaction(tx, this.precondition);
      const done = await work(guard);
      if (guard.hasWritten) await guard.require();
      return { result: done, hasWritten: guard.hasWritten };
    }, options);
    this.#isDecided = hasWritten;
    return result;
  }

  /**
   * Call it when the work is done: a request that changed nothing has not compared versions yet.
   * @throws DomainError `preconditionFailed`
   */
  async settle(): Promise<void> {
    if (this.#isDecided) return;
    const version = await new GuardedTransaction(this, this.precondition).require();
    // The row stays as it was when it was compared, which may be later than when it was read.
    if (version !== undefined) this.onVersion?.(this.precondition.entity.table, this.precondition.id, version);
  }
}

/** An open transaction, whose first write looks at the row before. */
class GuardedTransaction implements Db {
  #version: Promise<Date | undefined> | undefined;

  constructor(
    readonly tx: Db,
    readonly precondition: Precondition,
  ) {}

  get hasWritten(): boolean {
    return this.#version !== undefined;
  }

  get onVersion(): OnVersion | undefined {
    return this.tx.onVersion;
  }

  get touched(): Db['touched'] {
    return this.tx.touched;
  }

  run: Db['run'] = (name, sql, values, form) => this.tx.run(name, sql, values, form);
  read: Db['read'] = (name, sql, values, form) => this.tx.read(name, sql, values, form);

  async write<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>> {
    await (this.#version ??= this.#look());
    return this.tx.write<R>(name, sql, values);
  }

  async writeAside<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>> {
    await (this.#version ??= this.#look());
    return this.tx.writeAside<R>(name, sql, values);
  }

  /**
   * @returns the version before the first write; undefined without a row, which the statement that needs it refuses
   * @throws DomainError `preconditionFailed`
   */
  async require(): Promise<Date | undefined> {
    const version = await (this.#version ??= this.#look());
    const { entity, id, versions } = this.precondition;
    if (version === undefined || versions.has(versionOf(version))) return version;
    throw new DomainError('preconditionFailed', {
      causeMessage:
        `${entity.name} with id ${id} has changed since it was read with the entity tag in If-Match: read it again, ` +
        'apply the change to what it is now, and repeat the request with the new ETag',
    });
  }

  async #look(): Promise<Date | undefined> {
    const { entity, id, isDelete } = this.precondition;
    const { table, by } = entity;
    const lock = isDelete ? 'FOR UPDATE' : 'FOR NO KEY UPDATE';
    const sql = `SELECT ${COLUMNS[by]} AS version FROM ${table} WHERE id = $1 ${lock}`;
    const { rows } = await this.tx.run<{ version: Date }>(`version-${table}-${isDelete ? 'delete' : 'change'}`, sql, [
      id,
    ]);
    return rows[0]?.version;
  }
}
