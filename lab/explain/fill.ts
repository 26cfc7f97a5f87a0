/**
 * A network of a given size, written by SQL: in the shape that lab/bench/seed.ts gives it, and API sessions and
 * sessions as well. Ids follow from numbers, so that the same size is the same network every time.
 */
import type pg from 'pg';
import { defaultAuthPolicy, defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import { builtinConfigTypes } from '../../domain/config/builtin-types.js';
import type { Stores } from '../../db/stores/stores.js';
import { HOSTING, liveStatements } from './fill-live.js';
import {
  GROUPS,
  CHECKS,
  ROUTERS,
  WITH_SESSION,
  WITH_ENROLLMENT,
  SESSIONS_EACH,
  ID_LENGTH,
  idSql,
  name,
  upTo,
} from './scale.js';
import type { Scale } from './scale.js';

const tokenSql = (kind: string, index: string): string => `md5('${kind} token-' || (${index}))::uuid`;
const towns = `(ARRAY['aarhus','bergen','cadiz','dresden','evora','fulda','ghent',
    'haifa','izmir','jena','kazan','lyon','malmo'])[i % 13 + 1]`;
const things = "(ARRAY['laptop','phone','gateway','sensor','tablet','kiosk','server'])[i % 7 + 1]";

/** What a first start makes, so that references hold. */
async function builtIn({ network, authPolicies }: Stores): Promise<void> {
  await network.seedIdentityTypes(['Device', 'Router', 'Service', 'User', 'Default']);
  await authPolicies.seed(defaultAuthPolicy.id, defaultAuthPolicy.name, defaultAuthPolicySettings);
  await network.seedConfigTypes(builtinConfigTypes);
}

/**
 * @param stores  over the same database
 * @param client  may switch triggers off: what they keep is written at the end
 */
export async function fill(stores: Stores, client: pg.Client, scale: Scale): Promise<void> {
  await builtIn(stores);
  await client.query('SET statement_timeout = 0');
  await client.query('BEGIN');
  await client.query("SET LOCAL session_replication_role = 'replica'");
  for (const statement of statements(scale)) await client.query(statement);
  await client.query('COMMIT');
  await requireWhole(client);
  // What is filled is settled, as in a network that has run for a while.
  await client.query('VACUUM (FREEZE, ANALYZE)');
  await client.query('CHECKPOINT');
}

/** @throws Error when rows refer to none, which triggers were not there to refuse: no snapshot of them is restored */
async function requireWhole(client: pg.Client): Promise<void> {
  await client.query(`DO $$
DECLARE c record; is_broken boolean;
BEGIN
  FOR c IN SELECT k.conname, k.conrelid::regclass AS own, k.confrelid::regclass AS other,
      string_agg(format('o.%I = r.%I', x.attname, y.attname), ' AND ') AS pairs,
      string_agg(format('o.%I IS NOT NULL', x.attname), ' AND ') AS given
    FROM pg_constraint k CROSS JOIN unnest(k.conkey, k.confkey) AS u (own, other)
      JOIN pg_attribute x ON x.attrelid = k.conrelid AND x.attnum = u.own
      JOIN pg_attribute y ON y.attrelid = k.confrelid AND y.attnum = u.other
    WHERE k.contype = 'f' AND k.conparentid = 0 GROUP BY k.oid, k.conname, k.conrelid, k.confrelid
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %s o WHERE %s AND NOT EXISTS (SELECT FROM %s r WHERE %s))',
      c.own, c.given, c.other, c.pairs) INTO is_broken;
    IF is_broken THEN RAISE 'rows of % refer to none: %', c.own, c.conname; END IF;
  END LOOP;
END $$`);
}

function statements({ identities, services }: Scale): string[] {
  const authenticated = Math.floor(identities / WITH_SESSION);
  const perGroup = Math.max(1, Math.floor(services / GROUPS));
  // The service that identity 2 * (i / SESSIONS_EACH) may dial: one of its department's group.
  const dialled =
    `(${WITH_SESSION} * (i / ${SESSIONS_EACH})) % ${GROUPS} + ${GROUPS} * ((i / ${SESSIONS_EACH} + i ` +
    `% ${SESSIONS_EACH}) % ${perGroup})`;
  const sessionOwner = `${WITH_SESSION} * (i / ${SESSIONS_EACH})`;
  return [
    `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes, tags, external_id,
       created_at, updated_at)
     SELECT ${idSql('identity', 'i')}, ${name('identity', 'i')} || '-' || ${towns} || '-' || ${things}, 'Device',
     i = 0, 'default',
       ARRAY['bench-dept-' || i % ${GROUPS}, 'bench-site-' || i / 25], jsonb_build_object('town', ${towns}),
       CASE WHEN i % ${GROUPS} = ${HOSTING} THEN 'bench-external-' || i END,
       '2026-01-01'::timestamptz + i * interval '1 second', '2026-01-01'::timestamptz + i * interval '1 second'
       FROM ${upTo(identities)}`,
    `INSERT INTO configs (id, name, config_type_id, data) SELECT ${idSql('config', 'i')}, ${name('config', 'i')},
       (SELECT id FROM config_types WHERE name = 'intercept.v1'),
       jsonb_build_object('protocols', '["tcp"]'::jsonb, 'addresses',
       jsonb_build_array('bench-' || i || '.example.org'), 'portRanges', '[{"low":443,"high":443}]'::jsonb)
       FROM ${upTo(services)}`,
    `INSERT INTO services (id, name, encryption_required, role_attributes, created_at, updated_at)
     SELECT ${idSql('service', 'i')}, ${name('service', 'i')} || '-' || ${things}, true,
     ARRAY['bench-app-' || i % ${GROUPS}],
       '2026-01-01'::timestamptz + i * interval '1 second', '2026-01-01'::timestamptz + i * interval '1 second'
       FROM ${upTo(services)}`,
    `INSERT INTO service_configs (service_id, config_id, config_type_id)
     SELECT ${idSql('service', 'i')}, ${idSql('config', 'i')}, (SELECT id FROM config_types
     WHERE name = 'intercept.v1') FROM ${upTo(services)}`,
    `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles)
     SELECT ${idSql('policy', 'i')}, ${name('policy', 'i')}, CASE WHEN i < ${GROUPS} OR i = ${2 * GROUPS} THEN 'Dial'
     ELSE 'Bind' END, 'AnyOf',
       CASE WHEN i = ${2 * GROUPS} THEN ARRAY['#bench-client'] WHEN i < ${GROUPS} THEN ARRAY['#bench-dept-' || i]
       ELSE ARRAY['#bench-site-' || i % ${GROUPS}] END,
       CASE WHEN i = ${2 * GROUPS} THEN ARRAY['#all'] ELSE ARRAY['#bench-app-' || i % ${GROUPS}] END
       FROM ${upTo(2 * GROUPS + 1)}`,
    `INSERT INTO routers (id, name, is_edge, role_attributes) SELECT ${idSql('router', 'i')}, ${name('edge', 'i')},
      true, ARRAY['bench-zone-' || i % 2] FROM ${upTo(ROUTERS)}`,
    `INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
      VALUES (left(md5('reach'), ${ID_LENGTH}), 'bench-reach', 'AnyOf', '{#all}', '{#all}')`,
    `INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
      VALUES (left(md5('carry'), ${ID_LENGTH}), 'bench-carry', 'AnyOf', '{#all}', '{#all}')`,
    `INSERT INTO posture_checks (id, name, type_id, role_attributes, criteria)
      SELECT ${idSql('check', 'i')}, ${name('check', 'i')}, 'DOMAIN', '{bench-check}', '{"domains":["example.org"]}'
      FROM ${upTo(CHECKS)}`,
    `INSERT INTO terminators (id, service_id, router_id, binding, address)
     SELECT ${idSql('terminator', 'i')}, ${idSql('service', 'i')}, ${idSql('router', `i % ${ROUTERS}`)}, 'edge',
     ${name('address', 'i')} FROM ${upTo(services)}`,
    `INSERT INTO authenticators (id, identity_id, method, username, password_hash)
     SELECT ${idSql('authenticator', 'i')}, ${idSql('identity', `i * ${WITH_SESSION}`)}, 'updb', ${name('user', 'i')},
     repeat('x', 97) FROM ${upTo(authenticated)}`,
    `INSERT INTO usernames (username, identity_id)
     SELECT username, identity_id FROM authenticators WHERE username IS NOT NULL ON CONFLICT DO NOTHING`,
    `INSERT INTO enrollments (id, method, identity_id, token, jwt, expires_at)
     SELECT ${idSql('enrollment', 'i')}, 'ott', ${idSql('identity', `i * ${WITH_ENROLLMENT}`)},
     ${tokenSql('enrollment', 'i')}, repeat('x', 600), '2100-01-01'
     FROM ${upTo(Math.floor(identities / WITH_ENROLLMENT))}`,
    `INSERT INTO api_sessions (id, identity_id, authenticator_id, method, token_hash, ip_address, last_activity_at)
     SELECT ${idSql('api-session', 'i')}, ${idSql('identity', `i * ${WITH_SESSION}`)}, ${idSql('authenticator', 'i')},
     'password', sha256(convert_to('api-session-' || i, 'UTF8')), '127.0.0.1',
       now() - (i % 600) * interval '1 second' FROM ${upTo(authenticated)}`,
    `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch)
     SELECT ${idSql('session', 'i')}, ${idSql('api-session', `i / ${SESSIONS_EACH}`)},
     ${idSql('identity', sessionOwner)}, ${idSql('service', dialled)}, 'Dial', repeat(md5('session token-' || i), 16),
       (SELECT epoch FROM model_epochs WHERE name = 'grants') FROM ${upTo(authenticated * SESSIONS_EACH)}
       ON CONFLICT DO NOTHING`,
    ...liveStatements({ identities, services }),
    ...COUNTED.map(
      (table) =>
        `INSERT INTO entity_counts (kind, total) SELECT '${table}', count(*) FROM ${table} HAVING count(*) > 0`,
    ),
    ...ATTRIBUTED.map(
      (table) =>
        `INSERT INTO role_attribute_counts (kind, attribute, uses) SELECT '${table}', a, count(*)
          FROM ${table}, unnest(role_attributes) a GROUP BY a`,
    ),
  ];
}

/** Filled here with triggers off; what a first start makes is counted by its triggers. */
const COUNTED = [
  'identities',
  'configs',
  'services',
  'service_policies',
  'routers',
  'edge_router_policies',
  'service_edge_router_policies',
  'posture_checks',
  'terminators',
  'authenticators',
  'enrollments',
  'api_sessions',
  'sessions',
  'controllers',
  'external_jwt_signers',
  'revocations',
];
const ATTRIBUTED = ['identities', 'services', 'routers', 'posture_checks'];
