/** Reading a request's body: bounded in bytes before trust, bounded in depth before parsing. */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/errors.js';

/** What is still read and thrown away of a body that is too large, so that its sender gets to read the answer. */
const DISCARD_BYTES = 8 * 1024 * 1024;
const DISCARD_MS = 1_000;

/** The body's bytes; null when the request has none. @throws DomainError `payloadTooLarge` */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return null;
  const declared = Number(length ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  let deadline = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes && declared <= maxBytes) { chunks.push(chunk); continue; }
    chunks.length = 0;
    deadline ||= Date.now() + DISCARD_MS;
    if (size > maxBytes + DISCARD_BYTES || Date.now() > deadline) break;
  }
  if (size > maxBytes || declared > maxBytes) throw new DomainError('payloadTooLarge', { headers: { connection: 'close' } });
  return size === 0 ? null : Buffer.concat(chunks, size);
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
    throw unparsable(name, (error as SyntaxError).message.replace(/\s+/g, ' ').slice(0, 200));
  }
  if (text.includes('\\u') && !isStorable(value)) throw unparsable(name, 'it has a NUL character or an unpaired surrogate');
  return value;
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
