/** Routers with a tunneler, scripted: what they know of the network, what they host and dial by themselves. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody, textOf } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { ErrorHeader, Header, SyncHeader, readInt32, readText, readUint32 } from '../../fabric/channel/headers.js';
import {
  DataStateSchema,
  DataState_Action as Action,
  DataState_ChangeSetSchema,
  ServicePolicyRelatedEntityType as Related,
} from '../../generated/fabric/data-model_pb.js';
import type { DataState_Event } from '../../generated/fabric/data-model_pb.js';
import {
  CreateTunnelCircuitV2RequestSchema,
  CreateTunnelCircuitV2ResponseSchema,
  CreateTunnelTerminatorRequestV2Schema,
  CreateTunnelTerminatorResponseV2Schema,
} from '../../generated/fabric/edge_pb.js';
import type {
  CreateTunnelCircuitV2Response,
  CreateTunnelTerminatorResponseV2,
} from '../../generated/fabric/edge_pb.js';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { make } from './entities.js';
import { MANAGEMENT } from './paths.js';
import { until } from './poll.js';
import type { ScriptedRouter } from './scripted-router.js';
import { answerRoute, routeAt } from './traffic.js';

const KINDS: Readonly<Partial<Record<Related, string>>> = {
  [Related.SERVICE]: 'service',
  [Related.IDENTITY]: 'identity',
  [Related.POSTURE_CHECK]: 'postureCheck',
};

type Value = Record<string, unknown> & { readonly id?: string };

/**
 * The model as a stock router keeps it: it takes a state as it is, and changes only in their order. What a stock router
 * would log as an error is one here.
 */
export class ModelReplica {
  readonly #entities = new Map<string, Value>();
  /** By policy and kind. */
  readonly #members = new Map<string, Set<string>>();
  #read = 0;
  index = 0n;
  timelineId = '';
  /** Whole states that came. */
  states = 0;
  changeSets = 0;

  constructor(private readonly router: ScriptedRouter) {}

  /** Takes what came since the last time. */
  update(): this {
    for (; this.#read < this.router.received.length; this.#read += 1) this.#take(this.router.received[this.#read]);
    return this;
  }

  /** Names of entities of this kind, sorted; ids of those without one. */
  names(kind: string): string[] {
    return this.all(kind)
      .map(({ name, id }) => (typeof name === 'string' ? name : (id ?? '')))
      .sort();
  }

  all(kind: string): Value[] {
    return [...this.update().#entities].filter(([key]) => key.startsWith(`${kind} `)).map(([, value]) => value);
  }

  find(kind: string, id: string): Value | undefined {
    return this.update().#entities.get(`${kind} ${id}`);
  }

  /** Ids of the services of a policy, or of other members. */
  members(policyId: string, kind: 'service' | 'identity' | 'postureCheck' = 'service'): string[] {
    return [...(this.update().#members.get(`${policyId} ${kind}`) ?? [])].sort();
  }

  /** All of it that is of services. */
  get reach(): string[] {
    return ['configType', 'config', 'service', 'servicePolicy'].flatMap((kind) => this.names(kind));
  }

  #take(frame: Frame | undefined): void {
    if (frame?.contentType === ContentType.DataState) {
      const { events, endIndex, timelineId } = readBody(DataStateSchema, frame);
      this.#entities.clear();
      this.#members.clear();
      Object.assign(this, { index: endIndex, timelineId, states: this.states + 1 });
      events.forEach((event) => {
        this.#apply(event);
      });
    }
    if (frame?.contentType !== ContentType.DataStateChangeSet) return;
    const { isSynthetic, index, previousIndex, changes } = readBody(DataState_ChangeSetSchema, frame);
    if (!isSynthetic) {
      if (index <= this.index || previousIndex !== this.index)
        throw new Error(`change set ${index} after ${previousIndex}, but the state is at ${this.index}`);
      if (readText(frame.headers, SyncHeader.SubscriptionId) === undefined) throw new Error('of no subscription');
      this.index = index;
      this.changeSets += 1;
    }
    changes.forEach((event) => {
      this.#apply(event);
    });
  }

  #apply({ action, model }: DataState_Event): void {
    if (model.case === undefined) throw new Error('an event without a model');
    if (model.case === 'servicePolicyChange') {
      this.#change(model.value);
      return;
    }
    const value = model.value as Value & { readonly kid?: string; readonly configs?: readonly string[] };
    const id = value.id ?? value.kid ?? '';
    const key = `${model.case} ${id}`;
    if (!['publicKey', 'revocation'].includes(model.case) && this.#entities.has(key) === (action === Action.CREATE))
      throw new Error(`action ${action} of ${key}`);
    if (action === Action.DELETE) this.#entities.delete(key);
    else this.#entities.set(key, value);
    if (model.case === 'service' && action !== Action.DELETE)
      for (const config of model.value.configs) this.#require(`config ${config}`);
    if (model.case === 'config' && action !== Action.DELETE) this.#require(`configType ${model.value.typeId}`);
    if (model.case === 'postureCheck' && action === Action.DELETE)
      for (const [key, ids] of this.#members)
        if (key.endsWith(' postureCheck') && ids.has(id)) throw new Error(`${key} still asks for ${id}`);
    if (model.case !== 'servicePolicy' || action === Action.UPDATE) return;
    for (const kind of ['service', 'identity', 'postureCheck']) this.#members.delete(`${id} ${kind}`);
  }

  #change({
    policyId,
    relatedEntityType,
    relatedEntityIds,
    add,
  }: {
    policyId: string;
    relatedEntityType: Related;
    relatedEntityIds: readonly string[];
    add: boolean;
  }): void {
    this.#require(`servicePolicy ${policyId}`);
    const kind = KINDS[relatedEntityType];
    if (kind === undefined) throw new Error(`members of kind ${relatedEntityType}`);
    const key = `${policyId} ${kind}`;
    const ids = this.#members.get(key) ?? new Set();
    this.#members.set(key, ids);
    for (const id of relatedEntityIds) {
      this.#require(`${kind} ${id}`);
      if (add) ids.add(id);
      else ids.delete(id);
    }
  }

  #require(key: string): void {
    if (!this.#entities.has(key)) throw new Error(`${key} is not known`);
  }
}

/** Subscribes, and has the whole state. */
export async function modelOf(router: ScriptedRouter, subscriptionId = unique('sub')): Promise<ModelReplica> {
  const replica = new ModelReplica(router);
  router.subscribe(subscriptionId);
  await router.next(
    ContentType.DataState,
    ({ headers }) => readText(headers, SyncHeader.SubscriptionId) === subscriptionId,
  );
  return replica.update();
}

/** One service that a router may host and dial over itself; each by a policy of its own. */
export interface TunnelService {
  readonly id: string;
  readonly name: string;
  readonly configId: string;
  readonly bindPolicy: string;
  readonly dialPolicy: string;
  /** Of the service, to the router. */
  readonly routerPolicy: string;
}

export const HOST_V1 = 'NH5p4FpGR';

/** @param routerId  '' for no grant */
export async function tunnelService(
  controller: TestController,
  routerId: string,
  options: object = {},
): Promise<TunnelService> {
  const name = unique('tunneled');
  const configId = await make(controller, 'configs', {
    name: unique('config'),
    configTypeId: HOST_V1,
    data: { protocol: 'tcp', address: 'localhost', port: 8080 },
  });
  const id = await make(controller, 'services', { name, encryptionRequired: false, configs: [configId], ...options });
  const grant = (type: string) =>
    make(controller, 'service-policies', {
      name: unique('policy'),
      type,
      semantic: 'AnyOf',
      serviceRoles: [`@${id}`],
      identityRoles: routerId === '' ? [] : [`@${routerId}`],
    });
  const routerPolicy = await make(controller, 'service-edge-router-policies', {
    name: unique('policy'),
    semantic: 'AnyOf',
    serviceRoles: [`@${id}`],
    edgeRouterRoles: routerId === '' ? ['#all'] : [`@${routerId}`],
  });
  return { id, name, configId, bindPolicy: await grant('Bind'), dialPolicy: await grant('Dial'), routerPolicy };
}

export const remove = async (controller: TestController, path: string) =>
  expectStatus(await controller.admin.delete(`${MANAGEMENT}/${path}`), 200);
export const patch = async (controller: TestController, path: string, body: object) =>
  expectStatus(await controller.admin.patch(`${MANAGEMENT}/${path}`, body), 200);

const isReplyTo =
  (sequence: number) =>
  ({ headers }: Frame): boolean =>
    readInt32(headers, Header.ReplyFor) === sequence;

/** A terminator as a router asks for one that it hosts itself. */
export async function host(
  router: ScriptedRouter,
  request: MessageInitShape<typeof CreateTunnelTerminatorRequestV2Schema>,
): Promise<CreateTunnelTerminatorResponseV2> {
  const body = { address: unique('terminator'), ...request };
  const sequence = router.sendTyped(ContentType.CreateTunnelTerminatorV2, CreateTunnelTerminatorRequestV2Schema, body);
  const frame = await router.next(ContentType.CreateTunnelTerminatorV2Response, isReplyTo(sequence));
  return readBody(CreateTunnelTerminatorResponseV2Schema, frame);
}

/** Asks for a circuit. @returns its sequence, for `dialed` */
export function dialByItself(
  router: ScriptedRouter,
  request: MessageInitShape<typeof CreateTunnelCircuitV2RequestSchema>,
): number {
  return router.sendTyped(ContentType.CreateTunnelCircuitV2, CreateTunnelCircuitV2RequestSchema, request);
}

/** What a router says to its own dial: the circuit, or code and text of a refusal. */
export type Dialed =
  { readonly circuit: CreateTunnelCircuitV2Response } | { readonly refusal: readonly [number, string] };

/** The answer to a request that is answered by a message of this type, or refused. */
export async function answered(router: ScriptedRouter, sequence: number, type: number): Promise<Frame> {
  const find = () =>
    router.received.find(
      (frame) => (frame.contentType === type || frame.contentType === ContentType.Error) && isReplyTo(sequence)(frame),
    );
  await until('the request is answered', () => find() !== undefined, 20_000);
  return find() as Frame;
}

/** Code and text; undefined for what is no refusal. */
export const refusalIn = (frame: Frame): readonly [number, string] | undefined =>
  frame.contentType === ContentType.Error
    ? [readUint32(frame.headers, ErrorHeader.Code) ?? 0, textOf(frame)]
    : undefined;

export async function dialed(router: ScriptedRouter, sequence: number): Promise<Dialed> {
  const frame = await answered(router, sequence, ContentType.CreateTunnelCircuitV2Response);
  const refusal = refusalIn(frame);
  return refusal === undefined ? { circuit: readBody(CreateTunnelCircuitV2ResponseSchema, frame) } : { refusal };
}

/** Dials, and takes the next route; the circuit stands. */
export async function connectByItself(
  router: ScriptedRouter,
  request: MessageInitShape<typeof CreateTunnelCircuitV2RequestSchema>,
): Promise<CreateTunnelCircuitV2Response> {
  const before = router.received.filter(({ contentType }) => contentType === ContentType.Route).length;
  const sequence = dialByItself(router, request);
  answerRoute(router, await routeAt(router, before));
  const answer = await dialed(router, sequence);
  if ('refusal' in answer) throw new Error(`refused: ${answer.refusal.join(' ')}`);
  return answer.circuit;
}
