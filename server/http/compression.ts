/**
 * Compresses answers for clients that ask for it. What is kept as text is kept compressed too; a list that is written
 * as its reader takes it is compressed as it goes. To compress a secret together with text that another party
 * chose gives it away by its length (BREACH): answers that hand out secrets are not compressed, and all other answers
 * of operations get a length that says little (docs/decisions/0019).
 */
import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import type { BrotliOptions, ZlibOptions } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { OperationSpec } from '../../generated/operation.js';
import type { Coding } from './coding.js';
import { requirePlain, wishOf } from './coding.js';
import { PIECE } from './socket-writer.js';

/** Shorter answers go as they are. */
export const MIN_BYTES = 1024;

/**
 * Texts up to this size are compressed at once, which blocks the event loop for 0.15 ms; a job of the thread pool would
 * cost 0.2 ms more.
 */
const AT_ONCE = PIECE;

/**
 * Levels for one response: a megabyte of JSON takes 1.3 and 2.1 ms and shrinks to a tenth. Twice the time saves a tenth
 * of that tenth.
 */
const FAST = { br: 1, gzip: 1 } as const;
/** Levels for texts that are sent many times: 11 and 6 ms, once. */
const THOROUGH = { br: 5, gzip: 6 } as const;

/** Bytes of the answers that are kept of one coding, with the texts that they were made of. */
const MAX_KEPT = 16 * 1024 * 1024;

/** Most bytes that are added to the length of an answer at random. */
const MAX_PADDING = 512;
const PADDING = '.'.repeat(MAX_PADDING);

type Levels = Readonly<Record<Coding, number>>;

const brotliOptions = (levels: Levels, size?: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: levels.br,
    [constants.BROTLI_PARAM_LGWIN]: 18, // 256 KiB: four megabytes each would be needed by default
    ...(size === undefined ? {} : { [constants.BROTLI_PARAM_SIZE_HINT]: size }),
  },
});
const gzipOptions = (levels: Levels): ZlibOptions => ({ level: levels.gzip });

const pooled = {
  br: (body: Buffer, levels: Levels) => promisify(brotliCompress)(body, brotliOptions(levels, body.length)),
  gzip: (body: Buffer, levels: Levels) => promisify<Buffer, ZlibOptions, Buffer>(gzip)(body, gzipOptions(levels)),
};
const bytesOf = (body: string | Buffer): Buffer => (typeof body === 'string' ? Buffer.from(body) : body);
const atOnce = {
  br: (body: string | Buffer) => brotliCompressSync(body, brotliOptions(FAST)),
  gzip: (body: string | Buffer) => gzipSync(body, gzipOptions(FAST)),
};

/** Compressed answers, by the very text or bytes that they were made of. */
class KeptForms {
  readonly #forms = new LRUCache<string | Buffer, Buffer>({
    maxSize: MAX_KEPT,
    sizeCalculation: (form, body) => form.length + body.length,
  });
  readonly #running = new Map<string | Buffer, Promise<Buffer>>();

  constructor(readonly coding: Coding) {}

  /** @returns a promise for what has to be made first, once for all who ask for it meanwhile */
  of(body: string | Buffer): Buffer | Promise<Buffer> {
    return this.#forms.get(body) ?? this.#running.get(body) ?? this.#make(body);
  }

  #make(body: string | Buffer): Promise<Buffer> {
    const made = pooled[this.coding](bytesOf(body), THOROUGH)
      .then((form) => {
        this.#forms.set(body, form);
        return form;
      })
      .finally(() => {
        this.#running.delete(body);
      });
    this.#running.set(body, made);
    return made;
  }
}

export interface Offer {
  readonly coding: Coding;
  readonly kept: KeptForms;
  /** It comes again: compressed thoroughly, and kept. */
  isKept: boolean;
  /** It is made of what others may have chosen. */
  isPadded: boolean;
}

/** Offers of the responses that may be compressed: their clients accept it. */
const offers = new WeakMap<ServerResponse, Offer>();

/** A stream without end is sent as it comes. */
const isStream = ({ produces }: OperationSpec): boolean => produces.includes('text/event-stream');

/**
 * Answers to changes are short, and many of them are credentials: logins, enrollments, sessions, codes. Lists of
 * identities and routers show the tokens of outstanding enrollments as well, and are compressed: with a length that is
 * padded.
 */
const isCompressible = (operation: OperationSpec): boolean =>
  operation.method === 'GET' && !operation.handsOutCredential && !isStream(operation);

/** HTTP content coding of one response. */
export class Compression {
  readonly #kept: Readonly<Record<Coding, KeptForms>> | undefined;

  constructor(isOn: boolean) {
    this.#kept = isOn ? { br: new KeptForms('br'), gzip: new KeptForms('gzip') } : undefined;
  }

  /**
   * Notes how the client wants the answer; before the work begins, so that none is done for a refusal.
   * @param operation  undefined: a page, the same for every reader
   * @throws DomainError `notAcceptable`
   */
  prepare(response: ServerResponse, operation: OperationSpec | undefined): void {
    const header = response.req.headers['accept-encoding'];
    if (header === undefined || header === 'identity') return;
    const wish = wishOf(header);
    const mayBe = operation === undefined || isCompressible(operation);
    if (wish.coding === null || this.#kept === undefined || !mayBe) {
      requirePlain(wish, header);
      return;
    }
    offers.set(response, {
      coding: wish.coding,
      kept: this.#kept[wish.coding],
      isKept: operation === undefined,
      isPadded: operation !== undefined,
    });
  }
}

/** The answer will be given again as it is. */
export function keepForm(response: ServerResponse): void {
  const offer = offers.get(response);
  if (offer !== undefined) offer.isKept = true;
}

export type ResponseHeaders = Readonly<Record<string, string | number>>;

/** Pictures, films and most fonts are compressed by themselves. */
const PACKED = /^(?:image\/(?!svg|bmp)|video\/|font\/woff)/;
const isPacked = (headers: ResponseHeaders) => PACKED.test(String(headers['content-type']));

/** How an answer is to be compressed; undefined: as it is. */
export function offerFor(response: ServerResponse, status: number, headers: ResponseHeaders): Offer | undefined {
  const offer = offers.get(response);
  return offer !== undefined && status === 200 && !isPacked(headers) ? offer : undefined;
}

/** @returns a promise for what takes longer */
export function compress(body: string | Buffer, { coding, kept, isKept }: Offer): Buffer | Promise<Buffer> {
  if (isKept) return kept.of(body);
  return body.length <= AT_ONCE ? atOnce[coding](body) : pooled[coding](bytesOf(body), FAST);
}

/** Tells caches that the answer differs by what the client asks for. */
export function varied(headers: ResponseHeaders): ResponseHeaders {
  const { vary } = headers;
  return vary === undefined
    ? { vary: 'Accept-Encoding', ...headers }
    : { ...headers, vary: `${vary}, Accept-Encoding` };
}

/** Returns the headers of a compressed response, and the number of padding bytes in them. */
export function codedHead(
  headers: ResponseHeaders,
  { coding, isPadded }: Offer,
): { headers: ResponseHeaders; padding: number } {
  const { etag } = headers;
  const padding = isPadded ? randomInt(1, MAX_PADDING + 1) : 0;
  return {
    padding,
    headers: {
      ...varied(headers),
      'content-encoding': coding,
      // Another form of the same: equal in meaning, not in bytes (RFC 9110 section 8.8.1).
      ...(typeof etag !== 'string' || etag.startsWith('W/') ? {} : { etag: `W/${etag}` }),
      ...(padding === 0 ? {} : { 'x-padding': PADDING.slice(0, padding) }),
    },
  };
}

/** Compresses what comes piece by piece, in the thread pool. */
export class PieceCoder {
  readonly #stream;
  #made: Buffer[] = [];
  #bytes = 0;
  #fault: Error | undefined;

  constructor({ coding }: Offer) {
    this.#stream = coding === 'br' ? createBrotliCompress(brotliOptions(FAST)) : createGzip(gzipOptions(FAST));
    this.#stream.on('data', (chunk: Buffer) => {
      this.#made.push(chunk);
      this.#bytes += chunk.length;
    });
    this.#stream.on('error', (error) => {
      this.#fault = error;
    });
  }

  add(piece: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(piece, (error) => {
        if (error == null) resolve();
        else reject(error);
      });
    });
  }

  /** Ends the text: what is left of it can be taken. */
  end(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== undefined) reject(this.#fault);
      this.#stream.once('error', reject).once('end', resolve).end();
    });
  }

  /** Takes so many of the bytes made so far; undefined when there are fewer. */
  take(bytes: number): Buffer | undefined {
    if (bytes === 0 || this.#bytes < bytes) return undefined;
    const all = Buffer.concat(this.#made);
    this.#made = all.length === bytes ? [] : [all.subarray(bytes)];
    this.#bytes -= bytes;
    return all.subarray(0, bytes);
  }

  rest(): Buffer {
    const all = Buffer.concat(this.#made);
    this.close();
    return all;
  }

  close(): void {
    this.#made = [];
    this.#bytes = 0;
    this.#stream.destroy();
  }
}
