/**
 * Sessions: one identity's right to use one service in one way, as routers ask for it. A session lasts only as long as
 * some service policy still grants what it was made for. That is decided whenever sessions are read, from the policies; a
 * session without a grant is not there for anyone, and a sweep removes its row later.
 */
import type { NamedRef, Page, PolicyType, Session, Tags } from '../domain/model.js';
import { DomainError, notFound, raise } from '../domain/errors.js';
import type { Selectable } from '../domain/policy/roles.js';
import type { Db } from './db.js';
import { BASE_COLUMNS, baseOf, detailSql, json } from './table.js';
import type { BaseRow, Lists, ListRequest, ListSource, Scope } from './table.js';
import { sessionSymbols } from './symbols.js';

const SESSION = 'session';

interface Row extends BaseRow {
  api_session_id: string;
  identity_id: string;
  service_id: string;
  service_name: string;
  type: PolicyType;
  token: string;
  policies: NamedRef[] | null;
}

/**
 * The policies that grant the session `t`; none for an identity that is disabled. A role list that overlaps the selectors
 * of an entity is all that `AnyOf` asks for; only `AllOf` has to be looked at more closely, which costs more.
 */
const GRANTING = `FROM identities ti JOIN services ts ON ts.id = t.service_id
  JOIN service_policies p ON p.type = t.type
    AND p.service_roles && selectors_of(ts.id, ts.role_attributes) AND p.identity_roles && selectors_of(ti.id, ti.role_attributes)
    AND (p.semantic = 'AnyOf' OR (role_selects(p.semantic, p.service_roles, ts.id, ts.role_attributes)
      AND role_selects(p.semantic, p.identity_roles, ti.id, ti.role_attributes)))
  WHERE ti.id = t.identity_id AND (ti.disabled_at IS NULL OR ti.disabled_until <= now())`;
const IS_GRANTED = `EXISTS (SELECT ${GRANTING})`;

const source: ListSource<Row, Session> = {
  table: 'sessions', symbols: sessionSymbols,
  columns: [...BASE_COLUMNS, 'api_session_id', 'identity_id', 'service_id', 'type', 'token'],
  extras: `s.name AS service_name, (SELECT json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.id) ${GRANTING}) AS policies`,
  joins: 'JOIN services s ON s.id = t.service_id', fromRow,
};

/** `$2` is the owner, or null for anybody's. */
const OWNED = 'AND ($2::text IS NULL OR t.identity_id = $2)';
const DETAIL = detailSql(source, `${OWNED} AND ${IS_GRANTED}`);

function fromRow(row: Row): Session {
  return {
    apiSessionId: row.api_session_id, identityId: row.identity_id, service: { id: row.service_id, name: row.service_name }, type: row.type,
    token: row.token, servicePolicies: row.policies ?? [],
    ...baseOf(row),
  };
}

const scopeOf = (identityId: string | null): Scope => (identityId === null
  ? { name: 'granted', where: IS_GRANTED, values: [] }
  : { name: 'granted-own', where: `t.identity_id = $1 AND ${IS_GRANTED}`, values: [identityId] });

/** What a session is made for. */
export interface SessionUse {
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
}

/** What there is to know before a session is made. */
export interface SessionGround {
  readonly service: Selectable;
  /** Whether router policies allow some edge router to both the identity and the service. */
  readonly hasEdgeRouter: boolean;
  /** The session that the same use already has. */
  readonly sessionId: string | null;
}

/** `$1` service, `$2` and `$3` identity and its attributes, `$4` API session, `$5` type. */
const GROUND = `SELECT s.id, s.role_attributes,
  EXISTS (SELECT FROM routers r WHERE r.is_edge
    AND EXISTS (SELECT FROM edge_router_policies p WHERE p.identity_roles && selectors_of($2, $3::text[])
      AND role_selects(p.semantic, p.identity_roles, $2, $3::text[]) AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))
    AND EXISTS (SELECT FROM service_edge_router_policies p WHERE p.service_roles && selectors_of(s.id, s.role_attributes)
      AND role_selects(p.semantic, p.service_roles, s.id, s.role_attributes) AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))
  ) AS has_edge_router,
  (SELECT t.id FROM sessions t WHERE t.api_session_id = $4 AND t.service_id = s.id AND t.type = $5) AS session_id
FROM services s WHERE s.id = $1`;

/** One slice of all sessions in the order of ids: those without a grant go, unless somebody is at work on them. */
const SWEEP = `WITH slice AS (SELECT t.id FROM sessions t WHERE t.id > $1 ORDER BY t.id LIMIT $2),
stranded AS (SELECT t.id FROM sessions t WHERE t.id IN (SELECT id FROM slice) AND NOT ${IS_GRANTED} ORDER BY t.id FOR UPDATE OF t SKIP LOCKED),
gone AS (DELETE FROM sessions WHERE id IN (SELECT id FROM stranded) RETURNING id)
SELECT (SELECT max(id) FROM slice) AS last, (SELECT count(*) FROM slice) AS seen, (SELECT count(*) FROM gone) AS removed`;

export interface SessionStore {
  /** @param identityId  whose it must be; null for anybody's. @throws DomainError `notFound` */
  get(id: string, identityId: string | null): Promise<Session>;
  list(request: ListRequest, identityId: string | null): Promise<Page<Session>>;
  /** undefined when there is no such service. */
  findGround(use: Omit<SessionUse, 'type'> & { type: string }, identity: Selectable): Promise<SessionGround | undefined>;
  /** Answers the id under which the use is known: an earlier one when it has a session already. */
  create(draft: SessionUse & { id: string; identityId: string; token: string; tags: Tags }): Promise<string>;
  remove(id: string, identityId: string | null): Promise<void>;
  /** Removes sessions without a grant among the `max` that follow `after`; answers where to go on, '' at the end. */
  sweep(after: string, max: number): Promise<{ next: string; removed: number }>;
}

export function sessionStore(db: Db, lists: Lists): SessionStore {
  return {
    async get(id, identityId) {
      const { rows: [row] } = await db.read<Row>('session-detail', DETAIL, [id, identityId]);
      return row ? fromRow(row) : raise(notFound(SESSION, id));
    },
    list: (request, identityId) => lists.page(db, source, { ...request, scope: scopeOf(identityId) }),
    async findGround({ apiSessionId, serviceId, type }, identity) {
      const { rows: [row] } = await db.run<{ id: string; role_attributes: string[]; has_edge_router: boolean; session_id: string | null }>('session-ground',
        GROUND, [serviceId, identity.id, identity.roleAttributes, apiSessionId, type]);
      return row && { service: { id: row.id, roleAttributes: row.role_attributes }, hasEdgeRouter: row.has_edge_router, sessionId: row.session_id };
    },
    async create(draft) {
      // The update changes nothing: it locks the row that is there, against the sweep, and tells its id.
      const { rows: [row] } = await db.run<{ id: string }>('session-create', `INSERT INTO sessions AS t
          (id, api_session_id, identity_id, service_id, type, token, tags) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (api_session_id, service_id, type) DO UPDATE SET token = t.token RETURNING t.id`,
      [draft.id, draft.apiSessionId, draft.identityId, draft.serviceId, draft.type, draft.token, json(draft.tags)]);
      return row?.id ?? raise(new DomainError('unavailable'));
    },
    async remove(id, identityId) {
      const { rowCount } = await db.run('session-delete', `DELETE FROM sessions t WHERE t.id = $1 ${OWNED} AND ${IS_GRANTED}`, [id, identityId]);
      if (rowCount === 0) throw notFound(SESSION, id);
    },
    async sweep(after, max) {
      const { rows: [row] } = await db.run<{ last: string | null; seen: number; removed: number }>('sessions-sweep', SWEEP, [after, max]);
      return { next: row === undefined || row.last === null || row.seen < max ? '' : row.last, removed: row?.removed ?? 0 };
    },
  };
}
