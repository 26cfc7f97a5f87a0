-- Tokens of signers that auth policies require, and enrollment by tokens.

-- A required token names the identity by its id or its external id, of which controllers keep a copy.
DROP TRIGGER identities_tell_changed ON identities;
CREATE TRIGGER identities_tell_changed AFTER UPDATE ON identities
  FOR EACH ROW WHEN (
    (OLD.name, OLD.is_admin, OLD.is_default_admin, OLD.external_id, OLD.auth_policy_id, OLD.disabled_at,
      OLD.disabled_until, OLD.role_attributes, OLD.permissions)
    IS DISTINCT FROM
    (NEW.name, NEW.is_admin, NEW.is_default_admin, NEW.external_id, NEW.auth_policy_id, NEW.disabled_at,
      NEW.disabled_until, NEW.role_attributes, NEW.permissions))
  EXECUTE FUNCTION tell_identity_changed();

-- Who may change an auth policy depends on the rights of those who have it. Whoever checks that locks the policy, so
-- that none of them gets more rights until the change is done.
CREATE FUNCTION hold_auth_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM auth_policies WHERE id = NEW.auth_policy_id FOR KEY SHARE;
  RETURN NEW;
END $$;
CREATE TRIGGER identities_hold_auth_policy BEFORE UPDATE ON identities
  FOR EACH ROW WHEN (
    (OLD.is_admin, OLD.is_default_admin, OLD.permissions)
    IS DISTINCT FROM (NEW.is_admin, NEW.is_default_admin, NEW.permissions))
  EXECUTE FUNCTION hold_auth_policy();

-- Tokens that made an identity, as a hash of what they have signed: none makes a second one, not even when the first is
-- gone. A row is of use until the token ends.
CREATE TABLE used_tokens (
  token_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT used_tokens_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX used_tokens_expires_at ON used_tokens (expires_at);
