/** Filters by the kinds of events: `identity.created`, `identity.*`, `*.deleted`, `*`. */
import { invalidField } from '../errors.js';

const PATTERN = /^(?:\*|(?:[A-Za-z][A-Za-z0-9-]{0,63}|\*)\.(?:[A-Za-z][A-Za-z0-9-]{0,63}|\*))$/;
const MAX_PATTERNS = 50;

export type KindFilter = (kind: string) => boolean;

const takesAll: KindFilter = () => true;

/**
 * Patterns of a list with commas; empty for all kinds.
 * @throws DomainError `invalidField` naming `field`
 */
export function parseKinds(field: string, text: string | undefined): readonly string[] {
  const patterns = (text ?? '')
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  requireKinds(field, patterns);
  return patterns;
}

/** @throws DomainError `invalidField` naming `field` */
export function requireKinds(field: string, patterns: readonly string[]): void {
  if (patterns.length > MAX_PATTERNS)
    throw invalidField(field, `must have at most ${MAX_PATTERNS} kinds`, String(patterns.length));
  for (const pattern of patterns) {
    if (PATTERN.test(pattern)) continue;
    const rule = 'must have kinds such as identity.created, identity.*, *.deleted or *';
    throw invalidField(field, rule, pattern.slice(0, 100), `${field} has what is no kind of events`);
  }
}

/** Whether one of the patterns matches; without patterns every kind does. What it has judged it remembers. */
export function kindFilter(patterns: readonly string[]): KindFilter {
  if (patterns.length === 0 || patterns.includes('*') || patterns.includes('*.*')) return takesAll;
  const known = new Map<string, boolean>();
  const halves = patterns.map((pattern) => pattern.split('.'));
  return (kind) => {
    const before = known.get(kind);
    if (before !== undefined) return before;
    const [entity, verb] = kind.split('.');
    const matches = halves.some(([left, right]) => isMet(left, entity) && isMet(right, verb));
    known.set(kind, matches);
    return matches;
  };
}

const isMet = (pattern: string | undefined, word: string | undefined) => pattern === '*' || pattern === word;
