/**
 * Whose a username is: that of the identity which logs in with it, or which waits for a first password in an enrollment. One identity may
 * hold a name in both ways; two identities never hold the same, whoever is first.
 */
import type { Knex } from 'knex';

const table = `
CREATE TABLE usernames (
  username text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  CONSTRAINT usernames_pkey PRIMARY KEY (username, identity_id)
);
CREATE UNIQUE INDEX usernames_once ON usernames (username);
CREATE INDEX enrollments_username ON enrollments (username) WHERE username IS NOT NULL;
INSERT INTO usernames SELECT username, identity_id FROM authenticators WHERE username IS NOT NULL;
INSERT INTO usernames SELECT username, identity_id FROM enrollments WHERE username IS NOT NULL ORDER BY created_at, id ON CONFLICT DO NOTHING;`;

const functions = `
-- Of a name that another identity holds nothing is written here, and the reference fails.
CREATE FUNCTION claim_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usernames VALUES (NEW.username, NEW.identity_id) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;

-- Who claims the name at the same time is waited for, and then seen.
CREATE FUNCTION release_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM usernames WHERE username = OLD.username AND identity_id = OLD.identity_id FOR UPDATE;
  DELETE FROM usernames u WHERE u.username = OLD.username AND u.identity_id = OLD.identity_id
    AND NOT EXISTS (SELECT FROM authenticators WHERE username = u.username AND identity_id = u.identity_id)
    AND NOT EXISTS (SELECT FROM enrollments WHERE identity_id = u.identity_id AND username = u.username);
  RETURN NULL;
END $$;`;

const holders = ['authenticators', 'enrollments'].map((holder) => `
CREATE TRIGGER ${holder}_claim_username BEFORE INSERT OR UPDATE OF username, identity_id ON ${holder}
  FOR EACH ROW WHEN (NEW.username IS NOT NULL) EXECUTE FUNCTION claim_username();
CREATE TRIGGER ${holder}_release_username AFTER DELETE ON ${holder}
  FOR EACH ROW WHEN (OLD.username IS NOT NULL) EXECUTE FUNCTION release_username();
CREATE TRIGGER ${holder}_replace_username AFTER UPDATE OF username, identity_id ON ${holder}
  FOR EACH ROW WHEN (OLD.username IS NOT NULL AND (OLD.username, OLD.identity_id) IS DISTINCT FROM (NEW.username, NEW.identity_id))
  EXECUTE FUNCTION release_username();`).join('');

const references = `
ALTER TABLE authenticators ADD CONSTRAINT authenticators_username_fkey FOREIGN KEY (username, identity_id) REFERENCES usernames (username, identity_id);
-- Enrollments of before may clash: those fail when they are used, as they would have.
ALTER TABLE enrollments ADD CONSTRAINT enrollments_username_fkey FOREIGN KEY (username, identity_id) REFERENCES usernames (username, identity_id) NOT VALID;`;

export async function up(knex: Knex): Promise<void> {
  for (const part of [table, functions, holders, references]) await knex.raw(part);
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
