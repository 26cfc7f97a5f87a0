-- The time of an identity's last change is its version, which conditional requests compare. What it hosts is a part of
-- it: when a service goes and takes that along, the identity changes. Whoever changes what an identity hosts moves the
-- time himself; a deleted identity is gone before this comes to it.
CREATE FUNCTION touch_identity_of_hosting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE identities SET updated_at = greatest(now(), updated_at + interval '1 ms') WHERE id = OLD.identity_id;
  RETURN NULL;
END $$;
CREATE TRIGGER identity_hostings_touch_identity AFTER DELETE ON identity_hostings
  FOR EACH ROW WHEN (pg_trigger_depth() > 0) EXECUTE FUNCTION touch_identity_of_hosting();
