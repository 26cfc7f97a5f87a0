/** Tests of one text as SQL: order, and `contains` with and without regard to case. Whatever a caller sent is bound. */
import type { Params } from './params.js';

/** An expression that operators can be put behind. */
export function atom(sql: string): string {
  return /^[a-z_][a-z0-9_.]*$/i.test(sql) ? sql : `(${sql})`;
}

/** PostgreSQL stores no text with a NUL in it, so none can be equal to or part of what is stored. */
export function storable(text: string): boolean {
  return !text.includes('\0');
}

export type TextOp = 'contains' | 'icontains' | '<' | '<=' | '>' | '>=';

/** Asked before anything is bound: a parameter that the SQL does not mention has no type. */
export function canHold(op: TextOp, literal: string): boolean {
  return storable(literal) || (op !== 'contains' && op !== 'icontains');
}

/** Facts of a condition that a text is part of another; undefined of all others. */
export function patternFacts(sql: string, op: TextOp, literal: string, { names }: Params): PatternFacts | undefined {
  if (op !== 'contains' && op !== 'icontains') return undefined;
  const isRare = sql === NAME && names?.lacks(literal, op === 'icontains') === true;
  return { hasPattern: true, ...(isRare && { isRare }) };
}

interface PatternFacts {
  readonly hasPattern: true;
  readonly isRare?: true;
}

export function textTest(sql: string, op: TextOp, literal: string, params: Params): string {
  if (op === 'contains' || op === 'icontains') return likeTest(sql, op, literal, params);
  const nul = literal.indexOf('\0');
  if (nul < 0) return `${atom(sql)} COLLATE "C" ${op} ${params.bind(literal, 'text')}`;
  // A stored text is less than "a\0…" exactly when it is at most "a".
  return `${atom(sql)} COLLATE "C" ${op.startsWith('<') ? '<=' : '>'} ${params.bind(literal.slice(0, nul), 'text')}`;
}

function likeTest(sql: string, op: 'contains' | 'icontains', literal: string, params: Params): string {
  const bind = (part: string) => params.bind(`%${part.replace(/[\\%_]/g, '\\$&')}%`, 'text');
  const like = (tested: string, part: string) =>
    op === 'contains' ? `${tested} LIKE ${bind(part)}` : `${tested} LIKE ${upperSql(bind(part))}`;
  const tested = op === 'contains' ? atom(sql) : upperSql(sql);
  const parts = sql === NAME ? (params.names?.partsOf(literal) ?? []) : [];
  if (parts.length === 0) return like(tested, literal);
  // Every match contains the parts, too. The empty text keeps the whole test from the index.
  return `(${parts.map((part) => like(tested, part)).join(' AND ')} AND ${like(`(${tested} || '')`, literal)})`;
}

/** The column whose letters are sampled. */
const NAME = 't.name';

/**
 * Unicode upper-casing. PostgreSQL's own `upper` in the C locale changes ASCII only; the ICU root collation is in every
 * supported version, and `upper` under it is immutable, so that a trigram index on this very expression serves
 * `icontains`.
 */
function upperSql(sql: string): string {
  return `upper(${atom(sql)} COLLATE "und-x-icu")`;
}
