/**
 * What kept answers about role attributes rest on: the epoch moves with every change of the set, and counts are never
 * negative.
 */
import { expect } from 'chai';
import pg from 'pg';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { randomly } from '../support/random.js';

const SERVICE = 'INSERT INTO services (id, name, encryption_required, role_attributes) VALUES ($1, $1, false, $2)';
const EPOCH = "(SELECT coalesce(sum(epoch), 0)::int FROM role_attribute_epochs WHERE kind = 'services')";
const IN_USE =
  "ARRAY (SELECT DISTINCT attribute FROM role_attribute_counts WHERE kind = 'services' AND uses > 0 ORDER BY 1)";
/** What is counted at commit is counted at once, and its slots are held until the commit. */
/** Of a transaction that PostgreSQL gives up for another: serialization_failure. */
const GIVEN_UP = '40001';
const COUNT_NOW = 'SELECT count_noted_attributes()';
const TRUTH = 'ARRAY (SELECT DISTINCT unnest(role_attributes) COLLATE "C" FROM services ORDER BY 1)';

interface Sight {
  readonly epoch: number;
  readonly used: string[];
  readonly truth: string[];
}

describe('role attributes in use', () => {
  let database: TestDatabase;
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client(database.connection);
    await client.connect();
    await client.query("SET lock_timeout = '5s'");
    clients.push(client);
    return client;
  };
  before(async () => {
    database = await openTestDatabase();
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await database.close();
  });
  beforeEach(() => database.query('DELETE FROM services'));

  /** All of one moment. */
  const look = async (client: pg.Client): Promise<Sight> => {
    const {
      rows: [sight],
    } = await client.query<Sight>(`SELECT ${EPOCH} AS epoch, ${IN_USE} AS used, ${TRUTH} AS truth`);
    if (sight === undefined) throw new Error('nothing seen');
    return sight;
  };
  const oneWaits = () =>
    until('one waits for a slot', async () => {
      const { rows } = await database.query(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`);
      return rows.length === 1;
    });
  const slots = async (attribute: string) =>
    (
      await database.query("SELECT uses::int FROM role_attribute_counts WHERE kind = 'services' AND attribute = $1", [
        attribute,
      ])
    ).rows.map((row) => Number(row['uses']));

  it('move their epoch when one comes into use or goes, and with nothing else', async () => {
    const client = await connect();
    const moves = async (isMoved: boolean, sql: string, values: unknown[]) => {
      const { epoch } = await look(client);
      await client.query(sql, values);
      const after = await look(client);
      expect(after.epoch > epoch, `${sql} ${JSON.stringify(values)}`).to.equal(isMoved);
      expect(after.used).to.deep.equal(after.truth);
    };
    await moves(true, SERVICE, ['a', ['x', 'y']]);
    await moves(false, SERVICE, ['b', ['y', 'x']]);
    await moves(false, SERVICE, ['c', []]);
    await moves(true, SERVICE, ['d', ['x', 'z']]);
    await moves(false, "UPDATE services SET name = 'e' WHERE id = $1", ['d']);
    await moves(false, 'UPDATE services SET role_attributes = $2 WHERE id = $1', ['a', ['y', 'x']]);
    await moves(false, 'UPDATE services SET role_attributes = $2 WHERE id = $1', ['a', ['y']]);
    await moves(false, 'DELETE FROM services WHERE id = $1', ['b']);
    await moves(true, 'DELETE FROM services WHERE id = $1', ['a']);
    await moves(true, 'UPDATE services SET role_attributes = $2 WHERE id = $1', ['d', ['x', 'w']]);
    await moves(true, 'DELETE FROM services WHERE id = $1', ['d']);
    await moves(false, 'DELETE FROM services WHERE id = $1', ['c']);
  });

  it('go at the second of two deletes at once, and the epoch with them', async () => {
    const [first, second, reader] = [await connect(), await connect(), await connect()];
    for (const id of ['a', 'b']) await first.query(SERVICE, [id, ['shared']]);
    await first.query('BEGIN');
    await first.query("DELETE FROM services WHERE id = 'a'");
    await first.query(COUNT_NOW);
    const waiting = second.query("DELETE FROM services WHERE id = 'b'");
    await oneWaits();
    await first.query('COMMIT');
    const between = await look(reader);
    await waiting;
    const after = await look(reader);
    expect(after.used).to.deep.equal([]);
    if (between.used.length > 0) expect(after.epoch).to.be.greaterThan(between.epoch);
    expect(await slots('shared')).to.deep.equal([]);
  });

  it('leave nothing behind, however many uses go at once, and come again', async () => {
    const client = await connect();
    for (const id of ['a', 'b']) await client.query(SERVICE, [id, ['passing', `of-${id}`]]);
    await client.query('DELETE FROM services');
    const { rows } = await database.query("SELECT attribute FROM role_attribute_counts WHERE kind = 'services'");
    expect(rows).to.deep.equal([]);
    await client.query(SERVICE, ['c', ['passing']]);
    expect(await slots('passing')).to.deep.equal([1]);
  });

  it('never make one that adds wait for another', async () => {
    const writers = await Promise.all(Array.from({ length: 6 }, connect));
    for (const [index, writer] of writers.entries()) {
      await writer.query('BEGIN');
      await writer.query(SERVICE, [`w${index}`, ['crowded', `own-${index}`]]);
      await writer.query(COUNT_NOW);
    }
    for (const [index, writer] of writers.entries()) await writer.query(index % 2 === 0 ? 'COMMIT' : 'ROLLBACK');
    const sight = await look(await connect());
    expect(sight.used).to.deep.equal(['crowded', 'own-0', 'own-2', 'own-4']);
  });

  it('part the count of a busy attribute, so that those that remove it stop waiting for each other', async () => {
    const [first, second, third] = [await connect(), await connect(), await connect()];
    for (let index = 0; index < 20; index += 1) await first.query(SERVICE, [`p${index}`, ['busy']]);
    expect(await slots('busy')).to.have.length(1);
    await first.query('BEGIN');
    await first.query("DELETE FROM services WHERE id = 'p0'");
    await first.query(COUNT_NOW);
    const waiting = second.query("DELETE FROM services WHERE id = 'p1'");
    await oneWaits();
    await first.query('COMMIT');
    await waiting;
    expect(await slots('busy')).to.have.length(2);
    expect((await slots('busy')).reduce((sum, uses) => sum + uses, 0)).to.equal(18);
    for (const [index, client] of [first, second].entries()) {
      await client.query('BEGIN');
      if ((await slots('busy')).length > index)
        await client.query('DELETE FROM services WHERE id = $1', [`p${2 + index}`]);
    }
    for (const client of [first, second]) await client.query('COMMIT');
    expect((await look(third)).used).to.deep.equal(['busy']);
  });

  it('never make two that change one entity each wait for each other', async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, connect));
    const attributes = ['p', 'q', 'r', 's', 't'];
    await Promise.all(writers.map(async (writer, index) => writer.query(SERVICE, [`one-${index}`, attributes])));
    await Promise.all(
      writers.map(async (writer, index) => {
        for (let round = 1; round < 60; round += 1) {
          const some = attributes.filter((_, bit) => ((round * (index + 3)) >> bit) % 2 === 1);
          await writer.query('UPDATE services SET role_attributes = $2 WHERE id = $1', [
            `one-${index}`,
            index % 2 === 0 ? some : some.reverse(),
          ]);
        }
      }),
    );
    const { used, truth } = await look(await connect());
    expect(used).to.deep.equal(truth);
  });

  it('are the same whenever the epoch is, whatever a crowd does', async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, connect));
    const reader = await connect();
    const sightings = new Map<number, string>();
    let writing = writers.length;
    const attributes = ['a', 'b', 'c', 'd'];
    const write = async (writer: pg.Client, index: number) => {
      const pick = randomly(index + 1);
      const some = () => attributes.filter(() => pick(3) === 0);
      const id = `crowd-${index}`;
      const round = async () => {
        await writer.query('BEGIN');
        await writer.query('DELETE FROM services WHERE id = $1', [id]);
        if (pick(4) > 0) await writer.query(SERVICE, [id, some()]);
        if (pick(3) === 0) await writer.query('UPDATE services SET role_attributes = $2 WHERE id = $1', [id, some()]);
        await writer.query(pick(6) === 0 ? 'ROLLBACK' : 'COMMIT');
      };
      for (let done = 0; done < 60; done += 1)
        await round().catch(async (error: { code?: string }) => {
          if (error.code !== GIVEN_UP) throw error;
          await writer.query('ROLLBACK'); // as the stores do, which then try again
        });
    };
    const watch = async () => {
      while (writing > 0) {
        const { epoch, used, truth } = await look(reader);
        expect(used).to.deep.equal(truth);
        const seen = sightings.get(epoch);
        if (seen !== undefined) expect(used.join(), `epoch ${epoch}`).to.equal(seen);
        sightings.set(epoch, used.join());
      }
    };
    await Promise.all([
      ...writers.map(async (writer, index) =>
        write(writer, index).finally(() => {
          writing -= 1;
        }),
      ),
      watch(),
    ]);
    expect(sightings.size).to.be.greaterThan(5);
    const { rows: wrong } = await database.query('SELECT * FROM role_attribute_counts WHERE uses <= 0');
    expect(wrong).to.deep.equal([]);
    const { used, truth } = await look(reader);
    expect(used).to.deep.equal(truth);
  });
});
