/** Reads for the holder of a router's channel: whether the router may be connected, and which API sessions it gets. */
import type { Selectable } from '../../domain/policy/roles.js';
import { MAY_CALL } from './api-session-owners.js';
import { JOINS, OWES_TOTP } from './api-session-rows.js';
import type { Db } from '../postgres/contracts.js';
import type { RoleList } from '../query/scopes.js';
import { changeAside, slowRead } from '../postgres/statement.js';

/** A router as far as its channel is concerned. */
export interface KnownRouter extends Selectable {
  readonly name: string;
  readonly isEdge: boolean;
  readonly isTunnelerEnabled: boolean;
  readonly cost: number;
  readonly noTraversal: boolean;
  /** It is being emptied: nothing passes it. */
  readonly isQuiesced: boolean;
  readonly disabled: boolean;
  /** It has terminators that it made, for its clients or for itself. */
  readonly isHosting: boolean;
  /** SHA-1 of its certificate; null until it enrolls, and from a re-enrollment on. */
  readonly fingerprint: string | null;
  /** The leaf, then its chain. */
  readonly certPem: string | null;
  /** Hosts in the certificate that it shows to clients; null when they are not known. */
  readonly serverNames: readonly string[] | null;
  /** Role lists over identities of the edge router policies that select it. */
  readonly identityRoles: readonly RoleList[];
}

/** An API session as routers are told of it. */
export interface RouterSession {
  readonly id: string;
  readonly identityId: string;
  /** SHA-1 of the certificates by which its client may connect to a router, in lower-case hex. */
  readonly fingerprints: readonly string[];
}

export interface SessionState extends RouterSession {
  /** It is complete, and its identity may act. */
  readonly isGood: boolean;
  /** Stored: some router has its token, or is about to get it. */
  readonly isShared: boolean;
  readonly identity: Selectable;
}

/** Sessions that were opened at the management API, or by OpenID Connect, are in none of its answers. */
export interface RouterSyncView {
  /** Those of these routers that are there. */
  routers(ids: readonly string[]): Promise<KnownRouter[]>;
  /**
   * A page of all sessions, good or not, by id.
   * @param after  the last id of the page before; '' for the first
   */
  sessionPage(timeoutSeconds: number, after: string, limit: number): Promise<SessionState[]>;
  /** Sessions by their ids, and all sessions of these identities. */
  sessions(ids: readonly string[], identityIds: readonly string[], timeoutSeconds: number): Promise<SessionState[]>;
  /** Finds the valid sessions of these token hashes: session ids by hash in hex. */
  sessionsByToken(tokenHashes: readonly Buffer[], timeoutSeconds: number): Promise<ReadonlyMap<string, string>>;
  /** Sessions for services that these API sessions have, with the API session of each. */
  servicesOf(apiSessionIds: readonly string[]): Promise<{ id: string; apiSessionId: string }[]>;
  /**
   * Stores that routers have the tokens of these sessions, for good. Resolves when it is committed, on a synchronous
   * standby as well: only then may a token be sent. Sessions that are not there are passed over.
   */
  share(ids: readonly string[]): Promise<void>;
  /** CAs that are verified and open for logins, PEM. */
  caPems(): Promise<string[]>;
}

const ROUTERS = slowRead<KnownRouter>(
  'routers-of-channels',
  `SELECT r.id, r.name, r.is_edge AS "isEdge", r.is_tunneler_enabled AS "isTunnelerEnabled", r.disabled,
  r.cost, r.no_traversal AS "noTraversal",
  EXISTS (SELECT FROM quiesced_routers q WHERE q.router_id = r.id) AS "isQuiesced",
  EXISTS (SELECT FROM terminators t WHERE t.router_id = r.id AND (t.session_id IS NOT NULL OR t.is_system))
    AS "isHosting",
  r.fingerprint, r.cert_pem AS "certPem", r.server_names AS "serverNames", r.role_attributes AS "roleAttributes",
  (SELECT coalesce(json_agg(json_build_object('semantic', p.semantic, 'roles', p.identity_roles) ORDER BY p.id), '[]')
    FROM edge_router_policies p
    WHERE p.edge_router_roles && selectors_of(r.id, r.role_attributes)
      AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes)) AS "identityRoles"
FROM routers r WHERE r.id = ANY ($1)`,
);

/** The condition of every statement here that reads sessions `t`. */
const FOR_ROUTERS = "t.api = 'client' AND t.expires_at IS NULL";

/** `timeout` is the placeholder of the seconds without activity after which a session is over. */
const isGood = (timeout: string) =>
  `(NOT ${OWES_TOTP} AND ${MAY_CALL} AND t.last_activity_at > now() - make_interval(secs => ${timeout}))`;

const COLUMNS = `t.id, t.identity_id AS "identityId", t.is_shared_with_routers AS "isShared", ARRAY(
    SELECT e.fingerprint FROM authenticators e WHERE e.identity_id = t.identity_id AND e.fingerprint IS NOT NULL
    UNION SELECT c.fingerprint FROM api_session_certificates c WHERE c.api_session_id = t.id AND c.valid_to > now()
    ORDER BY 1) AS fingerprints`;

/** The page is taken first: with the joins the planner expects few rows, and looks at all sessions for each page. */
const SESSION_PAGE = slowRead<StateRow>(
  'session-page-for-routers',
  `SELECT ${COLUMNS}, ${isGood('$1')} AS "isGood", i.role_attributes AS "roleAttributes"
FROM (SELECT * FROM api_sessions t WHERE ${FOR_ROUTERS} AND t.id > $2 ORDER BY t.id LIMIT $3) t ${JOINS} ORDER BY t.id`,
);

const SESSIONS = slowRead<StateRow>(
  'sessions-for-routers',
  `SELECT ${COLUMNS}, ${isGood('$3')} AS "isGood", i.role_attributes AS "roleAttributes"
FROM api_sessions t ${JOINS} WHERE ${FOR_ROUTERS} AND (t.id = ANY ($1) OR t.identity_id = ANY ($2))`,
);

/** Locked in one order, so that two controllers never wait for each other. */
const SHARE = changeAside(
  'sessions-share-with-routers',
  ({ returningActor }) => `WITH due AS MATERIALIZED (SELECT t.id FROM api_sessions t
  WHERE ${FOR_ROUTERS} AND t.id = ANY ($1) AND NOT t.is_shared_with_routers ORDER BY t.id FOR NO KEY UPDATE)
UPDATE api_sessions t SET is_shared_with_routers = true FROM due WHERE t.id = due.id${returningActor}`,
);

type StateRow = Omit<SessionState, 'identity'> & { readonly roleAttributes: readonly string[] };

const statesOf = (rows: readonly StateRow[]): SessionState[] =>
  rows.map(({ roleAttributes, ...row }) => ({ ...row, identity: { id: row.identityId, roleAttributes } }));

const SESSIONS_OF_TOKENS = slowRead<{ id: string; hash: string }>(
  'sessions-of-tokens',
  `SELECT t.id, encode(t.token_hash, 'hex') AS hash FROM api_sessions t ${JOINS}
  WHERE ${FOR_ROUTERS} AND t.token_hash = ANY ($1) AND ${isGood('$2')}`,
);

const SERVICES_OF_SESSIONS = slowRead<{ id: string; apiSessionId: string }>(
  'services-of-sessions',
  'SELECT id, api_session_id AS "apiSessionId" FROM sessions WHERE api_session_id = ANY ($1)',
);

const CAS_FOR_ROUTERS = slowRead<{ pem: string }>(
  'cas-for-routers',
  'SELECT cert_pem AS pem FROM cas WHERE is_verified AND is_auth_enabled ORDER BY id',
);

export function routerSyncView(db: Db): RouterSyncView {
  return {
    async routers(ids) {
      return await db.many(ROUTERS, [ids]);
    },
    async sessionPage(timeoutSeconds, after, limit) {
      const values = [timeoutSeconds, after, limit];
      return statesOf(await db.many(SESSION_PAGE, values));
    },
    async sessions(ids, identityIds, timeoutSeconds) {
      const values = [ids, identityIds, timeoutSeconds];
      return statesOf(await db.many(SESSIONS, values));
    },
    async sessionsByToken(tokenHashes, timeoutSeconds) {
      const rows = await db.many(SESSIONS_OF_TOKENS, [tokenHashes, timeoutSeconds]);
      return new Map(rows.map(({ id, hash }) => [hash, id]));
    },
    async servicesOf(apiSessionIds) {
      return await db.many(SERVICES_OF_SESSIONS, [apiSessionIds]);
    },
    async share(ids) {
      await db.execute(SHARE, [ids]);
    },
    async caPems() {
      const rows = await db.many(CAS_FOR_ROUTERS);
      return rows.map(({ pem }) => pem);
    },
  };
}
