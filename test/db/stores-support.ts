/** What the suites of the stores share: the stores over a database, and the least of each entity in them. */
import type { ConfigTarget } from '../../domain/model.js';
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import type { ErrorKind } from '../../domain/errors.js';
import type { EnrollmentDraft } from '../../domain/credentials.js';
import type { IdentityDraft, ServiceDraft } from '../../domain/model.js';
import {
  caDraft,
  identityDraft,
  openApiSession,
  openStoresForTest,
  routerDraft,
  serviceDraft,
  servicePolicyDraft,
  signerDraft,
} from '../support/stores.js';
import type { ExternalJwtSignerDraft } from '../../db/stores/external-jwt-signers.js';
import type { TestStores } from '../support/stores.js';
import { unprepared } from '../../db/postgres/statement.js';

/** Stores for the suite in which this is called. */
export function useStores() {
  let fixture: TestStores;
  let database: TestStores['database'];
  let stores: TestStores['stores'];
  let serial = 0;
  const id = () => `id${(serial += 1)}`;

  before(async () => {
    fixture = await openStoresForTest({ poolSize: 8 });
    ({ database, stores } = fixture);
  });
  after(() => fixture.close());

  const identity = async (
    changes: Partial<IdentityDraft & { isDefaultAdmin: boolean }> = {},
    enrollments: readonly EnrollmentDraft[] = [],
  ) => {
    const made = id();
    await stores.identities.create(made, identityDraft(id(), changes), enrollments);
    return made;
  };
  const enrollment = (): EnrollmentDraft => ({
    id: id(),
    method: 'ott',
    caId: null,
    username: null,
    token: crypto.randomUUID(),
    jwt: '',
    expiresAt: new Date(Date.now() + 1000),
  });
  const updb = async (identityId: string, username = id()) =>
    stores.authenticators.createUpdb({ id: id(), identityId, username, passwordHash: 'x', tags: {} });
  const signer = async (changes: Partial<ExternalJwtSignerDraft> = {}) => {
    const made = id();
    await stores.externalJwtSigners.create(made, signerDraft(id(), changes));
    return made;
  };
  const certificateSource = (fingerprint: string) => ({
    jwksEndpoint: null,
    certificate: { certPem: 'x', fingerprint, commonName: '', notBefore: new Date(), notAfter: new Date() },
  });
  const type = async (name = id(), target: ConfigTarget = 'service') => {
    const made = id();
    await stores.configTypes.create(made, { name, schema: null, target, tags: {} });
    return made;
  };
  const config = async (configTypeId: string, name = id()) => {
    const made = id();
    await stores.configs.create(made, { name, configTypeId, data: {}, tags: {} });
    return made;
  };
  const service = async (changes: Partial<ServiceDraft> = {}) => {
    const made = id();
    await stores.services.create(made, serviceDraft(id(), changes));
    return made;
  };
  const policy = async (name = id()) => stores.servicePolicies.create(id(), servicePolicyDraft(name));
  const router = async (name: string, configs: readonly string[] = []) => {
    const { token, jwt, expiresAt } = enrollment();
    await stores.routers.create(id(), routerDraft(name, { configs }), { id: id(), token, jwt, expiresAt });
  };
  const ca = async (name: string, fingerprint: string) => stores.cas.create(id(), caDraft(name, fingerprint));
  const session = (identityId: string) => openApiSession(stores, identityId, id());

  const failure = async (work: () => Promise<unknown>): Promise<DomainError> => {
    try {
      await work();
    } catch (error) {
      expect(error).to.be.instanceOf(DomainError);
      return error as DomainError;
    }
    throw new Error('nothing was refused');
  };

  const terminator = (serviceId: string, routerId: string) =>
    database.execute(
      unprepared(
        'INSERT',
        "INSERT INTO terminators (id, service_id, router_id, binding, address) VALUES ($1, $2, $3, 'edge', 'a')",
      ),
      [id(), serviceId, routerId],
    );
  const dial = (apiSessionId: string, identityId: string, serviceId: string) =>
    database.execute(
      unprepared(
        'INSERT',
        `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
        VALUES ($1, $2, $3, $4, 'Dial', 'x')`,
      ),
      [id(), apiSessionId, identityId, serviceId],
    );
  const apiSessionOf = async (identityId: string) => {
    const made = id();
    await openApiSession(stores, identityId, made);
    return made;
  };

  return {
    opened: () => fixture,
    stores: () => stores,
    database: () => database,
    id,
    identity,
    enrollment,
    updb,
    signer,
    certificateSource,
    type,
    config,
    service,
    policy,
    router,
    ca,
    session,
    failure,
    terminator,
    dial,
    apiSessionOf,
  };
}

/** What `useStores` gives. */
export type StoreSuite = ReturnType<typeof useStores>;

/** Work that breaks a constraint, and what the stores say to it. */
export interface Violation {
  readonly constraint: string;
  readonly kind: ErrorKind;
  readonly tells: string;
  readonly work: () => Promise<unknown>;
}
