/**
 * One test on one value as SQL. Everything from the caller is a bound parameter. A condition is true exactly when the
 * test holds; where the value is unset it may be null instead of false, which `negate` knows how to turn around.
 */
import type { CompareOp, Literal, Test } from './ast.js';
import { MAX_CONTAINED } from './bounds.js';
import type { Clause, FoundBy, Members, Range } from './clause.js';
import { filterFault, shown } from './errors.js';
import type { FaultKind } from './errors.js';
import type { Params } from './params.js';
import { isInt64 } from './parse.js';
import { atom, canHold, patternFacts, storable, textTest } from './text-tests.js';
import type { Value } from './value.js';

export interface Condition {
  readonly sql: string;
  readonly nullable: boolean;
  /** Unless it is turned around; absent for `rows`. */
  readonly foundBy?: FoundBy;
  /** Members of the clause, unless it is negated. */
  readonly members?: Members;
  /** Range of the clause, unless it is negated. */
  readonly range?: Range;
  /** How it is best found depends on what is looked for. */
  readonly hasPattern?: true;
  /** Holds for few rows, unless it is negated. */
  readonly isRare?: true;
}

/** A test without its negation, which the caller applies: `!=` is `=`, `not in` is `in`. */
type Positive = Exclude<Test, { op: CompareOp }> | { readonly op: Exclude<CompareOp, '!='>; readonly value: Literal };

const NEVER: Condition = { sql: 'FALSE', nullable: false };

export function isNegated(test: Test): boolean {
  return 'negated' in test ? test.negated : test.op === '!=';
}

export function applied(
  { sql, nullable, foundBy = 'rows', members, range, isRare }: Condition,
  negate: boolean,
): Clause {
  if (!negate) return { sql, foundBy, ...(members && { members }), ...(range && { range }), ...(isRare && { isRare }) };
  return { sql: nullable ? `(${sql}) IS NOT TRUE` : `NOT (${sql})`, foundBy: 'rows' };
}

/** @throws DomainError when the test does not fit the value's type */
export function condition(value: Value, test: Test, params: Params, kind: FaultKind): Condition {
  const positive: Positive = test.op === '!=' ? { op: '=', value: test.value } : (test as Positive);
  if (positive.op === '=' && positive.value.type === 'null') return isNull(value, params);
  const result =
    value.type === 'string'
      ? stringCondition(value, positive, params, kind)
      : value.type === 'any'
        ? tagCondition(value, positive, params)
        : plainCondition(value, positive, params);
  if (result === undefined) throw mismatch(value, test, kind);
  return result;
}

export function mismatch(value: Value, test: Test, kind: FaultKind): Error {
  const words = 'negated' in test && test.negated ? `not ${test.op}` : test.op;
  const first = test.op === 'in' ? test.values[0] : test.op === 'between' ? test.low : test.value;
  const right =
    test.op === 'in'
      ? `[${test.values.map(text).join(', ')}]`
      : test.op === 'between'
        ? `${text(test.low)} and ${text(test.high)}`
        : text(test.value);
  return filterFault(
    kind,
    `operation ${value.name} ${words} ${shown(right)} is not supported with operands types ${value.type}, ` +
      `${first?.type ?? 'null'}`,
    way(value, test),
  );
}

/** Says how to write a test for a value of this type. */
function way(value: Value, test: Test): string | undefined {
  switch (value.type) {
    case 'date':
      return 'Write a date as datetime(2026-01-31T09:30:00Z), and compare it with =, !=, <, <=, > or >=.';
    case 'number':
      return 'Write a number without quotes, and compare it with =, !=, <, <=, >, >=, in or between.';
    case 'bool':
      return `Write ${value.name} = true or ${value.name} = false, without quotes.`;
    case 'string':
      return test.op === 'between'
        ? `Write ${value.name} >= "a" and ${value.name} < "b".`
        : 'Write a text in double quotes.';
    case 'any':
      return undefined;
  }
}

function text(literal: Literal): string {
  if (literal.type === 'date') return literal.text;
  return literal.type === 'null' ? 'null' : String(literal.value);
}

function isNull(value: Value, params: Params): Condition {
  if (value.type !== 'any') return { sql: `${atom(value.sql)} IS NULL`, nullable: false };
  return {
    sql: `coalesce(jsonb_typeof(${atom(value.sql)} -> ${params.bind(value.key, 'text')}), 'null') = 'null'`,
    nullable: false,
  };
}

// ---- texts

type StringValue = Extract<Value, { type: 'string' }>;

/** The texts that literals mean; a number counts as it was written. Undefined when one is neither. */
function texts(literals: readonly Literal[]): string[] | undefined {
  const found = literals.flatMap((literal) =>
    literal.type === 'string' || literal.type === 'number' ? [literal.value] : [],
  );
  return found.length === literals.length ? found : undefined;
}

function stringCondition(value: StringValue, test: Positive, params: Params, kind: FaultKind): Condition | undefined {
  if (test.op === 'between') return undefined;
  const literals = texts(test.op === 'in' ? test.values : [test.value]);
  if (literals === undefined) return undefined;
  if (test.op === '=' || test.op === 'in') return stringEquality(value, test.op, literals, params);
  if (value.def?.equalityOnly) throw filterFault(kind, `symbol '${value.name}' can only be compared with =, != and in`);
  const [literal = ''] = literals;
  if (!canHold(test.op, literal)) return NEVER;
  const { nullable, def } = value;
  const sql = textTest(value.sql, test.op, literal, params);
  const pattern = patternFacts(value.sql, test.op, literal, params);
  if (pattern !== undefined || def?.key === undefined) return { sql, nullable, ...pattern };
  return { sql, nullable, range: { key: def.key, sql, isWhole: true } };
}

function stringEquality(value: StringValue, op: '=' | 'in', literals: readonly string[], params: Params): Condition {
  const form = value.def?.stored;
  const stored = (form === undefined ? literals : literals.map((literal) => form.encode(literal))).filter(
    (item) => item !== undefined && item !== null && (typeof item !== 'string' || storable(item)),
  );
  if (stored.length === 0) return NEVER;
  const cast = form?.type ?? 'text';
  const { nullable, def } = value;
  const by = (foundBy: FoundBy) => (def?.key === undefined ? undefined : { foundBy });
  if (op === '=') return { sql: `${atom(value.sql)} = ${params.bind(stored[0], cast)}`, nullable, ...by('key') };
  return { sql: `${atom(value.sql)} = ANY (${params.bind(stored, `${cast}[]`)})`, nullable, ...by('keys') };
}

// ---- booleans, numbers, dates

/** @returns the numbers as a parameter: whole ones as bigint, which indexes on integer columns can serve */
function numbers(literals: readonly Literal[], params: Params, isList: boolean): string | undefined {
  const written = literals.flatMap((literal) => (literal.type === 'number' ? [literal.value] : []));
  if (written.length !== literals.length) return undefined;
  const isWhole = written.every(isInt64);
  const bound: unknown[] = isWhole ? written : written.map(Number);
  return params.bind(isList ? bound : bound[0], `${isWhole ? 'bigint' : 'float8'}${isList ? '[]' : ''}`);
}

function dates(literals: readonly Literal[], params: Params, isList: boolean): string | undefined {
  const written = literals.flatMap((literal) => (literal.type === 'date' ? [literal.value] : []));
  if (written.length !== literals.length) return undefined;
  return params.bind(isList ? written : written[0], isList ? 'timestamptz[]' : 'timestamptz');
}

function plainCondition(
  value: Extract<Value, { type: 'bool' | 'number' | 'date' }>,
  test: Positive,
  params: Params,
): Condition | undefined {
  const { nullable } = value;
  const sql = atom(value.sql);
  if (value.type === 'bool') {
    if (test.op !== '=' || test.value.type !== 'bool') return undefined;
    return { sql: test.value.value ? sql : `NOT ${sql}`, nullable };
  }
  const bind = value.type === 'number' ? numbers : dates;
  if (test.op === 'contains' || test.op === 'icontains') return undefined;
  if (test.op === 'between') {
    const low = bind([test.low], params, false);
    const high = bind([test.high], params, false);
    return low === undefined || high === undefined
      ? undefined
      : { sql: `(${sql} >= ${low} AND ${sql} < ${high})`, nullable };
  }
  const bound = bind(test.op === 'in' ? test.values : [test.value], params, test.op === 'in');
  if (bound === undefined) return undefined;
  return { sql: test.op === 'in' ? `${sql} = ANY (${bound})` : `${sql} ${test.op} ${bound}`, nullable };
}

// ---- tags

type TagValue = Extract<Value, { type: 'any' }>;

/** The literal as JSON; undefined for what JSON has no form for, null for what jsonb cannot hold. */
function json(literal: Literal): string | null | undefined {
  switch (literal.type) {
    case 'string':
      return storable(literal.value) ? JSON.stringify(literal.value) : null;
    case 'number':
      return isInt64(literal.value) ? literal.value : String(Number(literal.value));
    case 'bool':
      return String(literal.value);
    case 'date':
    case 'null':
      return undefined;
  }
}

function tagCondition(value: TagValue, test: Positive, params: Params): Condition | undefined {
  const tags = atom(value.sql);
  if (test.op === '=') {
    const wanted = json(test.value);
    if (wanted === undefined) return undefined;
    return wanted === null
      ? NEVER
      : {
          sql: `${tags} @> ${params.bind(`{${JSON.stringify(value.key)}:${wanted}}`, 'jsonb')}`,
          nullable: true,
          foundBy: 'inverted',
        };
  }
  if (test.op === 'in') {
    const wanted = test.values.map(json);
    if (wanted.includes(undefined)) return undefined;
    const stored = wanted.filter((item) => item !== null);
    // An index on tags knows what they contain, one value at a time.
    const contained = (item: string | null | undefined) =>
      `${tags} @> ${params.bind(`{${JSON.stringify(value.key)}:${String(item)}}`, 'jsonb')}`;
    if (stored.length > 0 && stored.length <= MAX_CONTAINED)
      return { sql: `(${stored.map(contained).join(' OR ')})`, nullable: true, foundBy: 'inverted' };
    return {
      sql: `${tags} -> ${params.bind(value.key, 'text')} = ANY (${params.bind(stored, 'jsonb[]')})`,
      nullable: true,
    };
  }
  if (test.op === 'between' || (test.value.type === 'number' && test.op !== 'contains'))
    return tagNumber(value, test, params);
  const literal = texts([test.value])?.[0];
  if (literal === undefined) return undefined;
  if (!canHold(test.op, literal)) return NEVER;
  const key = params.bind(value.key, 'text');
  return {
    sql: `(jsonb_typeof(${tags} -> ${key}) = 'string' AND ${textTest(`${tags} ->> ${key}`, test.op, literal, params)})`,
    nullable: true,
    ...patternFacts(tags, test.op, literal, params),
  };
}

/** jsonb's own order compares numbers as numbers, and unlike a cast it cannot fail on what is none. */
function tagNumber(value: TagValue, test: Positive, params: Params): Condition | undefined {
  const tests: readonly (readonly [string, Literal])[] =
    test.op === 'between'
      ? [
          ['>=', test.low],
          ['<', test.high],
        ]
      : test.op === 'in'
        ? []
        : [[test.op, test.value]];
  if (tests.some(([, literal]) => literal.type !== 'number')) return undefined;
  const member = `${atom(value.sql)} -> ${params.bind(value.key, 'text')}`;
  const parts = tests.map(([op, literal]) => `${member} ${op} ${params.bind(json(literal), 'jsonb')}`);
  return { sql: `(jsonb_typeof(${member}) = 'number' AND ${parts.join(' AND ')})`, nullable: true };
}
