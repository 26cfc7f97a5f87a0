/**
 * Objects that handlers work with. Built once by server/; everything here is safe to use from many requests at once.
 */
import type { KeyObject, X509Certificate } from 'node:crypto';
import type { OwedToken, RequiredSigner, TokenSigner } from '../domain/auth/external-signer.js';
import type { IssuedCertificateRecord } from '../db/stores/issued-certificates.js';
import type { ApiSessionDraft, ClientInfo } from '../db/stores/api-sessions.js';
import type { LoginProof } from '../db/stores/session-opening.js';
import type { AccessEpoch } from '../db/stores/access-view.js';
import type { Actor } from '../db/postgres/attribution.js';
import type { Stores, StoreSet } from '../db/stores/stores.js';
import type { ApiSession, EnrollmentDraft, EnrollmentMethod } from '../domain/credentials.js';
import type { ConfigType, PolicyType } from '../domain/model.js';
import type { BEGINNING, EventId } from '../domain/events/position.js';
import type { TrafficFeed } from '../domain/fabric/traffic-feed.js';
import type { EdgeConnection } from '../domain/router.js';
import type { PublicJwk } from '../domain/auth/signed-jwt.js';
import type { LoginProvider } from './login-provider.js';
import type { YieldQueue } from '../domain/scheduling/yield-queue.js';
import type { SigningRequest } from '../domain/pki/csr.js';
import type { KeyRing } from '../domain/pki/master-key.js';
import type { Api } from '../generated/operation.js';
import type { ResponseCache } from './response-cache.js';
import type { ElementCache } from './element-cache.js';
import type { KeptWorlds } from './kept-worlds.js';
import type { QrCodes } from './qr-codes.js';
import type { Caller } from './reply.js';
import type { TextStream } from './text-stream.js';

/** Hashing of passwords, bounded in how many run and wait. @throws DomainError `tooManyRequests` */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Does the same work when `hash` is undefined, and answers false. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** `work` that looks up what it verifies: when too many wait, it is refused before it asks the database. */
  admit<T>(work: (verify: Passwords['verify']) => Promise<T>): Promise<T>;
  /** The same, one at a time for each `key` on this controller. */
  admitInTurn<T>(key: string, work: (verify: Passwords['verify']) => Promise<T>): Promise<T>;
}

/** An API session with what changes in memory before it reaches the database. */
export interface LiveApiSession {
  readonly session: ApiSession;
  /** Activity seen by this controller, not yet written. */
  readonly cachedLastActivityAt: Date;
}

export type NewApiSession = Omit<ApiSessionDraft, 'id' | 'tokenHash'>;

export interface ApiSessions {
  readonly timeoutSeconds: number;
  /**
   * Opens a session and answers its token, which is nowhere else.
   * @returns undefined when the proof does not hold any more, or the identity is disabled
   */
  open(
    draft: NewApiSession,
    proof: LoginProof,
    client: ClientInfo,
    stores: Pick<StoreSet, 'apiSessions'>,
  ): Promise<(LiveApiSession & { readonly token: string }) | undefined>;
  /** The caller ends its session. @throws DomainError `notFound` */
  logOut(caller: Pick<Caller, 'apiSessionId' | 'identityId'>, stores: Pick<StoreSet, 'apiSessions'>): Promise<void>;
  /** Its token is hashed only when the session is not known by its id. @throws DomainError `unauthenticated` */
  live(caller: Pick<Caller, 'token' | 'apiSessionId' | 'bearer'>): Promise<LiveApiSession>;
}

/** A number that moves whenever what depends on it may have changed. */
export interface Epoch<T> {
  /**
   * No older than any change that this controller has answered or heard of. From memory, unless that may be behind.
   */
  current(stores: Stores): T | Promise<T>;
  /** Reads the value from the database. */
  read(stores: Stores): Promise<T>;
}

export interface Epochs {
  readonly access: Epoch<AccessEpoch>;
  /** Epoch of everything that policy advice depends on. */
  readonly advice: Epoch<string>;
}

export interface Enrollments {
  /** A new one-time token and its signed JWT. @param subjectId the identity or router that enrolls */
  issue(subjectId: string, method: EnrollmentMethod, expiresAt: Date): Promise<Pick<EnrollmentDraft, 'token' | 'jwt'>>;
  /** Expiry of an enrollment that is made now without one. */
  defaultExpiry(): Date;
  /** The JWT by which any number of clients enroll with certificates of a CA; it does not expire. */
  caJwt(caId: string): Promise<string>;
  networkJwt(): Promise<string>;
  /** Public keys that verify the JWTs above. */
  publicKeys(): readonly PublicJwk[];
}

export interface SessionTokens {
  /** The JWT by which routers admit a session. */
  sign(session: {
    id: string;
    apiSessionId: string;
    identityId: string;
    serviceId: string;
    type: PolicyType;
    isLegacy: boolean;
  }): Promise<string>;
}

export interface NetworkInfo {
  readonly controllerId: string;
  readonly name: string;
  /** `host:port` that clients reach. */
  readonly advertise: string;
  /** The same for routers. */
  readonly routersReach: string;
  /** Names of controllers that routers may have in their certificates, too. */
  readonly routerNames: readonly string[];
  readonly startedAt: Date;
}

/** A certificate made for a client, and what must be written down in the transaction that hands it out. */
export interface IssuedChain {
  /** The leaf, then its intermediates; never the root. */
  readonly chainPem: string;
  readonly leafPem: string;
  /** SHA-1 of the leaf's DER in lower-case hex. */
  readonly fingerprint: string;
  readonly publicKeyFingerprint: string;
  /** Record for `stores.issuedCertificates.add`. */
  readonly record: IssuedCertificateRecord;
}

/** The network's own certificate authority. What it issues takes nothing from a request but its key. */
export interface Pki {
  readonly trustDomain: string;
  /** Roots, then intermediates, one PEM block after another: what a client keeps to know its network by. */
  caBundlePem(): string;
  /** The same as base64 of a PKCS#7 bundle, 64 columns. */
  caBundlePkcs7(): string;
  /** Roots that end a chain, and intermediates to use where a client did not send its own. */
  trust(): { readonly roots: readonly X509Certificate[]; readonly intermediates: readonly X509Certificate[] };
  issueForIdentity(request: SigningRequest, identityId: string): Promise<IssuedChain>;
  issueForApiSession(
    request: SigningRequest,
    ids: { identityId: string; apiSessionId: string; certificateId: string },
  ): Promise<IssuedChain>;
  issueForRouter(request: SigningRequest, routerId: string): Promise<IssuedChain>;
  /** @param names  that the router may have: checked by the caller */
  issueForRouterServer(
    request: SigningRequest,
    routerId: string,
    names: { dns: readonly string[]; ip: readonly string[] },
  ): Promise<IssuedChain>;
}

export interface VersionInfo {
  readonly version: string;
  readonly revision: string;
  readonly buildDate: string;
  readonly runtimeVersion: string;
}

/** OpenAPI 2.0, which is the contract, or OpenAPI 3.1, which is derived from it. */
export type DocumentForm = 'swagger' | 'openapi';

/** The two API descriptions as they are served. */
export interface Documents {
  readonly publishedAt: Date;
  /**
   * The same each time: of a long text, Node makes UTF-8 for each answer, which takes longer than all else.
   * @param form  OpenAPI 2.0 when absent
   */
  bytes(api: Api, syntax: 'yaml' | 'json', form?: DocumentForm): Buffer;
}

/** Seals what must not be read from the database alone. The context says what it is and whose. */
export type Secrets = Pick<KeyRing, 'seal' | 'open'>;

export interface SignerKeys {
  /**
   * Finds the key with this `kid` that verifies the tokens of a signer; undefined when there is none, or none can be
   * fetched.
   */
  find(signer: TokenSigner, kid: string | undefined, trace?: OutgoingTrace): Promise<KnownKey | undefined>;
}

/** Is called for the requests that one request makes necessary. */
export interface OutgoingTrace {
  /** @returns headers to send, and what is called at the end, with the error if it failed */
  begin(url: URL): OutgoingSpan;
}

export interface OutgoingSpan {
  readonly headers: Readonly<Record<string, string>>;
  end(error?: unknown): void;
}

export interface KnownKey {
  readonly key: KeyObject;
  /** It is believed until then, by `performance.now()`. */
  readonly untilMs: number;
}

/** Tokens that an auth policy requires with every request. */
export interface SecondTokens {
  /** @param tokens  of the request. @returns null when one of them is the signer's, for the session's identity */
  owed(tokens: readonly string[], signer: RequiredSigner, trace?: OutgoingTrace): Promise<OwedToken | null>;
}

/** Selection of events that a reader asks for. */
export interface EventWish {
  readonly identityId: string;
  /** Patterns; empty for all kinds. */
  readonly kinds: readonly string[];
  /** The last event that it has; undefined: it starts now. */
  readonly after: EventId | typeof BEGINNING | undefined;
  /** It ends where it would start now. */
  readonly isUntilNow: boolean;
}

export interface EventStreams {
  /** @throws DomainError `rateLimited` when there are too many, `unavailable` when the controller stops */
  open(wish: EventWish): Promise<TextStream>;
}

/** Long work on the whole database: one piece of it at a time, over all controllers. */
export interface Maintenance {
  /**
   * Writes all that the database holds into a new file, and answers when that is whole. It goes on without a caller.
   * @param actor  who asks, for the audit record
   * @returns the path of the file
   * @throws DomainError `rateLimited` while other work is under way, `unavailable` when the file cannot be written
   */
  snapshot(actor: Actor | undefined): Promise<string>;
  /**
   * Begins a check of data integrity, and answers when it has begun; `stores.integrity` tells how far it is.
   * @throws DomainError `rateLimited` as a snapshot
   */
  checkIntegrity(isFixing: boolean, actor: Actor | undefined): Promise<void>;
}

/** Identities that are connected to edge routers. */
export interface EdgeConnections {
  of(identityId: string): EdgeConnection;
}

/** One thing that an examination of this controller looked at. */
interface OwnFinding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'fault';
  readonly message: string;
  readonly fix?: string;
}

/** Facts about this controller itself. */
export interface OwnState {
  /** Findings of an examination that is half a minute old at most, the worst first. */
  findings(stores: Pick<StoreSet, 'network' | 'networkOverview'>): Promise<readonly OwnFinding[]>;
  backups(): { readonly isScheduled: boolean; readonly latestAt: Date | null };
}

export interface Context {
  /** Null where the settings offer none. */
  readonly loginProvider: LoginProvider | null;
  /** Why events may not be sent to a URL, as far as that is known before its name is resolved; undefined: they may. */
  readonly targetFault: (url: string) => string | undefined;
  readonly eventStreams: EventStreams;
  readonly maintenance: Maintenance;
  readonly stores: Stores;
  readonly edgeConnections: EdgeConnections;
  readonly trafficFeed: TrafficFeed;
  readonly passwords: Passwords;
  /** Queue for verifying certificate chains, a millisecond each. */
  readonly yieldQueue: YieldQueue;
  readonly apiSessions: ApiSessions;
  readonly signerKeys: SignerKeys;
  readonly secondTokens: SecondTokens;
  /** How far the clocks of external signers may be apart from this one. */
  readonly tokenLeewaySeconds: number;
  readonly enrollments: Enrollments;
  readonly sessionTokens: SessionTokens;
  readonly network: NetworkInfo;
  /** Logs what a person should look at although the request succeeds. */
  readonly warn: (facts: object, message: string) => void;
  readonly secrets: Secrets;
  readonly qrCodes: QrCodes;
  /** Issuer of TOTP secrets, shown by authenticator apps. */
  readonly totpIssuer: string;
  readonly pki: Pki;
  readonly version: VersionInfo;
  readonly documents: Documents;
  readonly epochs: Epochs;
  /** Answers that hold until an epoch moves. */
  readonly responseCache: ResponseCache;
  readonly elementCache: ElementCache;
  readonly worlds: KeptWorlds;
  readonly ownState: OwnState;
  readonly newId: () => string;
  /** @throws DomainError `invalidField` when `data` breaks the type's schema */
  readonly checkConfigData: (type: Pick<ConfigType, 'id' | 'updatedAt' | 'schema'>, data: unknown) => Promise<void>;
  /** @throws DomainError `invalidField` when it is no usable schema */
  readonly checkConfigSchema: (schema: object) => Promise<void>;
}
