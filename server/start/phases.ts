/** What each phase of a start is given, and what it opens. A phase adds what closes what it opened. */
import type { EventEmitter } from 'node:events';
import type { PasswordHasher } from '../../domain/auth/passwords.js';
import type { Stores } from '../../db/stores.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Context } from '../../handlers/context.js';
import type { KeptAnswers } from '../../handlers/kept-answers.js';
import type { ApiSessionRegistry } from '../api-sessions.js';
import type { Network } from '../bootstrap.js';
import type { ChangeFeed } from '../change-feed.js';
import type { Closers } from '../closers.js';
import type { Config } from '../config.js';
import type { OpenDatabase } from '../database.js';
import type { EpochMemory } from '../epochs.js';
import type { EventHub } from '../event-hub.js';
import type { EventReader } from '../event-reader.js';
import type { Heartbeat } from '../heartbeat.js';
import type { Logger } from '../log.js';
import type { SigningEntity } from '../network-keys.js';
import type { Outgoing } from '../outgoing.js';
import type { RunningPki } from '../pki.js';
import type { RenewalOptions, ServerIdentity } from '../renewal.js';

/** Every phase has it. */
export interface Start {
  readonly config: Config;
  readonly log: Logger;
  /** Ends the start with an error at its next step. */
  readonly abort: AbortSignal;
  /** They run in reverse, so whatever opens something opens it after all that it needs. */
  readonly closers: Closers;
  readonly startedAt: Date;
  /** Heard by what was built by then. */
  readonly changes: EventEmitter<{ databaseLost: []; pkiChanged: []; changed: [] }>;
}

/** The database with its schema, and in it the network. */
export interface Data extends OpenDatabase {
  readonly stores: Stores;
  readonly epochs: EpochMemory;
  readonly passwords: PasswordHasher;
  readonly network: Network;
  readonly controllerId: string;
}

/** Who this controller is, and what its network's authority signs with. */
export interface Own {
  readonly identity: ServerIdentity;
  readonly pki: RunningPki;
}

/** What is kept in memory, and what keeps it true. */
export interface Live {
  /** The channels of routers. */
  readonly fabric: Fabric;
  readonly apiSessions: ApiSessionRegistry;
  readonly keptAnswers: KeptAnswers;
  readonly feed: ChangeFeed;
  readonly isHearing: () => boolean;
  readonly heartbeat: Heartbeat;
  readonly eventReader: EventReader;
  readonly eventStreams: EventHub;
  readonly outgoing: Outgoing;
  /** Makes this controller known under a server certificate. @returns the id of its row */
  readonly announce: (server: SigningEntity) => Promise<string>;
}

export interface Ready extends Start, Data, Own, Live {
  /** What handlers work with. */
  readonly context: Context;
}

/** What listens. */
export interface Serving {
  /** That of HTTPS, that of routers when they have one of their own, and that of metrics. */
  readonly servers: RenewalOptions['servers'];
  /** Of the first, as `host:port`. */
  readonly address: string;
  readonly control: string | undefined;
  readonly metrics: string | undefined;
}
