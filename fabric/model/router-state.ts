/** Keeps what is known of a router here: what it was sent, and what was read for it last. */
import { NO_CLIENTS } from '../../domain/fabric/client-reach.js';
import type { ClientReach } from '../../domain/fabric/client-reach.js';
import type { ReachedModel } from '../../domain/fabric/router-model.js';
import type { RouterChannel } from '../channel/channel.js';
import type { ModelReceiver } from './sent-model.js';

export interface RouterState extends ModelReceiver {
  /** Model that was read last; undefined until then. */
  last: ReachedModel | undefined;
  /** Reach of its clients that was read last. */
  clients: ClientReach;
  /** The identity is disabled until then. */
  disabledUntilMs: number | undefined;
}

/** @returns the state of one that was sent nothing yet */
export const newRouterState = (channel: RouterChannel): RouterState => ({
  channel,
  subscriptionId: undefined,
  sent: undefined,
  last: undefined,
  clients: NO_CLIENTS,
  disabledUntilMs: undefined,
});
