/** Kinds of setting: the description, and one parser for each kind of value. Parsers throw the fault. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { parseConnectionUrl } from '../../db/postgres/connection-url.js';
import { usernameFault } from '../../domain/auth/username.js';
import { formatHostPort, parseHostPort } from '../../domain/pki/server-name.js';

/** Checks and reads one kind of value. @throws Error with a reason */
export type SettingKind<T> = ((value: unknown) => T) & { /** Marks a number of seconds. */ readonly isDuration?: true };

export interface Setting<T> {
  /** Dotted place in the YAML file. */
  readonly path: string;
  readonly env: string;
  readonly parse: SettingKind<T>;
  readonly fallback: T;
  readonly about: string;
  readonly isSecret?: boolean;
}

/** The values of a table of settings, by key. */
export type SettingsOf<T> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

export const setting = <T>(
  path: string,
  env: string,
  parse: SettingKind<T>,
  fallback: T,
  about: string,
  isSecret = false,
): Setting<T> => ({ path, env, parse, fallback, about, isSecret });

export function parseText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') throw new Error('must be a text that is not empty');
  return value;
}

export const orNone =
  <T>(parse: (value: unknown) => T) =>
  (value: unknown): T | null =>
    value === null || value === '' ? null : parse(value);

export const integerBetween =
  (min: number, max: number) =>
  (value: unknown): number => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  };

/** A share: 0 to 1. */
export function fraction(value: unknown): number {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= 0 && number <= 1)) throw new Error('must be a number from 0 to 1');
  return number;
}

export function workerCount(value: unknown): number {
  return value === 'auto' ? availableParallelism() : integerBetween(1, 256)(value);
}

export function parseFlag(value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw new Error('must be true or false');
}

export const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (value: unknown): T => {
    const found = allowed.find((item) => item === value);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  };

/** A list in YAML, or a text with commas. */
export const listSetting =
  <T>(parse: (value: unknown) => T) =>
  (value: unknown): readonly T[] => {
    const items: unknown[] = Array.isArray(value)
      ? value
      : value === null || value === ''
        ? []
        : parseText(value)
            .split(',')
            .map((item) => item.trim());
    return items.map(parse);
  };

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** `30m`, `1h30m`, `90s`, in seconds. */
export const duration = (minSeconds: number, maxSeconds: number): SettingKind<number> => {
  const parse = (value: unknown): number => {
    const match = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.exec(parseText(value));
    if (match === null) throw new Error("must be a duration such as '30m', '1h30m' or '45s'");
    let seconds = 0;
    for (const [, amount, unit] of match[0].matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
      seconds += Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0);
    if (seconds < minSeconds || seconds > maxSeconds)
      throw new Error(`must be from ${minSeconds} s to ${maxSeconds} s`);
    return seconds;
  };
  return Object.assign(parse, { isDuration: true as const });
};

/** Normalizes a host and port, so that what is advertised is what the certificate says. */
export const hostPort = (value: unknown): string => formatHostPort(parseHostPort(parseText(value)));

export function databaseUrl(value: unknown): string {
  const url = parseText(value);
  parseConnectionUrl(url);
  return url;
}

/** One server each: where a password has a comma, it is percent-encoded. */
export function replicaUrl(value: unknown): string {
  const url = databaseUrl(value);
  if (parseConnectionUrl(url).hosts.length > 1) throw new Error('must name one server in each URL');
  return url;
}

export function origin(value: unknown): string {
  const given = parseText(value);
  if (given === '*') return given;
  const parsed = URL.canParse(given) ? new URL(given).origin : 'null';
  if (parsed === 'null' || parsed !== given.replace(/\/$/, ''))
    throw new Error(`must be an origin such as https://console.example.com, not ${given}`);
  return parsed;
}

/** An address, or a network with its number of bits. */
export function network(value: unknown): string {
  const [address = '', bits, ...more] = parseText(value).split('/');
  const family = isIP(address);
  const isSize = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  if (family === 0 || !isSize || more.length > 0)
    throw new Error(`must be an address or a network such as 10.0.0.0/8, not ${parseText(value)}`);
  return parseText(value);
}

export const password = (value: unknown): string => {
  const given = parseText(value);
  if (given.length < 5 || given.length > 100) throw new Error('must have 5 to 100 characters');
  return given;
};

/** Token in the form that a header allows. */
export function bearerToken(value: unknown): string {
  const given = parseText(value);
  if (!/^[\x21-\x7e]{16,200}$/.test(given)) throw new Error('must have 16 to 200 visible ASCII characters, no spaces');
  return given;
}

/** A URL that requests are sent to. Its credentials would be in logs. */
export function endpoint(value: unknown): string {
  const given = parseText(value);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hash !== '')
    throw new Error('must be a URL such as http://127.0.0.1:4318/v1/traces');
  if (url.username !== '' || url.password !== '') throw new Error('must be a URL without a user and a password');
  return given;
}

export const username = (value: unknown): string => {
  const given = parseText(value);
  const fault = usernameFault(given);
  if (fault !== undefined) throw new Error(fault);
  return given;
};

export const issuerName = (value: unknown): string => {
  const given = parseText(value);
  if (/[:\p{Cc}]/u.test(given) || [...given].length > 64) throw new Error('must have up to 64 characters and no colon');
  return given;
};

/** Headers whose values must not be in a log. */
const CREDENTIALS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'zt-session',
  'svc-session',
  'mfa-validation-code',
];

export function plainHeader(value: unknown): string {
  const name = parseText(value).toLowerCase();
  if (!/^[a-z0-9-]{1,64}$/.test(name)) throw new Error('must be the name of a header, such as x-request-id');
  if (CREDENTIALS.includes(name)) throw new Error(`must not be ${name}: its value would be logged`);
  return name;
}
