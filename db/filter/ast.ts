/**
 * The tree of a filter. It knows the grammar and no entity: names are resolved and types are checked when it is
 * compiled.
 */

export type Literal =
  | { readonly type: 'string'; readonly value: string }
  /** `value` is the number as it was written: a string symbol compares it as text. */
  | { readonly type: 'number'; readonly value: string }
  /** `value` is a UTC timestamp PostgreSQL reads, or `infinity`/`-infinity` outside the years 1 to 9999. */
  | { readonly type: 'date'; readonly value: string; readonly text: string }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null' };

/** Equality and order. */
export type CompareOp = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type Test =
  | { readonly op: CompareOp; readonly value: Literal }
  | { readonly op: 'contains' | 'icontains'; readonly negated: boolean; readonly value: Literal }
  /** Never empty; all of one type. */
  | { readonly op: 'in'; readonly negated: boolean; readonly values: readonly Literal[] }
  /** Half-open: `low` belongs to it, `high` does not. */
  | { readonly op: 'between'; readonly negated: boolean; readonly low: Literal; readonly high: Literal };

/** A set symbol, or the members of one that a query of their own selects. */
export interface SetExpr {
  readonly symbol: string;
  readonly query?: Query;
}

/** Some element, or all of them; all of none is true. */
export interface Quantified {
  readonly kind: 'anyOf' | 'allOf';
  readonly name: string;
}

export type Operand =
  { readonly kind: 'symbol'; readonly name: string } | { readonly kind: 'count'; readonly set: SetExpr } | Quantified;

export type Expr =
  /** Items: at least two. `a and b or c` is `and [a, or [b, c]]`. */
  | { readonly kind: 'and' | 'or'; readonly items: readonly Expr[] }
  | { readonly kind: 'not'; readonly item: Expr }
  | { readonly kind: 'const'; readonly value: boolean }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'isEmpty'; readonly set: SetExpr }
  | { readonly kind: 'test'; readonly left: Operand; readonly test: Test };

export interface SortField {
  readonly name: string;
  readonly descending: boolean;
}

export interface Query {
  readonly predicate?: Expr;
  readonly sort?: readonly SortField[];
  readonly skip?: number;
  /** -1 is everything. */
  readonly limit?: number;
}
