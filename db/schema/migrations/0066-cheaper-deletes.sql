-- Deletes take PostgreSQL less.

-- Looks for API sessions before it ends any: a DELETE that finds none costs the triggers of their table all the same.
CREATE OR REPLACE FUNCTION end_sessions_of_authenticators() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids CONSTANT text[] := ARRAY (SELECT s.id FROM api_sessions s JOIN gone ON gone.id = s.authenticator_id);
BEGIN
  IF ids <> '{}' THEN
    PERFORM hold_api_sessions(ids);
    DELETE FROM api_sessions WHERE id = ANY (ids);
  END IF;
  RETURN NULL;
END $$;

-- One function for each kind of entity that policies name, in place of one whose statements are planned each time.
DO $do$
DECLARE
  kind record;
  list text[];
  body text;
BEGIN
  FOR kind IN SELECT * FROM (VALUES
    ('identities', '{{service_policies,identity_roles},{edge_router_policies,identity_roles}}'::text[]),
    ('services', '{{service_policies,service_roles},{service_edge_router_policies,service_roles}}'),
    ('routers', '{{edge_router_policies,edge_router_roles},{service_edge_router_policies,edge_router_roles}}'),
    ('posture_checks', '{{service_policies,posture_check_roles}}')
  ) each (name, lists)
  LOOP
    body := '';
    FOREACH list SLICE 1 IN ARRAY kind.lists LOOP
      body := body || format('
  PERFORM FROM %1$I WHERE %2$I @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE %1$I SET %2$I = array_remove(%2$I, selector), updated_at = greatest(now(), updated_at + interval ''1 ms'')
    WHERE %2$I @> ARRAY[selector];
  END IF;', list[1], list[2]);
    END LOOP;
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'forget_selectors_of_' || kind.name, '
DECLARE selector CONSTANT text := ''@'' || OLD.id;
BEGIN' || body || '
  RETURN NULL;
END ');
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
      kind.name || '_forget_selectors', kind.name, 'forget_selectors_of_' || kind.name);
  END LOOP;
END $do$;
DROP FUNCTION forget_selector();

-- Takes the tunneler from a router: its system policy, what it hosts and its identity, which is locked and may go.
-- Policies are locked in the order in which every delete takes them: kind by kind, each by id.
CREATE FUNCTION take_tunneler(router text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE selector CONSTANT text := '@' || router;
BEGIN
  PERFORM FROM service_policies WHERE identity_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM edge_router_policies
  WHERE identity_roles @> ARRAY[selector] OR edge_router_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  DELETE FROM edge_router_policies WHERE id = router AND is_system;
  -- The holder of its channel removes what it hosts after the router was told, or it would host no more when the
  -- tunneler is switched on again at once.
  IF EXISTS (SELECT FROM terminators WHERE router_id = router AND binding = 'tunnel' AND is_system)
    AND NOT EXISTS (SELECT FROM router_channels WHERE router_id = router) THEN
    DELETE FROM terminators WHERE router_id = router AND binding = 'tunnel' AND is_system;
  END IF;
  DELETE FROM identities WHERE id = router;
END $$;

-- Whether nothing was made with a CA, which is locked: so no login and no session ends with it.
CREATE FUNCTION is_unused_ca(ca text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM authenticators WHERE ca_id = ca)
    AND NOT EXISTS (SELECT FROM enrollments WHERE ca_id = ca)
    AND NOT EXISTS (SELECT FROM api_sessions WHERE ca_id = ca);
END $$;
