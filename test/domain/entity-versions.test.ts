/**
 * The version of an entity is the time of its last change (docs/concurrent-changes.md). So whatever changes a row of
 * one moves that time, unless it changes nothing that can be set.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { versions } from '../../db/stores/entities.js';

const folder = fileURLToPath(new URL('../../../db/', import.meta.url));

/** Columns that are set without moving the time. The APIs cannot set any of them. */
const BESIDE: Readonly<Record<string, string>> = {
  'authenticators failed_attempts': 'a counter of wrong passwords, which is shown nowhere',
  'authenticators last_auth_resolved_to_root': 'what the last login has shown',
  'identities env_info': 'what the last login has told of the device',
  'routers interfaces': 'what the router reports of its machine',
  'routers version': 'what the router reports of its program',
  'webhooks sealed_secret': 'the same secret under another master key',
  'sessions granted_epoch': 'when the policies of the session were last asked, which is shown nowhere',
};

/** Tables in which every change has to move `updated_at`. */
const tablesOfVersions = new Set(
  [...versions.values()].filter(({ by }) => by === 'updatedAt').map(({ table }) => table),
);

interface Update {
  readonly where: string;
  readonly table: string;
  readonly text: string;
}

function updatesIn(file: string): Update[] {
  const found = readFileSync(join(folder, file), 'utf8').matchAll(/UPDATE ([a-z_]+)(?: [a-z])?\s+SET ([^;`]*)/g);
  return [...found].map(([, table = '', text = '']) => ({ where: `${file}: ${table}`, table, text }));
}

describe('the version of an entity', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') || file === 'schema.sql',
  );
  const updates = files.flatMap(updatesIn).filter(({ table }) => tablesOfVersions.has(table));
  const isMoved = ({ text }: Update) => /TOUCHED|updated_at = /.test(text);
  const besideOf = ({ table, text }: Update) => `${table} ${/^[a-z_]+/.exec(text)?.[0] ?? ''}`;

  it('is moved by every statement that changes its row', () => {
    expect(updates.filter(isMoved)).to.have.length.of.at.least(8);
    const unmoved = updates.filter((update) => !isMoved(update) && !(besideOf(update) in BESIDE));
    expect(unmoved.map(({ where, text }) => `${where} SET ${text.slice(0, 60)}`)).to.deep.equal([]);
  });

  it('has no exception that is not needed', () => {
    const needed = new Set(updates.filter((update) => !isMoved(update)).map(besideOf));
    expect(Object.keys(BESIDE).filter((name) => !needed.has(name))).to.deep.equal([]);
  });
});
