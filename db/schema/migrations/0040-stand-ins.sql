-- Controllers that are gone, and who stands in for each, as routers were told with the list of controllers: one
-- `address` and, after a space, the address of the other.
ALTER TABLE controller_list ADD COLUMN stand_ins text[] NOT NULL DEFAULT '{}';
-- How often the controllers there give a sign of life; 0 when the last has said that it ends. Those of earlier releases
-- give one every five seconds.
ALTER TABLE controller_addresses ADD COLUMN every_ms integer NOT NULL DEFAULT 5000;
