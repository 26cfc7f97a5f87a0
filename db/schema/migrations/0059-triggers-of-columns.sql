-- PostgreSQL makes the condition of a trigger ready again for each statement, whatever that changes. A trigger that
-- names its columns is passed over where a statement sets none of them: a change of an identity's tags costs a quarter
-- less.

CREATE OR REPLACE TRIGGER identities_hold_auth_policy
BEFORE UPDATE OF is_admin, is_default_admin, permissions ON identities
FOR EACH ROW WHEN (OLD.is_admin IS DISTINCT FROM NEW.is_admin
  OR OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin OR OLD.permissions IS DISTINCT FROM NEW.permissions)
EXECUTE FUNCTION hold_auth_policy();

CREATE OR REPLACE TRIGGER identities_tell_changed AFTER UPDATE OF name, is_admin, is_default_admin, external_id,
  auth_policy_id, disabled_at, disabled_until, role_attributes, permissions ON identities
FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.is_admin IS DISTINCT FROM NEW.is_admin
  OR OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin OR OLD.external_id IS DISTINCT FROM NEW.external_id
  OR OLD.auth_policy_id IS DISTINCT FROM NEW.auth_policy_id OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at
  OR OLD.disabled_until IS DISTINCT FROM NEW.disabled_until
  OR OLD.role_attributes IS DISTINCT FROM NEW.role_attributes OR OLD.permissions IS DISTINCT FROM NEW.permissions)
EXECUTE FUNCTION tell_identity_changed();

-- As before, but what is compared is what is recorded, once, and a change that changes nothing of it writes no record.
CREATE OR REPLACE FUNCTION audit_entity(of_table text, entity_type text, VARIADIC left_out text[] DEFAULT '{}')
RETURNS void LANGUAGE plpgsql AS $do$
DECLARE
  members text;
  columns text;
  name_of text;
BEGIN
  SELECT string_agg(format('%L, %%1$s.%I', m.member, m.attname), ', ' ORDER BY m.attnum),
    string_agg(quote_ident(m.attname), ', ' ORDER BY m.attnum),
    CASE WHEN bool_or(m.attname = 'name') THEN '%s.name' ELSE 'NULL' END
    INTO members, columns, name_of
  FROM (
    SELECT a.attname, a.attnum, (
      SELECT string_agg(CASE n WHEN 1 THEN word ELSE initcap(word) END, '' ORDER BY n)
      FROM string_to_table(a.attname, '_') WITH ORDINALITY words (word, n)) AS member
    FROM pg_attribute a WHERE a.attrelid = of_table::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> ALL (ARRAY['id', 'created_at', 'updated_at', 'is_system'] || left_out)) m;
  members := 'jsonb_build_object(' || members || ')';
  EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'audit_' || of_table,
    format('BEGIN
  IF TG_OP = ''INSERT'' THEN
    PERFORM record_audit(%1$L, %4$L, NEW.id, %5$s, NULL,
      %7$s);
  ELSIF TG_OP = ''DELETE'' THEN
    PERFORM record_audit(%2$L, %4$L, OLD.id, %6$s,
      %8$s, NULL);
  ELSE
    PERFORM record_audit(%3$L, %4$L, NEW.id, %5$s, c.before, c.after)
    FROM audit_changes(
      %8$s,
      %7$s) c WHERE c.before <> ''{}'';
  END IF;
  RETURN NULL;
END', entity_type || '.created', entity_type || '.deleted', entity_type || '.updated', entity_type,
      replace(name_of, '%s', 'NEW'), replace(name_of, '%s', 'OLD'), format(members, 'NEW'), format(members, 'OLD')));
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_in', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_out', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE OF %s ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_change', columns, of_table, 'audit_' || of_table);
END $do$;

SELECT audit_entity('services', 'service');
SELECT audit_entity('fabric_services', 'fabricService');
SELECT audit_entity('fabric_terminators', 'fabricTerminator', 'instance_secret', 'dynamic_cost', 'source_ctrl');

-- The same for tables whose functions name their columns by hand. All that they compare is in their records.
DO $do$
DECLARE
  audited text;
  body text;
  columns text;
BEGIN
  FOREACH audited IN ARRAY ARRAY['configs', 'edge_router_policies', 'identities', 'posture_checks',
    'service_edge_router_policies', 'service_policies']
  LOOP
    body := replace(pg_get_functiondef(('audit_' || audited)::regproc), ') c;', ') c WHERE c.before <> ''{}'';');
    SELECT string_agg(quote_ident(m[1]), ', ') INTO columns FROM pg_trigger g
    CROSS JOIN LATERAL regexp_matches(pg_get_triggerdef(g.oid), 'old\.(\w+) IS DISTINCT FROM', 'g') m
    WHERE g.tgrelid = audited::regclass AND g.tgname = audited || '_audit_change';
    IF strpos(body, 'WHERE c.before') = 0 OR columns IS NULL THEN
      RAISE 'the audit of % is not as it was made', audited;
    END IF;
    EXECUTE body;
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE OF %s ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
      audited || '_audit_change', columns, audited, 'audit_' || audited);
  END LOOP;
END $do$;
