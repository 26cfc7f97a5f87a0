/**
 * What of each table is in the audit record. Every column is recorded, or named here with the reason why it is not: so
 * a new one cannot be forgotten, and no secret gets in because nobody thought of it. Against PostgreSQL.
 */
import { expect } from 'chai';
import { networkTables } from '../../db/schema/shipped-schema.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

/** Tables of which nothing is recorded. */
const UNRECORDED: Readonly<Record<string, string>> = {
  api_session_postures: 'what a client reports of its device, again and again',
  api_session_views: 'a memory',
  audit_records: 'the record itself',
  auth_requests: 'logins under way',
  client_ends: 'made of what is recorded',
  audit_sums: 'what becomes a record within minutes',
  circuits: 'traffic',
  controller_addresses: 'presence',
  controller_list: 'derived from presence',
  dial_minutes: 'traffic',
  entity_counts: 'derived',
  event_batches: 'the order of the record',
  failed_service_requests: 'traffic',
  service_names: 'derived',
  identity_types: 'built in',
  integrity_findings: 'results of a check',
  integrity_runs: 'results of a check',
  inspections: 'a question that is asked for seconds',
  inspection_answers: 'a question that is asked for seconds',
  issued_certificates: 'goes with what a certificate was issued for',
  last_uses: 'traffic',
  model_epochs: 'derived',
  narrowed_services: 'derived',
  network_jwts: 'made from keys',
  network_secrets: 'sealed keys',
  posture_check_types: 'built in',
  role_attribute_counts: 'derived',
  role_attribute_epochs: 'derived',
  router_channels: 'presence',
  router_hosts: 'presence',
  server_names: 'presence',
  terminator_costs: 'traffic',
  connected_identities: 'traffic',
  router_links: 'presence',
  service_views: 'a memory',
  usage_hours: 'traffic',
  used_tokens: 'hashes of tokens',
  webhook_dead_letters: 'what could not be delivered',
  webhook_progress: 'moves with each delivery',
  token_families: 'goes with its API session',
  usernames: 'derived from authenticators and enrollments',
};

const SECRET: Readonly<Record<string, readonly string[]>> = {
  api_sessions: ['token_hash'],
  authenticators: ['password_hash'],
  cas: ['verification_token'],
  fabric_terminators: ['instance_secret'],
  enrollments: ['token', 'jwt'],
  mfas: ['sealed_secret', 'sealed_codes'],
  network: ['master_key_check'],
  pki_entities: ['sealed_key'],
  sessions: ['token'],
  terminators: ['instance_secret'],
  webhooks: ['sealed_secret'],
};

/** Of every entity: the record has them, or nobody sets them. */
const BASE = ['id', 'created_at', 'updated_at', 'is_system'];
/** Moved by traffic, derived, or told by a fingerprint that is recorded. */
const TECHNICAL: Readonly<Record<string, readonly string[]>> = {
  api_session_certificates: ['cert_pem', 'tags', 'is_proof'],
  api_sessions: [
    'tags',
    'ca_id',
    'config_types',
    'is_mfa_complete',
    'improper_client_cert_chain',
    'last_activity_at',
    'signer_id',
    'sdk_info',
    'mfa_passed_at',
    'posture_revision',
    'api',
    'is_shared_with_routers',
    'certificate_hash',
    'last_request_at',
    'wrong_codes',
    'undoes_mfa',
    'expires_at',
    'is_certificate_bound',
  ],
  auth_policy_signers: ['auth_policy_id'],
  authenticators: [
    'failed_attempts',
    'cert_pem',
    'public_key_print',
    'last_auth_resolved_to_root',
    'last_extend_rolled_keys',
    'unverified_cert_pem',
    'unverified_public_key_print',
  ],
  cas: ['cert_pem'],
  controllers: ['cert_pem', 'last_joined_at', 'last_seen_at'],
  external_jwt_signers: ['cert_pem'],
  fabric_terminators: ['dynamic_cost', 'source_ctrl'],
  identities: ['env_info', 'sdk_info'],
  identity_hostings: ['identity_id'],
  identity_service_configs: ['identity_id', 'config_type_id'],
  identity_traces: ['identity_id'],
  mfas: ['tags', 'last_step', 'failed_at', 'blocked_until', 'verified_at'],
  network: ['singleton', 'created_at', 'timeline_id', 'uses_known_since'],
  pki_entities: ['cert_pem', 'created_at', 'used_from', 'cross_pem'],
  posture_checks: ['version'],
  router_configs: ['router_id', 'config_type_id'],
  quiesced_routers: ['created_at'],
  router_link_settings: ['updated_at'],
  routers: [
    'is_edge',
    'hostname',
    'cert_pem',
    'unverified_cert_pem',
    'interfaces',
    'names_left_out',
    'version',
    'capabilities_mask',
  ],
  service_configs: ['service_id', 'config_type_id'],
  sessions: ['tags', 'granted_epoch', 'granted_until'],
  terminators: ['host_id', 'source_ctrl', 'dynamic_cost', 'peer_data', 'session_id'],
  webhooks: ['secret_set_at'],
};

describe('what is recorded of each table', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  /** Columns whose values a record of the table gets, by its function. */
  const recorded = async (table: string): Promise<string[]> => {
    const { rows } = await database.query('SELECT prosrc AS source FROM pg_proc WHERE proname IN ($1, $2)', [
      `audit_${table}`,
      `audit_${table}_gone`,
    ]);
    const sources = rows.map(({ source }) => String(source)).join('\n');
    // `g` is a row that is gone, of all that went in one statement.
    const objects = sources.matchAll(/'[\w.]+', (?:NEW|OLD|g)\.(\w+)/g);
    return [...new Set([...objects].map(([, column = '']) => column))];
  };

  it('is each column, but for secrets and what no administrator sets', async () => {
    const { rows } = await database.query(
      `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = ANY ($1) GROUP BY 1 ORDER BY 1`,
      [networkTables()],
    );
    expect(rows.length).to.be.above(40);
    const faults: string[] = [];
    for (const row of rows) {
      const table = String(row['name']);
      const columns = row['columns'] as string[];
      const inRecord = await recorded(table);
      if (UNRECORDED[table] !== undefined) {
        if (inRecord.length > 0) faults.push(`${table} is recorded after all`);
        continue;
      }
      const secret = SECRET[table] ?? [];
      const left = [...secret, ...(TECHNICAL[table] ?? [])];
      const base = columns.includes('is_system') ? BASE : [];
      for (const column of columns)
        if (!inRecord.includes(column) && !left.includes(column) && !base.includes(column))
          faults.push(`${table}.${column} is neither recorded nor named in this file`);
      for (const column of secret) if (inRecord.includes(column)) faults.push(`${table}.${column} is a secret`);
      for (const column of left) {
        if (!columns.includes(column)) faults.push(`${table}.${column} is not there`);
        else if (inRecord.includes(column)) faults.push(`${table}.${column} is recorded, and named as if it were not`);
      }
    }
    expect(faults).to.deep.equal([]);
  });

  it('has a record for each row that comes, goes or changes', async () => {
    const { rows } = await database.query(
      `SELECT c.relname AS name, bit_or(g.tgtype::int) & 28 AS events
      FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
      WHERE g.tgfoid IN (SELECT oid FROM pg_proc WHERE proname LIKE 'audit\\_%') GROUP BY 1 ORDER BY 1`,
    );
    /**
     * Insert, delete and update, as bits of pg_trigger. Sessions are traffic, but for one that somebody else ends; the
     * row of the network stands from its first start on.
     */
    const only: Readonly<Record<string, number>> = { sessions: 8, network: 16 };
    const expected = networkTables()
      .filter((name) => UNRECORDED[name] === undefined)
      .map((name) => ({ name, events: only[name] ?? 28 }));
    expect(rows).to.deep.equal(expected);
  });
});
