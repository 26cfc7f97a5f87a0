/**
 * Routers: edge routers, through which services are reached, and transit routers, which only carry traffic. A router
 * with a tunneler owns an identity and a system policy, both with its own id; they come and go with the tunneler.
 */
import type { EnrollmentDraft } from '../../domain/credentials.js';
import type { LazyRow, Page, Tags } from '../../domain/model.js';
import type { Router, RouterDraft, RouterInterface } from '../../domain/router.js';
import { DomainError, notFound, raise } from '../../domain/errors.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { configIdsOf, lockConfigs, WITHOUT_CONFIGS, writeConfigs } from './config-lists.js';
import { config } from './configs.js';
import { inTransaction } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import type { RoleFilter, SymbolDef } from '../filter/index.js';
import { inAll, requested, rowsWhere, selectedBy } from '../query/scopes.js';
import type { RoleList, Selection } from '../query/scopes.js';
import { certifying } from './router-certificates.js';
import type { Certifying } from './router-certificates.js';
import { addTunneler, removeTunneler, renameTunneler, TAKEN, tunnelerRows } from './tunnelers.js';
import { isOnlineSql, PRESENCE } from './router-channels.js';
import { entity, only } from '../query/entity.js';
import { expression, flag, integer, json, linked, text, textArray } from '../query/fields.js';
import { insertAll } from '../query/table.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Terms, Values } from '../query/change-statements.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource } from '../query/table.js';
import { asyncChange, change, locking, read, shortChange } from '../postgres/statement.js';

const CONNECTED: SymbolDef = { kind: 'boolean', sql: isOnlineSql('t.id'), nullable: false, readsRows: true };

/** Rights of the identity of a router with a tunneler. */
const OWNER = `(SELECT json_build_object('isAdmin', o.is_admin OR o.is_default_admin, 'permissions', o.permissions)
  FROM identities o WHERE o.id = t.id)`;

/** The one enrollment that names router `t` in this column, as JSON, which has times as numbers. */
const enrollmentIn = (column: string, owner: string) => `(SELECT json_build_object('token', r.token, 'jwt', r.jwt,
    'expiresAt', floor(extract(epoch FROM r.expires_at) * 1000),
    'createdAt', floor(extract(epoch FROM r.created_at) * 1000), 'owner', ${owner})
  FROM enrollments r WHERE r.${column} = t.id)`;

export const router = entity<Router, { readonly serverNames: readonly string[] | null }>(
  'routers',
  {
    name: text().unique().forClients(),
    fingerprint: text().nullable(),
    cost: integer().forClients(),
    noTraversal: flag().forClients(),
    disabled: flag().forClients(),
    ctrlChanListeners: json<Router['ctrlChanListeners']>().filteredBy({
      kind: 'string',
      sql: 't.ctrl_chan_listeners::text COLLATE "C"',
      nullable: false,
    }),
    roleAttributes: textArray(),
    isTunnelerEnabled: flag(),
    isEdge: flag().unfiltered(),
    appData: json<Tags>(),
    certPem: text().nullable().unfiltered(),
    unverifiedFingerprint: text().nullable().unfiltered(),
    unverifiedCertPem: text().nullable().unfiltered(),
    version: text().nullable().unfiltered(),
    capabilitiesMask: expression<string | null>('t.capabilities_mask::text'),
    interfaces: json<readonly RouterInterface[]>(),
    namesLeftOut: textArray().unfiltered(),
    configs: expression<readonly string[]>(configIdsOf('routers')).filteredBy(
      linked(
        () => config.symbols,
        'config.read',
        `configs {alias} JOIN router_configs {alias}_link
      ON {alias}_link.config_id = {alias}.id AND {alias}_link.router_id = t.id`,
      ),
    ),
    presence: expression(PRESENCE),
    enrollment: expression(
      `CASE WHEN t.is_edge THEN ${enrollmentIn('edge_router_id', OWNER)}
    ELSE ${enrollmentIn('transit_router_id', 'NULL')} END`,
    ),
  },
  {
    name: 'router',
    collections: ['edge-routers', 'routers', 'transit-routers'],
    versionedBy: 'updatedAt',
    symbols: {
      isVerified: { kind: 'boolean', sql: '(t.fingerprint IS NOT NULL)', nullable: false },
      online: CONNECTED,
      connected: CONNECTED,
    },
    clientSymbols: ['online', 'connected'],
    hidden: { serverNames: textArray().nullable() },
  },
);

const EDGE_ONLY = ['roleAttributes', 'isTunnelerEnabled', 'isVerified', 'online', 'connected'];

/** Symbols in the list of all routers. */
export const anyRouterSymbols = only(
  router.symbols,
  Object.keys(router.symbols.symbols).filter((name) => !EDGE_ONLY.includes(name)),
);

/** Symbols of the edge routers of a service, which are listed without id, dates and tags. */
export const serviceEdgeRouterSymbols = only(router.clientSymbols, [
  'name',
  'cost',
  'noTraversal',
  'disabled',
  'online',
  'connected',
]);

/** Symbols in the list of all routers of the fabric API, whose answers show whether one is connected. */
const fabricRouterSymbols = { ...router.symbols, symbols: { ...anyRouterSymbols.symbols, connected: CONNECTED } };

const edgeSource: ListSource<Router, Router> = { ...router.source, fromRow };
const source: ListSource<Router, Router> = { ...edgeSource, symbols: anyRouterSymbols };
const fabricSource: ListSource<Router, Router> = { ...edgeSource, symbols: fabricRouterSymbols };
const ownSource: ListSource<Router, Router> = { ...edgeSource, symbols: router.clientSymbols };
const ofServiceSource: ListSource<Router, Router> = { ...edgeSource, symbols: serviceEdgeRouterSymbols };

const selectableEdge = router.partOf('selectable', ['roleAttributes'], 'AND t.is_edge');

const isEdge = rowsWhere('edge', () => 't.is_edge');
/** Leaves out routers without a certificate, which no client can reach. */
const isEnrolled = rowsWhere('enrolled', () => 't.fingerprint IS NOT NULL');

/** The row itself becomes the router: JSON has the times of what it may have as numbers. */
function fromRow(row: Router): Router {
  const { presence, enrollment } = row;
  if (presence !== null) Object.assign(presence, { connectedAt: new Date(presence.connectedAt) });
  if (enrollment !== null) {
    const { expiresAt, createdAt } = enrollment;
    Object.assign(enrollment, { expiresAt: new Date(expiresAt), createdAt: new Date(createdAt) });
  }
  return row;
}

export type RouterEnrollment = Pick<EnrollmentDraft, 'id' | 'token' | 'jwt' | 'expiresAt'>;

export interface RouterStore extends Certifying {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Router>;
  /** @throws DomainError `notFound`, also for a transit router */
  getEdge(id: string): Promise<Router>;
  /** All that policies need to know of an edge router. @throws DomainError `notFound`, also for a transit router */
  selectableEdge(id: string): Promise<Selectable>;
  /** All routers, edge routers among them. */
  list(request: ListRequest): Promise<Page<LazyRow<Router>>>;
  /** The same, filtered by what the fabric API shows. */
  listOfFabric(request: ListRequest): Promise<Page<Router>>;
  listEdge(request: ListRequest & RoleFilter & Selection & ForClient): Promise<Page<LazyRow<Router>>>;
  /** Edge routers that both an identity and a service may use, for a client. */
  listCommonEdge(
    request: ListRequest & RoleFilter,
    ofIdentity: readonly RoleList[],
    ofService: readonly RoleList[],
  ): Promise<Page<Router>>;
  /**
   * @throws DomainError `duplicate` (name, also of the identity that a tunneler needs), `notFound` (config),
   * `invalidField` (a config of a type that is not for routers, two of one type)
   */
  create(id: string, draft: RouterDraft, enrollment: RouterEnrollment): Promise<void>;
  /** @throws DomainError `notFound`, `routerNotUpdatable` when it is of the other kind than `isEdge` says, as create */
  update(id: string, isEdge: boolean, changes: Changes<RouterDraft>): Promise<void>;
  /**
   * Deletes the router with its enrollment, identity and system policy.
   * @throws DomainError `notFound`, `routerNotUpdatable`
   */
  remove(id: string, isEdge: boolean): Promise<void>;
  /** Forgets the certificate and any outstanding enrollment of an edge router. @throws DomainError `notFound` */
  reEnroll(id: string, enrollment: RouterEnrollment): Promise<void>;
  /** The router with this certificate, and its PEM: an equal fingerprint alone proves nothing. */
  findByFingerprint(fingerprint: string): Promise<{ id: string; certPem: string } | undefined>;
  /** Locks the router of an enrollment, as every change of it does first. False when it is gone. */
  lock(id: string): Promise<boolean>;
  /** Keeps what the router reports of its machine. */
  setInterfaces(id: string, interfaces: readonly RouterInterface[]): Promise<void>;
  isThere(id: string): Promise<boolean>;
  /** The name of the router that owns this identity; the router stays as it is until the transaction ends. */
  ownerOf(identityId: string): Promise<string | undefined>;
}

const LOCK = locking<Pick<Router, 'name' | 'isEdge' | 'isTunnelerEnabled'>>(
  'router-lock',
  `SELECT name, is_edge AS "isEdge", is_tunneler_enabled AS "isTunnelerEnabled" FROM routers WHERE id = $1 FOR UPDATE`,
);

const DELETE = change('router-delete', ({ returningActor }) => `DELETE FROM routers WHERE id = $1${returningActor}`);

const DELETE_PLAIN = shortChange(
  'router-delete-plain',
  { row: 0 },
  ({ returningActor }) =>
    `DELETE FROM routers WHERE id = $1 AND is_edge = $2 AND NOT is_tunneler_enabled${returningActor}`,
);

/** The same of an edge router with a tunneler whose identity is no administrator. */
const DELETE_WITH_TUNNELER = shortChange(
  'router-delete-with-tunneler',
  { row: 0 },
  ({ actor }) => `WITH one AS MATERIALIZED (SELECT id FROM routers
    WHERE id = $1 AND is_edge AND is_tunneler_enabled FOR UPDATE),
  t AS MATERIALIZED (SELECT i.id${actor} FROM identities i JOIN one ON one.id = i.id
    WHERE NOT i.is_admin AND NOT i.is_default_admin FOR UPDATE OF i),
  taken AS MATERIALIZED (SELECT t.id, ${TAKEN} FROM t)
  DELETE FROM routers r USING taken WHERE r.id = taken.id`,
);

/**
 * The function finds enrollments that were committed while the router was waited for. The actor is set before it, since
 * triggers run within.
 */
const RE_ENROLL = shortChange(
  'router-re-enroll',
  { row: 0 },
  ({ actor }) => `WITH one AS MATERIALIZED (
  SELECT r.id${actor} FROM routers r WHERE r.id = $1 AND r.is_edge FOR UPDATE),
cleared AS MATERIALIZED (SELECT one.id, clear_router_enrollments(one.id) FROM one),
enrollment AS (INSERT INTO enrollments (id, method, edge_router_id, token, jwt, expires_at)
  SELECT $2, 'erott', id, $3::uuid, $4, $5::timestamptz FROM cleared)
UPDATE routers t SET fingerprint = NULL, cert_pem = NULL, unverified_fingerprint = NULL, unverified_cert_pem = NULL,
  server_names = NULL, names_left_out = '{}', ${TOUCHED}
FROM cleared WHERE t.id = cleared.id`,
);

const BY_FINGERPRINT = read<{ id: string; certPem: string }>(
  'router-by-fingerprint',
  'SELECT id, cert_pem AS "certPem" FROM routers WHERE fingerprint = $1',
);

const INTERFACES = asyncChange(
  'router-interfaces',
  ({ returningActor }) => `UPDATE routers SET interfaces = $2 WHERE id = $1 AND interfaces <> $2${returningActor}`,
);

const IS_THERE = read<unknown>('router-is-there', 'SELECT FROM routers WHERE id = $1');

const OF_IDENTITY = locking<{ name: string; owns: boolean }>(
  'router-of-identity',
  'SELECT name, is_tunneler_enabled AS owns FROM routers WHERE id = $1 FOR SHARE',
);

/** Locks the router, and whether it has a tunneler, until this transaction ends. */
async function lock(db: Db, id: string, isEdge: boolean) {
  const row = await db.one(LOCK, [id]);
  if (row === undefined || (isEdge && !row.isEdge)) throw notFound(router.name, id);
  if (row.isEdge !== isEdge) throw new DomainError('routerNotUpdatable');
  return row;
}

const enrollmentOf = (id: string, isEdge: boolean, enrollment: RouterEnrollment): Values => ({
  id: enrollment.id,
  method: isEdge ? 'erott' : 'trott',
  [isEdge ? 'edge_router_id' : 'transit_router_id']: id,
  token: enrollment.token,
  jwt: enrollment.jwt,
  expires_at: enrollment.expiresAt,
});

/** A plain router has no tunneler: no identity and no policy depend on it. */
const plain = (isEdge: boolean, clears: Terms['clears']): Terms => ({
  name: clears === undefined ? 'plain' : 'plain-without-configs',
  only: 'is_edge = ? AND NOT is_tunneler_enabled',
  values: [isEdge],
  ...(clears !== undefined && { clears }),
});

/** Changes a router that is plain and stays so, in one statement. False, and nothing done, for all others. */
async function updatePlain(db: Db, id: string, isEdge: boolean, changes: Changes<RouterDraft>): Promise<boolean> {
  const { configs, isTunnelerEnabled = false, ...others } = changes;
  const isGiven = configs !== undefined || Object.values(others).some((value) => value !== undefined);
  if (isTunnelerEnabled || !isGiven || (configs !== undefined && configs.length > 0)) return false;
  const terms = plain(isEdge, configs && WITHOUT_CONFIGS.routers.clears);
  return router.updateWhere(db, id, { ...others, isEdge: undefined }, terms);
}

/** Inserts its enrollment too and, of one with a tunneler, the identity and the policy of that. */
const insertRouter = (db: Db, id: string, draft: RouterDraft, enrollment: RouterEnrollment): Promise<void> =>
  insertAll(
    db,
    ['routers', { id, ...router.valuesOf(draft) }],
    ['enrollments', enrollmentOf(id, draft.isEdge, enrollment)],
    ...(draft.isTunnelerEnabled ? tunnelerRows(id, draft.name) : []),
  );

async function createRouter(db: Db, id: string, draft: RouterDraft, enrollment: RouterEnrollment): Promise<void> {
  const configs = await lockConfigs(db, 'routers', draft.configs);
  await insertRouter(db, id, draft, enrollment);
  if (configs.length > 0) await writeConfigs(db, 'routers', id, configs);
}

async function updateRouter(db: Db, id: string, isEdge: boolean, changes: Changes<RouterDraft>): Promise<void> {
  const configs = changes.configs && (await lockConfigs(db, 'routers', changes.configs));
  const current = await lock(db, id, isEdge);
  await router.update(db, id, { ...changes, isEdge: undefined }, changes.configs !== undefined);
  if (configs !== undefined) await writeConfigs(db, 'routers', id, configs);
  const name = changes.name ?? current.name;
  const hasTunneler = changes.isTunnelerEnabled ?? current.isTunnelerEnabled;
  if (!current.isTunnelerEnabled && hasTunneler) await addTunneler(db, id, name);
  else if (current.isTunnelerEnabled && !hasTunneler) await removeTunneler(db, id, 'notUpdatable');
  else if (hasTunneler && name !== current.name) await renameTunneler(db, id, name);
}

async function removeRouter(db: Db, id: string, isEdge: boolean): Promise<void> {
  const current = await lock(db, id, isEdge);
  if (current.isTunnelerEnabled) await removeTunneler(db, id, 'notDeletable');
  await db.execute(DELETE, [id]);
}

export function routerStore(db: Db, lists: Lists): RouterStore {
  const get = async (id: string) => fromRow(await router.get(db, id));
  return {
    get,
    async getEdge(id) {
      const found = await get(id);
      return found.isEdge ? found : raise(notFound(router.name, id));
    },
    selectableEdge: (id) => selectableEdge(db, id),
    list: (request) => lists.unread(db, source, request),
    listOfFabric: (request) => lists.page(db, fabricSource, request),
    listEdge: (request) =>
      request.isForClient === true
        ? lists.unread(db, ownSource, request, inAll(isEdge, isEnrolled, requested(request)))
        : lists.unread(db, edgeSource, request, inAll(isEdge, requested(request))),
    listCommonEdge: (request, ofIdentity, ofService) =>
      lists.page(
        db,
        ofServiceSource,
        request,
        inAll(isEdge, selectedBy(ofIdentity), selectedBy(ofService), requested(request)),
      ),
    create: (id, draft, enrollment) =>
      draft.configs.length === 0
        ? insertRouter(db, id, draft, enrollment)
        : inTransaction(db, (tx) => createRouter(tx, id, draft, enrollment)),
    async update(id, isEdge, changes) {
      if (await updatePlain(db, id, isEdge, changes)) return;
      await inTransaction(db, (tx) => updateRouter(tx, id, isEdge, changes));
    },
    async remove(id, isEdge) {
      if ((await db.count(DELETE_PLAIN, [id, isEdge])) === 1) return;
      if (isEdge && (await db.count(DELETE_WITH_TUNNELER, [id])) === 1) {
        db.touched?.({ identity: id });
        return;
      }
      await inTransaction(db, (tx) => removeRouter(tx, id, isEdge));
    },
    async reEnroll(id, enrollment) {
      const values = [id, enrollment.id, enrollment.token, enrollment.jwt, enrollment.expiresAt];
      if ((await db.count(RE_ENROLL, values)) === 0) throw notFound(router.name, id);
    },
    findByFingerprint: (fingerprint) => db.one(BY_FINGERPRINT, [fingerprint]),
    lock: async (id) => (await db.count(LOCK, [id])) === 1,
    ...certifying(db),
    async setInterfaces(id, interfaces) {
      await db.execute(INTERFACES, [id, JSON.stringify(interfaces)]);
    },
    isThere: async (id) => (await db.count(IS_THERE, [id])) === 1,
    async ownerOf(identityId) {
      const row = await db.one(OF_IDENTITY, [identityId]);
      return row?.owns === true ? row.name : undefined;
    },
  };
}
