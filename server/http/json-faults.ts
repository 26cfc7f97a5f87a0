/**
 * Finds the location in a JSON text of the first duplicate name, or of the first number that cannot be kept or is too
 * large to keep. Reads the text itself, because the parser keeps the last of two names and the nearest double of a
 * number. Takes twice as long as the parser, so only for texts that json-body.ts has cause to doubt.
 */

export interface JsonFault {
  readonly kind: 'repeated' | 'inexact' | 'extreme';
  /** Names and indices from the outermost value; a long name is cut. */
  readonly path: readonly string[];
}

const SHOWN_CHARACTERS = 200;
const BLANK = 32;
const [COMMA, COLON, QUOTE, BACKSLASH] = [44, 58, 34, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** @param text  JSON, as the parser has confirmed, nested no deeper than it may */
export function findFault(text: string): JsonFault | undefined {
  return new FaultReader(text).value();
}

class FaultReader {
  private at = 0;
  private readonly path: (string | number)[] = [];

  constructor(private readonly text: string) {}

  value(): JsonFault | undefined {
    switch (this.next()) {
      case OPEN_OBJECT:
        return this.members();
      case OPEN_LIST:
        return this.items();
      case QUOTE:
        this.string();
        return undefined;
      default:
        return this.literal();
    }
  }

  private members(): JsonFault | undefined {
    const seen = new Set<string>();
    const place = this.path.push('') - 1;
    this.at += 1;
    while (this.next() !== CLOSE_OBJECT) {
      const name = JSON.parse(this.string()) as string;
      this.path[place] = name;
      if (seen.has(name)) return this.fault('repeated');
      seen.add(name);
      this.skip(COLON);
      const fault = this.value();
      if (fault) return fault;
      this.skip(COMMA);
    }
    this.at += 1;
    this.path.pop();
    return undefined;
  }

  private items(): JsonFault | undefined {
    const place = this.path.push(0) - 1;
    this.at += 1;
    for (let index = 0; this.next() !== CLOSE_LIST; index += 1) {
      this.path[place] = index;
      const fault = this.value();
      if (fault) return fault;
      this.skip(COMMA);
    }
    this.at += 1;
    this.path.pop();
    return undefined;
  }

  /** A number, or a word such as `true`, which is shorter than any number that may be inexact. */
  private literal(): JsonFault | undefined {
    const start = this.at;
    for (let code = this.code(); !this.isEnd(code); code = this.code()) this.at += 1;
    const kind = numberFault(this.text.slice(start, this.at));
    return kind === undefined ? undefined : this.fault(kind);
  }

  private isEnd(code: number): boolean {
    return !(code > BLANK) || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT;
  }

  private fault(kind: JsonFault['kind']): JsonFault {
    return { kind, path: this.path.map((part) => String(part).slice(0, SHOWN_CHARACTERS)) };
  }

  /** The string that begins here, with its quotes. */
  private string(): string {
    const start = this.at;
    do this.at += this.code() === BACKSLASH ? 2 : 1;
    while (this.code() !== QUOTE);
    this.at += 1;
    return this.text.slice(start, this.at);
  }

  private skip(code: number): void {
    if (this.next() === code) this.at += 1;
  }

  /** The next character that is no blank. */
  private next(): number {
    while (this.code() <= BLANK) this.at += 1;
    return this.code();
  }

  /** The character here; NaN at the end. */
  private code(): number {
    return this.text.charCodeAt(this.at);
  }
}

/**
 * The database writes every digit of a number: `1e308` takes five characters to send and 309 to read. Within these a
 * body grows to nine times its length at most, and every 32-bit float of full precision is kept.
 */
const [SMALLEST, LARGEST] = [1e-40, 1e40];

/**
 * `inexact` unless the shortest text of the nearest double is the same decimal number: `1e2` and `0.1` are exact,
 * `0.1000…0555` is not. `extreme` for an exact one that has too many digits when it is written without an exponent.
 */
function numberFault(literal: string): 'inexact' | 'extreme' | undefined {
  const value = Number(literal);
  if (Number.isNaN(value)) return undefined; // `true`, `false`, `null`
  const size = Math.abs(value);
  const isModerate = size >= SMALLEST && size <= LARGEST;
  // So few characters cannot have more digits than a double keeps.
  if (literal.length <= 15 && isModerate) return undefined;
  if (!Number.isFinite(value) || canonical(literal) !== canonical(String(value))) return 'inexact';
  return isModerate || value === 0 ? undefined : 'extreme';
}

/** One text for each decimal number: sign, digits without zeros at either end, and the place of the point. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
