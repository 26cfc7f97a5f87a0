-- A circuit stands when the controller that made it is gone: its row stays, and another one that holds a router of it
-- goes on with it. What it needs for that; null in rows of controllers that leave none.
ALTER TABLE circuits DROP CONSTRAINT circuits_host_fkey;
ALTER TABLE circuits ADD COLUMN details jsonb;
