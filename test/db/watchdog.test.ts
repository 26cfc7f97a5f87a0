/** The watch over the database: what it takes for an outage, and what not. */
import { expect } from 'chai';
import pg from 'pg';
import { openDatabase } from '../../db/postgres/db.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { within } from '../support/process.js';
import { unprepared } from '../../db/postgres/statement.js';

const PATIENCE_MS = 300;

describe('the watch over the database', () => {
  let files: TestDatabase;
  const query: (this: pg.Client, ...asked: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'query');
  before(async () => {
    files = await openTestDatabase();
  });
  afterEach(() => {
    Reflect.set(pg.Client.prototype, 'query', query);
  });
  after(() => files.close());

  it('takes no pause of its own process for silence of the database', async () => {
    const states: boolean[] = [];
    let [pauses, looks] = [0, 0];
    // Right after it has asked, nothing runs for longer than its patience: the answer is there, and not read.
    Reflect.set(pg.Client.prototype, 'query', function paused(this: pg.Client, ...asked: unknown[]) {
      const result: unknown = Reflect.apply(query, this, asked);
      if (typeof asked[0] === 'string' && asked[0].includes('SyncRep')) {
        looks += 1;
        if (pauses < 2) {
          pauses += 1;
          const end = performance.now() + 2 * PATIENCE_MS;
          while (performance.now() < end);
        }
      }
      return result;
    });
    const database = openDatabase({
      connection: files.connection,
      poolSize: 4,
      patienceMs: PATIENCE_MS,
      onStateChange: (isUp) => states.push(isUp),
    });
    try {
      await until('it has looked again after two pauses', () => looks >= 4, 15_000);
      expect([pauses, states]).to.deep.equal([2, []]);
      expect(await database.many(unprepared('SELECT', 'SELECT 1 AS one'))).to.deep.equal([{ one: 1 }]);
    } finally {
      await database.close();
    }
  });

  it('closes the connection that it was opening when it was stopped', async () => {
    const connect: (this: pg.Client, ...asked: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'connect');
    const database = openDatabase({ connection: files.connection, poolSize: 4, patienceMs: PATIENCE_MS });
    let isClosing = false;
    const ended = new Promise<void>((resolve) => {
      Reflect.set(pg.Client.prototype, 'connect', function closing(this: pg.Client, ...asked: unknown[]) {
        this.once('end', resolve);
        isClosing = true;
        void database.close();
        return Reflect.apply(connect, this, asked);
      });
    });
    try {
      await until('it opens a connection', () => isClosing);
      await within('the connection ends', 10_000, ended);
    } finally {
      Reflect.set(pg.Client.prototype, 'connect', connect);
    }
  });
});
