/** Which tables have versions: what `If-Match` compares and every change moves. */

/** Where the version of an entity is, by its name in errors: the time of its last change. */
const VERSIONS = {
  // When it was made: nothing of it can be set, and its last change moves with the activity of its user.
  apiSession: { table: 'api_sessions', column: 'created_at' },
  authPolicy: { table: 'auth_policies', column: 'updated_at' },
  authenticator: { table: 'authenticators', column: 'updated_at' },
  ca: { table: 'cas', column: 'updated_at' },
  config: { table: 'configs', column: 'updated_at' },
  configType: { table: 'config_types', column: 'updated_at' },
  controllerSetting: { table: 'controller_settings', column: 'updated_at' },
  edgeRouterPolicy: { table: 'edge_router_policies', column: 'updated_at' },
  enrollment: { table: 'enrollments', column: 'updated_at' },
  externalJwtSigner: { table: 'external_jwt_signers', column: 'updated_at' },
  identity: { table: 'identities', column: 'updated_at' },
  postureCheck: { table: 'posture_checks', column: 'updated_at' },
  router: { table: 'routers', column: 'updated_at' },
  service: { table: 'services', column: 'updated_at' },
  serviceEdgeRouterPolicy: { table: 'service_edge_router_policies', column: 'updated_at' },
  servicePolicy: { table: 'service_policies', column: 'updated_at' },
  session: { table: 'sessions', column: 'updated_at' },
  terminator: { table: 'terminators', column: 'updated_at' },
  webhook: { table: 'webhooks', column: 'updated_at' },
} as const;

export type VersionedEntity = keyof typeof VERSIONS;

export const tableOf = (entity: VersionedEntity): string => VERSIONS[entity].table;

export const isConstant = (entity: VersionedEntity): boolean => VERSIONS[entity].column === 'created_at';

/** Those in which every change has to move `updated_at`. */
export const tablesOfVersions: readonly string[] = Object.values(VERSIONS)
  .filter(({ column }) => column === 'updated_at')
  .map(({ table }) => table);

interface VersionColumn {
  readonly table: string;
  readonly column: string;
}

/** What `make` makes of each entity's column, by entity. */
export const versionColumns = <T>(make: (column: VersionColumn) => T): Readonly<Record<VersionedEntity, T>> =>
  Object.fromEntries(Object.entries(VERSIONS).map(([entity, column]) => [entity, make(column)])) as Record<
    VersionedEntity,
    T
  >;
