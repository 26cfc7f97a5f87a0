/** All migrations, oldest first. Append only; a merged migration is never edited. */
import type { Knex } from 'knex';
import * as base from './0001-base.js';
import * as access from './0002-access.js';
import * as certificates from './0003-certificates.js';
import * as roleAttributeEpochs from './0004-role-attribute-epochs.js';
import * as tagIndex from './0005-tag-index.js';
import * as alwaysNotify from './0006-always-notify.js';
import * as usernames from './0007-usernames.js';

export interface Migration {
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
  readonly down: (knex: Knex) => Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: '0001-base', up: base.up, down: base.down },
  { name: '0002-access', up: access.up, down: access.down },
  { name: '0003-certificates', up: certificates.up, down: certificates.down },
  { name: '0004-role-attribute-epochs', up: roleAttributeEpochs.up, down: roleAttributeEpochs.down },
  { name: '0005-tag-index', up: tagIndex.up, down: tagIndex.down },
  { name: '0006-always-notify', up: alwaysNotify.up, down: alwaysNotify.down },
  { name: '0007-usernames', up: usernames.up, down: usernames.down },
];
