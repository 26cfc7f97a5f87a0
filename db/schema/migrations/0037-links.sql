-- Links between routers and the circuits that stand over them, as the processes that hold channels know them. Like
-- those of `router_channels` the rows belong to a host and are void with it. They are there to be shown: nothing is
-- decided by them.
CREATE TABLE router_links (
  id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  iteration bigint NOT NULL,
  source_router_id text COLLATE "C" NOT NULL,
  dest_router_id text COLLATE "C" NOT NULL,
  protocol text COLLATE "C" NOT NULL,
  dial_address text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- In nanoseconds, as each end measured them.
  source_latency bigint NOT NULL,
  dest_latency bigint NOT NULL,
  -- Grows with each change of the connections.
  state_iteration bigint NOT NULL,
  connections jsonb NOT NULL,
  CONSTRAINT router_links_pkey PRIMARY KEY (id, host_id),
  CONSTRAINT router_links_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts (id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX router_links_host ON router_links (host_id);

CREATE TABLE circuits (
  id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  terminator_id text COLLATE "C" NOT NULL,
  -- The identity that dialed.
  client_id text COLLATE "C" NOT NULL,
  -- Null for a router that dialed by itself.
  session_id text COLLATE "C",
  router_ids text[] COLLATE "C" NOT NULL,
  link_ids text[] COLLATE "C" NOT NULL,
  cost bigint NOT NULL,
  CONSTRAINT circuits_pkey PRIMARY KEY (id),
  CONSTRAINT circuits_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts (id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX circuits_host ON circuits (host_id);

-- What operators set on a link. It stays while the link does, over restarts of controllers.
CREATE TABLE router_link_settings (
  id text COLLATE "C" NOT NULL,
  static_cost integer NOT NULL,
  is_down boolean NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT router_link_settings_pkey PRIMARY KEY (id)
);

CREATE FUNCTION audit_router_link_settings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_audit('link.updated', 'link', NEW.id, NULL, NULL,
      jsonb_build_object('staticCost', NEW.static_cost, 'down', NEW.is_down));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM record_audit('link.updated', 'link', OLD.id, NULL,
      jsonb_build_object('staticCost', OLD.static_cost, 'down', OLD.is_down), NULL);
  ELSE
    PERFORM record_audit('link.updated', 'link', NEW.id, NULL, c.before, c.after)
    FROM audit_changes(
      jsonb_build_object('staticCost', OLD.static_cost, 'down', OLD.is_down),
      jsonb_build_object('staticCost', NEW.static_cost, 'down', NEW.is_down)) c;
  END IF;
  PERFORM pg_notify('edge', 'links');
  RETURN NULL;
END $$;
CREATE TRIGGER router_link_settings_audit_in AFTER INSERT ON router_link_settings FOR EACH ROW
  EXECUTE FUNCTION audit_router_link_settings();
CREATE TRIGGER router_link_settings_audit_out AFTER DELETE ON router_link_settings FOR EACH ROW
  EXECUTE FUNCTION audit_router_link_settings();
CREATE TRIGGER router_link_settings_audit_change AFTER UPDATE ON router_link_settings FOR EACH ROW
  WHEN (OLD.static_cost IS DISTINCT FROM NEW.static_cost OR OLD.is_down IS DISTINCT FROM NEW.is_down)
  EXECUTE FUNCTION audit_router_link_settings();
