-- What is recorded of an entity is read off the columns of its table, so that a new column is named once: where it is
-- added.

-- Makes, or makes anew, the function and the three triggers that record changes of a table of entities. A record has
-- every column under the name that the API gives it (max_idle_time_millis as maxIdleTimeMillis), but for those of all
-- entities and those of `left_out`: secrets, and what no administrator sets. A change of nothing else writes no record.
-- Call it after each migration that adds a column to such a table. Columns whose names differ from those of the API
-- need a function of their own.
CREATE FUNCTION audit_entity(of_table text, entity_type text, VARIADIC left_out text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $do$
DECLARE
  members text;
  differs text;
  name_of text;
BEGIN
  SELECT string_agg(format('%L, %%1$s.%I', m.member, m.attname), ', ' ORDER BY m.attnum),
    string_agg(format('OLD.%1$I IS DISTINCT FROM NEW.%1$I', m.attname), ' OR ' ORDER BY m.attnum),
    CASE WHEN bool_or(m.attname = 'name') THEN '%s.name' ELSE 'NULL' END
    INTO members, differs, name_of
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
      %7$s) c;
  END IF;
  RETURN NULL;
END', entity_type || '.created', entity_type || '.deleted', entity_type || '.updated', entity_type,
      replace(name_of, '%s', 'NEW'), replace(name_of, '%s', 'OLD'), format(members, 'NEW'), format(members, 'OLD')));
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_in', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_out', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION %I()',
    of_table || '_audit_change', of_table, differs, 'audit_' || of_table);
END $do$;

SELECT audit_entity('services', 'service');
