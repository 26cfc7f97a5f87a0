/**
 * Filtered pages of tables that are too large for counting all that matches. A sample says whether few or many rows
 * match. Few are found at once, and their number is exact. Of many, the next of a page is near, and their number is
 * counted up to a bound that lies behind the page in any case: whoever reads on until `totalCount` comes to the end.
 */
import type { Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { Estimates } from './estimates.js';
import type { TableFacts } from './estimates.js';
import { countsMembers, walkOf } from './member-pages.js';
import type { CountBounds } from './member-pages.js';
import { boundedCountSql, isInOrder } from './page-sql.js';
import type { Manner, PageParts } from './page-sql.js';
import type { Paged } from './table.js';

interface Reading {
  readonly manner: Manner;
  readonly total: (counted: number) => Pick<Page<never>, 'totalCount' | 'isTotalMinimum'>;
}

const exactly = (counted: number) => ({ totalCount: counted });

export class LargeTables {
  readonly #estimates = new Estimates();
  readonly #countUpTo: number;
  readonly #largeFrom: number;

  constructor({ countUpTo, largeFrom }: CountBounds) {
    this.#countUpTo = countUpTo;
    this.#largeFrom = largeFrom;
  }

  /** @returns undefined for a table that is read as PostgreSQL thinks best */
  async factsOf(db: Db, { table, symbols, countsUpTo }: Paged): Promise<TableFacts | undefined> {
    if (countsUpTo !== undefined) return undefined;
    const { name } = symbols.symbols;
    const hasNames = name?.kind === 'string' && name.key === 'name';
    const facts = await this.#estimates.factsOf(db, table, this.#largeFrom, hasNames);
    return facts.rows > this.#largeFrom ? facts : undefined;
  }

  async readingOf(
    db: Db,
    { table }: Paged,
    { where, compiled }: PageParts,
    values: readonly unknown[],
    facts: TableFacts,
  ): Promise<Reading | undefined> {
    const { limit, offset } = compiled;
    const isLookedFor = where.foundBy === 'inverted' || where.foundBy === 'rows';
    if (limit === null || where.sql === '' || !isLookedFor) return undefined;
    if (where.members !== undefined && countsMembers(table)) return undefined;
    const condition = { table, sql: where.sql, values };
    const isNext = where.range?.isWhole === true && isInOrder(where, compiled);
    const isMany = isNext || (where.isRare !== true && (await this.#estimates.isMany(db, condition, facts)));
    if (!isMany) return { manner: { kind: 'few' }, total: exactly };
    // Far behind, a walk passes over more than a sort of all that match has to look at.
    if (walkOf(compiled) === null) return undefined;
    const bound = Math.max(this.#countUpTo, offset + limit);
    const kept = this.#estimates.keptTotal(condition);
    const counted = kept > bound ? `${kept}::bigint` : boundedCountSql(table, where.sql, bound + 1);
    return {
      manner: { kind: 'many', total: counted },
      total: (total) => {
        if (total <= bound) return exactly(total);
        if (kept <= bound) this.#estimates.keepTotal(condition, total);
        return { totalCount: Math.max(this.#countUpTo, offset + limit + 1), isTotalMinimum: true };
      },
    };
  }
}
