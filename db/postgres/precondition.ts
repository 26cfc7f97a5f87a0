/**
 * Changes that are made only while their entity is as its sender has seen it. The row is locked and its version read
 * right before the first statement that writes, in the same transaction; what comes of it is decided when all else went
 * well, right before the commit. So every other refusal comes first, a change that is refused leaves nothing behind,
 * and of two writers who have seen the same version the second finds another one.
 */
import { DomainError } from '../../domain/errors.js';
import { versionOf } from '../../domain/entity-version.js';
import type { RowForm, Rows } from './connection.js';
import type {
  Database,
  Db,
  OnVersion,
  Precondition,
  RequestScope,
  TransactionOptions,
  Versioned,
} from './contracts.js';
import { Executor } from './executor.js';
import { ScopedSource } from './scoped-source.js';
import { isChange, locking } from './statement.js';
import type { Statement } from './statement.js';

/** The database for one request that has a precondition. */
export class GuardedSource extends ScopedSource {
  /** It held, and what was to be changed is. */
  #isDecided = false;

  constructor(
    database: Database,
    scope: RequestScope,
    readonly precondition: Precondition,
  ) {
    super(database, scope);
  }

  override async execute<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>> {
    if (!isChange(statement.kind) || this.#isDecided) return super.execute(statement, values, form);
    const rows = await super.transaction(async (tx) => {
      const guard = new GuardedTransaction(tx, this.precondition);
      const result = await guard.execute(statement, values, form);
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

/** An open transaction, whose first change looks at the row before. */
class GuardedTransaction extends Executor {
  #version: Promise<Date | undefined> | undefined;

  constructor(
    readonly tx: Db,
    readonly precondition: Precondition,
  ) {
    super();
  }

  get hasWritten(): boolean {
    return this.#version !== undefined;
  }

  override get onVersion(): OnVersion | undefined {
    return this.tx.onVersion;
  }

  get touched(): Db['touched'] {
    return this.tx.touched;
  }

  async execute<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>> {
    if (isChange(statement.kind)) await (this.#version ??= this.#lockVersion());
    return this.tx.execute(statement, values, form);
  }

  /**
   * @returns the version before the first write; undefined without a row, which the statement that needs it refuses
   * @throws DomainError `preconditionFailed`
   */
  async require(): Promise<Date | undefined> {
    const version = await (this.#version ??= this.#lockVersion());
    const { entity, id, versions } = this.precondition;
    if (version === undefined || versions.has(versionOf(version))) return version;
    throw new DomainError('preconditionFailed', {
      causeMessage:
        `${entity.name} with id ${id} has changed since it was read with the entity tag in If-Match: read it again, ` +
        'apply the change to what it is now, and repeat the request with the new ETag',
    });
  }

  async #lockVersion(): Promise<Date | undefined> {
    const { entity, id, isDelete } = this.precondition;
    const { toDelete, toChange } = locksOf(entity);
    return (await this.tx.one(isDelete ? toDelete : toChange, [id]))?.version;
  }
}

interface VersionRow {
  readonly version: Date;
}

const COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

const locks = new Map<string, ReturnType<typeof makeLocks>>();

/** The statements that lock a row of the entity, made once. */
function locksOf(entity: Versioned) {
  let known = locks.get(entity.table);
  if (known === undefined) locks.set(entity.table, (known = makeLocks(entity)));
  return known;
}

function makeLocks({ table, by }: Versioned) {
  const version = `SELECT ${COLUMNS[by]} AS version FROM ${table} WHERE id = $1`;
  return {
    toDelete: locking<VersionRow>(`version-${table}-delete`, `${version} FOR UPDATE`),
    toChange: locking<VersionRow>(`version-${table}-change`, `${version} FOR NO KEY UPDATE`),
  };
}
