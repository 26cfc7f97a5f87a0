-- The services whose terminators are other ones, so that controllers may keep what dials choose from in memory. Many at
-- once are not named: a notice holds 8,000 bytes.
CREATE FUNCTION tell_terminators_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids text; n bigint;
BEGIN
  SELECT count(*), string_agg(id, ' ') INTO n, ids
  FROM (SELECT DISTINCT service_id AS id FROM changed LIMIT 200) c;
  IF n > 0 THEN PERFORM pg_notify('edge', 'terminators ' || CASE WHEN n < 200 THEN ids ELSE '*' END); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER terminators_tell_new AFTER INSERT ON terminators
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_changed();
CREATE TRIGGER terminators_tell_gone AFTER DELETE ON terminators
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_changed();
-- A terminator may be moved to another service: both are told of.
CREATE TRIGGER terminators_tell_former AFTER UPDATE ON terminators
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_changed();
CREATE TRIGGER terminators_tell_changed AFTER UPDATE ON terminators
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_changed();
