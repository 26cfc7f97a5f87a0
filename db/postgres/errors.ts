/**
 * Says in the domain's words what PostgreSQL refused. Uniqueness, references and ranges are named constraints;
 * this table is the only place that knows their names.
 */
import { DatabaseError } from 'pg';
import { badReference, DomainError, invalidField, notFound } from '../../domain/errors.js';
import { DatabaseUnavailable, outageOf } from './outages.js';

type Translate = (detail: ViolationDetail) => DomainError;

interface ViolationDetail {
  /** The value that clashed or was not found, from the server's detail text; '' when it gave none. */
  readonly value: string;
  /** A delete was refused because rows still point here, not a write because nothing is there. */
  readonly isStillReferenced: boolean;
}

const mustBeUnique: Translate = ({ value }) =>
  new DomainError('duplicate', { field: { field: 'name', reason: 'name must be unique', value } });

const inIndex =
  (field: string, store: string): Translate =>
  ({ value }) =>
    new DomainError('duplicate', {
      field: { field, reason: `duplicate value '${value}' in unique index on ${store} store`, value },
    });

/**
 * The name is another identity's: it logs in with it, or waits for a first password. The clash names the identity last.
 */
const usernameHeld =
  (field: string, store: string): Translate =>
  (detail) =>
    inIndex(field, store)({ ...detail, value: detail.value.slice(0, detail.value.lastIndexOf(', ')) });

const CONSTRAINTS: Readonly<Record<string, Translate>> = {
  identities_name_key: inIndex('name', 'identities'),
  identities_external_id_key: inIndex('externalId', 'identities'),
  identities_default_admin: () =>
    new DomainError('notUpdatable', { causeMessage: 'the default administrator is never disabled or demoted' }),
  identities_auth_policy_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced ? inUse('authPolicyId', 'authPolicy', 'identity', []) : notFound('authPolicy', value),
  identities_type_fkey: ({ value }) => invalidField('type', 'unknown identity type', value),
  identity_hostings_service_fkey: ({ value }) => notFound('services', value),
  authenticators_username_key: inIndex('updbUsername', 'authenticators'),
  authenticators_username_fkey: usernameHeld('updbUsername', 'authenticators'),
  enrollments_username_fkey: usernameHeld('username', 'enrollments'),
  authenticators_fingerprint_key: inIndex('certFingerprint', 'authenticators'),
  authenticators_one_updb: () => new DomainError('authenticatorLimit'),
  authenticators_identity_fkey: ({ value }) => notFound('identity', value),
  authenticators_ca_fkey: ({ value }) => notFound('ca', value),
  enrollments_identity_fkey: ({ value }) => badReference('identity not found', 'identityId', value),
  enrollments_one_per_method: ({ value }) => {
    const method = value.split(', ').at(-1) ?? value;
    return new DomainError('enrollmentExists', {
      field: { field: 'method', reason: 'enrollment of same method exists', value: method },
    });
  },
  enrollments_ca_fkey: ({ value }) => badReference('ca not found', 'caId', value),
  cas_name_key: mustBeUnique,
  cas_fingerprint_key: () =>
    new DomainError('duplicate', { field: { field: 'certPem', reason: 'certificate already used as CA', value: '' } }),
  mfas_identity_fkey: () => new DomainError('unauthenticated'),
  api_sessions_ca_fkey: () => new DomainError('invalidAuth'),
  api_sessions_signer_fkey: () => new DomainError('invalidAuth'),
  auth_policies_name_key: mustBeUnique,
  auth_policies_required_signer_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced
      ? inUse('secondary.requireExtJwtSigner', 'externalJwtSigner', 'authPolicy', [])
      : missing('secondary.requiredExtJwtSigner', value), // as clients know it, with a d
  auth_policy_signers_signer_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced
      ? inUse('primary.extJwt.allowedSigners', 'externalJwtSigner', 'authPolicy', [])
      : missing('primary.extJwt.allowedSigners', value),
  auth_policy_signers_policy_fkey: ({ value }) => notFound('authPolicy', value),
  external_jwt_signers_name_key: mustBeUnique,
  external_jwt_signers_issuer_key: inIndex('issuer', 'externalJwtSigners'),
  external_jwt_signers_fingerprint_key: inIndex('fingerprint', 'externalJwtSigners'),
  external_jwt_signers_enroll_auth_policy_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced
      ? inUse('enrollAuthPolicyId', 'authPolicy', 'externalJwtSigner', [])
      : notFound('authPolicy', value),
  controller_settings_pkey: inIndex('controllerId', 'controllerSettings'),
  controller_settings_controller_fkey: ({ value }) => badReference('controller not found', 'controllerId', value),
  identity_traces_identity_fkey: ({ value }) => notFound('identity', value),
  config_types_name_key: mustBeUnique,
  configs_name_key: mustBeUnique,
  configs_type_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced ? inUse('type', 'configType', 'config', []) : invalidField('type', 'invalid config type', value),
  service_configs_config_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced ? inUse('configs', 'config', 'service', []) : notFound('config', value.split(', ')[0] ?? value),
  router_configs_config_fkey: ({ value, isStillReferenced }) =>
    isStillReferenced ? inUse('configs', 'config', 'router', []) : notFound('config', value.split(', ')[0] ?? value),
  services_name_key: mustBeUnique,
  service_names_pkey: mustBeUnique,
  fabric_terminators_service_fkey: ({ value }) => notFound('service', value),
  fabric_terminators_router_fkey: ({ value }) => notFound('router', value),
  service_policies_name_key: mustBeUnique,
  posture_checks_name_key: mustBeUnique,
  routers_name_key: mustBeUnique,
  routers_pkey: inIndex('id', 'routers'),
  edge_router_policies_name_key: mustBeUnique,
  service_edge_router_policies_name_key: mustBeUnique,
  api_session_postures_session_fkey: () => new DomainError('unauthenticated'),
  api_session_views_session_fkey: () => new DomainError('unauthenticated'),
  failed_service_requests_identity_fkey: () => new DomainError('unauthenticated'),
  sessions_api_session_fkey: () => new DomainError('unauthenticated'),
  sessions_identity_fkey: () => new DomainError('unauthenticated'),
  sessions_service_fkey: ({ value }) => notFound('service', value),
  identity_service_configs_identity_fkey: ({ value }) => notFound('identity', value),
  terminators_service_fkey: ({ value }) => notFound('service', value),
  webhooks_name_key: mustBeUnique,
  terminators_router_fkey: ({ value }) => notFound('router', value),
};

/** A reference in a request body to an entity that is not there, where the answer is 404 with the field. */
function missing(field: string, value: string): DomainError {
  return new DomainError('notFound', { field: { field, reason: 'not found', value } });
}

/** Rows still point here: 409 with the ids of the rows that hold it back. */
export function inUse(field: string, entity: string, by: string, ids: readonly string[]): DomainError {
  const value = `[${ids.join(' ')}]`;
  return new DomainError('inUse', {
    field: { field, reason: `entity type ${entity} referenced by ${by}: ${value}`, value },
    subject: { kind: 'used', by, field },
  });
}

/** `statement_timeout` ended it. */
const CANCELED = '57014';

/**
 * A value that no index can hold, about 2,700 bytes that do not compress. The spec bounds what bodies bring; a name
 * that is made from a certificate, or the ids that are the keys of a map, have no bound there.
 */
const TOO_LONG = '54000';
/** NUL in a text: bodies with one are refused before, so it was in a path. */
const NO_TEXT = '22021';

const INDEXED_FIELDS: readonly (readonly [RegExp, string])[] = [
  [/^terminators_service/, 'service'],
  [/^terminators_router/, 'router'],
  [/^identity_hostings/, 'serviceHostingCosts'],
  [/external_id/, 'externalId'],
  [/signers_issuer/, 'issuer'],
  [/username/, 'username'],
  [/role_attributes/, 'roleAttributes'],
  [/identity_roles/, 'identityRoles'],
  [/service_roles/, 'serviceRoles'],
  [/edge_router_roles/, 'edgeRouterRoles'],
  [/posture_check_roles/, 'postureCheckRoles'],
];

function tooLong(message: string): DomainError {
  const index = /index "(\w+)"/.exec(message)?.[1] ?? '';
  const field = INDEXED_FIELDS.find(([pattern]) => pattern.test(index))?.[1] ?? 'name';
  return invalidField(field, `${field} is too long`, '');
}

/** The domain's word for a failed statement; an error that is our own fault comes back unchanged. */
export function translate(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof DatabaseError) {
    if (error.code === TOO_LONG) return withCause(tooLong(error.message), error);
    const known = error.constraint === undefined ? undefined : CONSTRAINTS[error.constraint];
    if (known !== undefined) {
      const value = clashValue(error.detail);
      const refusal = known({ value, isStillReferenced: error.detail?.includes('still referenced') === true });
      if (refusal.kind === 'duplicate') refusal.subject = { kind: 'taken', constraint: error.constraint ?? '', value };
      return withCause(refusal, error);
    }
    if (error.code === NO_TEXT)
      return withCause(new DomainError('notFound', { causeMessage: 'no name or id has a NUL character' }), error);
    if (error.code === CANCELED) {
      const causeMessage = 'the database took too long; narrow the filter';
      return new DomainError('timeout', { causeMessage, cause: error, logReason: CANCELED });
    }
  }
  const outage = outageOf(error);
  return outage === undefined ? error : new DatabaseUnavailable(outage, error);
}

/** True for a failure of `translate` by which PostgreSQL settled a deadlock or a serialization: nothing was written. */
export function isConflict(error: unknown): boolean {
  return (
    error instanceof DomainError && error.cause instanceof DatabaseError && /^40(001|P01)$/.test(error.cause.code ?? '')
  );
}

function withCause(error: DomainError, cause: DatabaseError): DomainError {
  error.cause = cause;
  error.logReason = cause.constraint ?? cause.code;
  return error;
}

/** The value in `Key (name)=(value) already exists.`; a composite key gives `a, b`. */
function clashValue(detail: string | undefined): string {
  const start = detail?.indexOf(')=(') ?? -1;
  if (detail === undefined || start < 0) return '';
  const end = Math.max(
    detail.lastIndexOf(') already exists'),
    detail.lastIndexOf(') is not present'),
    detail.lastIndexOf(') is still'),
  );
  return end < 0 ? '' : detail.slice(start + 3, end);
}
