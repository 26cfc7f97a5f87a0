/**
 * Facts of the access of a whole network, a statement for each kind. Nothing is read by pair of an identity and a
 * service, and identities that are alike come as one row with their number.
 */
import { DeviceKeys } from '../../domain/network-access/device-keys.js';
import type { IdentityFacts, NetworkFacts, PolicyFacts } from '../../domain/network-access/facts.js';
import type { NamedRef, Page, PolicyType } from '../../domain/model.js';
import { namedIds } from '../../domain/policy/roles.js';
import { NOTHING_KNOWN, readPostureReport } from '../../domain/posture/state.js';
import type { PostureState } from '../../domain/posture/state.js';
import { Params } from '../filter/index.js';
import { isDatabase } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { list, slowRead } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';
import { asItIs } from '../query/entity.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { inAll, rowsWhere, selectedBy } from '../query/scopes.js';
import type { Scope } from '../query/scopes.js';
import { selectSql } from '../query/table.js';
import type { PageSource } from '../query/table.js';
import { isDisabledSql } from './disabled.js';
import { ASKED_CHECKS, toAskedChecks } from './postures.js';
import type { AskedRow } from './postures.js';
import { HOST_IS_ALIVE } from './router-channels.js';
import { CARRYING_LINKS, IS_JUDGED_ELSEWHERE, IS_USABLE, lastLoginOf, lastLoginsOf } from './explain-view.js';
import { identity } from './identities.js';
import { service } from './services.js';

/** Identities that are asked for; all of them without a member. */
export interface IdentityScope {
  readonly identityId?: string | null;
  /** A role attribute. */
  readonly attribute?: string | null;
}

/** An identity with what decides. */
export interface SelectedIdentity extends NamedRef {
  readonly facts: IdentityFacts;
}

/** Identities that one of the policies selects, and each of the roles besides. */
export interface SelectedWish {
  readonly policies: readonly Pick<PolicyFacts, 'semantic' | 'identityRoles'>[];
  readonly roles: readonly string[];
}

export interface NetworkAccessView {
  facts(type: PolicyType): Promise<NetworkFacts>;
  /** Identities in numbers, as far as they differ in what decides under these facts. */
  identities(facts: NetworkFacts, scope: IdentityScope): Promise<IdentityFacts[]>;
  selected(wish: SelectedWish, request: ListRequest): Promise<Page<SelectedIdentity>>;
  allSelected(wish: SelectedWish): Promise<SelectedIdentity[]>;
  /** Those of these identities that the request asks for. */
  identitiesOf(ids: readonly string[], request: ListRequest): Promise<Page<NamedRef>>;
  servicesOf(ids: readonly string[], request: ListRequest): Promise<Page<NamedRef>>;
  /** Names of those identities that are there. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

interface FactsRow extends Omit<NetworkFacts, 'type' | 'policies' | 'links' | 'ends'> {
  readonly policies: readonly (Omit<PolicyFacts, 'checks'> & { readonly asked: readonly AskedRow[] | null })[];
}

const routerPolicies = (table: string, column: string): string =>
  `(SELECT coalesce(json_agg(json_build_object('semantic', semantic, 'roles', ${column},
    'routerRoles', edge_router_roles)), '[]') FROM ${table})`;

const FACTS = slowRead<FactsRow>(
  'network-access-facts',
  `WITH hosts AS MATERIALIZED (SELECT DISTINCT c.router_id
    FROM router_channels c JOIN router_hosts h ON h.id = c.host_id WHERE ${HOST_IS_ALIVE}),
  ends AS MATERIALIZED (SELECT service_id, count(*)::int AS terminators,
      count(*) FILTER (WHERE instance_id = '')::int AS plain,
      array_agg(DISTINCT router_id) FILTER (WHERE instance_id = '' AND router_id IN (SELECT router_id FROM hosts)) AS at
    FROM terminators WHERE $1 = 'Dial' GROUP BY service_id)
SELECT date_trunc('milliseconds', statement_timestamp()) AS now,
  (SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'semantic', p.semantic,
      'identityRoles', p.identity_roles, 'serviceRoles', p.service_roles,
      'asked', ${ASKED_CHECKS}) ORDER BY p.name), '[]')
    FROM service_policies p WHERE p.type = $1) AS policies,
  ${routerPolicies('edge_router_policies', 'identity_roles')} AS "identityRouterPolicies",
  ${routerPolicies('service_edge_router_policies', 'service_roles')} AS "serviceRouterPolicies",
  (SELECT coalesce(json_agg(json_build_object('id', r.id, 'roleAttributes', r.role_attributes,
      'isOnline', NOT r.disabled AND ${IS_USABLE})), '[]') FROM routers r WHERE r.is_edge) AS routers,
  (SELECT coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'roleAttributes', s.role_attributes,
      'terminators', coalesce(e.terminators, 0), 'plainTerminators', coalesce(e.plain, 0),
      'hostRouterIds', coalesce(e.at, '{}')) ORDER BY s.name), '[]')
    FROM services s LEFT JOIN ends e ON e.service_id = s.id) AS services`,
);

/** Attributes and ids that policies name: the rest of an identity decides nothing. */
interface Relevant {
  readonly attributes: readonly string[];
  readonly ids: readonly string[];
}

/** `$1`: ids that are named. The attributes of an identity are told apart here: PostgreSQL takes ten times as long. */
const DECISIVE = `i.role_attributes AS "roleAttributes",
  CASE WHEN i.id IN (SELECT unnest($1::text[])) THEN i.id ELSE '' END AS id, ${isDisabledSql('i')} AS "isDisabled"`;

/** `$2` to `$4`: attributes and ids of those whose device counts, and whether all do. */
const IS_JUDGED = '($4 OR i.role_attributes && $2::text[] OR i.id IN (SELECT unnest($3::text[])))';

/** `$5` and `$6`. */
const IN_SCOPE = '($5::text IS NULL OR i.id = $5) AND ($6::text IS NULL OR i.role_attributes @> ARRAY[$6::text])';

type DecisiveRow = Omit<IdentityFacts, 'posture' | 'count'>;

/** Those that have all of it in common are counted: in most networks they are many. */
const OTHERS = slowRead<DecisiveRow & { readonly count: number }>(
  'network-access-identities',
  `SELECT ${DECISIVE}, count(*)::int AS count FROM identities i
  WHERE ${IN_SCOPE} AND NOT ${IS_JUDGED} GROUP BY 1, 2, 3`,
);

interface DeviceRow {
  readonly isKnown: boolean;
  readonly mfa_passed_at: Date | null;
  readonly reported: unknown;
  readonly woken_at: Date | null;
  readonly unlocked_at: Date | null;
}

const DEVICE = `s.id IS NOT NULL AS "isKnown", s.mfa_passed_at, p.reported, p.woken_at, p.unlocked_at`;
const devicesOf = (identityId: string) =>
  `LEFT JOIN LATERAL (SELECT s.* ${lastLoginOf(identityId)}) s ON NOT (${IS_JUDGED_ELSEWHERE})
  LEFT JOIN api_session_postures p ON p.api_session_id = s.id`;

const JUDGED = slowRead<DecisiveRow & DeviceRow>(
  'network-access-devices',
  `SELECT ${DECISIVE}, ${DEVICE} FROM identities i ${devicesOf('i.id')} WHERE ${IN_SCOPE} AND ${IS_JUDGED}`,
);

/**
 * The same of all identities: the logins are read once, not by identity. It has no condition that a plan for any values
 * takes for one of few rows: 15,000 identities, each compared with all logins, take ten seconds.
 */
const ALL_JUDGED = slowRead<DecisiveRow & DeviceRow>(
  'network-access-all-devices',
  `WITH i AS MATERIALIZED (SELECT * FROM (SELECT id, role_attributes, disabled_at, disabled_until FROM identities) i
    WHERE ${IS_JUDGED}),
  l AS (${lastLoginsOf('SELECT id FROM i')}),
  s AS (SELECT identity_id, CASE WHEN NOT (${IS_JUDGED_ELSEWHERE}) THEN s.id END AS id, mfa_passed_at FROM l s)
  SELECT ${DECISIVE}, ${DEVICE} FROM i LEFT JOIN s ON s.identity_id = i.id
  LEFT JOIN api_session_postures p ON p.api_session_id = s.id`,
);

interface SelectedRow extends DeviceRow, NamedRef {
  readonly roleAttributes: readonly string[];
  readonly isDisabled: boolean;
}

const selectedSource: PageSource<SelectedRow, SelectedIdentity> = {
  table: 'identities',
  symbols: identity.symbols,
  columns: ['id', 'name', 'role_attributes AS "roleAttributes"'],
  extras: `${isDisabledSql('t')} AS "isDisabled", ${DEVICE}`,
  joins: devicesOf('t.id'),
  fromRow: ({ id, name, roleAttributes, isDisabled, ...device }) => ({
    id,
    name,
    facts: { id, roleAttributes, isDisabled, posture: postureIn(device), count: 1 },
  }),
};

const named = { columns: ['id', 'name'], fromRow: asItIs<NamedRef> };
const identitySource: PageSource<NamedRef, NamedRef> = { ...named, table: 'identities', symbols: identity.symbols };
const serviceSource: PageSource<NamedRef, NamedRef> = { ...named, table: 'services', symbols: service.symbols };

const scopeOf = ({ policies, roles }: SelectedWish): Scope =>
  inAll(
    selectedBy(policies.map(({ semantic, identityRoles }) => ({ semantic, roles: identityRoles }))),
    ...roles.map((role) => selectedBy([{ semantic: 'AnyOf', roles: [role] }])),
  );

const amongIds = (ids: readonly string[]): Scope => rowsWhere('among', (bind) => `t.id = ANY (${bind(ids, 'text[]')})`);

const NAMES = slowRead<NamedRef>('network-access-names', 'SELECT id, name FROM identities WHERE id = ANY ($1)');

/** Rows of one batch take a few milliseconds to read and to count; others have their turn between two of them. */
const BATCH = 1_000;

async function* inBatches<R>(db: Db, statement: Statement<R>, values: readonly unknown[]): AsyncGenerator<R[]> {
  if (!isDatabase(db)) {
    yield await db.many(statement, values);
    return;
  }
  const { head, rest } = await db.listAll(statement, values, { batchSize: BATCH, isReadAtOnce: true, form: 'objects' });
  yield head;
  if (rest !== undefined) yield* rest;
}

async function groupedIdentities(
  db: Db,
  facts: NetworkFacts,
  { identityId = null, attribute = null }: IdentityScope,
): Promise<IdentityFacts[]> {
  const { attributes, ids } = relevantOf([
    ...facts.policies.map(({ identityRoles }) => identityRoles),
    ...facts.identityRouterPolicies.map(({ roles }) => roles),
  ]);
  const asking = facts.policies.filter(({ checks }) => checks.length > 0).map(({ identityRoles }) => identityRoles);
  const judged = relevantOf(asking);
  const values = [ids, judged.attributes, judged.ids, selectsAll(asking), identityId, attribute];
  const isDecisive = new Set(attributes);
  const keys = new DeviceKeys(facts.policies.flatMap(({ checks }) => checks));
  const found = new Map<string, Counted>();
  const add = ({ id, isDisabled, ...row }: DecisiveRow, count: number, device: DeviceRow | null) => {
    const roleAttributes = row.roleAttributes.filter((each) => isDecisive.has(each));
    const key = JSON.stringify([id, isDisabled, roleAttributes, ...(device === null ? [] : deviceKey(device, keys))]);
    const known = found.get(key);
    if (known === undefined) found.set(key, { roleAttributes, id, isDisabled, device, count });
    else known.count += count;
  };
  for await (const rows of inBatches(db, OTHERS, values)) for (const row of rows) add(row, row.count, null);
  if (asking.length > 0) {
    const isWhole = identityId === null && attribute === null;
    const devices = isWhole ? inBatches(db, ALL_JUDGED, values.slice(0, 4)) : inBatches(db, JUDGED, values);
    for await (const rows of devices) for (const row of rows) add(row, 1, row);
  }
  return [...found.values()].map(({ device, ...rest }) => ({
    ...rest,
    posture: device === null ? null : postureIn(device),
  }));
}

/** Identities that are alike, with the device of the first. */
interface Counted extends DecisiveRow {
  readonly device: DeviceRow | null;
  count: number;
}

/** Equal for devices that are judged alike. */
const deviceKey = ({ isKnown, reported, ...times }: DeviceRow, keys: DeviceKeys): readonly unknown[] =>
  isKnown ? [keys.of(reported), times.mfa_passed_at, times.woken_at, times.unlocked_at] : ['unknown'];

export function networkAccessView(db: Db, lists: Lists): NetworkAccessView {
  return {
    async facts(type) {
      const row = await db.one(FACTS, [type]);
      if (row === undefined) throw new Error('a statement without a row');
      const links = type === 'Dial' ? await db.one(CARRYING_LINKS) : undefined;
      const policies = row.policies.map(({ asked, ...policy }) => ({ ...policy, checks: toAskedChecks(asked) }));
      return { ...row, type, policies, links: links?.links ?? [], ends: links?.ends ?? [] };
    },
    identities: (facts, scope) => groupedIdentities(db, facts, scope),
    selected: (wish, request) => lists.page(db, selectedSource, request, scopeOf(wish)),
    async allSelected(wish) {
      const params = new Params();
      const { sql } = scopeOf(wish)(params.bind);
      const found = await db.many(
        list<SelectedRow>(null, selectSql(selectedSource, sql === '' ? '' : `WHERE ${sql}`)),
        params.values,
      );
      return found.map(selectedSource.fromRow);
    },
    identitiesOf: (ids, request) => lists.page(db, identitySource, request, amongIds(ids)),
    servicesOf: (ids, request) => lists.page(db, serviceSource, request, amongIds(ids)),
    async names(ids) {
      const rows = await db.many(NAMES, [ids]);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
  };
}

function relevantOf(lists: readonly (readonly string[])[]): Relevant {
  const roles = [...new Set(lists.flat())];
  return {
    attributes: roles.filter((role) => role.startsWith('#') && role !== '#all').map((role) => role.slice(1)),
    ids: namedIds(roles),
  };
}

const selectsAll = (lists: readonly (readonly string[])[]): boolean => lists.some((roles) => roles.includes('#all'));

/** State of a device; null: nothing is known of it here. */
const postureIn = (row: DeviceRow): PostureState | null =>
  row.isKnown
    ? {
        ...NOTHING_KNOWN,
        ...readPostureReport(row.reported),
        passedMfaAt: row.mfa_passed_at,
        wokenAt: row.woken_at,
        unlockedAt: row.unlocked_at,
      }
    : null;
