/**
 * The grammar of filters and sort orders: recursive descent over the lexer's tokens, in linear time.
 * The words `and`, `or` and `not` have no precedence: each takes everything to its right as its right-hand side.
 * Length and depth are capped, so neither this parser nor PostgreSQL's can be made to run out of stack.
 */
import { raise } from '../../domain/errors.js';
import type { CompareOp, Expr, Literal, Operand, Query, SetExpr, SortField, Test } from './ast.js';
import { filterFault, shown } from './errors.js';
import { datetimeText, stringValue, timestampOf } from './lexer.js';
import type { Token } from './lexer.js';
import { TokenReader } from './reader.js';

export const MAX_FILTER_DEPTH = 100;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** @throws DomainError `invalidFilter` */
export function parseFilter(text: string): Query {
  return new Parser(text, 'invalidFilter').filter();
}

/** Reads the fields of a `sort` parameter: what `sort by` would be followed by. @throws DomainError `invalidSort` */
export function parseSort(text: string): SortField[] {
  return new Parser(text, 'invalidSort').sortOnly();
}

export function isInt64(text: string): boolean {
  if (!/^-?[0-9]{1,19}$/.test(text)) return false;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX;
}

class Parser extends TokenReader {
  filter(): Query {
    this.blanks();
    const query = this.#query(0);
    this.end();
    return query;
  }

  sortOnly(): SortField[] {
    this.blanks();
    const fields = this.#sortFields();
    this.end();
    return fields;
  }

  #deeper(depth: number): number {
    if (depth >= MAX_FILTER_DEPTH)
      throw filterFault(this.kind, `expression is nested deeper than ${MAX_FILTER_DEPTH} levels`);
    return depth + 1;
  }

  // ---- queries

  #query(depth: number): Query {
    const query: { -readonly [K in keyof Query]: Query[K] } = {};
    let isFirst = true;
    if (!['sort', 'skip', 'limit'].includes(this.peek().keyword)) {
      query.predicate = this.#bool(depth);
      isFirst = false;
    }
    const startsWith = (word: string): boolean => {
      if (!isFirst && this.peek().kind !== 'ws') return false;
      if (this.peek(isFirst ? 0 : 1).keyword !== word) return false;
      this.at += isFirst ? 1 : 2;
      isFirst = false;
      this.blank();
      return true;
    };
    if (startsWith('sort')) {
      this.keyword('by');
      this.blank();
      query.sort = this.#sortFields();
    }
    if (startsWith('skip')) query.skip = this.#integer('skip');
    if (startsWith('limit')) query.limit = this.#limit();
    return query;
  }

  #sortFields(): SortField[] {
    const fields: SortField[] = [];
    for (;;) {
      const name = this.identifier();
      const direction = this.peek().kind === 'ws' ? this.peek(1).keyword : '';
      if (direction === 'asc' || direction === 'desc') this.at += 2;
      fields.push({ name, descending: direction === 'desc' });
      const comma = this.peek(this.peek().kind === 'ws' ? 1 : 0);
      if (comma.kind !== 'punct' || this.slice(comma) !== ',') return fields;
      this.blanks();
      this.punct(',');
      this.blanks();
    }
  }

  #limit(): number {
    if (this.peek().keyword !== 'none') return this.#integer('limit');
    this.at += 1;
    return -1;
  }

  #integer(clause: 'skip' | 'limit'): number {
    const { value } = this.#number();
    if (!isInt64(value))
      throw filterFault(this.kind, `expected integer value for ${clause}, but got *ast.Float64ConstNode`);
    // A limit is capped anyway; a skip is shown as it was used, or not at all.
    if (clause === 'skip' && Number(value) > Number.MAX_SAFE_INTEGER)
      throw filterFault(this.kind, `expected at most ${Number.MAX_SAFE_INTEGER} for skip, but got ${value}`);
    return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  }

  // ---- boolean expressions

  #bool(depth: number): Expr {
    const terms: Expr[] = [];
    const words: ('and' | 'or')[] = [];
    let level = depth;
    for (;;) {
      if (this.peek().keyword === 'not') {
        this.at += 1;
        this.blank();
        terms.push({ kind: 'not', item: this.#bool(this.#deeper(level)) });
        break;
      }
      terms.push(this.#term(level));
      const word = this.peek().kind === 'ws' ? this.peek(1).keyword : '';
      if (word !== 'and' && word !== 'or') break;
      this.at += 2;
      this.blank();
      if (word !== (words.at(-1) ?? word)) level = this.#deeper(level);
      words.push(word);
    }
    return grouped(terms, words);
  }

  #term(depth: number): Expr {
    const token = this.peek();
    if (token.kind === 'bool') {
      this.at += 1;
      return { kind: 'const', value: token.keyword === 'true' };
    }
    if (this.isPunct('(')) {
      this.at += 1;
      this.blanks();
      const inner = this.#bool(this.#deeper(depth));
      this.blanks();
      this.punct(')');
      return inner;
    }
    if (token.keyword === 'isempty') {
      this.at += 1;
      return { kind: 'isEmpty', set: this.#setArgument(depth) };
    }
    const left = this.#operand(depth);
    const test = this.#test();
    if (test !== undefined) return { kind: 'test', left, test };
    if (left.kind === 'symbol') return left;
    this.blanks();
    throw this.unexpected();
  }

  #operand(depth: number): Operand {
    const { keyword } = this.peek();
    if (keyword === 'count') {
      this.at += 1;
      return { kind: 'count', set: this.#setArgument(depth) };
    }
    if (keyword !== 'anyof' && keyword !== 'allof') return { kind: 'symbol', name: this.identifier() };
    this.at += 1;
    this.punct('(');
    this.blanks();
    const name = this.identifier();
    this.blanks();
    this.punct(')');
    return { kind: keyword === 'anyof' ? 'anyOf' : 'allOf', name };
  }

  #setArgument(depth: number): SetExpr {
    this.punct('(');
    this.blanks();
    const set = this.#setExpr(depth);
    this.blanks();
    this.punct(')');
    return set;
  }

  #setExpr(depth: number): SetExpr {
    if (this.peek().keyword !== 'from') return { symbol: this.identifier() };
    this.at += 1;
    this.blank();
    const symbol = this.identifier();
    this.blank();
    this.keyword('where');
    this.blank();
    return { symbol, query: this.#query(this.#deeper(depth)) };
  }

  // ---- tests

  /** The test after an operand; undefined when there is none. */
  #test(): Test | undefined {
    const blanks = this.peek().kind === 'ws' ? 1 : 0;
    const next = this.peek(blanks);
    if (next.kind === 'op') {
      this.at += blanks + 1;
      this.blanks();
      return this.#compare(this.slice(next) as CompareOp);
    }
    if (!['not', 'in', 'between', 'contains', 'icontains'].includes(next.keyword)) return undefined;
    this.at += blanks;
    const negated = next.keyword === 'not';
    if (negated) {
      this.at += 1;
      this.blank();
    }
    const op = this.peek().keyword;
    if (blanks === 0 && (op === 'in' || op === 'between')) throw this.unexpected();
    this.keyword('in', 'between', 'contains', 'icontains');
    this.blank();
    if (op === 'in') return { op, negated, values: this.#array() };
    if (op === 'between') return this.#between(negated);
    if (op === 'contains') return { op, negated, value: this.#literal('string', 'number') };
    return { op: 'icontains', negated, value: this.#literal('string') };
  }

  #compare(op: CompareOp): Test {
    if (op === '=' || op === '!=') return { op, value: this.#literal('string', 'number', 'datetime', 'bool', 'null') };
    return { op, value: this.#literal('string', 'number', 'datetime') };
  }

  #between(negated: boolean): Test {
    const low = this.#literal('number', 'datetime');
    this.blank();
    this.keyword('and');
    this.blank();
    return { op: 'between', negated, low, high: this.#literal(low.type === 'date' ? 'datetime' : 'number') };
  }

  #array(): Literal[] {
    this.punct('[');
    this.blanks();
    const first = this.#literal('string', 'number', 'datetime');
    const values = [first];
    for (;;) {
      this.blanks();
      if (this.isPunct(']')) break;
      this.punct(',');
      this.blanks();
      values.push(this.#literal(first.type === 'date' ? 'datetime' : first.type));
    }
    this.at += 1;
    return values;
  }

  #literal(...kinds: readonly string[]): Literal {
    const token = this.peek();
    const kind = token.keyword === 'null' ? 'null' : token.kind;
    if (!kinds.includes(kind)) throw this.unexpected();
    if (kind === 'number') return this.#number();
    this.at += 1;
    if (kind === 'string') return { type: 'string', value: stringValue(this.text, token) };
    if (kind === 'bool') return { type: 'bool', value: token.keyword === 'true' };
    return kind === 'datetime' ? this.#datetime(token) : { type: 'null' };
  }

  #number(): { readonly type: 'number'; readonly value: string } {
    const token = this.peek();
    if (token.kind !== 'number') throw this.unexpected();
    this.at += 1;
    const value = this.slice(token);
    if (!Number.isFinite(Number(value)))
      throw filterFault(this.kind, `could not parse number as float or int: ${shown(value)} is out of range`);
    return { type: 'number', value };
  }

  #datetime(token: Token): Literal {
    const text = datetimeText(this.text, token);
    const value = timestampOf(text);
    if (value === undefined) throw filterFault(this.kind, `could not parse datetime: ${text} is not a point in time`);
    return { type: 'date', value, text };
  }
}

/** Groups to the right: `a and b or c` is `a and (b or c)`. A run of one word becomes one flat node. */
function grouped(terms: Expr[], words: readonly ('and' | 'or')[]): Expr {
  let right = terms.pop() ?? raise(new Error('no term'));
  let items = [right];
  for (let i = words.length - 1; i >= 0; i -= 1) {
    const kind = words[i] ?? 'and';
    items.push(terms.pop() ?? raise(new Error('a word without a term')));
    if (i > 0 && words[i - 1] === kind) continue;
    right = { kind, items: items.reverse() };
    items = [right];
  }
  return right;
}
