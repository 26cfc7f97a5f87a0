/** The stores: each constraint has a word, and transactions are whole. Against PostgreSQL. */
import { expect } from 'chai';
import { defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import { DomainError } from '../../domain/errors.js';
import type { ErrorKind } from '../../domain/errors.js';
import type { EnrollmentDraft, IdentityDraft, ServiceDraft } from '../../domain/model.js';
import { identityDraft, openStoresForTest, serviceDraft, servicePolicyDraft, signerDraft } from '../support/stores.js';
import type { ExternalJwtSignerDraft } from '../../db/external-jwt-signers.js';
import type { TestStores } from '../support/stores.js';

/** Constraints that no request can break: what they guard is settled by the specs' limits or by our own code. */
const OUT_OF_REACH = new Set([
  'api_sessions_identity_fkey', // a session is opened for an identity that is held in the same statement
  'api_sessions_method',
  'auth_policy_signers_policy_fkey',
  'external_jwt_signers_one_key_source',
  'external_jwt_signers_target_token',
  'api_sessions_token_key',
  'authenticators_method',
  'authenticators_shape',
  'config_types_target',
  'controllers_name_key',
  'enrollments_method',
  'enrollments_token_key',
  'enrollments_username',
  'identities_disabled',
  'identities_hosting_cost',
  'identities_hosting_precedence',
  'mfas_identity_key',
  'identities_one_default_admin',
  'identity_hostings_cost',
  'identity_hostings_identity_fkey',
  'identity_hostings_precedence',
  'identity_types_name_key',
  'network_is_single',
  'pki_entities_purpose',
  'service_policies_semantic',
  'service_policies_type',
  'service_views_identity_fkey',
  'services_terminator_strategy',
  'configs_with_type_key',
  'service_configs_one_per_type',
  'service_configs_service_fkey',
  'router_configs_one_per_type',
  'router_configs_router_fkey',
  'routers_cost',
  'routers_fingerprint_key',
  'routers_tunneler',
  'edge_router_policies_semantic',
  'service_edge_router_policies_semantic',
  'enrollments_edge_router_fkey',
  'enrollments_transit_router_fkey',
  'enrollments_one_per_edge_router',
  'enrollments_one_per_transit_router',
  'terminators_cost',
  'terminators_dynamic_cost',
  'terminators_precedence',
  'sessions_type',
  'sessions_one_per_use',
  'posture_checks_type',
  'posture_check_types_name_key',
  'identity_service_configs_config_fkey',
  'identity_service_configs_service_fkey',
  'issued_certificates_kind',
  'api_session_certificates_fingerprint_key',
  'api_session_certificates_session_fkey',
]);

describe('stores', () => {
  let fixture: TestStores;
  let files: TestStores['files'];
  let database: TestStores['database'];
  let stores: TestStores['stores'];
  let serial = 0;
  const id = () => `id${(serial += 1)}`;

  before(async () => {
    fixture = await openStoresForTest({ poolSize: 8 });
    ({ files, database, stores } = fixture);
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
  const type = async (name = id()) => {
    const made = id();
    await stores.configTypes.create(made, { name, schema: null, target: null, tags: {} });
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
    await stores.routers.create(
      id(),
      {
        name,
        isEdge: true,
        cost: 0,
        noTraversal: false,
        disabled: false,
        isTunnelerEnabled: false,
        roleAttributes: [],
        appData: {},
        ctrlChanListeners: {},
        configs,
        tags: {},
      },
      { id: id(), token, jwt, expiresAt },
    );
  };
  const ca = async (name: string, fingerprint: string) =>
    stores.cas.create(id(), {
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
  const session = async (identityId: string) =>
    stores.apiSessions.open(
      {
        id: id(),
        identityId,
        authenticatorId: 'a',
        method: 'password',
        tokenHash: Buffer.from(id()),
        ipAddress: '',
        configTypes: [],
      },
      'claim',
      { envInfo: {}, sdkInfo: {} },
    );

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
    database.run(
      null,
      "INSERT INTO terminators (id, service_id, router_id, binding, address) VALUES ($1, $2, $3, 'edge', 'a')",
      [id(), serviceId, routerId],
    );
  const dial = (apiSessionId: string, identityId: string, serviceId: string) =>
    database.run(
      null,
      `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
        VALUES ($1, $2, $3, $4, 'Dial', 'x')`,
      [id(), apiSessionId, identityId, serviceId],
    );
  const apiSessionOf = async (identityId: string) => {
    const made = id();
    await stores.apiSessions.open(
      {
        id: made,
        identityId,
        authenticatorId: 'a',
        method: 'password',
        tokenHash: Buffer.from(made),
        ipAddress: '',
        configTypes: [],
      },
      'claim',
      { envInfo: {}, sdkInfo: {} },
    );
    return made;
  };

  interface Violation {
    readonly constraint: string;
    readonly kind: ErrorKind;
    readonly tells: string;
    readonly work: () => Promise<unknown>;
  }
  const violations: readonly Violation[] = [
    {
      constraint: 'identities_name_key',
      kind: 'duplicate',
      tells: "duplicate value 'twice' in unique index on identities store",
      work: async () => {
        await identity({ name: 'twice' });
        await identity({ name: 'twice' });
      },
    },
    {
      constraint: 'identities_default_admin',
      kind: 'notUpdatable',
      tells: 'the default administrator is never disabled or demoted',
      work: async () => {
        await identity({ isAdmin: true, isDefaultAdmin: true });
        await database.run(null, 'UPDATE identities SET is_admin = false WHERE is_default_admin', []);
      },
    },
    {
      constraint: 'identities_external_id_key',
      kind: 'duplicate',
      tells: "duplicate value 'e), (1' in unique index on identities store",
      work: async () => {
        await identity({ externalId: 'e), (1' });
        await identity({ externalId: 'e), (1' });
      },
    },
    {
      constraint: 'identities_auth_policy_fkey',
      kind: 'notFound',
      tells: 'authPolicy with id nope not found',
      work: () => identity({ authPolicyId: 'nope' }),
    },
    {
      constraint: 'identities_auth_policy_fkey',
      kind: 'inUse',
      tells: 'entity type authPolicy referenced by identity: []',
      work: async () => {
        await identity();
        await database.run(null, "DELETE FROM auth_policies WHERE id = 'default'");
      },
    },
    {
      constraint: 'identities_type_fkey',
      kind: 'invalidField',
      tells: 'unknown identity type',
      work: () => identity({ typeId: 'Router' }),
    },
    {
      constraint: 'identity_hostings_service_fkey',
      kind: 'notFound',
      tells: 'services with id nope not found',
      work: () => identity({ hostings: [{ serviceId: 'nope', cost: 1, precedence: null }] }),
    },
    {
      constraint: 'authenticators_username_key',
      kind: 'duplicate',
      tells: "duplicate value 'taken' in unique index on authenticators store",
      work: async () => {
        await updb(await identity(), 'taken');
        await updb(await identity(), 'taken');
      },
    },
    {
      constraint: 'authenticators_username_fkey',
      kind: 'duplicate',
      tells: "duplicate value 'wait, ing' in unique index on authenticators store",
      work: async () => {
        await identity({}, [{ ...enrollment(), method: 'updb', username: 'wait, ing' }]);
        await updb(await identity(), 'wait, ing');
      },
    },
    {
      constraint: 'enrollments_username_fkey',
      kind: 'duplicate',
      tells: "duplicate value 'logs in' in unique index on enrollments store",
      work: async () => {
        await updb(await identity(), 'logs in');
        await stores.enrollments.create(await identity(), { ...enrollment(), method: 'updb', username: 'logs in' });
      },
    },
    {
      constraint: 'authenticators_fingerprint_key',
      kind: 'duplicate',
      tells: "duplicate value 'f' in unique index on authenticators store",
      work: async () => {
        for (const identityId of [await identity(), await identity()]) {
          await stores.authenticators.createCert({
            id: id(),
            identityId,
            certPem: '',
            fingerprint: 'f',
            publicKeyPrint: '',
            isIssuedByNetwork: true,
            caId: null,
            tags: {},
          });
        }
      },
    },
    {
      constraint: 'authenticators_one_updb',
      kind: 'authenticatorLimit',
      tells: 'authenticatorLimit',
      work: async () => {
        const one = await identity();
        await updb(one);
        await updb(one);
      },
    },
    {
      constraint: 'authenticators_identity_fkey',
      kind: 'notFound',
      tells: 'identity with id nope not found',
      work: () => updb('nope'),
    },
    {
      constraint: 'authenticators_ca_fkey',
      kind: 'notFound',
      tells: 'ca with id nope not found',
      work: async () =>
        stores.authenticators.createCert({
          id: id(),
          identityId: await identity(),
          certPem: '',
          fingerprint: id(),
          publicKeyPrint: '',
          isIssuedByNetwork: false,
          caId: 'nope',
          tags: {},
        }),
    },
    {
      constraint: 'enrollments_identity_fkey',
      kind: 'badReference',
      tells: 'The field contains an invalid value: identity not found',
      work: () => stores.enrollments.create('nope', enrollment()),
    },
    {
      constraint: 'enrollments_one_per_method',
      kind: 'enrollmentExists',
      tells: 'enrollment of same method exists',
      work: async () => {
        const one = await identity({}, [enrollment()]);
        await stores.enrollments.create(one, enrollment());
      },
    },
    {
      constraint: 'enrollments_ca_fkey',
      kind: 'badReference',
      tells: 'The field contains an invalid value: ca not found',
      work: async () => stores.enrollments.create(await identity(), { ...enrollment(), method: 'ottca', caId: 'nope' }),
    },
    {
      constraint: 'cas_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        await ca('ca', id());
        await ca('ca', id());
      },
    },
    {
      constraint: 'cas_fingerprint_key',
      kind: 'duplicate',
      tells: 'certificate already used as CA',
      work: () =>
        database.run(
          null,
          `INSERT INTO cas (id, name, cert_pem, fingerprint, verification_token, is_auth_enabled,
            is_auto_ca_enrollment_enabled,
        is_ott_ca_enrollment_enabled, identity_name_format) SELECT i::text, i::text, '', 'same', gen_random_uuid(),
        true, true, true, '' FROM generate_series(1, 2) i`,
        ),
    },
    {
      constraint: 'posture_checks_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: () =>
        database.run(
          null,
          `INSERT INTO posture_checks (id, name, type_id, criteria)
            VALUES ('pc1', 'pc', 'MFA', '{}'), ('pc2', 'pc', 'MFA', '{}')`,
        ),
    },
    {
      constraint: 'terminators_service_fkey',
      kind: 'notFound',
      tells: 'service with id nope not found',
      work: async () => {
        await router('t1');
        await terminator('nope', 't1');
      },
    },
    {
      constraint: 'terminators_router_fkey',
      kind: 'notFound',
      tells: 'router with id nope not found',
      work: async () => terminator(await service(), 'nope'),
    },
    {
      constraint: 'sessions_api_session_fkey',
      kind: 'unauthenticated',
      tells: 'unauthenticated',
      work: async () => dial('nope', await identity(), await service()),
    },
    {
      constraint: 'sessions_identity_fkey',
      kind: 'unauthenticated',
      tells: 'unauthenticated',
      work: async () => dial(await apiSessionOf(await identity()), 'nope', await service()),
    },
    {
      constraint: 'sessions_service_fkey',
      kind: 'notFound',
      tells: 'service with id nope not found',
      work: async () => {
        const one = await identity();
        await dial(await apiSessionOf(one), one, 'nope');
      },
    },
    {
      constraint: 'identity_service_configs_identity_fkey',
      kind: 'notFound',
      tells: 'identity with id nope not found',
      work: async () => {
        const [typeId, serviceId] = [await type(), await service()];
        await database.run(null, 'INSERT INTO identity_service_configs VALUES ($1, $2, $3, $4)', [
          'nope',
          serviceId,
          await config(typeId),
          typeId,
        ]);
      },
    },
    {
      constraint: 'mfas_identity_fkey',
      kind: 'unauthenticated',
      tells: 'unauthenticated',
      work: () => stores.mfas.create({ id: id(), identityId: 'nope', sealedSecret: Buffer.alloc(1), sealedCodes: [] }),
    },
    {
      constraint: 'api_sessions_ca_fkey',
      kind: 'invalidAuth',
      tells: 'invalidAuth',
      work: async () =>
        stores.apiSessions.open(
          {
            id: id(),
            identityId: await identity(),
            authenticatorId: 'internal',
            method: 'cert',
            tokenHash: Buffer.from(id()),
            ipAddress: '',
            configTypes: [],
            caId: 'nope',
          },
          'claim',
          { envInfo: {}, sdkInfo: {} },
        ),
    },
    {
      constraint: 'auth_policies_required_signer_fkey',
      kind: 'notFound',
      tells: 'not found',
      work: () =>
        stores.authPolicies.create(id(), {
          name: id(),
          tags: {},
          ...defaultAuthPolicySettings,
          secondary: { requireTotp: false, requireExtJwtSigner: 'nope' },
        }),
    },
    {
      constraint: 'auth_policy_signers_signer_fkey',
      kind: 'notFound',
      tells: 'not found',
      work: () =>
        stores.authPolicies.create(id(), {
          name: id(),
          tags: {},
          ...defaultAuthPolicySettings,
          primary: { ...defaultAuthPolicySettings.primary, extJwt: { allowed: true, allowedSigners: ['nope'] } },
        }),
    },
    {
      constraint: 'auth_policy_signers_signer_fkey',
      kind: 'inUse',
      tells: 'entity type externalJwtSigner referenced by authPolicy: []',
      work: async () => {
        const allowed = await signer();
        await stores.authPolicies.create(id(), {
          name: id(),
          tags: {},
          ...defaultAuthPolicySettings,
          primary: { ...defaultAuthPolicySettings.primary, extJwt: { allowed: true, allowedSigners: [allowed] } },
        });
        await database.run(null, 'DELETE FROM external_jwt_signers WHERE id = $1', [allowed]);
      },
    },
    {
      constraint: 'auth_policies_required_signer_fkey',
      kind: 'inUse',
      tells: 'entity type externalJwtSigner referenced by authPolicy: []',
      work: async () => {
        const required = await signer();
        await stores.authPolicies.create(id(), {
          name: id(),
          tags: {},
          ...defaultAuthPolicySettings,
          secondary: { requireTotp: false, requireExtJwtSigner: required },
        });
        await database.run(null, 'DELETE FROM external_jwt_signers WHERE id = $1', [required]);
      },
    },
    {
      constraint: 'external_jwt_signers_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        await signer({ name: 'j' });
        await signer({ name: 'j' });
      },
    },
    {
      constraint: 'external_jwt_signers_issuer_key',
      kind: 'duplicate',
      tells: "duplicate value 'https://j' in unique index on externalJwtSigners store",
      work: async () => {
        await signer({ issuer: 'https://j' });
        await signer({ issuer: 'https://j' });
      },
    },
    {
      constraint: 'external_jwt_signers_fingerprint_key',
      kind: 'duplicate',
      tells: "duplicate value 'f' in unique index on externalJwtSigners store",
      work: async () => {
        await signer({ keySource: certificateSource('f') });
        await signer({ keySource: certificateSource('f') });
      },
    },
    {
      constraint: 'external_jwt_signers_enroll_auth_policy_fkey',
      kind: 'notFound',
      tells: 'authPolicy with id nope not found',
      work: () => signer({ enrollAuthPolicyId: 'nope' }),
    },
    {
      constraint: 'external_jwt_signers_enroll_auth_policy_fkey',
      kind: 'inUse',
      tells: 'entity type authPolicy referenced by externalJwtSigner: []',
      work: async () => {
        const policyId = id();
        await stores.authPolicies.create(policyId, { name: id(), tags: {}, ...defaultAuthPolicySettings });
        await signer({ enrollAuthPolicyId: policyId });
        await database.run(null, 'DELETE FROM auth_policies WHERE id = $1', [policyId]);
      },
    },
    {
      constraint: 'api_sessions_signer_fkey',
      kind: 'invalidAuth',
      tells: 'invalidAuth',
      work: async () =>
        stores.apiSessions.open(
          {
            id: id(),
            identityId: await identity(),
            authenticatorId: id(),
            method: 'ext-jwt',
            signerId: 'nope',
            tokenHash: Buffer.from(id()),
            ipAddress: '',
            configTypes: [],
          },
          'claim',
          { envInfo: {}, sdkInfo: {} },
        ),
    },
    {
      constraint: 'auth_policies_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: () => stores.authPolicies.create('other', { name: 'Default', tags: {}, ...defaultAuthPolicySettings }),
    },
    {
      constraint: 'config_types_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        await type('t');
        await type('t');
      },
    },
    {
      constraint: 'configs_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        const one = await type();
        await config(one, 'c');
        await config(one, 'c');
      },
    },
    { constraint: 'configs_type_fkey', kind: 'invalidField', tells: 'invalid config type', work: () => config('nope') },
    {
      constraint: 'configs_type_fkey',
      kind: 'inUse',
      tells: 'entity type configType referenced by config: []',
      work: async () => {
        const one = await type();
        await config(one);
        await database.run(null, 'DELETE FROM config_types WHERE id = $1', [one]);
      },
    },
    {
      constraint: 'service_configs_config_fkey',
      kind: 'notFound',
      tells: 'config with id nope not found',
      work: async () =>
        database.run(
          null,
          "INSERT INTO service_configs (service_id, config_id, config_type_id) VALUES ($1, 'nope', 'x')",
          [await service()],
        ),
    },
    {
      constraint: 'service_configs_config_fkey',
      kind: 'inUse',
      tells: 'entity type config referenced by service: []',
      work: async () => {
        const one = await config(await type());
        await service({ configs: [one] });
        await database.run(null, 'DELETE FROM configs WHERE id = $1', [one]);
      },
    },
    {
      constraint: 'router_configs_config_fkey',
      kind: 'notFound',
      tells: 'config with id nope not found',
      work: () =>
        database.run(
          null,
          `INSERT INTO router_configs (router_id, config_id, config_type_id) SELECT id, 'nope', 'nope' FROM routers
            LIMIT 1`,
          [],
        ),
    },
    {
      constraint: 'router_configs_config_fkey',
      kind: 'inUse',
      tells: 'entity type config referenced by router: []',
      work: async () => {
        const one = await config(await type());
        await router(id(), [one]);
        await database.run(null, 'DELETE FROM configs WHERE id = $1', [one]);
      },
    },
    {
      constraint: 'services_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        await service({ name: 's' });
        await service({ name: 's' });
      },
    },
    {
      constraint: 'routers_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        await router('r');
        await router('r');
      },
    },
    {
      constraint: 'edge_router_policies_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        for (const one of [id(), id()])
          await stores.edgeRouterPolicies.create(one, {
            name: 'e',
            semantic: 'AnyOf',
            edgeRouterRoles: [],
            identityRoles: [],
            tags: {},
          });
      },
    },
    {
      constraint: 'service_edge_router_policies_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        for (const one of [id(), id()])
          await stores.serviceEdgeRouterPolicies.create(one, {
            name: 'e',
            semantic: 'AnyOf',
            edgeRouterRoles: [],
            serviceRoles: [],
            tags: {},
          });
      },
    },
    {
      constraint: 'service_policies_name_key',
      kind: 'duplicate',
      tells: 'name must be unique',
      work: async () => {
        await policy('p');
        await policy('p');
      },
    },
  ];

  for (const { constraint, kind, tells, work } of violations) {
    it(`say ${kind} for ${constraint}`, async () => {
      const error = await failure(work);
      expect([error.kind, error.message]).to.deep.equal([kind, tells]);
      expect((error.cause as { constraint?: string }).constraint).to.equal(constraint);
    });
  }

  it('have a word for every constraint that a request can break', async () => {
    const { rows } =
      await files.query(`SELECT conname AS name FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      AND contype IN ('c', 'u', 'f')
      UNION SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique AND indpred IS NOT NULL`);
    const known = new Set(violations.map(({ constraint }) => constraint));
    expect(
      rows.map((row) => row['name'] as string).filter((name) => !known.has(name) && !OUT_OF_REACH.has(name)),
    ).to.deep.equal([]);
  });

  it('have an index under every reference, so that a delete does not search whole tables', async () => {
    const { rows } = await files.query(`SELECT c.conname FROM pg_constraint c WHERE c.contype = 'f'
      AND c.connamespace = 'public'::regnamespace AND NOT EXISTS (
      SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
      AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))`);
    expect(rows).to.deep.equal([]);
  });

  it('leave nothing dangling when an identity, a service or a policy goes', async () => {
    const attributes = { roleAttributes: ['x'] };
    const cfg = await config(await type());
    const svc = await service({ ...attributes, configs: [cfg] });
    const who = await identity({ ...attributes, hostings: [{ serviceId: svc, cost: 1, precedence: 'failed' }] }, [
      enrollment(),
    ]);
    await updb(who);
    await session(who);
    await stores.access.noteView(who, [], { epoch: 1, digest: Buffer.alloc(32), state: null }, new Date());
    const roles = { identityRoles: [`@${who}`], serviceRoles: [`@${svc}`] };
    const pol = id();
    await stores.transaction((tx) =>
      tx.servicePolicies.create(pol, {
        name: pol,
        type: 'Dial',
        semantic: 'AnyOf',
        ...roles,
        postureCheckRoles: [],
        tags: {},
      }),
    );
    const before = await stores.servicePolicies.get(pol);
    await stores.identities.remove(who);
    await stores.services.remove(svc);
    const after = await stores.servicePolicies.get(pol);
    expect([after.identityRoles, after.serviceRoles]).to.deep.equal([[], []]);
    expect(after.updatedAt > before.updatedAt).to.equal(true);
    for (const [table, column, value] of [
      ['authenticators', 'identity_id', who],
      ['enrollments', 'identity_id', who],
      ['api_sessions', 'identity_id', who],
      ['identity_hostings', 'service_id', svc],
      ['service_views', 'identity_id', who],
      ['service_configs', 'service_id', svc],
    ] as const) {
      expect((await files.query(`SELECT FROM ${table} WHERE ${column} = $1`, [value])).rows, table).to.have.length(0);
    }
    await stores.configs.remove(cfg);
  });

  it('write all of a transaction or nothing of it', async () => {
    const made = id();
    const error = await failure(() =>
      stores.transaction(async (tx) => {
        await tx.services.create(made, serviceDraft(id()));
        await tx.services.create(id(), serviceDraft(id(), { configs: ['nope'] }));
      }),
    );
    expect(error.message).to.equal('config with id nope not found');
    expect((await failure(() => stores.services.get(made))).kind).to.equal('notFound');
  });

  it('run a transaction again that PostgreSQL gave up for another', async () => {
    const [first, second] = [await service(), await service()];
    let attempts = 0;
    let holding = 0;
    let bothHold: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const cross = (mine: string, other: string) =>
      stores.transaction(async (tx) => {
        attempts += 1;
        await tx.services.update(mine, { maxIdleTimeMillis: attempts });
        holding += 1;
        if (holding >= 2) bothHold();
        await held;
        await tx.services.update(other, { maxIdleTimeMillis: attempts });
      });
    await Promise.all([cross(first, second), cross(second, first)]);
    expect(attempts).to.be.within(3, 4); // four when each is given up for the other
    expect(database.stats().waiting).to.equal(0);
  });
});
