/**
 * Which role attributes are in use, told by one number per kind of entity that moves when an attribute comes into use or
 * goes out of it. Counts of uses stay spread over rows (slots), and none of them is below zero any more: so an attribute
 * is in use exactly while one of its slots is above, and whoever takes a slot across that line holds it until the commit.
 */
import type { Knex } from 'knex';

const epochs = `
-- The epoch of a kind is the sum of its slots: a writer takes one that nobody holds, so that none ever waits for another.
CREATE SEQUENCE role_attribute_epoch_slots;
CREATE TABLE role_attribute_epochs (
  kind text COLLATE "C" NOT NULL,
  slot bigint NOT NULL DEFAULT nextval('role_attribute_epoch_slots'),
  epoch bigint NOT NULL,
  CONSTRAINT role_attribute_epochs_pkey PRIMARY KEY (kind, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION move_role_attribute_epoch(moved text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE role_attribute_epochs SET epoch = epoch + 1 WHERE kind = moved
    AND slot = (SELECT slot FROM role_attribute_epochs WHERE kind = moved LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN INSERT INTO role_attribute_epochs (kind, epoch) VALUES (moved, 1); END IF;
END $$;`;

const counts = `
-- Adds a use to a slot that nobody holds, or to a new one; the fullest first, which stays above zero longest.
-- Returns true when that slot was at zero.
CREATE FUNCTION add_role_attribute(of_kind text, item text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE now_used bigint;
BEGIN
  UPDATE role_attribute_counts SET uses = uses + 1 WHERE kind = of_kind AND attribute = item
    AND slot = (SELECT slot FROM role_attribute_counts WHERE kind = of_kind AND attribute = item ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING uses INTO now_used;
  IF FOUND THEN RETURN now_used = 1; END IF;
  INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, 1);
  RETURN true;
END $$;

-- Takes a use from a slot that has one. While others hold all of these it waits, and then parts the slot it got in two,
-- so that as many writers as come at once soon find one each. Returns true when the slot is at zero now.
CREATE FUNCTION take_role_attribute(of_kind text, item text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  still_used bigint;
  held bigint;
  half bigint;
BEGIN
  -- A slot made since this statement began is seen by the next; ever more of them in a row there cannot be.
  FOR attempt IN 1 .. 50 LOOP
    UPDATE role_attribute_counts SET uses = uses - 1 WHERE kind = of_kind AND attribute = item
      AND slot = (SELECT slot FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND uses > 0 ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING uses INTO still_used;
    IF FOUND THEN RETURN still_used = 0; END IF;
    SELECT slot, uses / 2 INTO held, half FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND uses > 0 LIMIT 1 FOR UPDATE;
    IF half > 1 THEN
      UPDATE role_attribute_counts SET uses = uses - half WHERE kind = of_kind AND attribute = item AND slot = held;
      INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, half);
    END IF;
  END LOOP;
  RETURN true;
END $$;

-- In the order of names: two that wait for each other's slots cannot be.
CREATE OR REPLACE FUNCTION count_role_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added text[] := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE NEW.role_attributes END;
  taken text[] := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE OLD.role_attributes END;
  item text;
  is_added boolean;
  has_moved boolean := false;
BEGIN
  FOR item, is_added IN
    SELECT a COLLATE "C", true FROM unnest(added) a WHERE a <> ALL (taken)
    UNION ALL SELECT a COLLATE "C", false FROM unnest(taken) a WHERE a <> ALL (added) ORDER BY 1
  LOOP
    IF is_added THEN has_moved := add_role_attribute(TG_TABLE_NAME, item) OR has_moved;
    ELSE has_moved := take_role_attribute(TG_TABLE_NAME, item) OR has_moved; END IF;
  END LOOP;
  IF has_moved THEN PERFORM move_role_attribute_epoch(TG_TABLE_NAME); END IF;
  RETURN NULL;
END $$;

-- Counted anew: slots below zero were allowed until now.
LOCK TABLE identities, services, routers, posture_checks IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM role_attribute_counts;
INSERT INTO role_attribute_counts (kind, attribute, uses)
SELECT kind, attribute, count(*) FROM (
  SELECT 'identities' AS kind, unnest(role_attributes) AS attribute FROM identities
  UNION ALL SELECT 'services', unnest(role_attributes) FROM services
  UNION ALL SELECT 'routers', unnest(role_attributes) FROM routers
  UNION ALL SELECT 'posture_checks', unnest(role_attributes) FROM posture_checks) existing GROUP BY kind, attribute;`;

export async function up(knex: Knex): Promise<void> {
  for (const part of [epochs, counts]) await knex.raw(part);
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
