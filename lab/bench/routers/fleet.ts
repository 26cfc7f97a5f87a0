/** Many routers at a time: connected, in step, with signs of life, and back again when they were cut. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { fromBinary } from '@bufbuild/protobuf';
import { ContentType } from '../../../fabric/channel/content-types.js';
import type { Frame } from '../../../fabric/channel/frame.js';
import {
  ApiSessionAddedSchema,
  ApiSessionHeartbeatSchema,
  SessionRemovedSchema,
} from '../../../generated/fabric/edge_pb.js';
import { SubscribeToDataModelRequestSchema } from '../../../generated/fabric/data-model_pb.js';
import { RouterLink, clientHelloMessage, dial, endsWholeState } from '../../../test/support/router-link.js';
import type { RouterCredentials } from '../../../test/support/router-link.js';

export interface FleetRouter extends RouterCredentials {
  readonly id: string;
  /** From 0; decides which site is its own. */
  readonly number: number;
}

/** Handshakes at a time; a machine that starts does not dial with all at once either. */
const DIALS = 50;
/** As routers of the field wait between dials: twice the number of the attempt in seconds, and no more than this. */
const MOST_BACKOFF_MS = 60_000;
const BACKOFF_STEP_MS = 2_000;
/** Between two messages that name the API sessions whose clients are connected. */
const HEARTBEAT_MS = 60_000;
/** Of each router: clients that are connected to it. */
const CLIENTS = 50;

export interface KnownSession {
  readonly id: string;
  readonly token: string;
}

export class Member {
  /** Everything that belongs to it has been told, over this connection. */
  isInStep = false;
  link: RouterLink | undefined;
  /** API sessions that it was told of, of the clients that it says are connected. */
  clients: KnownSession[] = [];
  onFrame: ((frame: Frame) => void) | undefined;
  /** Read once, as a router of the field does when it starts. */
  readonly secureContext;

  constructor(readonly router: FleetRouter) {
    this.secureContext = createSecureContext({ cert: router.cert, key: router.key });
  }
}

export interface FleetOptions {
  readonly url: string;
  readonly routers: readonly FleetRouter[];
}

export class Fleet {
  readonly members: readonly Member[];
  readonly #url: string;
  readonly #timers: NodeJS.Timeout[] = [];
  #slots = DIALS;
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;
  /** Bytes of API sessions that were told. */
  toldBytes = 0;
  /** Ids of sessions that routers were told have ended, and when the last of them was, by `performance.now()`. */
  readonly removed = new Set<string>();
  lastRemovedMs = 0;

  constructor({ url, routers }: FleetOptions) {
    this.#url = url;
    this.members = routers.map((router) => new Member(router));
  }

  get inStep(): number {
    return this.members.filter(({ isInStep }) => isInStep).length;
  }

  /** Each connects, comes back when it is cut, and says which clients it has. */
  start(): void {
    for (const [index, member] of this.members.entries()) {
      void this.#keepConnected(member);
      // Spread, as those of routers are that began at their own time.
      const first = (HEARTBEAT_MS * index) / this.members.length;
      const beat = setTimeout(() => {
        this.#beat(member);
        this.#timers.push(
          setInterval(() => {
            this.#beat(member);
          }, HEARTBEAT_MS),
        );
      }, first);
      this.#timers.push(beat);
    }
  }

  /** Resolves with false when they are not all in step by then. */
  async allInStep(timeoutMs: number, onProgress: (inStep: number) => void): Promise<boolean> {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(20)) {
      if (this.inStep === this.members.length) return true;
      onProgress(this.inStep);
    }
    return false;
  }

  close(): void {
    this.#isClosed = true;
    this.#timers.forEach((timer) => {
      clearInterval(timer);
    });
    for (const { link } of this.members) link?.close();
  }

  #beat({ link, clients, isInStep }: Member): void {
    if (isInStep && clients.length > 0)
      link?.sendTyped(ContentType.ApiSessionHeartbeat, ApiSessionHeartbeatSchema, {
        tokens: clients.map(({ token }) => token),
      });
  }

  async #keepConnected(member: Member): Promise<void> {
    for (let attempt = 0; !this.#isClosed; attempt += 1) {
      // The first dial after a loss is made at once; from then on with more and more patience.
      if (attempt > 0) await delay(Math.min(MOST_BACKOFF_MS, BACKOFF_STEP_MS * attempt) * (0.5 + Math.random()));
      if (this.#isClosed) return;
      if (await this.#stay(member)) attempt = -1;
    }
  }

  /** @returns whether it was in step before the connection ended */
  async #stay(member: Member): Promise<boolean> {
    const { router, secureContext } = member;
    await this.#slot();
    const socket = await dial(this.#url, { secureContext })
      .catch(() => undefined)
      .finally(() => {
        this.#slots += 1;
        this.#waiting.shift()?.();
      });
    if (socket === undefined) return false;
    const link = new RouterLink(socket, (frame) => {
      this.#received(member, link, frame);
    });
    member.link = link;
    link.sayHello(router.id);
    await new Promise((resolve) => {
      if (socket.destroyed) resolve(undefined);
      else socket.once('close', resolve);
    });
    const wasInStep = member.isInStep;
    member.isInStep = false;
    return wasInStep;
  }

  async #slot(): Promise<void> {
    if (this.#slots === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#slots -= 1;
  }

  #received(member: Member, link: RouterLink, frame: Frame): void {
    switch (frame.contentType) {
      case ContentType.ServerHello:
        link.send(clientHelloMessage(frame, { hostname: 'router.example', port: 3022 }));
        link.sendTyped(ContentType.SubscribeToDataModel, SubscribeToDataModelRequestSchema, {
          subscriptionId: 'bench',
          subscriptionDurationSeconds: 300,
        });
        break;
      case ContentType.ApiSessionAdded:
        this.toldBytes += frame.body.length;
        if (member.clients.length === 0)
          member.clients = fromBinary(ApiSessionAddedSchema, frame.body)
            .apiSessions.slice(0, CLIENTS)
            .map(({ id, token }) => ({ id, token }));
        if (endsWholeState(frame)) member.isInStep = true;
        break;
      case ContentType.SessionRemoved:
        for (const id of fromBinary(SessionRemovedSchema, frame.body).ids) this.removed.add(id);
        this.lastRemovedMs = performance.now();
        break;
      default:
        break;
    }
    member.onFrame?.(frame);
  }
}
