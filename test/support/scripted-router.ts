/** A router that does what a suite says, frame by frame, over a real connection with a real certificate. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { create } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/content-types.js';
import { FrameReader, encodeFrame, message, readBody, typedMessage } from '../../fabric/frame.js';
import type { Frame, Message } from '../../fabric/frame.js';
import {
  Header,
  HelloHeader,
  SyncHeader,
  encodeBoolean,
  encodeCapabilities,
  encodeInt32,
  encodeText,
  encodeUint64,
  readInt32,
} from '../../fabric/headers.js';
import { HELLO_SEQUENCE } from '../../fabric/hello.js';
import { ClientHelloSchema } from '../../generated/fabric/edge_pb.js';
import { SubscribeToDataModelRequestSchema } from '../../generated/fabric/data-model_pb.js';
import { makeRequest } from './certificates.js';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { make, read } from './entities.js';
import { CLIENT } from './paths.js';
import { until } from './poll.js';

/** PEM. */
export interface RouterCredentials {
  readonly cert: string;
  readonly key: string;
}

export interface EnrolledRouter extends RouterCredentials {
  readonly id: string;
  readonly name: string;
}

/** Uses the outstanding enrollment of a router. @param serverNames  hosts that its certificate for clients asks for */
export async function enroll(
  controller: Pick<TestController, 'admin' | 'anonymous'>,
  id: string,
  serverNames: readonly string[] = [],
  kind = 'edge-routers',
): Promise<RouterCredentials> {
  const { enrollmentToken } = await read<{ enrollmentToken: string }>(controller, `${kind}/${id}`);
  const request = makeRequest({ commonName: id });
  const serverCertCsr = makeRequest({ names: { dns: [...serverNames] } }).pem;
  const answer = await controller.anonymous.post(`${CLIENT}/enroll?token=${enrollmentToken}`, {
    certCsr: request.pem,
    serverCertCsr,
  });
  return { cert: (expectStatus(answer, 200).data as { cert: string }).cert, key: request.privateKeyPem };
}

/** A new router with its certificate. */
export async function newRouter(
  controller: Pick<TestController, 'admin' | 'anonymous'>,
  options: { roleAttributes?: readonly string[]; serverNames?: readonly string[]; isTunnelerEnabled?: boolean } = {},
): Promise<EnrolledRouter> {
  const { roleAttributes = [], serverNames = [], isTunnelerEnabled = false } = options;
  const name = unique('router');
  const id = await make(controller, 'edge-routers', { name, roleAttributes, isTunnelerEnabled });
  return { id, name, ...(await enroll(controller, id, serverNames)) };
}

export interface ConnectOptions {
  /** null: none is offered. */
  readonly alpn?: string | null;
  readonly credentials?: Partial<RouterCredentials>;
}

/** A connection to the control channel, after its handshake; nothing is sent. */
export async function dial(
  url: string,
  { alpn = 'ziti-ctrl', credentials = {} }: ConnectOptions = {},
): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ...(alpn === null ? {} : { ALPNProtocols: [alpn] }),
    ...credentials,
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** Resolves when the other side has ended the connection. */
export async function cut(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  socket.resume();
  await once(socket, 'close');
}

const LIMITS = { headers: 1 << 20, body: 64 << 20 };
export const VERSION = 'v2.0.3|test|2026-01-01 00:00:00|linux|amd64';

export function helloMessage(routerId: string, changes: Iterable<readonly [number, Uint8Array | null]> = []): Message {
  const headers = new Map<number, Uint8Array>([
    [HelloHeader.Version, encodeText(VERSION)],
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

export class ScriptedRouter {
  /** All that came, in order. */
  readonly received: Frame[] = [];
  readonly #reader = new FrameReader(LIMITS);
  #sequence = 0;
  #answersSigns = true;

  private constructor(
    readonly id: string,
    readonly socket: TLSSocket,
  ) {
    socket.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) {
        this.received.push({ ...frame, body: Buffer.from(frame.body) });
        const sign = frame.headers.get(Header.Heartbeat);
        if (sign !== undefined && this.#answersSigns)
          this.send(message(ContentType.Heartbeat, '', [[Header.HeartbeatResponse, sign]]));
      }
    });
  }

  /** Connects and says hello. Whether it is let in is to be seen. */
  static async knock(
    url: string,
    { id, cert, key }: Pick<EnrolledRouter, 'id' | 'cert' | 'key'>,
    changes: Iterable<readonly [number, Uint8Array | null]> = [],
  ): Promise<ScriptedRouter> {
    const router = new ScriptedRouter(id, await dial(url, { credentials: { cert, key } }));
    router.sendAs(HELLO_SEQUENCE, helloMessage(id, changes));
    return router;
  }

  /** Knocks, and is let in. */
  static async connect(url: string, router: Pick<EnrolledRouter, 'id' | 'cert' | 'key'>): Promise<ScriptedRouter> {
    const connected = await ScriptedRouter.knock(url, router);
    await connected.next(ContentType.Result);
    return connected;
  }

  /** Connects and goes on until it has all API sessions. @param advertise  host and port for clients */
  static async online(
    url: string,
    router: Pick<EnrolledRouter, 'id' | 'cert' | 'key'>,
    advertise: { hostname: string; port: number } = { hostname: 'router.example', port: 3022 },
  ): Promise<ScriptedRouter> {
    const connected = await ScriptedRouter.connect(url, router);
    await connected.sayClientHello(advertise);
    await connected.wholeState();
    return connected;
  }

  get isCut(): boolean {
    return this.socket.destroyed;
  }

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

  async sayClientHello(advertise: { hostname: string; port: number }): Promise<void> {
    const question = await this.next(ContentType.ServerHello);
    this.send(
      typedMessage(
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
      ),
    );
  }

  subscribe(subscriptionId: string, more: { renew?: boolean } = {}): void {
    this.sendTyped(ContentType.SubscribeToDataModel, SubscribeToDataModelRequestSchema, {
      subscriptionId,
      subscriptionDurationSeconds: 300,
      ...more,
    });
  }

  /** Of those that came: the first of this kind that `accepts`, as soon as there is one. */
  async next(contentType: number, accepts: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const find = () => this.received.find((frame) => frame.contentType === contentType && accepts(frame));
    await until(`a message of type ${contentType}`, () => {
      if (find() === undefined && this.isCut) throw new Error('the connection was cut');
      return find() !== undefined;
    });
    return find() as Frame;
  }

  /** The reply to a request of its own. */
  reply(sequence: number): Promise<Frame> {
    return this.next(ContentType.Result, ({ headers }) => readInt32(headers, Header.ReplyFor) === sequence);
  }

  /** Bodies of this kind that have come so far. */
  bodies<D extends DescMessage>(contentType: number, schema: D): MessageShape<D>[] {
    return this.received.filter((frame) => frame.contentType === contentType).map((frame) => readBody(schema, frame));
  }

  /** The last chunk of all API sessions has come. */
  async wholeState(after = 0): Promise<void> {
    await until('all API sessions', () => this.wholeStates() > after);
  }

  wholeStates(): number {
    return this.received.filter(({ contentType, headers }) => {
      if (contentType !== ContentType.ApiSessionAdded) return false;
      const state = Buffer.from(headers.get(SyncHeader.StrategyState) ?? '').toString();
      return (JSON.parse(state) as { isLast: boolean }).isLast;
    }).length;
  }

  async cut(): Promise<void> {
    await cut(this.socket);
  }

  close(): void {
    this.socket.destroy();
  }
}
