-- 'routing' counts changes of routers and router policies, for answers that are kept about them. It is a column of the
-- row that 'access' has, so that a transaction that moves both still waits for one row only.

ALTER TABLE model_epochs ADD COLUMN routing bigint NOT NULL DEFAULT 1;
ALTER TABLE model_epochs ADD COLUMN routing_by xid8;

-- Runs at commit, once in a transaction.
CREATE FUNCTION move_routing_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE model_epochs SET routing = routing + 1, routing_by = pg_current_xact_id()
  WHERE name = 'access' AND routing_by IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'routing'); END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER routers_move_routing AFTER INSERT OR DELETE ON routers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_routing_epoch();
CREATE CONSTRAINT TRIGGER routers_change_routing AFTER UPDATE OF name, role_attributes, is_edge ON routers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.name, OLD.role_attributes, OLD.is_edge) IS DISTINCT FROM (NEW.name, NEW.role_attributes, NEW.is_edge))
  EXECUTE FUNCTION move_routing_epoch();
CREATE CONSTRAINT TRIGGER edge_router_policies_move_routing AFTER INSERT OR UPDATE OR DELETE ON edge_router_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_routing_epoch();
CREATE CONSTRAINT TRIGGER service_edge_router_policies_move_routing
  AFTER INSERT OR UPDATE OR DELETE ON service_edge_router_policies
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_routing_epoch();

-- Answers about an identity end with it, also those that name no API session of it.
CREATE FUNCTION tell_identity_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER identities_tell_gone AFTER DELETE ON identities
  FOR EACH ROW EXECUTE FUNCTION tell_identity_gone();
