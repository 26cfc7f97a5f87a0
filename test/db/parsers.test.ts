/** What PostgreSQL writes as text is read back as what was stored: times, lists of texts, JSON. */
import { expect } from 'chai';
import fc from 'fast-check';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { columnsOfRecord } from '../../db/query/unread-rows.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { unprepared } from '../../db/postgres/statement.js';

describe('values from PostgreSQL', () => {
  let files: TestDatabase;
  let database: Database;
  before(async () => {
    files = await openTestDatabase();
    database = openDatabase({ connection: files.connection, poolSize: 4, patienceMs: 5_000 });
  });
  after(async () => {
    await database.close();
    await files.close();
  });

  const read = async <T>(type: string, values: readonly unknown[]): Promise<T[]> => {
    const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    const sql = `SELECT v::${type} AS value FROM unnest($1::text[]) WITH ORDINALITY AS u (v, at) ORDER BY at`;
    return (await database.many(unprepared<{ value: T }>('SELECT', sql), [text])).map(({ value }) => value);
  };
  /** The elements of an array, as PostgreSQL builds it from JSON. */
  const readArrays = async (arrays: readonly (readonly (string | null)[])[]): Promise<unknown[]> => {
    const sql = `SELECT
      ARRAY(SELECT e FROM jsonb_array_elements_text(v) WITH ORDINALITY AS t (e, i) ORDER BY i) AS value
      FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS u (v, at) ORDER BY at`;
    return (await database.many(unprepared<{ value: unknown }>('SELECT', sql), [JSON.stringify(arrays)])).map(
      ({ value }) => value,
    );
  };

  it('are times to the millisecond', async () => {
    const times = [
      '1970-01-01T00:00:00.000Z',
      '2026-11-21T05:06:30.000Z',
      '2026-11-21T05:06:30.700Z',
      '2026-11-21T05:06:30.770Z',
      '2026-11-21T05:06:30.007Z',
      '2024-02-29T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
    ];
    expect((await read<Date>('timestamptz(3)', times)).map((time) => time.toISOString())).to.deep.equal(times);
  });

  it('are any times that an API can hold', async () => {
    const options = { min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') };
    const time = fc.date({ ...options, noInvalidDate: true }).map((date) => date.toISOString());
    await fc.assert(
      fc.asyncProperty(fc.array(time, { minLength: 50, maxLength: 200 }), async (times) => {
        expect((await read<Date>('timestamptz(3)', times)).map((date) => date.toISOString())).to.deep.equal(times);
      }),
      { numRuns: 10 },
    );
  });

  it('are the columns of a record, whatever is in them', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'a "\\(),{}é東\n\t'), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 2, maxLength: 30 }), async (columns) => {
        const places = columns.map((_, index) => `$${index + 1}::text`).join(', ');
        const sql = `SELECT one::text AS record FROM (SELECT ${places}) one`;
        const rows = await database.many(unprepared<{ record: string }>('SELECT', sql), columns);
        expect(columnsOfRecord(rows[0]?.record ?? '')).to.deep.equal(columns);
      }),
      { numRuns: 200 },
    );
  });

  it('are lists of texts, whatever is in them', async () => {
    const lists = [
      [],
      ['a'],
      ['a', 'b-c', 'd.e'],
      [''],
      ['a b', 'c'],
      ['{', '}', '{}'],
      ['a,b', 'c'],
      ['"', '\\', '\\"'],
      ['NULL', 'null', 'xNULLx'],
      [null, 'a', null],
      ['ä', '€', '😀', '\u2028'],
    ];
    expect(await readArrays(lists)).to.deep.equal(lists);
  });

  it('are any lists of texts', async () => {
    const letter = fc.constantFrom(...'ab{}",\\ NUL\n[]=0é'.split(''));
    const text = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(text, { maxLength: 5 }), { minLength: 50, maxLength: 100 }), async (lists) => {
        expect(await readArrays(lists)).to.deep.equal(lists);
      }),
      { numRuns: 20 },
    );
  });

  it('are JSON, an empty object included, of which each reader has its own', async () => {
    const values = [{}, [], { a: 1 }, { a: {} }, null, true, 0, 'x'];
    for (const type of ['json', 'jsonb']) {
      const text = values.map((value) => JSON.stringify(value));
      expect(await read(type, text)).to.deep.equal(values);
      const [first, second] = await read<object>(type, ['{}', '{}']);
      expect(first).to.not.equal(second);
    }
  });
});
