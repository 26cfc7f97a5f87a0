/**
 * Hands an answer to its connection: as it is, or compressed where its client asked for that. A request for the head
 * alone gets the head of the same answer; Node leaves out what follows it.
 */
import type { ServerResponse } from 'node:http';
import { MIN_BYTES, PieceCoder, codedHead, compress, offerFor, varied } from './compression.js';
import type { ResponseHeaders, Offer } from './compression.js';
import { isKnown } from './entity-tags.js';
import { PIECE, sendBody, sendWhole } from './socket-writer.js';
import { isRead } from './paths.js';

export type { ResponseHeaders } from './compression.js';

/** A literal with the spread last: 20 us less than one that goes on after it. */
function withLength(headers: ResponseHeaders, length: number, isVaried: boolean): ResponseHeaders {
  if (!isVaried) return { 'content-length': length, ...headers };
  if (headers['vary'] !== undefined) return varied({ 'content-length': length, ...headers });
  return { 'content-length': length, vary: 'Accept-Encoding', ...headers };
}

/** Ends the answer; what is compressed in the thread pool a little later. */
export function write(response: ServerResponse, status: number, headers: ResponseHeaders, body: string | Buffer): void {
  deliver(response, status, headers, body)?.catch(() => {
    response.destroy();
  });
}

/** The same. @returns a promise for what is to be compressed first */
export function deliver(
  response: ServerResponse,
  status: number,
  headers: ResponseHeaders,
  body: string | Buffer,
): Promise<void> | undefined {
  if (response.headersSent) return undefined; // a timeout was answered while the work went on
  const isLong = body.length > MIN_BYTES;
  if (isWithReader(response, status, headers)) return sendNotModified(response, isLong ? varied(headers) : headers);
  const offer = isLong ? offerFor(response, status, headers) : undefined;
  if (offer !== undefined) return deliverCoded(response, status, headers, body, offer);
  response.writeHead(status, withLength(headers, Buffer.byteLength(body), isLong));
  if (body.length <= PIECE) response.end(body);
  else sendWhole(response, [body]);
  return undefined;
}

export function deliverPieces(
  response: ServerResponse,
  status: number,
  headers: ResponseHeaders,
  pieces: readonly Buffer[],
): Promise<void> | undefined {
  if (response.headersSent) return undefined; // a timeout was answered while the work went on
  if (isWithReader(response, status, headers)) return sendNotModified(response, varied(headers));
  const offer = offerFor(response, status, headers);
  if (offer !== undefined) return deliverCoded(response, status, headers, Buffer.concat(pieces), offer);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(status, withLength(headers, length, true));
  sendWhole(response, pieces);
  return undefined;
}

/** Whether the reader has this answer, by its tag. The answer to a change is always sent. */
const isWithReader = ({ req }: ServerResponse, status: number, { etag }: ResponseHeaders): boolean =>
  etag !== undefined && status === 200 && isRead(req) && isKnown(req.headers['if-none-match'], String(etag));

/** All that the answer would carry, but its text. */
function sendNotModified(response: ServerResponse, headers: ResponseHeaders): undefined {
  const kept = Object.entries(headers).filter(([name]) => name !== 'content-type');
  response.writeHead(304, Object.fromEntries(kept)).end();
}

async function deliverCoded(
  response: ServerResponse,
  status: number,
  plainHeaders: ResponseHeaders,
  body: string | Buffer,
  offer: Offer,
): Promise<void> {
  const coded = compress(body, offer);
  const form = coded instanceof Promise ? await coded : coded;
  if (response.headersSent) return; // a timeout was answered meanwhile
  const { headers, padding } = codedHead(plainHeaders, offer);
  response.writeHead(status, { 'content-length': form.length, ...headers });
  // The padding is of the first piece, so that the length of no other tells what it hides.
  const first = PIECE - padding;
  if (form.length <= first) response.end(form);
  else sendWhole(response, [form.subarray(0, first), form.subarray(first)]);
}

/** An answer whose length is not known yet. */
interface PieceWriter {
  /** @throws ReaderGone */
  send(piece: string | Buffer): Promise<void>;
  end(): Promise<void>;
  close(): void;
}

/** @returns undefined when there is nothing to follow: the request was for the head alone */
export function beginPieces(
  response: ServerResponse,
  status: number,
  plainHeaders: ResponseHeaders,
  patienceMs: number | undefined,
): PieceWriter | undefined {
  const offer = offerFor(response, status, plainHeaders);
  const { headers, padding } =
    offer === undefined ? { headers: varied(plainHeaders), padding: 0 } : codedHead(plainHeaders, offer);
  response.writeHead(status, headers);
  if (response.req.method === 'HEAD') {
    response.end();
    return undefined;
  }
  if (offer === undefined)
    return {
      send: (piece) => sendBody(response, piece, patienceMs),
      end: async () => {
        response.end();
      },
      close: () => undefined,
    };
  const coder = new PieceCoder(offer);
  let next = PIECE - padding;
  const flush = async () => {
    for (let made = coder.take(next); made !== undefined; made = coder.take(next)) {
      next = PIECE;
      await sendBody(response, made, patienceMs);
    }
  };
  return {
    async send(piece) {
      await coder.add(piece);
      await flush();
    },
    async end() {
      await coder.end();
      await flush();
      await sendBody(response, coder.rest(), patienceMs);
      response.end();
    },
    close: () => {
      coder.close();
    },
  };
}
