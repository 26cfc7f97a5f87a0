-- A role attribute that nothing has any more leaves no row: programs that name one for each of their runs would fill a
-- table with names of the past, which lists read and pass over.

-- Takes uses from slots that no other transaction holds. When these have too few it waits for others, but only one
-- transaction at a time waits for slots of an attribute: those that hold one of them never wait for another of them. A
-- slot that was waited for is split, one that comes to zero goes. True when one went.
CREATE OR REPLACE FUNCTION take_role_attribute(of_kind text, item text, taken bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  missing bigint := taken;
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
      RETURNING * INTO held;
    IF FOUND THEN
      DELETE FROM role_attribute_counts WHERE held.uses = 0
        AND kind = of_kind AND attribute = item AND slot = held.slot;
      RETURN has_emptied OR held.uses = 0;
    END IF;
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
    IF part = held.uses THEN
      DELETE FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND slot = held.slot;
      has_emptied := true;
    ELSE
      UPDATE role_attribute_counts SET uses = uses - part - half
        WHERE kind = of_kind AND attribute = item AND slot = held.slot;
    END IF;
    IF half > 0 THEN INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, half); END IF;
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

DELETE FROM role_attribute_counts WHERE uses = 0;
