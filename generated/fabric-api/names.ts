// Generated from specs/ by scripts/generate. Do not edit.

import type { NameTable } from '../operation.js';

/** The names that the objects of requests have, each with the entry of its value when that is an object. */
export const names: Readonly<Record<string, NameTable>> = {
  circuitDelete: { immediate: null },
  clusterMemberAdd: { address: null, isVoter: null },
  clusterMemberRemove: { id: null },
  clusterTransferLeadership: { newLeaderId: null },
  databaseSnapshotCreate: { path: null },
  inspectRequest: { appRegex: null, requestedValues: null },
  linkPatch: { down: null, staticCost: null },
  routerCreate: { cost: null, ctrlChanListeners: null, disabled: null, fingerprint: null, id: null, name: null, noTraversal: null, tags: null },
  routerPatch: { cost: null, ctrlChanListeners: null, disabled: null, fingerprint: null, name: null, noTraversal: null, tags: null },
  routerUpdate: { cost: null, ctrlChanListeners: null, disabled: null, fingerprint: null, name: null, noTraversal: null, tags: null },
  serviceCreate: { maxIdleTimeMillis: null, name: null, tags: null, terminatorStrategy: null },
  servicePatch: { maxIdleTimeMillis: null, name: null, tags: null, terminatorStrategy: null },
  serviceUpdate: { maxIdleTimeMillis: null, name: null, tags: null, terminatorStrategy: null },
  terminatorCreate: { address: null, binding: null, cost: null, hostId: null, instanceId: null, instanceSecret: null, precedence: null, router: null, service: null, tags: null },
  terminatorPatch: { address: null, binding: null, cost: null, hostId: null, precedence: null, router: null, service: null, tags: null },
  terminatorUpdate: { address: null, binding: null, cost: null, hostId: null, precedence: null, router: null, service: null, tags: null },
};
