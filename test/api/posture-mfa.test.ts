/**
 * TOTP codes as posture: given in an API session, timed out, asked for by a wake or an unlock. The clock that counts is
 * the database's, so a test puts back when a code was given, and tells the controllers as any change does.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { entityOf } from '../support/entities.js';
import { expectFault, expectNotFound } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import {
  isPassing,
  lastChange,
  onlyQuery,
  opened,
  openSession,
  ownSessions,
  queriesOf,
  report,
  reportAll,
  startPostureNetwork,
} from './posture-support.js';
import type { Guarded, PostureNetwork } from './posture-support.js';

const WOKEN = { typeId: 'ENDPOINT_STATE', id: '0', woken: true };
const UNLOCKED = { typeId: 'ENDPOINT_STATE', id: '0', unlocked: true };
const GRACE = 300;

describe('an MFA check', function mfa() {
  this.timeout(120_000);
  let network: PostureNetwork;
  before(async () => {
    network = await startPostureNetwork();
  });
  after(() => network.stop());

  const check = (fields: object = {}) => network.check({ typeId: 'MFA', ...fields });
  const guarded = async (fields: object = {}) => network.guard([await check(fields)]);
  const sessionId = async (client: Client) =>
    entityOf(expectStatus(await client.get(`${C}/current-api-session`), 200)).id;
  const enroll = async (client: Client): Promise<string> => (await enrollTotp(client)).secret;
  const give = async ({ id, client }: Guarded, secret: string) => {
    await network.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [id]);
    expectStatus(await client.post(`${C}/authenticate/mfa`, { code: codeAt(secret) }), 200);
  };
  /** As if the code and the events had come that much earlier. */
  const putBack = async (client: Client, seconds: number) => {
    const id = await sessionId(client);
    await network.database.query(
      `UPDATE api_session_postures SET woken_at = woken_at - make_interval(secs => $2),
        unlocked_at = unlocked_at - make_interval(secs => $2) WHERE api_session_id = $1`,
      [id, seconds],
    );
    await network.database.query(
      `UPDATE api_sessions SET mfa_passed_at = mfa_passed_at - make_interval(secs => $2),
        posture_revision = posture_revision + 1 WHERE id = $1`,
      [id, seconds],
    );
  };
  const expectGone = async ({ client, elsewhere }: Guarded, session: string) => {
    for (const each of [client, elsewhere])
      expectNotFound(await each.get(`${C}/sessions/${session}`), `session with id ${session} not found`);
  };

  it('fails until a code is given in this API session, and says where to', async () => {
    const guard = await guarded({ timeoutSeconds: 3600 });
    const { client, name, service } = guard;
    const { cause } = expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
    expect(JSON.stringify(cause)).to.include('give one to authenticate/mfa');
    expect(await onlyQuery(client, service)).to.include({ isPassing: false, timeout: 3600, timeoutRemaining: 0 });
    const secret = await enroll(client);
    expect(await onlyQuery(client, service)).to.include({ isPassing: true, queryType: 'MFA', timeout: 3600 });
    await opened(client, service);
    const other = await network.loginAs(name);
    await give({ ...guard, ...other }, secret);
    expect(await isPassing(other.client, service)).to.equal(true);
    expectStatus(await client.post(`${C}/posture-response`, { typeId: 'MFA', id: '0' }), 400);
  });

  it('of one API session says nothing of another', async () => {
    const guard = await guarded();
    const mac = await network.check({ typeId: 'MAC', macAddresses: ['aa'] });
    const plain = await network.guard([mac]);
    await enroll(guard.client);
    expect(await isPassing(plain.client, plain.service)).to.equal(false);
    expect(await onlyQuery(guard.client, guard.service)).to.include({
      isPassing: true,
      timeout: -1,
      timeoutRemaining: -1,
    });
    expect(await onlyQuery(guard.client, guard.service)).to.not.have.any.keys('timeoutAt', 'promptOnWake');
  });

  it('counts down what is left, and says when it ends', async () => {
    const { client, service } = await guarded({ timeoutSeconds: 3600 });
    await enroll(client);
    await putBack(client, 600);
    await until(
      'the answer counts from the code',
      async () => (await onlyQuery(client, service)).timeoutRemaining <= 3000,
    );
    const { timeoutRemaining, timeoutAt = '' } = await onlyQuery(client, service);
    expect(timeoutRemaining).to.be.within(2800, 3000);
    const id = await sessionId(client);
    const { rows } = await network.database.query(
      "SELECT mfa_passed_at + interval '1 hour' AS at FROM api_sessions WHERE id = $1",
      [id],
    );
    expect(timeoutAt).to.equal((rows[0]?.['at'] as Date).toISOString());
  });

  it('that times out refuses the session on every controller, and moves service updates', async () => {
    const guard = await guarded({ timeoutSeconds: 3600 });
    const { client, elsewhere, service } = guard;
    const secret = await enroll(client);
    const session = await opened(client, service);
    await putBack(client, 3598);
    await until('the time is over', async () => !(await isPassing(client, service)));
    await expectGone(guard, session);
    expect(await ownSessions(elsewhere)).to.deep.equal([]);
    await until('the other controller says so', async () => !(await isPassing(elsewhere, service)));
    const { timeoutAt = '' } = await onlyQuery(client, service);
    const after = await lastChange(client);
    expect(after >= timeoutAt, `${after} is not before ${timeoutAt}`).to.equal(true);
    expect([await lastChange(elsewhere), await lastChange(client)]).to.deep.equal([after, after]);
    const { cause } = expectFault(await openSession(elsewhere, service), 409, 'INVALID_POSTURE');
    expect(JSON.stringify(cause)).to.include('too old');
    await give(guard, secret);
    expect(await isPassing(client, service)).to.equal(true);
    expect(await opened(client, service)).to.not.equal(session);
    expect((await lastChange(client)) > after).to.equal(true);
  });

  it('that times out is swept though nobody asks', async () => {
    const { client, service } = await guarded({ timeoutSeconds: 3600 });
    await enroll(client);
    const session = await opened(client, service);
    await putBack(client, 3598);
    const count = async () =>
      (await network.database.query('SELECT FROM sessions WHERE id = $1', [session])).rows.length;
    await until('the session is swept', async () => (await count()) === 0);
  });

  it('that is answered again in time keeps the session', async () => {
    const guard = await guarded({ timeoutSeconds: 3600 });
    const { client, service } = guard;
    const secret = await enroll(client);
    const session = await opened(client, service);
    await putBack(client, 3500);
    await give(guard, secret);
    await putBack(client, 3500);
    expectStatus(await client.get(`${C}/sessions/${session}`), 200);
    await putBack(client, 101);
    await expectGone(guard, session);
  });

  it('asks for a code within five minutes of a wake', async () => {
    const guard = await guarded({ promptOnWake: true });
    const { client, elsewhere, service } = guard;
    expect((await report(client, WOKEN)).data, 'no code was given').to.deep.equal({ services: [] });
    const secret = await enroll(client);
    const session = await opened(client, service);
    expect((await report(client, UNLOCKED)).data, 'it is not asked about unlocks').to.deep.equal({ services: [] });
    const before = await lastChange(client);
    const { services } = (await report(client, WOKEN)).data as { services: Record<string, unknown>[] };
    expect(services).to.have.length(1);
    expect(services[0]).to.include({ id: service, postureQueryType: 'MFA', timeout: -1 });
    expect(services[0]?.['timeoutRemaining']).to.be.within(GRACE - 60, GRACE);
    expect((await lastChange(client)) > before, 'what is asked has changed').to.equal(true);
    const query = await onlyQuery(client, service);
    expect(query).to.include({ isPassing: true, promptOnWake: true, promptGracePeriodSeconds: GRACE, timeout: -1 });
    expect(query.timeoutRemaining).to.be.within(GRACE - 60, GRACE);
    expectStatus(await elsewhere.get(`${C}/sessions/${session}`), 200);
    await putBack(client, 200);
    await report(client, WOKEN);
    const left = async () => (await onlyQuery(client, service)).timeoutRemaining;
    await until('a second wake puts nothing off', async () => (await left()) <= GRACE - 200);
    await putBack(client, 101);
    await expectGone(guard, session);
    const { cause } = expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
    expect(JSON.stringify(cause)).to.include('woken or unlocked');
    await give(guard, secret);
    expect(await onlyQuery(client, service)).to.include({ isPassing: true, timeoutRemaining: -1 });
    await opened(client, service);
  });

  it('asks after an unlock only where it says so, of services that have more than the grace left', async () => {
    const [asking, lasting, soon] = await Promise.all([
      check({ promptOnUnlock: true }),
      check({ promptOnUnlock: true, timeoutSeconds: 7200 }),
      check({ promptOnUnlock: true, timeoutSeconds: 200 }),
    ]);
    const { client, id, service } = await network.guard([asking]);
    const more = async (checkId: string) => {
      const other = await network.make('services', { name: `${id}-${checkId}`, encryptionRequired: false });
      await network.make('service-policies', {
        name: `${id}-${checkId}`,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: [`@${id}`],
        serviceRoles: [`@${other}`],
        postureCheckRoles: [`@${checkId}`],
      });
      return other;
    };
    const second = await more(lasting);
    await more(soon);
    await enroll(client);
    expect((await report(client, WOKEN)).data).to.deep.equal({ services: [] });
    const { services } = (await reportAll(client, [UNLOCKED, WOKEN])).data as { services: { id: string }[] };
    expect(services.map((each) => each.id)).to.have.members([service, second]);
    expect((await queriesOf(client, service))[0]).to.include({ isPassing: true });
  });

  it('is failed by the removal of the second factor', async () => {
    const guard = await guarded();
    const { client, elsewhere, id, service } = guard;
    await enroll(client);
    const session = await opened(client, service);
    expectStatus(await network.admin.delete(`${M}/identities/${id}/mfa`), 200);
    await expectGone(guard, session);
    await until('the other controller hears of it', async () => !(await isPassing(elsewhere, service)));
    expect(await isPassing(client, service)).to.equal(false);
  });

  it('waives the time for clients that report no events, and not the first code', async () => {
    const guard = await guarded({ timeoutSeconds: 60, ignoreLegacyEndpoints: true });
    const { client, service } = guard;
    expectFault(await openSession(client, service), 409, 'INVALID_POSTURE');
    await enroll(client);
    const session = await opened(client, service);
    await putBack(client, 100);
    expectStatus(await client.get(`${C}/sessions/${session}`), 200);
    await report(client, WOKEN);
    await expectGone(guard, session);
  });
});
