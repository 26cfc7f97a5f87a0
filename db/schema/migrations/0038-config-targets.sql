-- Every config type says for what its configs are: services, unless it says otherwise.
ALTER TABLE config_types DROP CONSTRAINT config_types_target,
  ADD CONSTRAINT config_types_target CHECK (target IN ('service', 'router', 'other')),
  ALTER COLUMN target SET DEFAULT 'service';
UPDATE config_types SET target = 'service' WHERE target IS NULL;
ALTER TABLE config_types ALTER COLUMN target SET NOT NULL;

-- Controllers of earlier releases write null for a type whose target nobody gave.
CREATE FUNCTION default_config_target() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.target := 'service';
  RETURN NEW;
END $$;
CREATE TRIGGER config_types_default_target BEFORE INSERT ON config_types
  FOR EACH ROW WHEN (NEW.target IS NULL) EXECUTE FUNCTION default_config_target();
