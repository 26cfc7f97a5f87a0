/**
 * A change feed that goes silent while its connection stands: what was taken away on one controller is refused by the
 * other within a second all the same, and what is still good is answered.
 */
import { expect } from 'chai';
import { FEED_NAME } from '../../server/changes/change-feed.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { Pair } from './server-support.js';

/** Memory is believed for a second; the rest is for a machine that is busy. */
const REFUSED_MS = 1_400;

describe('a change feed that goes silent', function silentFeed() {
  this.timeout(60_000);
  let pair: Pair;
  let stopped: number[] = [];
  before(async () => {
    pair = await startPair();
  });
  afterEach(() => {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    stopped = [];
  });
  after(() => pair.stop());

  /** A session of a new identity, which the second controller has in memory. */
  const newSession = async (): Promise<{ id: string; atOne: Client; atTwo: Client }> => {
    const name = unique('silent');
    const { id } = await makeUser(pair.admin, name);
    const { token } = await pair.one.login(name, PASSWORD);
    const [atOne, atTwo] = [pair.one.client(token), pair.two.client(token)];
    expectStatus(await atTwo.get(`${C}/current-api-session`), 200);
    return { id, atOne, atTwo };
  };
  /** Stops the server's processes behind the feeds: their connections stand, and nothing comes. */
  const silence = async () => {
    const sql = 'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()';
    const { rows } = await pair.database.query(sql, [FEED_NAME]);
    expect(rows).to.have.length(2);
    stopped = rows.map(({ pid }) => Number(pid));
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  };
  const refused = (client: Client) =>
    until('refused', async () => (await client.get(`${C}/current-api-session`)).status === 401, REFUSED_MS);

  it('does not keep a session alive that has ended on the other controller', async () => {
    const [ending, standing] = [await newSession(), await newSession()];
    await silence();
    expectStatus(await ending.atOne.delete(`${C}/current-api-session`), 200);
    await refused(ending.atTwo);
    expectStatus(await standing.atTwo.get(`${C}/current-api-session`), 200);
  });

  it('does not keep the sessions of an identity alive that was disabled on the other one', async () => {
    const { id, atTwo } = await newSession();
    await until('the feeds are back', async () => {
      const sql = 'SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1';
      const { rows } = await pair.database.query(`${sql} AND datname = current_database()`, [FEED_NAME]);
      return rows[0]?.['count'] === 2;
    });
    await silence();
    expectStatus(await pair.admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 5 }), 200);
    await refused(atTwo);
  });
});
