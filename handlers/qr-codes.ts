/**
 * Pictures of second factors that wait to be verified. To draw one takes some 10 ms of the main thread and its owner
 * may ask for it as often as it likes, so the last ones are kept. A picture shows a secret: it goes after a while.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { YieldQueue } from '../domain/scheduling/yield-queue.js';

const PIXELS = 256;
/** Pictures in memory, some 3 KB each. */
const MOST_KEPT = 500;
const KEPT_MS = 600_000;

export type DrawQrCode = (text: string) => Promise<Buffer>;

export class QrCodes {
  readonly #kept = new LRUCache<string, Promise<Buffer>>({ max: MOST_KEPT, ttl: KEPT_MS });

  /** @param turns  where a picture that is not kept waits to be drawn */
  constructor(
    private readonly turns: YieldQueue,
    private readonly draw: DrawQrCode = drawPng,
  ) {}

  /** The text as PNG. @throws DomainError `tooManyRequests` when too many wait to be drawn */
  png(text: string): Promise<Buffer> {
    const key = createHash('sha256').update(text).digest('base64');
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = this.#drawn(text);
    this.#kept.set(key, made);
    made.catch(() => this.#kept.delete(key));
    return made;
  }

  async #drawn(text: string): Promise<Buffer> {
    return this.turns.run(() => this.draw(text));
  }
}

async function drawPng(text: string): Promise<Buffer> {
  const { default: QRCode } = await import('qrcode'); // a tenth of the time of a start, and asked for once in a while
  return QRCode.toBuffer(text, { width: PIXELS });
}
