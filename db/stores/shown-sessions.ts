/** Sessions as a router shows them: by their tokens, and whether this router may be used for them. */
import type { HostingPrecedence, PolicyType } from '../../domain/model.js';
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { Db } from '../postgres/contracts.js';
import { ROUTER_SERVES_BOTH } from './router-access-view.js';
import { IS_GRANTED, checkGrants, untilChecked, withSelectors } from './session-grants.js';
import { read, slowRead } from '../postgres/statement.js';

/** A session with what a dial or a bind over one router depends on. */
export interface ShownSession {
  readonly id: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly identityName: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  /** Its grant depends on no device, and so ends by a change only. */
  readonly isLasting: boolean;
  /** Router policies allow the router to its identity and its service. */
  readonly isRouterAllowed: boolean;
  readonly encryptionRequired: boolean;
  readonly strategy: Strategy;
  /** 0 for any time. */
  readonly maxIdleMs: number;
  /** The identity hosts this service, or any, with this cost and precedence. */
  readonly hostingCost: number;
  readonly hostingPrecedence: HostingPrecedence;
}

/** `routerId` may be used for the session `t`. */
const allowed = (routerId: string) => `EXISTS (SELECT FROM routers r
  CROSS JOIN ${withSelectors('identities', 'e.id = t.identity_id')} ti
  CROSS JOIN ${withSelectors('services', 'e.id = t.service_id')} ts
  WHERE r.id = ${routerId} AND r.is_edge AND NOT r.disabled AND ${ROUTER_SERVES_BOTH})`;

const finding = (name: string, router: string, where: string) =>
  read<ShownSession & { isGranted: boolean }>(
    name,
    `SELECT t.id, t.api_session_id AS "apiSessionId", t.identity_id AS "identityId",
  i.name AS "identityName", t.service_id AS "serviceId", t.type, ${IS_GRANTED} AS "isGranted",
  t.granted_until = 'infinity' AS "isLasting", ${allowed(router)} AS "isRouterAllowed",
  s.encryption_required AS "encryptionRequired", s.terminator_strategy AS strategy,
  s.max_idle_time_millis AS "maxIdleMs", coalesce(h.cost, i.default_hosting_cost) AS "hostingCost",
  coalesce(h.precedence, i.default_hosting_precedence) AS "hostingPrecedence"
FROM sessions t JOIN services s ON s.id = t.service_id JOIN identities i ON i.id = t.identity_id
LEFT JOIN identity_hostings h ON h.identity_id = t.identity_id AND h.service_id = t.service_id
WHERE ${where}`,
  );
const FIND = finding('shown-session', '$2', 't.token = $1');
const FIND_DIAL = finding(
  'shown-session-of-dial',
  '$3',
  "t.api_session_id = $1 AND t.service_id = $2 AND t.type = 'Dial'",
);

const STANDING = slowRead<{ n: number }>(
  'shown-sessions-standing',
  `SELECT u.n FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (id, router_id, n)
  JOIN sessions t ON t.id = u.id WHERE ${allowed('u.router_id')}`,
);

/** A router uses a session. */
export interface UseAtRouter {
  readonly sessionId: string;
  readonly routerId: string;
}

export interface ShownSessionStore {
  /** The session with this token, while it is granted. @throws DomainError `unavailable` when grants keep changing */
  find(token: string, routerId: string): Promise<ShownSession | undefined>;
  /** The session by which this API session dials the service, while it is granted. Fails as `find` does. */
  findDial(apiSessionId: string, serviceId: string, routerId: string): Promise<ShownSession | undefined>;
  /**
   * Those of these uses that are over: the router may not be used for the session any more, or the session has ended.
   * Asks the policies first, and ends what they do not grant.
   */
  lost(uses: readonly UseAtRouter[]): Promise<UseAtRouter[]>;
}

export function shownSessionStore(db: Db): ShownSessionStore {
  const find = (statement: typeof FIND, values: readonly string[]) =>
    untilChecked<ShownSession | undefined>(db, async () => {
      const row = await db.one(statement, values);
      if (row === undefined) return { found: undefined };
      const { isGranted, ...session } = row;
      return isGranted ? { found: session } : { uncheckedId: session.id };
    });
  return {
    find: (token, routerId) => find(FIND, [token, routerId]),
    findDial: (apiSessionId, serviceId, routerId) => find(FIND_DIAL, [apiSessionId, serviceId, routerId]),
    async lost(uses) {
      const ids = uses.map(({ sessionId }) => sessionId);
      await checkGrants(db, { ids: [...new Set(ids)], others: 0, identityId: null });
      const rows = await db.many(STANDING, [ids, uses.map(({ routerId }) => routerId)]);
      const standing = new Set(rows.map(({ n }) => n));
      return uses.filter((_, index) => !standing.has(index + 1));
    },
  };
}
