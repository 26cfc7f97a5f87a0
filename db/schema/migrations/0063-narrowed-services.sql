-- What takes a grant away rarely concerns all sessions. A policy that is deleted or narrowed, a service that loses an
-- attribute and a posture check that asks for more concern those of the services that the policies selected. These
-- services are kept with the epoch since which their sessions are unchecked; the others stay as they are.

-- Since when sessions of all services are unchecked. It is read of the row 'grants' alone.
ALTER TABLE model_epochs ADD COLUMN for_all bigint NOT NULL DEFAULT 1;
UPDATE model_epochs SET for_all = epoch WHERE name = 'grants';

-- A row stays after its sessions are checked: a session whose policies were read before may still come.
CREATE TABLE narrowed_services (
  service_id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  moved_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  is_swept boolean NOT NULL DEFAULT false,
  CONSTRAINT narrowed_services_pkey PRIMARY KEY (service_id)
);
CREATE INDEX narrowed_services_unswept ON narrowed_services (service_id) WHERE NOT is_swept;

DROP INDEX sessions_service;
CREATE INDEX sessions_service ON sessions (service_id, granted_epoch);

-- Notes what narrows grants: roles of services, and posture checks by their ids.
CREATE OR REPLACE FUNCTION note_narrowing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  setting CONSTANT text := CASE TG_TABLE_NAME
    WHEN 'posture_checks' THEN 'edge.narrowing_checks' ELSE 'edge.narrowed_roles' END;
  items text[];
  noted text := coalesce(current_setting('edge.moves', true), '');
BEGIN
  IF strpos(noted, 'narrowing') = 0 THEN noted := set_config('edge.moves', noted || ' narrowing', true); END IF;
  IF TG_TABLE_NAME = 'service_policies' THEN items := OLD.service_roles;
  ELSIF TG_TABLE_NAME = 'services' THEN items := ARRAY['@' || NEW.id];
  ELSE items := ARRAY[NEW.id];
  END IF;
  IF items = '{}' THEN RETURN NULL; END IF;
  noted := set_config(setting, concat(current_setting(setting, true), ',', btrim(items::text, '{}')), true);
  IF length(noted) > 8000 THEN PERFORM put_noted_aside(setting, noted); END IF;
  RETURN NULL;
END $$;

-- Keeps the services that are concerned by what was noted, and says whether these are all: when a policy selects all,
-- or more than are kept one by one. Called while 'grants' and 'access' are held: whoever changes what a policy or a
-- service selects moves 'access' too, and has committed or waits.
CREATE OR REPLACE FUNCTION narrow_noted(moved bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  most CONSTANT integer := 1000;
  noted_roles CONSTANT text := current_setting('edge.narrowed_roles', true);
  noted_checks CONSTANT text := current_setting('edge.narrowing_checks', true);
  roles text[] COLLATE "C" := '{}';
  checks text[] COLLATE "C" := '{}';
  concerned text[] COLLATE "C";
BEGIN
  IF noted_roles <> '' THEN roles := take_noted('edge.narrowed_roles', noted_roles); END IF;
  IF noted_checks <> '' THEN checks := take_noted('edge.narrowing_checks', noted_checks); END IF;
  roles := roles || ARRAY(SELECT unnest(p.service_roles) FROM posture_checks c
    JOIN service_policies p ON p.posture_check_roles && selectors_of(c.id, c.role_attributes)
    WHERE c.id = ANY (checks));
  IF '#all' = ANY (roles) THEN RETURN true; END IF;
  concerned := ARRAY(
    SELECT id FROM services WHERE id = ANY (ARRAY(SELECT substr(r, 2) FROM unnest(roles) r WHERE starts_with(r, '@')))
    UNION
    SELECT id FROM services
    WHERE role_attributes && ARRAY(SELECT substr(r, 2) FROM unnest(roles) r WHERE starts_with(r, '#'))
    LIMIT most + 1);
  IF cardinality(concerned) > most THEN RETURN true; END IF;
  INSERT INTO narrowed_services (service_id, epoch, moved_at)
  SELECT id, moved, clock_timestamp() FROM unnest(concerned) id
  ON CONFLICT (service_id) DO UPDATE SET epoch = excluded.epoch, moved_at = excluded.moved_at, is_swept = false;
  RETURN false;
END $$;

CREATE OR REPLACE FUNCTION move_noted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := current_setting('edge.moves', true);
  counted integer;
  grants bigint;
  is_narrowing boolean;
  is_for_all boolean;
  is_content boolean;
  is_access boolean;
  is_routing boolean;
  is_presence boolean;
BEGIN
  IF noted IS NULL OR noted = '' THEN RETURN NULL; END IF;
  IF concat(noted, set_config('edge.moves', '', true)) IN (' content', ' access') THEN
    UPDATE model_epochs SET epoch = epoch + 1, content = content + (noted = ' content')::integer,
      moved_at = clock_timestamp()
    WHERE name = 'access' RETURNING pg_notify('edge', 'access')::text INTO noted;
    RETURN NULL;
  END IF;
  IF strpos(noted, 'attributes') > 0 THEN counted := count_noted_attributes(); END IF;
  is_narrowing := strpos(noted, 'narrowing') > 0;
  is_for_all := strpos(noted, 'grants') > 0;
  IF is_narrowing OR is_for_all THEN
    UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp() WHERE name = 'grants'
      RETURNING epoch INTO grants;
    IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  END IF;
  is_content := strpos(noted, 'content') > 0;
  is_access := is_content OR is_narrowing OR strpos(noted, 'access') > 0;
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
  IF is_narrowing AND grants IS NOT NULL THEN is_for_all := narrow_noted(grants) OR is_for_all; END IF;
  IF is_for_all THEN
    UPDATE model_epochs SET for_all = grants WHERE name = 'grants';
    DELETE FROM narrowed_services WHERE epoch <= grants;
  END IF;
  RETURN NULL;
END $$;

-- The twins of these move what is noted at commit, as before.
CREATE OR REPLACE TRIGGER service_policies_move_grants AFTER DELETE ON service_policies
FOR EACH ROW EXECUTE FUNCTION note_narrowing();
CREATE OR REPLACE TRIGGER service_policies_narrow_grants
AFTER UPDATE OF type, semantic, identity_roles, service_roles, posture_check_roles ON service_policies
FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD.type <> NEW.type OR OLD.semantic <> NEW.semantic
  OR OLD.posture_check_roles <> NEW.posture_check_roles
  OR (OLD.identity_roles <> NEW.identity_roles AND NEW.identity_roles <> '{#all}'::text[]
    AND NOT (NEW.semantic = 'AnyOf' AND OLD.identity_roles <> '{#all}'::text[]
      AND NEW.identity_roles @> OLD.identity_roles))
  OR (OLD.service_roles <> NEW.service_roles AND NEW.service_roles <> '{#all}'::text[]
    AND NOT (NEW.semantic = 'AnyOf' AND OLD.service_roles <> '{#all}'::text[]
      AND NEW.service_roles @> OLD.service_roles))))
EXECUTE FUNCTION note_narrowing();
CREATE OR REPLACE TRIGGER services_narrow_grants AFTER UPDATE OF role_attributes ON services
FOR EACH ROW WHEN (NOT (NEW.role_attributes @> OLD.role_attributes)) EXECUTE FUNCTION note_narrowing();
CREATE OR REPLACE TRIGGER posture_checks_change_grants AFTER UPDATE OF criteria ON posture_checks
FOR EACH ROW WHEN (OLD.criteria IS DISTINCT FROM NEW.criteria) EXECUTE FUNCTION note_narrowing();
CREATE OR REPLACE TRIGGER posture_checks_narrow_grants AFTER INSERT OR UPDATE OF role_attributes ON posture_checks
FOR EACH ROW EXECUTE FUNCTION note_narrowing();
