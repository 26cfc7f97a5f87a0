/**
 * Sessions: one identity's right to use one service in one way, as routers ask for it. A session lasts only as long as
 * some service policy still grants what it was made for (session-grants.ts); one whose grant is found lost is removed
 * before the answer that does not show it, and never comes back.
 */
import type { NamedRef, Page, PolicyType, Session, Tags } from '../domain/model.js';
import { notFound } from '../domain/errors.js';
import { IS_PASSING } from './access-view.js';
import type { Db } from './db.js';
import { GRANTING, GRANTS_EPOCH, IS_ENABLED, IS_GRANTED, IS_LEVEL, SELECTS_BOTH, settle, withSelectors } from './session-grants.js';
import { BASE_COLUMNS, baseOf, detailSql, json, mapPage } from './table.js';
import type { BaseRow, Lists, ListRequest, ListSource, Scope } from './table.js';
import { ownSessionSymbols } from './client-symbols.js';
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
interface ListedRow extends Row { is_level: boolean; has_doubt: boolean }

/** A session of a page, and whether it and all others that the page may count are known to be granted. */
interface Listed { readonly session: Session; readonly isLevel: boolean; readonly hasDoubt: boolean }

const COLUMNS = [...BASE_COLUMNS, 'api_session_id', 'identity_id', 'service_id', 'type', 'token'] as const;
const POLICIES = `(SELECT json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.id) ${GRANTING}) AS policies`;

function fromRow(row: Row): Session {
  return {
    apiSessionId: row.api_session_id, identityId: row.identity_id, service: { id: row.service_id, name: row.service_name }, type: row.type,
    token: row.token, servicePolicies: row.policies ?? [],
    ...baseOf(row),
  };
}

/** The end of an index. Whether one in doubt exists would be answered by a look at all, since none is the usual answer. */
const LOWEST_LEVEL = '(SELECT min(d.granted_epoch) FROM sessions d)';
/** The sum keeps the planner from that index: the identity's few sessions are found by its own. */
const OWN_LEVEL = '(SELECT min(d.granted_epoch + 0) FROM sessions d WHERE d.identity_id = $1)';

/** Sessions of anybody, with their policies; or those of the identity `$1`, who is not told of policies. */
const sourceFor = (isOwn: boolean): ListSource<ListedRow, Listed> => ({
  table: 'sessions', symbols: isOwn ? ownSessionSymbols : sessionSymbols, columns: COLUMNS,
  joins: 'JOIN services s ON s.id = t.service_id',
  extras: `s.name AS service_name, ${isOwn ? 'NULL AS policies' : POLICIES}, ${IS_LEVEL} AS is_level,
    ${isOwn ? OWN_LEVEL : LOWEST_LEVEL} < ${GRANTS_EPOCH} AS has_doubt`,
  fromRow: (row) => ({ session: fromRow(row), isLevel: row.is_level, hasDoubt: row.has_doubt }),
});
const ANYBODYS = sourceFor(false);
const OWN = sourceFor(true);
const sourceOf = (identityId: string | null) => (identityId === null ? ANYBODYS : OWN);

/** `$2` is the owner, or null for anybody's. */
const OWNED = 'AND ($2::text IS NULL OR t.identity_id = $2)';
const DETAIL = detailSql({ ...ANYBODYS, extras: `s.name AS service_name, ${POLICIES}, ${IS_GRANTED} AS is_granted` }, OWNED);
const OWN_DETAIL = detailSql({ ...OWN, extras: `s.name AS service_name, NULL AS policies, ${IS_GRANTED} AS is_granted` }, OWNED);

/** Sessions in doubt that a list settles beyond those of its page: with no more than these, totals are exact. */
const OTHERS = 100;
/** Settled in one transaction before a list without limit. */
const SLICE = 500;
/** After so many moves of the epoch in a row, or for a list without limit, the grants are asked for in the list itself. */
const ROUNDS = 40;

function scopeFor(identityId: string | null, isChecked: boolean): Scope | undefined {
  const parts = [...(identityId === null ? [] : ['t.identity_id = $1']), ...(isChecked ? [IS_GRANTED] : [])];
  if (parts.length === 0) return undefined;
  return { name: `${identityId === null ? 'all' : 'own'}${isChecked ? '-granted' : ''}`, where: parts.join(' AND '), values: identityId === null ? [] : [identityId] };
}

/** What a session is made for. */
export interface SessionUse {
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
}

/** What there is to know before a session is made, all of one moment. */
export interface SessionGround {
  readonly serviceName: string;
  readonly roleAttributes: readonly string[];
  /** Policies of both types that select the identity and the service. */
  readonly grants: readonly { readonly policyId: string; readonly type: PolicyType; readonly isPassing: boolean }[];
  readonly grantsEpoch: number;
  /** Whether router policies allow some edge router to both the identity and the service. */
  readonly hasEdgeRouter: boolean;
  /** The session that the same use already has, granted or not. */
  readonly session: Session | null;
}

/** `$1` service, `$2` identity, `$3` API session, `$4` type. */
const GROUND = `SELECT ts.name AS "serviceName", ti.role_attributes AS "roleAttributes", ${GRANTS_EPOCH} AS "grantsEpoch",
  (SELECT coalesce(json_agg(json_build_object('policyId', p.id, 'type', p.type, 'isPassing', ${IS_PASSING}) ORDER BY p.id), '[]')
    FROM service_policies p WHERE ${SELECTS_BOTH}) AS grants,
  EXISTS (SELECT FROM routers r WHERE r.is_edge
    AND EXISTS (SELECT FROM edge_router_policies p WHERE p.identity_roles && ti.selectors
      AND role_selects(p.semantic, p.identity_roles, ti.id, ti.role_attributes) AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))
    AND EXISTS (SELECT FROM service_edge_router_policies p WHERE p.service_roles && ts.selectors
      AND role_selects(p.semantic, p.service_roles, ts.id, ts.role_attributes) AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))
  ) AS "hasEdgeRouter", ${COLUMNS.map((column) => `t.${column}`).join(', ')}
FROM ${withSelectors('services', 'e.id = $1')} ts CROSS JOIN ${withSelectors('identities', `e.id = $2 AND ${IS_ENABLED}`)} ti
LEFT JOIN sessions t ON t.api_session_id = $3 AND t.service_id = ts.id AND t.type = $4`;

/**
 * The identity is held as it was when its grants were read, so that a change of it sees the session or is seen here. A
 * row that is there is taken over: locked, against the sweep, and told in full.
 */
const CREATE = `WITH owner AS (SELECT e.id FROM identities e WHERE e.id = $3 AND e.role_attributes = $8::text[] AND ${IS_ENABLED} FOR SHARE)
INSERT INTO sessions AS t (id, api_session_id, identity_id, service_id, type, token, tags, granted_epoch)
SELECT $1, $2, owner.id, $4, $5, $6, coalesce($7::jsonb, '{}'), $9::bigint FROM owner
ON CONFLICT (api_session_id, service_id, type) DO UPDATE SET granted_epoch = greatest(t.granted_epoch, excluded.granted_epoch)
RETURNING ${COLUMNS.map((column) => `t.${column}`).join(', ')}`;

export interface SessionDraft extends SessionUse {
  readonly id: string;
  readonly token: string;
  readonly tags: Tags;
}

export interface SessionStore {
  /** @param identityId  whose it must be; null for anybody's. @throws DomainError `notFound` */
  get(id: string, identityId: string | null): Promise<Session>;
  /** Every session of the page is granted. The total may count ones in doubt for as long as the sweep takes. */
  list(request: ListRequest, identityId: string | null): Promise<Page<Session>>;
  /** undefined when there is no such service, or no such identity that may act. */
  findGround(use: Omit<SessionUse, 'type'> & { type: string }): Promise<SessionGround | undefined>;
  /** The session of this use: an earlier one when it has one already; undefined when the identity is no longer as `ground` says. */
  create(draft: SessionDraft, ground: SessionGround): Promise<Session | undefined>;
  remove(id: string, identityId: string | null): Promise<void>;
  /** For a session that was seen without a grant: it goes, also when a grant has come back since. */
  end(id: string): Promise<void>;
  /** Asks the policies about up to `max` sessions in doubt. */
  sweep(max: number): Promise<{ seen: number; removed: number }>;
}

export function sessionStore(db: Db, lists: Lists): SessionStore {
  const end = async (id: string) => { await db.write('session-end', 'DELETE FROM sessions WHERE id = $1', [id]); };
  const page = (request: ListRequest, identityId: string | null, isChecked: boolean) =>
    lists.page(db, sourceOf(identityId), { ...request, scope: scopeFor(identityId, isChecked) });

  return {
    async get(id, identityId) {
      const { rows: [row] } = identityId === null
        ? await db.read<Row & { is_granted: boolean }>('session-detail', DETAIL, [id, null])
        : await db.read<Row & { is_granted: boolean }>('session-detail-own', OWN_DETAIL, [id, identityId]);
      if (row?.is_granted === true) return fromRow(row);
      if (row !== undefined) await end(id);
      throw notFound(SESSION, id);
    },
    async list(request, identityId) {
      const { symbols } = sourceOf(identityId);
      const isUnbounded = lists.compile(symbols, { ...request, scope: scopeFor(identityId, false) }).limit === null;
      for (let round = 0; round < (isUnbounded ? 0 : ROUNDS); round += 1) {
        const found = await page(request, identityId, false);
        const doubted = found.items.filter(({ isLevel }) => !isLevel);
        const isExact = round > 0 || found.items[0]?.hasDoubt !== true;
        if (doubted.length === 0 && isExact) return sessionsOf(found);
        await settle(db, { ids: doubted.map(({ session }) => session.id), others: OTHERS, identityId });
      }
      while ((await settle(db, { ids: [], others: SLICE, identityId })).seen === SLICE);
      return sessionsOf(await page(request, identityId, true));
    },
    async findGround({ apiSessionId, identityId, serviceId, type }) {
      const { rows: [row] } = await db.run<Row & Omit<SessionGround, 'session'>>('session-ground', GROUND, [serviceId, identityId, apiSessionId, type]);
      if (row === undefined) return undefined;
      const { serviceName, roleAttributes, grants, grantsEpoch, hasEdgeRouter } = row;
      const session = (row.id as string | null) === null ? null : fromRow({ ...row, service_name: serviceName, policies: null });
      return { serviceName, roleAttributes, grants, grantsEpoch, hasEdgeRouter, session };
    },
    async create(draft, { serviceName, roleAttributes, grantsEpoch }) {
      const { rows: [row] } = await db.write<Row>('session-create', CREATE, [draft.id, draft.apiSessionId, draft.identityId, draft.serviceId, draft.type,
        draft.token, json(draft.tags), roleAttributes, grantsEpoch]);
      return row && fromRow({ ...row, service_name: serviceName, policies: null });
    },
    async remove(id, identityId) {
      const { rows: [row] } = await db.write<{ was_granted: boolean }>('session-delete',
        `DELETE FROM sessions t WHERE t.id = $1 ${OWNED} RETURNING ${IS_GRANTED} AS was_granted`, [id, identityId]);
      if (row?.was_granted !== true) throw notFound(SESSION, id);
    },
    end,
    sweep: async (max) => settle(db, { ids: [], others: max, identityId: null }),
  };
}

const sessionsOf = (page: Page<Listed>): Page<Session> => mapPage(page, ({ session }) => session);
