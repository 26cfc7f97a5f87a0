/** The files of db/schema/migrations: frozen once they are released, and plain SQL that a person can read and run. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { migrate, migrationNames } from '../../db/schema/migrate.js';
import { dumpSchema } from '../../scripts/dump-schema.js';
import { openTestDatabase } from '../support/database.js';

const FOLDER = fileURLToPath(new URL('../../../db/schema/migrations/', import.meta.url));
const HASHES = 'SHA256SUMS';
const WIDTH = 120;

const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const sqlFiles = readdirSync(FOLDER)
  .filter((file) => file !== HASHES)
  .sort();
const hashOf = (file: string): string => createHash('sha256').update(textOf(file)).digest('hex');
const frozen = new Map(
  textOf(HASHES)
    .trimEnd()
    .split('\n')
    .map((line): [file: string, hash: string] => {
      const [hash = '', file = ''] = line.split(/ {2}/);
      return [file, hash];
    }),
);

describe('the migrations', () => {
  it('are numbered without a gap, and nothing else is among them', () => {
    const numbers = sqlFiles.map((file) => /^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]);
    expect(numbers).to.deep.equal(sqlFiles.map((_, index) => String(index + 1).padStart(4, '0')));
    expect(sqlFiles.map((file) => file.replace(/\.sql$/, ''))).to.deep.equal([...migrationNames]);
  });

  it('are frozen', () => {
    for (const file of sqlFiles) {
      const hash = frozen.get(file);
      expect(
        hash,
        `db/schema/migrations/${file} is new: when it is ready, add "${hashOf(file)}  ${file}" to its ${HASHES}`,
      ).to.be.a('string');
      expect(
        hashOf(file),
        `db/schema/migrations/${file} is frozen, because databases were made with it: ` +
          'undo the change and write a new migration',
      ).to.equal(hash);
    }
  });

  it('were all kept', () => {
    expect([...frozen.keys()], `a migration of db/schema/migrations/${HASHES} is gone: bring it back`).to.deep.equal(
      sqlFiles,
    );
  });

  it(`fit on ${WIDTH} columns`, () => {
    const wide = sqlFiles.flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, index) => (line.length > WIDTH ? [`${file}:${index + 1}`] : [])),
    );
    expect(wide).to.deep.equal([]);
  });

  it('name every constraint', () => {
    const nameless = /^(?!\s*(?:--|CONSTRAINT\b|ADD CONSTRAINT\b)).*\b(?:PRIMARY KEY|REFERENCES|UNIQUE \(|CHECK \()/;
    const found = sqlFiles.flatMap((file) => {
      // A constraint that takes two lines has its name on the first.
      const lines = textOf(file).replace(/(CONSTRAINT \w+)\n\s+/g, '$1 ');
      return lines.split('\n').filter((line) => nameless.test(line));
    });
    expect(found).to.deep.equal([]);
  });

  it('make the same schema when they are run as they are', async () => {
    const [migrated, plain] = [await openTestDatabase({ isEmpty: true }), await openTestDatabase({ isEmpty: true })];
    try {
      await migrate(migrated.connection);
      await migrated.query('DROP TABLE schema_migrations, schema_migrations_lock');
      for (const file of sqlFiles) await plain.query(textOf(file));
      const schema = await dumpSchema((sql) => migrated.query(sql));
      expect(await dumpSchema((sql) => plain.query(sql))).to.equal(schema);
    } finally {
      await migrated.close();
      await plain.close();
    }
  });
});
