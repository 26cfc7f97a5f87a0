/** Sessions as a router shows them: by their tokens, and whether this router may be used for them. */
import { DomainError } from '../domain/errors.js';
import type { HostingPrecedence, PolicyType } from '../domain/model.js';
import type { Strategy } from '../domain/fabric/terminator-choice.js';
import type { Db } from './db.js';
import { ROUTER_SERVES_BOTH } from './router-access-view.js';
import { IS_GRANTED, checkGrants, withSelectors } from './session-grants.js';

/** A session with what a dial or a bind over one router depends on. */
export interface ShownSession {
  readonly id: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  /** Router policies allow the router to its identity and its service. */
  readonly isRouterAllowed: boolean;
  readonly encryptionRequired: boolean;
  readonly strategy: Strategy;
  /** 0 for any time. */
  readonly maxIdleMs: number;
  /** What the identity hosts this service with, or any. */
  readonly hostingCost: number;
  readonly hostingPrecedence: HostingPrecedence;
}

const ALLOWED = `EXISTS (SELECT FROM routers r
  CROSS JOIN ${withSelectors('identities', 'e.id = t.identity_id')} ti
  CROSS JOIN ${withSelectors('services', 'e.id = t.service_id')} ts
  WHERE r.id = $2 AND r.is_edge AND NOT r.disabled AND ${ROUTER_SERVES_BOTH})`;

const FIND = `SELECT t.id, t.api_session_id AS "apiSessionId", t.identity_id AS "identityId",
  t.service_id AS "serviceId", t.type, ${IS_GRANTED} AS "isGranted", ${ALLOWED} AS "isRouterAllowed",
  s.encryption_required AS "encryptionRequired", s.terminator_strategy AS strategy,
  s.max_idle_time_millis AS "maxIdleMs", coalesce(h.cost, i.default_hosting_cost) AS "hostingCost",
  coalesce(h.precedence, i.default_hosting_precedence) AS "hostingPrecedence"
FROM sessions t JOIN services s ON s.id = t.service_id JOIN identities i ON i.id = t.identity_id
LEFT JOIN identity_hostings h ON h.identity_id = t.identity_id AND h.service_id = t.service_id
WHERE t.token = $1`;

const STANDING = `SELECT t.id FROM sessions t WHERE t.id = ANY ($1) AND ${ALLOWED}`;
/** Each of them needs another change of policies while the session is being checked. */
const ROUNDS = 10;

export interface ShownSessionStore {
  /** The session with this token, while it is granted. @throws DomainError `unavailable` when grants keep changing */
  find(token: string, routerId: string): Promise<ShownSession | undefined>;
  /**
   * Of these sessions, those that this router may not be used for any more. Asks the policies first, and ends what they
   * do not grant.
   */
  lost(ids: readonly string[], routerId: string): Promise<string[]>;
}

export function shownSessionStore(db: Db): ShownSessionStore {
  return {
    async find(token, routerId) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const {
          rows: [row],
        } = await db.read<ShownSession & { isGranted: boolean }>('shown-session', FIND, [token, routerId]);
        if (row === undefined) return undefined;
        const { isGranted, ...session } = row;
        if (isGranted) return session;
        // Settles it: it is granted now, or gone.
        await checkGrants(db, { ids: [session.id], others: 0, identityId: null });
      }
      throw new DomainError('unavailable');
    },
    async lost(ids, routerId) {
      await checkGrants(db, { ids, others: 0, identityId: null });
      const { rows } = await db.run<{ id: string }>('shown-sessions-standing', STANDING, [ids, routerId]);
      return without(ids, rows);
    },
  };
}

function without(ids: readonly string[], rows: readonly { id: string }[]): string[] {
  const standing = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !standing.has(id));
}
