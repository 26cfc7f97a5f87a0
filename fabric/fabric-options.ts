/** Options of the control channel of one process. */
import type { Logger } from 'pino';
import type { VerifiedChain } from '../domain/pki/chain.js';
import type { Stores } from '../db/stores/stores.js';
import type { ChannelLimits } from './channel/limits.js';
import type { NoteFailure } from './channel/router-log.js';
import type { KeySources } from './model/public-keys.js';
import type { RouterExtensions } from './messages/extend-enrollment.js';
import type { KnownControllers } from './presence/controllers.js';
import type { ApiSessionTokens } from './traffic/session-admission.js';

export interface FabricOptions {
  readonly stores: Stores;
  readonly log: Logger;
  readonly noteFailure: NoteFailure;
  /** Id of this controller's row. */
  readonly controllerId: string;
  /** How long the access token of a client is good; 0 where clients have none, and routers are told nothing of them. */
  readonly accessTokenSeconds: number;
  readonly controllers: KnownControllers;
  readonly newId: () => string;
  readonly apiSessionToken: (apiSessionId: string) => string;
  readonly sessionTimeoutSeconds: number;
  readonly sessionsSeen: (apiSessionIds: readonly string[]) => void;
  readonly apiSessions: ApiSessionTokens;
  /** Verifies against the network's own CA alone. @throws ChainFault */
  readonly verify: (certificates: readonly Buffer[]) => VerifiedChain;
  /** Returns the CA in force, and the key that signs session JWTs. */
  readonly keySources: () => Omit<KeySources, 'caPems'>;
  readonly extensions: RouterExtensions;
  readonly limits?: Partial<ChannelLimits>;
}
