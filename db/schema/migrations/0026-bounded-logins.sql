-- API sessions of one identity are bounded, and so are the records that its logins leave.

-- Logins and ends of API sessions beyond a rate: each counts here, in its own transaction, and once a minute a sum goes
-- into the audit record. A row of its own for each connection, so that logins do not wait for each other.
CREATE TABLE audit_sums (
  kind text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  authenticator_id text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  backend integer NOT NULL DEFAULT pg_backend_pid(),
  since timestamptz(3) NOT NULL DEFAULT now(),
  total bigint NOT NULL,
  CONSTRAINT audit_sums_pkey PRIMARY KEY (kind, identity_id, authenticator_id, method, actor_kind, backend)
) WITH (fillfactor = 50);

-- A login is the API session that it opens, and is told of its identity: before it, the caller was not known. With the
-- setting edge.summed of the transaction it is counted only.
CREATE OR REPLACE FUNCTION audit_api_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor text[];
  holder text;
BEGIN
  IF current_setting('edge.summed', true) = 'on' THEN
    INSERT INTO audit_sums AS s (kind, identity_id, authenticator_id, method, actor_kind, total)
    VALUES ('login.succeeded', NEW.identity_id, NEW.authenticator_id, NEW.method, 'identity', 1)
    ON CONFLICT ON CONSTRAINT audit_sums_pkey DO UPDATE SET total = s.total + 1;
    RETURN NULL;
  END IF;
  actor := string_to_array(current_setting('edge.actor', true), '|');
  holder := (SELECT name FROM identities WHERE id = NEW.identity_id);
  INSERT INTO audit_records (kind, entity_type, entity_id, entity_name, after, actor_kind, actor_id, actor_name,
    api_session_id, address, request_id, controller)
  VALUES ('login.succeeded', 'identity', NEW.identity_id, holder,
    jsonb_build_object('method', NEW.method, 'authenticatorId', NEW.authenticator_id), 'identity', NEW.identity_id,
    holder, NEW.id, NEW.ip_address, nullif(actor[6], ''), nullif(convert_from(decode(actor[7], 'hex'), 'UTF8'), ''));
  RETURN NULL;
END $$;

-- The end of an API session is a logout where it is the identity's own doing. What the controller ends by itself in one
-- statement leaves ten records for each identity, and counts beyond; with edge.summed all of it counts only.
CREATE FUNCTION audit_api_sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor CONSTANT text := coalesce(nullif(split_part(current_setting('edge.actor', true), '|', 1), ''), 'controller');
  most CONSTANT bigint := CASE WHEN current_setting('edge.summed', true) = 'on' THEN 0
    WHEN actor = 'controller' THEN 10 END;
BEGIN
  PERFORM record_audit('apiSession.deleted', 'apiSession', g.id, i.name,
    jsonb_build_object('identityId', g.identity_id, 'method', g.method, 'ipAddress', g.ip_address), NULL)
  FROM (SELECT id, identity_id, method, ip_address, row_number() OVER (PARTITION BY identity_id ORDER BY id) AS nth
    FROM gone) g LEFT JOIN identities i ON i.id = g.identity_id
  WHERE most IS NULL OR g.nth <= most;
  IF most IS NOT NULL THEN
    INSERT INTO audit_sums AS s (kind, identity_id, authenticator_id, method, actor_kind, total)
    SELECT 'apiSession.deleted', identity_id, '', '', actor, count(*) - most FROM gone
    GROUP BY identity_id HAVING count(*) > most
    ON CONFLICT ON CONSTRAINT audit_sums_pkey DO UPDATE SET total = s.total + excluded.total;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER api_sessions_audit ON api_sessions;
CREATE TRIGGER api_sessions_audit AFTER INSERT ON api_sessions FOR EACH ROW EXECUTE FUNCTION audit_api_sessions();
CREATE TRIGGER api_sessions_audit_gone AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  EXECUTE FUNCTION audit_api_sessions_gone();

-- Ends API sessions of an identity, least recently used first, until `most` are left with the one that is kept. Those
-- that others hold at the moment stay until the next login, so that no login waits. Answers how many it ended.
CREATE FUNCTION end_surplus_api_sessions(owner text, kept text, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  actor CONSTANT text := coalesce(current_setting('edge.actor', true), '');
  ended bigint;
BEGIN
  PERFORM set_config('edge.actor', 'controller||||||' || split_part(actor, '|', 7), true);
  DELETE FROM api_sessions WHERE id IN (
    SELECT id FROM api_sessions WHERE id IN (
      SELECT id FROM api_sessions WHERE identity_id = owner AND id <> kept
      ORDER BY last_activity_at DESC, id DESC OFFSET most - 1)
    FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS ended = ROW_COUNT;
  PERFORM set_config('edge.actor', actor, true);
  RETURN ended;
END $$;
