/** Says of a refused change what stands in its way: who has a value that is unique, and what uses an entity. */
import type { Db } from '../postgres/contracts.js';
import { read, slowRead } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

/** One that uses an entity; `total` counts all of them. */
interface User {
  readonly name: string;
  readonly total: number;
}

export interface ReferenceStore {
  /** Id of the row that has the value; undefined where that is nobody's to know, or no row has it any more. */
  holder(constraint: string, value: string): Promise<string | undefined>;
  /** The first ten, by name. @param field  that points at the entity */
  users(field: string, id: string): Promise<User[]>;
}

const HOLDERS: Readonly<Record<string, readonly [entity: string, table: string, column: string]>> = {
  auth_policies_name_key: ['authPolicy', 'auth_policies', 'name'],
  cas_fingerprint_key: ['ca', 'cas', 'fingerprint'],
  cas_name_key: ['ca', 'cas', 'name'],
  config_types_name_key: ['configType', 'config_types', 'name'],
  configs_name_key: ['config', 'configs', 'name'],
  edge_router_policies_name_key: ['edgeRouterPolicy', 'edge_router_policies', 'name'],
  external_jwt_signers_issuer_key: ['externalJwtSigner', 'external_jwt_signers', 'issuer'],
  external_jwt_signers_name_key: ['externalJwtSigner', 'external_jwt_signers', 'name'],
  identities_external_id_key: ['identity', 'identities', 'external_id'],
  identities_name_key: ['identity', 'identities', 'name'],
  posture_checks_name_key: ['postureCheck', 'posture_checks', 'name'],
  routers_name_key: ['router', 'routers', 'name'],
  service_edge_router_policies_name_key: ['serviceEdgeRouterPolicy', 'service_edge_router_policies', 'name'],
  // The name may be a service's of the fabric API, which no other API shows: then no row is found.
  service_names_pkey: ['service', 'services', 'name'],
  service_policies_name_key: ['servicePolicy', 'service_policies', 'name'],
  services_name_key: ['service', 'services', 'name'],
  webhooks_name_key: ['webhook', 'webhooks', 'name'],
};

/** The kind of entity that holds a value by this constraint; undefined for values of which nothing is told. */
export const holderKind = (constraint: string): string | undefined => HOLDERS[constraint]?.[0];

const HOLDER = new Map(
  Object.entries(HOLDERS).map(([constraint, [, table, column]]) => [
    constraint,
    read<{ id: string }>(`holder-${constraint}`, `SELECT id FROM ${table} WHERE ${column} = $1`),
  ]),
);

const usersOf = (name: string, from: string): Statement<User> =>
  slowRead<User>(
    `users-${name}`,
    `SELECT t.name, (count(*) OVER ())::integer AS total FROM ${from} ORDER BY t.name LIMIT 10`,
  );

const USERS: Readonly<Record<string, Statement<User>>> = {
  'type': usersOf('config-type', 'configs t WHERE t.config_type_id = $1'),
  'authPolicyId': usersOf('auth-policy', 'identities t WHERE t.auth_policy_id = $1'),
  'enrollAuthPolicyId': usersOf('enroll-auth-policy', 'external_jwt_signers t WHERE t.enroll_auth_policy_id = $1'),
  'primary.extJwt.allowedSigners': usersOf(
    'allowed-signer',
    'auth_policies t JOIN auth_policy_signers s ON s.auth_policy_id = t.id WHERE s.signer_id = $1',
  ),
  'secondary.requireExtJwtSigner': usersOf('required-signer', 'auth_policies t WHERE t.require_ext_jwt_signer_id = $1'),
};

export function referenceStore(db: Db): ReferenceStore {
  return {
    async holder(constraint, value) {
      const statement = HOLDER.get(constraint);
      return statement === undefined ? undefined : (await db.one(statement, [value]))?.id;
    },
    async users(field, id) {
      const statement = USERS[field];
      return statement === undefined ? [] : db.many(statement, [id]);
    },
  };
}
