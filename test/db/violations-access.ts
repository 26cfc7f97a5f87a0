/** Constraints on access: sessions, posture checks, second factors, auth policies and external signers. */
import { defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import { NOTHING_KNOWN } from '../../domain/posture/state.js';
import { openApiSession } from '../support/stores.js';
import type { StoreSuite, Violation } from './stores-support.js';
import { unprepared } from '../../db/postgres/statement.js';

export const accessViolations = ({
  id,
  identity,
  signer,
  certificateSource,
  type,
  config,
  service,
  router,
  terminator,
  dial,
  apiSessionOf,
  stores,
  database,
}: StoreSuite): Violation[] => [
  {
    constraint: 'posture_checks_name_key',
    kind: 'duplicate',
    tells: 'name must be unique',
    work: () =>
      database().execute(
        unprepared(
          'INSERT',
          `INSERT INTO posture_checks (id, name, type_id, criteria)
            VALUES ('pc1', 'pc', 'MFA', '{}'), ('pc2', 'pc', 'MFA', '{}')`,
        ),
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
  ...(['service', 'router'] as const).map((end) => ({
    constraint: `fabric_terminators_${end}_fkey`,
    kind: 'notFound' as const,
    tells: `${end} with id nope not found`,
    work: async () => {
      await router(`of-${end}`);
      await database().execute(unprepared('INSERT', 'INSERT INTO fabric_services (id, name) VALUES ($1, $1)'), [
        `for-${end}`,
      ]);
      await database().execute(
        unprepared(
          'INSERT',
          `INSERT INTO fabric_terminators (id, service_id, router_id, binding, address)
            VALUES ('ft1', $1, $2, 'transport', 'tcp:x:1')`,
        ),
        end === 'service' ? ['nope', 'of-service'] : ['for-router', 'nope'],
      );
    },
  })),
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
      await database().execute(unprepared('INSERT', 'INSERT INTO identity_service_configs VALUES ($1, $2, $3, $4)'), [
        'nope',
        serviceId,
        await config(typeId),
        typeId,
      ]);
    },
  },
  {
    constraint: 'api_session_postures_session_fkey',
    kind: 'unauthenticated',
    tells: 'unauthenticated',
    work: () => stores().postures.keep('nope', NOTHING_KNOWN),
  },
  {
    constraint: 'api_session_views_session_fkey',
    kind: 'unauthenticated',
    tells: 'unauthenticated',
    work: () =>
      stores().access.noteOwnView(
        { id: 'nope', identityId: 'nope', configTypes: [] },
        { epoch: 1, revision: 0, digest: Buffer.alloc(32), state: null },
        new Date(),
      ),
  },
  {
    constraint: 'failed_service_requests_identity_fkey',
    kind: 'unauthenticated',
    tells: 'unauthenticated',
    work: () =>
      stores().failedRequests.note('nope', {
        apiSessionId: 'a',
        serviceId: 's',
        serviceName: 's',
        sessionType: 'Dial',
        policyFailures: [],
      }),
  },
  {
    constraint: 'mfas_identity_fkey',
    kind: 'unauthenticated',
    tells: 'unauthenticated',
    work: () => stores().mfas.create({ id: id(), identityId: 'nope', sealedSecret: Buffer.alloc(1), sealedCodes: [] }),
  },
  {
    constraint: 'api_sessions_ca_fkey',
    kind: 'invalidAuth',
    tells: 'invalidAuth',
    work: async () => openApiSession(stores(), await identity(), id(), 'nope'),
  },
  {
    constraint: 'auth_policies_required_signer_fkey',
    kind: 'notFound',
    tells: 'not found',
    work: () =>
      stores().authPolicies.create(id(), {
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
      stores().authPolicies.create(id(), {
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
      await stores().authPolicies.create(id(), {
        name: id(),
        tags: {},
        ...defaultAuthPolicySettings,
        primary: { ...defaultAuthPolicySettings.primary, extJwt: { allowed: true, allowedSigners: [allowed] } },
      });
      await database().execute(unprepared('DELETE', 'DELETE FROM external_jwt_signers WHERE id = $1'), [allowed]);
    },
  },
  {
    constraint: 'auth_policies_required_signer_fkey',
    kind: 'inUse',
    tells: 'entity type externalJwtSigner referenced by authPolicy: []',
    work: async () => {
      const required = await signer();
      await stores().authPolicies.create(id(), {
        name: id(),
        tags: {},
        ...defaultAuthPolicySettings,
        secondary: { requireTotp: false, requireExtJwtSigner: required },
      });
      await database().execute(unprepared('DELETE', 'DELETE FROM external_jwt_signers WHERE id = $1'), [required]);
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
      await stores().authPolicies.create(policyId, { name: id(), tags: {}, ...defaultAuthPolicySettings });
      await signer({ enrollAuthPolicyId: policyId });
      await database().execute(unprepared('DELETE', 'DELETE FROM auth_policies WHERE id = $1'), [policyId]);
    },
  },
  {
    constraint: 'api_sessions_signer_fkey',
    kind: 'invalidAuth',
    tells: 'invalidAuth',
    work: async () => {
      const made = id();
      await openApiSession(stores(), await identity(), made);
      await database().execute(
        unprepared('UPDATE', "UPDATE api_sessions SET method = 'ext-jwt', signer_id = 'nope' WHERE id = $1"),
        [made],
      );
    },
  },
  {
    constraint: 'auth_policies_name_key',
    kind: 'duplicate',
    tells: 'name must be unique',
    work: () => stores().authPolicies.create('other', { name: 'Default', tags: {}, ...defaultAuthPolicySettings }),
  },
];
