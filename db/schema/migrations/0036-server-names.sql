-- Host names and addresses by which controllers are reached: the server certificate, which all of them share, has those
-- of every controller that was there in the last day. Each controller writes its own whenever it looks at its keys.
CREATE TABLE server_names (
  name text NOT NULL,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT server_names_pkey PRIMARY KEY (name)
);
