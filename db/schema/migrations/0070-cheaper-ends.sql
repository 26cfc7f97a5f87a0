-- Less work for a terminator that changes, an API session that ends and a router that enrolls again.

-- An update told of the services before and of those after it in two triggers, which most often named the same one.
CREATE FUNCTION tell_terminators_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'terminators ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT service_id AS id FROM former UNION SELECT service_id FROM changed LIMIT 200) c HAVING count(*) > 0;
  RETURN NULL;
END $$;
DROP TRIGGER terminators_tell_former ON terminators;
DROP TRIGGER terminators_tell_changed ON terminators;
CREATE TRIGGER terminators_tell_changed AFTER UPDATE ON terminators
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_moved();

-- Each end of an API session that is recorded by itself needs no place among those of its identity. One that is counted
-- alone says `once`: the next change of its transaction is another caller's, and recorded.
CREATE OR REPLACE FUNCTION audit_api_sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor text;
  summed text;
  most bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN RETURN NULL; END IF;
  actor := coalesce(actor_part(1), 'controller');
  summed := current_setting('edge.summed', true);
  IF summed = 'once' THEN PERFORM set_config('edge.summed', '', true); END IF;
  most := CASE WHEN summed IN ('on', 'once') THEN 0 WHEN actor = 'controller' THEN 10 END;
  IF most IS NULL THEN
    INSERT INTO audited_changes SELECT 'apiSession.deleted', 'apiSession', g.id, i.name,
      jsonb_build_object('identityId', g.identity_id, 'method', g.method, 'ipAddress', g.ip_address), NULL
    FROM gone g LEFT JOIN identities i ON i.id = g.identity_id;
    RETURN NULL;
  END IF;
  IF most > 0 THEN
    INSERT INTO audited_changes SELECT 'apiSession.deleted', 'apiSession', g.id, i.name,
      jsonb_build_object('identityId', g.identity_id, 'method', g.method, 'ipAddress', g.ip_address), NULL
    FROM (SELECT id, identity_id, method, ip_address, row_number() OVER (PARTITION BY identity_id ORDER BY id) AS nth
      FROM gone) g LEFT JOIN identities i ON i.id = g.identity_id
    WHERE g.nth <= most;
  END IF;
  INSERT INTO audit_sums AS s (kind, identity_id, authenticator_id, method, actor_kind, total)
  SELECT 'apiSession.deleted', identity_id, '', '', actor, count(*) - most FROM gone
  GROUP BY identity_id HAVING count(*) > most
  ON CONFLICT ON CONSTRAINT audit_sums_pkey DO UPDATE SET total = s.total + excluded.total;
  RETURN NULL;
END $$;

-- For a router that is locked: it sees what was committed while that was waited for, which a statement does not.
CREATE FUNCTION clear_router_enrollments(of_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM enrollments WHERE edge_router_id = of_id;
END $$;
