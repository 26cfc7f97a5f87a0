/** A router that does what a suite says, frame by frame, over a real connection with a real certificate. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fromBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { Header, readInt32 } from '../../fabric/channel/headers.js';
import { SubscribeToDataModelRequestSchema } from '../../generated/fabric/data-model_pb.js';
import { RouterLink, clientHelloMessage, dial, endsWholeState, helloMessage } from './router-link.js';
import type { Advertised, RouterCredentials } from './router-link.js';
import { makeRequest } from './certificates.js';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { make, read } from './entities.js';
import { CLIENT } from './paths.js';
import { until } from './poll.js';

export { dial, helloMessage };
export type { RouterCredentials };

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

/** Resolves when the other side has ended the connection. */
export async function cut(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  socket.resume();
  await once(socket, 'close');
}

export class ScriptedRouter extends RouterLink {
  private constructor(
    readonly id: string,
    socket: TLSSocket,
    /** All that came, in order. */
    readonly received: Frame[] = [],
  ) {
    super(socket, (frame) => {
      received.push({ ...frame, body: Buffer.from(frame.body) });
    });
  }

  /** Connects and says hello. Whether it is let in is to be seen. */
  static async knock(
    url: string,
    { id, cert, key }: Pick<EnrolledRouter, 'id' | 'cert' | 'key'>,
    changes: Iterable<readonly [number, Uint8Array | null]> = [],
  ): Promise<ScriptedRouter> {
    const router = new ScriptedRouter(id, await dial(url, { credentials: { cert, key } }));
    router.sayHello(id, changes);
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
    advertise: Advertised = { hostname: 'router.example', port: 3022 },
  ): Promise<ScriptedRouter> {
    const connected = await ScriptedRouter.connect(url, router);
    await connected.sayClientHello(advertise);
    await connected.wholeState();
    return connected;
  }

  async sayClientHello(advertise: Advertised): Promise<void> {
    this.send(clientHelloMessage(await this.next(ContentType.ServerHello), advertise));
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
    return until(`a message of type ${contentType}`, () => {
      const found = this.received.find((frame) => frame.contentType === contentType && accepts(frame));
      if (found === undefined && this.isCut) throw new Error('the connection was cut');
      return found;
    });
  }

  /** The reply to a request of its own. */
  reply(sequence: number): Promise<Frame> {
    return this.next(ContentType.Result, ({ headers }) => readInt32(headers, Header.ReplyFor) === sequence);
  }

  /** Bodies of this kind that have come so far, of any size: only what routers send is bounded. */
  bodies<D extends DescMessage>(contentType: number, schema: D): MessageShape<D>[] {
    return this.received
      .filter((frame) => frame.contentType === contentType)
      .map(({ body }) => fromBinary(schema, body));
  }

  /** The last chunk of all API sessions has come. */
  async wholeState(after = 0): Promise<void> {
    await until('all API sessions', () => this.wholeStates() > after);
  }

  wholeStates(): number {
    return this.received.filter(endsWholeState).length;
  }

  async cut(): Promise<void> {
    await cut(this.socket);
  }
}
