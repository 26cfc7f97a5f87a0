-- A session for a service lasts only while its API session is fully authenticated, in a way that the auth policy
-- accepts: routers that take its token ask for no more. What may end that makes the session unchecked, as the loss of a
-- grant does; a check that finds its API session wanting removes it.

-- What the stores ask of each request (db/api-sessions.ts), but for a token that has to come with every request.
CREATE FUNCTION is_fully_authenticated(wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM api_sessions t
    JOIN identities i ON i.id = t.identity_id
    JOIN auth_policies p ON p.id = i.auth_policy_id
    WHERE t.id = wanted
      AND (t.is_mfa_complete OR NOT (p.require_totp
        OR EXISTS (SELECT FROM mfas m WHERE m.identity_id = i.id AND m.is_verified)))
      AND CASE t.method WHEN 'password' THEN p.updb_allowed WHEN 'cert' THEN p.cert_allowed
        ELSE p.ext_jwt_allowed
          AND EXISTS (SELECT FROM external_jwt_signers e WHERE e.id = t.signer_id AND e.is_enabled)
          AND (NOT EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id)
            OR EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id AND s.signer_id = t.signer_id))
        END)
$$;

-- Whoever opens a session holds the identity by now. This reads what was committed meanwhile: a statement that waited
-- for the identity reads everything else as it was before.
CREATE FUNCTION refuse_sessions_of_partial_logins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_fully_authenticated(NEW.api_session_id)
      AND EXISTS (SELECT FROM api_sessions WHERE id = NEW.api_session_id) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sessions_refuse_partial_logins BEFORE INSERT ON sessions
  FOR EACH ROW EXECUTE FUNCTION refuse_sessions_of_partial_logins();

-- An identity that gets a second factor, or loses the one that its sessions have given codes of, concerns its own
-- sessions. It is held first, so that none is opened meanwhile.
CREATE FUNCTION doubt_sessions_of(wanted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions WHERE identity_id = wanted ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE identity_id = wanted;
  PERFORM pg_notify('edge', 'grants');
END $$;
CREATE FUNCTION doubt_sessions_of_enrolled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM identities WHERE id = NEW.identity_id FOR NO KEY UPDATE;
  PERFORM doubt_sessions_of(NEW.identity_id);
  RETURN NULL;
END $$;
CREATE TRIGGER mfas_doubt_sessions AFTER UPDATE OF is_verified ON mfas
  FOR EACH ROW WHEN (NEW.is_verified AND NOT OLD.is_verified)
  EXECUTE FUNCTION doubt_sessions_of_enrolled();

CREATE OR REPLACE FUNCTION forget_mfa_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM identities WHERE id = OLD.identity_id FOR NO KEY UPDATE;
  UPDATE api_sessions SET is_mfa_complete = false WHERE identity_id = OLD.identity_id AND is_mfa_complete;
  IF FOUND THEN PERFORM doubt_sessions_of(OLD.identity_id); END IF;
  PERFORM pg_notify('edge', 'identity ' || OLD.identity_id);
  RETURN NULL;
END $$;

CREATE TRIGGER identities_doubt_sessions_by_policy AFTER UPDATE OF auth_policy_id ON identities
  FOR EACH ROW WHEN (OLD.auth_policy_id <> NEW.auth_policy_id)
  EXECUTE FUNCTION doubt_sessions_of_identity();

-- A policy or a signer may concern any number of sessions.
CREATE CONSTRAINT TRIGGER auth_policies_narrow_grants
  AFTER UPDATE OF require_totp, updb_allowed, cert_allowed, ext_jwt_allowed ON auth_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.require_totp AND NOT OLD.require_totp OR OLD.updb_allowed AND NOT NEW.updb_allowed
    OR OLD.cert_allowed AND NOT NEW.cert_allowed OR OLD.ext_jwt_allowed AND NOT NEW.ext_jwt_allowed)
  EXECUTE FUNCTION move_grants_epoch();
CREATE CONSTRAINT TRIGGER auth_policy_signers_narrow_grants AFTER INSERT OR DELETE ON auth_policy_signers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_grants_epoch();
CREATE CONSTRAINT TRIGGER external_jwt_signers_narrow_grants AFTER UPDATE OF is_enabled ON external_jwt_signers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.is_enabled AND NOT NEW.is_enabled)
  EXECUTE FUNCTION move_grants_epoch();

-- A token that a policy begins to require comes with requests, and of it nothing is kept. Sessions of before are opened
-- again by a request that has it.
CREATE FUNCTION end_sessions_of_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE i.auth_policy_id = NEW.id
  ORDER BY s.id FOR UPDATE OF s;
  DELETE FROM sessions s USING identities i WHERE i.id = s.identity_id AND i.auth_policy_id = NEW.id;
  RETURN NULL;
END $$;
CREATE FUNCTION end_sessions_of_moved_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM auth_policies p JOIN auth_policies q ON q.id = OLD.auth_policy_id
      WHERE p.id = NEW.auth_policy_id AND p.require_ext_jwt_signer_id IS NOT NULL
        AND p.require_ext_jwt_signer_id IS DISTINCT FROM q.require_ext_jwt_signer_id) THEN
    PERFORM FROM sessions WHERE identity_id = NEW.id ORDER BY id FOR UPDATE;
    DELETE FROM sessions WHERE identity_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER identities_end_sessions_by_policy AFTER UPDATE OF auth_policy_id ON identities
  FOR EACH ROW WHEN (OLD.auth_policy_id <> NEW.auth_policy_id)
  EXECUTE FUNCTION end_sessions_of_moved_identity();
CREATE TRIGGER auth_policies_end_sessions AFTER UPDATE OF require_ext_jwt_signer_id ON auth_policies
  FOR EACH ROW WHEN (NEW.require_ext_jwt_signer_id IS NOT NULL
    AND NEW.require_ext_jwt_signer_id IS DISTINCT FROM OLD.require_ext_jwt_signer_id)
  EXECUTE FUNCTION end_sessions_of_policy();

-- Sessions of before this was asked: all are checked again.
UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp() WHERE name = 'grants';
