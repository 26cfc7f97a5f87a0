/**
 * Sessions for services of an API session that is no longer fully authenticated: a router that took their tokens would
 * let in whoever owes a second factor. So they end, on all controllers, and none is opened until all is given.
 */
import { expect } from 'chai';
import { authPolicy } from '../support/auth-policy.js';
import type { PolicyChanges } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { entityOf, idsOf, make } from '../support/entities.js';
import {
  makeEdgeRouterPolicy,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { whileHeld } from '../support/locks.js';
import { until } from '../support/poll.js';
import { bearing, makeSigner, tokenOf } from '../support/tokens.js';
import type { TestSigner } from '../support/tokens.js';
import { beginTotp, codeAt, enrollTotp, verifyTotp } from '../support/totp.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly authPolicyId: string;
}

describe('sessions for services of an API session', function partialLogins() {
  this.timeout(120_000);
  let pair: Pair;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;
  let service: string;

  before(async () => {
    pair = await startPair();
    ({ one, two, admin } = pair);
    service = await makeService(pair);
    await makeRouter(pair);
    const all = ['#all'];
    await makeEdgeRouterPolicy(pair, { identityRoles: all, edgeRouterRoles: all });
    await makeServiceEdgeRouterPolicy(pair, { serviceRoles: all, edgeRouterRoles: all });
    await makeServicePolicy(pair, { identityRoles: all, serviceRoles: all });
  });
  after(() => pair.stop());

  const newSubject = async (changes: PolicyChanges = {}, fields: object = {}): Promise<Subject> => {
    const authPolicyId = await make(pair, 'auth-policies', authPolicy(changes));
    const name = unique('subject');
    const { id } = await makeUser(admin, name, { authPolicyId, ...fields });
    return { id, name, authPolicyId };
  };
  const login = ({ name }: Subject, controller = one) => controller.login(name, PASSWORD);
  const open = async (client: Client): Promise<string> =>
    entityOf(expectStatus(await client.post(`${C}/sessions`, { serviceId: service }), 201)).id;
  const isRow = async (id: string) =>
    (await pair.database.query('SELECT FROM sessions WHERE id = $1', [id])).rows.length === 1;
  /** Without anybody who asks for it: what only an answer leaves out, a router would still take. */
  const expectGone = async (id: string) => {
    await until('its row is gone', async () => !(await isRow(id)));
    expectStatus(await admin.get(`${M}/sessions/${id}`), 404);
    expect(idsOf(await admin.get(`${M}/sessions?limit=500`))).not.to.include(id);
  };
  const expectKept = async (id: string, client: Client) => {
    expectStatus(await admin.get(`${M}/sessions/${id}`), 200);
    expect(idsOf(expectStatus(await client.get(`${C}/sessions`), 200))).to.include(id);
    expect(await isRow(id)).to.equal(true);
  };
  const expectRefused = async (client: Client) =>
    expectStatus(await client.post(`${C}/sessions`, { serviceId: service }), 401);
  const changePolicy = async ({ authPolicyId }: Subject, body: object) =>
    expectStatus(await admin.patch(`${M}/auth-policies/${authPolicyId}`, body), 200);

  it('end when the identity verifies a second factor elsewhere, and go on where it was given', async () => {
    const subject = await newSubject();
    const [giving, owing] = [await login(subject), await login(subject, two)];
    const [kept, lost] = [await open(giving), await open(owing)];
    const { secret } = await beginTotp(giving);
    await expectKept(lost, owing);
    await verifyTotp(giving, secret);
    await expectGone(lost);
    await expectKept(kept, giving);
    await expectRefused(one.client(owing.token));
    await pair.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [subject.id]);
    expectStatus(await owing.post(`${C}/authenticate/mfa`, { code: codeAt(secret) }), 200);
    expect(await open(owing)).not.to.equal(lost);
  });

  it('end when a policy begins to ask for a second factor, and are opened again after it was given', async () => {
    const [subject, other] = [await newSubject(), await newSubject()];
    const [client, elsewhere] = [await login(subject), await login(other)];
    const [lost, kept] = [await open(client), await open(elsewhere)];
    await changePolicy(subject, { secondary: { requireTotp: true } });
    await expectGone(lost);
    await expectKept(kept, elsewhere);
    await expectRefused(client);
    await enrollTotp(client);
    const again = await open(client);
    expect(again).not.to.equal(lost);
    await expectKept(again, client);
    await changePolicy(subject, { name: unique('policy'), secondary: { requireTotp: false } });
    await expectKept(again, client);
  });

  it('end when the identity gets a policy that asks for one', async () => {
    const [subject, strict] = [await newSubject(), await newSubject({ secondary: { requireTotp: true } })];
    const client = await login(subject);
    const lost = await open(client);
    const body = { authPolicyId: strict.authPolicyId };
    expectStatus(await admin.patch(`${M}/identities/${subject.id}`, body), 200);
    await expectGone(lost);
    await expectRefused(client);
  });

  it('end when the code that was given is worth nothing any more', async () => {
    const [bound, free] = [await newSubject({ secondary: { requireTotp: true } }), await newSubject()];
    const clients = [await login(bound), await login(free)] as const;
    for (const client of clients) await enrollTotp(client);
    const [lost, kept] = [await open(clients[0]), await open(clients[1])];
    for (const { id } of [bound, free]) expectStatus(await admin.delete(`${M}/identities/${id}/mfa`), 200);
    await expectGone(lost);
    await expectKept(kept, clients[1]);
  });

  it('end when the policy forbids the way in which it was made', async () => {
    const subject = await newSubject();
    const lost = await open(await login(subject));
    await changePolicy(subject, { primary: { updb: { allowed: false } } });
    await expectGone(lost);
  });

  describe('made by a token', () => {
    const loginBy = async (signer: TestSigner, sub: string) => {
      const path = `${C}/authenticate?method=ext-jwt`;
      const answer = await one.client().post(path, {}, bearing(await tokenOf(signer, sub)));
      return one.client(entityOf(expectStatus(answer, 200))['token'] as string);
    };

    it('end when its signer is disabled', async () => {
      const [by, subject] = [await makeSigner(admin), await newSubject()];
      const lost = await open(await loginBy(by, subject.id));
      expectStatus(await admin.patch(`${M}/external-jwt-signers/${by.id}`, { enabled: false }), 200);
      await expectGone(lost);
    });

    it('end when the policy allows other signers only', async () => {
      const [by, other, subject] = [await makeSigner(admin), await makeSigner(admin), await newSubject()];
      const client = await loginBy(by, subject.id);
      const session = await open(client);
      const allow = (...allowedSigners: string[]) => changePolicy(subject, { primary: { extJwt: { allowedSigners } } });
      await allow(by.id, other.id);
      await expectKept(session, client);
      await allow(other.id);
      await expectGone(session);
    });
  });

  it('end when a policy begins to require a token, and when the identity gets such a policy', async () => {
    const signer = await makeSigner(admin);
    const [subject, moved, other] = [await newSubject(), await newSubject(), await newSubject()];
    const clients = [await login(subject), await login(moved), await login(other)] as const;
    const [first, second, kept] = [await open(clients[0]), await open(clients[1]), await open(clients[2])];
    await changePolicy(subject, { secondary: { requireExtJwtSigner: signer.id } });
    await expectGone(first);
    const strict = { authPolicyId: subject.authPolicyId };
    expectStatus(await admin.patch(`${M}/identities/${moved.id}`, strict), 200);
    await expectGone(second);
    await expectKept(kept, clients[2]);
    await expectRefused(clients[0]);
    const token = bearing(await tokenOf(signer, subject.id));
    expectStatus(await clients[0].post(`${C}/sessions`, { serviceId: service }, token), 201);
  });

  it('are not opened by a request that a second factor overtakes', async () => {
    const subject = await newSubject();
    const [giving, owing] = [await login(subject), await login(subject)];
    await beginTotp(giving);
    const [answer] = await whileHeld(
      pair.database,
      ['UPDATE mfas SET is_verified = true WHERE identity_id = $1', subject.id],
      () => owing.post(`${C}/sessions`, { serviceId: service }),
    );
    expect(answer?.status).to.be.oneOf([401, 404]);
    const { rows } = await pair.database.query('SELECT id FROM sessions WHERE identity_id = $1', [subject.id]);
    expect(rows).to.deep.equal([]);
  });
});
