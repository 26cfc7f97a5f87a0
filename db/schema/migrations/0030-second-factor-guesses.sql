-- Wrong codes of a second factor are counted for each API session as well, and a session that was fully authenticated
-- when a second factor was verified may undo that for a while.
ALTER TABLE api_sessions
  -- Times of wrong codes that still count, at most ten.
  ADD COLUMN wrong_codes timestamp(3) with time zone[] NOT NULL DEFAULT '{}',
  -- The id of that second factor. Stays when it is gone: no id is given twice.
  ADD COLUMN undoes_mfa text COLLATE "C";
ALTER TABLE mfas ADD COLUMN verified_at timestamp(3) with time zone;
