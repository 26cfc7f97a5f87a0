-- Terminators that routers create for hosting clients, and the notice by which routers hear that a session has ended.

-- A terminator that a session hosts ends with the session. What a host gives its dialers is kept by key, as base64.
ALTER TABLE terminators ADD COLUMN peer_data jsonb NOT NULL DEFAULT '{}';
ALTER TABLE terminators ADD COLUMN session_id text COLLATE "C";
ALTER TABLE terminators
  ADD CONSTRAINT terminators_session_fkey FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE;
CREATE INDEX terminators_session ON terminators (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX terminators_instance ON terminators (service_id, instance_id);

-- The sessions that ended, each with its API session: 'ended <session>:<API session> …'. In parts, because a notice
-- holds 8,000 bytes.
CREATE FUNCTION tell_sessions_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE part text;
BEGIN
  FOR part IN
    SELECT string_agg(g.id || ':' || g.api_session_id, ' ')
    FROM (SELECT s.id, s.api_session_id, (row_number() OVER () - 1) / 150 AS part FROM gone s) g
    GROUP BY g.part
  LOOP
    PERFORM pg_notify('edge', 'ended ' || part);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_tell_ended AFTER DELETE ON sessions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_ended();
