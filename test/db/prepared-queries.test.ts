/** Prepared statements ask for the columns of their rows once, and never mistake one column for another. */
import { expect } from 'chai';
import type { Connection } from 'pg';
import { send, sessionConfig } from '../../db/postgres/connection.js';
import { ServerClient } from '../../db/postgres/servers.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

describe('prepared statements', () => {
  let database: TestDatabase;
  let client: ServerClient;
  let described: number;
  before(async () => {
    database = await openTestDatabase({ isEmpty: true });
    await database.query('CREATE TABLE things (id int PRIMARY KEY, at timestamptz, tags text[], data jsonb)');
    await database.query(`INSERT INTO things SELECT i, '2026-01-02 03:04:05.6+00', ARRAY['a', 'b' || i], '{"n": 1}'
      FROM generate_series(1, 3) i`);
  });
  after(() => database.close());
  beforeEach(async () => {
    client = new ServerClient(sessionConfig(database.connection));
    client.on('error', () => undefined);
    await client.connect();
    await client.query("SET TimeZone = 'UTC'");
    described = 0;
    const { connection } = client as unknown as { readonly connection: Connection };
    connection.on('rowDescription', () => {
      described += 1;
    });
  });
  afterEach(() => client.end());

  const text = 'SELECT id, at, tags, data FROM things WHERE id = $1';
  const thing = (id: number) => ({
    id,
    at: new Date('2026-01-02T03:04:05.600Z'),
    tags: ['a', `b${id}`],
    data: { n: 1 },
  });

  it('have their columns described once on a connection, in each form', async () => {
    for (const id of [1, 2, 3]) {
      const { rows, rowCount, columns } = await send(client, 'thing', text, [id], 'objects');
      expect(rows).to.deep.equal([thing(id)]);
      expect(rowCount).to.equal(1);
      expect(columns.map(({ name }) => name)).to.deep.equal(['id', 'at', 'tags', 'data']);
    }
    expect(described).to.equal(1);
    for (const id of [1, 2]) {
      const { rows, columns } = await send(client, 'thing', text, [id], 'texts');
      expect(rows).to.deep.equal([[String(id), '2026-01-02 03:04:05.6+00', `{a,b${id}}`, '{"n": 1}']]);
      expect(columns.map(({ dataTypeID }) => dataTypeID)).to.deep.equal([23, 1184, 1009, 3802]);
    }
    expect(described).to.equal(2);
    expect((await send(client, 'thing', text, [4], 'objects')).rows).to.deep.equal([]);
  });

  it('are described each time without a name', async () => {
    for (const id of [1, 2]) expect((await send(client, null, text, [id], 'objects')).rows).to.deep.equal([thing(id)]);
    expect(described).to.equal(2);
  });

  it('fail when their columns have changed, and read nothing wrong', async () => {
    const all = 'SELECT * FROM things WHERE id = $1';
    await send(client, 'all', all, [1], 'objects');
    await database.query('ALTER TABLE things ADD COLUMN late text');
    const error = await send(client, 'all', all, [1], 'objects').then(
      () => undefined,
      (fault: unknown) => fault,
    );
    expect(error).to.have.property('code', '0A000');
    await database.query('ALTER TABLE things DROP COLUMN late');
    expect((await send(client, 'all', all, [1], 'objects')).rows).to.deep.equal([thing(1)]);
  });

  it('go on after one that failed', async () => {
    const half = 'SELECT 10 / $1::int AS half';
    expect((await send(client, 'half', half, [2], 'objects')).rows).to.deep.equal([{ half: 5 }]);
    const error = await send(client, 'half', half, [0], 'objects').then(
      () => undefined,
      (fault: unknown) => fault,
    );
    expect(error).to.have.property('code', '22012');
    expect((await send(client, 'half', half, [5], 'objects')).rows).to.deep.equal([{ half: 2 }]);
  });
});
