/** Enrollments: one-time paths to an authenticator. Taking one is deleting its row, so that it works only once. */
import type { Enrollment, EnrollmentDraft, EnrollmentMethod } from '../../domain/credentials.js';
import type { LazyRow, NamedRef, Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { expression, secretUuid, text, time } from '../query/fields.js';
import { findOne, selectSql } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import { mayEnroll } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { notAbove } from './rights.js';
import { inAll, ownedBy } from '../query/scopes.js';
import type { SymbolDef } from '../filter/index.js';
import { change, read } from '../postgres/statement.js';

interface Row extends Omit<Enrollment, 'edgeRouter' | 'transitRouter'> {
  readonly identityId: string | null;
  readonly edgeRouterId: string | null;
  readonly transitRouterId: string | null;
  readonly routerName: string | null;
  readonly caId: string | null;
}

export const enrollment = entity<Row>(
  'enrollments',
  {
    token: text().filteredBy(secretUuid('token')),
    identityId: text().nullable().filteredAs('identity'),
    edgeRouterId: text().nullable().filteredAs('edgeRouter'),
    transitRouterId: text().nullable().filteredAs('transitRouter'),
    caId: text().nullable(),
    method: text<EnrollmentMethod>(),
    expiresAt: time(),
    username: text().nullable().unfiltered(),
    jwt: text().unfiltered(),
    routerName: expression('r.name'),
    identity: expression(`CASE WHEN i.id IS NOT NULL
      THEN json_build_object('id', i.id, 'name', i.name, 'authPolicyId', i.auth_policy_id) END`),
    ca: expression(`CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'name', c.name,
      'isVerified', c.is_verified, 'isAutoCaEnrollmentEnabled', c.is_auto_ca_enrollment_enabled) END`),
  },
  {
    name: 'enrollment',
    collections: ['enrollments'],
    versionedBy: 'updatedAt',
    joins: `LEFT JOIN identities i ON i.id = t.identity_id
    LEFT JOIN routers r ON r.id = coalesce(t.edge_router_id, t.transit_router_id)
    LEFT JOIN cas c ON c.id = t.ca_id`,
  },
);

const source: ListSource<Row, Enrollment> = { ...enrollment.source, fromRow };

/** Lists enrollments; filters by token match only where `condition` lets the reader see tokens. */
function readableWhere(condition: string): typeof source {
  const sql = `CASE WHEN ${condition} THEN t.token END`;
  const token: SymbolDef = { ...secretUuid('token'), sql, nullable: true };
  const { symbols } = enrollment;
  return { ...source, symbols: { ...symbols, symbols: { ...symbols.symbols, token } } };
}

const READABLE = {
  all: source,
  ofIdentities: readableWhere('t.identity_id IS NOT NULL'),
  ofRouters: readableWhere('t.identity_id IS NULL'),
  none: readableWhere('false'),
};

function sourceFor(caller: Rights): ListSource<Row, Enrollment> {
  const isOfRouters = mayEnroll(caller, 'router');
  if (mayEnroll(caller, 'identity')) return isOfRouters ? READABLE.all : READABLE.ofIdentities;
  return isOfRouters ? READABLE.ofRouters : READABLE.none;
}

const BY_TOKEN = read<Row>('enrollment-by-token', selectSql(source, 'WHERE t.token = $1'));

function fromRow(row: Row): Enrollment {
  return {
    method: row.method,
    ca: row.ca,
    username: row.username,
    token: row.token,
    jwt: row.jwt,
    identity: row.identity,
    edgeRouter: refOf(row.edgeRouterId, row.routerName),
    transitRouter: refOf(row.transitRouterId, row.routerName),
    expiresAt: row.expiresAt,
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
  };
}

const refOf = (id: string | null, name: string | null): NamedRef | null =>
  id === null ? null : { id, name: name ?? '' };

export interface EnrollmentStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Enrollment>;
  findByToken(token: string): Promise<Enrollment | undefined>;
  /**
   * @param request.caller  who reads: enrollments of identities above it are left out, and those of routers whose own
   *   identity is; a filter finds only tokens that it may read
   * @param request.ofIdentity  only those of this identity
   */
  list(
    request: ListRequest & { readonly caller: Rights; readonly ofIdentity?: string },
  ): Promise<Page<LazyRow<Enrollment>>>;
  create(identityId: string, draft: EnrollmentDraft): Promise<void>;
  /** New token, JWT and end; the old token is worth nothing from then on. */
  refresh(id: string, next: { token: string; jwt: string; expiresAt: Date }): Promise<void>;
  remove(id: string): Promise<void>;
  /** Uses the enrollment up. False when another request was first or the token was replaced. */
  take(id: string, token: string): Promise<boolean>;
}

/**
 * Holds the identity before the enrollment, as a delete of the identity does: the two never wait for each other. The
 * enrollment of a router has no identity; whoever takes one holds the router.
 */
const TAKE = change(
  'enrollment-take',
  ({ returningActor }) => `WITH owner AS MATERIALIZED (SELECT i.id
    FROM identities i JOIN enrollments e ON e.identity_id = i.id WHERE e.id = $1 FOR KEY SHARE OF i)
  DELETE FROM enrollments WHERE id = $1 AND token = $2
    AND identity_id IS NOT DISTINCT FROM (SELECT id FROM owner)${returningActor}`,
);

export function enrollmentStore(db: Db, lists: Lists): EnrollmentStore {
  return {
    get: (id) => enrollment.get(db, id).then(fromRow),
    findByToken: (token) => findOne(db, BY_TOKEN, [token], fromRow),
    list: (request) =>
      lists.unread(
        db,
        sourceFor(request.caller),
        request,
        inAll(
          ownedBy('identity_id', request.ofIdentity),
          // A router's own identity has the id of the router.
          notAbove('coalesce(t.identity_id, t.edge_router_id)', request.caller),
        ),
      ),
    create: (identityId, { id, ...draft }) => enrollment.insert(db, id, { ...draft, identityId }),
    refresh: (id, { token, jwt, expiresAt }) => enrollment.update(db, id, { token, jwt, expiresAt }),
    remove: (id) => enrollment.remove(db, id),
    async take(id, token) {
      const rowCount = await db.count(TAKE, [id, token]);
      return rowCount === 1;
    },
  };
}
