// The formats that the specs may use. Strings are tested by one regular expression each, all of them linear in time.

import type { Node } from './node.js';

const HOUR = '(?:[01]\\d|2[0-3])';
const LEAP_YEAR = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DATE =
  '(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)' +
  '|02-(?:0[1-9]|1\\d|2[0-8]))' +
  `|${LEAP_YEAR}-02-29)`;

/**
 * Checked formats. `date-time` is RFC 3339 with true dates and without leap seconds, which `Date` cannot hold; `byte`
 * is base64 of RFC 4648 section 4 with its padding; `uri` has a scheme or starts with a slash, and no blanks.
 */
export const stringFormats: Readonly<Record<string, string>> = {
  byte: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  'date-time': `^${DATE}[Tt]${HOUR}:[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-]${HOUR}:[0-5]\\d)$`,
  uri: '^(?:[A-Za-z][A-Za-z0-9+.-]*:|/)[^\\s]*$',
  uuid: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
};

/** Links in answers are relative, so their form is only checked in requests. */
export const requestOnlyFormats: readonly string[] = ['uri'];

/** Formats that only inform a reader. */
const UNCHECKED = ['password', 'url', 'uri-reference'];

/** Bounds of integers; int64 stops where numbers stop being exact. */
export const integerRanges: Readonly<Record<string, readonly [minimum: number, maximum: number]>> = {
  int32: [-2147483648, 2147483647],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

const NUMBER_FORMATS = ['float', 'double'];

export function readFormat(node: Node, type: 'string' | 'integer' | 'number'): string | null {
  const format = node.optionalString('format');
  if (format === null) return null;
  const known =
    type === 'string'
      ? [...Object.keys(stringFormats), ...UNCHECKED]
      : type === 'integer'
        ? Object.keys(integerRanges)
        : NUMBER_FORMATS;
  return known.includes(format)
    ? format
    : node.at('format').fail(`the generator does not know format ${format} of a ${type}`);
}
