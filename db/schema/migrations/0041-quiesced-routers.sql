-- Routers that are being emptied, as their operators want it: nothing passes them any more, and their terminators are
-- as good as failed. A table of its own, so that what was set on terminators and routers is there again afterwards.
CREATE TABLE quiesced_routers (
  router_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT quiesced_routers_pkey PRIMARY KEY (router_id),
  CONSTRAINT quiesced_routers_router_fkey FOREIGN KEY (router_id) REFERENCES routers (id) ON DELETE CASCADE
);

CREATE FUNCTION audit_quiesced_routers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_id CONSTANT text := CASE TG_OP WHEN 'DELETE' THEN OLD.router_id ELSE NEW.router_id END;
  of_type CONSTANT text := (SELECT CASE WHEN is_edge THEN 'edgeRouter' ELSE 'router' END FROM routers WHERE id = of_id);
  of_name CONSTANT text := (SELECT name FROM routers WHERE id = of_id);
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM record_audit(of_type || '.dequiesced', of_type, of_id, of_name,
      jsonb_build_object('routerId', OLD.router_id), NULL);
  ELSE
    PERFORM record_audit(of_type || '.quiesced', of_type, of_id, of_name, NULL,
      jsonb_build_object('routerId', NEW.router_id));
  END IF;
  PERFORM pg_notify('edge', 'router ' || of_id);
  RETURN NULL;
END $$;
CREATE TRIGGER quiesced_routers_audit_in AFTER INSERT ON quiesced_routers FOR EACH ROW
  EXECUTE FUNCTION audit_quiesced_routers();
CREATE TRIGGER quiesced_routers_audit_change AFTER UPDATE ON quiesced_routers FOR EACH ROW
  EXECUTE FUNCTION audit_quiesced_routers();
-- One that goes with its router has no record of its own.
CREATE TRIGGER quiesced_routers_audit_out AFTER DELETE ON quiesced_routers FOR EACH ROW
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION audit_quiesced_routers();
