/** Hosts and dialers for suites about traffic: who may do what, and what a scripted router says for them. */
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody, textOf } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import {
  CircuitRequestHeader,
  CircuitResponseHeader,
  DirectDialHeader,
  ErrorHeader,
  Header,
  RouteResultHeader,
  encodeBoolean,
  encodeBytesMap,
  encodeInt32,
  encodeText,
  encodeUint32,
  readBytesMap,
  readInt32,
  readText,
  readTextMap,
  readUint32,
} from '../../fabric/channel/headers.js';
import { FaultSchema, RouteSchema, UnrouteSchema } from '../../generated/fabric/control_pb.js';
import type { Route } from '../../generated/fabric/control_pb.js';
import {
  CreateTerminatorV2RequestSchema,
  CreateTerminatorV2ResponseSchema,
  SessionRemovedSchema,
} from '../../generated/fabric/edge_pb.js';
import type { CreateTerminatorV2Response } from '../../generated/fabric/edge_pb.js';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { Caller, TestController } from './controller.js';
import { make } from './entities.js';
import { CLIENT } from './paths.js';
import { until } from './poll.js';
import type { ScriptedRouter } from './scripted-router.js';

export const PUBLIC_KEY = 1003;

/** A session of a client, as a router shows it. */
export interface Shown {
  readonly id: string;
  readonly sessionToken: string;
  readonly apiSessionToken: string;
  readonly caller: Caller;
}

/** One service with those who may host it and dial it; both by an attribute of their own. */
export class TrafficWorld {
  readonly word = unique('traffic');
  serviceId = '';

  constructor(readonly controller: TestController) {}

  /** @param routers  roles of those that its clients may use */
  async prepare(routers: readonly string[], service: object = {}): Promise<this> {
    this.serviceId = await make(this.controller, 'services', {
      name: this.word,
      encryptionRequired: false,
      ...service,
    });
    for (const [type, role] of [
      ['Bind', `#${this.word}-host`],
      ['Dial', `#${this.word}-dial`],
    ])
      await this.#policy('service-policies', { type, identityRoles: [role], serviceRoles: [`@${this.serviceId}`] });
    const edgeRouterRoles = [...routers];
    await this.#policy('edge-router-policies', {
      identityRoles: [`#${this.word}-host`, `#${this.word}-dial`],
      edgeRouterRoles,
    });
    await this.#policy('service-edge-router-policies', { serviceRoles: [`@${this.serviceId}`], edgeRouterRoles });
    return this;
  }

  host(): Promise<Shown> {
    return this.session('Bind', `${this.word}-host`);
  }

  dialer(): Promise<Shown> {
    return this.session('Dial', `${this.word}-dial`);
  }

  async session(type: 'Bind' | 'Dial', attribute: string): Promise<Shown> {
    const caller = await this.controller.newCaller({ roleAttributes: [attribute] });
    return this.sessionOf(caller, type);
  }

  async sessionOf(caller: Caller, type: 'Bind' | 'Dial'): Promise<Shown> {
    const answer = await caller.client.post(`${CLIENT}/sessions`, { serviceId: this.serviceId, type });
    const { id, token } = expectStatus(answer, 201).data as { id: string; token: string };
    return { id, sessionToken: token, apiSessionToken: caller.client.token ?? '', caller };
  }

  #policy(collection: string, roles: object): Promise<string> {
    return make(this.controller, collection, { name: unique('policy'), semantic: 'AnyOf', ...roles });
  }
}

const isReplyTo =
  (sequence: number) =>
  ({ headers }: Frame): boolean =>
    readInt32(headers, Header.ReplyFor) === sequence;

/** A terminator as a router asks for one. */
export async function bind(
  router: ScriptedRouter,
  { sessionToken, apiSessionToken }: Pick<Shown, 'sessionToken' | 'apiSessionToken'>,
  more: MessageInitShape<typeof CreateTerminatorV2RequestSchema> = {},
): Promise<CreateTerminatorV2Response> {
  const body = { address: unique('terminator'), sessionToken, apiSessionToken, ...more };
  const sequence = router.sendTyped(ContentType.CreateTerminatorV2, CreateTerminatorV2RequestSchema, body);
  const frame = await router.next(ContentType.CreateTerminatorV2Response, isReplyTo(sequence));
  return readBody(CreateTerminatorV2ResponseSchema, frame);
}

/** What a router says to a dial. */
export interface DialAnswer {
  readonly circuitId: string;
  readonly ingressId: string;
  readonly peerData: ReadonlyMap<number, Uint8Array>;
  readonly tags: ReadonlyMap<string, string>;
  /** Code and text of a refusal. */
  readonly refusal?: readonly [number, string];
  /** What it tells the client to do. */
  readonly retryHint?: number;
}

export interface DialOptions {
  readonly instanceId?: string;
  readonly peerData?: ReadonlyMap<number, Uint8Array>;
}

/** Asks for a circuit. @returns its sequence, for `answerTo` */
export function dial(
  router: ScriptedRouter,
  { sessionToken, apiSessionToken }: Pick<Shown, 'sessionToken' | 'apiSessionToken'>,
  { instanceId = '', peerData = new Map() }: DialOptions = {},
): number {
  return router.send(
    message(ContentType.CreateCircuitV2, '', [
      [CircuitRequestHeader.SessionToken, encodeText(sessionToken)],
      [CircuitRequestHeader.ApiSessionToken, encodeText(apiSessionToken)],
      [CircuitRequestHeader.TerminatorInstanceId, encodeText(instanceId)],
      [CircuitRequestHeader.PeerData, encodeBytesMap(peerData)],
    ]),
  );
}

/** The wish of a client that shows its access token alone. */
export interface DirectWish {
  readonly accessToken: string;
  readonly identityId: string;
  readonly serviceId: string;
}

/** Asks for a circuit without a session. @returns its sequence, for `answerTo` */
export function dialDirectly(router: ScriptedRouter, { accessToken, identityId, serviceId }: DirectWish): number {
  return router.send(
    message(ContentType.CreateCircuitV3, '', [
      [CircuitRequestHeader.ApiSessionToken, encodeText(accessToken)],
      [DirectDialHeader.IdentityId, encodeText(identityId)],
      [DirectDialHeader.ServiceId, encodeText(serviceId)],
      // As routers send it: the circuit has no id yet.
      [17, encodeText('')],
    ]),
  );
}

export async function answerTo(router: ScriptedRouter, sequence: number): Promise<DialAnswer> {
  const find = () =>
    router.received.find(
      (frame) =>
        [ContentType.CreateCircuitV2Response, ContentType.CreateCircuitV3Response, ContentType.Error].some(
          (type) => type === frame.contentType,
        ) && isReplyTo(sequence)(frame),
    );
  const frame = await until('the dial is answered', find, 20_000);
  const { headers } = frame;
  if (frame.contentType === ContentType.Error) {
    const refusal = [readUint32(headers, ErrorHeader.Code) ?? 0, textOf(frame)] as const;
    const retryHint = readUint32(headers, ErrorHeader.RetryHint) ?? 0;
    return { circuitId: '', ingressId: '', peerData: new Map(), tags: new Map(), refusal, retryHint };
  }
  return {
    circuitId: readText(headers, CircuitResponseHeader.CircuitId) ?? '',
    ingressId: readText(headers, CircuitResponseHeader.Address) ?? '',
    peerData: readBytesMap(headers, CircuitResponseHeader.PeerData),
    tags: readTextMap(headers, CircuitResponseHeader.Tags),
  };
}

export interface SeenRoute {
  readonly frame: Frame;
  readonly route: Route;
}

/** The nth route that the router was told, from 0. */
export async function routeAt(router: ScriptedRouter, index: number): Promise<SeenRoute> {
  const routes = () => router.received.filter(({ contentType }) => contentType === ContentType.Route);
  await until(`route ${index}`, () => routes().length > index, 20_000);
  const frame = routes()[index] as Frame;
  return { frame, route: readBody(RouteSchema, frame) };
}

/** Says that a route stands, or why it does not. */
export function answerRoute(
  router: ScriptedRouter,
  { frame, route }: SeenRoute,
  result: { failure?: readonly [number, string]; headers?: Iterable<readonly [number, Uint8Array]> } = {},
): void {
  const headers = new Map<number, Uint8Array>([
    [Header.ReplyFor, encodeInt32(frame.sequence)],
    [RouteResultHeader.Attempt, encodeUint32(route.attempt)],
    ...(result.headers ?? []),
  ]);
  if (result.failure === undefined) headers.set(RouteResultHeader.Success, encodeBoolean(true));
  else {
    headers.set(RouteResultHeader.ErrorCode, Buffer.of(result.failure[0]));
    headers.set(RouteResultHeader.Error, encodeText(result.failure[1]));
  }
  router.send(message(ContentType.RouteResult, route.circuitId, headers));
}

/** Dials, and takes the next route; the circuit stands. */
export async function connectCircuit(
  router: ScriptedRouter,
  shown: Shown,
  options: DialOptions = {},
): Promise<DialAnswer & { readonly route: Route }> {
  const before = router.received.filter(({ contentType }) => contentType === ContentType.Route).length;
  const sequence = dial(router, shown, options);
  const seen = await routeAt(router, before);
  answerRoute(router, seen);
  return { ...(await answerTo(router, sequence)), route: seen.route };
}

/** Ids of circuits that the router was told to forget, in order. */
export const unrouted = (router: ScriptedRouter): string[] =>
  router.bodies(ContentType.Unroute, UnrouteSchema).map(({ circuitId }) => circuitId);

/** Ids of sessions that the router was told have ended. */
export const endedAt = (router: ScriptedRouter): string[] =>
  router.bodies(ContentType.SessionRemoved, SessionRemovedSchema).flatMap(({ ids }) => ids);

export function fault(router: ScriptedRouter, subject: number, id: string): void {
  router.sendTyped(ContentType.Fault, FaultSchema, create(FaultSchema, { subject, id }));
}

/** Whatever the router said before has been worked on: messages are looked at in order. */
export async function settled(router: ScriptedRouter): Promise<void> {
  const sequence = router.send(message(ContentType.Ping));
  await router.reply(sequence);
}
