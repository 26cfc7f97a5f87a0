/** Habits of other languages, and how this one writes the same. */
import type { FaultKind } from './errors.js';
import type { Token } from './lexer.js';

const WORDS: Readonly<Record<string, string>> = {
  like: 'Write contains for like, as in name contains "db".',
  ilike: 'Write icontains for ilike, as in name icontains "db".',
  startswith: 'Write contains, as in name contains "db": there is no search for how a text begins.',
  endswith: 'Write contains, as in name contains "db": there is no search for how a text ends.',
  matches: 'Write contains for a part of a text: there are no patterns.',
  eq: 'Write = for eq, as in name = "db".',
  ne: 'Write != for ne, as in name != "db".',
  lt: 'Write < for lt.',
  gt: 'Write > for gt.',
  le: 'Write <= for le.',
  ge: 'Write >= for ge.',
  is: 'Write = null or != null.',
  order: 'Write sort by name desc.',
  offset: 'Write skip 10 for an offset in a filter.',
};

const SIGNS: readonly (readonly [sign: string, sentence: string])[] = [
  ['==', 'Write = for ==, as in name = "db".'],
  ['<>', 'Write != for <>, as in name != "db".'],
  ['=~', 'Write contains for =~, as in name contains "db".'],
  ['~', 'Write contains for ~, as in name contains "db".'],
  ['&&', 'Write and for &&.'],
  ['||', 'Write or for ||.'],
  ['!', 'Write not for !, as in not (name = "db").'],
  ["'", 'Write texts in double quotes, as in name = "db".'],
  ['\u201c', 'Write texts in plain double quotes, as in name = "db".'],
  [':', 'Write = for :, as in name = "db".'],
  ['%', 'Write contains for a part of a text, as in name contains "db".'],
];

const IN_SORTS: readonly (readonly [sign: string, sentence: string])[] = [
  ['-', 'Write desc behind a field, as in name desc.'],
  ['+', 'Write a field alone or with asc behind it, as in name asc.'],
  [':', 'Write a blank before asc or desc, as in name desc.'],
];

/** @returns one sentence; undefined where nothing better is known than the place */
export function insteadOf(text: string, token: Token, kind: FaultKind): string | undefined {
  if (token.kind === 'eof') {
    if (text.trim() === '') return undefined;
    return kind === 'invalidSort'
      ? 'A field is missing at the end.'
      : 'It ends too early: write a value, as in name = "db".';
  }
  const word = text.slice(token.start, token.end);
  if (kind === 'invalidSort') return IN_SORTS.find(([sign]) => word.startsWith(sign))?.[1];
  const known = Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined;
  if (known !== undefined) return known;
  const before = text.slice(0, token.start);
  // The second half of a sign that begins with one that exists: `==`, `=~`, `<>`.
  const around = text.slice(before.endsWith('=') || before.endsWith('<') ? token.start - 1 : token.start);
  const sign = SIGNS.find(([start]) => around.startsWith(start))?.[1];
  if (sign !== undefined) return sign;
  if (word.startsWith('"')) return 'The text has no closing double quote, or a \\ that begins no escape.';
  if (/\bin\s*$/i.test(before) && word === '(') return 'Write a list in square brackets, as in name in ["a", "b"].';
  if (token.kind === 'string' && /\.?\w+\s*$/.test(before)) return 'Write = or contains between a name and a text.';
  if (token.kind !== 'word' || !/(?:[=<>]|contains|in|\[|,)\s*$/i.test(before)) return undefined;
  return /^(?:datetime|date|timestamp|now)$/i.test(word) || /^datetime/i.test(text.slice(token.start))
    ? 'Write a date as datetime(2026-01-31T09:30:00Z).'
    : `Write texts in double quotes, as in name = "db".`;
}
