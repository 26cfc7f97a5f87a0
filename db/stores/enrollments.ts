/** Enrollments: one-time paths to an authenticator. Taking one is deleting its row, so that it works only once. */
import type {
  CaRef,
  Enrollment,
  EnrollmentDraft,
  EnrollmentMethod,
  IdentityRef,
  NamedRef,
  Page,
} from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, findOne, getOne, insert, remove, selectSql, update } from '../query/table.js';
import type { BaseRow, Lists, ListRequest, ListSource } from '../query/table.js';
import { mayEnroll } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { notAbove } from './rights.js';
import { inAll, referringTo } from '../query/scopes.js';
import type { SymbolDef } from '../filter/index.js';
import { enrollmentSymbols } from './symbols.js';
import { change, read } from '../postgres/statement.js';

const ENROLLMENT = 'enrollment';

interface Row extends BaseRow {
  method: EnrollmentMethod;
  identity_id: string | null;
  identity: IdentityRef | null;
  edge_router_id: string | null;
  transit_router_id: string | null;
  router_name: string | null;
  ca_id: string | null;
  ca: CaRef | null;
  username: string | null;
  token: string;
  jwt: string;
  expires_at: Date;
}

const source: ListSource<Row, Enrollment> = {
  table: 'enrollments',
  symbols: enrollmentSymbols,
  extras: `r.name AS router_name, CASE WHEN i.id IS NOT NULL
    THEN json_build_object('id', i.id, 'name', i.name, 'authPolicyId', i.auth_policy_id) END AS identity,
    CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'name', c.name, 'isVerified', c.is_verified,
      'isAutoCaEnrollmentEnabled', c.is_auto_ca_enrollment_enabled) END AS ca`,
  columns: [
    ...BASE_COLUMNS,
    'method',
    'identity_id',
    'edge_router_id',
    'transit_router_id',
    'ca_id',
    'username',
    'token',
    'jwt',
    'expires_at',
  ],
  joins: `LEFT JOIN identities i ON i.id = t.identity_id
    LEFT JOIN routers r ON r.id = coalesce(t.edge_router_id, t.transit_router_id)
    LEFT JOIN cas c ON c.id = t.ca_id`,
  fromRow,
};

/** For readers who may read the tokens where `condition` holds: elsewhere a filter finds none. */
function readableWhere(condition: string): typeof source {
  const sql = `CASE WHEN ${condition} THEN t.token END`;
  const token = { ...enrollmentSymbols.symbols['token'], sql, nullable: true } as SymbolDef;
  return { ...source, symbols: { ...enrollmentSymbols, symbols: { ...enrollmentSymbols.symbols, token } } };
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

const DETAIL = read<Row>('enrollment-detail', detailSql(source));
const BY_TOKEN = read<Row>('enrollment-by-token', selectSql(source, 'WHERE t.token = $1'));

function fromRow(row: Row): Enrollment {
  return {
    method: row.method,
    ca: row.ca,
    username: row.username,
    token: row.token,
    jwt: row.jwt,
    identity: row.identity,
    edgeRouter: refOf(row.edge_router_id, row.router_name),
    transitRouter: refOf(row.transit_router_id, row.router_name),
    expiresAt: row.expires_at,
    ...baseOf(row),
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
  list(request: ListRequest & { readonly caller: Rights; readonly ofIdentity?: string }): Promise<Page<Enrollment>>;
  create(identityId: string, draft: EnrollmentDraft): Promise<void>;
  /** New token, JWT and end; the old token is worth nothing from then on. */
  refresh(id: string, next: { token: string; jwt: string; expiresAt: Date }): Promise<void>;
  remove(id: string): Promise<void>;
  /** Uses the enrollment up. False when another request was first or the token was replaced. */
  take(id: string, token: string): Promise<boolean>;
}

const TAKE = change(
  'enrollment-take',
  ({ returningActor }) => `DELETE FROM enrollments WHERE id = $1 AND token = $2${returningActor}`,
);

export function enrollmentStore(db: Db, lists: Lists): EnrollmentStore {
  return {
    get: (id) => getOne(db, ENROLLMENT, DETAIL, [id], fromRow),
    findByToken: (token) => findOne(db, BY_TOKEN, [token], fromRow),
    list: (request) =>
      lists.page(
        db,
        sourceFor(request.caller),
        request,
        inAll(
          referringTo('identity_id', request.ofIdentity),
          // A router's own identity has the id of the router.
          notAbove('coalesce(t.identity_id, t.edge_router_id)', request.caller),
        ),
      ),
    async create(identityId, draft) {
      await insert(db, 'enrollments', {
        id: draft.id,
        method: draft.method,
        identity_id: identityId,
        ca_id: draft.caId,
        username: draft.username,
        token: draft.token,
        jwt: draft.jwt,
        expires_at: draft.expiresAt,
      });
    },
    async refresh(id, next) {
      await update(db, 'enrollments', ENROLLMENT, id, { token: next.token, jwt: next.jwt, expires_at: next.expiresAt });
    },
    remove: (id) => remove(db, 'enrollments', ENROLLMENT, id),
    async take(id, token) {
      const rowCount = await db.count(TAKE, [id, token]);
      return rowCount === 1;
    },
  };
}
