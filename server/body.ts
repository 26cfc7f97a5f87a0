/** Reading a request's body: bounded in bytes before trust, bounded in depth before parsing. */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/errors.js';

/** What is still read and thrown away of a body that is too large, so that its sender gets to read the answer. */
const DISCARD_BYTES = 8 * 1024 * 1024;
const DISCARD_MS = 1_000;

/** The client went away, or does not read: no answer reaches it, and nothing is wrong with us. */
export class ClientGone extends Error {}

/** The sender went away before its body was whole: there is nobody to answer, and nothing is wrong with us. */
export class SenderGone extends ClientGone {}

export interface BodyLimits {
  /** Of one body. */
  readonly maxBytes: number;
  /** Of all large bodies that are on their way. */
  readonly maxBytesOfAll: number;
}

/** A body up to this size counts for nothing: slow senders of large ones leave everybody else's requests alone. */
const SMALL_BYTES = 65_536;

/** The body's bytes; null when the request has none. @throws DomainError `payloadTooLarge`, `tooManyRequests`; SenderGone */
export type ReadBody = (request: IncomingMessage) => Promise<Buffer | null>;

export function createBodyReader({ maxBytes, maxBytesOfAll }: BodyLimits): ReadBody {
  let held = 0;
  return (request) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let counted = 0;
      let patience: NodeJS.Timeout | undefined;
      let refusal: 'payloadTooLarge' | 'tooManyRequests' | undefined;
      const release = () => {
        clearTimeout(patience);
        held -= counted;
        counted = 0;
      };
      const finish = () => {
        release();
        if (refusal === undefined) resolve(size === 0 ? null : Buffer.concat(chunks, size));
        else reject(new DomainError(refusal, { headers: { connection: 'close', ...(refusal === 'tooManyRequests' ? { 'retry-after': '1' } : {}) } }));
      };
      const discard = (kind: typeof refusal) => {
        refusal = kind;
        chunks.length = 0;
        release();
        patience = setTimeout(finish, DISCARD_MS);
      };
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (refusal === undefined && size > maxBytes) discard('payloadTooLarge');
        if (refusal === undefined && size > SMALL_BYTES) {
          held += size - SMALL_BYTES - counted;
          counted = size - SMALL_BYTES;
          if (held > maxBytesOfAll) discard('tooManyRequests');
        }
        if (refusal === undefined) chunks.push(chunk);
        else if (size > maxBytes + DISCARD_BYTES) finish();
      });
      request.on('end', finish);
      request.on('error', (cause) => { release(); reject(new SenderGone('the sender went away', { cause })); });
      if (Number(length ?? 0) > maxBytes) discard('payloadTooLarge');
    });
  };
}

/**
 * @param name  the body parameter's name in the spec, for the error text
 * @throws DomainError `unparsableBody` for malformed JSON, for nesting beyond `maxDepth`, and for text that the
 *   database cannot hold (NUL characters, unpaired surrogates)
 */
export function parseJson(bytes: Buffer, name: string, maxDepth: number): unknown {
  const text = bytes.toString('utf8');
  if (exceedsDepth(text, maxDepth)) throw unparsable(name, `it is nested deeper than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unparsable(name, reasonOf(error as SyntaxError));
  }
  if (text.includes('\\u') && !isStorable(value)) throw unparsable(name, 'it has a NUL character or an unpaired surrogate');
  return value;
}

/** The parser's words without the piece of the body that it quotes, which may be a password. */
function reasonOf({ message }: SyntaxError): string {
  const quote = message.search(/(?:, (?:\.{3})?)?"(?!')/);
  return quote < 0 ? message : `${quote === 0 ? '' : `${message.slice(0, quote)}: `}it is not valid JSON`;
}

export function unparsable(name: string, reason: string): DomainError {
  return new DomainError('unparsableBody', { causeMessage: `parsing ${name} body from "" failed, because ${reason}` });
}

function exceedsDepth(text: string, maxDepth: number): boolean {
  let depth = 0;
  let isString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (isString) {
      if (code === 92) i += 1;
      else if (code === 34) isString = false;
    } else if (code === 34) isString = true;
    else if (code === 123 || code === 91) { depth += 1; if (depth > maxDepth) return true; }
    else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, item]) => isStorable(key) && isStorable(item));
  }
  return true;
}
