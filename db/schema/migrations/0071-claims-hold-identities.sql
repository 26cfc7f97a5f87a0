-- A claim of a username holds the identity first, as a delete of the identity does. PostgreSQL checks the foreign key
-- of the name before that of the identity: whoever holds a name and waits for the identity keeps its delete waiting.
CREATE OR REPLACE FUNCTION claim_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM identities WHERE id = NEW.identity_id FOR KEY SHARE;
  INSERT INTO usernames (username, identity_id) VALUES (NEW.username, NEW.identity_id) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;
