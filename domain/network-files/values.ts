/** JSON values: whether two are alike, and their text for people. */
import type { Json, JsonObject } from '../model.js';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The order of names in objects means nothing. */
export function isAlike(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isAlike(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isAlike(a[name], b[name]))
  );
}

/** Compares by code units: the same order on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The same with the names of all objects in order. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => byText(a, b))
      .map(([name, item]) => [name, sorted(item)]),
  );
}

/** A list whose order means nothing: each once, in order. */
export function asSet(items: readonly Json[]): Json[] {
  const byKey = new Map(items.map((item) => [typeof item === 'string' ? item : JSON.stringify(sorted(item)), item]));
  return [...byKey].sort(([a], [b]) => byText(a, b)).map(([, item]) => item);
}

/**
 * Characters that a terminal or an editor would not show as they are: controls, marks of direction, separators, byte
 * order marks.
 */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** The same with `\uXXXX` in the place of such characters. */
export const withoutHidden = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0;

const MOST_SHOWN = 100;

/** One line of at most a hundred characters. */
export function displayed(value: Json | undefined): string {
  const text = withoutHidden(value === undefined ? 'nothing' : JSON.stringify(value));
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}

/** Converts a text or a number; '' for all else. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
