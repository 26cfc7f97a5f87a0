-- Changes that were several statements are one, whose parts share what they see of the database. What such a change
-- does once it has its lock is in functions, which see what was committed while it waited.

-- Ends all API sessions of an identity, which is locked.
CREATE FUNCTION end_api_sessions_of(identity text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE ids CONSTANT text[] := ARRAY (SELECT id FROM api_sessions WHERE identity_id = identity);
BEGIN
  IF ids <> '{}' THEN
    PERFORM hold_api_sessions(ids);
    DELETE FROM api_sessions WHERE id = ANY (ids);
  END IF;
END $$;

-- Take what hangs on a service, a router or an identity from it, which is locked.
DO $do$
DECLARE link record;
BEGIN
  FOR link IN SELECT * FROM (VALUES
    ('service_configs', 'service_id'), ('router_configs', 'router_id'), ('identity_hostings', 'identity_id')
  ) each (name, of_column)
  LOOP
    EXECUTE format('CREATE FUNCTION %I(of_id text) RETURNS void LANGUAGE plpgsql AS %L', 'clear_' || link.name,
      format('
BEGIN
  DELETE FROM %I WHERE %I = of_id;
END', link.name, link.of_column));
  END LOOP;
END $do$;
