/**
 * Reads of access across tables: which policies select an entity, and when what an identity sees last changed. Nothing
 * here is copied per pair of identity and service.
 */
import { notFound } from '../../domain/errors.js';
import type { PolicyType } from '../../domain/model.js';
import { grantsOf, judge } from '../../domain/policy/access.js';
import type { AccessPolicy } from '../../domain/policy/access.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { laterThan } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { ASKED_CHECKS, postureOf, UNKNOWN_POSTURE, toAskedChecks } from './postures.js';
import type { AskedRow, KnownPosture } from './postures.js';
import { namesEntity } from '../query/scopes.js';
import type { RoleList } from '../query/scopes.js';
import { asyncChange, read } from '../postgres/statement.js';

const POLICIES = `SELECT p.id AS "policyId", p.type, p.semantic, p.identity_roles AS "identityRoles",
  p.service_roles AS "serviceRoles", ${ASKED_CHECKS} AS asked FROM service_policies p`;

type PolicyRow = Omit<AccessPolicy, 'isPassing' | 'checks'> & { readonly asked: readonly AskedRow[] | null };

export interface Granted {
  readonly grants: readonly AccessPolicy[];
  /** Facts about the device as they were known; null when no policy asks for them. */
  readonly posture: KnownPosture | null;
}

export interface AccessView {
  /** Grants of the service policies to an identity of whose device nothing is known. */
  grants(identity: Selectable): Promise<readonly AccessPolicy[]>;
  /** The same to its API session. */
  grantsIn(apiSessionId: string, identity: Selectable): Promise<Granted>;
  /** Role lists over identities of the policies that select a service; one type only when given. */
  identityRolesFor(service: Selectable, type?: PolicyType): Promise<RoleList[]>;
  /** Changes with everything that decides what an identity sees of services. */
  epoch(): Promise<AccessEpoch>;
  /**
   * Returns what was last noted of the identity's services, and what it has to be compared with.
   * @throws DomainError `notFound`
   */
  lastView(identityId: string, configTypes: readonly string[]): Promise<LastView>;
  /** Notes what the identity sees now; answers since when. The first note counts from `since`. */
  noteView(
    identityId: string,
    configTypes: readonly string[],
    view: { epoch: number; digest: Buffer; state: Buffer | null },
    since: Date,
  ): Promise<Date>;
  /** Returns the same as `noted` of one API session, whose posture decides what it sees. */
  ownView(apiSessionId: string): Promise<Omit<NotedView, 'epoch'> | undefined>;
  /** Does the same as `noteView`. @throws DomainError `unauthenticated` when the API session is gone */
  noteOwnView(
    session: { id: string; identityId: string; configTypes: readonly string[] },
    view: { epoch: number; revision: number; digest: Buffer; state: Buffer | null },
    since: Date,
  ): Promise<Date>;
  /** The epoch moved, and this view of it did not. */
  keepView(identityId: string, configTypes: readonly string[], epoch: number, state: Buffer): Promise<void>;
}

export interface AccessEpoch {
  readonly epoch: number;
  /** Changes, with the epoch, when a service, config or posture check changes. */
  readonly content: number;
}

export interface LastView extends AccessEpoch {
  /** Time at which the epoch began. */
  readonly movedAt: Date;
  /** Role attributes of the identity at this epoch, whatever copies of it say. */
  readonly roleAttributes: readonly string[];
  readonly noted: NotedView | null;
}

export interface NotedView {
  readonly epoch: number;
  readonly state: Buffer | null;
  readonly changedAt: Date;
}

interface ViewRow extends AccessEpoch {
  readonly moved_at: Date;
  readonly role_attributes: string[];
  readonly noted_epoch: number | null;
  readonly state: Buffer | null;
  readonly changed_at: Date | null;
}

const judged = (policies: readonly PolicyRow[], { state, now }: KnownPosture): AccessPolicy[] =>
  policies.map(({ asked, ...policy }) => ({ ...policy, ...judge(toAskedChecks(asked), state, now) }));

/**
 * Makes void what the identity saw, so that a later view of all its API sessions counts as a change, and what this one
 * saw before a change of that.
 */
const NOTE_OWN_VIEW = asyncChange<{ changed_at: Date }>(
  'note-own-view',
  ({ actor }) => `WITH blanked AS (
  UPDATE service_views SET digest = '', state = NULL, changed_at = ${laterThan('changed_at')}
  WHERE identity_id = $2 AND config_types = $3 AND digest <> '' RETURNING changed_at),
shared AS (SELECT max(changed_at) AS changed_at FROM (
  SELECT changed_at FROM blanked
  UNION ALL SELECT changed_at FROM service_views WHERE identity_id = $2 AND config_types = $3) s)
INSERT INTO api_session_views AS v (api_session_id, epoch, posture_revision, digest, state, changed_at)
VALUES ($1, $4, $5, $6, $7, greatest($8::timestamptz, (SELECT changed_at FROM shared)))
ON CONFLICT (api_session_id) DO UPDATE SET epoch = excluded.epoch, posture_revision = excluded.posture_revision,
  digest = excluded.digest, state = excluded.state,
  changed_at = CASE WHEN v.digest <> excluded.digest OR v.changed_at < (SELECT changed_at FROM shared)
    THEN greatest(${laterThan('v.changed_at')}, (SELECT changed_at FROM shared)) ELSE v.changed_at END
WHERE (v.epoch, v.posture_revision) <= (excluded.epoch, excluded.posture_revision)
RETURNING changed_at${actor}`,
);

/** Its selectors are hidden from the planner: for some identities it would plan each time, for 0.7 ms. */
const GRANTS = read<PolicyRow>(
  'grants',
  `${POLICIES} WHERE p.identity_roles && (SELECT selectors_of($1, $2::text[])) ORDER BY p.id`,
);

const IDENTITY_ROLES_FOR = read<RoleList>(
  'identity-roles-for',
  `SELECT p.semantic, p.identity_roles AS roles FROM service_policies p
  WHERE ${namesEntity('p', 'service_roles', '$1', '$2::text[]')}
    AND ($3::text IS NULL OR p.type = $3)`,
);

const ACCESS_EPOCH = read<AccessEpoch>('access-epoch', "SELECT epoch, content FROM model_epochs WHERE name = 'access'");

const LAST_VIEW = read<ViewRow>(
  'last-view',
  `SELECT e.epoch, e.content, e.moved_at, i.role_attributes,
    v.epoch AS noted_epoch, v.state, v.changed_at
  FROM model_epochs e CROSS JOIN identities i
  LEFT JOIN service_views v ON v.identity_id = i.id AND v.config_types = $2
  WHERE e.name = 'access' AND i.id = $1`,
);

const NOTE_VIEW = asyncChange<{ changed_at: Date }>(
  'note-view',
  ({ actor }) => `INSERT INTO service_views AS v
    (identity_id, config_types, epoch, digest, state, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (identity_id, config_types) DO UPDATE SET
    epoch = greatest(v.epoch, excluded.epoch),
    digest = CASE WHEN v.epoch <= excluded.epoch THEN excluded.digest ELSE v.digest END,
    state = CASE WHEN v.epoch <= excluded.epoch THEN excluded.state ELSE v.state END,
    changed_at = CASE WHEN v.epoch <= excluded.epoch AND v.digest <> excluded.digest
      THEN ${laterThan('v.changed_at')} ELSE v.changed_at END
  RETURNING changed_at${actor}`,
);

const OWN_VIEW = read<Omit<NotedView, 'epoch'>>(
  'own-view',
  'SELECT state, changed_at AS "changedAt" FROM api_session_views WHERE api_session_id = $1',
);

const KEEP_VIEW = asyncChange(
  'keep-view',
  ({ returningActor }) => `UPDATE service_views SET epoch = $3
  WHERE identity_id = $1 AND config_types = $2 AND epoch < $3 AND state = $4${returningActor}`,
);

export function accessView(db: Db): AccessView {
  const policiesOf = async (identity: Selectable): Promise<PolicyRow[]> => {
    const rows = await db.many(GRANTS, [identity.id, identity.roleAttributes]);
    return grantsOf(rows, identity);
  };
  return {
    grants: async (identity) => judged(await policiesOf(identity), UNKNOWN_POSTURE),
    async grantsIn(apiSessionId, identity) {
      const policies = await policiesOf(identity);
      const posture = policies.some(({ asked }) => asked !== null)
        ? ((await postureOf(db, apiSessionId)) ?? UNKNOWN_POSTURE)
        : null;
      return { grants: judged(policies, posture ?? UNKNOWN_POSTURE), posture };
    },
    async identityRolesFor(service, type) {
      const rows = await db.many(IDENTITY_ROLES_FOR, [service.id, service.roleAttributes, type ?? null]);
      return rows;
    },
    async epoch() {
      const row = await db.one(ACCESS_EPOCH);
      return row ?? { epoch: 0, content: 0 };
    },
    async lastView(identityId, configTypes) {
      const row = await db.one(LAST_VIEW, [identityId, configTypes]);
      if (row === undefined) throw notFound('identity', identityId);
      const {
        epoch,
        content,
        moved_at: movedAt,
        role_attributes: roleAttributes,
        noted_epoch: notedEpoch,
        state,
        changed_at: changedAt,
      } = row;
      const noted = notedEpoch === null || changedAt === null ? null : { epoch: notedEpoch, state, changedAt };
      return { epoch, content, movedAt, roleAttributes, noted };
    },
    async noteView(identityId, configTypes, { epoch, digest, state }, since) {
      const row = await db.one(NOTE_VIEW, [identityId, configTypes, epoch, digest, state, since]);
      return row?.changed_at ?? since;
    },
    async ownView(apiSessionId) {
      const row = await db.one(OWN_VIEW, [apiSessionId]);
      return row;
    },
    async noteOwnView({ id, identityId, configTypes }, { epoch, revision, digest, state }, since) {
      const values = [id, identityId, configTypes, epoch, revision, digest, state, since];
      const rows = await db.many(NOTE_OWN_VIEW, values);
      return rows[0]?.changed_at ?? (await this.ownView(id))?.changedAt ?? since;
    },
    async keepView(identityId, configTypes, epoch, state) {
      await db.execute(KEEP_VIEW, [identityId, configTypes, epoch, state]);
    },
  };
}
