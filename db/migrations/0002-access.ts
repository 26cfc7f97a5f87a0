/**
 * The rest of what decides access: routers and their policies, posture checks, per-identity configs, sessions and
 * terminators; and the role attributes in use, counted as they change.
 */
import type { Knex } from 'knex';
import { PENDING } from './gin.js';

const base = `
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false`;

const letters = (table: string) => `
CREATE INDEX ${table}_name_letters ON ${table} USING gin (name gin_trgm_ops) ${PENDING};
CREATE INDEX ${table}_name_any_case ON ${table} USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) ${PENDING};`;

const routers = `
-- Edge routers and transit routers: one kind of thing, and only the former take part in access.
CREATE TABLE routers (${base},
  name text COLLATE "C" NOT NULL,
  is_edge boolean NOT NULL,
  cost integer NOT NULL DEFAULT 0 CONSTRAINT routers_cost CHECK (cost BETWEEN 0 AND 65535),
  no_traversal boolean NOT NULL DEFAULT false,
  disabled boolean NOT NULL DEFAULT false,
  is_tunneler_enabled boolean NOT NULL DEFAULT false,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  app_data jsonb NOT NULL DEFAULT '{}',
  ctrl_chan_listeners jsonb NOT NULL DEFAULT '{}',
  fingerprint text COLLATE "C",
  cert_pem text,
  unverified_fingerprint text COLLATE "C",
  unverified_cert_pem text,
  hostname text NOT NULL DEFAULT '',
  CONSTRAINT routers_pkey PRIMARY KEY (id),
  CONSTRAINT routers_name_key UNIQUE (name),
  CONSTRAINT routers_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT routers_tunneler CHECK (is_edge OR NOT is_tunneler_enabled)
);
CREATE INDEX routers_edge ON routers (id) WHERE is_edge;
CREATE INDEX routers_role_attributes ON routers USING gin (role_attributes) ${PENDING};
-- One config of each type per router, as with services.
CREATE TABLE router_configs (
  router_id text COLLATE "C" NOT NULL
    CONSTRAINT router_configs_router_fkey REFERENCES routers (id) ON DELETE CASCADE,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT router_configs_pkey PRIMARY KEY (router_id, config_id),
  CONSTRAINT router_configs_one_per_type UNIQUE (router_id, config_type_id),
  CONSTRAINT router_configs_config_fkey FOREIGN KEY (config_id, config_type_id) REFERENCES configs (id, config_type_id)
);
CREATE INDEX router_configs_config ON router_configs (config_id, router_id);
ALTER TABLE enrollments
  ADD COLUMN edge_router_id text COLLATE "C" CONSTRAINT enrollments_edge_router_fkey REFERENCES routers (id) ON DELETE CASCADE,
  ADD COLUMN transit_router_id text COLLATE "C" CONSTRAINT enrollments_transit_router_fkey REFERENCES routers (id) ON DELETE CASCADE,
  ADD CONSTRAINT enrollments_one_per_edge_router UNIQUE (edge_router_id),
  ADD CONSTRAINT enrollments_one_per_transit_router UNIQUE (transit_router_id);
CREATE TABLE edge_router_policies (${base},
  name text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL CONSTRAINT edge_router_policies_semantic CHECK (semantic IN ('AllOf', 'AnyOf')),
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  edge_router_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT edge_router_policies_pkey PRIMARY KEY (id),
  CONSTRAINT edge_router_policies_name_key UNIQUE (name)
);
CREATE INDEX edge_router_policies_identity_roles ON edge_router_policies USING gin (identity_roles) ${PENDING};
CREATE INDEX edge_router_policies_edge_router_roles ON edge_router_policies USING gin (edge_router_roles) ${PENDING};
CREATE TABLE service_edge_router_policies (${base},
  name text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL CONSTRAINT service_edge_router_policies_semantic CHECK (semantic IN ('AllOf', 'AnyOf')),
  service_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  edge_router_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT service_edge_router_policies_pkey PRIMARY KEY (id),
  CONSTRAINT service_edge_router_policies_name_key UNIQUE (name)
);
CREATE INDEX service_edge_router_policies_service_roles ON service_edge_router_policies USING gin (service_roles) ${PENDING};
CREATE INDEX service_edge_router_policies_edge_router_roles ON service_edge_router_policies USING gin (edge_router_roles) ${PENDING};
${['routers', 'edge_router_policies', 'service_edge_router_policies'].map(letters).join('')}`;

const postureChecks = `
CREATE TABLE posture_checks (${base},
  name text COLLATE "C" NOT NULL,
  type_id text COLLATE "C" NOT NULL
    CONSTRAINT posture_checks_type CHECK (type_id IN ('OS', 'PROCESS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS_MULTI')),
  version integer NOT NULL DEFAULT 1,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- What the type asks for: the type-specific fields of the wire form, normalised.
  criteria jsonb NOT NULL,
  CONSTRAINT posture_checks_pkey PRIMARY KEY (id),
  CONSTRAINT posture_checks_name_key UNIQUE (name)
);
-- The kinds there are: a fixed set, filled below.
CREATE TABLE posture_check_types (${base},
  name text COLLATE "C" NOT NULL,
  version text NOT NULL,
  operating_systems jsonb NOT NULL,
  CONSTRAINT posture_check_types_pkey PRIMARY KEY (id),
  CONSTRAINT posture_check_types_name_key UNIQUE (name)
);
CREATE INDEX posture_checks_role_attributes ON posture_checks USING gin (role_attributes) ${PENDING};
${letters('posture_checks')}`;

const sessions = `
-- A config that one identity gets for a service in place of the service's own of that type.
CREATE TABLE identity_service_configs (
  identity_id text COLLATE "C" NOT NULL
    CONSTRAINT identity_service_configs_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  service_id text COLLATE "C" NOT NULL
    CONSTRAINT identity_service_configs_service_fkey REFERENCES services (id) ON DELETE CASCADE,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT identity_service_configs_pkey PRIMARY KEY (identity_id, service_id, config_type_id),
  CONSTRAINT identity_service_configs_config_fkey FOREIGN KEY (config_id, config_type_id)
    REFERENCES configs (id, config_type_id) ON DELETE CASCADE
);
CREATE INDEX identity_service_configs_service ON identity_service_configs (service_id);
CREATE INDEX identity_service_configs_config ON identity_service_configs (config_id);

CREATE TABLE sessions (${base},
  api_session_id text COLLATE "C" NOT NULL
    CONSTRAINT sessions_api_session_fkey REFERENCES api_sessions (id) ON DELETE CASCADE,
  identity_id text COLLATE "C" NOT NULL
    CONSTRAINT sessions_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  service_id text COLLATE "C" NOT NULL
    CONSTRAINT sessions_service_fkey REFERENCES services (id) ON DELETE CASCADE,
  type text COLLATE "C" NOT NULL CONSTRAINT sessions_type CHECK (type IN ('Dial', 'Bind')),
  token text COLLATE "C" NOT NULL,
  -- The epoch 'grants' at which a policy was last found to grant it; one that is behind has to be looked at again.
  granted_epoch bigint NOT NULL DEFAULT 0,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_one_per_use UNIQUE (api_session_id, service_id, type)
);
CREATE INDEX sessions_identity ON sessions (identity_id, id);
CREATE INDEX sessions_service ON sessions (service_id);
CREATE INDEX sessions_granted_epoch ON sessions (granted_epoch);
-- Tokens are longer than a B-tree takes, and only looked up whole.
CREATE INDEX sessions_token ON sessions USING hash (token);

CREATE TABLE terminators (${base},
  service_id text COLLATE "C" NOT NULL
    CONSTRAINT terminators_service_fkey REFERENCES services (id) ON DELETE CASCADE,
  router_id text COLLATE "C" NOT NULL
    CONSTRAINT terminators_router_fkey REFERENCES routers (id) ON DELETE CASCADE,
  binding text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL DEFAULT '',
  instance_secret bytea,
  host_id text COLLATE "C" NOT NULL DEFAULT '',
  source_ctrl text COLLATE "C" NOT NULL DEFAULT '',
  cost integer NOT NULL DEFAULT 0 CONSTRAINT terminators_cost CHECK (cost BETWEEN 0 AND 65535),
  dynamic_cost integer NOT NULL DEFAULT 0 CONSTRAINT terminators_dynamic_cost CHECK (dynamic_cost BETWEEN 0 AND 65535),
  precedence text COLLATE "C" NOT NULL DEFAULT 'default'
    CONSTRAINT terminators_precedence CHECK (precedence IN ('default', 'required', 'failed')),
  CONSTRAINT terminators_pkey PRIMARY KEY (id)
);
CREATE INDEX terminators_service ON terminators (service_id, id);
CREATE INDEX terminators_router ON terminators (router_id, id);`;

/** Role attributes in use, counted as they change and spread over rows like the totals. */
const attributes = `
CREATE SEQUENCE role_attribute_count_slots;
CREATE TABLE role_attribute_counts (
  kind text COLLATE "C" NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  slot bigint NOT NULL DEFAULT nextval('role_attribute_count_slots'),
  uses bigint NOT NULL,
  CONSTRAINT role_attribute_counts_pkey PRIMARY KEY (kind, attribute, slot)
) WITH (fillfactor = 50);

-- Adds to a row that nobody holds, or to a new one: writers of the same attribute never wait for each other.
CREATE FUNCTION count_role_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added text[] := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE NEW.role_attributes END;
  taken text[] := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE OLD.role_attributes END;
  item text;
  delta integer;
BEGIN
  FOR item, delta IN
    SELECT a, 1 FROM unnest(added) a WHERE a <> ALL (taken) UNION ALL SELECT a, -1 FROM unnest(taken) a WHERE a <> ALL (added)
  LOOP
    UPDATE role_attribute_counts SET uses = uses + delta WHERE kind = TG_TABLE_NAME AND attribute = item
      AND slot = (SELECT slot FROM role_attribute_counts WHERE kind = TG_TABLE_NAME AND attribute = item LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (TG_TABLE_NAME, item, delta); END IF;
  END LOOP;
  RETURN NULL;
END $$;
${['identities', 'services', 'routers', 'posture_checks'].map((table) => `
CREATE TRIGGER ${table}_attributes_in AFTER INSERT ON ${table}
  FOR EACH ROW WHEN (NEW.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER ${table}_attributes_out AFTER DELETE ON ${table}
  FOR EACH ROW WHEN (OLD.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER ${table}_attributes_change AFTER UPDATE OF role_attributes ON ${table}
  FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes) EXECUTE FUNCTION count_role_attributes();`).join('')}

INSERT INTO role_attribute_counts (kind, attribute, uses)
SELECT kind, attribute, count(*) FROM (
  SELECT 'identities' AS kind, unnest(role_attributes) AS attribute FROM identities
  UNION ALL SELECT 'services', unnest(role_attributes) FROM services) existing GROUP BY kind, attribute;`;

/** `@id` roles of what is deleted leave every policy, whichever kind; the triggers name table and column. */
const references = `
CREATE FUNCTION forget_selector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 0 .. TG_NARGS / 2 - 1 LOOP
    -- Locked in the order of ids: two deletes that share policies wait, and never for each other.
    EXECUTE format('SELECT FROM %1$I WHERE %2$I @> ARRAY[$1] ORDER BY id FOR NO KEY UPDATE', TG_ARGV[2 * i], TG_ARGV[2 * i + 1]) USING '@' || OLD.id;
    EXECUTE format('UPDATE %1$I SET %2$I = array_remove(%2$I, $1), updated_at = greatest(now(), updated_at + interval ''1 ms'')
      WHERE %2$I @> ARRAY[$1]', TG_ARGV[2 * i], TG_ARGV[2 * i + 1]) USING '@' || OLD.id;
  END LOOP;
  RETURN NULL;
END $$;
DROP TRIGGER identities_forget_selectors ON identities;
DROP TRIGGER services_forget_selectors ON services;
DROP FUNCTION forget_selectors();
CREATE TRIGGER identities_forget_selectors AFTER DELETE ON identities FOR EACH ROW
  EXECUTE FUNCTION forget_selector('service_policies', 'identity_roles', 'edge_router_policies', 'identity_roles');
CREATE TRIGGER services_forget_selectors AFTER DELETE ON services FOR EACH ROW
  EXECUTE FUNCTION forget_selector('service_policies', 'service_roles', 'service_edge_router_policies', 'service_roles');
CREATE TRIGGER routers_forget_selectors AFTER DELETE ON routers FOR EACH ROW
  EXECUTE FUNCTION forget_selector('edge_router_policies', 'edge_router_roles', 'service_edge_router_policies', 'edge_router_roles');
CREATE TRIGGER posture_checks_forget_selectors AFTER DELETE ON posture_checks FOR EACH ROW
  EXECUTE FUNCTION forget_selector('service_policies', 'posture_check_roles');`;

const counted = ['posture_check_types', 'routers', 'edge_router_policies', 'service_edge_router_policies', 'posture_checks', 'sessions', 'terminators'];
const countTriggers = counted.map((table) => `
CREATE TRIGGER ${table}_counted_in AFTER INSERT ON ${table}
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER ${table}_counted_out AFTER DELETE ON ${table}
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();`).join('');

const epochTriggers = ['posture_checks', 'identity_service_configs'].map((table) => `
CREATE CONSTRAINT TRIGGER ${table}_move_access AFTER INSERT OR UPDATE OR DELETE ON ${table}
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();`).join('');

/**
 * What may take a grant away, and only that: what just adds roles or attributes leaves every session what it has. A
 * policy or a service may concern any number of sessions, so it moves an epoch that they are compared with. An identity
 * concerns its own, and marks them; whoever makes one meanwhile holds the identity, so that none is missed.
 */
const grantTriggers = `
INSERT INTO model_epochs (name) VALUES ('grants');

-- At commit and once per transaction, after the access epoch: two that move both wait for the first only.
CREATE FUNCTION move_grants_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp(), moved_by = pg_current_xact_id()
  WHERE name = 'grants' AND moved_by IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION doubt_sessions_of_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions WHERE identity_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE identity_id = NEW.id;
  IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER service_policies_move_grants AFTER DELETE ON service_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_grants_epoch();
-- Not when a deleted entity leaves the lists of a policy (forget_selector): nobody else was granted anything by its id.
CREATE CONSTRAINT TRIGGER service_policies_narrow_grants
  AFTER UPDATE OF type, semantic, identity_roles, service_roles, posture_check_roles ON service_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (pg_trigger_depth() = 0 AND (OLD.type <> NEW.type OR OLD.semantic <> NEW.semantic OR OLD.posture_check_roles <> NEW.posture_check_roles
    OR OLD.identity_roles <> NEW.identity_roles AND NEW.identity_roles <> '{#all}'
      AND NOT (NEW.semantic = 'AnyOf' AND OLD.identity_roles <> '{#all}' AND NEW.identity_roles @> OLD.identity_roles)
    OR OLD.service_roles <> NEW.service_roles AND NEW.service_roles <> '{#all}'
      AND NOT (NEW.semantic = 'AnyOf' AND OLD.service_roles <> '{#all}' AND NEW.service_roles @> OLD.service_roles)))
  EXECUTE FUNCTION move_grants_epoch();
CREATE CONSTRAINT TRIGGER services_narrow_grants AFTER UPDATE OF role_attributes ON services
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NOT NEW.role_attributes @> OLD.role_attributes) EXECUTE FUNCTION move_grants_epoch();
-- A check that policies select from now on may fail.
CREATE CONSTRAINT TRIGGER posture_checks_narrow_grants AFTER INSERT OR UPDATE OF role_attributes ON posture_checks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_grants_epoch();
CREATE TRIGGER identities_doubt_sessions AFTER UPDATE OF role_attributes, disabled_at, disabled_until ON identities
  FOR EACH ROW WHEN (NOT NEW.role_attributes @> OLD.role_attributes
    OR (OLD.disabled_at, OLD.disabled_until) IS DISTINCT FROM (NEW.disabled_at, NEW.disabled_until))
  EXECUTE FUNCTION doubt_sessions_of_identity();`;

/** Every system reports its version, addresses, processes and codes; a domain is joined on Windows only. */
const postureCheckTypes = `
INSERT INTO posture_check_types (id, name, version, operating_systems)
SELECT id, id, '1', (SELECT jsonb_agg(jsonb_build_object('type', s, 'versions', '[]'::jsonb) ORDER BY n)
  FROM unnest(systems) WITH ORDINALITY u (s, n))
FROM (VALUES
  ('OS', ARRAY['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS']), ('MAC', ARRAY['Windows', 'WindowsServer', 'Linux', 'macOS']),
  ('DOMAIN', ARRAY['Windows', 'WindowsServer']), ('MFA', ARRAY['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS']),
  ('PROCESS', ARRAY['Windows', 'WindowsServer', 'Linux', 'macOS']), ('PROCESS_MULTI', ARRAY['Windows', 'WindowsServer', 'Linux', 'macOS'])
) types (id, systems);`;

export async function up(knex: Knex): Promise<void> {
  for (const part of [routers, postureChecks, sessions, attributes, references, countTriggers, epochTriggers, grantTriggers, postureCheckTypes]) await knex.raw(part);
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
