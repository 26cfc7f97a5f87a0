-- Tokens of API sessions are derived from their ids with a key of the network, which is sealed like its private keys.

CREATE TABLE network_secrets (
  name text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  sealed_secret bytea NOT NULL,
  CONSTRAINT network_secrets_pkey PRIMARY KEY (name)
);

-- The tokens of API sessions until now were random: no controller could name them to a router. Clients log in again.
DELETE FROM api_sessions;
