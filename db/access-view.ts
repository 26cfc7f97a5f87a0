/**
 * Reads of access across tables: which policies select an entity, and when what an identity sees last changed. Nothing
 * here is copied per pair of identity and service.
 */
import { notFound } from '../domain/errors.js';
import type { PolicyType } from '../domain/model.js';
import { grantsOf } from '../domain/policy/access.js';
import type { AccessPolicy } from '../domain/policy/access.js';
import type { Selectable } from '../domain/policy/roles.js';
import { EXPENDABLE } from './db.js';
import type { Db } from './db.js';
import { laterThan } from './table.js';
import { namesEntity } from './scopes.js';
import type { RoleList } from './scopes.js';

/** `passes` of domain/policy/access.ts over a policy `p`. */
export const IS_PASSING = `(p.posture_check_roles = '{}' OR NOT EXISTS (SELECT FROM posture_checks c
    WHERE role_selects(p.semantic, p.posture_check_roles, c.id, c.role_attributes)))`;

const POLICIES = `SELECT p.id AS "policyId", p.type, p.semantic, p.identity_roles AS "identityRoles",
  p.service_roles AS "serviceRoles", ${IS_PASSING} AS "isPassing" FROM service_policies p`;

export interface AccessView {
  /** What the service policies grant to an identity. */
  grants(identity: Selectable): Promise<AccessPolicy[]>;
  /** The posture checks that these policies demand. */
  postureChecksOf(policyIds: readonly string[]): Promise<{ policyId: string; id: string; typeId: string }[]>;
  /** Role lists over identities of the policies that select a service; one type only when given. */
  identityRolesFor(service: Selectable, type?: PolicyType): Promise<RoleList[]>;
  /** Changes with everything that decides what an identity sees of services. */
  epoch(): Promise<AccessEpoch>;
  /**
   * What was last noted of the identity's services, and what it has to be compared with.
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
  /** The epoch moved, and this view of it did not. */
  keepView(identityId: string, configTypes: readonly string[], epoch: number, state: Buffer): Promise<void>;
}

export interface AccessEpoch {
  readonly epoch: number;
  /** Changes, with the epoch, when a service, config or posture check changes. */
  readonly content: number;
}

export interface LastView extends AccessEpoch {
  /** When the epoch began. */
  readonly movedAt: Date;
  /** Of the identity at this epoch, whatever copies of it say. */
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

export function accessView(db: Db): AccessView {
  return {
    async grants(identity) {
      const { rows } = await db.read<AccessPolicy>(
        'grants',
        `${POLICIES} WHERE p.identity_roles && selectors_of($1, $2::text[]) ORDER BY p.id`,
        [identity.id, identity.roleAttributes],
      );
      return grantsOf(rows, identity);
    },
    async postureChecksOf(policyIds) {
      const { rows } = await db.run<{ policyId: string; id: string; typeId: string }>(
        'posture-checks-of',
        `SELECT p.id AS "policyId", c.id, c.type_id AS "typeId"
        FROM service_policies p
        JOIN posture_checks c ON role_selects(p.semantic, p.posture_check_roles, c.id, c.role_attributes)
        WHERE p.id = ANY ($1) ORDER BY p.id, c.id`,
        [policyIds],
      );
      return rows;
    },
    async identityRolesFor(service, type) {
      const { rows } = await db.read<RoleList>(
        'identity-roles-for',
        `SELECT p.semantic, p.identity_roles AS roles FROM service_policies p
        WHERE ${namesEntity('p', 'service_roles', '$1', '$2::text[]')}
          AND ($3::text IS NULL OR p.type = $3)`,
        [service.id, service.roleAttributes, type ?? null],
      );
      return rows;
    },
    async epoch() {
      const {
        rows: [row],
      } = await db.read<AccessEpoch>('access-epoch', "SELECT epoch, content FROM model_epochs WHERE name = 'access'");
      return row ?? { epoch: 0, content: 0 };
    },
    async lastView(identityId, configTypes) {
      const {
        rows: [row],
      } = await db.read<ViewRow>(
        'last-view',
        `SELECT e.epoch, e.content, e.moved_at, i.role_attributes,
          v.epoch AS noted_epoch, v.state, v.changed_at
        FROM model_epochs e CROSS JOIN identities i 
        LEFT JOIN service_views v ON v.identity_id = i.id AND v.config_types = $2
        WHERE e.name = 'access' AND i.id = $1`,
        [identityId, configTypes],
      );
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
      const {
        rows: [row],
      } = await db.run<{ changed_at: Date }>(
        'note-view',
        `INSERT INTO service_views AS v
          (identity_id, config_types, epoch, digest, state, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (identity_id, config_types) DO UPDATE SET
          epoch = greatest(v.epoch, excluded.epoch),
          digest = CASE WHEN v.epoch <= excluded.epoch THEN excluded.digest ELSE v.digest END,
          state = CASE WHEN v.epoch <= excluded.epoch THEN excluded.state ELSE v.state END,
          changed_at = CASE WHEN v.epoch <= excluded.epoch AND v.digest <> excluded.digest
            THEN ${laterThan('v.changed_at')} ELSE v.changed_at END
        RETURNING changed_at, ${EXPENDABLE}`,
        [identityId, configTypes, epoch, digest, state, since],
      );
      return row?.changed_at ?? since;
    },
    async keepView(identityId, configTypes, epoch, state) {
      await db.run(
        'keep-view',
        `UPDATE service_views SET epoch = $3
        WHERE identity_id = $1 AND config_types = $2 AND epoch < $3 AND state = $4 RETURNING ${EXPENDABLE}`,
        [identityId, configTypes, epoch, state],
      );
    },
  };
}
