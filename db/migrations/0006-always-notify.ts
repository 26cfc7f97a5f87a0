/**
 * A change that may take a right away is always announced. Looking first whether a session exists misses the one that is
 * opened between that look and the commit: its controller would keep the old row for as long as the session is used.
 */
import type { Knex } from 'knex';

const functions = `
CREATE OR REPLACE FUNCTION tell_identity_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_extension_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.identity_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION doubt_sessions_of_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions WHERE identity_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE identity_id = NEW.id;
  PERFORM pg_notify('edge', 'grants');
  RETURN NULL;
END $$;`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(functions);
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
