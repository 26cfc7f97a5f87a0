/** Role attributes in use: read from the counts that triggers keep, never by a look at every entity. */
import type { Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { compileList, filterableFields, Params } from '../filter/index.js';
import type { Bind } from '../filter/index.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { wholeList } from '../query/whole-list.js';
import { roleAttributeSymbols } from './symbols.js';
import { list, read } from '../postgres/statement.js';

/** Kinds of entities with role attributes, by their tables. */
export type AttributedKind = 'identities' | 'services' | 'routers' | 'posture_checks';

/** @property usage  by the kind of what has the attribute or names it; ids are null unless they were asked for */
export interface AttributeUsage {
  readonly attribute: string;
  readonly usage: Readonly<Record<string, { readonly count: number; readonly ids: readonly string[] | null }>>;
}

export interface RoleAttributeStore {
  /** Distinct attributes of all entities of a kind, sorted by bytes; the whole set unless limited. */
  list(kind: AttributedKind, request: ListRequest): Promise<Page<string>>;
  /** Distinct attributes that entities of a kind have or that policies name for them, with where they are used. */
  usage(kind: AttributedKind, withIds: boolean, request: ListRequest): Promise<Page<AttributeUsage>>;
  /**
   * Moves when an attribute of that kind comes into use or goes out of it, and so with every list. It is not announced:
   * transactions that announce commit one after another, and this one is spread over slots so that writers do not wait.
   */
  epoch(kind: AttributedKind): Promise<number>;
}

const inUse = (kind: AttributedKind) => (bind: Bind) =>
  `SELECT DISTINCT c.attribute AS id FROM role_attribute_counts c WHERE c.kind = ${bind(kind)} AND c.uses > 0`;
/** Names of the kinds in answers, and the columns of policies whose selectors name them. */
const USES: Readonly<Record<AttributedKind, readonly [name: string, roles: Readonly<Record<string, string>>]>> = {
  identities: [
    'identities',
    {
      servicePolicies: 'identity_roles FROM service_policies',
      edgeRouterPolicies: 'identity_roles FROM edge_router_policies',
    },
  ],
  routers: [
    'edgeRouters',
    {
      edgeRouterPolicies: 'edge_router_roles FROM edge_router_policies',
      serviceEdgeRouterPolicies: 'edge_router_roles FROM service_edge_router_policies',
    },
  ],
  services: [
    'services',
    {
      servicePolicies: 'service_roles FROM service_policies',
      serviceEdgeRouterPolicies: 'service_roles FROM service_edge_router_policies',
    },
  ],
  posture_checks: ['postureChecks', { servicePolicies: 'posture_check_roles FROM service_policies' }],
};

/** Uses of each attribute. Without ids the counts that triggers keep are read, and no entity. */
const usageOf = (kind: AttributedKind, withIds: boolean) => (): string => {
  const [name, roles] = USES[kind];
  const own = withIds
    ? `SELECT '${name}' AS source, attribute, e.id AS used_by, 1 AS uses
       FROM ${kind} e CROSS JOIN LATERAL unnest(e.role_attributes) attribute`
    : `SELECT '${name}' AS source, attribute, '' AS used_by, uses FROM role_attribute_counts
       WHERE kind = '${kind}' AND uses > 0`;
  const named = Object.entries(roles).map(
    ([source, from]) => `SELECT '${source}', substr(role, 2), p.id, 1
      FROM (SELECT id, ${from}) p (id, roles) CROSS JOIN LATERAL unnest(p.roles) role
      WHERE role LIKE '#%' AND role <> '#all'`,
  );
  const members = [name, ...Object.keys(roles)].map((source) => {
    const ofSource = `FILTER (WHERE u.source = '${source}')`;
    const ids = withIds ? `coalesce(array_agg(u.used_by ORDER BY u.used_by) ${ofSource}, '{}')` : 'NULL';
    return `'${source}', json_build_object('count', coalesce(sum(u.uses) ${ofSource}, 0), 'ids', ${ids})`;
  });
  return `SELECT u.attribute COLLATE "C" AS id, json_build_object(${members.join(', ')}) AS usage
    FROM (${[own, ...named].join(' UNION ALL ')}) u GROUP BY u.attribute`;
};

const EPOCH = read<{ epoch: number }>(
  'role-attribute-epoch',
  'SELECT coalesce(sum(epoch), 0)::bigint AS epoch FROM role_attribute_epochs WHERE kind = $1',
);

/** How many attributes a kind had at an epoch. */
interface KnownTotal {
  /** Start of the server that said so: one that was promoted without the last changes counts the same epochs again. */
  readonly server: string;
  readonly epoch: number;
  readonly total: number;
}

/** The last one of each kind, for as long as a process has its lists. */
const knownTotals = new WeakMap<Lists, Map<AttributedKind, KnownTotal>>();

/**
 * A page of those of a kind in their usual order, by the index; `$4` to `$6` are what was known, so that they are
 * counted only where one has come or gone since.
 */
const PAGE = list<KnownTotal & { readonly items: readonly string[] }>(
  null,
  `WITH now AS MATERIALIZED (
    SELECT coalesce(sum(epoch), 0)::bigint AS epoch, pg_postmaster_start_time()::text AS server
    FROM role_attribute_epochs WHERE kind = $1)
  SELECT now.*, CASE WHEN (now.epoch, now.server) = ($4::bigint, $5::text) THEN $6::bigint ELSE (
      SELECT count(DISTINCT c.attribute) FROM role_attribute_counts c WHERE c.kind = $1 AND c.uses > 0) END AS total,
    ARRAY (SELECT c.attribute FROM role_attribute_counts c WHERE c.kind = $1 AND c.uses > 0
      GROUP BY c.attribute ORDER BY c.attribute LIMIT $2 OFFSET $3) AS items FROM now`,
);

async function plainPage(db: Db, lists: Lists, kind: AttributedKind, request: ListRequest): Promise<Page<string>> {
  const { limit, offset } = compileList(roleAttributeSymbols, request, new Params(), lists.limits);
  const known = knownTotals.get(lists) ?? new Map<AttributedKind, KnownTotal>();
  knownTotals.set(lists, known);
  const before = known.get(kind);
  const values = [kind, limit, offset, before?.epoch ?? null, before?.server ?? null, before?.total ?? null];
  const { items = [], ...counted } = (await db.one(PAGE, values)) ?? {};
  if ('total' in counted) known.set(kind, counted);
  const total = 'total' in counted ? counted.total : 0;
  return {
    items: [...items],
    totalCount: total,
    limit,
    offset,
    filterableFields: filterableFields(roleAttributeSymbols),
  };
}

/** A limit, and nothing else that decides what is listed. */
const isPlainPage = ({ filter, sort, limit = 0 }: ListRequest): boolean =>
  (filter ?? '') === '' && (sort ?? '').trim() === '' && limit > 0;

export function roleAttributeStore(db: Db, lists: Lists): RoleAttributeStore {
  return {
    list: (kind, request) =>
      isPlainPage(request)
        ? plainPage(db, lists, kind, request)
        : wholeList<{ id: string }, string>(
            db,
            lists,
            // Not prepared: most are of one kind, which a plan for any kind does not expect.
            { symbols: roleAttributeSymbols, name: null, sql: inUse(kind), fromRow: ({ id }) => id },
            request,
          ),
    usage: (kind, withIds, request) =>
      wholeList<{ id: string; usage: AttributeUsage['usage'] }, AttributeUsage>(
        db,
        lists,
        {
          symbols: roleAttributeSymbols,
          name: null,
          sql: usageOf(kind, withIds),
          fromRow: ({ id, usage }) => ({ attribute: id, usage }),
        },
        request,
      ),
    async epoch(kind) {
      const row = await db.one(EPOCH, [kind]);
      return row?.epoch ?? 0;
    },
  };
}
