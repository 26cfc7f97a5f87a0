-- Routers let clients of logins by OpenID Connect in by their tokens, without asking. They are told what such clients
-- reach, and which of them end before their tokens do.

-- API sessions and tokens that are taken no longer, for as long as an access token may last. An identity that is
-- disabled loses its API sessions.
CREATE TABLE client_ends (
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  ended_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT client_ends_pkey PRIMARY KEY (type, id),
  CONSTRAINT client_ends_type CHECK (type IN ('JTI', 'API_SESSION'))
);
CREATE INDEX client_ends_ended_at ON client_ends (ended_at);

CREATE FUNCTION end_clients(of_type text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In one order, so that two transactions never wait for each other.
  INSERT INTO client_ends AS c (type, id) SELECT of_type, i FROM unnest(ids) i ORDER BY i
  ON CONFLICT (type, id) DO UPDATE SET ended_at = excluded.ended_at;
  PERFORM pg_notify('edge', 'clients');
END $$;

CREATE FUNCTION end_clients_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids text[];
BEGIN
  SELECT array_agg(id) INTO ids FROM gone WHERE expires_at > now();
  IF ids IS NOT NULL THEN PERFORM end_clients('API_SESSION', ids); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_end_clients AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION end_clients_of_sessions();

CREATE FUNCTION end_client_of_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM end_clients('JTI', ARRAY[NEW.id]);
  RETURN NULL;
END $$;
CREATE TRIGGER revocations_end_client AFTER INSERT OR UPDATE ON revocations FOR EACH ROW WHEN (NEW.type = 'JTI')
  EXECUTE FUNCTION end_client_of_token();

-- Announced without an id, and so once in a transaction, however many identities it concerns. New identities are not:
-- a commit that announces holds up those of all others that do while it waits for a standby.
CREATE FUNCTION announce_identities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'model identity *');
  RETURN NULL;
END $$;
CREATE TRIGGER identities_announce_clients AFTER DELETE
  OR UPDATE OF name, role_attributes, disabled_at, disabled_until ON identities
  FOR EACH STATEMENT EXECUTE FUNCTION announce_identities();
CREATE TRIGGER posture_checks_announce_clients AFTER UPDATE OF name, criteria ON posture_checks
  FOR EACH ROW EXECUTE FUNCTION announce_model('postureCheck', 'id');
