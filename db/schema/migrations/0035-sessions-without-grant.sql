-- A session that is found without a grant is ended by the controller, whoever asked for what found it: its end is
-- traffic, like what made it. `edge.ended` has the ids of those that the statement ends so.
CREATE OR REPLACE FUNCTION audit_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE actor CONSTANT text[] := string_to_array(current_setting('edge.actor', true), '|');
BEGIN
  IF actor[1] = 'identity' AND actor[2] <> OLD.identity_id
    AND OLD.id <> ALL (string_to_array(coalesce(current_setting('edge.ended', true), ''), ' ')) THEN
    PERFORM record_audit('session.deleted', 'session', OLD.id, NULL, jsonb_build_object('identityId', OLD.identity_id,
      'apiSessionId', OLD.api_session_id, 'serviceId', OLD.service_id, 'type', OLD.type), NULL);
  END IF;
  RETURN NULL;
END $$;
