-- What routers are told of the controllers: at which addresses they find one. The index grows with every change, in
-- the order of commits, since each change locks the row. Routers ignore a list whose index is not above the last they
-- heard, so it is at least the time in milliseconds: a database that lost its last changes does not fall behind.
CREATE TABLE controller_list (
  is_only boolean NOT NULL DEFAULT true,
  index bigint NOT NULL DEFAULT 0,
  addresses text[] NOT NULL DEFAULT '{}',
  CONSTRAINT controller_list_is_only_check CHECK (is_only),
  CONSTRAINT controller_list_pkey PRIMARY KEY (is_only)
);
-- By address, the last sign of life of a controller there, whatever that controller is called.
CREATE TABLE controller_addresses (
  address text NOT NULL,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT controller_addresses_pkey PRIMARY KEY (address)
);
-- What a router asked for in its last request for a certificate, and its certificate does not have.
ALTER TABLE routers ADD COLUMN names_left_out text[] COLLATE "C" NOT NULL DEFAULT '{}';
