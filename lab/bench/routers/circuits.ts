/**
 * How fast circuits are made: one scripted router that hosts a service, dials it and answers every route at once, so
 * that all the time is the controller's. The same against any controller of the field.
 */
import { randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { ContentType } from '../../../fabric/channel/content-types.js';
import { message, readBody, textOf } from '../../../fabric/channel/frame.js';
import type { Frame } from '../../../fabric/channel/frame.js';
import {
  CircuitRequestHeader,
  CircuitResponseHeader,
  Header,
  RouteResultHeader,
  encodeBoolean,
  encodeInt32,
  encodeText,
  encodeUint32,
  readInt32,
  readText,
} from '../../../fabric/channel/headers.js';
import { FaultSchema, FaultSubject, RouteSchema } from '../../../generated/fabric/control_pb.js';
import {
  CreateTerminatorResult,
  CreateTerminatorV2RequestSchema,
  CreateTerminatorV2ResponseSchema,
} from '../../../generated/fabric/edge_pb.js';
import type { ApiClient } from '../api-client.js';
import { Histogram } from '../histogram.js';
import { CLIENT, MANAGEMENT } from '../world.js';
import { cpuSeconds } from './processes.js';
import { RouterLink, clientHelloMessage, dial } from '../../../test/support/router-link.js';
import { enrollRouter } from './world.js';

export interface CircuitTarget {
  readonly label: string;
  /** Of its API, and of its control channel. */
  readonly url: string;
  readonly controlUrl: string;
  readonly admin: ApiClient;
  readonly pid: number;
}

export interface CircuitFigures {
  readonly inFlight: number;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the controller's process alone. */
  readonly cpuMsEach: number;
  readonly refused: number;
}

const HANDSHAKE_MS = 20_000;
/** A controller that runs has made thousands: until then, its code is compiled while it works. */
const WARM_UP = { inFlight: 50, forMs: 3_000 };

interface Shown {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}

export class CircuitBench {
  readonly #link: RouterLink;
  readonly #target: CircuitTarget;
  readonly #dialer: Shown;
  readonly #waiting = new Map<number, (frame: Frame) => void>();

  private constructor(link: RouterLink, target: CircuitTarget, dialer: Shown) {
    this.#link = link;
    this.#target = target;
    this.#dialer = dialer;
  }

  /** Makes all that it needs, connects, and hosts the service. */
  static async prepare(target: CircuitTarget): Promise<CircuitBench> {
    const { admin } = target;
    const word = `bench-circuit-${randomBytes(4).toString('hex')}`;
    const make = (path: string, body: object) => admin.create(`${MANAGEMENT}/${path}`, body);
    const policy = (kind: string, body: object) => make(kind, { name: `${word}-${kind}`, semantic: 'AnyOf', ...body });
    const serviceId = await make('services', { name: word, encryptionRequired: false });
    const routerId = await make('edge-routers', { name: word });
    const router = await enrollRouter(admin, routerId);
    await policy('edge-router-policies', { identityRoles: [`#${word}`], edgeRouterRoles: [`@${routerId}`] });
    await policy('service-edge-router-policies', {
      serviceRoles: [`@${serviceId}`],
      edgeRouterRoles: [`@${routerId}`],
    });
    for (const type of ['Bind', 'Dial'])
      await make('service-policies', {
        name: `${word}-${type}`,
        semantic: 'AnyOf',
        type,
        identityRoles: [`#${word}`],
        serviceRoles: [`@${serviceId}`],
      });
    const password = randomBytes(18).toString('base64url');
    const identityId = await make('identities', {
      name: word,
      type: 'Device',
      isAdmin: false,
      roleAttributes: [word],
    });
    await make('authenticators', { identityId, method: 'updb', username: word, password });
    const client = await admin.login(word, password);

    const handlers = new Map<number, (frame: Frame) => void>();
    const link = new RouterLink(await dial(target.controlUrl, { credentials: router }), (frame) => {
      handlers.get(frame.contentType)?.(frame);
    });
    const first = (contentType: number): Promise<Frame> =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error(`${target.label}: no message of type ${contentType} came`));
        }, HANDSHAKE_MS);
        handlers.set(contentType, (frame) => {
          clearTimeout(timer);
          handlers.delete(contentType);
          resolve({ ...frame, body: Buffer.from(frame.body) });
        });
      });
    const asked = first(ContentType.ServerHello);
    const state = first(ContentType.ApiSessionAdded);
    link.sayHello(routerId);
    link.send(clientHelloMessage(await asked, { hostname: 'router.example', port: 3022 }));
    await state;

    const open = async (type: string): Promise<Shown> => {
      const { token } = await client.call<{ token: string }>('POST', `${CLIENT}/sessions`, { serviceId, type });
      return { apiSessionToken: client.token ?? '', sessionToken: token };
    };
    const bound = first(ContentType.CreateTerminatorV2Response);
    link.sendTyped(ContentType.CreateTerminatorV2, CreateTerminatorV2RequestSchema, {
      address: word,
      ...(await open('Bind')),
    });
    const answer = readBody(CreateTerminatorV2ResponseSchema, await bound);
    if (answer.result !== CreateTerminatorResult.SUCCESS)
      throw new Error(`${target.label}: the service cannot be hosted: ${answer.msg}`);
    const bench = new CircuitBench(link, target, await open('Dial'));
    handlers.set(ContentType.Route, (frame) => {
      bench.#route(frame);
    });
    for (const type of [ContentType.CreateCircuitV2Response, ContentType.Error])
      handlers.set(type, (frame) => {
        bench.#answered(frame);
      });
    return bench;
  }

  async run(inFlight: number, seconds: number): Promise<CircuitFigures> {
    await this.#load(WARM_UP.inFlight, WARM_UP.forMs);
    const cpuBefore = cpuSeconds(this.#target.pid);
    const { histogram, made, refused, elapsedMs } = await this.#load(inFlight, seconds * 1000);
    return {
      inFlight,
      rate: made / (elapsedMs / 1000),
      p50Ms: histogram.quantileMs(0.5),
      p99Ms: histogram.quantileMs(0.99),
      cpuMsEach: ((cpuSeconds(this.#target.pid) - cpuBefore) * 1000) / Math.max(1, made),
      refused,
    };
  }

  close(): void {
    this.#link.close();
  }

  async #load(inFlight: number, forMs: number) {
    const histogram = new Histogram();
    let [made, refused] = [0, 0];
    const startedAt = performance.now();
    const lane = async () => {
      while (performance.now() - startedAt < forMs && !this.#link.isCut) {
        const sentAt = performance.now();
        const frame = await this.#dial();
        if (frame.contentType === ContentType.Error) {
          refused += 1;
          if (refused === 1) process.stderr.write(`${this.#target.label}: refused: ${textOf(frame)}\n`);
          continue;
        }
        histogram.add((performance.now() - sentAt) * 1000);
        made += 1;
        // As when the client closes its connection: circuits do not pile up.
        this.#link.sendTyped(
          ContentType.Fault,
          FaultSchema,
          create(FaultSchema, {
            subject: FaultSubject.INGRESS,
            id: readText(frame.headers, CircuitResponseHeader.CircuitId) ?? '',
          }),
        );
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return { histogram, made, refused, elapsedMs: performance.now() - startedAt };
  }

  #dial(): Promise<Frame> {
    const { sessionToken, apiSessionToken } = this.#dialer;
    return new Promise((resolve) => {
      const sequence = this.#link.send(
        message(ContentType.CreateCircuitV2, '', [
          [CircuitRequestHeader.SessionToken, encodeText(sessionToken)],
          [CircuitRequestHeader.ApiSessionToken, encodeText(apiSessionToken)],
        ]),
      );
      this.#waiting.set(sequence, resolve);
    });
  }

  #answered(frame: Frame): void {
    const sequence = readInt32(frame.headers, Header.ReplyFor);
    if (sequence === undefined) return;
    this.#waiting.get(sequence)?.({
      ...frame,
      headers: new Map([...frame.headers].map(([key, value]) => [key, Buffer.from(value)])),
    });
    this.#waiting.delete(sequence);
  }

  #route(frame: Frame): void {
    const { circuitId, attempt } = readRoute(frame);
    this.#link.send(
      message(ContentType.RouteResult, circuitId, [
        [Header.ReplyFor, encodeInt32(frame.sequence)],
        [RouteResultHeader.Attempt, encodeUint32(attempt)],
        [RouteResultHeader.Success, encodeBoolean(true)],
      ]),
    );
  }
}

const { circuitId: CIRCUIT_ID, attempt: ATTEMPT } = RouteSchema.field;

/** No more of a route than its answer needs: what the router itself takes would be measured with the controller. */
function readRoute({ body }: Frame): { circuitId: string; attempt: number } {
  const route = { circuitId: '', attempt: 0 };
  const reader = new BinaryReader(body);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === CIRCUIT_ID.number) route.circuitId = reader.string();
    else if (number === ATTEMPT.number) route.attempt = reader.uint32();
    else reader.skip(type);
  }
  return route;
}
