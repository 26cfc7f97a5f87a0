/** A client of the WebSocket of the fabric API, which speaks as little of the protocol as suites need. */
import type { Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { FrameReader, encodeFrame, message, textOf } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { ValidateRoutersRequestSchema } from '../../generated/fabric/management_pb.js';
import { until } from './poll.js';

const LIMITS = { headers: 4_096, body: 1 << 20 };
/** Types of the messages that ask for events, and that bring one. */
export const [STREAM, EVENT] = [10_040, 10_041];

export class FabricSocketClient {
  readonly frames: Frame[] = [];
  closed: { code: number; reason: string } | undefined;
  isEnded = false;
  #bytes = Buffer.alloc(0);
  #sequence = 0;

  constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.#read(bytes);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isEnded = true));
  }

  raw(first: number, payload: Buffer, isMasked = true): void {
    const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
    const [short = 0, ...more] = length;
    const mask = Buffer.from([1, 2, 3, 4]);
    const body = Buffer.from(payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0)));
    const head = Buffer.from([first, isMasked ? short | 0x80 : short, ...more]);
    this.socket.write(isMasked ? Buffer.concat([head, mask, body]) : Buffer.concat([head, payload]));
  }

  ask(contentType: number, body: Uint8Array | string): void {
    this.raw(0x82, Buffer.concat(encodeFrame((this.#sequence += 1), message(contentType, body))));
  }

  validate(contentType: number, filter: string): void {
    const body = create(ValidateRoutersRequestSchema, { filter });
    this.ask(contentType, toBinary(ValidateRoutersRequestSchema, body));
  }

  stream(...types: string[]): void {
    this.ask(STREAM, JSON.stringify({ format: 'json', subscriptions: types.map((type) => ({ type, options: null })) }));
  }

  next = (contentType: number, accepts: (frame: Frame) => boolean = () => true): Promise<Frame> =>
    until<Frame>(`a frame of type ${contentType}`, () =>
      this.frames.find((frame) => frame.contentType === contentType && accepts(frame)),
    );

  event = (...words: readonly string[]): Promise<Frame> =>
    this.next(EVENT, (frame) => words.every((word) => textOf(frame).includes(word)));

  end = (): Promise<{ code: number; reason: string } | undefined> =>
    until('the connection ends', () => this.isEnded).then(() => this.closed);

  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= 2) {
      const [first = 0, short = 0] = this.#bytes;
      const at = short < 126 ? 2 : 4;
      const length = short < 126 ? short : this.#bytes.readUInt16BE(2);
      if (this.#bytes.length < at + length) return;
      const payload = Buffer.from(this.#bytes.subarray(at, at + length));
      this.#bytes = this.#bytes.subarray(at + length);
      if ((first & 0x0f) === 8)
        this.closed = { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString('utf8') };
      if ((first & 0x0f) !== 2) continue;
      const reader = new FrameReader(LIMITS);
      reader.push(payload);
      const frame = reader.next();
      if (frame !== undefined) this.frames.push(frame);
    }
  }
}
