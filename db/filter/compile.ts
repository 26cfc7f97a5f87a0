/**
 * A filter's tree to a SQL condition over one entity's symbols. Negation is pushed down to the single tests, each of
 * which knows whether it can be null: so `not (…)` is right where values are unset, and what is not negated keeps the
 * plain form that indexes serve.
 */
import type { Expr, Operand, Quantified, Query, SetExpr, SortField, Test } from './ast.js';
import { Budget } from './bounds.js';
import { applied, atom, condition, isNegated, mismatch, Params, storable } from './conditions.js';
import type { Value } from './conditions.js';
import { fault } from './errors.js';
import type { FaultKind } from './errors.js';
import { resolve } from './symbols.js';
import type { Resolved, ScalarDef, SetDef, SymbolTable } from './symbols.js';

/** Sort fields beyond these are checked and have no effect. */
const MAX_SORT_FIELDS = 5;
/** Subqueries inside subqueries: each level can multiply the rows that PostgreSQL looks at. */
const MAX_SUBQUERY_DEPTH = 4;

const TYPES = { string: 'string', boolean: 'bool', number: 'number', date: 'date' } as const;
/** How error texts call an operand that stands where a condition should. */
const NODES = { string: '*ast.StringSymbolNode', number: '*ast.Int64SymbolNode', date: '*ast.DatetimeSymbolNode', any: '*ast.AnyTypeSymbolNode' } as const;

/** Tells what is wrong with an operand of this node type. */
type Complaint = (node: string) => string;
const whole: Complaint = (node) => `query expr predicate must be a boolean expr. contains ${node}`;
const negation: Complaint = (node) => `not expression is of type ${node}, not bool`;
const side = (name: 'LHS' | 'RHS'): Complaint => (node) => `boolean logic expression ${name} is of type ${node}, not bool`;

export class Compiler {
  readonly params: Params;
  readonly #budget: Budget;
  #aliases = 0;
  #depth = 0;

  constructor(firstParam: number, readonly kind: FaultKind) {
    this.params = new Params(firstParam);
    this.#budget = new Budget(kind);
  }

  /** @returns '' when everything matches. @throws DomainError */
  where(table: SymbolTable, query: Query): string {
    const { predicate } = query;
    if (predicate === undefined || (predicate.kind === 'const' && predicate.value)) return '';
    return this.#expr(table, predicate, false, whole);
  }

  /** @returns SQL of an order that is total. @throws DomainError */
  orderBy(table: SymbolTable, fields: readonly SortField[]): string {
    const parts = new Map<string, string>();
    for (const { name, descending } of fields) {
      const def = this.#sortable(table, name);
      if (parts.size >= MAX_SORT_FIELDS || parts.has(table.idSql)) continue;
      const sql = def.sortSql ?? def.sql;
      const key = sql === table.idSql ? sql : name;
      if (!parts.has(key)) parts.set(key, `${sortExpression(table, def)}${direction(def, descending)}`);
    }
    if (!parts.has(table.idSql)) parts.set(table.idSql, table.idSql);
    return [...parts.values()].join(', ');
  }

  #sortable(table: SymbolTable, name: string): ScalarDef {
    const found = this.#scalarOrTag(table, name);
    if (found.kind === 'tag' || found.def.equalityOnly) throw fault(this.kind, `no such sort field: ${name}`);
    return found.def;
  }

  // ---- names

  #resolve(table: SymbolTable, name: string): Resolved {
    const found = resolve(table, name);
    if (found === undefined) throw fault(this.kind, `unknown symbol '${name}'`);
    return found;
  }

  #scalarOrTag(table: SymbolTable, name: string): Exclude<Resolved, { kind: 'set' }> {
    const found = this.#resolve(table, name);
    if (found.kind === 'set') throw fault(this.kind, `symbol '${name}' is a set symbol but is used in non-set function context`);
    return found;
  }

  #value(table: SymbolTable, name: string): Value {
    const found = this.#scalarOrTag(table, name);
    if (found.kind === 'tag') return { type: 'any', name, sql: found.sql, key: found.key };
    const { def } = found;
    return { type: TYPES[def.kind], name, sql: def.sql, nullable: def.nullable ?? true, def };
  }

  #set(table: SymbolTable, name: string, usedIn: string): SetDef {
    const found = this.#resolve(table, name);
    if (found.kind !== 'set') throw fault(this.kind, `symbol '${name}' is not a set symbol but is used in set function ${usedIn}`);
    return found.def;
  }

  // ---- conditions

  #expr(table: SymbolTable, expr: Expr, negate: boolean, complain: Complaint): string {
    switch (expr.kind) {
      case 'and': case 'or': return this.#logic(table, expr.kind, expr.items, negate);
      case 'not': return this.#expr(table, expr.item, !negate, negation);
      case 'const': return expr.value === negate ? 'FALSE' : 'TRUE';
      case 'symbol': return this.#flag(table, expr.name, negate, complain);
      case 'isEmpty': return this.#isEmpty(table, expr.set, negate);
      case 'test': return this.#test(table, expr.left, expr.test, negate);
    }
  }

  #logic(table: SymbolTable, word: 'and' | 'or', items: readonly Expr[], negate: boolean): string {
    const joint = (word === 'and') === negate ? ' OR ' : ' AND ';
    const last = items.length - 1;
    return `(${items.map((item, i) => this.#expr(table, item, negate, side(i < last ? 'LHS' : 'RHS'))).join(joint)})`;
  }

  #flag(table: SymbolTable, name: string, negate: boolean, complain: Complaint): string {
    const value = this.#value(table, name);
    if (value.type !== 'bool') throw fault(this.kind, complain(NODES[value.type]));
    this.#budget.spend('tests');
    return applied({ sql: atom(value.sql), nullable: value.nullable }, negate);
  }

  #test(table: SymbolTable, left: Operand, test: Test, negate: boolean): string {
    if (left.kind === 'anyOf' || left.kind === 'allOf') return this.#quantified(table, left, test, negate);
    const value = left.kind === 'count' ? this.#count(table, left.set) : this.#value(table, left.name);
    if (left.kind === 'count' && isNullTest(test)) throw mismatch(value, test, this.kind);
    this.#budget.test(value, test);
    return applied(condition(value, test, this.params, this.kind), negate !== isNegated(test));
  }

  /**
   * `!=` and `not contains` are asked of each element. `not in` and `not between` turn the whole test around: none of
   * the elements (`anyOf`), or not all of them (`allOf`), is in the list.
   */
  #quantified(table: SymbolTable, left: Quantified, test: Test, negate: boolean): string {
    const set = this.#set(table, left.name, left.kind);
    const { rows, id } = this.#elements(set);
    const element: Value = { type: 'string', name: `${left.kind}(${left.name})`, sql: id, nullable: false };
    if (isNullTest(test)) throw mismatch(element, test, this.kind);
    const turnsWhole = test.op === 'in' && test.negated;
    const outer = negate !== turnsWhole;
    const fast = set.kind === 'stringSet' ? this.#arrayTest(set.sql, left.kind, test) : undefined;
    if (fast !== undefined) {
      this.#budget.setTest(test.op === 'in' ? test.values.length : 1);
      return applied({ sql: fast, nullable: false }, outer);
    }
    this.#budget.spend('subqueries');
    this.#budget.test(element, test);
    const turnsElement = isNegated(test) && !turnsWhole;
    const holds = condition(element, test, this.params, this.kind);
    const some = left.kind === 'anyOf';
    return `${some === outer ? 'NOT ' : ''}EXISTS (SELECT FROM ${rows} WHERE ${applied(holds, some === turnsElement)})`;
  }

  /** Operators that a GIN index on the array serves. */
  #arrayTest(sql: string, quantifier: 'anyOf' | 'allOf', test: Test): string | undefined {
    const literals = test.op === 'in' ? test.values : test.op === '=' || test.op === '!=' ? [test.value] : [];
    const wanted = literals.flatMap((literal) => (literal.type === 'string' || literal.type === 'number' ? [literal.value] : []));
    if (wanted.length === 0 || wanted.length !== literals.length || !wanted.every(storable)) return undefined;
    const bind = () => this.params.bind(wanted, 'text[]');
    if (test.op === 'in') return `${atom(sql)} ${quantifier === 'anyOf' ? '&&' : '<@'} ${bind()}`;
    if (quantifier === 'anyOf') return test.op === '=' ? `${atom(sql)} @> ${bind()}` : `NOT (${atom(sql)} <@ ${bind()})`;
    return test.op === '=' ? `${atom(sql)} <@ ${bind()}` : `NOT (${atom(sql)} @> ${bind()})`;
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

  #isEmpty(table: SymbolTable, expr: SetExpr, negate: boolean): string {
    const set = this.#set(table, expr.symbol, 'isEmpty');
    this.#budget.spend('tests');
    if (set.kind === 'stringSet' && expr.query === undefined) return `cardinality(${set.sql}) ${negate ? '>' : '='} 0`;
    return `${negate ? '' : 'NOT '}EXISTS (${this.#members(set, expr)})`;
  }

  #count(table: SymbolTable, expr: SetExpr): Value {
    const set = this.#set(table, expr.symbol, 'count');
    const sql = set.kind === 'stringSet' && expr.query === undefined ? `cardinality(${set.sql})`
      : `SELECT count(*) FROM (${this.#members(set, expr)}) AS ${this.#alias()}`;
    return { type: 'number', name: `count(${expr.symbol})`, sql, nullable: false };
  }

  /**
   * The linked rows a query selects. They are given the alias `t` in their turn, which the linked entity's symbols are
   * written over; inside the derived table `t` is still the outer row.
   */
  #members(set: SetDef, expr: SetExpr): string {
    if (set.kind === 'stringSet') throw fault(this.kind, `attempt to subquery on non-entity symbol ${expr.symbol}`);
    this.#budget.spend('subqueries');
    const alias = this.#alias();
    const from = set.from.replaceAll('{alias}', alias);
    const { query } = expr;
    if (query === undefined) return `SELECT FROM ${from}`;
    if (this.#depth >= MAX_SUBQUERY_DEPTH) throw fault(this.kind, `subqueries are nested deeper than ${MAX_SUBQUERY_DEPTH} levels`);
    this.#depth += 1;
    const linked = set.entity();
    const where = this.where(linked, query);
    this.#depth -= 1;
    this.orderBy(linked, query.sort ?? []);
    const limit = query.limit !== undefined && query.limit > 0 ? ` LIMIT ${this.params.bind(String(query.limit), 'bigint')}` : '';
    const skip = query.skip !== undefined && query.skip > 0 ? ` OFFSET ${this.params.bind(String(query.skip), 'bigint')}` : '';
    return `SELECT FROM (SELECT ${alias}.* FROM ${from}) t${where === '' ? '' : ` WHERE ${where}`}${limit}${skip}`;
  }
}

function isNullTest(test: Test): boolean {
  return (test.op === '=' || test.op === '!=') && test.value.type === 'null';
}

function sortExpression(table: SymbolTable, def: ScalarDef): string {
  const sql = def.sortSql ?? def.sql;
  return def.kind === 'string' && sql !== table.idSql ? `${atom(sql)} COLLATE "C"` : sql;
}

/** Unset values come before all others, and last when descending. */
function direction(def: ScalarDef, descending: boolean): string {
  if (def.nullable === false) return descending ? ' DESC' : '';
  return descending ? ' DESC NULLS LAST' : ' NULLS FIRST';
}
