/** Phases of a start: what each is given, and what it opens. A phase adds closers for what it opens. */
import type { PasswordCost, PasswordHasher } from '../../domain/auth/passwords.js';
import type { Stores } from '../../db/stores/stores.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Context } from '../../handlers/context.js';
import type { ResponseCache } from '../../handlers/response-cache.js';
import type { AccessTokens } from '../sessions/access-tokens.js';
import type { RunningLoginProvider } from '../keys/login-provider.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';
import type { ChangeSubscribers } from './change-subscribers.js';
import type { Network } from '../keys/bootstrap.js';
import type { ChangeFeed } from '../changes/change-feed.js';
import type { Closers } from '../base/closers.js';
import type { Settings } from '../settings/config.js';
import type { OpenDatabase } from '../data/database.js';
import type { EpochMemory } from '../changes/epochs.js';
import type { EventHub } from '../events/event-hub.js';
import type { EventReader } from '../events/event-reader.js';
import type { Heartbeat } from '../changes/heartbeat.js';
import type { Logger } from '../base/log.js';
import type { SigningEntity } from '../keys/pki-records.js';
import type { Outgoing } from '../sockets/outgoing.js';
import type { RunningPki } from '../keys/pki.js';
import type { RenewalOptions, ServerIdentity } from '../keys/renewal.js';

/** Every phase has it. */
export interface Start {
  readonly config: Settings;
  readonly log: Logger;
  /** Ends the start with an error at its next step. */
  readonly abort: AbortSignal;
  /** They run in reverse, so whatever opens something opens it after all that it needs. */
  readonly closers: Closers;
  readonly startedAt: Date;
  /** Tests make hundreds of networks, whose passwords protect nothing. */
  readonly passwordCost: PasswordCost;
  readonly changes: ChangeSubscribers;
}

/** The database with its schema, and in it the network. */
export interface Data extends OpenDatabase {
  readonly stores: Stores;
  readonly epochs: EpochMemory;
  readonly passwords: PasswordHasher;
  readonly network: Network;
  readonly controllerId: string;
}

/** Id of this controller, and the keys of its network's authority. */
export interface ControllerIdentity {
  readonly identity: ServerIdentity;
  readonly pki: RunningPki;
}

/** State in memory, and the parts that keep it up to date. */
export interface RunningParts {
  /** The channels of routers. */
  readonly fabric: Fabric;
  readonly apiSessions: ApiSessionRegistry;
  readonly accessTokens: AccessTokens;
  /** Null where the settings offer no logins by OpenID Connect. */
  readonly loginProvider: RunningLoginProvider | null;
  readonly responseCache: ResponseCache;
  readonly feed: ChangeFeed;
  readonly isHearing: () => boolean;
  readonly heartbeat: Heartbeat;
  readonly eventReader: EventReader;
  readonly eventStreams: EventHub;
  readonly outgoing: Outgoing;
  /** Makes this controller known under a server certificate. @returns the id of its row */
  readonly announce: (server: SigningEntity) => Promise<string>;
}

export interface ServableParts extends Start, Data, ControllerIdentity, RunningParts {
  /** Context of the handlers. */
  readonly context: Context;
}

/** Open listeners. */
export interface Serving {
  /** Servers of HTTPS, of routers when they have a port of their own, and of metrics. */
  readonly servers: RenewalOptions['servers'];
  /** Address of the HTTPS server, as `host:port`. */
  readonly address: string;
  readonly control: string | undefined;
  readonly metrics: string | undefined;
}
