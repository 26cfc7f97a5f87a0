-- Services and terminators that the fabric API alone shows. They have tables of their own, so that nothing that gives
-- access, lists services for others or tells routers of them can come upon one.
CREATE TABLE fabric_services (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  terminator_strategy text COLLATE "C" NOT NULL DEFAULT 'smartrouting',
  max_idle_time_millis bigint NOT NULL DEFAULT 0,
  CONSTRAINT fabric_services_pkey PRIMARY KEY (id),
  CONSTRAINT fabric_services_terminator_strategy
    CHECK (terminator_strategy IN ('smartrouting', 'weighted', 'random', 'sticky'))
);

CREATE TABLE fabric_terminators (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  service_id text COLLATE "C" NOT NULL,
  router_id text COLLATE "C" NOT NULL,
  binding text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL DEFAULT '',
  instance_secret bytea,
  host_id text COLLATE "C" NOT NULL DEFAULT '',
  source_ctrl text COLLATE "C" NOT NULL DEFAULT '',
  cost integer NOT NULL DEFAULT 0,
  dynamic_cost integer NOT NULL DEFAULT 0,
  precedence text COLLATE "C" NOT NULL DEFAULT 'default',
  CONSTRAINT fabric_terminators_pkey PRIMARY KEY (id),
  CONSTRAINT fabric_terminators_service_fkey FOREIGN KEY (service_id) REFERENCES fabric_services (id) ON DELETE CASCADE,
  CONSTRAINT fabric_terminators_router_fkey FOREIGN KEY (router_id) REFERENCES routers (id) ON DELETE CASCADE,
  CONSTRAINT fabric_terminators_cost CHECK (cost BETWEEN 0 AND 65535),
  CONSTRAINT fabric_terminators_dynamic_cost CHECK (dynamic_cost BETWEEN 0 AND 65535),
  CONSTRAINT fabric_terminators_precedence CHECK (precedence IN ('default', 'required', 'failed'))
);
CREATE INDEX fabric_terminators_service ON fabric_terminators (service_id);
CREATE INDEX fabric_terminators_router ON fabric_terminators (router_id);

-- Names of services, of both kinds: no two have the same.
CREATE TABLE service_names (
  name text COLLATE "C" NOT NULL,
  CONSTRAINT service_names_pkey PRIMARY KEY (name)
);
INSERT INTO service_names SELECT name FROM services;

CREATE FUNCTION keep_service_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM service_names WHERE name = OLD.name;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO service_names VALUES (NEW.name);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER services_name_in AFTER INSERT OR DELETE ON services FOR EACH ROW EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER services_name_change AFTER UPDATE OF name ON services FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER fabric_services_name_in AFTER INSERT OR DELETE ON fabric_services FOR EACH ROW
  EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER fabric_services_name_change AFTER UPDATE OF name ON fabric_services FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION keep_service_name();

SELECT audit_entity('fabric_services', 'fabricService');
SELECT audit_entity('fabric_terminators', 'fabricTerminator', 'instance_secret', 'dynamic_cost', 'source_ctrl');

CREATE TRIGGER fabric_services_counted_in AFTER INSERT ON fabric_services REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER fabric_services_counted_out AFTER DELETE ON fabric_services REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER fabric_terminators_counted_in AFTER INSERT ON fabric_terminators REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER fabric_terminators_counted_out AFTER DELETE ON fabric_terminators REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
