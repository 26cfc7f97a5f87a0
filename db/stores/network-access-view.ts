/**
 * Facts of the access of a whole network, a statement for each kind. Nothing is read by pair of an identity and a
 * service, and identities that are alike come as one row with their number.
 */
import type { IdentityFacts, NetworkFacts, PolicyFacts } from '../../domain/network-access/facts.js';
import type { NamedRef, PolicyType } from '../../domain/model.js';
import { namedIds } from '../../domain/policy/roles.js';
import { NOTHING_KNOWN, readPostureReport } from '../../domain/posture/state.js';
import type { PostureState } from '../../domain/posture/state.js';
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';
import { isDisabledSql } from './disabled.js';
import { ASKED_CHECKS, toAskedChecks } from './postures.js';
import type { AskedRow } from './postures.js';
import { HOST_IS_ALIVE } from './router-channels.js';
import { CARRYING_LINKS, IS_JUDGED_ELSEWHERE, IS_USABLE, lastLoginOf } from './explain-view.js';

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

export interface SelectedWish {
  readonly policyIds: readonly string[];
  /** Roles that have to select it besides, each of them. */
  readonly roles: readonly string[];
  /** null: all. */
  readonly limit: number | null;
  readonly offset: number;
}

export interface NetworkAccessView {
  facts(type: PolicyType): Promise<NetworkFacts>;
  /** Identities in numbers, as far as they differ in what decides under these facts. */
  identities(facts: NetworkFacts, scope: IdentityScope): Promise<IdentityFacts[]>;
  /** Each identity that one of the policies selects, by name. */
  selected(wish: SelectedWish): Promise<{ readonly items: SelectedIdentity[]; readonly totalCount: number }>;
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

const OTHERS = slowRead<DecisiveRow>(
  'network-access-identities',
  `SELECT ${DECISIVE} FROM identities i WHERE ${IN_SCOPE} AND NOT ${IS_JUDGED}`,
);

interface DeviceRow {
  readonly isKnown: boolean;
  readonly mfa_passed_at: Date | null;
  readonly reported: unknown;
  readonly woken_at: Date | null;
  readonly unlocked_at: Date | null;
}

const DEVICE = `s.id IS NOT NULL AS "isKnown", s.mfa_passed_at, p.reported, p.woken_at, p.unlocked_at`;
const DEVICES = `LEFT JOIN LATERAL (SELECT s.* ${lastLoginOf('i.id')}) s ON NOT (${IS_JUDGED_ELSEWHERE})
  LEFT JOIN api_session_postures p ON p.api_session_id = s.id`;

const JUDGED = slowRead<DecisiveRow & DeviceRow>(
  'network-access-devices',
  `SELECT ${DECISIVE}, ${DEVICE} FROM identities i ${DEVICES} WHERE ${IN_SCOPE} AND ${IS_JUDGED}`,
);

interface SelectedRow extends DeviceRow, NamedRef {
  readonly roleAttributes: readonly string[];
  readonly isDisabled: boolean;
  readonly total: number;
}

/** `$1` ids of policies, `$2` to `$4` what may select an identity, `$5` attributes and `$6` an id that it must have. */
const SELECTED = slowRead<SelectedRow>(
  'network-access-selected',
  `WITH p AS MATERIALIZED (SELECT semantic, identity_roles FROM service_policies WHERE id = ANY ($1)),
  i AS MATERIALIZED (SELECT i.*, count(*) OVER ()::int AS total FROM identities i
    WHERE ($4 OR i.role_attributes && $2::text[] OR i.id = ANY ($3)) AND i.role_attributes @> $5::text[]
      AND ($6::text IS NULL OR i.id = $6)
      AND EXISTS (SELECT FROM p WHERE role_selects(p.semantic, p.identity_roles, i.id, i.role_attributes))
    ORDER BY i.name LIMIT $7 OFFSET $8)
SELECT i.id, i.name, i.role_attributes AS "roleAttributes", ${isDisabledSql('i')} AS "isDisabled", i.total, ${DEVICE}
FROM i ${DEVICES} ORDER BY i.name`,
);

const NAMES = slowRead<NamedRef>('network-access-names', 'SELECT id, name FROM identities WHERE id = ANY ($1)');

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
  const others = await db.many(OTHERS, values);
  const devices = asking.length === 0 ? [] : await db.many(JUDGED, values);
  const isDecisive = new Set(attributes);
  const decisiveIn = (roleAttributes: readonly string[]) => roleAttributes.filter((each) => isDecisive.has(each));
  const found = new Map<string, IdentityFacts>();
  for (const { id, isDisabled, ...row } of others) {
    const roleAttributes = decisiveIn(row.roleAttributes);
    const key = JSON.stringify([id, isDisabled, roleAttributes]);
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { roleAttributes, id, isDisabled, posture: null, count });
  }
  const judgedOnes = devices.map(({ roleAttributes, id, isDisabled, ...device }) => ({
    roleAttributes: decisiveIn(roleAttributes),
    id,
    isDisabled,
    posture: postureIn(device),
    count: 1,
  }));
  return [...found.values(), ...judgedOnes];
}

export function networkAccessView(db: Db): NetworkAccessView {
  return {
    async facts(type) {
      const row = await db.one(FACTS, [type]);
      if (row === undefined) throw new Error('a statement without a row');
      const links = type === 'Dial' ? await db.one(CARRYING_LINKS) : undefined;
      const policies = row.policies.map(({ asked, ...policy }) => ({ ...policy, checks: toAskedChecks(asked) }));
      return { ...row, type, policies, links: links?.links ?? [], ends: links?.ends ?? [] };
    },
    identities: (facts, scope) => groupedIdentities(db, facts, scope),
    async selected({ policyIds, roles, limit, offset }) {
      const rolesOf = await db.many(ROLES_OF_POLICIES, [policyIds]);
      const lists = rolesOf.map((row) => row.roles);
      const { attributes, ids } = relevantOf(lists);
      const wanted = relevantOf([roles]);
      if (wanted.ids.length > 1) return { items: [], totalCount: 0 };
      const rows = await db.many(SELECTED, [
        policyIds,
        attributes,
        ids,
        selectsAll(lists),
        wanted.attributes,
        wanted.ids[0] ?? null,
        limit,
        offset,
      ]);
      const items = rows.map(({ id, name, roleAttributes, isDisabled, ...device }) => ({
        id,
        name,
        facts: { id, roleAttributes, isDisabled, posture: postureIn(device), count: 1 },
      }));
      const isBeyond = rows.length === 0 && offset > 0;
      const totalCount = isBeyond
        ? (await this.selected({ policyIds, roles, limit: 1, offset: 0 })).totalCount
        : (rows[0]?.total ?? 0);
      return { items, totalCount };
    },
    async names(ids) {
      const rows = await db.many(NAMES, [ids]);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
  };
}

const ROLES_OF_POLICIES = slowRead<{ roles: readonly string[] }>(
  'network-access-policy-roles',
  'SELECT identity_roles AS roles FROM service_policies WHERE id = ANY ($1)',
);

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
