-- Less PL/pgSQL in what every change runs: each transaction prepares each function and each expression again.
-- Triggers insert into the audit record themselves, with the actor as the default of a view; none calls a function for
-- it, which called another one.

-- A part of the actor that a transaction acts for, as db/postgres/attribution.ts writes it; null where it has none.
CREATE FUNCTION actor_part(part integer) RETURNS text LANGUAGE sql STABLE
  RETURN nullif(split_part(current_setting('edge.actor', true), '|', part), '');

-- What triggers write of a change, in this order; the rest comes of the actor.
CREATE VIEW audited_changes AS
SELECT kind, entity_type, entity_id, entity_name, before, after,
  actor_kind, actor_id, actor_name, api_session_id, address, request_id, controller
FROM audit_records;
ALTER VIEW audited_changes ALTER actor_kind SET DEFAULT coalesce(actor_part(1), 'controller');
ALTER VIEW audited_changes ALTER actor_id SET DEFAULT actor_part(2);
ALTER VIEW audited_changes ALTER actor_name SET DEFAULT convert_from(decode(actor_part(3), 'hex'), 'UTF8');
ALTER VIEW audited_changes ALTER api_session_id SET DEFAULT actor_part(4);
ALTER VIEW audited_changes ALTER address SET DEFAULT actor_part(5);
ALTER VIEW audited_changes ALTER request_id SET DEFAULT actor_part(6);
ALTER VIEW audited_changes ALTER controller SET DEFAULT convert_from(decode(actor_part(7), 'hex'), 'UTF8');

-- For statements of the controller, and for releases that know no view.
CREATE OR REPLACE FUNCTION record_audit(kind text, entity_type text, entity_id text, entity_name text, before jsonb,
  after jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audited_changes VALUES (kind, entity_type, entity_id, entity_name, before, after);
END $$;

-- Each `PERFORM record_audit(...)` becomes an insert: of values, or of a selection where it names a table. One of these
-- functions takes the kind of the actor apart by itself.
DO $do$
DECLARE
  call CONSTANT text := 'PERFORM record_audit(';
  name text;
  former text;
  body text;
  at integer;
  depth integer;
BEGIN
  FOR name, former IN SELECT p.oid::regprocedure, pg_get_functiondef(p.oid) FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND strpos(p.prosrc, call) > 0 ORDER BY p.proname
  LOOP
    body := '';
    WHILE strpos(former, call) > 0 LOOP
      body := body || split_part(former, call, 1);
      former := substr(former, strpos(former, call) + length(call));
      at := 0;
      depth := 1;
      WHILE depth > 0 LOOP
        at := at + 1;
        depth := depth + CASE substr(former, at, 1) WHEN '(' THEN 1 WHEN ')' THEN -1 WHEN '' THEN NULL ELSE 0 END;
        IF depth IS NULL THEN RAISE 'a call in % does not end', name; END IF;
      END LOOP;
      IF substr(former, at + 1, 1) = ';' THEN
        body := body || 'INSERT INTO audited_changes VALUES (' || left(former, at);
      ELSE
        body := body || 'INSERT INTO audited_changes SELECT ' || left(former, at - 1);
      END IF;
      former := substr(former, at + 1);
    END LOOP;
    EXECUTE replace(body || former, 'nullif(split_part(current_setting(''edge.actor'', true), ''|'', 1), '''')',
      'actor_part(1)');
  END LOOP;
END $do$;

-- The actor of a login is who logged in.
CREATE OR REPLACE FUNCTION audit_api_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE holder text;
BEGIN
  IF current_setting('edge.summed', true) = 'on' THEN
    INSERT INTO audit_sums AS s (kind, identity_id, authenticator_id, method, actor_kind, total)
    VALUES ('login.succeeded', NEW.identity_id, NEW.authenticator_id, NEW.method, 'identity', 1)
    ON CONFLICT ON CONSTRAINT audit_sums_pkey DO UPDATE SET total = s.total + 1;
    RETURN NULL;
  END IF;
  holder := (SELECT name FROM identities WHERE id = NEW.identity_id);
  INSERT INTO audited_changes (kind, entity_type, entity_id, entity_name, after, actor_kind, actor_id, actor_name,
    api_session_id, address)
  VALUES ('login.succeeded', 'identity', NEW.identity_id, holder,
    jsonb_build_object('method', NEW.method, 'authenticatorId', NEW.authenticator_id), 'identity', NEW.identity_id,
    holder, NEW.id, NEW.ip_address);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE entity_counts
  SET total = total + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * (SELECT count(*) FROM changed)
  WHERE kind = TG_TABLE_NAME AND slot = (SELECT slot FROM entity_counts
    WHERE kind = TG_TABLE_NAME AND EXISTS (SELECT FROM changed) LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO entity_counts (kind, total)
    SELECT TG_TABLE_NAME, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * count(*) FROM changed HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_terminators_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'terminators ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT DISTINCT service_id AS id FROM changed LIMIT 200) c HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_session_prints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'opened ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT DISTINCT api_session_id AS id FROM changed LIMIT 200) c HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'session ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT id FROM gone LIMIT 200) g HAVING count(*) > 0;
  RETURN NULL;
END $$;
