/** Answers as JSON text. */

/** How JSON writes a text that begins with NUL: digits of a number that is too large for JavaScript. */
const MARK = '"\\u0000';
const MARKED = /"\\u0000(-?\d+)"/g;

/** Text of a value. Numbers that `withDigits` of `handlers/fields.ts` has marked are written by their digits. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text;
}
