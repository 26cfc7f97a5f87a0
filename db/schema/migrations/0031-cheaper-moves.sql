-- The same moves with fewer expressions, which PL/pgSQL makes ready again in each transaction: most transactions note
-- one thing, and it moves with one statement.
CREATE OR REPLACE FUNCTION note_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE noted text;
BEGIN
  IF strpos(coalesce(current_setting('edge.moves', true), ''), TG_ARGV[0]) = 0 THEN
    noted := set_config('edge.moves', concat(current_setting('edge.moves', true), ' ', TG_ARGV[0]), true);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION move_noted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := current_setting('edge.moves', true);
  counted integer;
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
