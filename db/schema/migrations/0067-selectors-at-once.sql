-- Less work where little changes: every delete of an identity, a router, a service or a check looks for selectors of
-- policies, and most end no API session.

-- A search looks at each page of what is not yet sorted into an index, 25 us a page, up to 16 pages. Policies have few
-- selectors and change seldom, and each such delete searches two to seven of these indexes: selectors are sorted in at
-- once.
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY '{service_policies_identity_roles,service_policies_service_roles,
    service_policies_posture_check_roles,edge_router_policies_identity_roles,edge_router_policies_edge_router_roles,
    service_edge_router_policies_service_roles,service_edge_router_policies_edge_router_roles}'::text[] LOOP
    EXECUTE format('ALTER INDEX %I RESET (gin_pending_list_limit)', wanted);
    EXECUTE format('ALTER INDEX %I SET (fastupdate = off)', wanted);
    PERFORM gin_clean_pending_list(wanted::regclass);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION audit_api_sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor text;
  most bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN RETURN NULL; END IF;
  actor := coalesce(nullif(split_part(current_setting('edge.actor', true), '|', 1), ''), 'controller');
  most := CASE WHEN current_setting('edge.summed', true) = 'on' THEN 0 WHEN actor = 'controller' THEN 10 END;
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

CREATE OR REPLACE FUNCTION keep_uses_of_identities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN RETURN NULL; END IF;
  INSERT INTO last_uses AS u (kind, entity_id, at)
  SELECT 'identity', g.identity_id, max(g.last_activity_at) FROM gone g
  WHERE EXISTS (SELECT FROM identities i WHERE i.id = g.identity_id)
    AND NOT EXISTS (SELECT FROM last_uses k WHERE k.kind = 'identity' AND k.entity_id = g.identity_id
      AND k.at > g.last_activity_at - interval '1 hour')
  GROUP BY g.identity_id ORDER BY g.identity_id
  ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at);
  RETURN NULL;
END $$;
