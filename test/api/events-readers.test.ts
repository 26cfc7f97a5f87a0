/** Streams of events that read slowly or far back, and those of a controller that stops. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { openEvents } from '../support/event-source.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

describe('readers of events', function readers() {
  this.timeout(120_000);
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {});
    admin = await controller.login();
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  /** In one transaction each. */
  const makeServices = async (word: string, count: number) => {
    await database.query(
      `INSERT INTO services (id, name, encryption_required, tags)
      SELECT $1 || i, $1 || i, true, jsonb_build_object('filler', repeat('x', 2500)) FROM generate_series(1, $2) i`,
      [word, count],
    );
  };
  const warnings = () => controller.log.filter(({ msg }) => msg === 'the reader was too far behind and was cut');

  it('that read nothing are cut when too much waits for them, and go on where they were', async () => {
    const slow = await openEvents(controller.url, admin.token);
    const quick = await openEvents(controller.url, admin.token, { query: 'kinds=service.*' });
    slow.pause();
    // More than is held in memory, with many times what connections hold.
    for (const [index, word] of ['a-', 'b-', 'c-', 'd-'].entries()) {
      await makeServices(word, 3_000);
      await until('the quick one has all', () => quick.events.length === (index + 1) * 3_000, 60_000);
    }
    await until('the slow one is cut', () => warnings().length === 1, 60_000);
    slow.resume();
    await slow.over;
    const had = slow.events.filter(({ kind }) => kind.startsWith('service.'));
    expect(had.length).to.be.lessThan(12_000);
    const resumed = await openEvents(controller.url, admin.token, {
      lastEventId: slow.lastId(),
      query: 'until=now&kinds=service.*',
    });
    await resumed.over;
    expect([...had, ...resumed.events].map(({ id }) => id)).to.deep.equal(quick.events.map(({ id }) => id));
    quick.close();
  });

  it('are told when their controller stops, and do not keep it from that', async () => {
    const other = await startLogged(database, { EDGE_NAME: 'other' });
    const source = await openEvents(other.url, admin.token);
    expectStatus(await admin.get(`${M}/version`), 200);
    await other.stop();
    await source.over;
    expect(source.controls).to.deep.equal([
      { event: 'end', reason: 'stopping', message: 'this controller stops; connect again' },
    ]);
    const resumed = await openEvents(controller.url, admin.token, { lastEventId: source.lastId() });
    await makeServices('after-', 1);
    await until('it goes on elsewhere', () => resumed.events.some(({ entityId }) => entityId === 'after-1'));
    expect(resumed.controls).to.deep.equal([]);
    resumed.close();
  });
});
