-- What the tunneler of a router is told of the network has an index, which grows with every commit that may change it,
-- and a timeline, which says which index belongs to which.

-- Names this database to routers; another one after a restore, because what is counted then starts from an earlier
-- number.
ALTER TABLE network ADD COLUMN timeline_id text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text;

-- The index is the sum of the epochs 'access' and 'routing'. Of a router's own identity more counts than of others.
CREATE CONSTRAINT TRIGGER identities_add_router AFTER INSERT ON identities
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.type_id = 'Router') EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER identities_take_router AFTER DELETE ON identities
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.type_id = 'Router') EXECUTE FUNCTION move_access_epoch();
CREATE CONSTRAINT TRIGGER identities_change_router
  AFTER UPDATE OF name, app_data, default_hosting_cost, default_hosting_precedence, disabled_at, disabled_until
  ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.type_id = 'Router'
    AND (OLD.name, OLD.app_data, OLD.default_hosting_cost, OLD.default_hosting_precedence, OLD.disabled_at,
      OLD.disabled_until)
    IS DISTINCT FROM (NEW.name, NEW.app_data, NEW.default_hosting_cost, NEW.default_hosting_precedence,
      NEW.disabled_at, NEW.disabled_until))
  EXECUTE FUNCTION move_access_epoch();

-- Runs at commit, once in a transaction. The identity of a router keeps its type for as long as it is there, and what
-- goes with an identity or a service moves the epoch by itself.
CREATE FUNCTION move_access_of_hosting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE model_epochs e SET epoch = e.epoch + 1, moved_at = clock_timestamp(), moved_by = pg_current_xact_id()
  FROM identities i WHERE i.id = coalesce(NEW.identity_id, OLD.identity_id) AND i.type_id = 'Router'
    AND e.name = 'access' AND e.moved_by IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'access'); END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER identity_hostings_move_access AFTER INSERT OR UPDATE OR DELETE ON identity_hostings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_access_of_hosting();
