/**
 * The base model: network state, keys, identities and their credentials, API sessions, configs, services and
 * service policies. Ids and names are `text COLLATE "C"` everywhere, references included: a mixed pair of
 * collations cannot use an index for a join. Times are `timestamptz(3)` from the database's clock.
 */
import type { Knex } from 'knex';
import { PENDING } from './gin.js';

/** Columns every entity has, in the order of the wire's base fields. */
const base = `
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false`;

const network = `
CREATE TABLE network (
  singleton boolean PRIMARY KEY DEFAULT true CONSTRAINT network_is_single CHECK (singleton),
  trust_domain text NOT NULL,
  master_key_check text NOT NULL,
  advertise text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- One row per signing entity and generation; the highest generation is the one in use.
CREATE TABLE pki_entities (
  purpose text COLLATE "C" NOT NULL CONSTRAINT pki_entities_purpose CHECK (purpose IN ('root', 'intermediate', 'server')),
  generation integer NOT NULL,
  sealed_key bytea NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  not_before timestamptz(3) NOT NULL,
  not_after timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT pki_entities_pkey PRIMARY KEY (purpose, generation)
);

-- The controller's own word on a network, such as the network enrollment JWT: signed once, read often.
CREATE TABLE network_jwts (
  name text COLLATE "C" PRIMARY KEY,
  token text NOT NULL,
  signed_by text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Controllers that share this database; each one tells from time to time that it lives.
CREATE TABLE controllers (${base},
  name text COLLATE "C" NOT NULL,
  ctrl_address text COLLATE "C",
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  api_addresses jsonb NOT NULL,
  last_joined_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT controllers_pkey PRIMARY KEY (id),
  CONSTRAINT controllers_name_key UNIQUE (name)
);

-- What caches compare against. 'access' moves with everything that decides who reaches what; its content only with
-- what there is to be reached, and not with who is granted what.
CREATE TABLE model_epochs (
  name text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT 1,
  moved_at timestamptz(3) NOT NULL DEFAULT now(),
  moved_by xid8,
  content bigint NOT NULL DEFAULT 1,
  content_by xid8
);
INSERT INTO model_epochs (name) VALUES ('access');

-- Unfiltered totals, spread over slots: a writer takes one that nobody holds, so that none ever waits for another.
CREATE SEQUENCE entity_count_slots AS integer;
CREATE TABLE entity_counts (
  kind text COLLATE "C" NOT NULL,
  slot integer NOT NULL DEFAULT nextval('entity_count_slots'),
  total bigint NOT NULL,
  CONSTRAINT entity_counts_pkey PRIMARY KEY (kind, slot)
) WITH (fillfactor = 50);`;

const identities = `
CREATE TABLE auth_policies (${base},
  name text COLLATE "C" NOT NULL,
  cert_allowed boolean NOT NULL,
  cert_allow_expired boolean NOT NULL,
  ext_jwt_allowed boolean NOT NULL,
  ext_jwt_allowed_signers text[] COLLATE "C" NOT NULL DEFAULT '{}',
  updb_allowed boolean NOT NULL,
  updb_min_password_length integer NOT NULL,
  updb_require_mixed_case boolean NOT NULL,
  updb_require_number_char boolean NOT NULL,
  updb_require_special_char boolean NOT NULL,
  updb_max_attempts integer NOT NULL,
  updb_lockout_minutes integer NOT NULL,
  require_totp boolean NOT NULL,
  require_ext_jwt_signer_id text COLLATE "C",
  CONSTRAINT auth_policies_pkey PRIMARY KEY (id),
  CONSTRAINT auth_policies_name_key UNIQUE (name)
);

CREATE TABLE identity_types (${base},
  name text COLLATE "C" NOT NULL,
  CONSTRAINT identity_types_pkey PRIMARY KEY (id),
  CONSTRAINT identity_types_name_key UNIQUE (name)
);

CREATE TABLE identities (${base},
  name text COLLATE "C" NOT NULL,
  type_id text COLLATE "C" NOT NULL CONSTRAINT identities_type_fkey REFERENCES identity_types (id),
  is_admin boolean NOT NULL,
  is_default_admin boolean NOT NULL DEFAULT false,
  external_id text COLLATE "C",
  auth_policy_id text COLLATE "C" NOT NULL CONSTRAINT identities_auth_policy_fkey REFERENCES auth_policies (id),
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  permissions text[] COLLATE "C" NOT NULL DEFAULT '{}',
  app_data jsonb NOT NULL DEFAULT '{}',
  default_hosting_cost integer NOT NULL DEFAULT 0
    CONSTRAINT identities_hosting_cost CHECK (default_hosting_cost BETWEEN 0 AND 65535),
  default_hosting_precedence text COLLATE "C" NOT NULL DEFAULT 'default'
    CONSTRAINT identities_hosting_precedence CHECK (default_hosting_precedence IN ('default', 'required', 'failed')),
  env_info jsonb NOT NULL DEFAULT '{}',
  sdk_info jsonb NOT NULL DEFAULT '{}',
  disabled_at timestamptz(3),
  disabled_until timestamptz(3),
  CONSTRAINT identities_pkey PRIMARY KEY (id),
  CONSTRAINT identities_name_key UNIQUE (name),
  CONSTRAINT identities_external_id_key UNIQUE (external_id),
  CONSTRAINT identities_disabled CHECK (disabled_until IS NULL OR disabled_at IS NOT NULL)
);
CREATE UNIQUE INDEX identities_one_default_admin ON identities (is_default_admin) WHERE is_default_admin;
CREATE INDEX identities_auth_policy ON identities (auth_policy_id, id);
CREATE INDEX identities_type ON identities (type_id, id);
CREATE INDEX identities_created_at ON identities (created_at, id);
CREATE INDEX identities_updated_at ON identities (updated_at, id);
CREATE INDEX identities_role_attributes ON identities USING gin (role_attributes) ${PENDING};
CREATE INDEX identities_name_letters ON identities USING gin (name gin_trgm_ops) ${PENDING};
CREATE INDEX identities_name_any_case ON identities USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) ${PENDING};

CREATE TABLE authenticators (${base},
  identity_id text COLLATE "C" NOT NULL
    CONSTRAINT authenticators_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  method text COLLATE "C" NOT NULL CONSTRAINT authenticators_method CHECK (method IN ('updb', 'cert')),
  username text COLLATE "C",
  password_hash text,
  failed_attempts integer NOT NULL DEFAULT 0,
  cert_pem text,
  fingerprint text COLLATE "C",
  CONSTRAINT authenticators_pkey PRIMARY KEY (id),
  CONSTRAINT authenticators_username_key UNIQUE (username),
  CONSTRAINT authenticators_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT authenticators_shape CHECK (
    CASE method
      WHEN 'updb' THEN username IS NOT NULL AND password_hash IS NOT NULL AND cert_pem IS NULL AND fingerprint IS NULL
      ELSE username IS NULL AND password_hash IS NULL AND cert_pem IS NOT NULL AND fingerprint IS NOT NULL
    END)
);
CREATE INDEX authenticators_identity ON authenticators (identity_id, id);
CREATE UNIQUE INDEX authenticators_one_updb ON authenticators (identity_id) WHERE method = 'updb';

CREATE TABLE enrollments (${base},
  method text COLLATE "C" NOT NULL
    CONSTRAINT enrollments_method CHECK (method IN ('ott', 'ottca', 'updb', 'erott', 'trott')),
  identity_id text COLLATE "C" CONSTRAINT enrollments_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  ca_id text COLLATE "C",
  username text COLLATE "C",
  token uuid NOT NULL,
  jwt text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT enrollments_pkey PRIMARY KEY (id),
  CONSTRAINT enrollments_token_key UNIQUE (token),
  CONSTRAINT enrollments_one_per_method UNIQUE (identity_id, method),
  CONSTRAINT enrollments_username CHECK (method <> 'updb' OR username IS NOT NULL)
);

CREATE TABLE api_sessions (${base},
  identity_id text COLLATE "C" NOT NULL
    CONSTRAINT api_sessions_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  authenticator_id text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL,
  ip_address text NOT NULL,
  config_types text[] COLLATE "C" NOT NULL DEFAULT '{}',
  is_mfa_required boolean NOT NULL DEFAULT false,
  is_mfa_complete boolean NOT NULL DEFAULT false,
  improper_client_cert_chain boolean NOT NULL DEFAULT false,
  last_activity_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT api_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT api_sessions_token_key UNIQUE (token_hash)
) WITH (fillfactor = 80);
CREATE INDEX api_sessions_identity ON api_sessions (identity_id, id);
CREATE INDEX api_sessions_last_activity ON api_sessions (last_activity_at, id);
CREATE INDEX api_sessions_authenticator ON api_sessions (authenticator_id);`;

const services = `
CREATE TABLE config_types (${base},
  name text COLLATE "C" NOT NULL,
  schema jsonb,
  target text COLLATE "C" CONSTRAINT config_types_target CHECK (target IN ('service', 'router')),
  CONSTRAINT config_types_pkey PRIMARY KEY (id),
  CONSTRAINT config_types_name_key UNIQUE (name)
);

CREATE TABLE configs (${base},
  name text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL CONSTRAINT configs_type_fkey REFERENCES config_types (id),
  data jsonb NOT NULL,
  CONSTRAINT configs_pkey PRIMARY KEY (id),
  CONSTRAINT configs_name_key UNIQUE (name),
  CONSTRAINT configs_with_type_key UNIQUE (id, config_type_id)
);
CREATE INDEX configs_type ON configs (config_type_id, id);
CREATE INDEX configs_name_letters ON configs USING gin (name gin_trgm_ops) ${PENDING};
CREATE INDEX configs_name_any_case ON configs USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) ${PENDING};

CREATE TABLE services (${base},
  name text COLLATE "C" NOT NULL,
  encryption_required boolean NOT NULL,
  terminator_strategy text COLLATE "C" NOT NULL DEFAULT 'smartrouting'
    CONSTRAINT services_terminator_strategy CHECK (terminator_strategy IN ('smartrouting', 'weighted', 'random', 'sticky')),
  max_idle_time_millis bigint NOT NULL DEFAULT 0,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT services_pkey PRIMARY KEY (id),
  CONSTRAINT services_name_key UNIQUE (name)
);
CREATE INDEX services_role_attributes ON services USING gin (role_attributes) ${PENDING};
CREATE INDEX services_name_letters ON services USING gin (name gin_trgm_ops) ${PENDING};
CREATE INDEX services_name_any_case ON services USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) ${PENDING};
CREATE INDEX services_created_at ON services (created_at, id);

-- One config of each type per service: the type stands here too, held to the config's own by the reference.
CREATE TABLE service_configs (
  service_id text COLLATE "C" NOT NULL
    CONSTRAINT service_configs_service_fkey REFERENCES services (id) ON DELETE CASCADE,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT service_configs_pkey PRIMARY KEY (service_id, config_id),
  CONSTRAINT service_configs_one_per_type UNIQUE (service_id, config_type_id),
  CONSTRAINT service_configs_config_fkey FOREIGN KEY (config_id, config_type_id) REFERENCES configs (id, config_type_id)
);
CREATE INDEX service_configs_config ON service_configs (config_id, service_id);

CREATE TABLE identity_hostings (
  identity_id text COLLATE "C" NOT NULL
    CONSTRAINT identity_hostings_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  service_id text COLLATE "C" NOT NULL
    CONSTRAINT identity_hostings_service_fkey REFERENCES services (id) ON DELETE CASCADE,
  cost integer CONSTRAINT identity_hostings_cost CHECK (cost BETWEEN 0 AND 65535),
  precedence text COLLATE "C"
    CONSTRAINT identity_hostings_precedence CHECK (precedence IN ('default', 'required', 'failed')),
  CONSTRAINT identity_hostings_pkey PRIMARY KEY (identity_id, service_id)
);
CREATE INDEX identity_hostings_service ON identity_hostings (service_id);

CREATE TABLE service_policies (${base},
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CONSTRAINT service_policies_type CHECK (type IN ('Dial', 'Bind')),
  semantic text COLLATE "C" NOT NULL CONSTRAINT service_policies_semantic CHECK (semantic IN ('AllOf', 'AnyOf')),
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  service_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  posture_check_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT service_policies_pkey PRIMARY KEY (id),
  CONSTRAINT service_policies_name_key UNIQUE (name)
);
CREATE INDEX service_policies_identity_roles ON service_policies USING gin (identity_roles) ${PENDING};
CREATE INDEX service_policies_service_roles ON service_policies USING gin (service_roles) ${PENDING};
CREATE INDEX service_policies_posture_check_roles ON service_policies USING gin (posture_check_roles) ${PENDING};
CREATE INDEX service_policies_name_letters ON service_policies USING gin (name gin_trgm_ops) ${PENDING};
CREATE INDEX service_policies_name_any_case ON service_policies USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) ${PENDING};

-- What an identity last saw of its services: compared when it asks, not when a policy changes.
CREATE TABLE service_views (
  identity_id text COLLATE "C" NOT NULL
    CONSTRAINT service_views_identity_fkey REFERENCES identities (id) ON DELETE CASCADE,
  config_types text[] COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  digest bytea NOT NULL,
  -- The grants and the content that the digest was made of; null: they moved meanwhile.
  state bytea,
  changed_at timestamptz(3) NOT NULL,
  CONSTRAINT service_views_pkey PRIMARY KEY (identity_id, config_types)
);`;

/**
 * Two role lists meet an entity here. Mirrors \`selects\` in domain/policy/roles.ts; both run test/cases.
 * Written as a plain SQL function so that the planner inlines it.
 */
const access = `
CREATE FUNCTION role_selects(semantic text, roles text[], entity_id text, attributes text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT roles = ARRAY['#all']
    OR ('@' || entity_id) = ANY (roles)
    OR CASE semantic
         WHEN 'AnyOf' THEN EXISTS (SELECT FROM unnest(attributes) a WHERE ('#' || a) = ANY (roles))
         ELSE EXISTS (SELECT FROM unnest(roles) r WHERE r LIKE '#%')
          AND NOT EXISTS (SELECT FROM unnest(roles) r WHERE r LIKE '#%' AND substr(r, 2) <> ALL (attributes))
       END
$$;

-- Every selector that could name this entity: what a policy's role list must overlap to be worth a look.
CREATE FUNCTION selectors_of(entity_id text, attributes text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg('#' || a COLLATE "C") || ARRAY['@' || entity_id, '#all'] FROM unnest(attributes) a
$$;`;

const triggers = `
CREATE FUNCTION count_entities() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE delta bigint;
BEGIN
  IF TG_OP = 'INSERT' THEN SELECT count(*) INTO delta FROM changed;
  ELSE SELECT -count(*) INTO delta FROM changed; END IF;
  IF delta <> 0 THEN
    UPDATE entity_counts SET total = total + delta WHERE kind = TG_TABLE_NAME
      AND slot = (SELECT slot FROM entity_counts WHERE kind = TG_TABLE_NAME LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN INSERT INTO entity_counts (kind, total) VALUES (TG_TABLE_NAME, delta); END IF;
  END IF;
  RETURN NULL;
END $$;

-- Runs at commit, once per transaction: the one row that all such writers share is held for that moment only, and
-- always as the last lock, so that no two of them can wait for each other.
CREATE FUNCTION move_access_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE is_content CONSTANT boolean := TG_TABLE_NAME NOT IN ('service_policies', 'identities');
BEGIN
  UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp(), moved_by = pg_current_xact_id(),
    content = content + is_content::integer, content_by = CASE WHEN is_content THEN pg_current_xact_id() ELSE content_by END
  WHERE name = 'access' AND CASE WHEN is_content THEN content_by ELSE moved_by END IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'access'); END IF;
  RETURN NULL;
END $$;

-- Policies are locked in the order of their ids: two deletes that share several of them wait, and never for each other.
CREATE FUNCTION forget_selectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'identities' THEN
    PERFORM FROM service_policies WHERE identity_roles @> ARRAY['@' || OLD.id] ORDER BY id FOR NO KEY UPDATE;
    UPDATE service_policies SET identity_roles = array_remove(identity_roles, '@' || OLD.id),
      updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE identity_roles @> ARRAY['@' || OLD.id];
  ELSE
    PERFORM FROM service_policies WHERE service_roles @> ARRAY['@' || OLD.id] ORDER BY id FOR NO KEY UPDATE;
    UPDATE service_policies SET service_roles = array_remove(service_roles, '@' || OLD.id),
      updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE service_roles @> ARRAY['@' || OLD.id];
  END IF;
  RETURN NULL;
END $$;

-- Other controllers hold copies of sessions: tell them which to drop. A long list is told as one "all".
CREATE FUNCTION tell_sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids text; n bigint;
BEGIN
  SELECT count(*), string_agg(id, ' ') INTO n, ids FROM (SELECT id FROM gone LIMIT 200) g;
  IF n > 0 THEN PERFORM pg_notify('edge', 'session ' || CASE WHEN n < 200 THEN ids ELSE '*' END); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tell_identity_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM api_sessions WHERE identity_id = NEW.id) THEN
    PERFORM pg_notify('edge', 'identity ' || NEW.id);
  END IF;
  RETURN NULL;
END $$;`;

const counted = ['controllers', 'auth_policies', 'identity_types', 'identities', 'authenticators', 'enrollments', 'api_sessions',
  'config_types', 'configs', 'services', 'service_policies'];

const countTriggers = counted.map((table) => `
CREATE TRIGGER ${table}_counted_in AFTER INSERT ON ${table}
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER ${table}_counted_out AFTER DELETE ON ${table}
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();`).join('');

const epochTriggers = ['services', 'configs', 'service_configs', 'service_policies'].map((table) => `
CREATE CONSTRAINT TRIGGER ${table}_move_access AFTER INSERT OR UPDATE OR DELETE ON ${table}
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();`).join('') + `
CREATE CONSTRAINT TRIGGER identities_move_access AFTER UPDATE OF role_attributes ON identities
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes) EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER config_types_move_access AFTER UPDATE OF name ON config_types
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION move_access_epoch();`;

const otherTriggers = `
CREATE TRIGGER identities_forget_selectors AFTER DELETE ON identities
  FOR EACH ROW EXECUTE FUNCTION forget_selectors();
CREATE TRIGGER services_forget_selectors AFTER DELETE ON services
  FOR EACH ROW EXECUTE FUNCTION forget_selectors();
CREATE TRIGGER api_sessions_tell_gone AFTER DELETE ON api_sessions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_gone();
CREATE TRIGGER identities_tell_changed AFTER UPDATE ON identities
  FOR EACH ROW WHEN (
    (OLD.name, OLD.is_admin, OLD.is_default_admin, OLD.auth_policy_id, OLD.disabled_at, OLD.disabled_until, OLD.role_attributes)
    IS DISTINCT FROM
    (NEW.name, NEW.is_admin, NEW.is_default_admin, NEW.auth_policy_id, NEW.disabled_at, NEW.disabled_until, NEW.role_attributes))
  EXECUTE FUNCTION tell_identity_changed();`;

export async function up(knex: Knex): Promise<void> {
  for (const part of [network, identities, services, access, triggers, countTriggers, epochTriggers, otherTriggers]) {
    await knex.raw(part);
  }
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
