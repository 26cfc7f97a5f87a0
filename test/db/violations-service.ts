/** Constraints on services, configs, routers and policies. */
import type { StoreSuite, Violation } from './stores-support.js';
import { unprepared } from '../../db/postgres/statement.js';

export const serviceViolations = ({
  id,
  type,
  config,
  service,
  policy,
  router,
  stores,
  database,
}: StoreSuite): Violation[] => [
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
  {
    constraint: 'controller_settings_pkey',
    kind: 'duplicate',
    tells: "duplicate value 'global' in unique index on controllerSettings store",
    work: async () => {
      const draft = { redirectUris: null, postLogoutUris: null, tags: {} };
      await stores().controllerSettings.create('global', draft);
      await stores().controllerSettings.create('global', draft);
    },
  },
  {
    constraint: 'controller_settings_controller_fkey',
    kind: 'badReference',
    tells: 'The field contains an invalid value: controller not found',
    work: () => stores().controllerSettings.create('nope', { redirectUris: null, postLogoutUris: null, tags: {} }),
  },
  {
    constraint: 'identity_traces_identity_fkey',
    kind: 'notFound',
    tells: 'identity with id nope not found',
    work: async () => {
      await stores().identityTraces.begin('nope', { traceId: 'x', channels: [], durationMs: 1 });
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
      await database().execute(unprepared('DELETE', 'DELETE FROM config_types WHERE id = $1'), [one]);
    },
  },
  {
    constraint: 'service_configs_config_fkey',
    kind: 'notFound',
    tells: 'config with id nope not found',
    work: async () =>
      database().execute(
        unprepared(
          'INSERT',
          "INSERT INTO service_configs (service_id, config_id, config_type_id) VALUES ($1, 'nope', 'x')",
        ),
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
      await database().execute(unprepared('DELETE', 'DELETE FROM configs WHERE id = $1'), [one]);
    },
  },
  {
    constraint: 'router_configs_config_fkey',
    kind: 'notFound',
    tells: 'config with id nope not found',
    work: () =>
      database().execute(
        unprepared(
          'INSERT',
          `INSERT INTO router_configs (router_id, config_id, config_type_id) SELECT id, 'nope', 'nope' FROM routers
            LIMIT 1`,
        ),
      ),
  },
  {
    constraint: 'router_configs_config_fkey',
    kind: 'inUse',
    tells: 'entity type config referenced by router: []',
    work: async () => {
      const one = await config(await type(id(), 'router'));
      await router(id(), [one]);
      await database().execute(unprepared('DELETE', 'DELETE FROM configs WHERE id = $1'), [one]);
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
        await stores().edgeRouterPolicies.create(one, {
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
        await stores().serviceEdgeRouterPolicies.create(one, {
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
  {
    constraint: 'webhooks_name_key',
    kind: 'duplicate',
    tells: 'name must be unique',
    work: async () => {
      const draft = { name: 'w', url: 'https://a.example/', kinds: [], isEnabled: false, tags: {} };
      await stores().webhooks.create(id(), { ...draft, sealedSecret: Buffer.from('s') });
      await stores().webhooks.create(id(), { ...draft, sealedSecret: Buffer.from('s') });
    },
  },
];
