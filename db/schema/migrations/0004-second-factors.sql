-- TOTP enrollments, and what API sessions owe because of them.

-- Secrets are sealed under the master key. A code of the step `last_step` or before it is spent.
CREATE TABLE mfas (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  identity_id text COLLATE "C" NOT NULL,
  is_verified boolean NOT NULL DEFAULT false,
  sealed_secret bytea NOT NULL,
  sealed_codes bytea[] NOT NULL,
  last_step bigint NOT NULL DEFAULT 0,
  failed_at timestamptz(3)[] NOT NULL DEFAULT '{}',
  blocked_until timestamptz(3),
  CONSTRAINT mfas_pkey PRIMARY KEY (id),
  CONSTRAINT mfas_identity_key UNIQUE (identity_id),
  CONSTRAINT mfas_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE
);
CREATE TRIGGER mfas_counted_in AFTER INSERT ON mfas
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER mfas_counted_out AFTER DELETE ON mfas
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();

-- Whether a session must have given a code is read from its identity and its policy; that it has done so is its own.
ALTER TABLE api_sessions DROP COLUMN is_mfa_required;

CREATE FUNCTION tell_mfa_verified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.identity_id);
  RETURN NULL;
END $$;
CREATE TRIGGER mfas_tell_verified AFTER UPDATE OF is_verified ON mfas
  FOR EACH ROW EXECUTE FUNCTION tell_mfa_verified();

-- A code that was given is worth nothing once its enrollment is gone, whatever deletes it.
CREATE FUNCTION forget_mfa_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_sessions SET is_mfa_complete = false WHERE identity_id = OLD.identity_id AND is_mfa_complete;
  PERFORM pg_notify('edge', 'identity ' || OLD.identity_id);
  RETURN NULL;
END $$;
CREATE TRIGGER mfas_forgotten_of_sessions AFTER DELETE ON mfas
  FOR EACH ROW EXECUTE FUNCTION forget_mfa_of_sessions();

CREATE FUNCTION tell_session_mfa_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'session ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_tell_mfa AFTER UPDATE OF is_mfa_complete ON api_sessions
  FOR EACH ROW WHEN (OLD.is_mfa_complete IS DISTINCT FROM NEW.is_mfa_complete)
  EXECUTE FUNCTION tell_session_mfa_changed();
