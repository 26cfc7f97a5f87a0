/** Reading a request's body, bounded in bytes before trust. What its text says is read by json-body.ts. */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.js';

/** Bytes still read and discarded of a body that is too large, so that its sender gets to read the response. */
const DISCARD_BYTES = 8 * 1024 * 1024;
const DISCARD_MS = 1_000;

/** The client went away, or does not read: no answer reaches it, and nothing is wrong with us. */
export class ClientGone extends Error {}

/** The sender went away before its body was whole: no answer can reach it, and nothing is wrong with us. */
export class SenderGone extends ClientGone {}

export interface BodyLimits {
  /** Limit of all large bodies that are being read. */
  readonly maxBytesOfAll: number;
}

/** A body up to this size is not counted, so slow senders of large ones do not block other requests. */
const SMALL_BYTES = 65_536;

/**
 * The body's bytes; null when the request has none.
 * @param maxBytes  of this body
 * @throws DomainError `payloadTooLarge`, `tooManyRequests`; SenderGone
 */
export type ReadBody = (request: IncomingMessage, maxBytes: number) => Promise<Buffer | null>;

export function createBodyReader({ maxBytesOfAll }: BodyLimits): ReadBody {
  let held = 0;
  return (request, maxBytes) => {
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
        else reject(refusalOf(refusal, maxBytes));
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
      request.on('error', (cause) => {
        release();
        reject(new SenderGone('the sender went away', { cause }));
      });
      if (Number(length ?? 0) > maxBytes) discard('payloadTooLarge');
    });
  };
}

function refusalOf(kind: 'payloadTooLarge' | 'tooManyRequests', maxBytes: number): DomainError {
  if (kind === 'tooManyRequests')
    return new DomainError(kind, { headers: { 'connection': 'close', 'retry-after': '1' } });
  const causeMessage = `a body may have ${maxBytes} bytes here`;
  return new DomainError(kind, { headers: { connection: 'close' }, causeMessage });
}
