/**
 * Text to tokens, in one pass without backtracking. Blanks are tokens, because the grammar demands them in places.
 * A character that starts no token ends the list as `bad`; the parser reports it if nothing before it is wrong.
 */
export type TokenKind = 'ws' | 'word' | 'string' | 'number' | 'datetime' | 'bool' | 'op' | 'punct' | 'bad' | 'eof';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Lower case for keywords, which are case-insensitive; empty for a word that is none. */
  readonly keyword: string;
}

const KEYWORDS = new Set([
  'and',
  'or',
  'not',
  'in',
  'between',
  'contains',
  'icontains',
  'anyof',
  'allof',
  'count',
  'isempty',
  'from',
  'where',
  'sort',
  'by',
  'asc',
  'desc',
  'skip',
  'limit',
  'none',
  'null',
  'true',
  'false',
]);

const BLANKS = /[ \t\r\n]+/y;
const WORD = /[A-Za-z][A-Za-z_]*(?:\.[A-Za-z][A-Za-z_-]*)*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const TIME = '[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})';
const DATETIME = new RegExp(`datetime\\([ \\t\\r\\n]*(${DATE}[Tt]${TIME})[ \\t\\r\\n]*\\)`, 'y');
const OPERATOR = /[<>]=?|!?=/y;
const PUNCTUATION = '()[],';

const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const isDigit = (code: number) => code >= 48 && code <= 57;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    if (token.kind === 'bad') break;
    at = token.end;
  }
  tokens.push({ kind: 'eof', start: text.length, end: text.length, keyword: '' });
  return tokens;
}

function tokenAt(text: string, start: number): Token {
  const code = text.charCodeAt(start);
  if (isLetter(code)) return wordAt(text, start);
  if (code === 34) return stringAt(text, start);
  if (isDigit(code) || code === 45) return matched(text, start, NUMBER, 'number');
  if (code === 32 || (code >= 9 && code <= 13)) return matched(text, start, BLANKS, 'ws');
  if (PUNCTUATION.includes(text.charAt(start))) return { kind: 'punct', start, end: start + 1, keyword: '' };
  return matched(text, start, OPERATOR, 'op');
}

function matched(text: string, start: number, pattern: RegExp, kind: TokenKind): Token {
  pattern.lastIndex = start;
  if (!pattern.test(text))
    return { kind: 'bad', start, end: start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1), keyword: '' };
  return { kind, start, end: pattern.lastIndex, keyword: '' };
}

function wordAt(text: string, start: number): Token {
  if (text.startsWith('datetime(', start)) {
    const datetime = matched(text, start, DATETIME, 'datetime');
    if (datetime.kind === 'datetime') return datetime;
  }
  const { end } = matched(text, start, WORD, 'word');
  const lower = end - start > 9 ? '' : text.slice(start, end).toLowerCase();
  const keyword = KEYWORDS.has(lower) ? lower : '';
  return { kind: keyword === 'true' || keyword === 'false' ? 'bool' : 'word', start, end, keyword };
}

function stringAt(text: string, start: number): Token {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 34) return { kind: 'string', start, end: at + 1, keyword: '' };
    if (code === 92) {
      at += 1;
      if (at >= text.length || !'\\"fnrt'.includes(text.charAt(at))) break;
    }
    at += 1;
  }
  return { kind: 'bad', start, end: Math.min(at + 1, text.length), keyword: '' };
}

const ESCAPES: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text that a string token means. Halves of surrogate pairs, which UTF-8 cannot carry, become U+FFFD. */
export function stringValue(text: string, token: Token): string {
  const raw = text.slice(token.start + 1, token.end - 1);
  const value = raw.includes('\\') ? raw.replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped) : raw;
  return /[\ud800-\udfff]/.test(value) ? value.replace(/[\ud800-\udfff]/gu, '\ufffd') : value;
}

/** The RFC 3339 text inside a `datetime(…)` token. */
export function datetimeText(text: string, token: Token): string {
  DATETIME.lastIndex = token.start;
  return DATETIME.exec(text)?.[1] ?? '';
}

const DATE_PARTS = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * @returns the UTC timestamp in PostgreSQL's reading, to the microsecond; undefined for a day or hour that does not
 * exist
 */
export function timestampOf(rfc3339: string): string | undefined {
  const parts = DATE_PARTS.exec(rfc3339.toUpperCase());
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const offsetHours = Number(parts[9] ?? 0);
  const offsetMinutes = Number(parts[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  local.setUTCHours(hour, minute, second);
  const offset = (parts[8] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const utc = new Date(local.getTime() - offset * 60_000);
  if (utc.getUTCFullYear() < 1) return '-infinity';
  if (utc.getUTCFullYear() > 9999) return 'infinity';
  return `${utc.toISOString().slice(0, 19)}.${(parts[7] ?? '').slice(0, 6).padEnd(6, '0')}Z`;
}
