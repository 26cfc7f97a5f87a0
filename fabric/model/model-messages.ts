/** The data model of a router as messages: the whole state, and the changes that follow it. */
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { NOTHING_TOLD, modelChanges, wholeOf } from '../../domain/fabric/model-changes.js';
import { NO_MODEL } from '../../domain/fabric/router-model.js';
import type { ClientReach } from '../../domain/fabric/client-reach.js';
import type { ModelChange, WholeModel } from '../../domain/fabric/model-changes.js';
import type { HostingPrecedence, PolicyType } from '../../domain/model.js';
import { TerminatorPrecedence } from '../../generated/fabric/edge_pb.js';
import {
  DataStateSchema,
  DataState_Action as Action,
  DataState_ChangeSetSchema,
  PolicyType as WirePolicyType,
  ServicePolicyRelatedEntityType as Related,
} from '../../generated/fabric/data-model_pb.js';
import type {
  DataState,
  DataState_EventSchema,
  DataState_IdentitySchema,
} from '../../generated/fabric/data-model_pb.js';
import { ContentType } from '../channel/content-types.js';
import { message, typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import { SyncHeader, encodeText } from '../channel/headers.js';
import { checkOf } from './check-messages.js';
import { keyEvent } from './public-keys.js';
import type { PublicKey } from './public-keys.js';

type Event = MessageInitShape<typeof DataState_EventSchema>;

/** The position of a state or a change. @property timelineId  names the database that counts the index */
export interface ModelPosition {
  readonly index: number;
  readonly timelineId: string;
  readonly subscriptionId: string;
}

/** Holds all that the router is to know. It forgets whatever it had before, also when that had a greater index. */
export function stateMessage(
  model: WholeModel,
  keys: ReadonlyMap<string, PublicKey>,
  position: ModelPosition,
): Message {
  return message(ContentType.DataState, stateBody(model, keys, position), ofSubscription(position));
}

/** Bytes of what routers have in common: of 1,000 identities some 100 KiB, which take 20 ms to make. */
const sharedBytes = new WeakMap<ClientReach, Uint8Array>();

/** The bytes of two messages of one kind, one after the other, are those of both together. */
function stateBody(
  model: WholeModel,
  keys: ReadonlyMap<string, PublicKey>,
  position: Pick<ModelPosition, 'index' | 'timelineId'>,
): Uint8Array {
  const { shared, router, configs, configTypes } = model;
  if (shared === undefined) return toBinary(DataStateSchema, stateOf(model, keys, position));
  const own = stateOf(wholeOf({ ...NO_MODEL, router, configs, configTypes }), keys, position);
  return Buffer.concat([toBinary(DataStateSchema, own), bytesOf(shared)]);
}

function bytesOf(shared: ClientReach): Uint8Array {
  const known = sharedBytes.get(shared);
  if (known !== undefined) return known;
  const events = modelChanges(NOTHING_TOLD, wholeOf(NO_MODEL, shared)).map(toEvent);
  const bytes = toBinary(DataStateSchema, create(DataStateSchema, { events }));
  sharedBytes.set(shared, bytes);
  return bytes;
}

/** Whole state of a router, by which it can also be asked whether it has the same. */
export function stateOf(
  model: WholeModel,
  keys: ReadonlyMap<string, PublicKey>,
  { index, timelineId }: Pick<ModelPosition, 'index' | 'timelineId'>,
): DataState {
  return create(DataStateSchema, {
    events: [
      ...modelChanges(NOTHING_TOLD, model).map(toEvent),
      ...[...keys.values()].map((key) => keyEvent(key, Action.CREATE)),
    ],
    endIndex: BigInt(index),
    timelineId,
  });
}

/** @param previousIndex  of what the router was told before */
export function changeSetMessage(
  changes: readonly ModelChange[],
  previousIndex: number,
  position: ModelPosition,
): Message {
  const set = create(DataState_ChangeSetSchema, {
    index: BigInt(position.index),
    previousIndex: BigInt(previousIndex),
    changes: changes.map(toEvent),
  });
  return typedMessage(ContentType.DataStateChangeSet, DataState_ChangeSetSchema, set, ofSubscription(position));
}

const ofSubscription = ({ subscriptionId }: ModelPosition) =>
  [[SyncHeader.SubscriptionId, encodeText(subscriptionId)]] as const;

const ACTIONS = { create: Action.CREATE, update: Action.UPDATE, delete: Action.DELETE } as const;
const POLICY_TYPES: Readonly<Record<PolicyType, WirePolicyType>> = {
  Dial: WirePolicyType.DIAL,
  Bind: WirePolicyType.BIND,
};
const RELATED = { service: Related.SERVICE, identity: Related.IDENTITY, check: Related.POSTURE_CHECK } as const;
const PRECEDENCES: Readonly<Record<HostingPrecedence, TerminatorPrecedence>> = {
  default: TerminatorPrecedence.DEFAULT,
  required: TerminatorPrecedence.REQUIRED,
  failed: TerminatorPrecedence.FAILED,
};

function toEvent(change: ModelChange): Event {
  if (change.kind === 'members') {
    const { policyId, of, ids, isAdded } = change;
    const value = { policyId, relatedEntityIds: [...ids], relatedEntityType: RELATED[of], add: isAdded };
    return { action: Action.CREATE, model: { case: 'servicePolicyChange', value } };
  }
  return { action: ACTIONS[change.action], model: entityOf(change) };
}

function entityOf(change: Exclude<ModelChange, { readonly kind: 'members' }>): NonNullable<Event['model']> {
  switch (change.kind) {
    case 'configType':
      return { case: 'configType', value: { ...change.entity } };
    case 'config': {
      const { id, name, typeId, data: dataJson } = change.entity;
      return { case: 'config', value: { id, name, typeId, dataJson } };
    }
    case 'service': {
      const { id, name, encryptionRequired, configIds } = change.entity;
      return { case: 'service', value: { id, name, encryptionRequired, configs: [...configIds] } };
    }
    case 'check':
      return { case: 'postureCheck', value: checkOf(change.entity) };
    case 'policy': {
      const { id, name, type } = change.entity;
      return { case: 'servicePolicy', value: { id, name, policyType: POLICY_TYPES[type] } };
    }
    case 'router': {
      const { id, name, fingerprint, disabled, configIds } = change.entity;
      return { case: 'router', value: { id, name, fingerprint, disabled, configs: [...configIds] } };
    }
    case 'identity':
      return { case: 'identity', value: identityOf(change.entity) };
  }
}

type ToldIdentity = Extract<ModelChange, { readonly kind: 'identity' }>['entity'];

function identityOf(identity: ToldIdentity): MessageInitShape<typeof DataState_IdentitySchema> {
  const { id, name, appData = '{}', hostingCost, hostingPrecedence, hostings = [], overrides = [] } = identity;
  if (hostingPrecedence === undefined) return { id, name };
  const serviceConfigs: Record<string, { configs: Record<string, string> }> = {};
  for (const { serviceId, typeId, configId } of overrides)
    (serviceConfigs[serviceId] ??= { configs: {} }).configs[typeId] = configId;
  return {
    id,
    name,
    appDataJson: appData === '{}' ? new Uint8Array() : Buffer.from(appData),
    defaultHostingCost: hostingCost ?? 0,
    defaultHostingPrecedence: PRECEDENCES[hostingPrecedence],
    serviceHostingCosts: Object.fromEntries(
      hostings.flatMap(({ serviceId, cost }) => (cost === null ? [] : [[serviceId, cost] as const])),
    ),
    serviceHostingPrecedences: Object.fromEntries(
      hostings.flatMap(({ serviceId, precedence }) =>
        precedence === null ? [] : [[serviceId, PRECEDENCES[precedence]] as const],
      ),
    ),
    serviceConfigs,
  };
}
