/**
 * Sessions: one identity's right to use one service in one way, as routers ask for it. A session lasts only as long as
 * some service policy still grants what it was made for (session-grants.ts); one whose grant is found lost is removed
 * before the answer that does not show it, and never comes back.
 */
import type { NamedRef, Page, PolicyType, Session, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { AskedCheck } from '../../domain/posture/evaluate.js';
import type { Db } from '../postgres/contracts.js';
import { ASKED_CHECKS, toAskedChecks } from './postures.js';
import type { AskedRow } from './postures.js';
import {
  GRANTS_EPOCH,
  IS_ENABLED,
  IS_GRANTED,
  IS_CURRENT,
  ROUNDS,
  SELECTING,
  SELECTS_BOTH,
  checkGrants,
  untilChecked,
  untilText,
  withSelectors,
} from './session-grants.js';
import { entity } from '../query/entity.js';
import { text } from '../query/fields.js';
import { detailSql, jsonText } from '../query/table.js';
import type { Lists, ListRequest, ListSource } from '../query/table.js';
import { ROUTER_SERVES_BOTH } from './router-access-view.js';
import { HAS_CHANNELS, routersFor } from './session-routers.js';
import { inAll, referringTo, rowsWhere } from '../query/scopes.js';
import { change, changeAside, read, slowRead } from '../postgres/statement.js';

/** A session as its table has it. */
type Stored = Omit<Session, 'service' | 'servicePolicies' | 'edgeRouters'> & { readonly serviceId: string };

export const session = entity<Stored>(
  'sessions',
  {
    token: text().filteredBy({ kind: 'string', sql: 't.token', nullable: false, equalityOnly: true }).forClients(),
    type: text<PolicyType>().forClients(),
    apiSessionId: text().filteredAs('apiSession').forClients(),
    identityId: text().unfiltered(),
    serviceId: text().filteredAs('service').forClients(),
  },
  { name: 'session', collections: ['sessions'], versionedBy: 'updatedAt' },
);

interface Row extends Stored {
  readonly serviceName: string;
  readonly policies: NamedRef[] | null;
  readonly hasChannels: boolean;
}
interface ListedRow extends Row {
  readonly isCurrent: boolean;
  readonly hasUnchecked: boolean;
}

/** A session of a page, and whether it and all others that the page may count are known to be granted. */
interface Listed {
  readonly session: Session;
  readonly isCurrent: boolean;
  readonly hasUnchecked: boolean;
  /** Some router may be connected. */
  readonly hasChannels: boolean;
}

const POLICIES = `(SELECT json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.id)
  ${SELECTING}) AS policies`;

function fromRow(row: Row): Session {
  return {
    apiSessionId: row.apiSessionId,
    identityId: row.identityId,
    service: { id: row.serviceId, name: row.serviceName },
    type: row.type,
    token: row.token,
    servicePolicies: row.policies ?? [],
    edgeRouters: [],
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
  };
}

/** The end of an index. A search for an unchecked one would read all of them, since there is usually none. */
const LOWEST_EPOCH = '(SELECT min(d.granted_epoch) FROM sessions d)';
/** The case keeps the planner from that index: the identity's few sessions are found by its own. */
const lowestEpochOf = (identity: string) =>
  `(SELECT min(CASE WHEN d.granted_until > now() THEN d.granted_epoch ELSE 0 END)
    FROM sessions d WHERE d.identity_id = ${identity})`;
const hasUnchecked = (lowestEpoch: string) => `${lowestEpoch} < ${GRANTS_EPOCH} AS "hasUnchecked"`;
const IS_SOME_OVER = `coalesce(
  now() >= (SELECT min(d.granted_until) FROM sessions d WHERE d.granted_until < 'infinity'), false)`;

const SERVICE_NAME = `s.name AS "serviceName", ${HAS_CHANNELS} AS "hasChannels"`;
const NO_POLICIES = 'NULL AS policies';
const CHECKED = `${IS_CURRENT} AS "isCurrent"`;

const ANYBODYS: ListSource<ListedRow, Listed> = {
  ...session.source,
  joins: 'JOIN services s ON s.id = t.service_id',
  extras: `${SERVICE_NAME}, ${POLICIES}, ${CHECKED}, ${IS_SOME_OVER} OR ${hasUnchecked(LOWEST_EPOCH)}`,
  fromRow: (row) => ({
    session: fromRow(row),
    isCurrent: row.isCurrent,
    hasUnchecked: row.hasUnchecked,
    hasChannels: row.hasChannels,
  }),
};
const OWN = { ...ANYBODYS, symbols: session.clientSymbols, extras: `${SERVICE_NAME}, ${NO_POLICIES}, ${CHECKED}` };

/** Sessions of all identities, with their policies; or those of one identity, which does not see policies. */
const sourceOf = (identityId: string | null): ListSource<ListedRow, Listed> =>
  identityId === null
    ? ANYBODYS
    : { ...OWN, readerExtras: { name: 'own', sql: (bind) => hasUnchecked(lowestEpochOf(bind(identityId))) } };

/** `$2` is the owner, or null for all owners. */
const OWNED = 'AND ($2::text IS NULL OR t.identity_id = $2)';
const detailWith = (name: string, policies: string) =>
  read<Row & { isGranted: boolean }>(
    name,
    detailSql({ ...ANYBODYS, extras: `${SERVICE_NAME}, ${policies}, ${IS_GRANTED} AS "isGranted"` }, OWNED),
  );
const DETAIL = detailWith('session-detail-any', POLICIES);
const OWN_DETAIL = detailWith('session-detail-own', NO_POLICIES);

const BY_TOKEN = read<Row & { isGranted: boolean }>(
  'session-by-token',
  `SELECT ${session.columns}, ${SERVICE_NAME}, ${NO_POLICIES},
  ${IS_GRANTED} AS "isGranted"
FROM sessions t JOIN services s ON s.id = t.service_id WHERE t.token = $1 AND t.api_session_id = $2`,
);

/** Sessions unchecked that a list checks beyond those of its page: with no more than these, totals are exact. */
const OTHERS = 100;
/** Checked in one transaction before a list without limit. */
const SLICE = 500;

const granted = rowsWhere('granted', () => IS_GRANTED);
const scopeOf = (identityId: string | null, isChecked: boolean) => {
  const own = referringTo('identity_id', identityId ?? undefined);
  return isChecked ? inAll(own, granted) : own;
};

/** What a session is made for. */
export interface SessionUse {
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
}

/** What must be known before a session is made, all read at one moment. */
export interface SessionBasis {
  readonly serviceName: string;
  readonly roleAttributes: readonly string[];
  /** Policies of both types that select the identity and the service, and the posture checks that each asks for. */
  readonly grants: readonly BasisGrant[];
  readonly grantsEpoch: number;
  /** Whether router policies allow some edge router to both the identity and the service. */
  readonly hasEdgeRouter: boolean;
  /** The session that the same use already has, granted or not. */
  readonly session: Session | null;
  readonly edgeRouters: Session['edgeRouters'];
}

export interface BasisGrant {
  readonly policyId: string;
  readonly policyName: string;
  readonly type: PolicyType;
  readonly checks: readonly AskedCheck[];
}

type BasisRow = Row &
  Omit<SessionBasis, 'session' | 'grants'> & {
    grants: readonly (Omit<BasisGrant, 'checks'> & { readonly asked: readonly AskedRow[] | null })[];
  };

/** `$1` service, `$2` identity, `$3` API session, `$4` type. */
const BASIS = slowRead<BasisRow>(
  'session-basis',
  `SELECT ts.name AS "serviceName", ti.role_attributes AS "roleAttributes",
  ${GRANTS_EPOCH} AS "grantsEpoch",
  (SELECT coalesce(json_agg(
      json_build_object('policyId', p.id, 'policyName', p.name, 'type', p.type, 'asked', ${ASKED_CHECKS})
      ORDER BY p.id), '[]')
    FROM service_policies p WHERE ${SELECTS_BOTH}) AS grants,
  EXISTS (SELECT FROM routers r WHERE r.is_edge AND ${ROUTER_SERVES_BOTH}) AS "hasEdgeRouter",
  ${HAS_CHANNELS} AS "hasChannels",
  ${session.columns}
FROM ${withSelectors('services', 'e.id = $1')} ts
CROSS JOIN ${withSelectors('identities', `e.id = $2 AND ${IS_ENABLED} AND is_fully_authenticated($3)`)} ti
LEFT JOIN sessions t ON t.api_session_id = $3 AND t.service_id = ts.id AND t.type = $4`,
);

/**
 * The identity is locked as it was when its grants were read, so that a change of it sees the session or is seen here.
 * An existing row is taken over: locked against the sweep, and returned in full.
 */
const creating = (name: string, device: string, from: string, until: string) =>
  changeAside<Row>(
    name,
    ({ actor }) => `WITH owner AS (SELECT e.id FROM identities e
  WHERE e.id = $3 AND e.role_attributes = $8::text[] AND ${IS_ENABLED} FOR SHARE)${device}
INSERT INTO sessions AS t
  (id, api_session_id, identity_id, service_id, type, token, tags, granted_epoch, granted_until)
SELECT $1, $2, owner.id, $4, $5, $6, coalesce($7::jsonb, '{}'), $9::bigint, ${until} FROM ${from}
ON CONFLICT (api_session_id, service_id, type)
  DO UPDATE SET granted_epoch = greatest(t.granted_epoch, excluded.granted_epoch),
    granted_until = excluded.granted_until
RETURNING ${session.columns}${actor}`,
  );
const CREATE = creating('session-create', '', 'owner', "'infinity'");
/** One that hangs on posture also locks the API session, whose posture must be the one that was looked at. */
const CREATE_UNDER_POSTURE = creating(
  'session-create-posture',
  `,
device AS (SELECT s.id FROM api_sessions s WHERE s.id = $2 AND s.posture_revision = $10 FOR SHARE)`,
  'owner CROSS JOIN device',
  '$11::timestamptz',
);

/** What a session hangs on that only policies with posture checks grant. */
export interface PostureHold {
  /** Of the posture at which they passed, and until when they do; null: no end. */
  readonly revision: number;
  readonly until: Date | null;
}

/** One that is unchecked and hangs on posture stays, to be checked first. */
const REMOVE = change<{ is_there: boolean; is_removed: boolean }>(
  'session-delete',
  ({ actor }) => `WITH found AS (SELECT t.id, ${IS_GRANTED} AS is_granted FROM sessions t WHERE t.id = $1 ${OWNED}),
removed AS (DELETE FROM sessions t USING found f WHERE t.id = f.id AND f.is_granted RETURNING t.id${actor})
SELECT EXISTS (SELECT FROM found) AS is_there, EXISTS (SELECT FROM removed) AS is_removed`,
);

const NEXT_END = read<{ ms: number | null }>(
  'session-next-end',
  `SELECT (extract(epoch FROM min(granted_until) - statement_timestamp()) * 1000)::float8 AS ms
FROM sessions WHERE granted_until < 'infinity'`,
);

export interface SessionDraft extends SessionUse {
  readonly id: string;
  readonly token: string;
  readonly tags: Tags;
}

export interface SessionStore {
  /** @param identityId  its owner; null for any owner. @throws DomainError `notFound` */
  get(id: string, identityId: string | null): Promise<Session>;
  /** The session of this API session with this token, while it is granted. */
  findByToken(token: string, apiSessionId: string): Promise<Session | undefined>;
  /** Every session of the page is granted. The total may count ones unchecked for as long as the sweep takes. */
  list(request: ListRequest, identityId: string | null): Promise<Page<Session>>;
  /** undefined when there is no such service, or no such identity that may act with this API session. */
  findBasis(use: Omit<SessionUse, 'type'> & { type: string }): Promise<SessionBasis | undefined>;
  /**
   * The session of this use: an earlier one when it has one already; undefined when the identity is no longer as
   * `basis` says, its API session is no longer fully authenticated, or its posture not as `hold` says.
   */
  create(draft: SessionDraft, basis: SessionBasis, hold?: PostureHold): Promise<Session | undefined>;
  remove(id: string, identityId: string | null): Promise<void>;
  /** Deletes a session that was seen without a grant, even if a grant has come back since. */
  end(id: string): Promise<void>;
  /** Asks the policies about up to `max` sessions unchecked. */
  sweep(max: number): Promise<{ seen: number; removed: number }>;
  /** Milliseconds until the time of some session is over; null: that of none ever is. */
  nextEnd(): Promise<number | null>;
}

const END = change('session-end', ({ returningActor }) => `DELETE FROM sessions WHERE id = $1${returningActor}`);

export function sessionStore(db: Db, lists: Lists): SessionStore {
  const end = async (id: string) => {
    await db.execute(END, [id]);
  };
  const useOf = ({ identityId, service }: Session) => ({ identityId, serviceId: service.id });
  const shown = async (row: Row): Promise<Session> => {
    const session = fromRow(row);
    if (!row.hasChannels) return session;
    return { ...session, edgeRouters: (await routersFor(db, [useOf(session)]))(useOf(session)) };
  };
  const withRouters = async (listed: readonly Listed[]): Promise<Session[]> => {
    const sessions = listed.map(({ session }) => session);
    if (listed[0]?.hasChannels !== true) return sessions;
    const routers = await routersFor(db, sessions.map(useOf));
    return sessions.map((session) => ({ ...session, edgeRouters: routers(useOf(session)) }));
  };
  const sessionsOf = async ({ items, rest, ...page }: Page<Listed>): Promise<Page<Session>> => ({
    ...page,
    items: await withRouters(items),
    ...(rest === undefined ? {} : { rest: each(rest, withRouters) }),
  });
  return {
    async get(id, identityId) {
      const statement = identityId === null ? DETAIL : OWN_DETAIL;
      return untilChecked(db, async () => {
        const row = await db.one(statement, [id, identityId]);
        if (row === undefined) throw notFound(session.name, id);
        return row.isGranted ? { found: await shown(row) } : { uncheckedId: id };
      });
    },
    findByToken: (token, apiSessionId) =>
      untilChecked(db, async () => {
        const row = await db.one(BY_TOKEN, [token, apiSessionId]);
        if (row === undefined) return { found: undefined };
        return row.isGranted ? { found: await shown(row) } : { uncheckedId: row.id };
      }),
    async list(request, identityId) {
      const source = sourceOf(identityId);
      const page = (isChecked: boolean) => lists.page(db, source, request, scopeOf(identityId, isChecked));
      // For a list without limit, and after too many rounds, the grants are asked for in the list itself.
      const rounds = lists.isUnlimited(source, request) ? 0 : ROUNDS;
      for (let round = 0; round < rounds; round += 1) {
        const found = await page(false);
        const unchecked = found.items.filter(({ isCurrent }) => !isCurrent);
        const isExact = round > 0 || found.items[0]?.hasUnchecked !== true;
        if (unchecked.length === 0 && isExact) return sessionsOf(found);
        await checkGrants(db, { ids: unchecked.map(({ session }) => session.id), others: OTHERS, identityId });
      }
      while ((await checkGrants(db, { ids: [], others: SLICE, identityId })).seen === SLICE);
      return sessionsOf(await page(true));
    },
    async findBasis({ apiSessionId, identityId, serviceId, type }) {
      const row = await db.one(BASIS, [serviceId, identityId, apiSessionId, type]);
      if (row === undefined) return undefined;
      const { serviceName, roleAttributes, grantsEpoch, hasEdgeRouter } = row;
      const grants = row.grants.map(({ asked, ...grant }) => ({ ...grant, checks: toAskedChecks(asked) }));
      const session = (row.id as string | null) === null ? null : fromRow({ ...row, serviceName, policies: null });
      const use = { identityId, serviceId };
      const edgeRouters = row.hasChannels && hasEdgeRouter ? (await routersFor(db, [use]))(use) : [];
      return {
        serviceName,
        roleAttributes,
        grants,
        grantsEpoch,
        hasEdgeRouter,
        session: session && { ...session, edgeRouters },
        edgeRouters,
      };
    },
    async create(draft, { serviceName, roleAttributes, grantsEpoch, edgeRouters }, hold) {
      const values = [
        draft.id,
        draft.apiSessionId,
        draft.identityId,
        draft.serviceId,
        draft.type,
        draft.token,
        jsonText(draft.tags),
        roleAttributes,
        grantsEpoch,
      ];
      const row =
        hold === undefined
          ? await db.one(CREATE, values)
          : await db.one(CREATE_UNDER_POSTURE, [...values, hold.revision, untilText(hold.until)]);
      return row && { ...fromRow({ ...row, serviceName, policies: null }), edgeRouters };
    },
    remove: (id, identityId) =>
      untilChecked(db, async () => {
        const row = await db.one(REMOVE, [id, identityId]);
        if (row?.is_there !== true) throw notFound(session.name, id);
        return row.is_removed ? { found: undefined } : { uncheckedId: id };
      }),
    end,
    sweep: async (max) => checkGrants(db, { ids: [], others: max, identityId: null }),
    async nextEnd() {
      const rows = await db.many(NEXT_END);
      return rows[0]?.ms ?? null;
    },
  };
}

/** One batch after another, each when it is asked for. */
async function* each<A, B>(batches: AsyncIterable<A>, act: (batch: A) => Promise<B>): AsyncIterable<B> {
  for await (const batch of batches) yield await act(batch);
}
