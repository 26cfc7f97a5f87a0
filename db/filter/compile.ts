/**
 * A filter's tree to a SQL condition over one entity's symbols. Negation is pushed down to the single tests, each of
 * which knows whether it can be null: so `not (…)` is right where values are unset, and what is not negated keeps the
 * plain form that indexes serve.
 */
import { holds } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import type { Expr, Operand, Quantified, Query, SetExpr, Test } from './ast.js';
import { Budget } from './bounds.js';
import { EVERYTHING, foundByAll, foundByAny, membersOf, rangeOfAll, ROLE_ATTRIBUTES } from './clause.js';
import type { Clause } from './clause.js';
import { applied, condition, isNegated, mismatch } from './conditions.js';
import type { Condition } from './conditions.js';
import { atom, storable } from './text-tests.js';
import { filterFault } from './errors.js';
import type { FaultKind } from './errors.js';
import { orderBy } from './order.js';
import type { Params } from './params.js';
import { linkedTable, resolveOrFail, scalarOrTag } from './symbols.js';
import type { SetDef, SymbolTable } from './symbols.js';
import type { Value } from './value.js';

/** Subqueries inside subqueries: each level can multiply the rows that PostgreSQL looks at. */
const MAX_SUBQUERY_DEPTH = 4;

const TYPES = { string: 'string', boolean: 'bool', number: 'number', date: 'date' } as const;
/** How error texts call an operand in the place of a condition. */
const NODES = {
  string: '*ast.StringSymbolNode',
  number: '*ast.Int64SymbolNode',
  date: '*ast.DatetimeSymbolNode',
  any: '*ast.AnyTypeSymbolNode',
} as const;

/** Says what is wrong with an operand of this node type. */
type Complaint = (node: string) => string;
const whole: Complaint = (node) => `query expr predicate must be a boolean expr. contains ${node}`;
const negation: Complaint = (node) => `not expression is of type ${node}, not bool`;
const side =
  (name: 'LHS' | 'RHS'): Complaint =>
  (node) =>
    `boolean logic expression ${name} is of type ${node}, not bool`;

export class Compiler {
  readonly #budget: Budget;
  #isOneSetTest = false;
  #hidesArray = false;
  #aliases = 0;
  #depth = 0;
  /** Some test looks for a part of a text, or at each element of a set: a plan for any literal would be a bad one. */
  hasPattern = false;

  constructor(
    readonly params: Params,
    readonly kind: FaultKind,
    /** Rights of the caller; undefined: a caller without any permission. */
    readonly reader: Rights | undefined,
  ) {
    this.#budget = new Budget(kind);
  }

  /** @throws DomainError */
  where(table: SymbolTable, query: Query): Clause {
    const { predicate } = query;
    if (predicate === undefined || (predicate.kind === 'const' && predicate.value)) return EVERYTHING;
    this.#isOneSetTest = this.#depth === 0 && isSetTest(predicate);
    return this.#expr(table, predicate, false, whole);
  }

  /**
   * The filter is one test that the index of an array serves, and the planner does not see the values that it looks
   * for. So PostgreSQL keeps one plan for all values: to plan for each takes longer than to read ten rows. A filter
   * with other tests shows its values, because how many rows they match decides which index is used.
   */
  get hidesArray(): boolean {
    return this.#hidesArray;
  }

  // ---- names

  #value(table: SymbolTable, name: string): Value {
    const found = scalarOrTag(table, name, this.kind);
    if (found.kind === 'tag') return { type: 'any', name, sql: found.sql, key: found.key };
    const { def } = found;
    const { kind, sql, nullable = true, readsRows = false } = def;
    return { type: TYPES[kind], name, sql, nullable, readsRows, def };
  }

  #set(table: SymbolTable, name: string, usedIn: string): SetDef {
    const found = resolveOrFail(table, name, this.kind);
    if (found.kind !== 'set')
      throw filterFault(
        this.kind,
        `symbol '${name}' is not a set symbol but is used in set function ${usedIn}`,
        `Write ${name} without ${usedIn}.`,
      );
    return found.def;
  }

  // ---- conditions

  #expr(table: SymbolTable, expr: Expr, negate: boolean, complain: Complaint): Clause {
    switch (expr.kind) {
      case 'and':
      case 'or':
        return this.#logic(table, expr.kind, expr.items, negate);
      case 'not':
        return this.#expr(table, expr.item, !negate, negation);
      case 'const':
        return { sql: expr.value === negate ? 'FALSE' : 'TRUE', foundBy: 'rows' };
      case 'symbol':
        return this.#flag(table, expr.name, negate, complain);
      case 'isEmpty':
        return this.#isEmpty(table, expr.set, negate);
      case 'test':
        return this.#test(table, expr.left, expr.test, negate);
    }
  }

  #logic(table: SymbolTable, word: 'and' | 'or', items: readonly Expr[], negate: boolean): Clause {
    const last = items.length - 1;
    const parts = items.map((item, i) => this.#expr(table, item, negate, side(i < last ? 'LHS' : 'RHS')));
    const isAny = (word === 'and') === negate;
    const range = isAny ? undefined : rangeOfAll(parts);
    const isRarePart = ({ isRare }: Clause) => isRare === true;
    const isRare = isAny ? parts.every(isRarePart) : parts.some(isRarePart);
    return {
      sql: `(${parts.map(({ sql }) => sql).join(isAny ? ' OR ' : ' AND ')})`,
      foundBy: isAny ? foundByAny(parts) : foundByAll(parts),
      ...(range && { range }),
      ...(isRare && { isRare }),
    };
  }

  #flag(table: SymbolTable, name: string, negate: boolean, complain: Complaint): Clause {
    const value = this.#value(table, name);
    if (value.type !== 'bool') throw filterFault(this.kind, complain(NODES[value.type]));
    this.#budget.spend('tests');
    return applied({ sql: atom(value.sql), nullable: value.nullable }, negate);
  }

  #condition(value: Value, test: Test): Condition {
    const found = condition(value, test, this.params, this.kind);
    if (found.hasPattern) this.hasPattern = true;
    return found;
  }

  #test(table: SymbolTable, left: Operand, test: Test, negate: boolean): Clause {
    if (left.kind === 'anyOf' || left.kind === 'allOf') return this.#quantified(table, left, test, negate);
    const value = left.kind === 'count' ? this.#count(table, left.set) : this.#value(table, left.name);
    if (left.kind === 'count' && isNullTest(test)) throw mismatch(value, test, this.kind);
    this.#budget.test(value, test);
    return applied(this.#condition(value, test), negate !== isNegated(test));
  }

  /**
   * `!=` and `not contains` are asked of each element. `not in` and `not between` turn the whole test around: none of
   * the elements (`anyOf`), or not all of them (`allOf`), is in the list.
   */
  #quantified(table: SymbolTable, left: Quantified, test: Test, negate: boolean): Clause {
    const set = this.#set(table, left.name, left.kind);
    const { rows, id } = this.#elements(set);
    const name = `${left.kind}(${left.name})`;
    const element: Value = { type: 'string', name, sql: id, nullable: false, readsRows: false };
    if (isNullTest(test)) throw mismatch(element, test, this.kind);
    const turnsWhole = test.op === 'in' && test.negated;
    const outer = negate !== turnsWhole;
    const fast = set.kind === 'stringSet' ? this.#arrayTest(set.sql, left.kind, test) : undefined;
    if (fast !== undefined) {
      this.#budget.setTest(test.op === 'in' ? test.values.length : 1);
      return applied(fast, outer);
    }
    if (set.kind === 'stringSet') this.hasPattern = true;
    this.#budget.spend('subqueries');
    this.#budget.test(element, test);
    const turnsElement = isNegated(test) && !turnsWhole;
    const holds = applied(this.#condition(element, test), (left.kind === 'anyOf') === turnsElement);
    const isNone = (left.kind === 'anyOf') === outer;
    return { sql: `${isNone ? 'NOT ' : ''}EXISTS (SELECT FROM ${rows} WHERE ${holds.sql})`, foundBy: 'rows' };
  }

  /**
   * Operators on the array as a whole. A GIN index serves those for which every match has one of the wanted members.
   */
  #arrayTest(set: string, quantifier: 'anyOf' | 'allOf', test: Test): Condition | undefined {
    const literals = test.op === 'in' ? test.values : test.op === '=' || test.op === '!=' ? [test.value] : [];
    const wanted = literals.flatMap((literal) =>
      literal.type === 'string' || literal.type === 'number' ? [literal.value] : [],
    );
    if (wanted.length === 0 || wanted.length !== literals.length || !wanted.every(storable)) return undefined;
    this.#hidesArray = this.#isOneSetTest;
    const shown = this.params.bind(wanted, 'text[]');
    const bound = this.#hidesArray ? `(SELECT ${shown})` : shown;
    const array = atom(set);
    const members = set === ROLE_ATTRIBUTES ? membersOf(shown, wanted) : undefined;
    const found = (sql: string): Condition => ({
      sql,
      nullable: false,
      foundBy: 'inverted',
      ...(members && { members }),
    });
    const tested = (sql: string): Condition => ({ sql, nullable: false });
    if (quantifier === 'anyOf') {
      if (test.op === 'in') return found(`${array} && ${bound}`);
      return test.op === '=' ? found(`${array} @> ${bound}`) : tested(`NOT (${array} <@ ${bound})`);
    }
    return tested(test.op === '!=' ? `NOT (${array} @> ${bound})` : `${array} <@ ${bound}`);
  }

  // ---- sets

  #alias(): string {
    this.#aliases += 1;
    return `s${this.#aliases}`;
  }

  #elements(set: SetDef): { readonly rows: string; readonly id: string } {
    const alias = this.#alias();
    if (set.kind === 'stringSet') return { rows: `unnest(${set.sql}) AS ${alias} (item)`, id: `${alias}.item` };
    return { rows: set.from.replaceAll('{alias}', alias), id: set.idSql.replaceAll('{alias}', alias) };
  }

  #isEmpty(table: SymbolTable, expr: SetExpr, negate: boolean): Clause {
    const set = this.#set(table, expr.symbol, 'isEmpty');
    this.#budget.spend('tests');
    const sql =
      set.kind === 'stringSet' && expr.query === undefined
        ? `cardinality(${set.sql}) ${negate ? '>' : '='} 0`
        : `${negate ? '' : 'NOT '}EXISTS (${this.#members(set, expr)})`;
    return { sql, foundBy: 'rows' };
  }

  #count(table: SymbolTable, expr: SetExpr): Value {
    const set = this.#set(table, expr.symbol, 'count');
    const readsRows = set.kind !== 'stringSet' || expr.query !== undefined;
    const sql = readsRows
      ? `SELECT count(*) FROM (${this.#members(set, expr)}) AS ${this.#alias()}`
      : `cardinality(${set.sql})`;
    return { type: 'number', name: `count(${expr.symbol})`, sql, nullable: false, readsRows };
  }

  /**
   * The linked rows a query selects. They are given the alias `t` in their turn, which the linked entity's symbols are
   * written over; inside the derived table `t` is still the outer row.
   */
  #members(set: SetDef, expr: SetExpr): string {
    if (set.kind === 'stringSet')
      throw filterFault(this.kind, `attempt to subquery on non-entity symbol ${expr.symbol}`);
    this.#budget.spend('subqueries');
    const alias = this.#alias();
    const from = set.from.replaceAll('{alias}', alias);
    const { query } = expr;
    if (query === undefined) return `SELECT FROM ${from}`;
    if (this.#depth >= MAX_SUBQUERY_DEPTH)
      throw filterFault(this.kind, `subqueries are nested deeper than ${MAX_SUBQUERY_DEPTH} levels`);
    this.#depth += 1;
    const linked = linkedTable(set, this.reader !== undefined && holds(this.reader, set.readBy));
    const { sql: where } = this.where(linked, query);
    this.#depth -= 1;
    orderBy(linked, query.sort ?? [], this.kind);
    const limit =
      query.limit !== undefined && query.limit > 0 ? ` LIMIT ${this.params.bind(String(query.limit), 'bigint')}` : '';
    const skip =
      query.skip !== undefined && query.skip > 0 ? ` OFFSET ${this.params.bind(String(query.skip), 'bigint')}` : '';
    return `SELECT FROM (SELECT ${alias}.* FROM ${from}) t${where === '' ? '' : ` WHERE ${where}`}${limit}${skip}`;
  }
}

/** Asks for elements, and does not ask that there are none. */
function isSetTest(expr: Expr): boolean {
  if (expr.kind !== 'test' || expr.left.kind !== 'anyOf') return false;
  return expr.test.op === '=' || (expr.test.op === 'in' && !expr.test.negated);
}

function isNullTest(test: Test): boolean {
  return (test.op === '=' || test.op === '!=') && test.value.type === 'null';
}
