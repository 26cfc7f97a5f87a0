/**
 * The queue of frames to one router. Large frames leave in parts, as fast as the router reads, and a frame may be put
 * in front of all that have not begun.
 */
import { encodeFrame, frameBytes } from './frame.js';
import type { Message } from './frame.js';

/** Bytes of a body in one part. */
const PART_BYTES = 64 << 10;
/** Frames that have left are forgotten together. */
const FORGOTTEN = 1_024;

interface Waiting {
  readonly sequence: number;
  readonly content: Message;
}

export class SendQueue {
  #frames: Waiting[] = [];
  #first = 0;
  /** Unsent bytes of the body of the frame that has begun. */
  #rest: Uint8Array | undefined;
  #bytes = 0;

  /** Bytes that have not been taken. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#rest === undefined && this.#first === this.#frames.length;
  }

  /** The frame that would begin now; undefined within a frame, and when none waits. */
  get upcoming(): Message | undefined {
    return this.#rest === undefined ? this.#frames[this.#first]?.content : undefined;
  }

  /** A frame has begun and is not over. */
  get isWithin(): boolean {
    return this.#rest !== undefined;
  }

  push(sequence: number, content: Message): void {
    this.#frames.push({ sequence, content });
    this.#bytes += frameBytes(content);
  }

  /** The next part: a head, or some of a body. @param dress  adds to the headers of a frame that begins */
  take(dress: (content: Message) => Message): Uint8Array | undefined {
    const part = this.#takeRest() ?? this.#begin(dress);
    if (this.isEmpty) this.#bytes = 0;
    return part;
  }

  #takeRest(): Uint8Array | undefined {
    const rest = this.#rest;
    if (rest === undefined) return undefined;
    this.#rest = rest.length > PART_BYTES ? rest.subarray(PART_BYTES) : undefined;
    const part = rest.subarray(0, PART_BYTES);
    this.#bytes -= part.length;
    return part;
  }

  #begin(dress: (content: Message) => Message): Uint8Array | undefined {
    const next = this.#frames[this.#first];
    if (next === undefined) return undefined;
    this.#first += 1;
    if (this.#first === this.#frames.length || (this.#first > FORGOTTEN && 2 * this.#first > this.#frames.length)) {
      this.#frames = this.#frames.slice(this.#first);
      this.#first = 0;
    }
    const [head, body] = encodeFrame(next.sequence, dress(next.content));
    if (body.length > 0) this.#rest = body;
    this.#bytes -= frameBytes(next.content) - body.length;
    return head;
  }
}
