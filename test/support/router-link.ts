/**
 * The other end of the control channel: what a router says, frame by frame, over a real connection. Suites and the
 * bench build their routers on it.
 */
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { SecureContext, TLSSocket } from 'node:tls';
import { create } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { FrameReader, encodeFrame, message, typedMessage } from '../../fabric/channel/frame.js';
import type { Frame, Message } from '../../fabric/channel/frame.js';
import {
  Header,
  HelloHeader,
  SyncHeader,
  encodeBoolean,
  encodeCapabilities,
  encodeInt32,
  encodeText,
  encodeUint64,
} from '../../fabric/channel/headers.js';
import { HELLO_SEQUENCE } from '../../fabric/channel/hello.js';
import { ClientHelloSchema } from '../../generated/fabric/edge_pb.js';

/** PEM. */
export interface RouterCredentials {
  readonly cert: string;
  readonly key: string;
}

export interface ConnectOptions {
  /** null: none is offered. */
  readonly alpn?: string | null;
  readonly credentials?: Partial<RouterCredentials>;
  /** The same, read once for many connections. */
  readonly secureContext?: SecureContext;
}

/** Where clients reach the router. */
export interface Advertised {
  readonly hostname: string;
  readonly port: number;
}

/** As routers call themselves: version, revision, date of the build, system, processor. */
export const ROUTER_VERSION = 'v2.0.3|test|2026-01-01 00:00:00|linux|amd64';
/** A controller sends no frame larger than this. */
const LIMITS = { headers: 1 << 20, body: 64 << 20 };

/** A connection to the control channel, after its handshake; nothing is sent. @throws Error when there is none */
export async function dial(
  url: string,
  { alpn = 'ziti-ctrl', credentials = {}, secureContext }: ConnectOptions = {},
): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ...(alpn === null ? {} : { ALPNProtocols: [alpn] }),
    ...credentials,
    secureContext,
  });
  socket.on('error', () => undefined);
  socket.setNoDelay(true); // as routers of the field
  await once(socket, 'secureConnect');
  return socket;
}

/** What a router begins with. @param changes  other values of its headers; null leaves one out */
export function helloMessage(routerId: string, changes: Iterable<readonly [number, Uint8Array | null]> = []): Message {
  const headers = new Map<number, Uint8Array>([
    [HelloHeader.Version, encodeText(ROUTER_VERSION)],
    [HelloHeader.Type, encodeText('ctrl.default')],
    [HelloHeader.IsGrouped, encodeBoolean(true)],
    [HelloHeader.IsFirstOfGroup, encodeBoolean(true)],
    [HelloHeader.Capabilities, encodeCapabilities([1])],
  ]);
  for (const [key, value] of changes) {
    if (value === null) headers.delete(key);
    else headers.set(key, value);
  }
  return message(ContentType.Hello, routerId, headers);
}

/** The answer to a controller's ServerHello. */
export function clientHelloMessage(question: Frame, advertise: Advertised): Message {
  return typedMessage(
    ContentType.ClientHello,
    ClientHelloSchema,
    create(ClientHelloSchema, {
      version: 'v2.0.3',
      hostname: advertise.hostname,
      protocols: ['tls'],
      protocolPorts: [String(advertise.port)],
      listeners: [{ advertise: { protocol: 'tls', ...advertise } }],
    }),
    [
      [Header.ReplyFor, encodeInt32(question.sequence)],
      [SyncHeader.RouterDataModel, encodeBoolean(true)],
      [SyncHeader.Index, encodeUint64(0n)],
    ],
  );
}

/** Sends in order, answers signs of life, and hands over what comes. */
export class RouterLink {
  readonly #reader = new FrameReader(LIMITS);
  #sequence = 0;
  #answersSigns = true;

  /** @param onFrame  its frame shares memory with what comes next: copy what is kept */
  constructor(
    readonly socket: TLSSocket,
    onFrame: (frame: Frame) => void,
  ) {
    socket.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) {
        const sign = frame.headers.get(Header.Heartbeat);
        if (sign !== undefined && this.#answersSigns)
          this.send(message(ContentType.Heartbeat, '', [[Header.HeartbeatResponse, sign]]));
        onFrame(frame);
      }
    });
  }

  get isCut(): boolean {
    return this.socket.destroyed;
  }

  sayHello(routerId: string, changes: Iterable<readonly [number, Uint8Array | null]> = []): void {
    this.sendAs(HELLO_SEQUENCE, helloMessage(routerId, changes));
  }

  /** @returns its sequence, which the reply names */
  send(content: Message): number {
    this.#sequence += 1;
    this.sendAs(this.#sequence, content);
    return this.#sequence;
  }

  sendAs(sequence: number, content: Message): void {
    if (this.socket.destroyed) return;
    this.socket.write(Buffer.concat(encodeFrame(sequence, content)));
  }

  sendTyped<D extends DescMessage>(contentType: number, schema: D, body: MessageInitShape<D>): number {
    return this.send(typedMessage(contentType, schema, create(schema, body)));
  }

  /** Stops answering signs of life, as a machine that hangs. */
  fallSilent(): void {
    this.#answersSigns = false;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** The last chunk of a whole state of API sessions. */
export function endsWholeState({ contentType, headers }: Frame): boolean {
  if (contentType !== ContentType.ApiSessionAdded) return false;
  const state = Buffer.from(headers.get(SyncHeader.StrategyState) ?? '').toString();
  return (JSON.parse(state) as { isLast: boolean }).isLast;
}
