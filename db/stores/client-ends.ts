/** Ends of clients that routers must not let in any more, although their tokens are good by themselves. */
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';
import { sweeping } from './sweep.js';

export interface ClientEnd {
  readonly type: 'JTI' | 'API_SESSION';
  readonly id: string;
  readonly endedAt: Date;
}

export interface ClientEndStore {
  /** Those of the last seconds. */
  since(seconds: number): Promise<readonly ClientEnd[]>;
  /** Deletes up to `max` of those that no access token outlives. @returns how many */
  sweep(max: number): Promise<number>;
}

const SINCE = slowRead<ClientEnd>(
  'client-ends',
  `SELECT type, id, ended_at AS "endedAt" FROM client_ends
  WHERE ended_at > clock_timestamp() - make_interval(secs => $1) ORDER BY ended_at`,
);

/** No access token is good for longer than a day. */
const SWEEP = sweeping({
  table: 'client_ends',
  key: 'ctid',
  where: "ended_at <= now() - interval '25 hours' ORDER BY ended_at",
});

export function clientEndStore(db: Db): ClientEndStore {
  return {
    since: (seconds) => db.many(SINCE, [seconds]),
    sweep: (max) => db.count(SWEEP, [max]),
  };
}
