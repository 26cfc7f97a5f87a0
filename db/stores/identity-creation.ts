/** Makes identities: each statement writes them and their enrollments. */
import type { EnrollmentDraft } from '../../domain/credentials.js';
import type { IdentityDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { change, shortChange } from '../postgres/statement.js';
import { writeHostings } from './identity-hostings.js';

export type IdentityToMake = IdentityDraft & { readonly isDefaultAdmin?: boolean };

/** One of many that are made at a time: ordinary ones, without hostings. */
export interface NewIdentity {
  readonly id: string;
  readonly draft: Omit<IdentityDraft, 'hostings'>;
  readonly enrollments: readonly EnrollmentDraft[];
}

/** Creates many identities, without what they host. The total is counted once for the statement. */
const CREATE_MANY = change(
  'identity-create-many',
  ({ actor }) => `WITH made AS (
  INSERT INTO identities (id, name, type_id, is_admin, external_id, auth_policy_id, role_attributes, permissions,
    app_data, default_hosting_cost, default_hosting_precedence, tags)
  SELECT id, name, "typeId", "isAdmin", "externalId", "authPolicyId", "roleAttributes", permissions, "appData",
    "defaultHostingCost", "defaultHostingPrecedence", tags
  FROM jsonb_to_recordset($1::jsonb) AS i (id text, name text, "typeId" text, "isAdmin" boolean, "externalId" text,
    "authPolicyId" text, "roleAttributes" text[], permissions text[], "appData" jsonb, "defaultHostingCost" int,
    "defaultHostingPrecedence" text, tags jsonb) RETURNING id${actor})
INSERT INTO enrollments (id, method, identity_id, ca_id, username, token, jwt, expires_at)
SELECT e.id, e.method, made.id, e."caId", e.username, e.token, e.jwt, e."expiresAt"
FROM made JOIN jsonb_to_recordset($2::jsonb) AS e ("identityId" text, id text, method text, "caId" text, username text,
  token uuid, jwt text, "expiresAt" timestamptz) ON e."identityId" = made.id`,
);

const CREATE = shortChange(
  'identity-create',
  { row: null },
  ({ actor }) => `WITH made AS (
  INSERT INTO identities (id, name, type_id, is_admin, is_default_admin, external_id, auth_policy_id, role_attributes,
    permissions, app_data, default_hosting_cost, default_hosting_precedence, tags)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id${actor})
INSERT INTO enrollments (id, method, identity_id, ca_id, username, token, jwt, expires_at)
SELECT e.id, e.method, made.id, e.ca_id, e.username, e.token, e.jwt, e.expires_at
FROM made, jsonb_to_recordset($14::jsonb)
  AS e (id text, method text, ca_id text, username text, token uuid, jwt text, expires_at timestamptz)`,
);

export async function insertIdentity(
  db: Db,
  id: string,
  draft: IdentityToMake,
  enrollments: readonly EnrollmentDraft[],
): Promise<void> {
  await db.execute(CREATE, [
    id,
    draft.name,
    draft.typeId,
    draft.isAdmin,
    draft.isDefaultAdmin ?? false,
    draft.externalId,
    draft.authPolicyId,
    draft.roleAttributes,
    draft.permissions,
    JSON.stringify(draft.appData),
    draft.defaultHostingCost,
    draft.defaultHostingPrecedence,
    JSON.stringify(draft.tags),
    JSON.stringify(enrollments.map((e) => ({ ...e, ca_id: e.caId, expires_at: e.expiresAt }))),
  ]);
  if (draft.hostings.length > 0) await writeHostings(db, id, draft.hostings);
}

export async function insertIdentities(db: Db, items: readonly NewIdentity[]): Promise<void> {
  await db.execute(CREATE_MANY, [
    JSON.stringify(items.map(({ id, draft }) => ({ id, ...draft }))),
    JSON.stringify(items.flatMap(({ id, enrollments }) => enrollments.map((e) => ({ identityId: id, ...e })))),
  ]);
}
