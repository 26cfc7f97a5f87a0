-- Announces what of the network that routers are told has changed, so that a controller looks up only those routers
-- that it concerns: `model <kind> <id>`. The id of a tunneler's identity is that of its router.
CREATE FUNCTION announce_model() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  id text;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  IF TG_ARGV[1] = 'service_id' THEN id := changed.service_id;
  ELSIF TG_ARGV[1] = 'identity_id' THEN id := changed.identity_id;
  ELSIF TG_ARGV[1] = 'router_id' THEN id := changed.router_id;
  ELSE id := changed.id;
  END IF;
  PERFORM pg_notify('edge', concat('model ', TG_ARGV[0], ' ', id));
  RETURN NULL;
END $$;

CREATE TRIGGER services_announce_model AFTER INSERT OR DELETE OR UPDATE OF name, encryption_required, role_attributes
  ON services FOR EACH ROW EXECUTE FUNCTION announce_model('service', 'id');
CREATE TRIGGER service_configs_announce_model AFTER INSERT OR DELETE OR UPDATE ON service_configs
  FOR EACH ROW EXECUTE FUNCTION announce_model('service', 'service_id');
CREATE TRIGGER configs_announce_model AFTER UPDATE OF name, data ON configs
  FOR EACH ROW EXECUTE FUNCTION announce_model('config', 'id');
CREATE TRIGGER config_types_announce_model AFTER UPDATE OF name ON config_types
  FOR EACH ROW EXECUTE FUNCTION announce_model('configType', 'id');
CREATE TRIGGER service_policies_announce_model AFTER INSERT OR DELETE OR UPDATE ON service_policies
  FOR EACH ROW EXECUTE FUNCTION announce_model('servicePolicy', 'id');
CREATE TRIGGER edge_router_policies_announce_model AFTER INSERT OR DELETE OR UPDATE ON edge_router_policies
  FOR EACH ROW EXECUTE FUNCTION announce_model('edgeRouterPolicy', 'id');
CREATE TRIGGER service_edge_router_policies_announce_model AFTER INSERT OR DELETE OR UPDATE
  ON service_edge_router_policies FOR EACH ROW EXECUTE FUNCTION announce_model('serviceEdgeRouterPolicy', 'id');
CREATE TRIGGER posture_checks_announce_model AFTER INSERT OR DELETE OR UPDATE OF role_attributes ON posture_checks
  FOR EACH ROW EXECUTE FUNCTION announce_model('postureCheck', 'id');
CREATE TRIGGER routers_announce_model AFTER INSERT OR DELETE
  OR UPDATE OF name, role_attributes, is_edge, is_tunneler_enabled, fingerprint, disabled ON routers
  FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER router_configs_announce_model AFTER INSERT OR DELETE OR UPDATE ON router_configs
  FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'router_id');
CREATE TRIGGER identities_add_announce_model AFTER INSERT ON identities
  FOR EACH ROW WHEN (NEW.type_id = 'Router') EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER identities_take_announce_model AFTER DELETE ON identities
  FOR EACH ROW WHEN (OLD.type_id = 'Router') EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER identities_announce_model AFTER UPDATE OF name, app_data, default_hosting_cost,
  default_hosting_precedence, disabled_at, disabled_until, role_attributes ON identities
  FOR EACH ROW WHEN (OLD.type_id = 'Router') EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER identity_service_configs_announce_model AFTER INSERT OR DELETE OR UPDATE ON identity_service_configs
  FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'identity_id');
CREATE TRIGGER identity_hostings_announce_model AFTER INSERT OR DELETE OR UPDATE ON identity_hostings
  FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'identity_id');

-- A router is told of itself, too.
CREATE TRIGGER routers_change_model AFTER UPDATE OF fingerprint ON routers
  FOR EACH ROW WHEN (OLD.fingerprint IS DISTINCT FROM NEW.fingerprint) EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER routers_change_model_at_commit AFTER UPDATE OF fingerprint ON routers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.fingerprint IS DISTINCT FROM NEW.fingerprint)
  EXECUTE FUNCTION move_noted();
CREATE TRIGGER router_configs_move_routing AFTER INSERT OR DELETE OR UPDATE ON router_configs
  FOR EACH ROW EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER router_configs_move_routing_at_commit AFTER INSERT OR DELETE OR UPDATE ON router_configs
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
