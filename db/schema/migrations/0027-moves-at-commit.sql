-- One place moves all epochs and counts of role attributes: triggers only note what has to move, in settings that end
-- with the transaction, and move_noted does it once, at commit, in one order. So no two changes wait for each other in
-- a circle there, whatever they changed before and in which order (docs/architecture.md, "Order of locks").

-- Notes what the argument names: 'access' (who reaches something), 'content' (what is reached, and so access too),
-- 'grants', 'routing' or 'presence'. No argument may be a part of another one.
CREATE FUNCTION note_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE noted text := coalesce(current_setting('edge.moves', true), '');
BEGIN
  IF strpos(noted, TG_ARGV[0]) = 0 THEN noted := set_config('edge.moves', noted || ' ' || TG_ARGV[0], true); END IF;
  RETURN NULL;
END $$;

-- Hostings are part of what routers are told of their own identities; those of other identities concern no router.
CREATE FUNCTION note_moves_of_hosting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE noted text := coalesce(current_setting('edge.moves', true), '');
BEGIN
  IF strpos(noted, 'access') = 0 AND EXISTS (SELECT FROM identities
      WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END AND type_id = 'Router') THEN
    noted := set_config('edge.moves', noted || ' access', true);
  END IF;
  RETURN NULL;
END $$;

-- Notes the attributes that a changed row had and has, or that a deleted one had, in a setting for each table and
-- direction: the inner text of an array, with a comma before each row's. Each transaction makes the expressions of
-- PL/pgSQL ready again: so these are few.
CREATE FUNCTION note_role_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE noted text := set_config('edge.moves', replace(concat(current_setting('edge.moves', true), ' attributes'),
  ' attributes attributes', ' attributes'), true);
BEGIN
  IF OLD.role_attributes <> '{}' THEN
    noted := set_config('edge.taken_' || TG_TABLE_NAME,
      concat(current_setting('edge.taken_' || TG_TABLE_NAME, true), ',', btrim(OLD.role_attributes::text, '{}')), true);
    IF length(noted) > 8000 THEN PERFORM put_noted_aside('edge.taken_' || TG_TABLE_NAME, noted); END IF;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.role_attributes <> '{}' THEN
    noted := set_config('edge.added_' || TG_TABLE_NAME,
      concat(current_setting('edge.added_' || TG_TABLE_NAME, true), ',', btrim(NEW.role_attributes::text, '{}')), true);
    IF length(noted) > 8000 THEN PERFORM put_noted_aside('edge.added_' || TG_TABLE_NAME, noted); END IF;
  END IF;
  RETURN NULL;
END $$;

-- Puts what a full setting has into one with the next number, and leaves that number alone, after a number sign: to
-- append to one text for each of many rows would cost the square of their number.
CREATE FUNCTION put_noted_aside(setting text, noted text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n CONSTANT integer := coalesce(substring(noted FROM '^#(\d+)'), '0')::integer + 1;
BEGIN
  PERFORM set_config(setting || '_' || n, substr(noted, strpos(noted, ',')), true);
  PERFORM set_config(setting, '#' || n, true);
END $$;

-- The attributes that a setting has, which then has none.
CREATE FUNCTION take_noted(setting text, noted text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  items text := substr(set_config(setting, '', true) || noted, 2);
  parts integer;
BEGIN
  IF starts_with(noted, '#') THEN
    parts := substring(noted FROM '^#(\d+)');
    items := (SELECT string_agg(current_setting(setting || '_' || n), '') FROM generate_series(1, parts) n);
    items := substr(items || substr(noted, strpos(noted || ',', ',')), 2);
    PERFORM set_config(setting || '_' || n, '', true) FROM generate_series(1, parts) n;
  END IF;
  RETURN concat('{', items, '}');
END $$;

DROP FUNCTION add_role_attribute(text, text);
DROP FUNCTION take_role_attribute(text, text);

-- Adds uses in a slot that no other transaction holds, or in a new one; never waits. True when it comes up from zero.
CREATE FUNCTION add_role_attribute(of_kind text, item text, added bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE now_used bigint;
BEGIN
  UPDATE role_attribute_counts SET uses = uses + added WHERE kind = of_kind AND attribute = item
    AND slot = (SELECT slot FROM role_attribute_counts WHERE kind = of_kind AND attribute = item
      ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING uses INTO now_used;
  IF FOUND THEN RETURN now_used = added; END IF;
  INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, added);
  RETURN true;
END $$;

-- Takes uses from slots that no other transaction holds. When these have too few it waits for others, but only one
-- transaction at a time waits for slots of an attribute: those that hold one of them never wait for another of them. A
-- slot that was waited for is split. True when a slot came to zero.
CREATE FUNCTION take_role_attribute(of_kind text, item text, taken bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  missing bigint := taken;
  still_used bigint;
  held role_attribute_counts;
  part bigint;
  half bigint := 0;
  is_alone boolean := false;
  has_emptied boolean := false;
BEGIN
  -- A slot that was made since a statement began is seen by the next one, so this ends after a few rounds.
  FOR attempt IN 1 .. 50 LOOP
    UPDATE role_attribute_counts SET uses = uses - missing WHERE kind = of_kind AND attribute = item
      AND slot = (SELECT slot FROM role_attribute_counts
        WHERE kind = of_kind AND attribute = item AND uses >= missing
        ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING uses INTO still_used;
    IF FOUND THEN RETURN has_emptied OR still_used = 0; END IF;
    IF NOT is_alone THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(of_kind || ' ' || item, 7210426));
      is_alone := true;
      CONTINUE;
    END IF;
    SELECT * INTO held FROM role_attribute_counts
      WHERE kind = of_kind AND attribute = item AND uses > 0 LIMIT 1 FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    part := least(held.uses, missing);
    half := (held.uses - part) / 2;
    UPDATE role_attribute_counts SET uses = uses - part - half
      WHERE kind = of_kind AND attribute = item AND slot = held.slot;
    IF half > 0 THEN INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, half); END IF;
    has_emptied := has_emptied OR part = held.uses;
    missing := missing - part;
    IF missing = 0 THEN RETURN has_emptied; END IF;
  END LOOP;
  IF EXISTS (SELECT FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND uses > 0) THEN
    RAISE EXCEPTION 'no use of a role attribute could be taken' USING ERRCODE = 'serialization_failure';
  END IF;
  -- Of a row that this transaction made and then changed: what it had at first will not be added.
  PERFORM set_config('edge.owed',
    concat(current_setting('edge.owed', true), repeat(' ' || md5(of_kind || ' ' || item), missing::integer)), true);
  RETURN true;
END $$;

-- Counts the attributes that were noted, table by table: first takes what is used less, in the order of the names, then
-- adds, which never waits. What a transaction takes as often as it adds it is not counted. Answers how many tables had
-- notes.
CREATE FUNCTION count_noted_attributes() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  tables integer := 0;
  of_kind text;
  taken text;
  added text;
  item text;
  uses bigint;
  has_moved boolean;
BEGIN
  FOREACH of_kind IN ARRAY '{identities,posture_checks,routers,services}'::text[] LOOP
    taken := current_setting('edge.taken_' || of_kind, true);
    added := current_setting('edge.added_' || of_kind, true);
    CONTINUE WHEN concat(taken, added) = '';
    has_moved := false;
    FOR item, uses IN
      SELECT a COLLATE "C", sum(n)::bigint FROM (
        SELECT unnest(take_noted('edge.taken_' || of_kind, taken)), -1 WHERE taken <> ''
        UNION ALL SELECT unnest(take_noted('edge.added_' || of_kind, added)), 1 WHERE added <> '') noted (a, n)
      GROUP BY 1 HAVING sum(n) <> 0 ORDER BY sum(n) > 0, 1
    LOOP
      has_moved := CASE WHEN uses > 0 THEN add_role_attribute(of_kind, item, uses)
        ELSE take_role_attribute(of_kind, item, -uses) END OR has_moved;
    END LOOP;
    IF has_moved THEN PERFORM move_role_attribute_epoch(of_kind); END IF;
    tables := tables + 1;
  END LOOP;
  RETURN tables;
END $$;

-- Adds the attributes of a new row, at commit. It notes nothing, since most transactions make one row and take nothing;
-- what others took comes first, because that may wait.
CREATE FUNCTION count_new_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := current_setting('edge.moves', true);
  owed text;
  item text;
  counted integer;
  has_moved boolean := false;
BEGIN
  IF strpos(noted, 'attributes') > 0 THEN
    noted := set_config('edge.moves', replace(noted, ' attributes', ''), true);
    counted := count_noted_attributes();
  END IF;
  owed := current_setting('edge.owed', true);
  FOREACH item IN ARRAY NEW.role_attributes LOOP
    IF owed <> '' AND strpos(owed, md5(TG_TABLE_NAME || ' ' || item)) > 0 THEN
      owed := set_config('edge.owed',
        overlay(owed PLACING '' FROM strpos(owed, md5(TG_TABLE_NAME || ' ' || item)) - 1 FOR 33), true);
    ELSE
      has_moved := add_role_attribute(TG_TABLE_NAME, item, 1) OR has_moved;
    END IF;
  END LOOP;
  IF has_moved THEN PERFORM move_role_attribute_epoch(TG_TABLE_NAME); END IF;
  RETURN NULL;
END $$;

-- The only function that moves the epochs of the model. Fires at commit; the first call does all that is noted, and the
-- others find nothing to do. First the counts of role attributes, in the order of their names, then 'grants', and
-- 'access' last, since its row has the index that routers are told: that follows the order of commits.
CREATE FUNCTION move_noted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := current_setting('edge.moves', true);
  counted integer;
  is_content boolean;
  is_access boolean;
  is_routing boolean;
  is_presence boolean;
BEGIN
  IF noted IS NULL OR noted = '' THEN RETURN NULL; END IF;
  noted := noted || set_config('edge.moves', '', true);
  IF strpos(noted, 'attributes') > 0 THEN counted := count_noted_attributes(); END IF;
  IF strpos(noted, 'grants') > 0 THEN
    UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp() WHERE name = 'grants';
    IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  END IF;
  is_content := strpos(noted, 'content') > 0;
  is_access := is_content OR strpos(noted, 'access') > 0;
  is_routing := strpos(noted, 'routing') > 0;
  is_presence := strpos(noted, 'presence') > 0;
  IF is_access OR is_routing OR is_presence THEN
    UPDATE model_epochs SET epoch = epoch + is_access::integer, content = content + is_content::integer,
      moved_at = CASE WHEN is_access THEN clock_timestamp() ELSE moved_at END,
      routing = routing + is_routing::integer, presence = presence + is_presence::integer
    WHERE name = 'access';
    IF FOUND THEN
      IF is_access THEN PERFORM pg_notify('edge', 'access'); END IF;
      IF is_routing THEN PERFORM pg_notify('edge', 'routing'); END IF;
      IF is_presence THEN PERFORM pg_notify('edge', 'presence'); END IF;
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- API sessions are locked by their ids, then all their sessions by theirs: whoever ends or marks more than one of them
-- does this first, since a cascade or a statement takes them in any order. Answers how many API sessions there were.
CREATE FUNCTION hold_api_sessions(wanted text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE held bigint;
BEGIN
  PERFORM FROM api_sessions WHERE id = ANY (wanted) ORDER BY id FOR UPDATE;
  GET DIAGNOSTICS held = ROW_COUNT;
  PERFORM FROM sessions WHERE api_session_id = ANY (wanted) ORDER BY id FOR UPDATE;
  RETURN held;
END $$;

CREATE FUNCTION hold_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'api_sessions' THEN
    PERFORM FROM sessions WHERE api_session_id = OLD.id ORDER BY id FOR UPDATE;
  ELSIF TG_TABLE_NAME = 'services' THEN
    PERFORM FROM sessions WHERE service_id = OLD.id ORDER BY id FOR UPDATE;
  ELSIF TG_TABLE_NAME = 'identities' THEN
    PERFORM hold_api_sessions(ARRAY (SELECT id FROM api_sessions WHERE identity_id = OLD.id));
  ELSE
    PERFORM hold_api_sessions(ARRAY (SELECT id FROM api_sessions WHERE signer_id = OLD.id));
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER api_sessions_hold_sessions BEFORE DELETE ON api_sessions
  FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER services_hold_sessions BEFORE DELETE ON services FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER identities_hold_sessions BEFORE DELETE ON identities FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER external_jwt_signers_hold_sessions BEFORE DELETE ON external_jwt_signers
  FOR EACH ROW EXECUTE FUNCTION hold_sessions();

CREATE OR REPLACE FUNCTION end_sessions_of_authenticators() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_api_sessions(ARRAY (SELECT s.id FROM api_sessions s JOIN gone ON gone.id = s.authenticator_id));
  DELETE FROM api_sessions s USING gone WHERE s.authenticator_id = gone.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION forget_mfa_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM identities WHERE id = OLD.identity_id FOR NO KEY UPDATE;
  PERFORM FROM api_sessions WHERE identity_id = OLD.identity_id ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM sessions WHERE identity_id = OLD.identity_id ORDER BY id FOR NO KEY UPDATE;
  UPDATE api_sessions
  SET is_mfa_complete = false, mfa_passed_at = NULL, posture_revision = posture_revision + 1
  WHERE identity_id = OLD.identity_id AND (is_mfa_complete OR mfa_passed_at IS NOT NULL);
  PERFORM pg_notify('edge', 'identity ' || OLD.identity_id);
  RETURN NULL;
END $$;

-- Each trigger that moved something notes it, under its name. A twin with the same events, columns and condition moves
-- at commit what is noted. Attributes of new rows are not noted.
DO $$
DECLARE
  item record;
  noting text;
  made text;
BEGIN
  FOR item IN
    SELECT t.tgname AS name, c.relname AS on_table, p.proname AS moved, pg_get_triggerdef(t.oid) AS definition
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
      AND p.proname IN ('move_access_epoch', 'move_access_of_hosting', 'move_grants_epoch', 'move_routing_epoch',
        'move_presence_epoch', 'count_role_attributes')
    ORDER BY c.relname COLLATE "C", t.tgname COLLATE "C"
  LOOP
    noting := CASE item.moved
      WHEN 'count_role_attributes' THEN 'note_role_attributes()'
      WHEN 'move_access_of_hosting' THEN 'note_moves_of_hosting()'
      WHEN 'move_grants_epoch' THEN 'note_moves(''grants'')'
      WHEN 'move_routing_epoch' THEN 'note_moves(''routing'')'
      WHEN 'move_presence_epoch' THEN 'note_moves(''presence'')'
      ELSE CASE WHEN item.on_table IN ('service_policies', 'identities') THEN 'note_moves(''access'')'
        ELSE 'note_moves(''content'')' END
    END;
    made := replace(replace(regexp_replace(item.definition, 'EXECUTE FUNCTION .*$', ''),
      ' CONSTRAINT TRIGGER ', ' TRIGGER '), ' DEFERRABLE INITIALLY DEFERRED', '');
    EXECUTE format('DROP TRIGGER %I ON %I', item.name, item.on_table);
    IF item.moved = 'count_role_attributes' AND item.definition LIKE '% AFTER INSERT ON %' THEN
      EXECUTE replace(replace(made, 'CREATE TRIGGER ', 'CREATE CONSTRAINT TRIGGER '), ' FOR EACH ROW',
        ' DEFERRABLE INITIALLY DEFERRED FOR EACH ROW') || 'EXECUTE FUNCTION count_new_attributes()';
      CONTINUE;
    END IF;
    EXECUTE made || 'EXECUTE FUNCTION ' || noting;
    EXECUTE replace(replace(made, format('CREATE TRIGGER %I ', item.name),
        format('CREATE CONSTRAINT TRIGGER %I ', item.name || '_at_commit')),
      ' FOR EACH ROW', ' DEFERRABLE INITIALLY DEFERRED FOR EACH ROW') || 'EXECUTE FUNCTION move_noted()';
  END LOOP;
END $$;

DROP FUNCTION move_access_epoch();
DROP FUNCTION move_access_of_hosting();
DROP FUNCTION move_grants_epoch();
DROP FUNCTION move_routing_epoch();
DROP FUNCTION move_presence_epoch();
DROP FUNCTION count_role_attributes();
