/** A TCP link between two programs on this machine that can be cut, held up and slowed down. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

/**
 * `open`: bytes pass. `cut`: connections are reset and new ones refused. `silent`: connections stand, and nothing comes
 * through in either direction, as when a router on the way drops packets; what was sent arrives afterwards.
 */
export type LinkState = 'open' | 'cut' | 'silent';

/** Changes what the far end sends, such as a fault that is put in on purpose. */
export type Filter = () => Transform;

/** Passes the bytes of one connection on in one direction, late and not before the link is open for it. */
class Passage extends Transform {
  #waiting: (() => void) | undefined;

  constructor(
    private readonly link: Link,
    private readonly greeting: { text: string },
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.greeting.text === '') this.greeting.text = chunk.toString('latin1');
    const pass = () => {
      if (this.link.holds(this.greeting.text)) {
        this.#waiting = pass;
        return;
      }
      this.#waiting = undefined;
      done(null, chunk);
    };
    const { delayMs } = this.link;
    if (delayMs > 0) setTimeout(pass, delayMs);
    else pass();
  }

  /** The link is open again. */
  wake(): void {
    this.#waiting?.();
  }
}

export class Link {
  #state: LinkState = 'open';
  #delayMs = 0;
  #only = '';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #passages = new Set<Passage>();

  private constructor(
    private readonly target: number,
    private readonly filter: Filter | undefined,
  ) {
    this.#server = createServer((near) => {
      if (this.#state === 'cut') near.resetAndDestroy();
      else this.#join(near);
    });
  }

  /** @param target  a port of 127.0.0.1. @param filter  of what comes from there */
  static async to(target: number, filter?: Filter): Promise<Link> {
    const link = new Link(target, filter);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  /** Whether a connection that began with this text is held up now. */
  holds(greeting: string): boolean {
    return this.#state === 'silent' && greeting.includes(this.#only);
  }

  /** @param only  silent for connections alone that begin with this text: of PostgreSQL, by their application name */
  set(state: LinkState, { delayMs = 0, only = '' }: { readonly delayMs?: number; readonly only?: string } = {}): void {
    this.#state = state;
    this.#delayMs = delayMs;
    this.#only = only;
    if (state === 'cut') for (const socket of this.#sockets) socket.resetAndDestroy();
    if (state === 'open') for (const passage of this.#passages) passage.wake();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    const greeting = { text: '' };
    const [there, back] = [new Passage(this, greeting), new Passage(this, greeting)];
    for (const passage of [there, back]) this.#passages.add(passage);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const passage of [there, back]) this.#passages.delete(passage);
        other.destroy();
      });
    }
    near.pipe(there).pipe(far);
    if (this.filter === undefined) far.pipe(back).pipe(near);
    else far.pipe(this.filter()).pipe(back).pipe(near);
  }
}

/** Kinds of messages that have no length, and come before all others: the answer to a wish for TLS. */
const HEAD_BYTES = 5;

/** Drops notifications of PostgreSQL whose text is chosen, from what a server sends without TLS. */
export class NotificationFilter extends Transform {
  #rest: Buffer = Buffer.alloc(0);

  constructor(private readonly isDropped: (channel: string, payload: string) => boolean) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEAD_BYTES) {
      const length = 1 + bytes.readInt32BE(1);
      if (bytes.length < length) break;
      const message = bytes.subarray(0, length);
      if (!this.#isNotification(message)) this.push(message);
      bytes = bytes.subarray(length);
    }
    this.#rest = bytes;
    done();
  }

  #isNotification(message: Buffer): boolean {
    if (message[0] !== 'A'.charCodeAt(0)) return false;
    const [channel = '', payload = ''] = message
      .subarray(HEAD_BYTES + 4)
      .toString('utf8')
      .split('\0');
    return this.isDropped(channel, payload);
  }
}
