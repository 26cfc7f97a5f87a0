/** The answer to one question: why does, or does not, this identity reach this service. */
import type { NamedRef, PolicyType } from '../model.js';

/** Links of the chain, in the order in which a dial meets them. */
export type ChainStep =
  'identity' | 'login' | 'authPolicy' | 'policies' | 'posture' | 'routers' | 'terminators' | 'path' | 'refusals';

/** Names what stops it. */
export type Cause =
  | 'IDENTITY_DISABLED'
  | 'NOT_LOGGED_IN'
  | 'LOGGED_IN_AT_MANAGEMENT'
  | 'SECOND_FACTOR_OWED'
  | 'LOGIN_NOT_ALLOWED'
  | 'NO_POLICY'
  | 'POSTURE'
  | 'NO_COMMON_ROUTER'
  | 'ROUTERS_OFFLINE'
  | 'ROUTER_NOT_ALLOWED'
  | 'ROUTER_OFFLINE'
  | 'NO_TERMINATOR'
  | 'ONLY_NAMED_TERMINATORS'
  | 'TERMINATORS_OFFLINE'
  | 'NO_PATH';

/** `skipped`: it cannot be told, because of what stops it before; `hidden`: the reader may not see it. */
export type LinkState = 'passes' | 'stops' | 'skipped' | 'hidden';

/** One thing that a link was made of. */
export interface ChainItem {
  /** The collection that has it; '' for what is no entity. */
  readonly entity: string;
  readonly id: string;
  readonly name: string;
  readonly isPassing: boolean;
  readonly finding: string;
  readonly wanted?: string;
  readonly found?: string;
}

export interface ChainLink {
  readonly step: ChainStep;
  readonly state: LinkState;
  readonly finding: string;
  /** Cause, when the state is `stops`. */
  readonly cause?: Cause;
  readonly remedy?: string;
  readonly items: readonly ChainItem[];
}

/** `refused`: it gets no session; `unreachable`: it gets one, and its dial fails; `unknown`: something is hidden. */
export type Outcome = 'works' | 'refused' | 'unreachable' | 'unknown';

export interface Explanation {
  readonly identity: NamedRef;
  readonly service: NamedRef;
  readonly type: PolicyType;
  readonly outcome: Outcome;
  readonly cause: Cause | null;
  readonly verdict: string;
  /** One thing to do; '' when there is nothing to do. */
  readonly remedy: string;
  readonly links: readonly ChainLink[];
}
