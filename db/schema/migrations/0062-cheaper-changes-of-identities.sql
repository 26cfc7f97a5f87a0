-- PostgreSQL copies the conditions of all triggers of a table for each statement that changes it. The long ones of
-- identities are in their functions now, which only statements that set one of their columns call.

CREATE OR REPLACE FUNCTION tell_identity_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.name IS DISTINCT FROM NEW.name OR OLD.is_admin IS DISTINCT FROM NEW.is_admin
    OR OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin OR OLD.external_id IS DISTINCT FROM NEW.external_id
    OR OLD.auth_policy_id IS DISTINCT FROM NEW.auth_policy_id OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at
    OR OLD.disabled_until IS DISTINCT FROM NEW.disabled_until
    OR OLD.role_attributes IS DISTINCT FROM NEW.role_attributes OR OLD.permissions IS DISTINCT FROM NEW.permissions
  THEN
    PERFORM pg_notify('edge', 'identity ' || NEW.id);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER identities_tell_changed AFTER UPDATE OF name, is_admin, is_default_admin, external_id,
  auth_policy_id, disabled_at, disabled_until, role_attributes, permissions ON identities
FOR EACH ROW EXECUTE FUNCTION tell_identity_changed();

CREATE OR REPLACE FUNCTION doubt_sessions_of_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (NEW.role_attributes @> OLD.role_attributes) OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at
    OR OLD.disabled_until IS DISTINCT FROM NEW.disabled_until
  THEN
    PERFORM doubt_sessions_of(NEW.id);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER identities_doubt_sessions
AFTER UPDATE OF role_attributes, disabled_at, disabled_until ON identities
FOR EACH ROW EXECUTE FUNCTION doubt_sessions_of_identity();

CREATE OR REPLACE FUNCTION hold_auth_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.is_admin IS DISTINCT FROM NEW.is_admin OR OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin
    OR OLD.permissions IS DISTINCT FROM NEW.permissions
  THEN
    PERFORM FROM auth_policies WHERE id = NEW.auth_policy_id FOR KEY SHARE;
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER identities_hold_auth_policy
BEFORE UPDATE OF is_admin, is_default_admin, permissions ON identities
FOR EACH ROW EXECUTE FUNCTION hold_auth_policy();

-- What is set to what it was moves the epoch too: routers read little, and find nothing new.
CREATE OR REPLACE TRIGGER identities_change_router AFTER UPDATE OF name, app_data, default_hosting_cost,
  default_hosting_precedence, disabled_at, disabled_until ON identities
FOR EACH ROW WHEN (OLD.type_id = 'Router') EXECUTE FUNCTION note_moves('access');
DROP TRIGGER identities_change_router_at_commit ON identities;
CREATE CONSTRAINT TRIGGER identities_change_router_at_commit AFTER UPDATE OF name, app_data, default_hosting_cost,
  default_hosting_precedence, disabled_at, disabled_until ON identities DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (OLD.type_id = 'Router') EXECUTE FUNCTION move_noted();

-- Adds uses in a slot that no other transaction holds, or in a new one; never waits. True when it comes up from zero.
-- The slot is changed by its address in a second statement: the first may lock a version that it does not see itself.
CREATE OR REPLACE FUNCTION add_role_attribute(of_kind text, item text, added bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  held tid;
  now_used bigint;
BEGIN
  SELECT ctid INTO held FROM role_attribute_counts WHERE kind = of_kind AND attribute = item
    LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE role_attribute_counts SET uses = uses + added WHERE ctid = held RETURNING uses INTO STRICT now_used;
    RETURN now_used = added;
  END IF;
  INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, added);
  RETURN true;
END $$;
