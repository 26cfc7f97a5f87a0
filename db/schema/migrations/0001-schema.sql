-- The schema of the first release. To try it in an empty database: psql -v ON_ERROR_STOP=1 -f 0001-schema.sql
--
-- Rules that hold throughout:
-- * Ids and names are text COLLATE "C", references included: a join of two collations cannot use an index.
-- * Times are timestamptz(3), by the clock of the database.
-- * Every entity has the columns id, created_at, updated_at, tags and is_system, in this order.
-- * A GIN index queues new entries and files them in bulk. A reader has to search the queue too, so it may hold
--   128 KiB and not the usual 4 MiB: a filter on names right after many inserts then takes 1 ms and not 7.

CREATE EXTENSION IF NOT EXISTS pg_trgm;


-- ==== The network and its controllers ====

CREATE TABLE network (
  singleton boolean NOT NULL DEFAULT true,
  trust_domain text NOT NULL,
  master_key_check text NOT NULL,
  advertise text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT network_pkey PRIMARY KEY (singleton),
  CONSTRAINT network_is_single CHECK (singleton)
);

-- The keys that the controllers sign with. The highest generation of a purpose is in use.
CREATE TABLE pki_entities (
  purpose text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  sealed_key bytea NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  not_before timestamptz(3) NOT NULL,
  not_after timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT pki_entities_pkey PRIMARY KEY (purpose, generation),
  CONSTRAINT pki_entities_purpose CHECK (purpose IN ('root', 'intermediate', 'server'))
);

-- JWTs about the network itself, such as the one for network enrollment: signed once, read often.
CREATE TABLE network_jwts (
  name text COLLATE "C" NOT NULL,
  token text NOT NULL,
  signed_by text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT network_jwts_pkey PRIMARY KEY (name)
);

-- Every certificate that was issued, written in the transaction that issues it. The subject may be deleted later, so
-- there is no reference to it.
CREATE TABLE issued_certificates (
  serial_number text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  issuer_fingerprint text COLLATE "C" NOT NULL,
  not_before timestamptz(3) NOT NULL,
  not_after timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT issued_certificates_pkey PRIMARY KEY (serial_number),
  CONSTRAINT issued_certificates_kind
    CHECK (kind IN ('identity', 'apiSession', 'router', 'routerServer', 'server', 'intermediate'))
);
CREATE INDEX issued_certificates_subject ON issued_certificates (subject_id, created_at);
CREATE INDEX issued_certificates_end ON issued_certificates (not_after);

-- The controllers that share this database. Each updates last_seen_at while it runs.
CREATE TABLE controllers (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
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

-- CAs of third parties that the network trusts.
CREATE TABLE cas (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  is_verified boolean NOT NULL DEFAULT false,
  verification_token uuid NOT NULL,
  is_auth_enabled boolean NOT NULL,
  is_auto_ca_enrollment_enabled boolean NOT NULL,
  is_ott_ca_enrollment_enabled boolean NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  identity_name_format text NOT NULL,
  external_id_claim jsonb,
  CONSTRAINT cas_pkey PRIMARY KEY (id),
  CONSTRAINT cas_name_key UNIQUE (name),
  CONSTRAINT cas_fingerprint_key UNIQUE (fingerprint)
);


-- ==== Identities ====

CREATE TABLE auth_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
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

CREATE TABLE identity_types (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  CONSTRAINT identity_types_pkey PRIMARY KEY (id),
  CONSTRAINT identity_types_name_key UNIQUE (name)
);

CREATE TABLE identities (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  type_id text COLLATE "C" NOT NULL,
  is_admin boolean NOT NULL,
  is_default_admin boolean NOT NULL DEFAULT false,
  external_id text COLLATE "C",
  auth_policy_id text COLLATE "C" NOT NULL,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  permissions text[] COLLATE "C" NOT NULL DEFAULT '{}',
  app_data jsonb NOT NULL DEFAULT '{}',
  default_hosting_cost integer NOT NULL DEFAULT 0,
  default_hosting_precedence text COLLATE "C" NOT NULL DEFAULT 'default',
  env_info jsonb NOT NULL DEFAULT '{}',
  sdk_info jsonb NOT NULL DEFAULT '{}',
  disabled_at timestamptz(3),
  disabled_until timestamptz(3),
  CONSTRAINT identities_pkey PRIMARY KEY (id),
  CONSTRAINT identities_name_key UNIQUE (name),
  CONSTRAINT identities_external_id_key UNIQUE (external_id),
  CONSTRAINT identities_type_fkey FOREIGN KEY (type_id) REFERENCES identity_types (id),
  CONSTRAINT identities_auth_policy_fkey FOREIGN KEY (auth_policy_id) REFERENCES auth_policies (id),
  CONSTRAINT identities_hosting_cost CHECK (default_hosting_cost BETWEEN 0 AND 65535),
  CONSTRAINT identities_hosting_precedence CHECK (default_hosting_precedence IN ('default', 'required', 'failed')),
  CONSTRAINT identities_disabled CHECK (disabled_until IS NULL OR disabled_at IS NOT NULL),
  CONSTRAINT identities_default_admin CHECK (NOT is_default_admin OR (is_admin AND disabled_at IS NULL))
);
CREATE UNIQUE INDEX identities_one_default_admin ON identities (is_default_admin) WHERE is_default_admin;
CREATE INDEX identities_administrators ON identities (id) WHERE is_admin OR is_default_admin;
CREATE INDEX identities_auth_policy ON identities (auth_policy_id, id);
CREATE INDEX identities_type ON identities (type_id, id);
CREATE INDEX identities_created_at ON identities (created_at, id);
CREATE INDEX identities_updated_at ON identities (updated_at, id);
CREATE INDEX identities_role_attributes ON identities USING gin (role_attributes) WITH (gin_pending_list_limit = 128);
CREATE INDEX identities_tags ON identities USING gin (tags jsonb_path_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX identities_name_letters ON identities USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX identities_name_any_case ON identities
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);


-- ==== Routers ====

-- Edge routers and transit routers. Only edge routers take part in access.
CREATE TABLE routers (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  is_edge boolean NOT NULL,
  cost integer NOT NULL DEFAULT 0,
  no_traversal boolean NOT NULL DEFAULT false,
  disabled boolean NOT NULL DEFAULT false,
  is_tunneler_enabled boolean NOT NULL DEFAULT false,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  app_data jsonb NOT NULL DEFAULT '{}',
  ctrl_chan_listeners jsonb NOT NULL DEFAULT '{}',
  hostname text NOT NULL DEFAULT '',
  fingerprint text COLLATE "C",
  cert_pem text,
  unverified_fingerprint text COLLATE "C",
  unverified_cert_pem text,
  CONSTRAINT routers_pkey PRIMARY KEY (id),
  CONSTRAINT routers_name_key UNIQUE (name),
  CONSTRAINT routers_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT routers_cost CHECK (cost BETWEEN 0 AND 65535),
  CONSTRAINT routers_tunneler CHECK (is_edge OR NOT is_tunneler_enabled)
);
CREATE INDEX routers_edge ON routers (id) WHERE is_edge;
CREATE INDEX routers_role_attributes ON routers USING gin (role_attributes) WITH (gin_pending_list_limit = 128);
CREATE INDEX routers_name_letters ON routers USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX routers_name_any_case ON routers
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);


-- ==== Logins: usernames, authenticators, enrollments, API sessions ====

-- Who holds a username: the identity that logs in with it, or that waits for its first password in an enrollment. One
-- identity may hold a name in both ways, two identities never hold the same name. Triggers fill this table, and the
-- references from authenticators and enrollments refuse a name that another identity holds.
CREATE TABLE usernames (
  username text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  CONSTRAINT usernames_pkey PRIMARY KEY (username, identity_id)
);
CREATE UNIQUE INDEX usernames_once ON usernames (username);

-- A certificate that was issued to extend an authenticator stays in the unverified columns until its holder has shown
-- it.
CREATE TABLE authenticators (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  identity_id text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  username text COLLATE "C",
  password_hash text,
  failed_attempts integer NOT NULL DEFAULT 0,
  cert_pem text,
  fingerprint text COLLATE "C",
  public_key_print text COLLATE "C",
  ca_id text COLLATE "C",
  is_issued_by_network boolean NOT NULL DEFAULT false,
  last_auth_resolved_to_root boolean NOT NULL DEFAULT false,
  extend_requested_at timestamptz(3),
  is_key_roll_requested boolean NOT NULL DEFAULT false,
  last_extend_rolled_keys boolean NOT NULL DEFAULT false,
  unverified_cert_pem text,
  unverified_fingerprint text COLLATE "C",
  unverified_public_key_print text COLLATE "C",
  CONSTRAINT authenticators_pkey PRIMARY KEY (id),
  CONSTRAINT authenticators_username_key UNIQUE (username),
  CONSTRAINT authenticators_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT authenticators_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT authenticators_username_fkey
    FOREIGN KEY (username, identity_id) REFERENCES usernames (username, identity_id),
  CONSTRAINT authenticators_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas (id) ON DELETE CASCADE,
  CONSTRAINT authenticators_method CHECK (method IN ('updb', 'cert')),
  CONSTRAINT authenticators_shape CHECK (
    CASE method
      WHEN 'updb' THEN username IS NOT NULL AND password_hash IS NOT NULL AND cert_pem IS NULL AND fingerprint IS NULL
      ELSE username IS NULL AND password_hash IS NULL AND cert_pem IS NOT NULL AND fingerprint IS NOT NULL
    END)
);
CREATE INDEX authenticators_identity ON authenticators (identity_id, id);
CREATE UNIQUE INDEX authenticators_one_updb ON authenticators (identity_id) WHERE method = 'updb';
CREATE INDEX authenticators_ca ON authenticators (ca_id) WHERE ca_id IS NOT NULL;

CREATE TABLE enrollments (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  method text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C",
  edge_router_id text COLLATE "C",
  transit_router_id text COLLATE "C",
  ca_id text COLLATE "C",
  username text COLLATE "C",
  token uuid NOT NULL,
  jwt text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT enrollments_pkey PRIMARY KEY (id),
  CONSTRAINT enrollments_token_key UNIQUE (token),
  CONSTRAINT enrollments_one_per_method UNIQUE (identity_id, method),
  CONSTRAINT enrollments_one_per_edge_router UNIQUE (edge_router_id),
  CONSTRAINT enrollments_one_per_transit_router UNIQUE (transit_router_id),
  CONSTRAINT enrollments_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT enrollments_edge_router_fkey FOREIGN KEY (edge_router_id) REFERENCES routers (id) ON DELETE CASCADE,
  CONSTRAINT enrollments_transit_router_fkey FOREIGN KEY (transit_router_id) REFERENCES routers (id) ON DELETE CASCADE,
  CONSTRAINT enrollments_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas (id) ON DELETE CASCADE,
  CONSTRAINT enrollments_username_fkey
    FOREIGN KEY (username, identity_id) REFERENCES usernames (username, identity_id),
  CONSTRAINT enrollments_method CHECK (method IN ('ott', 'ottca', 'updb', 'erott', 'trott')),
  CONSTRAINT enrollments_username CHECK (method <> 'updb' OR username IS NOT NULL)
);
CREATE INDEX enrollments_ca ON enrollments (ca_id) WHERE ca_id IS NOT NULL;
CREATE INDEX enrollments_username ON enrollments (username) WHERE username IS NOT NULL;

-- An identity that is found by a claim in its certificate has no authenticator: its API session refers to the CA.
-- Pages have free room, so that a new last_activity_at goes next to the old one and no index changes.
CREATE TABLE api_sessions (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  identity_id text COLLATE "C" NOT NULL,
  authenticator_id text COLLATE "C" NOT NULL,
  ca_id text COLLATE "C",
  token_hash bytea NOT NULL,
  ip_address text NOT NULL,
  config_types text[] COLLATE "C" NOT NULL DEFAULT '{}',
  is_mfa_required boolean NOT NULL DEFAULT false,
  is_mfa_complete boolean NOT NULL DEFAULT false,
  improper_client_cert_chain boolean NOT NULL DEFAULT false,
  last_activity_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT api_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT api_sessions_token_key UNIQUE (token_hash),
  CONSTRAINT api_sessions_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT api_sessions_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas (id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX api_sessions_identity ON api_sessions (identity_id, id);
CREATE INDEX api_sessions_authenticator ON api_sessions (authenticator_id);
CREATE INDEX api_sessions_ca ON api_sessions (ca_id) WHERE ca_id IS NOT NULL;
CREATE INDEX api_sessions_last_activity ON api_sessions (last_activity_at, id);

CREATE TABLE api_session_certificates (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  api_session_id text COLLATE "C" NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3) NOT NULL,
  CONSTRAINT api_session_certificates_pkey PRIMARY KEY (id),
  CONSTRAINT api_session_certificates_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT api_session_certificates_session_fkey
    FOREIGN KEY (api_session_id) REFERENCES api_sessions (id) ON DELETE CASCADE
);
CREATE INDEX api_session_certificates_session ON api_session_certificates (api_session_id, id);
CREATE INDEX api_session_certificates_end ON api_session_certificates (valid_to);


-- ==== Services and configs ====

CREATE TABLE config_types (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  schema jsonb,
  target text COLLATE "C",
  CONSTRAINT config_types_pkey PRIMARY KEY (id),
  CONSTRAINT config_types_name_key UNIQUE (name),
  CONSTRAINT config_types_target CHECK (target IN ('service', 'router'))
);

CREATE TABLE configs (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT configs_pkey PRIMARY KEY (id),
  CONSTRAINT configs_name_key UNIQUE (name),
  CONSTRAINT configs_with_type_key UNIQUE (id, config_type_id),
  CONSTRAINT configs_type_fkey FOREIGN KEY (config_type_id) REFERENCES config_types (id)
);
CREATE INDEX configs_type ON configs (config_type_id, id);
CREATE INDEX configs_name_letters ON configs USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX configs_name_any_case ON configs
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);

CREATE TABLE services (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  encryption_required boolean NOT NULL,
  terminator_strategy text COLLATE "C" NOT NULL DEFAULT 'smartrouting',
  max_idle_time_millis bigint NOT NULL DEFAULT 0,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT services_pkey PRIMARY KEY (id),
  CONSTRAINT services_name_key UNIQUE (name),
  CONSTRAINT services_terminator_strategy
    CHECK (terminator_strategy IN ('smartrouting', 'weighted', 'random', 'sticky'))
);
CREATE INDEX services_created_at ON services (created_at, id);
CREATE INDEX services_role_attributes ON services USING gin (role_attributes) WITH (gin_pending_list_limit = 128);
CREATE INDEX services_name_letters ON services USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX services_name_any_case ON services
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);

-- A service has at most one config of each type. The type is a column here too, so that a constraint can say so; the
-- reference keeps it equal to the type of the config.
CREATE TABLE service_configs (
  service_id text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT service_configs_pkey PRIMARY KEY (service_id, config_id),
  CONSTRAINT service_configs_one_per_type UNIQUE (service_id, config_type_id),
  CONSTRAINT service_configs_service_fkey FOREIGN KEY (service_id) REFERENCES services (id) ON DELETE CASCADE,
  CONSTRAINT service_configs_config_fkey
    FOREIGN KEY (config_id, config_type_id) REFERENCES configs (id, config_type_id)
);
CREATE INDEX service_configs_config ON service_configs (config_id, service_id);

-- The same for routers.
CREATE TABLE router_configs (
  router_id text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT router_configs_pkey PRIMARY KEY (router_id, config_id),
  CONSTRAINT router_configs_one_per_type UNIQUE (router_id, config_type_id),
  CONSTRAINT router_configs_router_fkey FOREIGN KEY (router_id) REFERENCES routers (id) ON DELETE CASCADE,
  CONSTRAINT router_configs_config_fkey
    FOREIGN KEY (config_id, config_type_id) REFERENCES configs (id, config_type_id)
);
CREATE INDEX router_configs_config ON router_configs (config_id, router_id);

-- What one identity gets for a service in place of the service's own config of that type.
CREATE TABLE identity_service_configs (
  identity_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT identity_service_configs_pkey PRIMARY KEY (identity_id, service_id, config_type_id),
  CONSTRAINT identity_service_configs_identity_fkey
    FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT identity_service_configs_service_fkey
    FOREIGN KEY (service_id) REFERENCES services (id) ON DELETE CASCADE,
  CONSTRAINT identity_service_configs_config_fkey
    FOREIGN KEY (config_id, config_type_id) REFERENCES configs (id, config_type_id) ON DELETE CASCADE
);
CREATE INDEX identity_service_configs_service ON identity_service_configs (service_id);
CREATE INDEX identity_service_configs_config ON identity_service_configs (config_id);

-- Cost and precedence of an identity for single services that it hosts.
CREATE TABLE identity_hostings (
  identity_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  cost integer,
  precedence text COLLATE "C",
  CONSTRAINT identity_hostings_pkey PRIMARY KEY (identity_id, service_id),
  CONSTRAINT identity_hostings_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT identity_hostings_service_fkey FOREIGN KEY (service_id) REFERENCES services (id) ON DELETE CASCADE,
  CONSTRAINT identity_hostings_cost CHECK (cost BETWEEN 0 AND 65535),
  CONSTRAINT identity_hostings_precedence CHECK (precedence IN ('default', 'required', 'failed'))
);
CREATE INDEX identity_hostings_service ON identity_hostings (service_id);

CREATE TABLE terminators (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  service_id text COLLATE "C" NOT NULL,
  router_id text COLLATE "C" NOT NULL,
  binding text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL DEFAULT '',
  instance_secret bytea,
  host_id text COLLATE "C" NOT NULL DEFAULT '',
  source_ctrl text COLLATE "C" NOT NULL DEFAULT '',
  cost integer NOT NULL DEFAULT 0,
  dynamic_cost integer NOT NULL DEFAULT 0,
  precedence text COLLATE "C" NOT NULL DEFAULT 'default',
  CONSTRAINT terminators_pkey PRIMARY KEY (id),
  CONSTRAINT terminators_service_fkey FOREIGN KEY (service_id) REFERENCES services (id) ON DELETE CASCADE,
  CONSTRAINT terminators_router_fkey FOREIGN KEY (router_id) REFERENCES routers (id) ON DELETE CASCADE,
  CONSTRAINT terminators_cost CHECK (cost BETWEEN 0 AND 65535),
  CONSTRAINT terminators_dynamic_cost CHECK (dynamic_cost BETWEEN 0 AND 65535),
  CONSTRAINT terminators_precedence CHECK (precedence IN ('default', 'required', 'failed'))
);
CREATE INDEX terminators_service ON terminators (service_id, id);
CREATE INDEX terminators_router ON terminators (router_id, id);


-- ==== Posture checks ====

CREATE TABLE posture_check_types (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  version text NOT NULL,
  operating_systems jsonb NOT NULL,
  CONSTRAINT posture_check_types_pkey PRIMARY KEY (id),
  CONSTRAINT posture_check_types_name_key UNIQUE (name)
);

-- The criteria are the fields that only this type has, normalised.
CREATE TABLE posture_checks (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  type_id text COLLATE "C" NOT NULL,
  version integer NOT NULL DEFAULT 1,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  criteria jsonb NOT NULL,
  CONSTRAINT posture_checks_pkey PRIMARY KEY (id),
  CONSTRAINT posture_checks_name_key UNIQUE (name),
  CONSTRAINT posture_checks_type CHECK (type_id IN ('OS', 'PROCESS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS_MULTI'))
);
CREATE INDEX posture_checks_role_attributes ON posture_checks
  USING gin (role_attributes) WITH (gin_pending_list_limit = 128);
CREATE INDEX posture_checks_name_letters ON posture_checks
  USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX posture_checks_name_any_case ON posture_checks
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);


-- ==== Policies ====
-- Roles are '#attribute', '@id' or '#all'.

CREATE TABLE service_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  service_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  posture_check_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT service_policies_pkey PRIMARY KEY (id),
  CONSTRAINT service_policies_name_key UNIQUE (name),
  CONSTRAINT service_policies_type CHECK (type IN ('Dial', 'Bind')),
  CONSTRAINT service_policies_semantic CHECK (semantic IN ('AllOf', 'AnyOf'))
);
CREATE INDEX service_policies_identity_roles ON service_policies
  USING gin (identity_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_policies_service_roles ON service_policies
  USING gin (service_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_policies_posture_check_roles ON service_policies
  USING gin (posture_check_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_policies_name_letters ON service_policies
  USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_policies_name_any_case ON service_policies
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);

CREATE TABLE edge_router_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  edge_router_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT edge_router_policies_pkey PRIMARY KEY (id),
  CONSTRAINT edge_router_policies_name_key UNIQUE (name),
  CONSTRAINT edge_router_policies_semantic CHECK (semantic IN ('AllOf', 'AnyOf'))
);
CREATE INDEX edge_router_policies_identity_roles ON edge_router_policies
  USING gin (identity_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX edge_router_policies_edge_router_roles ON edge_router_policies
  USING gin (edge_router_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX edge_router_policies_name_letters ON edge_router_policies
  USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX edge_router_policies_name_any_case ON edge_router_policies
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);

CREATE TABLE service_edge_router_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL,
  service_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  edge_router_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  CONSTRAINT service_edge_router_policies_pkey PRIMARY KEY (id),
  CONSTRAINT service_edge_router_policies_name_key UNIQUE (name),
  CONSTRAINT service_edge_router_policies_semantic CHECK (semantic IN ('AllOf', 'AnyOf'))
);
CREATE INDEX service_edge_router_policies_service_roles ON service_edge_router_policies
  USING gin (service_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_edge_router_policies_edge_router_roles ON service_edge_router_policies
  USING gin (edge_router_roles) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_edge_router_policies_name_letters ON service_edge_router_policies
  USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit = 128);
CREATE INDEX service_edge_router_policies_name_any_case ON service_edge_router_policies
  USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops) WITH (gin_pending_list_limit = 128);

-- Whether a list of roles selects an entity. The same rule is `selects` in domain/policy/roles.ts; both run the cases
-- of test/cases. It is a plain SQL function, so that the planner can inline it.
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

-- Every role that could select this entity. A policy that has none of them need not be looked at.
CREATE FUNCTION selectors_of(entity_id text, attributes text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg('#' || a COLLATE "C") || ARRAY['@' || entity_id, '#all'] FROM unnest(attributes) a
$$;


-- ==== Sessions ====

-- granted_epoch is the epoch 'grants' (model_epochs) at which a policy was last found to grant the session. A session
-- with an older one has to be checked again. Tokens are only looked up whole, and are too long for a B-tree.
CREATE TABLE sessions (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  api_session_id text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  granted_epoch bigint NOT NULL DEFAULT 0,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_one_per_use UNIQUE (api_session_id, service_id, type),
  CONSTRAINT sessions_api_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions (id) ON DELETE CASCADE,
  CONSTRAINT sessions_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE,
  CONSTRAINT sessions_service_fkey FOREIGN KEY (service_id) REFERENCES services (id) ON DELETE CASCADE,
  CONSTRAINT sessions_type CHECK (type IN ('Dial', 'Bind'))
);
CREATE INDEX sessions_identity ON sessions (identity_id, id);
CREATE INDEX sessions_service ON sessions (service_id);
CREATE INDEX sessions_granted_epoch ON sessions (granted_epoch);
CREATE INDEX sessions_token ON sessions USING hash (token);

-- What an identity last saw of its services. It is compared when the identity asks, and not when a policy changes.
-- state names the grants and the content that the digest was made of; it is null when they moved meanwhile.
CREATE TABLE service_views (
  identity_id text COLLATE "C" NOT NULL,
  config_types text[] COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  digest bytea NOT NULL,
  state bytea,
  changed_at timestamptz(3) NOT NULL,
  CONSTRAINT service_views_pkey PRIMARY KEY (identity_id, config_types),
  CONSTRAINT service_views_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE
);


-- ==== Epochs: numbers that caches compare ====

-- 'access' moves with everything that decides who reaches what. Its content moves only with what can be reached, and
-- not with who is granted it. 'grants' moves with what may take a grant away.
CREATE TABLE model_epochs (
  name text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL DEFAULT 1,
  moved_at timestamptz(3) NOT NULL DEFAULT now(),
  moved_by xid8,
  content bigint NOT NULL DEFAULT 1,
  content_by xid8,
  CONSTRAINT model_epochs_pkey PRIMARY KEY (name)
);

-- Runs at commit, once in a transaction: all such writers share this one row, and hold it for that moment only. It is
-- always their last lock, so no two of them can wait for each other.
CREATE FUNCTION move_access_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE is_content CONSTANT boolean := TG_TABLE_NAME NOT IN ('service_policies', 'identities');
BEGIN
  UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp(), moved_by = pg_current_xact_id(),
    content = content + is_content::integer,
    content_by = CASE WHEN is_content THEN pg_current_xact_id() ELSE content_by END
  WHERE name = 'access'
    AND CASE WHEN is_content THEN content_by ELSE moved_by END IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'access'); END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER services_move_access AFTER INSERT OR UPDATE OR DELETE ON services
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER configs_move_access AFTER INSERT OR UPDATE OR DELETE ON configs
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER service_configs_move_access AFTER INSERT OR UPDATE OR DELETE ON service_configs
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER service_policies_move_access AFTER INSERT OR UPDATE OR DELETE ON service_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER posture_checks_move_access AFTER INSERT OR UPDATE OR DELETE ON posture_checks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER identity_service_configs_move_access
  AFTER INSERT OR UPDATE OR DELETE ON identity_service_configs
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER identities_move_access AFTER UPDATE OF role_attributes ON identities
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes)
  EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER config_types_move_access AFTER UPDATE OF name ON config_types
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name)
  EXECUTE FUNCTION move_access_epoch();

-- The triggers below run when a change may take a grant away. A change that only adds roles or attributes leaves every
-- session what it has. A policy or a service may concern any number of sessions, so it moves the epoch that they are
-- compared with. An identity concerns its own sessions only, and marks them; whoever opens one holds the identity
-- meanwhile, so none is missed.

-- Runs at commit, once in a transaction, and after the access epoch: two that move both epochs wait for the first only.
CREATE FUNCTION move_grants_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp(), moved_by = pg_current_xact_id()
  WHERE name = 'grants' AND moved_by IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER service_policies_move_grants AFTER DELETE ON service_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_grants_epoch();
-- Not when forget_selector takes a deleted entity out of the lists: its id granted nothing to any other entity.
CREATE CONSTRAINT TRIGGER service_policies_narrow_grants
  AFTER UPDATE OF type, semantic, identity_roles, service_roles, posture_check_roles ON service_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (pg_trigger_depth() = 0 AND (
    OLD.type <> NEW.type OR OLD.semantic <> NEW.semantic OR OLD.posture_check_roles <> NEW.posture_check_roles
    OR OLD.identity_roles <> NEW.identity_roles AND NEW.identity_roles <> '{#all}'
      AND NOT (NEW.semantic = 'AnyOf' AND OLD.identity_roles <> '{#all}' AND NEW.identity_roles @> OLD.identity_roles)
    OR OLD.service_roles <> NEW.service_roles AND NEW.service_roles <> '{#all}'
      AND NOT (NEW.semantic = 'AnyOf' AND OLD.service_roles <> '{#all}' AND NEW.service_roles @> OLD.service_roles)))
  EXECUTE FUNCTION move_grants_epoch();
CREATE CONSTRAINT TRIGGER services_narrow_grants AFTER UPDATE OF role_attributes ON services
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NOT NEW.role_attributes @> OLD.role_attributes)
  EXECUTE FUNCTION move_grants_epoch();
-- A check that policies select from now on may fail.
CREATE CONSTRAINT TRIGGER posture_checks_narrow_grants AFTER INSERT OR UPDATE OF role_attributes ON posture_checks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_grants_epoch();

-- The notice is sent whether or not a session is found: one that is opened before the commit is not seen here.
CREATE FUNCTION doubt_sessions_of_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions WHERE identity_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE identity_id = NEW.id;
  PERFORM pg_notify('edge', 'grants');
  RETURN NULL;
END $$;
CREATE TRIGGER identities_doubt_sessions AFTER UPDATE OF role_attributes, disabled_at, disabled_until ON identities
  FOR EACH ROW WHEN (NOT NEW.role_attributes @> OLD.role_attributes
    OR (OLD.disabled_at, OLD.disabled_until) IS DISTINCT FROM (NEW.disabled_at, NEW.disabled_until))
  EXECUTE FUNCTION doubt_sessions_of_identity();


-- ==== Notices: what other controllers hold in memory and must read again ====

-- The ids of deleted API sessions; a long list is sent as 'session *'.
CREATE FUNCTION tell_sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids text; n bigint;
BEGIN
  SELECT count(*), string_agg(id, ' ') INTO n, ids FROM (SELECT id FROM gone LIMIT 200) g;
  IF n > 0 THEN PERFORM pg_notify('edge', 'session ' || CASE WHEN n < 200 THEN ids ELSE '*' END); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_tell_gone AFTER DELETE ON api_sessions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_gone();

-- Sent whether or not the identity has an API session: one that is opened before the commit is not seen here.
CREATE FUNCTION tell_identity_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER identities_tell_changed AFTER UPDATE ON identities
  FOR EACH ROW WHEN (
    (OLD.name, OLD.is_admin, OLD.is_default_admin, OLD.auth_policy_id, OLD.disabled_at, OLD.disabled_until,
      OLD.role_attributes)
    IS DISTINCT FROM
    (NEW.name, NEW.is_admin, NEW.is_default_admin, NEW.auth_policy_id, NEW.disabled_at, NEW.disabled_until,
      NEW.role_attributes))
  EXECUTE FUNCTION tell_identity_changed();

-- An API session shows whether its certificate is to be extended.
CREATE FUNCTION tell_extension_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.identity_id);
  RETURN NULL;
END $$;
CREATE TRIGGER authenticators_tell_extension
  AFTER UPDATE OF extend_requested_at, is_key_roll_requested ON authenticators
  FOR EACH ROW WHEN ((OLD.extend_requested_at, OLD.is_key_roll_requested)
    IS DISTINCT FROM (NEW.extend_requested_at, NEW.is_key_roll_requested))
  EXECUTE FUNCTION tell_extension_changed();


-- ==== What a delete takes along ====

-- The API sessions that an authenticator opened end with it, whatever deletes it.
CREATE FUNCTION end_sessions_of_authenticators() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM api_sessions s USING gone WHERE s.authenticator_id = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER authenticators_end_sessions AFTER DELETE ON authenticators
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_sessions_of_authenticators();

-- The role '@id' of a deleted entity leaves all policies. The arguments are pairs of a table and a column. Policies
-- are locked in the order of their ids, so two deletes that share policies never wait for each other in a circle.
CREATE FUNCTION forget_selector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 0 .. TG_NARGS / 2 - 1 LOOP
    EXECUTE format('SELECT FROM %1$I WHERE %2$I @> ARRAY[$1] ORDER BY id FOR NO KEY UPDATE',
      TG_ARGV[2 * i], TG_ARGV[2 * i + 1]) USING '@' || OLD.id;
    EXECUTE format('UPDATE %1$I SET %2$I = array_remove(%2$I, $1),
        updated_at = greatest(now(), updated_at + interval ''1 ms'')
      WHERE %2$I @> ARRAY[$1]', TG_ARGV[2 * i], TG_ARGV[2 * i + 1]) USING '@' || OLD.id;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER identities_forget_selectors AFTER DELETE ON identities FOR EACH ROW
  EXECUTE FUNCTION forget_selector('service_policies', 'identity_roles', 'edge_router_policies', 'identity_roles');
CREATE TRIGGER services_forget_selectors AFTER DELETE ON services FOR EACH ROW
  EXECUTE FUNCTION forget_selector('service_policies', 'service_roles',
    'service_edge_router_policies', 'service_roles');
CREATE TRIGGER routers_forget_selectors AFTER DELETE ON routers FOR EACH ROW
  EXECUTE FUNCTION forget_selector('edge_router_policies', 'edge_router_roles',
    'service_edge_router_policies', 'edge_router_roles');
CREATE TRIGGER posture_checks_forget_selectors AFTER DELETE ON posture_checks FOR EACH ROW
  EXECUTE FUNCTION forget_selector('service_policies', 'posture_check_roles');

-- Claims the name for the identity. When another identity holds it nothing is written here, and the reference to
-- usernames fails.
CREATE FUNCTION claim_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usernames (username, identity_id) VALUES (NEW.username, NEW.identity_id) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;

-- Gives the name back unless the identity still holds it in the other way. The lock waits for a transaction that claims
-- the name at the same time, whose row the next statement then sees.
CREATE FUNCTION release_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM usernames WHERE username = OLD.username AND identity_id = OLD.identity_id FOR UPDATE;
  DELETE FROM usernames u WHERE u.username = OLD.username AND u.identity_id = OLD.identity_id
    AND NOT EXISTS (SELECT FROM authenticators WHERE username = u.username AND identity_id = u.identity_id)
    AND NOT EXISTS (SELECT FROM enrollments WHERE identity_id = u.identity_id AND username = u.username);
  RETURN NULL;
END $$;

CREATE TRIGGER authenticators_claim_username BEFORE INSERT OR UPDATE OF username, identity_id ON authenticators
  FOR EACH ROW WHEN (NEW.username IS NOT NULL) EXECUTE FUNCTION claim_username();
CREATE TRIGGER authenticators_release_username AFTER DELETE ON authenticators
  FOR EACH ROW WHEN (OLD.username IS NOT NULL) EXECUTE FUNCTION release_username();
CREATE TRIGGER authenticators_replace_username AFTER UPDATE OF username, identity_id ON authenticators
  FOR EACH ROW WHEN (OLD.username IS NOT NULL
    AND (OLD.username, OLD.identity_id) IS DISTINCT FROM (NEW.username, NEW.identity_id))
  EXECUTE FUNCTION release_username();
CREATE TRIGGER enrollments_claim_username BEFORE INSERT OR UPDATE OF username, identity_id ON enrollments
  FOR EACH ROW WHEN (NEW.username IS NOT NULL) EXECUTE FUNCTION claim_username();
CREATE TRIGGER enrollments_release_username AFTER DELETE ON enrollments
  FOR EACH ROW WHEN (OLD.username IS NOT NULL) EXECUTE FUNCTION release_username();
CREATE TRIGGER enrollments_replace_username AFTER UPDATE OF username, identity_id ON enrollments
  FOR EACH ROW WHEN (OLD.username IS NOT NULL
    AND (OLD.username, OLD.identity_id) IS DISTINCT FROM (NEW.username, NEW.identity_id))
  EXECUTE FUNCTION release_username();


-- ==== Totals of entities ====

-- The total of a kind is the sum of its rows. A writer adds to one that no other writer holds, or to a new one, so
-- writers never wait for each other. Half of each page is free for the next versions of its rows.
CREATE SEQUENCE entity_count_slots AS integer;
CREATE TABLE entity_counts (
  kind text COLLATE "C" NOT NULL,
  slot integer NOT NULL DEFAULT nextval('entity_count_slots'),
  total bigint NOT NULL,
  CONSTRAINT entity_counts_pkey PRIMARY KEY (kind, slot)
) WITH (fillfactor = 50);

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

CREATE TRIGGER controllers_counted_in AFTER INSERT ON controllers
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER controllers_counted_out AFTER DELETE ON controllers
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER cas_counted_in AFTER INSERT ON cas
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER cas_counted_out AFTER DELETE ON cas
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER auth_policies_counted_in AFTER INSERT ON auth_policies
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER auth_policies_counted_out AFTER DELETE ON auth_policies
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identity_types_counted_in AFTER INSERT ON identity_types
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identity_types_counted_out AFTER DELETE ON identity_types
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identities_counted_in AFTER INSERT ON identities
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identities_counted_out AFTER DELETE ON identities
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER routers_counted_in AFTER INSERT ON routers
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER routers_counted_out AFTER DELETE ON routers
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER authenticators_counted_in AFTER INSERT ON authenticators
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER authenticators_counted_out AFTER DELETE ON authenticators
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER enrollments_counted_in AFTER INSERT ON enrollments
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER enrollments_counted_out AFTER DELETE ON enrollments
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_sessions_counted_in AFTER INSERT ON api_sessions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_sessions_counted_out AFTER DELETE ON api_sessions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_session_certificates_counted_in AFTER INSERT ON api_session_certificates
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_session_certificates_counted_out AFTER DELETE ON api_session_certificates
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER config_types_counted_in AFTER INSERT ON config_types
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER config_types_counted_out AFTER DELETE ON config_types
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER configs_counted_in AFTER INSERT ON configs
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER configs_counted_out AFTER DELETE ON configs
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER services_counted_in AFTER INSERT ON services
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER services_counted_out AFTER DELETE ON services
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER terminators_counted_in AFTER INSERT ON terminators
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER terminators_counted_out AFTER DELETE ON terminators
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_check_types_counted_in AFTER INSERT ON posture_check_types
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_check_types_counted_out AFTER DELETE ON posture_check_types
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_checks_counted_in AFTER INSERT ON posture_checks
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_checks_counted_out AFTER DELETE ON posture_checks
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_policies_counted_in AFTER INSERT ON service_policies
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_policies_counted_out AFTER DELETE ON service_policies
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER edge_router_policies_counted_in AFTER INSERT ON edge_router_policies
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER edge_router_policies_counted_out AFTER DELETE ON edge_router_policies
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_edge_router_policies_counted_in AFTER INSERT ON service_edge_router_policies
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_edge_router_policies_counted_out AFTER DELETE ON service_edge_router_policies
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER sessions_counted_in AFTER INSERT ON sessions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER sessions_counted_out AFTER DELETE ON sessions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();

-- ==== Role attributes in use ====

-- How many entities of a kind have an attribute: the sum of its rows (slots), none of which is below zero. So an
-- attribute is in use exactly while one of its slots is above zero.
CREATE SEQUENCE role_attribute_count_slots AS bigint;
CREATE TABLE role_attribute_counts (
  kind text COLLATE "C" NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  slot bigint NOT NULL DEFAULT nextval('role_attribute_count_slots'),
  uses bigint NOT NULL,
  CONSTRAINT role_attribute_counts_pkey PRIMARY KEY (kind, attribute, slot)
) WITH (fillfactor = 50);

-- Moves when an attribute of the kind comes into use or goes out of use. The epoch is the sum of its slots.
CREATE SEQUENCE role_attribute_epoch_slots AS bigint;
CREATE TABLE role_attribute_epochs (
  kind text COLLATE "C" NOT NULL,
  slot bigint NOT NULL DEFAULT nextval('role_attribute_epoch_slots'),
  epoch bigint NOT NULL,
  CONSTRAINT role_attribute_epochs_pkey PRIMARY KEY (kind, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION move_role_attribute_epoch(moved text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE role_attribute_epochs SET epoch = epoch + 1 WHERE kind = moved
    AND slot = (SELECT slot FROM role_attribute_epochs WHERE kind = moved LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN INSERT INTO role_attribute_epochs (kind, epoch) VALUES (moved, 1); END IF;
END $$;

-- Adds a use to a slot that no other writer holds, or to a new one. The fullest slot comes first, because it stays
-- above zero longest. Returns true when that slot was at zero: the row is held until the commit.
CREATE FUNCTION add_role_attribute(of_kind text, item text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE now_used bigint;
BEGIN
  UPDATE role_attribute_counts SET uses = uses + 1 WHERE kind = of_kind AND attribute = item
    AND slot = (SELECT slot FROM role_attribute_counts WHERE kind = of_kind AND attribute = item
      ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING uses INTO now_used;
  IF FOUND THEN RETURN now_used = 1; END IF;
  INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, 1);
  RETURN true;
END $$;

-- Takes a use from a slot that has one. When other writers hold all of these it waits for one and splits it in two, so
-- that as many writers as come at once soon find a slot each. Returns true when the slot is at zero now.
CREATE FUNCTION take_role_attribute(of_kind text, item text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  still_used bigint;
  held bigint;
  half bigint;
BEGIN
  -- A slot that was made since this statement began is seen by the next statement, so this ends after a few rounds.
  FOR attempt IN 1 .. 50 LOOP
    UPDATE role_attribute_counts SET uses = uses - 1 WHERE kind = of_kind AND attribute = item
      AND slot = (SELECT slot FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND uses > 0
        ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING uses INTO still_used;
    IF FOUND THEN RETURN still_used = 0; END IF;
    SELECT slot, uses / 2 INTO held, half FROM role_attribute_counts
      WHERE kind = of_kind AND attribute = item AND uses > 0 LIMIT 1 FOR UPDATE;
    IF half > 1 THEN
      UPDATE role_attribute_counts SET uses = uses - half WHERE kind = of_kind AND attribute = item AND slot = held;
      INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, half);
    END IF;
  END LOOP;
  RETURN true;
END $$;

-- Attributes are counted in the order of their names, so two writers never wait for each other in a circle.
CREATE FUNCTION count_role_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added text[] := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE NEW.role_attributes END;
  taken text[] := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE OLD.role_attributes END;
  item text;
  is_added boolean;
  has_moved boolean := false;
BEGIN
  FOR item, is_added IN
    SELECT a COLLATE "C", true FROM unnest(added) a WHERE a <> ALL (taken)
    UNION ALL SELECT a COLLATE "C", false FROM unnest(taken) a WHERE a <> ALL (added) ORDER BY 1
  LOOP
    IF is_added THEN has_moved := add_role_attribute(TG_TABLE_NAME, item) OR has_moved;
    ELSE has_moved := take_role_attribute(TG_TABLE_NAME, item) OR has_moved; END IF;
  END LOOP;
  IF has_moved THEN PERFORM move_role_attribute_epoch(TG_TABLE_NAME); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER identities_attributes_in AFTER INSERT ON identities
  FOR EACH ROW WHEN (NEW.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER identities_attributes_out AFTER DELETE ON identities
  FOR EACH ROW WHEN (OLD.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER identities_attributes_change AFTER UPDATE OF role_attributes ON identities
  FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes)
  EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER services_attributes_in AFTER INSERT ON services
  FOR EACH ROW WHEN (NEW.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER services_attributes_out AFTER DELETE ON services
  FOR EACH ROW WHEN (OLD.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER services_attributes_change AFTER UPDATE OF role_attributes ON services
  FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes)
  EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER routers_attributes_in AFTER INSERT ON routers
  FOR EACH ROW WHEN (NEW.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER routers_attributes_out AFTER DELETE ON routers
  FOR EACH ROW WHEN (OLD.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER routers_attributes_change AFTER UPDATE OF role_attributes ON routers
  FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes)
  EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER posture_checks_attributes_in AFTER INSERT ON posture_checks
  FOR EACH ROW WHEN (NEW.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER posture_checks_attributes_out AFTER DELETE ON posture_checks
  FOR EACH ROW WHEN (OLD.role_attributes <> '{}') EXECUTE FUNCTION count_role_attributes();
CREATE TRIGGER posture_checks_attributes_change AFTER UPDATE OF role_attributes ON posture_checks
  FOR EACH ROW WHEN (OLD.role_attributes IS DISTINCT FROM NEW.role_attributes)
  EXECUTE FUNCTION count_role_attributes();

-- ==== Built-in rows ====

INSERT INTO model_epochs (name) VALUES ('access'), ('grants');

-- Every operating system reports its version, addresses, processes and codes. Only Windows can join a domain.
INSERT INTO posture_check_types (id, name, version, operating_systems)
SELECT id, id, '1', (
  SELECT jsonb_agg(jsonb_build_object('type', system, 'versions', '[]'::jsonb) ORDER BY place)
  FROM unnest(systems) WITH ORDINALITY u (system, place))
FROM (VALUES
  ('OS', ARRAY['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS']),
  ('MAC', ARRAY['Windows', 'WindowsServer', 'Linux', 'macOS']),
  ('DOMAIN', ARRAY['Windows', 'WindowsServer']),
  ('MFA', ARRAY['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS']),
  ('PROCESS', ARRAY['Windows', 'WindowsServer', 'Linux', 'macOS']),
  ('PROCESS_MULTI', ARRAY['Windows', 'WindowsServer', 'Linux', 'macOS'])
) types (id, systems);
