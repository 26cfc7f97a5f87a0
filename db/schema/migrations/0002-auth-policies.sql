-- External JWT signers, which auth policies refer to; how each API session was made; notices of changed policies.

CREATE TABLE external_jwt_signers (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  audience text COLLATE "C" NOT NULL,
  kid text COLLATE "C",
  cert_pem text COLLATE "C",
  fingerprint text COLLATE "C",
  common_name text COLLATE "C" NOT NULL DEFAULT '',
  not_before timestamptz(3),
  not_after timestamptz(3),
  jwks_endpoint text COLLATE "C",
  is_enabled boolean NOT NULL,
  use_external_id boolean NOT NULL,
  claims_property text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  external_auth_url text COLLATE "C",
  target_token text COLLATE "C" NOT NULL,
  enroll_to_cert_enabled boolean NOT NULL,
  enroll_to_token_enabled boolean NOT NULL,
  enroll_auth_policy_id text COLLATE "C" NOT NULL,
  enroll_name_claims_selector text COLLATE "C" NOT NULL,
  enroll_attribute_claims_selector text COLLATE "C" NOT NULL,
  CONSTRAINT external_jwt_signers_pkey PRIMARY KEY (id),
  CONSTRAINT external_jwt_signers_name_key UNIQUE (name),
  CONSTRAINT external_jwt_signers_issuer_key UNIQUE (issuer),
  CONSTRAINT external_jwt_signers_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT external_jwt_signers_enroll_auth_policy_fkey
    FOREIGN KEY (enroll_auth_policy_id) REFERENCES auth_policies (id),
  CONSTRAINT external_jwt_signers_one_key_source CHECK (num_nonnulls(cert_pem, jwks_endpoint) = 1),
  CONSTRAINT external_jwt_signers_target_token CHECK (target_token IN ('ACCESS', 'ID'))
);
CREATE INDEX external_jwt_signers_enroll_auth_policy ON external_jwt_signers (enroll_auth_policy_id);
CREATE TRIGGER external_jwt_signers_counted_in AFTER INSERT ON external_jwt_signers
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER external_jwt_signers_counted_out AFTER DELETE ON external_jwt_signers
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();

-- Which signers a policy accepts at a login; without any it accepts every one.
CREATE TABLE auth_policy_signers (
  auth_policy_id text COLLATE "C" NOT NULL,
  signer_id text COLLATE "C" NOT NULL,
  CONSTRAINT auth_policy_signers_pkey PRIMARY KEY (auth_policy_id, signer_id),
  CONSTRAINT auth_policy_signers_policy_fkey
    FOREIGN KEY (auth_policy_id) REFERENCES auth_policies (id) ON DELETE CASCADE,
  CONSTRAINT auth_policy_signers_signer_fkey FOREIGN KEY (signer_id) REFERENCES external_jwt_signers (id)
);
CREATE INDEX auth_policy_signers_signer ON auth_policy_signers (signer_id);

ALTER TABLE auth_policies DROP COLUMN ext_jwt_allowed_signers;
ALTER TABLE auth_policies
  ADD CONSTRAINT auth_policies_required_signer_fkey
    FOREIGN KEY (require_ext_jwt_signer_id) REFERENCES external_jwt_signers (id);
CREATE INDEX auth_policies_required_signer ON auth_policies (require_ext_jwt_signer_id)
  WHERE require_ext_jwt_signer_id IS NOT NULL;

-- What an identity's sessions may do depends on its policy: all copies of sessions are read again.
CREATE FUNCTION tell_auth_policy_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'session *');
  RETURN NULL;
END $$;
CREATE TRIGGER auth_policies_tell_changed AFTER UPDATE ON auth_policies
  FOR EACH STATEMENT EXECUTE FUNCTION tell_auth_policy_changed();
CREATE TRIGGER auth_policy_signers_tell_changed AFTER INSERT OR DELETE ON auth_policy_signers
  FOR EACH STATEMENT EXECUTE FUNCTION tell_auth_policy_changed();
CREATE TRIGGER external_jwt_signers_tell_changed AFTER UPDATE OR DELETE ON external_jwt_signers
  FOR EACH STATEMENT EXECUTE FUNCTION tell_auth_policy_changed();

-- A session ends once its identity's policy no longer accepts the way in which it was made.
ALTER TABLE api_sessions ADD COLUMN method text COLLATE "C";
ALTER TABLE api_sessions ADD COLUMN signer_id text COLLATE "C";
UPDATE api_sessions s SET method = CASE
  WHEN EXISTS (SELECT FROM authenticators a WHERE a.id = s.authenticator_id AND a.method = 'updb') THEN 'password'
  ELSE 'cert' END;
ALTER TABLE api_sessions ALTER COLUMN method SET NOT NULL;
ALTER TABLE api_sessions
  ADD CONSTRAINT api_sessions_method
    CHECK (method IN ('password', 'cert', 'ext-jwt') AND (method = 'ext-jwt') = (signer_id IS NOT NULL));
ALTER TABLE api_sessions
  ADD CONSTRAINT api_sessions_signer_fkey
    FOREIGN KEY (signer_id) REFERENCES external_jwt_signers (id) ON DELETE CASCADE;
CREATE INDEX api_sessions_signer ON api_sessions (signer_id) WHERE signer_id IS NOT NULL;
