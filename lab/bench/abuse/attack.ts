/** What an attack is, and those that send whole requests as fast as they are answered. */
import type { LoadGenerator, LoadPlan } from '../load.js';
import { requestBytes } from '../world.js';
import type { RequestParts } from '../world.js';
import type { AbuseWorld } from './world.js';

/** How often each status came; 0 for connections that ended without an answer. */
export type Statuses = Readonly<Record<number, number>>;

export interface AttackContext {
  readonly world: AbuseWorld;
  readonly load: LoadGenerator;
  readonly seconds: number;
  /** Connections that read nothing of documents. */
  readonly readers: number;
}

export interface Attack {
  readonly name: string;
  /** What is sent, for people. */
  readonly sends: (context: AttackContext) => string;
  /** It shows nothing in less. */
  readonly leastSeconds?: number;
  /** Makes what the attack needs, before anything is measured. */
  readonly prepare?: (context: AttackContext) => Promise<void>;
  /** Ends by itself after `seconds`. */
  readonly run: (context: AttackContext) => Promise<Statuses>;
}

type Plan = Pick<LoadPlan, 'connections' | 'restMs'> & { readonly requests: readonly RequestParts[] };

/** The requests over and over, on so many connections. */
export async function flood({ world, load, seconds }: AttackContext, { requests, ...plan }: Plan): Promise<Statuses> {
  const bytes = requests.map((parts) => requestBytes(world, parts));
  return (await load.run(world.target, { ...plan, requests: bytes, mode: 'cycle', seconds })).statuses;
}

export const get = (path: string, token: string | undefined): RequestParts => ({ method: 'GET', path, token });
