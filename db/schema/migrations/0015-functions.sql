-- The functions of the triggers once more: each rule in one place, and no statement that can find nothing to do.

-- Most deleted entities are named by no policy.
CREATE OR REPLACE FUNCTION forget_selector() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held bigint;
BEGIN
  FOR i IN 0 .. TG_NARGS / 2 - 1 LOOP
    EXECUTE format('SELECT FROM %1$I WHERE %2$I @> ARRAY[$1] ORDER BY id FOR NO KEY UPDATE',
      TG_ARGV[2 * i], TG_ARGV[2 * i + 1]) USING '@' || OLD.id;
    GET DIAGNOSTICS held = ROW_COUNT;
    CONTINUE WHEN held = 0;
    EXECUTE format('UPDATE %1$I SET %2$I = array_remove(%2$I, $1),
        updated_at = greatest(now(), updated_at + interval ''1 ms'')
      WHERE %2$I @> ARRAY[$1]', TG_ARGV[2 * i], TG_ARGV[2 * i + 1]) USING '@' || OLD.id;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION doubt_sessions_of_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM doubt_sessions_of(NEW.id);
  RETURN NULL;
END $$;

-- The sessions that hang on a code are marked by posture_of_session_moved.
CREATE OR REPLACE FUNCTION forget_mfa_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM identities WHERE id = OLD.identity_id FOR NO KEY UPDATE;
  UPDATE api_sessions
  SET is_mfa_complete = false, mfa_passed_at = NULL, posture_revision = posture_revision + 1
  WHERE identity_id = OLD.identity_id AND (is_mfa_complete OR mfa_passed_at IS NOT NULL);
  PERFORM pg_notify('edge', 'identity ' || OLD.identity_id);
  RETURN NULL;
END $$;

-- Another auth policy: sessions end when a token begins to be required, and are checked again otherwise.
DROP TRIGGER identities_doubt_sessions_by_policy ON identities;
CREATE OR REPLACE FUNCTION end_sessions_of_moved_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM auth_policies p JOIN auth_policies q ON q.id = OLD.auth_policy_id
      WHERE p.id = NEW.auth_policy_id AND p.require_ext_jwt_signer_id IS NOT NULL
        AND p.require_ext_jwt_signer_id IS DISTINCT FROM q.require_ext_jwt_signer_id) THEN
    PERFORM FROM sessions WHERE identity_id = NEW.id ORDER BY id FOR UPDATE;
    DELETE FROM sessions WHERE identity_id = NEW.id;
  ELSE
    PERFORM doubt_sessions_of(NEW.id);
  END IF;
  RETURN NULL;
END $$;

-- When a use is there and none can be taken, the count would be wrong from then on: the transaction is tried again.
CREATE OR REPLACE FUNCTION take_role_attribute(of_kind text, item text) RETURNS boolean LANGUAGE plpgsql AS $$
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
  IF EXISTS (SELECT FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND uses > 0) THEN
    RAISE EXCEPTION 'no use of a role attribute could be taken' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN true;
END $$;

-- Every reference is named as the others are.
ALTER TABLE router_hosts RENAME CONSTRAINT router_hosts_controller TO router_hosts_controller_fkey;
ALTER TABLE router_channels RENAME CONSTRAINT router_channels_router TO router_channels_router_fkey;
ALTER TABLE router_channels RENAME CONSTRAINT router_channels_host TO router_channels_host_fkey;
