/** Wire forms of the picture of a network. */
import type { AccessNode } from '../../domain/network-access/nodes.js';
import type { Tally } from '../../domain/network-access/outcomes.js';
import { seenState } from '../../domain/network-access/picture.js';
import type { SeenTally, Picture, PictureEdge, PicturePolicy } from '../../domain/network-access/picture.js';
import type { PolicyType } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { isoTime } from '../fields.js';

export interface PictureFrame {
  readonly type: PolicyType;
  readonly asOf: Date;
  readonly hidden: readonly Response.NetworkAccessHidden[];
  /** Whether the reader may read posture checks. */
  readonly hasChecks: boolean;
  readonly isSeen: { readonly identities: boolean; readonly services: boolean };
}

export function toNetworkAccess(picture: Picture, frame: PictureFrame): Response.NetworkAccess {
  const { type, asOf, hidden, hasChecks, isSeen } = frame;
  return {
    type,
    asOf: isoTime(asOf),
    hidden: [...hidden],
    identities: picture.identities.map((node) => toGroup(node, isSeen.identities)),
    policies: picture.policies.map((policy) => toPolicy(policy, hasChecks)),
    services: picture.services.map((node) => toGroup(node, isSeen.services)),
    identityEdges: picture.identityEdges.map(toEdge),
    serviceEdges: picture.serviceEdges.map(toEdge),
    reaches: picture.reaches.map(({ identities, services, tally }) => ({ identities, services, ...toOutcome(tally) })),
    leftOut: { ...picture.leftOut },
  };
}

type Node = Pick<AccessNode<never>, 'key' | 'kind' | 'roles' | 'id' | 'name' | 'entities'>;

const toGroup = ({ key, kind, roles, id, name, entities }: Node, isSeen: boolean): Response.NetworkAccessGroup => ({
  key,
  kind,
  roles: [...roles],
  ...(id === null ? {} : { id }),
  ...(name === null ? {} : { name }),
  ...(isSeen ? { entities } : {}),
});

function toPolicy({ policy, tally, identities, services }: PicturePolicy, hasChecks: boolean) {
  const { id, name, semantic, checks } = policy.facts;
  return {
    id,
    name,
    semantic,
    ...toOutcome(tally),
    ...(hasChecks ? { postureChecks: checks.length } : {}),
    ...(identities === null ? {} : { identities }),
    ...(services === null ? {} : { services }),
  } satisfies Response.NetworkAccessPolicy;
}

const toEdge = ({ group, policyId, tally, entities }: PictureEdge): Response.NetworkAccessEdge => ({
  group,
  policyId,
  ...toOutcome(tally),
  ...(entities === null ? {} : { entities }),
});

const toOutcome = (tally: SeenTally) => ({
  state: seenState(tally),
  ...(tally === null ? {} : { counts: toCounts(tally) }),
});

const toCounts = ({ pairs, allowed, unknown, causes }: Tally): Response.NetworkAccessCounts => ({
  pairs,
  allowed,
  unknown,
  causes: [...causes],
});
