/** Constraints on identities and on what proves them: authenticators, enrollments and CAs. */
import type { StoreSuite, Violation } from './stores-support.js';
import { unprepared } from '../../db/postgres/statement.js';

export const identityViolations = ({
  id,
  identity,
  enrollment,
  updb,
  ca,
  stores,
  database,
}: StoreSuite): Violation[] => [
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
      await database().execute(unprepared('UPDATE', 'UPDATE identities SET is_admin = false WHERE is_default_admin'));
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
      await database().execute(unprepared('DELETE', "DELETE FROM auth_policies WHERE id = 'default'"));
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
      await stores().enrollments.create(await identity(), { ...enrollment(), method: 'updb', username: 'logs in' });
    },
  },
  {
    constraint: 'authenticators_fingerprint_key',
    kind: 'duplicate',
    tells: "duplicate value 'f' in unique index on authenticators store",
    work: async () => {
      for (const identityId of [await identity(), await identity()]) {
        await stores().authenticators.createCert({
          id: id(),
          identityId,
          certPem: '',
          fingerprint: 'f',
          publicKeyFingerprint: '',
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
      stores().authenticators.createCert({
        id: id(),
        identityId: await identity(),
        certPem: '',
        fingerprint: id(),
        publicKeyFingerprint: '',
        isIssuedByNetwork: false,
        caId: 'nope',
        tags: {},
      }),
  },
  {
    constraint: 'enrollments_identity_fkey',
    kind: 'badReference',
    tells: 'The field contains an invalid value: identity not found',
    work: () => stores().enrollments.create('nope', enrollment()),
  },
  {
    constraint: 'enrollments_one_per_method',
    kind: 'enrollmentExists',
    tells: 'enrollment of same method exists',
    work: async () => {
      const one = await identity({}, [enrollment()]);
      await stores().enrollments.create(one, enrollment());
    },
  },
  {
    constraint: 'enrollments_ca_fkey',
    kind: 'badReference',
    tells: 'The field contains an invalid value: ca not found',
    work: async () => stores().enrollments.create(await identity(), { ...enrollment(), method: 'ottca', caId: 'nope' }),
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
      database().execute(
        unprepared(
          'INSERT',
          `INSERT INTO cas (id, name, cert_pem, fingerprint, verification_token, is_auth_enabled,
            is_auto_ca_enrollment_enabled,
        is_ott_ca_enrollment_enabled, identity_name_format) SELECT i::text, i::text, '', 'same', gen_random_uuid(),
        true, true, true, '' FROM generate_series(1, 2) i`,
        ),
      ),
  },
];
