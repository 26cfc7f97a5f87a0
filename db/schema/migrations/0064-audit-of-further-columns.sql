-- What a change changed is found column by column in further tables: the record of a change of a router cost four times
-- as much as that of an identity.

DROP FUNCTION audit_by_columns(text, text, text[], text[]);

-- The function that records the changes of a table. `members` and `columns` are pairs: the names of columns in records,
-- and in the table.
--
-- secrets     pairs as well: columns that no record shows, and members that say that they have changed
-- type_of     where a table has entities of several types: an expression over a row, which it calls %s
-- unrecorded  condition of OLD under which neither a change nor the end of a row is recorded
CREATE FUNCTION audit_by_columns(of_table text, entity_type text, members text[], columns text[],
  secrets text[] DEFAULT '{}', type_of text DEFAULT NULL, unrecorded text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $do$
DECLARE
  types CONSTANT text := coalesce(type_of, quote_literal(entity_type));
  name_of CONSTANT text := CASE WHEN 'name' = ANY (columns) THEN '%s.name' WHEN 'username' = ANY (columns)
    THEN '%s.username' ELSE 'NULL' END;
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
  FOR i IN 1 .. cardinality(secrets) BY 2 LOOP
    changes := changes || format('    IF OLD.%1$I IS DISTINCT FROM NEW.%1$I THEN
      after := after || jsonb_build_object(%2$L, true);
    END IF;
', secrets[i], secrets[i + 1]);
  END LOOP;
  EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'audit_' || of_table,
    format('
DECLARE
  before jsonb := ''{}'';
  after jsonb := ''{}'';
BEGIN
  IF TG_OP = ''INSERT'' THEN
    PERFORM record_audit(%1$s || ''.created'', %1$s, NEW.id, %3$s, NULL,
      %5$s);%8$s
  ELSIF TG_OP = ''DELETE'' THEN
    PERFORM record_audit(%2$s || ''.deleted'', %2$s, OLD.id, %4$s,
      %6$s, NULL);
  ELSE
%7$s    IF after <> ''{}'' THEN
      PERFORM record_audit(%1$s || ''.updated'', %1$s, NEW.id, %3$s, before, after);
    END IF;
  END IF;
  RETURN NULL;
END', format(types, 'NEW'), format(types, 'OLD'), format(name_of, 'NEW'), format(name_of, 'OLD'),
      format(whole, 'NEW'), format(whole, 'OLD'), changes,
      E'\n  ELSIF ' || unrecorded || E' THEN\n    RETURN NULL;'));
END $do$;

-- Tables whose functions name their columns by hand: the pairs are read from what they record of a new row.
DO $do$
DECLARE
  audited record;
  body text;
  members text[];
  columns text[];
BEGIN
  FOR audited IN SELECT * FROM (VALUES
    ('auth_policies', 'authPolicy', '{}', NULL, NULL),
    ('authenticators', 'authenticator', '{password_hash, passwordChanged}', NULL, NULL),
    ('cas', 'ca', '{}', NULL, NULL),
    ('config_types', 'configType', '{}', NULL, NULL),
    ('enrollments', 'enrollment', '{token, tokenChanged}', NULL, NULL),
    ('external_jwt_signers', 'externalJwtSigner', '{}', NULL, NULL),
    ('routers', 'router', '{}', $$CASE WHEN %s.is_edge THEN 'edgeRouter' ELSE 'router' END$$, NULL),
    ('terminators', 'terminator', '{}', NULL, 'OLD.is_system AND NOT acts_for_another(OLD.host_id)')
  ) each (name, type, secrets, type_of, unrecorded)
  LOOP
    body := split_part(pg_get_functiondef(('audit_' || audited.name)::regproc), 'jsonb_build_object', 2);
    SELECT array_agg(m[1] ORDER BY n), array_agg(m[2] ORDER BY n) INTO members, columns
    FROM regexp_matches(body, '''([\w.]+)'', NEW\.(\w+)', 'g') WITH ORDINALITY matches (m, n);
    IF members IS NULL THEN RAISE 'the audit of % is not as it was made', audited.name; END IF;
    PERFORM audit_by_columns(audited.name, audited.type, members, columns, audited.secrets::text[], audited.type_of,
      audited.unrecorded);
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE OF %s ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
      audited.name || '_audit_change', (SELECT string_agg(quote_ident(name), ', ')
        FROM unnest(columns || ARRAY(SELECT secret FROM unnest(audited.secrets::text[]) WITH ORDINALITY s (secret, n)
          WHERE n % 2 = 1)) name), audited.name, 'audit_' || audited.name);
  END LOOP;
END $do$;
