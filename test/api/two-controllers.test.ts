/**
 * What is decided on one of two controllers holds on the other: lockouts, auth policies, permissions. Second factors
 * are in second-factor.test.ts, guesses at the own password in own-password-guesses.test.ts.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { authPolicy } from '../support/auth-policy.js';
import type { PolicyChanges } from '../support/auth-policy.js';
import { entityOf, make } from '../support/entities.js';
import { expectLoginRefused } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly authPolicyId: string;
  /** One session, as each controller knows it. */
  readonly clients: readonly [Client, Client];
}

describe('two controllers on one database', function twoControllers() {
  this.timeout(120_000);
  let pair: Pair;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;
  /** The same administrator at the second one. */
  let adminAtTwo: Client;

  before(async () => {
    pair = await startPair();
    ({ one, two, admin } = pair);
    adminAtTwo = await two.login();
  });
  after(() => pair.stop());

  const newSubject = async (changes: PolicyChanges = {}, fields: object = {}): Promise<Subject> => {
    const authPolicyId = await make(pair, 'auth-policies', authPolicy(changes));
    const name = unique('subject');
    const { id } = await makeUser(admin, name, { authPolicyId, ...fields });
    const { token } = await one.login(name, PASSWORD);
    return { id, name, authPolicyId, clients: [one.client(token), two.client(token)] };
  };
  const login = (controller: LoggedController, username: string, password = PASSWORD): Promise<Answer> =>
    controller.client().post(`${C}/authenticate?method=password`, { username, password });
  const statusOf = async (client: Client, path = `${C}/current-identity`) => (await client.get(path)).status;
  const isDisabled = async (id: string) => entityOf(expectStatus(await admin.get(`${M}/identities/${id}`), 200));
  const expectEnded = async ({ clients }: Subject) => {
    for (const client of clients) await until('the session is refused', async () => (await statusOf(client)) === 401);
  };
  const expectOpen = async ({ clients }: Subject) => {
    for (const client of clients) expect(await statusOf(client)).to.equal(200);
  };

  describe('lock an identity out', () => {
    it('at the last allowed attempt, whichever they came to, and end its sessions on both', async () => {
      const subject = await newSubject({ updb: { maxAttempts: 4 } });
      await expectOpen(subject);
      for (const controller of [one, two, two]) expectLoginRefused(await login(controller, subject.name, 'wrong'));
      expect(await isDisabled(subject.id)).to.include({ disabled: false });
      await expectOpen(subject);
      expectLoginRefused(await login(one, subject.name, 'wrong'));
      expect(await isDisabled(subject.id)).to.include({ disabled: true });
      for (const controller of [one, two]) expectLoginRefused(await login(controller, subject.name));
      await expectEnded(subject);
    });

    it('however many guesses reach both at once, and no right one gets in after them', async () => {
      const subject = await newSubject({ updb: { maxAttempts: 3 } });
      const answers = await Promise.all(
        Array.from({ length: 49 }, (_, index) => login(index % 2 === 0 ? one : two, subject.name, `wrong-${index}`)),
      );
      answers.forEach(expectLoginRefused);
      for (const controller of [one, two]) expectLoginRefused(await login(controller, subject.name));
      await expectEnded(subject);
    });

    it('not when a right password at one of them came in between', async () => {
      const subject = await newSubject({ updb: { maxAttempts: 2 } });
      for (const [wrong, right] of [
        [one, two],
        [two, one],
        [one, one],
      ] as const) {
        expectLoginRefused(await login(wrong, subject.name, 'wrong'));
        expectStatus(await login(right, subject.name), 200);
      }
      expect(await isDisabled(subject.id)).to.include({ disabled: false });
    });

    it('until either of them enables it', async () => {
      const subject = await newSubject({ updb: { maxAttempts: 1 } });
      expectLoginRefused(await login(one, subject.name, 'wrong'));
      expectLoginRefused(await login(two, subject.name));
      expectStatus(await adminAtTwo.post(`${M}/identities/${subject.id}/enable`), 200);
      for (const controller of [one, two]) expectStatus(await login(controller, subject.name), 200);
    });

    it('for a time that ends on both', async () => {
      const subject = await newSubject({ updb: { maxAttempts: 1, lockoutDurationMinutes: 5 } });
      expectLoginRefused(await login(one, subject.name, 'wrong'));
      for (const controller of [one, two]) expectLoginRefused(await login(controller, subject.name));
      const sql = "UPDATE identities SET disabled_until = now() - interval '1 second' WHERE id = $1";
      await pair.database.query(sql, [subject.id]);
      for (const controller of [one, two]) expectStatus(await login(controller, subject.name), 200);
    });
  });

  describe('obey an auth policy that was changed on the other', () => {
    const change = async ({ authPolicyId }: Subject, body: object) =>
      expectStatus(await admin.patch(`${M}/auth-policies/${authPolicyId}`, body), 200);

    it('that forbids the method: no login from then on, and sessions made by it end', async () => {
      const subject = await newSubject();
      await expectOpen(subject);
      await change(subject, { primary: { updb: { allowed: false } } });
      for (const controller of [two, one]) expectLoginRefused(await login(controller, subject.name));
      expect(await statusOf(subject.clients[0]), 'where it was changed, the next request').to.equal(401);
      await expectEnded(subject);
    });

    it('that asks for TOTP: logins and open sessions owe it', async () => {
      const subject = await newSubject();
      await expectOpen(subject);
      await change(subject, { secondary: { requireTotp: true } });
      for (const controller of [two, one]) {
        const session = entityOf(expectStatus(await login(controller, subject.name), 200));
        expect(session['authQueries']).to.have.length(1);
        expect(await statusOf(controller.client(session['token'] as string))).to.equal(401);
      }
      await expectEnded(subject);
      expect(await statusOf(subject.clients[1], `${C}/current-api-session`), 'it is partial, not gone').to.equal(200);
      await change(subject, { secondary: { requireTotp: false } });
      for (const client of subject.clients)
        await until('it is full again', async () => (await statusOf(client)) === 200);
    });

    it('that lets fewer attempts pass', async () => {
      const subject = await newSubject({ updb: { maxAttempts: 10 } });
      expectLoginRefused(await login(two, subject.name, 'wrong'));
      await change(subject, { primary: { updb: { maxAttempts: 2 } } });
      expectLoginRefused(await login(two, subject.name, 'wrong'));
      expectLoginRefused(await login(one, subject.name));
      expect(await isDisabled(subject.id)).to.include({ disabled: true });
    });

    it('that sets rules for passwords: from the next change on', async () => {
      const subject = await newSubject();
      const [authenticator] = expectStatus(await subject.clients[1].get(`${C}/current-identity/authenticators`), 200)
        .data as { id: string }[];
      const path = `${C}/current-identity/authenticators/${authenticator?.id}`;
      const body = { password: 'letters only', currentPassword: PASSWORD };
      await change(subject, { primary: { updb: { requireNumberChar: true } } });
      expectStatus(await subject.clients[1].patch(path, body), 400);
      await change(subject, { primary: { updb: { requireNumberChar: false } } });
      expectStatus(await subject.clients[1].patch(path, body), 200);
    });

    it('or another policy that the identity got', async () => {
      const subject = await newSubject();
      const strict = await make(pair, 'auth-policies', authPolicy({ updb: { allowed: false } }));
      await expectOpen(subject);
      expectStatus(await admin.patch(`${M}/identities/${subject.id}`, { authPolicyId: strict }), 200);
      expectLoginRefused(await login(two, subject.name));
      await expectEnded(subject);
    });
  });

  describe('know what a delegate may', () => {
    const grant = async ({ id }: Subject, permissions: readonly string[]) =>
      expectStatus(await admin.patch(`${M}/identities/${id}`, { permissions }), 200);
    const may = (client: Client, path: string) => async () => (await statusOf(client, `${M}/${path}`)) === 200;

    it('when a permission is given, and when it is taken away', async () => {
      const subject = await newSubject({}, { permissions: ['service.read'] });
      const [here, there] = subject.clients;
      for (const client of [here, there]) {
        expect(await may(client, 'services')()).to.equal(true);
        expect(await may(client, 'identities')()).to.equal(false);
      }
      await grant(subject, ['identity.read']);
      expect(await may(here, 'services')(), 'where it was taken, the next request').to.equal(false);
      await until('it is taken there', async () => !(await may(there, 'services')()));
      await until('another is given there', may(there, 'identities'));
      await grant(subject, []);
      expect(await may(here, 'identities')()).to.equal(false);
      await until('nothing is left there', async () => !(await may(there, 'identities')()));
      await expectOpen(subject);
    });

    it('when it stops to be an administrator', async () => {
      const subject = await newSubject({}, { isAdmin: true });
      const [here, there] = subject.clients;
      expect(await may(there, 'summary')()).to.equal(true);
      expectStatus(await admin.patch(`${M}/identities/${subject.id}`, { isAdmin: false }), 200);
      expect(await may(here, 'summary')()).to.equal(false);
      await until('it is none there', async () => !(await may(there, 'summary')()));
    });

    it('not while its session owes a second factor', async () => {
      const subject = await newSubject({}, { permissions: ['service'] });
      const [, there] = subject.clients;
      expect(await may(there, 'services')()).to.equal(true);
      const ask = { secondary: { requireTotp: true } };
      expectStatus(await admin.patch(`${M}/auth-policies/${subject.authPolicyId}`, ask), 200);
      await until('it may nothing there', async () => !(await may(there, 'services')()));
      expectStatus(await there.post(`${M}/services`, { name: unique('service'), encryptionRequired: true }), 401);
    });
  });
});
