/**
 * Ranges of semantic versions, as posture checks of operating systems state them: comparators (`>=1.2.3`), `||`,
 * hyphen ranges, `~`, `^`, and versions cut short or with `x`. A range is a list of alternatives, each a list of
 * comparators that all have to hold.
 */
export interface Version {
  readonly numbers: readonly [number, number, number];
  readonly prerelease: readonly string[];
}

type Operator = '<' | '<=' | '>' | '>=' | '=' | '!=';

export interface Comparator {
  readonly operator: Operator;
  readonly version: Version;
}

export type VersionRange = readonly (readonly Comparator[])[];

/** A version whose end may be missing: `1`, `1.2`, `1.x`. */
interface Partial {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
}

const NUMBER = '(\\d{1,15}|[xX*])';
const PRERELEASE = '([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)';
const PARTIAL = new RegExp(`^v?${NUMBER}(?:\\.${NUMBER})?(?:\\.${NUMBER})?(?:-${PRERELEASE})?(?:\\+[0-9A-Za-z.-]+)?$`);
const COMPARATOR = /^(<=|>=|!=|<|>|==?|~>?|\^)?(.*)$/s;
const MAX_LENGTH = 1_000;

/** @returns undefined for text that is no range */
export function parseRange(text: string): VersionRange | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const alternatives = text.split('||').map(parseAlternative);
  return alternatives.every((alternative) => alternative !== undefined) ? alternatives : undefined;
}

/** @returns undefined for text that is no version; missing parts count as 0 */
export function parseVersion(text: string): Version | undefined {
  const partial = parsePartial(text.trim());
  return partial === undefined || partial.numbers.length === 0 ? undefined : lowest(partial);
}

export function satisfies(version: Version, range: VersionRange): boolean {
  return range.some((alternative) =>
    alternative.every(({ operator, version: other }) => holds(operator, compareVersions(version, other))),
  );
}

/** Negative, 0 or positive, by the precedence rules of semantic versions. */
function compareVersions(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] - b.numbers[index];
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [index, part] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    if (part !== other) return comparePrerelease(part, other);
  }
  return a.prerelease.length - b.prerelease.length;
}

function comparePrerelease(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : 1;
}

function holds(operator: Operator, order: number): boolean {
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
  }
}

/** Comparators are separated by blanks or commas; blanks may follow an operator. */
function parseAlternative(text: string): Comparator[] | undefined {
  const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text);
  if (hyphen !== null) return hyphenRange(hyphen[1] ?? '', hyphen[2] ?? '');
  const words = text
    .replace(/(<=|>=|!=|<|>|==?|~>?|\^)\s+/g, '$1')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const found: Comparator[] = [];
  for (const word of words) {
    const comparators = parseComparator(word);
    if (comparators === undefined) return undefined;
    found.push(...comparators);
  }
  return words.length === 0 ? undefined : found;
}

function hyphenRange(low: string, high: string): Comparator[] | undefined {
  const [from, to] = [parsePartial(low), parsePartial(high)];
  if (from === undefined || to === undefined) return undefined;
  return [...atLeast(from), ...upTo(to)];
}

function parseComparator(word: string): Comparator[] | undefined {
  const [, operator = '', rest = ''] = COMPARATOR.exec(word) ?? [];
  const partial = parsePartial(rest);
  if (partial === undefined) return undefined;
  switch (operator) {
    case '':
    case '=':
    case '==':
      return [...atLeast(partial), ...upTo(partial)];
    case '~':
    case '~>':
      return [...atLeast(partial), ...below(partial, Math.min(1, partial.numbers.length - 1))];
    case '^':
      return [...atLeast(partial), ...below(partial, firstNonZero(partial))];
    case '>=':
      return atLeast(partial);
    case '<=':
      return upTo(partial);
    case '<':
      return partial.numbers.length === 0 ? [NOTHING] : [{ operator: '<', version: lowest(partial) }];
    case '>':
      return above(partial);
    default:
      return isFull(partial) ? [{ operator: '!=', version: lowest(partial) }] : undefined;
  }
}

function parsePartial(text: string): Partial | undefined {
  const match = PARTIAL.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1, 4).filter((part): part is string => part !== undefined);
  const open = parts.findIndex((part) => !/^\d/.test(part));
  const numbers = (open < 0 ? parts : parts.slice(0, open)).map(Number);
  const prerelease = match[4]?.split('.') ?? [];
  // `1.x.3` and `1.2-rc` leave open what they mean.
  if (
    (open >= 0 && parts.slice(open).some((part) => /^\d/.test(part))) ||
    (prerelease.length > 0 && numbers.length < 3)
  )
    return undefined;
  return { numbers, prerelease };
}

const isFull = ({ numbers }: Partial) => numbers.length === 3;
const lowest = ({ numbers: [major = 0, minor = 0, patch = 0], prerelease }: Partial): Version => ({
  numbers: [major, minor, patch],
  prerelease,
});
const NOTHING: Comparator = { operator: '<', version: { numbers: [0, 0, 0], prerelease: ['0'] } };

const atLeast = (partial: Partial): Comparator[] =>
  partial.numbers.length === 0 ? [] : [{ operator: '>=', version: lowest(partial) }];
const upTo = (partial: Partial): Comparator[] =>
  isFull(partial) ? [{ operator: '<=', version: lowest(partial) }] : below(partial, partial.numbers.length - 1);
const above = (partial: Partial): Comparator[] => {
  if (isFull(partial)) return [{ operator: '>', version: lowest(partial) }];
  return partial.numbers.length === 0
    ? [NOTHING]
    : [{ operator: '>=', version: next(partial, partial.numbers.length - 1) }];
};

/** Below the next value of one part; nothing to hold when there is no such part. */
function below(partial: Partial, index: number): Comparator[] {
  return index < 0 ? [] : [{ operator: '<', version: next(partial, index) }];
}

function next({ numbers }: Partial, index: number): Version {
  const [major = 0, minor = 0, patch = 0] = numbers.map((number, at) =>
    at < index ? number : at === index ? number + 1 : 0,
  );
  return { numbers: [major, minor, patch], prerelease: [] };
}

/** Index of the part that `^` keeps: the first one that is not 0, or the last that is given. */
function firstNonZero({ numbers }: Partial): number {
  const index = numbers.findIndex((number) => number > 0);
  return index < 0 ? numbers.length - 1 : index;
}
