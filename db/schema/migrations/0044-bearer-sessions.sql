-- API sessions of logins by OpenID Connect. Their clients show signed tokens that name the session, so no token has the
-- hash that their row must have, and routers are never sent one.
ALTER TABLE api_sessions
  -- The end of such a session, whatever it does; null for one that ends when it is not used.
  ADD COLUMN expires_at timestamp(3) with time zone,
  -- A certificate was made for it: from then on its token alone opens nothing of administration. Never false again.
  ADD COLUMN is_certificate_bound boolean NOT NULL DEFAULT false;
CREATE INDEX api_sessions_expires_at ON api_sessions (expires_at) WHERE expires_at IS NOT NULL;

-- Made while no router could know the token of its session, or by one who proved such a certificate: who shows it is
-- the session's own client.
ALTER TABLE api_session_certificates ADD COLUMN is_proof boolean NOT NULL DEFAULT false;

-- Tokens of such a session: all come from one login, and end together. Refresh tokens are known by hashes of their ids.
CREATE TABLE token_families (
  api_session_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text[] COLLATE "C" NOT NULL,
  authenticated_at timestamp(3) with time zone NOT NULL,
  ends_at timestamp(3) with time zone NOT NULL,
  -- Null without the scope offline_access.
  refresh_hash bytea,
  previous_hash bytea,
  rotated_at timestamp(3) with time zone,
  CONSTRAINT token_families_pkey PRIMARY KEY (api_session_id),
  CONSTRAINT token_families_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions (id) ON DELETE CASCADE
);

-- Logins that are under way. They are for ten minutes, so nothing of them is recorded.
CREATE TABLE auth_requests (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL,
  -- The network that the client came from: as many as one has are bounded.
  network text COLLATE "C" NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  redirect_uri text NOT NULL,
  state text,
  nonce text,
  scopes text[] COLLATE "C" NOT NULL,
  code_challenge text COLLATE "C" NOT NULL,
  config_types text[] COLLATE "C" NOT NULL,
  address text NOT NULL,
  -- The session that the login opened last; it may have ended since.
  api_session_id text COLLATE "C",
  -- A token of the signer that the auth policy requires came with that login.
  is_second_token_shown boolean NOT NULL DEFAULT false,
  authenticated_at timestamp(3) with time zone,
  code_issued_at timestamp(3) with time zone,
  code_used_at timestamp(3) with time zone,
  CONSTRAINT auth_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX auth_requests_expires_at ON auth_requests (expires_at);
CREATE INDEX auth_requests_network ON auth_requests (network);

-- A token was revoked by its id: controllers forget that they have verified it.
CREATE FUNCTION tell_token_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'revoked ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER revocations_tell_token AFTER INSERT OR UPDATE ON revocations FOR EACH ROW WHEN (NEW.type = 'JTI')
  EXECUTE FUNCTION tell_token_revoked();
CREATE TRIGGER api_sessions_tell_bound AFTER UPDATE OF is_certificate_bound ON api_sessions FOR EACH ROW
  WHEN (OLD.is_certificate_bound IS DISTINCT FROM NEW.is_certificate_bound) EXECUTE FUNCTION tell_session_mfa_changed();
