/**
 * A second factor that somebody else set: sessions that were fully authenticated at that moment undo it for a day,
 * without a code. On two controllers that share a database.
 */
import { expect } from 'chai';
import type pg from 'pg';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { expectUnauthorized } from '../support/expect.js';
import { itemsOf } from '../support/entities.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { MFA, codeAt } from '../support/totp.js';
import { until } from '../support/poll.js';
import type { LoggedController } from './server-support.js';
import { GIVE, refusedCode, useSecondFactor, withCode } from './second-factor-support.js';

describe('a second factor that a stolen session set', function secondFactor() {
  this.timeout(300_000);
  const factor = useSecondFactor();
  const { login, newSubject, begin, newPolicy, isFull } = factor;
  let two: LoggedController;
  let admin: Client;
  let pool: pg.Pool;
  before(() => {
    ({ two, admin, pool } = factor.started());
  });

  /** An owner with two sessions, of which one, in the wrong hands, enrolls and verifies. */
  const stolen = async (fields: object = {}) => {
    const subject = await newSubject(fields);
    const thief = await login(subject.name);
    const younger = two.client((await login(subject.name)).token);
    const { secret } = await begin(thief);
    expectStatus(await thief.post(`${MFA}/verify`, { code: codeAt(secret) }), 200);
    return { ...subject, owner: subject.client, younger, thief, secret };
  };

  it('is undone by each session that was there, without a code, and all go on', async () => {
    for (const pick of ['owner', 'younger', 'thief'] as const) {
      const found = await stolen();
      const client = found[pick];
      expect(await isFull(found.owner)).to.equal(false);
      expectStatus(await client.delete(MFA), 200);
      expectStatus(await (await login(found.name)).get(`${C}/current-identity`), 200);
      expect(await isFull(found.owner)).to.equal(true);
      await until('the other controller hears of it', () => isFull(found.younger));
    }
  });

  it('is undone also where a code is sent, as stock clients do, whatever code that is', async () => {
    const { owner } = await stolen();
    expectStatus(await owner.delete(MFA, undefined, withCode('000000')), 200);
    expect(await isFull(owner)).to.equal(true);
  });

  it('is not undone by a session that was opened afterwards, with the password alone', async () => {
    const { name, owner, secret } = await stolen();
    const later = await login(name);
    for (const client of [later, two.client(later.token)]) {
      expectUnauthorized(await client.delete(MFA), undefined);
      expectUnauthorized(await client.delete(MFA, undefined, withCode(codeAt(secret, 1))), undefined);
    }
    expectStatus(await later.post(GIVE, { code: codeAt(secret, 1) }), 200);
    refusedCode(await later.delete(MFA));
    expectStatus(await owner.delete(MFA), 200);
  });

  it('stands after a day', async () => {
    const { owner, thief, id } = await stolen();
    await pool.query("UPDATE mfas SET verified_at = now() - interval '24 hours' WHERE identity_id = $1", [id]);
    expectUnauthorized(await owner.delete(MFA), undefined);
    refusedCode(await thief.delete(MFA));
  });

  it('stands where the auth policy asks for one: no session was fully authenticated without', async () => {
    const { owner, thief } = await stolen({ authPolicyId: await newPolicy(true) });
    expectUnauthorized(await owner.delete(MFA), undefined);
    refusedCode(await thief.delete(MFA));
  });

  it('opens nothing else, and only that one factor', async () => {
    const { owner, thief, name, secret, id } = await stolen();
    for (const path of [`${C}/services`, `${MFA}/recovery-codes`]) expectUnauthorized(await owner.get(path), undefined);
    await pool.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [id]);
    expectStatus(await thief.delete(MFA), 200);
    const next = await begin(await login(name));
    expect(next.secret).to.not.equal(secret);
    const fresh = await login(name);
    expectStatus(await fresh.delete(MFA), 200);
  });

  it('is audited when it is set and when it is undone, with the session that did it', async () => {
    const { owner, id } = await stolen();
    expectStatus(await owner.delete(MFA), 200);
    const filter = encodeURIComponent(`entityType = "mfa" and actor.id = "${id}"`);
    const records = itemsOf(expectStatus(await admin.get(`${M}/audit?filter=${filter}`), 200));
    expect(records.map((record) => record['kind'])).to.deep.equal(['mfa.deleted', 'mfa.updated', 'mfa.created']);
  });
});
