-- What an identity may administer counts at once, on every controller.

-- As it is shown: each value once, in order.
UPDATE identities SET permissions = ARRAY(SELECT DISTINCT unnest(permissions) ORDER BY 1)
WHERE cardinality(permissions) > 1;

-- A controller keeps the permissions of callers in memory, and drops them when it hears of a change.
DROP TRIGGER identities_tell_changed ON identities;
CREATE TRIGGER identities_tell_changed AFTER UPDATE ON identities
  FOR EACH ROW WHEN (
    (OLD.name, OLD.is_admin, OLD.is_default_admin, OLD.auth_policy_id, OLD.disabled_at, OLD.disabled_until,
      OLD.role_attributes, OLD.permissions)
    IS DISTINCT FROM
    (NEW.name, NEW.is_admin, NEW.is_default_admin, NEW.auth_policy_id, NEW.disabled_at, NEW.disabled_until,
      NEW.role_attributes, NEW.permissions))
  EXECUTE FUNCTION tell_identity_changed();

-- The few identities of an auth policy that administer anything.
CREATE INDEX identities_with_rights ON identities (auth_policy_id)
WHERE is_admin OR is_default_admin OR permissions <> '{}';
