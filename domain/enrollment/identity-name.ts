/** Names of identities that enroll by themselves with a certificate of a CA. */

export interface NameSymbols {
  readonly caName: string;
  readonly caId: string;
  readonly commonName: string;
  /** Name that the client asks for; '' when it asks for none. */
  readonly requestedName: string;
  readonly identityId: string;
}

const MAX_NAME = 500;
const COUNTER_DIGITS = 6;

/**
 * `format` with its symbols `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]` replaced once:
 * an inserted value is plain text. Without control characters and no longer than 500; when nothing is left, the
 * identity's id.
 */
export function identityName(format: string, symbols: NameSymbols): string {
  const name = format
    .replace(
      /\[(caName|caId|commonName|requestedName|identityId)\]/g,
      (_, symbol: keyof NameSymbols) => symbols[symbol],
    )
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  return name === '' ? symbols.identityId : [...name].slice(0, MAX_NAME).join('');
}

/** Adds a six-digit counter, from 1, to a name that is taken. */
export function numberedName(name: string, counter: number): string {
  return `${name}${String(counter).padStart(COUNTER_DIGITS, '0')}`;
}
