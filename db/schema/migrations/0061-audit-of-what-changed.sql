-- What a change changed is found column by column, where it was found by making documents of all columns and comparing
-- these: the record of a change of an identity cost twice as much.

-- The function that records the changes of a table. `members` and `columns` are pairs: the names of columns in records,
-- and in the table.
CREATE FUNCTION audit_by_columns(of_table text, entity_type text, members text[], columns text[]) RETURNS void
LANGUAGE plpgsql AS $do$
DECLARE
  name_of CONSTANT text := CASE WHEN 'name' = ANY (columns) THEN '%s.name' ELSE 'NULL' END;
  whole text;
  changes text;
BEGIN
  SELECT 'jsonb_build_object(' || string_agg(format('%L, %%1$s.%I', member, name), ', ' ORDER BY n) || ')',
    string_agg(format('    IF OLD.%1$I IS DISTINCT FROM NEW.%1$I THEN
      before := before || jsonb_build_object(%2$L, OLD.%1$I);
      after := after || jsonb_build_object(%2$L, NEW.%1$I);
    END IF;
', name, member), '' ORDER BY n)
    INTO whole, changes
  FROM unnest(members, columns) WITH ORDINALITY each (member, name, n);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'audit_' || of_table,
    format('
DECLARE
  before jsonb := ''{}'';
  after jsonb := ''{}'';
BEGIN
  IF TG_OP = ''INSERT'' THEN
    PERFORM record_audit(%1$L, %4$L, NEW.id, %5$s, NULL,
      %7$s);
  ELSIF TG_OP = ''DELETE'' THEN
    PERFORM record_audit(%2$L, %4$L, OLD.id, %6$s,
      %8$s, NULL);
  ELSE
%9$s    IF before <> ''{}'' THEN
      PERFORM record_audit(%3$L, %4$L, NEW.id, %5$s, before, after);
    END IF;
  END IF;
  RETURN NULL;
END', entity_type || '.created', entity_type || '.deleted', entity_type || '.updated', entity_type,
      format(name_of, 'NEW'), format(name_of, 'OLD'), format(whole, 'NEW'), format(whole, 'OLD'), changes));
END $do$;

-- All columns of a table but those that are left out, under their names in answers.
CREATE OR REPLACE FUNCTION audit_entity(of_table text, entity_type text, VARIADIC left_out text[] DEFAULT '{}')
RETURNS void LANGUAGE plpgsql AS $do$
DECLARE
  members text[];
  columns text[];
BEGIN
  SELECT array_agg(m.member ORDER BY m.attnum), array_agg(m.attname ORDER BY m.attnum) INTO members, columns
  FROM (
    SELECT a.attname::text, a.attnum, (
      SELECT string_agg(CASE n WHEN 1 THEN word ELSE initcap(word) END, '' ORDER BY n)
      FROM string_to_table(a.attname, '_') WITH ORDINALITY words (word, n)) AS member
    FROM pg_attribute a WHERE a.attrelid = of_table::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> ALL (ARRAY['id', 'created_at', 'updated_at', 'is_system'] || left_out)) m;
  PERFORM audit_by_columns(of_table, entity_type, members, columns);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_in', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_out', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE OF %s ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_change', (SELECT string_agg(quote_ident(name), ', ' ORDER BY n)
      FROM unnest(columns) WITH ORDINALITY each (name, n)), of_table, 'audit_' || of_table);
END $do$;

SELECT audit_entity('services', 'service');
SELECT audit_entity('fabric_services', 'fabricService');
SELECT audit_entity('fabric_terminators', 'fabricTerminator', 'instance_secret', 'dynamic_cost', 'source_ctrl');

-- Tables whose functions name their columns by hand: the pairs are read from what they record of a new row.
DO $do$
DECLARE
  audited text;
  body text;
  entity_type text;
  members text[];
  columns text[];
BEGIN
  FOREACH audited IN ARRAY ARRAY['configs', 'edge_router_policies', 'identities', 'posture_checks',
    'service_edge_router_policies', 'service_policies']
  LOOP
    body := pg_get_functiondef(('audit_' || audited)::regproc);
    entity_type := substring(body FROM 'record_audit\(''(\w+)'' \|\| ''\.created');
    SELECT array_agg(m[1] ORDER BY n), array_agg(m[2] ORDER BY n) INTO members, columns
    FROM regexp_matches(split_part(body, 'jsonb_build_object', 2), '''(\w+)'', NEW\.(\w+)', 'g')
      WITH ORDINALITY matches (m, n);
    IF entity_type IS NULL OR members IS NULL THEN RAISE 'the audit of % is not as it was made', audited; END IF;
    PERFORM audit_by_columns(audited, entity_type, members, columns);
  END LOOP;
END $do$;
