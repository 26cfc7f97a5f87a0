-- The surplus that a login ends is locked as everything else locks it: all API sessions, then all their sessions by id.
-- Before, sessions were locked by API session, so that two of them could be taken in the opposite order of others.
CREATE OR REPLACE FUNCTION end_surplus_api_sessions(owner text, kept text, most bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  actor CONSTANT text := coalesce(current_setting('edge.actor', true), '');
  surplus CONSTANT text[] := ARRAY (
    SELECT id FROM api_sessions WHERE id IN (
      SELECT id FROM api_sessions WHERE identity_id = owner AND id <> kept
      ORDER BY last_activity_at DESC, id DESC OFFSET most - 1)
    FOR UPDATE SKIP LOCKED);
  ended bigint;
BEGIN
  IF surplus = '{}' THEN RETURN 0; END IF;
  PERFORM hold_api_sessions(surplus);
  PERFORM set_config('edge.actor', 'controller||||||' || split_part(actor, '|', 7), true);
  DELETE FROM api_sessions WHERE id = ANY (surplus);
  GET DIAGNOSTICS ended = ROW_COUNT;
  PERFORM set_config('edge.actor', actor, true);
  RETURN ended;
END $$;
