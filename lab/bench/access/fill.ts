/** A network for the picture of who reaches what, written by SQL: teams, sites, devices under posture, routers. */
import type pg from 'pg';
import type { ApiClient } from '../api-client.js';
import { MANAGEMENT } from '../world.js';

const TEAMS = 40;
const POLICIES = 100;
/** Policies that ask for the posture of a device, and how many teams those select. */
const CHECKED = 20;
export const CHECKED_TEAMS = 30;
const HOST = 'bench-host';

export interface AccessScale {
  readonly identities: number;
  readonly services: number;
}

export async function fill(client: pg.Client, admin: ApiClient, { identities, services }: AccessScale): Promise<void> {
  const check = (typeId: string, criteria: object) =>
    admin.create(`${MANAGEMENT}/posture-checks`, {
      name: `bench-${typeId}`,
      typeId,
      roleAttributes: ['bench'],
      ...criteria,
    });
  await check('OS', { operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] });
  await check('DOMAIN', { domains: ['corp.example.org'] });
  await check('MAC', { macAddresses: ['02fc00aa1234'] });
  await client.query('SET statement_timeout = 0');
  await fillEntities(client, identities, services);
  await fillPolicies(client);
  await fillTraffic(client);
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
}

async function fillEntities(client: pg.Client, identities: number, services: number): Promise<void> {
  await client.query(
    `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes)
    SELECT 'person-' || n, 'person-' || n, 'Default', false, 'default',
      ARRAY['desk-' || n, 'site-' || n % 7, 'team-' || n % ${TEAMS}] FROM generate_series(0, $1 - 1) n`,
    [identities],
  );
  await client.query(
    `INSERT INTO services (id, name, encryption_required, role_attributes)
    SELECT 'app-' || n, 'app-' || n, true, ARRAY['apps-' || n % 50] FROM generate_series(0, $1 - 1) n`,
    [services],
  );
}

async function fillPolicies(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles, posture_check_roles)
    SELECT 'policy-' || n, 'policy-' || n, 'Dial', CASE n % 5 WHEN 4 THEN 'AllOf' ELSE 'AnyOf' END,
      CASE n % 5 WHEN 4 THEN ARRAY['#site-' || n % 7, '#team-' || n % ${TEAMS}]
        WHEN 3 THEN ARRAY['@person-' || n, '@person-' || 2 * n] ELSE ARRAY['#team-' || n % ${TEAMS}] END,
      ARRAY['#apps-' || n % 50], '{}' FROM generate_series(0, $1 - 1) n`,
    [POLICIES - CHECKED],
  );
  await client.query(
    `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles, posture_check_roles)
    SELECT 'checked-' || n, 'checked-' || n, 'Dial', 'AnyOf',
      ARRAY(SELECT '#team-' || t FROM generate_series(0, ${CHECKED_TEAMS} - 1) t WHERE t % ${CHECKED} = n),
      ARRAY['#apps-' || n], '{}' FROM generate_series(0, $1 - 1) n`,
    [CHECKED],
  );
  await client.query(`INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
    SELECT 'reach-' || n, 'reach-' || n, 'AnyOf', ARRAY['#site-' || n], ARRAY['#zone-' || n]
    FROM generate_series(0, 6) n`);
  await client.query(`INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
    VALUES ('carry', 'carry', 'AnyOf', '{#all}', '{#all}')`);
}

/** Routers, hosts of nine in ten services, and for each identity a login with what its device reported. */
async function fillTraffic(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO routers (id, name, is_edge, role_attributes)
    SELECT 'router-' || n, 'router-' || n, true, ARRAY['zone-' || n % 7] FROM generate_series(0, 20) n`);
  await client.query(
    `INSERT INTO router_hosts (id, controller_id, seen_at)
    SELECT $1, id, now() + interval '1 day' FROM controllers LIMIT 1`,
    [HOST],
  );
  await client.query(
    `INSERT INTO router_channels (router_id, host_id, sync_status, hostname, protocols, version_info)
    SELECT 'router-' || n, $1, 'SYNC_DONE', 'localhost', '{"tls":"tls://localhost:1"}',
      '{"arch":"","buildDate":"","os":"","revision":"","version":""}' FROM generate_series(0, 18) n`,
    [HOST],
  );
  await client.query(
    `INSERT INTO router_links SELECT 'link-' || n, $1, 1, 'router-' || n, 'router-' || n + 1, 'tls', 'tls:localhost:2',
      now(), 1000000, 1000000, 1, '[]' FROM generate_series(0, 17) n`,
    [HOST],
  );
  await client.query(`INSERT INTO terminators (id, service_id, router_id, binding, address, host_id)
    SELECT 't-' || s.id, s.id, 'router-' || abs(hashtext(s.id)) % 21, 'edge', s.id, '' FROM services s
    WHERE abs(hashtext(s.id)) % 10 > 0`);
  await client.query(`INSERT INTO authenticators (id, identity_id, method, username, password_hash)
    SELECT 'login-' || id, id, 'updb', name, 'none' FROM identities WHERE id LIKE 'person-%'`);
  await client.query(`INSERT INTO api_sessions (id, identity_id, authenticator_id, method, token_hash, ip_address)
    SELECT 'session-' || id, id, 'login-' || id, 'password', sha256(convert_to(id, 'UTF8')), '127.0.0.1'
    FROM identities WHERE id LIKE 'person-%'`);
  await client.query(`INSERT INTO api_session_postures (api_session_id, reported)
    SELECT 'session-' || id, jsonb_build_object(
      'os', jsonb_build_object('checkId', 'os', 'at', now(), 'type', 'Linux',
        'version', CASE WHEN abs(hashtext(id)) % 20 = 0 THEN '4.19.0' ELSE '6.1.0' END, 'build', NULL),
      'domain', jsonb_build_object('checkId', 'domain', 'at', now(), 'domain', 'corp.example.org'),
      'mac', jsonb_build_object('checkId', 'mac', 'at', now(), 'addresses',
        jsonb_build_array('02fc00aa1234', substr(md5(id), 1, 12))), 'processes', '[]'::jsonb)
    FROM identities WHERE id LIKE 'person-%'`);
}

/** Has the policies that are to ask for posture do so. */
export const askForPosture = (client: pg.Client): Promise<unknown> =>
  client.query("UPDATE service_policies SET posture_check_roles = '{#bench}' WHERE id LIKE 'checked-%'");
