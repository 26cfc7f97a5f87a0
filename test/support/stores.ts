/** The stores over a database of the suite's own, as a controller opens them, and the least of what they keep. */
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { openStores } from '../../db/stores/stores.js';
import type { CaDraft } from '../../db/stores/cas.js';
import type { ExternalJwtSignerDraft } from '../../db/stores/external-jwt-signers.js';
import type { Stores } from '../../db/stores/stores.js';
import { defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import type { IdentityDraft, ServiceDraft, ServicePolicyDraft } from '../../domain/model.js';
import { newIdentity } from '../../domain/new-identity.js';
import type { RouterDraft } from '../../domain/router.js';
import { serviceFrom } from '../../handlers/access/service-views.js';
import { openTestDatabase } from './database.js';
import type { TestDatabase } from './database.js';

export const STORE_LIMITS = { defaultLimit: 10, maxLimit: 500 };

export interface TestStores {
  /** The database as tests look into it: a connection of its own. */
  readonly files: TestDatabase;
  readonly database: Database;
  readonly stores: Stores;
  close(): Promise<void>;
}

export interface TestStoreOptions {
  readonly poolSize?: number;
  readonly identityTypes?: readonly string[];
}

/** With the identity types and the default authentication policy, which any identity refers to. */
export async function openStoresForTest({
  poolSize = 4,
  identityTypes = ['User'],
}: TestStoreOptions = {}): Promise<TestStores> {
  const files = await openTestDatabase();
  const database = openDatabase({ connection: files.connection, poolSize, patienceMs: 5_000 });
  const stores = openStores(database, STORE_LIMITS);
  await stores.network.seedIdentityTypes(identityTypes);
  await stores.authPolicies.seed('default', 'Default', defaultAuthPolicySettings);
  return {
    files,
    database,
    stores,
    async close() {
      await database.close();
      await files.close();
    },
  };
}

/** A controller, `c1`, which hosts of channels of routers belong to. */
export const joinController = ({ controllers }: Pick<Stores, 'controllers'>): Promise<string> =>
  controllers.join({ id: 'c1', name: 'c1', ctrlAddress: null, certPem: '', fingerprint: 'f', apiAddresses: {} });

/** An API session of the identity, which gets its id as external id: as a certificate that names it opens one. */
export async function openApiSession(stores: Stores, identityId: string, id = identityId, caId: string | null = null) {
  await stores.identities.claimExternalId(identityId, identityId);
  return stores.apiSessions.open(
    {
      id,
      authenticatorId: 'internal',
      method: 'cert',
      tokenHash: Buffer.from(id),
      ipAddress: '',
      configTypes: [],
      api: 'client',
      certificateHash: null,
    },
    { by: 'claim', caId, externalId: identityId, isExpired: false },
    { envInfo: {}, sdkInfo: {} },
  );
}

export const identityDraft = (name: string, changes: Partial<IdentityDraft> = {}): IdentityDraft =>
  newIdentity({ name, typeId: 'User', ...changes });

export const serviceDraft = (name: string, changes: Partial<ServiceDraft> = {}): ServiceDraft => ({
  ...serviceFrom({ name }),
  ...changes,
});

export const routerDraft = (name: string, changes: Partial<RouterDraft> = {}): RouterDraft => ({
  name,
  isEdge: true,
  cost: 0,
  noTraversal: false,
  disabled: false,
  isTunnelerEnabled: false,
  roleAttributes: [],
  appData: {},
  ctrlChanListeners: {},
  configs: [],
  tags: {},
  ...changes,
});

export const servicePolicyDraft = (name: string, changes: Partial<ServicePolicyDraft> = {}): ServicePolicyDraft => ({
  name,
  type: 'Dial',
  semantic: 'AnyOf',
  identityRoles: [],
  serviceRoles: [],
  postureCheckRoles: [],
  tags: {},
  ...changes,
});

export const caDraft = (name: string, fingerprint: string): CaDraft => ({
  name,
  certPem: '',
  fingerprint,
  verificationToken: crypto.randomUUID(),
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: true,
  isOttCaEnrollmentEnabled: true,
  identityRoles: [],
  identityNameFormat: '',
  externalIdClaim: null,
  tags: {},
});

export const signerDraft = (name: string, changes: Partial<ExternalJwtSignerDraft> = {}): ExternalJwtSignerDraft => ({
  name,
  issuer: `https://${name}.example.com/`,
  audience: 'network',
  kid: null,
  keySource: { certificate: null, jwksEndpoint: 'https://keys.example.com/' },
  isEnabled: true,
  useExternalId: false,
  claimsProperty: '/sub',
  clientId: '',
  scopes: [],
  externalAuthUrl: null,
  targetToken: 'ACCESS',
  enrollToCertEnabled: false,
  enrollToTokenEnabled: false,
  enrollAuthPolicyId: 'default',
  enrollNameClaimsSelector: '/sub',
  enrollAttributeClaimsSelector: '',
  tags: {},
  ...changes,
});
