/** Steps through the tokens of one filter, and says where it stopped making sense. */
import { insteadOf } from './advice.js';
import { filterFault, shown } from './errors.js';
import type { FaultKind } from './errors.js';
import { tokenize } from './lexer.js';
import type { Token } from './lexer.js';

const MAX_FILTER_LENGTH = 16_384;

export class TokenReader {
  readonly #tokens: readonly Token[];
  /** Index of the next token. */
  protected at = 0;

  constructor(
    readonly text: string,
    readonly kind: FaultKind,
  ) {
    if (text.length > MAX_FILTER_LENGTH)
      throw filterFault(kind, `expression is longer than ${MAX_FILTER_LENGTH} characters`);
    this.#tokens = tokenize(text);
  }

  protected peek(ahead = 0): Token {
    return (
      this.#tokens[this.at + ahead] ??
      this.#tokens[this.#tokens.length - 1] ?? { kind: 'eof', start: 0, end: 0, keyword: '' }
    );
  }

  protected slice(token: Token): string {
    return this.text.slice(token.start, token.end);
  }

  protected blanks(): void {
    if (this.peek().kind === 'ws') this.at += 1;
  }

  /** The blank that the grammar demands here. */
  protected blank(): void {
    if (this.peek().kind !== 'ws') throw this.unexpected();
    this.at += 1;
  }

  protected isPunct(char: string): boolean {
    const token = this.peek();
    return token.kind === 'punct' && this.text.charAt(token.start) === char;
  }

  protected punct(char: string): void {
    if (!this.isPunct(char)) throw this.unexpected();
    this.at += 1;
  }

  protected keyword(...words: readonly string[]): string {
    const { keyword } = this.peek();
    if (!words.includes(keyword)) throw this.unexpected();
    this.at += 1;
    return keyword;
  }

  protected identifier(): string {
    const token = this.peek();
    if (token.kind !== 'word' || token.keyword !== '') throw this.unexpected();
    this.at += 1;
    return this.slice(token);
  }

  protected end(): void {
    this.blanks();
    if (this.peek().kind !== 'eof') throw this.unexpected();
  }

  /** Lines count from 1, columns from 0, both in characters. */
  protected unexpected(token = this.peek()): Error {
    const symbol = token.kind === 'eof' ? '<EOF>' : shown(this.slice(token));
    const before = this.text.slice(0, token.start);
    const line = before.split('\n').length;
    const column = [...before.slice(before.lastIndexOf('\n') + 1)].length;
    return filterFault(
      this.kind,
      `Unexpected symbol: "${symbol}" at line: ${line} column: ${column}`,
      insteadOf(this.text, token, this.kind),
    );
  }
}
