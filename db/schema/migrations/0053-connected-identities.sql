-- Identities that routers report as connected to them, as each host knows it, for the other hosts to show. A host
-- counts up `number` with each row that it writes, so that others read what is new to them. A row that is neither
-- connected nor lost says that the identity went. Rows of a host, void with it.
CREATE TABLE connected_identities (
  host_id text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  is_connected boolean NOT NULL,
  lost_at timestamptz(3),
  CONSTRAINT connected_identities_pkey PRIMARY KEY (host_id, identity_id),
  CONSTRAINT connected_identities_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts (id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX connected_identities_number ON connected_identities (host_id, number);

-- When the host began, or began anew without its rows.
ALTER TABLE router_hosts ADD COLUMN joined_at timestamptz(3) NOT NULL DEFAULT now();
