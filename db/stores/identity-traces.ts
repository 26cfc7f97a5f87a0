/** Traces of identities: who, under which name and until when. API sessions show it: see api-sessions.ts. */
import type { Trace } from '../../domain/administration.js';
import { raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { sweeping } from './sweep.js';
import { change } from '../postgres/statement.js';

export interface TraceDraft {
  readonly traceId: string;
  readonly channels: readonly string[];
  readonly durationMs: number;
}

export interface IdentityTraceStore {
  /** Starts a trace, and replaces an earlier one. @throws DomainError `notFound` for an unknown identity */
  begin(identityId: string, draft: TraceDraft): Promise<Trace>;
  end(identityId: string): Promise<void>;
  /** Removes traces that have ended, up to `max`. Answers how many. */
  sweep(max: number): Promise<number>;
}

const BEGIN = change<{ endsAt: Date }>(
  'trace-begin',
  ({ actor }) => `INSERT INTO identity_traces AS t (identity_id, trace_id, channels, ends_at)
  VALUES ($1, $2, $3, now() + make_interval(secs => $4 / 1000.0))
  ON CONFLICT (identity_id) DO UPDATE SET trace_id = excluded.trace_id, channels = excluded.channels,
    ends_at = excluded.ends_at
  RETURNING ends_at AS "endsAt"${actor}`,
);

const TRACE_END = change(
  'trace-end',
  ({ returningActor }) => `DELETE FROM identity_traces WHERE identity_id = $1${returningActor}`,
);

const SWEEP = sweeping({ table: 'identity_traces', key: 'identity_id', where: 'ends_at <= now()' });

export function identityTraceStore(db: Db): IdentityTraceStore {
  return {
    async begin(identityId, { traceId, channels, durationMs }) {
      const row = await db.one(BEGIN, [identityId, traceId, channels, durationMs]);
      db.touched?.({ identity: identityId });
      return { traceId, endsAt: (row ?? raise(new Error('an INSERT without its row'))).endsAt };
    },
    async end(identityId) {
      await db.execute(TRACE_END, [identityId]);
      db.touched?.({ identity: identityId });
    },
    sweep: (max) => db.count(SWEEP, [max]),
  };
}
