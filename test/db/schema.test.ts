/** The schema after all migrations, and the tool that writes it down. Against PostgreSQL. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { EXPANDING, keepLeastKnown, leastKnown } from '../../db/schema/compatibility.js';
import { migrate, migrationNames } from '../../db/schema/migrate.js';
import { dumpSchema } from '../../scripts/dump-schema.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

const file = new URL('../../../db/schema/schema.sql', import.meta.url);

describe('the schema of the database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase({ isEmpty: true });
  });
  afterEach(() => database.close());

  const dump = () => dumpSchema((sql) => database.query(sql));

  it('after all migrations is that of schema.sql (else run: node dist/scripts/dump-schema.js)', async () => {
    await migrate(database.connection);
    expect(await dump()).to.equal(readFileSync(file, 'utf8'));
  });

  it('is built by db/schema/schema.sql alone, so that nothing is missing there', async () => {
    // Brackets aside: PostgreSQL writes a chain of ORs that it read from text with fewer of them.
    const bare = (schema: string) => schema.replace(/[()]/g, '').split('\n');
    await database.query(readFileSync(file, 'utf8'));
    expect(bare(await dump())).to.deep.equal(bare(readFileSync(file, 'utf8')));
  });

  it('names every migration once, in order, and a second run applies none and changes nothing', async () => {
    expect(await migrate(database.connection)).to.deep.equal([...migrationNames]);
    const [schema, applied] = [await dump(), await database.query('SELECT * FROM schema_migrations ORDER BY id')];
    expect(await migrate(database.connection)).to.deep.equal([]);
    expect(await dump()).to.equal(schema);
    expect((await database.query('SELECT * FROM schema_migrations ORDER BY id')).rows).to.deep.equal(applied.rows);
  });

  it('is brought up once when several controllers start together', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => migrate(database.connection)));
    expect(runs.flat()).to.deep.equal([...migrationNames]);
    expect(await dump()).to.equal(readFileSync(file, 'utf8'));
  });

  /** As a newer release leaves it, whose last migration did more than expand the schema, or did not. */
  const bringForward = (isExpanding: boolean) => {
    const all = [...migrationNames, '9999-from-tomorrow'];
    const expanding = new Set(isExpanding ? [...EXPANDING, '9999-from-tomorrow'] : EXPANDING);
    return database.query(
      `INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('9999-from-tomorrow', 2, now());
      ${keepLeastKnown(leastKnown(all, expanding))}`,
    );
  };

  it('of a newer release is refused by name, and left as it is', async () => {
    await migrate(database.connection);
    await bringForward(false);
    const error = await migrate(database.connection).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).to.include('newer release').and.to.include('9999-from-tomorrow');
    expect(await dump()).to.equal(readFileSync(file, 'utf8'));
  });

  it('of a newer release is taken when it was only expanded, and is left as it is', async () => {
    await migrate(database.connection);
    await bringForward(true);
    const newer: string[] = [];
    const applied = await migrate(database.connection, migrationNames, (names) => newer.push(...names));
    expect({ applied, newer }).to.deep.equal({ applied: [], newer: ['9999-from-tomorrow'] });
    expect(await dump()).to.equal(readFileSync(file, 'utf8'));
  });

  it('of a newer release that says nothing of earlier ones is refused', async () => {
    await migrate(database.connection);
    await bringForward(true);
    for (const words of ['NULL', "'Works with all'"]) {
      await database.query(`COMMENT ON TABLE schema_migrations IS ${words}`);
      await migrate(database.connection).then(
        () => expect.fail('it was taken'),
        (error: unknown) => {
          expect((error as Error).message).to.include('newer release');
        },
      );
    }
  });

  it('has ids and names in byte order, references included: a mixed pair could not use an index', async () => {
    await migrate(database.connection);
    const { rows } =
      await database.query(`SELECT table_name || '.' || column_name AS place FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name NOT LIKE 'schema_migrations%' AND data_type = 'text'
        AND (column_name IN ('id', 'name') OR column_name LIKE '%\\_id') AND collation_name IS DISTINCT FROM 'C'`);
    expect(rows).to.deep.equal([]);
  });

  it('has a primary key on every table', async () => {
    await migrate(database.connection);
    const { rows } =
      await database.query(`SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype = 'p')`);
    expect(rows).to.deep.equal([]);
  });
});

describe('writing a schema down', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase({ isEmpty: true });
  });
  after(() => database.close());

  it('shows a change of a column, a constraint, an index, a function, a trigger and a view', async () => {
    const dump = () => dumpSchema((sql) => database.query(sql));
    await database.query('CREATE TABLE things (id text PRIMARY KEY, size integer)');
    const seen = [await dump()];
    for (const change of [
      'ALTER TABLE things ALTER COLUMN size SET NOT NULL',
      'ALTER TABLE things ALTER COLUMN size SET DEFAULT 3',
      'ALTER TABLE things ADD COLUMN label text COLLATE "C"',
      'ALTER TABLE things ADD CONSTRAINT things_size CHECK (size > 0)',
      'ALTER TABLE things SET (fillfactor = 70)',
      'CREATE INDEX things_label ON things (label) WHERE size > 1',
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
      `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
      'CREATE TRIGGER things_refuse BEFORE DELETE ON things FOR EACH ROW EXECUTE FUNCTION refuse()',
      `CREATE TABLE parts (thing_id text CONSTRAINT parts_thing_fkey REFERENCES things ON
        DELETE CASCADE, PRIMARY KEY (thing_id))`,
      'CREATE VIEW big_things AS SELECT id, label FROM things WHERE size > 10',
      `ALTER VIEW big_things ALTER label SET DEFAULT 'big'`,
    ]) {
      await database.query(change);
      const now = await dump();
      expect(seen, change).not.to.include(now);
      seen.push(now);
    }
  });

  it('stops at what it does not know instead of leaving it out', async () => {
    await database.query('CREATE MATERIALIZED VIEW large_things AS SELECT id FROM things WHERE size > 10');
    const error = await dumpSchema((sql) => database.query(sql)).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).to.include('large_things');
  });
});
