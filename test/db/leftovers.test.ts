/** The net under all suites: what one leaves behind is found. Against the run's own PostgreSQL server. */
import { createServer } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { openTestDatabase } from '../support/database.js';
import { leftovers, whatIsOpen } from '../support/leftovers.js';
import { until } from '../support/poll.js';

describe('what a suite leaves behind', () => {
  it('is found: a server, a timer, a pool and a database; and nothing once they are gone', async () => {
    const before = await whatIsOpen();
    const left = async () => leftovers(before, await whatIsOpen());
    const timer = setTimeout(() => undefined, 3_600_000);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const database = await openTestDatabase();
    const pool = new pg.Pool(database.connection);
    await pool.query('SELECT 42');

    const found = await left();
    expect(found).to.include.members(['Timeout', 'TCPServerWrap']);
    expect(found.join('\n')).to.match(/^connection \d+ to edge_\w+, last: SELECT 42$/m);
    expect(found.join('\n')).to.match(/^database edge_\w+$/m);

    clearTimeout(timer);
    server.close();
    await pool.end();
    await database.close();
    await until('all is gone', async () => (await left()).length === 0);
  });
});
