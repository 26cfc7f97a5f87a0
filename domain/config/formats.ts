/**
 * The values of `format` that are checked, each in time linear in a bounded text. Every other format, `idn-hostname`
 * among them, is an annotation and accepts anything.
 */
import { isIPv4, isIPv6 } from 'node:net';

const MAX_CHARACTERS = 2_048;

type Check = (text: string) => boolean;

const FULL_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const FULL_TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A date that exists: 30 February rolls over to March, and is refused (RFC 3339 section 5.7). */
const isDate: Check = (text) => FULL_DATE.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
const isTime: Check = (text) => FULL_TIME.test(text);
const isHostname: Check = (text) =>
  text.length <= 253 &&
  text
    .split('.')
    .every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label) && !label.startsWith('-') && !label.endsWith('-'));

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['date', isDate],
  ['time', isTime],
  ['date-time', (text) => isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.charAt(10)) && isTime(text.slice(11))],
  ['hostname', isHostname],
  ['email', (text) => /^[^\s@]{1,64}@/.test(text) && isHostname(text.slice(text.indexOf('@') + 1))],
  ['ipv4', isIPv4],
  ['ipv6', (text) => isIPv6(text) && !text.includes('%')],
  ['uri', (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text)],
  ['uuid', (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)],
  ['json-pointer', (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)],
]);

/** Checks of formats by name; a text of more than 2048 characters matches no format. */
export const formats: Readonly<Record<string, Check>> = Object.fromEntries(
  [...checks].map(([name, check]) => [name, (text: string) => text.length <= MAX_CHARACTERS && check(text)]),
);
