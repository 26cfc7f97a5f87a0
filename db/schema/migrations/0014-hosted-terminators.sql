-- Terminators that routers create for hosting clients, and the notice by which routers hear that a session has ended.

-- A terminator that a session hosts ends with the session. What a host gives its dialers is kept by key, as base64.
ALTER TABLE terminators ADD COLUMN peer_data jsonb NOT NULL DEFAULT '{}';
ALTER TABLE terminators ADD COLUMN session_id text COLLATE "C";
ALTER TABLE terminators
  ADD CONSTRAINT terminators_session_fkey FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE;
CREATE INDEX terminators_session ON terminators (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX terminators_instance ON terminators (service_id, instance_id);

-- The ids of sessions that ended. In parts, because a notice holds 8,000 bytes.
CREATE FUNCTION tell_sessions_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE part text;
BEGIN
  FOR part IN
    SELECT string_agg(g.id, ' ') FROM (SELECT s.id, (row_number() OVER () - 1) / 300 AS part FROM gone s) g
    GROUP BY g.part
  LOOP
    PERFORM pg_notify('edge', 'ended ' || part);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_tell_ended AFTER DELETE ON sessions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_ended();

-- What paths depend on counts from the next dial on.
DROP TRIGGER routers_tell_changed ON routers;
CREATE TRIGGER routers_tell_changed AFTER UPDATE OF fingerprint, disabled, cost, no_traversal ON routers
  FOR EACH ROW WHEN ((OLD.fingerprint, OLD.disabled, OLD.cost, OLD.no_traversal)
    IS DISTINCT FROM (NEW.fingerprint, NEW.disabled, NEW.cost, NEW.no_traversal))
  EXECUTE FUNCTION tell_router_changed();
