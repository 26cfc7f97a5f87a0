// Generated from specs/ by scripts/generate. Do not edit.

/** A failure. */
export interface ApiError {
  args?: ApiErrorArgs | undefined;
  cause?: ApiErrorCause | undefined;
  /** Text of the cause; not in use. */
  causeMessage?: string | undefined;
  /** What went wrong, for programs. */
  code?: 'CAN_NOT_DELETE_REFERENCED_ENTITY' | 'CAN_NOT_UPDATE_AUTHENTICATOR' | 'CAN_NOT_UPDATE_ROUTER' | 'CA_ALREADY_VERIFIED' | 'CERTIFICATE_FAILED_VALIDATION' | 'CERT_FAILED_VALIDATION' | 'CERT_IN_USE' | 'COULD_NOT_PARSE_BODY' | 'COULD_NOT_PARSE_PEM_BLOCK' | 'COULD_NOT_PROCESS_CSR' | 'COULD_NOT_VALIDATE' | 'ENROLLMENT_CA_NOT_VALID' | 'ENROLLMENT_EXISTS' | 'ENROLLMENT_EXPIRED' | 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED' | 'ENROLLMENT_NO_VALID_CAS' | 'ENTITY_CAN_NOT_BE_DELETED' | 'ENTITY_CAN_NOT_BE_UPDATED' | 'INVALID_AUTH' | 'INVALID_BACKING_TOKEN_TYPE' | 'INVALID_CERT_PEM' | 'INVALID_CLIENT_CERT' | 'INVALID_COMMON_NAME' | 'INVALID_ENROLLMENT_ALREADY_ENROLLED' | 'INVALID_ENROLLMENT_NOT_ALLOWED' | 'INVALID_ENROLLMENT_TOKEN' | 'INVALID_ENROLL_METHOD' | 'INVALID_FIELD' | 'INVALID_FILTER' | 'INVALID_POSTURE' | 'INVALID_SORT_IDENTIFIER' | 'MALFORMED_REQUEST' | 'MAX_AUTHENTICATOR_METHODS_REACHED' | 'METHOD_NOT_ALLOWED' | 'MFA_EXISTS' | 'MFA_INVALID_TOKEN' | 'MFA_NOT_ENROLLED' | 'MISSING_CERT_CLAIM' | 'MISSING_OR_INVALID_CSR' | 'NOT_FOUND' | 'NOT_IMPLEMENTED' | 'NO_EDGE_ROUTERS_AVAILABLE' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'REQUEST_ENTITY_TOO_LARGE' | 'REQUEST_HEADERS_TOO_LARGE' | 'REQUEST_TIMEOUT' | 'SERVER_NOT_RUNNING_IN_HA_MODE' | 'SERVER_TOO_MANY_REQUESTS' | 'TIMEOUT' | 'UNAUTHORIZED' | 'UNAVAILABLE' | 'UNHANDLED' | undefined;
  /** Further facts, depending on the cause. */
  data?: Record<string, unknown> | undefined;
  /** What else is wrong with the body, in bodies of up to 16 KiB; absent when `cause` is all. */
  furtherCauses?: readonly ApiFieldError[] | undefined;
  /** What went wrong, for people. */
  message?: string | undefined;
  /** Id of the request, to find it in the controller's log. */
  requestId?: string | undefined;
}

/** Parts of the request that the failure concerns; not in use. */
export interface ApiErrorArgs {
  /** Path parameters of the request. */
  urlVars?: Record<string, string> | undefined;
}

/** Why it failed: a field with its value and what is wrong with it, or another error. */
export interface ApiErrorCause extends ApiFieldError, ApiError {}

/** Answer to a request that failed. */
export interface ApiErrorEnvelope {
  error: ApiError;
  meta: Meta;
}

/** A field that breaks a rule. */
export interface ApiFieldError {
  /** Name of the field or parameter. */
  field?: string | undefined;
  /** The rule that it breaks. */
  reason?: string | undefined;
  /** The value that was given, as text. */
  value?: string | undefined;
}

/** What every entity has. */
export interface BaseEntity {
  _links: Links;
  /** When the entity was created. */
  createdAt: string;
  /** Id of the entity; opaque, and unique among its kind. */
  id: string;
  tags?: SubTags | undefined;
  /** When the entity was last changed; every change raises it. */
  updatedAt: string;
}

/** The path of one connection through the network. */
export interface CircuitDetail extends BaseEntity {
  /** Id of the identity that dialed. */
  clientId: string;
  path: Path;
  service: EntityRef;
  terminator: EntityRef;
}

/** Circuits. */
export type CircuitList = readonly CircuitDetail[];

/** Answer with the controllers. */
export interface ClusterMemberListResponse {
  /** The controllers. */
  data: readonly ClusterMemberListValue[];
  meta: Meta;
}

/** A controller of the network. */
export interface ClusterMemberListValue {
  /** Where routers reach it. */
  address: string;
  /** Whether it is running. */
  connected: boolean;
  /** Id of the controller. */
  id: string;
  /** Always false, since controllers do not elect one. */
  leader: boolean;
  /** Whether it refuses changes; always false. */
  readOnly: boolean;
  /** Version of the software that answers. */
  version: string;
  /** Whether it answers for the whole network; always true. */
  voter: boolean;
}

/** Answer to the creation of an entity. */
export interface CreateEnvelope {
  data: CreateLocation;
  meta: Meta;
}

/** Where a new entity is. */
export interface CreateLocation {
  _links: Links;
  /** Id of the new entity. */
  id: string;
}

/** Something that is not as it should be. */
export interface DataIntegrityCheckDetail {
  /** What is wrong, with the ids that it concerns. */
  description: string;
  /** Whether this run has repaired it. */
  fixed: boolean;
}

/** What was found, in the order in which it was. */
export type DataIntegrityCheckDetailList = readonly DataIntegrityCheckDetail[];

/** A data integrity check. */
export interface DataIntegrityCheckDetails {
  /** When it ended; null before. */
  endTime: string | null;
  /** Why it did not get to its end; empty when it did. */
  error: string;
  /** Whether it repairs. */
  fixingErrors: boolean;
  /** Whether it is under way. */
  inProgress: boolean;
  results: DataIntegrityCheckDetailList;
  /** When it began; null when there never was one. */
  startTime: string | null;
  /** Whether it stopped at 1000 findings; another run goes on. */
  tooManyErrors: boolean;
}

/** Answer with the results of a data integrity check. */
export interface DataIntegrityCheckResultEnvelope {
  data: DataIntegrityCheckDetails;
  meta: Meta;
}

/** A snapshot that was taken. */
export interface DatabaseSnapshotCreateDetails {
  /** Where the controller that answered keeps it. */
  path: string;
}

/** Answer with the place of a snapshot. */
export interface DatabaseSnapshotCreateResultEnvelope {
  data: DatabaseSnapshotCreateDetails;
  meta: Meta;
}

/** Answer with one circuit. */
export interface DetailCircuitEnvelope {
  data: CircuitDetail;
  meta: Meta;
}

/** Answer with one link. */
export interface DetailLinkEnvelope {
  data: LinkDetail;
  meta: Meta;
}

/** Answer with one router. */
export interface DetailRouterEnvelope {
  data: RouterDetail;
  meta: Meta;
}

/** Answer with one service. */
export interface DetailServiceEnvelope {
  data: ServiceDetail;
  meta: Meta;
}

/** Answer with one terminator. */
export interface DetailTerminatorEnvelope {
  data: TerminatorDetail;
  meta: Meta;
}

/** Answer without content, to a change or a deletion. */
export interface Empty {
  /** Empty. */
  data: Record<string, unknown>;
  meta: Meta;
}

/** Reference to another entity. */
export interface EntityRef {
  _links?: Links | undefined;
  /** The collection that the entity is in. */
  entity?: string | undefined;
  /** Id of the entity. */
  id?: string | undefined;
  /** Name of the entity, where it has one. */
  name?: string | undefined;
}

/** What was found. */
export interface InspectResponse {
  /** What went wrong, with the id of the router or controller; null when nothing did. */
  errors: readonly string[] | null;
  /** Whether all that were asked have answered. */
  success: boolean;
  /** The values; null when there are none. */
  values: readonly InspectResponseValue[] | null;
}

/** A value of one router or controller. */
export interface InspectResponseValue {
  /** Id of the router or controller. */
  appId: string;
  /** Name of the value. */
  name: string;
  /** The value, of any form. */
  value?: unknown;
}

/** A network interface. */
export interface Interface {
  /** Addresses with their prefix lengths. */
  addresses?: readonly string[] | undefined;
  /** Hardware address. */
  hardwareAddress: string;
  /** Number of the interface on its host. */
  index: number;
  /** Whether it can broadcast. */
  isBroadcast: boolean;
  /** Whether it is a loopback interface. */
  isLoopback: boolean;
  /** Whether it can multicast. */
  isMulticast: boolean;
  /** Whether it is running. */
  isRunning: boolean;
  /** Whether it is up. */
  isUp: boolean;
  /** Largest packet, in bytes. */
  mtu: number;
  /** Name of the interface on its host. */
  name: string;
}

/** Where to find something related. */
export interface Link {
  /** A remark on the link. */
  comment?: string | undefined;
  /** Address, relative to the root of the API. */
  href: string;
  /** HTTP method to use; GET when absent. */
  method?: string | undefined;
}

/** One of the connections that a link consists of. */
export interface LinkConnection {
  /** Address of its far end. */
  dest?: string | undefined;
  /** Address of its near end. */
  source?: string | undefined;
  /** What it carries. */
  type?: string | undefined;
}

/** A link between two routers. */
export interface LinkDetail {
  /** The connections that it consists of. */
  connections: readonly LinkConnection[];
  /** What a path over it costs, its static cost and the milliseconds of its latencies. */
  cost: number;
  /** Latency as the router that was dialed measures it, in nanoseconds. */
  destLatency: number;
  destRouter: EntityRef;
  /** Whether it carries no new paths. */
  down: boolean;
  /** Id of the link. */
  id: string;
  /** Grows with each redial of the same link. */
  iteration: number;
  /** How it was dialed. */
  protocol: string;
  /** Latency as the router that dialed measures it, in nanoseconds. */
  sourceLatency: number;
  sourceRouter: EntityRef;
  /** `Connected`, or `Unknown` while both routers are away: whether the link stands shows when one of them is back. */
  state: string;
  /** What it costs beside its latency. */
  staticCost: number;
}

/** Links. */
export type LinkList = readonly LinkDetail[];

/** Links to the entity itself (`self`) and to what belongs to it, by name. */
export type Links = Record<string, Link>;

/** Answer with one page of circuits. */
export interface ListCircuitsEnvelope {
  data: CircuitList;
  meta: Meta;
}

/** Answer with one page of links. */
export interface ListLinksEnvelope {
  data: LinkList;
  meta: Meta;
}

/** Answer with one page of routers. */
export interface ListRoutersEnvelope {
  data: RouterList;
  meta: Meta;
}

/** Answer with one page of services. */
export interface ListServicesEnvelope {
  data: ServiceList;
  meta: Meta;
}

/** Answer with one page of terminators. */
export interface ListTerminatorsEnvelope {
  data: TerminatorList;
  meta: Meta;
}

/** Data about the answer. */
export interface Meta {
  /** Version of the enrollment procedures. */
  apiEnrollmentVersion: string;
  /** Version of the API. */
  apiVersion: string;
  /** Names that `filter` and `sort` of this list know, in no particular order. */
  filterableFields?: readonly string[] | undefined;
  pagination?: Pagination | undefined;
}

/** Which part of a list the answer holds. */
export interface Pagination {
  /** true when at least totalCount items match, and more were not counted. */
  isTotalCountMinimum?: boolean | undefined;
  /** The limit that was really used; 9007199254740991 when there was none. */
  limit: number;
  /** Number of items left out at the start. */
  offset: number;
  /** Number of items that match, on all pages together. */
  totalCount: number;
}

/** Where a circuit leads through. */
export interface Path {
  /** The links between the routers, in order. */
  links: readonly EntityRef[];
  /** The routers, from where it enters to where it leaves the network. */
  nodes: readonly EntityRef[];
}

/** A router of any kind. */
export interface RouterDetail extends BaseEntity {
  /** Whether the router is connected to a controller. */
  connected: boolean;
  /** What a path through the router costs. */
  cost: number;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, readonly string[]> | undefined;
  /** Whether the router is out of service. */
  disabled: boolean;
  /** SHA-1 of its certificate, lower-case hex; null until it has enrolled. */
  fingerprint: string | null;
  /** Network interfaces that the router told of. */
  interfaces?: readonly Interface[] | undefined;
  /** Where it listens for links of other routers; empty while it is not connected. */
  listenerAddresses?: readonly RouterListener[] | undefined;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal: boolean;
  versionInfo?: VersionInfo | undefined;
}

/** Routers. */
export type RouterList = readonly RouterDetail[];

/** An address at which a router listens for links. */
export interface RouterListener {
  /** The address. */
  address: string;
  /** How a link is dialed there. */
  protocol: string;
}

/** A service as the fabric knows it. */
export interface ServiceDetail extends BaseEntity {
  /** Milliseconds without traffic after which a circuit of the service ends; 0 for never. */
  maxIdleTimeMillis: number;
  /** Name of the service; unique among all services. */
  name: string;
  terminatorStrategy: TerminatorStrategy;
}

/** Services. */
export type ServiceList = readonly ServiceDetail[];

/** Values of the user's own, by name, as an answer has them; empty when there are none. */
export type SubTags = Record<string, unknown>;

/** Cost of a terminator; traffic prefers low ones. */
export type TerminatorCost = number;

/** Where traffic for a service leaves the network, as an address that one router reaches. */
export interface TerminatorDetail extends BaseEntity {
  /** Where the router sends the traffic, in the form of the binding. */
  address: string;
  /** How the router reaches the address. */
  binding: string;
  cost: TerminatorCost;
  dynamicCost: TerminatorCost;
  /** Id of the identity that hosts it; empty when none does. */
  hostId: string;
  /** Which of several hosting instances it leads to; empty when there is one. */
  instanceId: string;
  precedence: TerminatorPrecedence;
  router: EntityRef;
  /** Id of the router that it is on. */
  routerId: string;
  service: EntityRef;
  /** Id of the service that it serves. */
  serviceId: string;
}

/** Terminators. */
export type TerminatorList = readonly TerminatorDetail[];

/** Rank of a terminator. */
export type TerminatorPrecedence = 'default' | 'required' | 'failed';

/** How traffic is spread over the terminators of a service. */
export type TerminatorStrategy = 'smartrouting' | 'weighted' | 'random' | 'sticky';

/** The software that the router runs; absent while it is not connected. */
export interface VersionInfo {
  /** Architecture of the machine. */
  arch?: string | undefined;
  /** When the software was built. */
  buildDate?: string | undefined;
  /** Operating system of the machine. */
  os?: string | undefined;
  /** Source revision that it was built from. */
  revision?: string | undefined;
  /** Version of the software. */
  version?: string | undefined;
}
