/**
 * One connection of the load generator: a raw TLS socket that sends prepared bytes, waits for the answer, and reports
 * it. It connects again when the server ends the connection.
 */
import { connect, createSecureContext } from 'node:tls';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import type { OnReadOpts } from 'node:net';
import { ResponseReader } from './response-reader.js';
import type { HttpAnswer } from './response-reader.js';

export interface LaneOptions {
  readonly host: string;
  readonly port: number;
  readonly keepsBodies: boolean;
  /** Shown in the handshake; both PEM. */
  readonly clientCertificate: { readonly cert: string; readonly key: string } | undefined;
  /** The answer to what was sent last, or the reason why there is none. */
  readonly onAnswer: (answer: HttpAnswer | Error) => void;
}

const SILENCE_MS = 60_000;
const READ_BYTES = 65_536;

export class Lane {
  #socket: TLSSocket | undefined;
  #reader: ResponseReader;
  #isWaiting = false;
  /** Opened once: a client reads its key once, not for every connection. */
  readonly #context: SecureContext;

  constructor(readonly options: LaneOptions) {
    this.#context = createSecureContext(options.clientCertificate);
    this.#reader = new ResponseReader(options.keepsBodies);
  }

  /** Connects where there is no connection. @throws Error when the handshake fails */
  open(): Promise<void> {
    if (this.#socket !== undefined) return Promise.resolve();
    this.#reader = new ResponseReader(this.options.keepsBodies);
    return new Promise((resolve, reject) => {
      const { host, port } = this.options;
      const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
        host,
        port,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
        secureContext: this.#context,
        // Read into one buffer again and again: no allocation for each answer.
        onread: {
          buffer: Buffer.allocUnsafe(READ_BYTES),
          callback: (length, buffer) => {
            this.#read(socket, buffer as Buffer, length);
            return true;
          },
        },
      };
      const socket = connect(options);
      socket.setNoDelay(true);
      socket.setTimeout(SILENCE_MS, () => {
        socket.destroy(new Error(`no answer for ${SILENCE_MS / 1000} s`));
      });
      socket.once('secureConnect', () => {
        this.#socket = socket;
        resolve();
      });
      socket.on('error', (error: Error) => {
        reject(error);
        this.#lost(socket, error);
      });
      socket.on('close', () => {
        this.#lost(socket, new Error('the server closed the connection'));
      });
    });
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  send(bytes: Uint8Array): void {
    this.#isWaiting = true;
    this.#socket?.write(bytes);
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #read(socket: TLSSocket, buffer: Buffer, length: number): void {
    let answer: HttpAnswer | undefined;
    try {
      answer = this.#reader.push(buffer.subarray(0, length));
    } catch (error) {
      socket.destroy(error as Error);
      return;
    }
    if (answer === undefined || !this.#isWaiting) return;
    if (answer.isLast) this.close();
    this.#isWaiting = false;
    this.options.onAnswer(answer);
  }

  #lost(socket: TLSSocket, error: Error): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.options.onAnswer(error);
  }
}
