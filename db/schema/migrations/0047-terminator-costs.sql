-- What each controller adds to the costs of terminators: for the circuits that are open on them there, and for dials
-- that failed. Rows of a host, void with it. `terminators.dynamic_cost` is not used any more.
CREATE TABLE terminator_costs (
  id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  dynamic_cost integer NOT NULL,
  CONSTRAINT terminator_costs_pkey PRIMARY KEY (id, host_id),
  CONSTRAINT terminator_costs_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts (id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX terminator_costs_host ON terminator_costs (host_id);
