-- What devices report, and the sessions that hang on it.

-- The sum of all that an API session's posture depends on moves with posture_revision: what was reported, and codes.
-- mfa_passed_at: when the last TOTP code was given in it.
ALTER TABLE api_sessions ADD COLUMN sdk_info jsonb NOT NULL DEFAULT '{}';
ALTER TABLE api_sessions ADD COLUMN mfa_passed_at timestamptz(3);
ALTER TABLE api_sessions ADD COLUMN posture_revision bigint NOT NULL DEFAULT 0;

-- What was reported in an API session; none for one that reported nothing. An event is the first since the last code.
CREATE TABLE api_session_postures (
  api_session_id text COLLATE "C" NOT NULL,
  reported jsonb NOT NULL,
  woken_at timestamptz(3),
  unlocked_at timestamptz(3),
  CONSTRAINT api_session_postures_pkey PRIMARY KEY (api_session_id),
  CONSTRAINT api_session_postures_session_fkey
    FOREIGN KEY (api_session_id) REFERENCES api_sessions (id) ON DELETE CASCADE
);

-- A grant may also end at a time of its own: when a posture check stops to pass unless something more is done.
ALTER TABLE sessions ADD COLUMN granted_until timestamptz(3) NOT NULL DEFAULT 'infinity';
CREATE INDEX sessions_granted_until ON sessions (granted_until) WHERE granted_until < 'infinity';

-- An API session concerns its own sessions only, and marks them; whoever opens one that hangs on posture holds the API
-- session meanwhile, so none is missed.
CREATE FUNCTION posture_of_session_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions WHERE api_session_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE api_session_id = NEW.id;
  IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  PERFORM pg_notify('edge', 'posture ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_posture_moved AFTER UPDATE OF posture_revision ON api_sessions
  FOR EACH ROW WHEN (OLD.posture_revision <> NEW.posture_revision) EXECUTE FUNCTION posture_of_session_moved();

-- A check that asks for something else may fail from now on.
CREATE CONSTRAINT TRIGGER posture_checks_change_grants AFTER UPDATE OF criteria ON posture_checks
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.criteria IS DISTINCT FROM NEW.criteria)
  EXECUTE FUNCTION move_grants_epoch();

-- A code that was given is worth nothing once its enrollment is gone, whatever deletes it.
CREATE OR REPLACE FUNCTION forget_mfa_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM identities WHERE id = OLD.identity_id FOR NO KEY UPDATE;
  UPDATE api_sessions
  SET is_mfa_complete = false, mfa_passed_at = NULL, posture_revision = posture_revision + 1
  WHERE identity_id = OLD.identity_id AND (is_mfa_complete OR mfa_passed_at IS NOT NULL);
  IF FOUND THEN PERFORM doubt_sessions_of(OLD.identity_id); END IF;
  PERFORM pg_notify('edge', 'identity ' || OLD.identity_id);
  RETURN NULL;
END $$;

-- As service_views, for identities whose policies ask for posture checks: what each API session last saw. It is void
-- when the row of its identity in service_views is newer.
CREATE TABLE api_session_views (
  api_session_id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  posture_revision bigint NOT NULL,
  digest bytea NOT NULL,
  state bytea,
  changed_at timestamptz(3) NOT NULL,
  CONSTRAINT api_session_views_pkey PRIMARY KEY (api_session_id),
  CONSTRAINT api_session_views_session_fkey
    FOREIGN KEY (api_session_id) REFERENCES api_sessions (id) ON DELETE CASCADE
);
