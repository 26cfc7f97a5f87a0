/**
 * Reads HTTP/1.1 answers from the bytes of one connection, as little of them as a load generator needs: the status,
 * where the answer ends, how long its body is, and the body itself only when asked for. One answer at a time: it is
 * for connections that send the next request after the answer to the last.
 */
export interface HttpAnswer {
  readonly status: number;
  /** Length of the body, framing not counted. */
  readonly bytes: number;
  /** Kept when asked for, and for an answer that is no success; '' otherwise. */
  readonly body: string;
  /** The server will close the connection. */
  readonly isLast: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_FEED = 10;
const MAX_HEAD_BYTES = 65_536;

type Phase = 'head' | 'fixed' | 'chunkSize' | 'chunk' | 'trailer';

export class ResponseReader {
  #phase: Phase = 'head';
  #rest: Buffer | undefined;
  #status = 0;
  #bytes = 0;
  #left = 0;
  #line = '';
  #isLast = false;
  #isKept = false;
  #kept: Buffer[] = [];

  constructor(readonly keepsBodies: boolean) {}

  /**
   * @param chunk  may be overwritten after the call; what is needed later is copied
   * @returns the answer that these bytes complete
   * @throws Error when the bytes are no answer
   */
  push(chunk: Buffer): HttpAnswer | undefined {
    if (this.#phase !== 'head') return this.#readBody(chunk, 0);
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      if (bytes.length > MAX_HEAD_BYTES) throw new Error('the head of an answer does not end');
      this.#rest = Buffer.from(bytes);
      return undefined;
    }
    this.#rest = undefined;
    this.#readHead(bytes.toString('latin1', 0, end));
    return this.#status < 200
      ? this.push(bytes.subarray(end + HEAD_END.length))
      : this.#readBody(bytes, end + HEAD_END.length);
  }

  #readHead(head: string): void {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
    if (status === undefined) throw new Error(`no HTTP/1.1 answer: ${head.slice(0, 60)}`);
    this.#status = Number(status);
    this.#bytes = 0;
    this.#kept = [];
    this.#isKept = this.keepsBodies || this.#status >= 300;
    this.#isLast = /\r\nconnection: *close/i.test(head);
    if (this.#status < 200) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined || this.#status === 204 || this.#status === 304) {
      this.#phase = 'fixed';
      this.#left = Number(length ?? 0);
    } else if (/\r\ntransfer-encoding:[^\r]*chunked/i.test(head)) {
      this.#phase = 'chunkSize';
      this.#line = '';
    } else {
      throw new Error('an answer tells neither its length nor that it is chunked');
    }
  }

  #readBody(chunk: Buffer, from: number): HttpAnswer | undefined {
    if (this.#phase !== 'fixed') return this.#readChunks(chunk, from);
    this.#take(chunk, from, Math.min(this.#left, chunk.length - from));
    return this.#left === 0 ? this.#done() : undefined;
  }

  #readChunks(chunk: Buffer, from: number): HttpAnswer | undefined {
    let at = from;
    while (at < chunk.length) {
      if (this.#phase === 'chunk') {
        at += this.#take(chunk, at, Math.min(this.#left, chunk.length - at));
        if (this.#left === 0) this.#phase = 'chunkSize';
        continue;
      }
      const end = chunk.indexOf(LINE_FEED, at);
      this.#line += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
      if (end < 0) return undefined;
      at = end + 1;
      const line = this.#line.trim();
      this.#line = '';
      if (this.#phase === 'trailer') {
        if (line === '') return this.#done();
      } else if (line !== '') {
        // empty: the line end after a chunk's bytes
        this.#left = Number.parseInt(line, 16);
        if (Number.isNaN(this.#left)) throw new Error(`no length of a chunk: ${line.slice(0, 40)}`);
        this.#phase = this.#left === 0 ? 'trailer' : 'chunk';
      }
    }
    return undefined;
  }

  #take(chunk: Buffer, from: number, length: number): number {
    if (this.#isKept && length > 0) this.#kept.push(Buffer.from(chunk.subarray(from, from + length)));
    this.#bytes += length;
    this.#left -= length;
    return length;
  }

  #done(): HttpAnswer {
    this.#phase = 'head';
    return {
      status: this.#status,
      bytes: this.#bytes,
      body: this.#isKept ? Buffer.concat(this.#kept).toString('utf8') : '',
      isLast: this.#isLast,
    };
  }
}
