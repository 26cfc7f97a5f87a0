/** The constraints of the schema: each that a request can break has a word. Against PostgreSQL. */
import { expect } from 'chai';
import type { TestStores } from '../support/stores.js';
import { useStores } from './stores-support.js';
import { identityViolations } from './violations-identity.js';
import { accessViolations } from './violations-access.js';
import { serviceViolations } from './violations-service.js';

/** Constraints that no request can break: what they guard is settled by the specs' limits or by our own code. */
const OUT_OF_REACH = new Set([
  'api_sessions_identity_fkey', // a session is opened for an identity that is held in the same statement
  'api_sessions_api', // no statement of ours would break it
  'api_sessions_method',
  'event_batches_n_check', // numbers grow from 0
  'webhook_progress_webhook_fkey', // a trigger makes it with its webhook, and nothing else does
  'webhook_dead_letters_webhook_fkey', // is written with the progress, which is locked
  'webhook_dead_letters_event_key', // a second one of an event takes the place of the first
  'auth_policy_signers_policy_fkey',
  'external_jwt_signers_one_key_source',
  'failed_service_requests_type',
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
  'used_tokens_pkey',
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
  'circuits_host_fkey',
  'terminator_costs_host_fkey',
  'connected_identities_host_fkey',
  'quiesced_routers_router_fkey',
  'router_links_host_fkey',
  'router_channels_host_fkey',
  'router_channels_router_fkey',
  'router_hosts_controller_fkey',
  'edge_router_policies_semantic',
  'service_edge_router_policies_semantic',
  'enrollments_edge_router_fkey',
  'enrollments_transit_router_fkey',
  'enrollments_one_per_edge_router',
  'enrollments_one_per_transit_router',
  'fabric_services_terminator_strategy',
  'fabric_terminators_cost',
  'fabric_terminators_dynamic_cost',
  'fabric_terminators_precedence',
  'inspection_answers_inspection_fkey',
  'terminators_cost',
  'terminators_dynamic_cost',
  'terminators_precedence',
  'terminators_session_fkey',
  'sessions_type',
  'sessions_one_per_use',
  'posture_checks_type',
  'posture_check_types_name_key',
  'identity_service_configs_config_fkey',
  'identity_service_configs_service_fkey',
  'issued_certificates_kind',
  'controller_settings_of_one_or_all',
  'integrity_runs_is_single',
  'controller_list_is_only_check',
  'revocations_type',
  'revocations_end',
  'api_session_certificates_fingerprint_key',
  'api_session_certificates_session_fkey',
  'client_ends_type', // written by triggers alone
  'token_families_session_fkey', // a family is made for a session that is changed in the same statement
]);

describe('stores', () => {
  const suite = useStores();
  let files: TestStores['files'];
  before(() => {
    ({ files } = suite.opened());
  });
  const violations = [...identityViolations(suite), ...accessViolations(suite), ...serviceViolations(suite)];

  for (const { constraint, kind, tells, work } of violations) {
    it(`say ${kind} for ${constraint}`, async () => {
      const error = await suite.failure(work);
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
});
