/** Posture from a report to what it opens, and closes, on every controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { idsOf } from '../support/entities.js';
import { expectFault, expectNotFound } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import {
  isPassing,
  lastChange,
  onlyQuery,
  opened,
  openSession,
  ownSessions,
  queriesOf,
  report,
  startPostureNetwork,
} from './posture-support.js';
import type { PostureNetwork } from './posture-support.js';

const MAC = { typeId: 'MAC', id: '0' };
const GOOD = { ...MAC, macAddresses: ['02:FC:00:AA:12:34'] };
const BAD = { ...MAC, macAddresses: ['02:00:00:00:00:00'] };

describe('a posture check', function posture() {
  this.timeout(120_000);
  let network: PostureNetwork;
  before(async () => {
    network = await startPostureNetwork();
  });
  after(() => network.stop());

  const macCheck = (fields: object = {}) => network.check({ typeId: 'MAC', macAddresses: ['02fc00aa1234'], ...fields });
  const guarded = async () => network.guard([await macCheck()]);
  const rowsOf = async (id: string) =>
    (await network.database.query('SELECT FROM sessions WHERE id = $1', [id])).rows.length;
  const expectGone = async (session: string) => {
    const message = `session with id ${session} not found`;
    expectNotFound(await network.admin.get(`${M}/sessions/${session}`), message);
    expect(idsOf(await network.admin.get(`${M}/sessions?limit=500`))).to.not.include(session);
  };

  it('refuses a session while nothing is reported, and says what to do', async () => {
    const { client, service, policy, checks } = await guarded();
    const { cause } = expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
    const [check] = checks;
    const { name } = (await network.admin.get(`${M}/posture-checks/${check}`)).data as { name: string };
    const reason = 'the client has not reported its hardware addresses: let it report, or update it';
    expect(cause).to.deep.equal({
      data: { [policy]: [{ id: check, isPassing: false, name, reason, typeId: 'MAC' }] },
      message: `Failed to pass posture checks for service policies: [${policy}]`,
    });
    await report(client, BAD);
    const second = expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
    expect(JSON.stringify(second.cause)).to.include('no hardware address of this device is allowed');
    expect(JSON.stringify(second.cause), 'what is allowed stays a secret').to.not.include('02fc00aa1234');
  });

  it('passes by a report, shows it, and opens a session', async () => {
    const { client, service, policy, checks } = await guarded();
    expect(await isPassing(client, service)).to.equal(false);
    expect((await report(client, GOOD)).data).to.deep.equal({ services: [] });
    const [shown] = await queriesOf(client, service);
    expect(shown).to.deep.include({ isPassing: true, policyId: policy, policyType: 'Dial' });
    const query = await onlyQuery(client, service);
    const check = (await network.admin.get(`${M}/posture-checks/${checks[0]}`)).data as Record<string, unknown>;
    expect(query).to.deep.equal({
      _links: { self: { href: `./posture-checks/${checks[0]}` } },
      createdAt: check['createdAt'],
      id: checks[0],
      isPassing: true,
      queryType: 'MAC',
      tags: {},
      timeout: -1,
      timeoutRemaining: -1,
      updatedAt: check['updatedAt'],
    });
    const session = await opened(client, service);
    expect(await opened(client, service)).to.equal(session);
    expect(await ownSessions(client)).to.deep.equal([session]);
  });

  it('that stops to pass ends the session at once on every controller, for good', async () => {
    const { client, elsewhere, service } = await guarded();
    await report(client, GOOD);
    const session = await opened(client, service);
    expect(await ownSessions(elsewhere)).to.deep.equal([session]);
    await report(client, BAD);
    expectNotFound(await elsewhere.get(`${C}/sessions/${session}`), `session with id ${session} not found`);
    await expectGone(session);
    expectFault(await openSession(elsewhere, service), 409, 'INVALID_POSTURE');
    await until('the other controller shows it', async () => !(await isPassing(elsewhere, service)));
    await report(client, GOOD);
    await expectGone(session);
    expect(await opened(elsewhere, service)).to.not.equal(session);
  });

  it('that stops to pass leaves nothing behind though nobody asks', async () => {
    const { client, service } = await guarded();
    await report(client, GOOD);
    const session = await opened(client, service);
    await report(client, BAD);
    await until('the session is swept', async () => (await rowsOf(session)) === 0);
  });

  it('is held against the API session that reported, and no other of its identity', async () => {
    const { client, name, service } = await guarded();
    const other = await network.loginAs(name);
    await report(client, GOOD);
    expect([await isPassing(client, service), await isPassing(other.client, service)]).to.deep.equal([true, false]);
    expectFault(await openSession(other.client, service), 409, 'INVALID_POSTURE');
    const session = await opened(client, service);
    await report(other.client, BAD);
    expectStatus(await client.get(`${C}/sessions/${session}`), 200);
    expect(await isPassing(client, service)).to.equal(true);
    expectStatus(await client.delete(`${C}/current-api-session`), 200);
    const left = await network.database.query(
      'SELECT count(*)::int AS n FROM api_session_postures WHERE api_session_id NOT IN (SELECT id FROM api_sessions)',
    );
    expect(left.rows).to.deep.equal([{ n: 0 }]);
  });

  it('that asks for something else from now on ends the sessions that fail it', async () => {
    const { client, service, checks } = await guarded();
    await report(client, GOOD);
    const session = await opened(client, service);
    await network.change(`posture-checks/${checks[0]}`, { typeId: 'MAC', macAddresses: ['02fc00aa1234', 'ff'] });
    expectStatus(await client.get(`${C}/sessions/${session}`), 200);
    await network.change(`posture-checks/${checks[0]}`, { typeId: 'MAC', macAddresses: ['ff'] });
    await expectGone(session);
    expect(await isPassing(client, service)).to.equal(false);
  });

  it('leaves a session that another policy grants', async () => {
    const { client, id, service, policy } = await guarded();
    await network.make('service-policies', {
      name: `${policy}-plain`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${id}`],
      serviceRoles: [`@${service}`],
    });
    const session = await opened(client, service);
    await report(client, BAD);
    expectStatus(await client.get(`${C}/sessions/${session}`), 200);
    expect((await queriesOf(client, service)).map((each) => each.isPassing).sort()).to.deep.equal([false, true]);
  });

  it('moves service updates with a report that changes what is seen, and with no other', async () => {
    const { client, elsewhere, service } = await guarded();
    const times = [await lastChange(client)];
    await report(client, BAD);
    times.push(await lastChange(client));
    expect(times[1], 'still failing').to.equal(times[0]);
    await report(client, GOOD);
    times.push(await lastChange(client));
    expect((times[2] ?? '') > (times[1] ?? ''), times.join(' ')).to.equal(true);
    await report(client, { ...GOOD, macAddresses: ['02-fc-00-aa-12-34'] });
    expect(await lastChange(client)).to.equal(times[2]);
    await until('the other controller says the same', async () => (await lastChange(elsewhere)) === times[2]);
    expect(await isPassing(client, service)).to.equal(true);
  });

  it('writes nothing for a report that changes nothing', async () => {
    const { client } = await guarded();
    await report(client, GOOD);
    const id = ((await client.get(`${C}/current-api-session`)).data as { id: string }).id;
    const versions = async () =>
      (
        await network.database.query(
          `SELECT s.posture_revision, p.xmin::text, p.xmax::text, p.ctid::text FROM api_sessions s
          JOIN api_session_postures p ON p.api_session_id = s.id WHERE s.id = $1`,
          [id],
        )
      ).rows;
    const before = await versions();
    for (const macAddresses of [['02FC00AA1234'], ['02:fc:00:aa:12:34', '02-FC-00-AA-12-34']])
      await report(client, { ...MAC, id: 'another', macAddresses });
    expect(await versions()).to.deep.equal(before);
  });
});
