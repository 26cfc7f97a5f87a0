// Generated from specs/ by scripts/generate. Do not edit.

/** How to end a circuit. */
export interface CircuitDelete {
  /** Drops what is on its way; else that may still arrive. */
  immediate?: boolean | null;
}

/** A controller to be added. */
export interface ClusterMemberAdd {
  /** Where routers reach it. */
  address: string;
  /** Whether it takes part in elections. */
  isVoter: boolean;
}

/** A controller to be removed. */
export interface ClusterMemberRemove {
  /** Id of the controller. */
  id: string;
}

/** A controller that shall lead. */
export interface ClusterTransferLeadership {
  /** Id of the controller; any when absent. */
  newLeaderId?: string | null;
}

/** A snapshot to be taken. */
export interface DatabaseSnapshotCreate {
  /** Has to be absent or empty: the controller chooses the place. */
  path?: string | null;
}

/** What to ask whom. */
export interface InspectRequest {
  /** Regular expression over the ids of routers and controllers. */
  appRegex: string;
  /** Names of the values. */
  requestedValues: string[];
}

/** What to change; null and absent fields stay as they are. */
export interface LinkPatch {
  /** Whether it carries no new paths. */
  down?: boolean | null;
  /** What it costs beside its latency. */
  staticCost?: number | null;
}

/** A new transit router. */
export interface RouterCreate {
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** SHA-1 of its certificate, hex. */
  fingerprint?: string | null;
  /** Id of the router; one is made when it is absent or empty. */
  id?: string | null;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  tags?: Tags;
}

/** What to change; null and absent fields stay as they are. */
export interface RouterPatch {
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** SHA-1 of its certificate, hex. */
  fingerprint?: string | null;
  /** Name of the router; unique. */
  name?: string | null;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  tags?: Tags;
}

/** A router as it shall be. */
export interface RouterUpdate {
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** SHA-1 of its certificate, hex. */
  fingerprint?: string | null;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  tags?: Tags;
}

/** A new service. */
export interface ServiceCreate {
  /** Milliseconds without traffic after which a circuit of the service ends; 0 for never. */
  maxIdleTimeMillis?: number | null;
  /** Name of the service; unique among all services. */
  name: string;
  tags?: Tags;
  terminatorStrategy?: TerminatorStrategy | null;
}

/** What to change; null and absent fields stay as they are. */
export interface ServicePatch {
  /** Milliseconds without traffic after which a circuit of the service ends; 0 for never. */
  maxIdleTimeMillis?: number | null;
  /** Name of the service; unique among all services. */
  name?: string | null;
  tags?: Tags;
  terminatorStrategy?: TerminatorStrategy | null;
}

/** A service as it shall be. */
export interface ServiceUpdate {
  /** Milliseconds without traffic after which a circuit of the service ends; 0 for never. */
  maxIdleTimeMillis?: number | null;
  /** Name of the service; unique among all services. */
  name: string;
  tags?: Tags;
  terminatorStrategy?: TerminatorStrategy | null;
}

/** Values of the user's own, by name. */
export type Tags = Record<string, unknown> | null;

/** A terminator to be made. */
export interface TerminatorCreate {
  /** Where the router sends the traffic, in the form of the binding. */
  address: string;
  /** How the router reaches the address. */
  binding: string;
  /** Cost of a terminator; traffic prefers low ones. */
  cost?: number | null;
  /** Id of the identity that hosts it; empty when none does. */
  hostId?: string | null;
  /** Tells apart the instances that host one service; empty when there is one. */
  instanceId?: string | null;
  /** Secret by which an instance proves to be itself, in base64; never answered. */
  instanceSecret?: string | null;
  precedence?: TerminatorPrecedence | null;
  /** Id of the router that it is on. */
  router: string;
  /** Id of the service that it serves. */
  service: string;
  tags?: Tags;
}

/** What to change; null and absent fields stay as they are. */
export interface TerminatorPatch {
  /** Where the router sends the traffic, in the form of the binding. */
  address?: string | null;
  /** How the router reaches the address. */
  binding?: string | null;
  /** Cost of a terminator; traffic prefers low ones. */
  cost?: number | null;
  /** Id of the identity that hosts it; empty when none does. */
  hostId?: string | null;
  precedence?: TerminatorPrecedence | null;
  /** Id of the router that it is on. */
  router?: string | null;
  /** Id of the service that it serves. */
  service?: string | null;
  tags?: Tags;
}

/** Rank of a terminator. */
export type TerminatorPrecedence = 'default' | 'required' | 'failed';

/** How traffic is spread over the terminators of a service. */
export type TerminatorStrategy = string;

/** A terminator as it shall be. */
export interface TerminatorUpdate {
  /** Where the router sends the traffic, in the form of the binding. */
  address: string;
  /** How the router reaches the address. */
  binding: string;
  /** Cost of a terminator; traffic prefers low ones. */
  cost?: number | null;
  /** Id of the identity that hosts it; empty when none does. */
  hostId?: string | null;
  precedence?: TerminatorPrecedence | null;
  /** Id of the router that it is on. */
  router: string;
  /** Id of the service that it serves. */
  service: string;
  tags?: Tags;
}
