/** Identities by tag: the one kind of entity there are so many of that looking at each takes long. */
import type { Knex } from 'knex';
import { PENDING } from './gin.js';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE INDEX identities_tags ON identities USING gin (tags jsonb_path_ops) ${PENDING}`);
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
