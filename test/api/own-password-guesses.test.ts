/**
 * A password that is guessed where owners change their own counts like one at a login. Two controllers share a
 * database, so that nothing of this may be in the memory of one.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { entityOf, itemsOf, make } from '../support/entities.js';
import { expectFault, expectLoginRefused } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { authPolicy } from '../support/auth-policy.js';
import { whileHeld } from '../support/locks.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const NEXT = 'pass word 2';
const GUESSES = 49;

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly authenticatorId: string;
  /** One session, as each controller knows it. */
  readonly clients: readonly [Client, Client];
}

describe('guesses at the own password', function ownGuesses() {
  this.timeout(120_000);
  let pair: Pair;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;

  before(async () => {
    pair = await startPair();
    ({ one, two, admin } = pair);
  });
  after(() => pair.stop());

  const newSubject = async (rules: object): Promise<Subject> => {
    const authPolicyId = await make(pair, 'auth-policies', authPolicy({ updb: rules }));
    const name = unique('subject');
    const { id, authenticatorId } = await makeUser(admin, name, { authPolicyId });
    const { token } = await one.login(name, PASSWORD);
    return { id, name, authenticatorId, clients: [one.client(token), two.client(token)] };
  };
  const guess = (
    { authenticatorId, name }: Subject,
    client: Client,
    currentPassword: string,
    [verb, api]: readonly ['PUT' | 'PATCH', string] = ['PATCH', C],
  ): Promise<Answer> =>
    client.send(verb, `${api}/current-identity/authenticators/${authenticatorId}`, {
      username: name,
      password: NEXT,
      currentPassword,
    });
  const login = (name: string, password: string, controller = one) =>
    controller.client().post(`${C}/authenticate?method=password`, { username: name, password });
  /** Also of a session that ended: whoever guesses is told no more than that. */
  const expectRefused = (answer: Answer) => expectFault(answer, 401, 'UNAUTHORIZED');
  const expectWrong = (answer: Answer) => {
    const { cause } = expectRefused(answer);
    expect(cause).to.deep.equal({ field: 'currentPassword', reason: 'invalid current password', value: '' });
  };
  const identity = async (id: string) => entityOf(expectStatus(await admin.get(`${M}/identities/${id}`), 200));
  const failures = async ({ authenticatorId }: Subject) => {
    const sql = 'SELECT failed_attempts FROM authenticators WHERE id = $1';
    return (await pair.database.query(sql, [authenticatorId])).rows[0]?.['failed_attempts'];
  };
  const expectLocked = async ({ id, name }: Subject) => {
    expect(await identity(id)).to.include({ disabled: true });
    for (const controller of [one, two])
      for (const password of [PASSWORD, NEXT]) expectLoginRefused(await login(name, password, controller));
  };

  for (const way of [
    ['PUT', C],
    ['PATCH', C],
    ['PUT', M],
    ['PATCH', M],
  ] as const) {
    it(`lock the identity at the last allowed one (${way.join(' ')})`, async () => {
      const subject = await newSubject({ maxAttempts: 2 });
      const [first, second] = subject.clients;
      expectWrong(await guess(subject, first, 'wrong-1', way));
      expect(await identity(subject.id)).to.include({ disabled: false });
      expectWrong(await guess(subject, second, 'wrong-2', way));
      await expectLocked(subject);
      for (const client of subject.clients) expectRefused(await guess(subject, client, PASSWORD, way));
      expectStatus(await admin.post(`${M}/identities/${subject.id}/enable`), 200);
      expectStatus(await login(subject.name, PASSWORD), 200);
    });
  }

  it('in parallel on two controllers learn nothing beyond the allowed ones', async () => {
    const subject = await newSubject({ maxAttempts: 3 });
    const answers = await Promise.all(
      Array.from({ length: GUESSES }, (_, index) =>
        guess(subject, subject.clients[index % 2 === 0 ? 0 : 1], `wrong-${index}`),
      ),
    );
    answers.forEach(expectRefused);
    expect(await failures(subject), 'counting began again with the lockout, and none was counted after it').to.equal(0);
    await expectLocked(subject);
  });

  it('count together with those at logins', async () => {
    const subject = await newSubject({ maxAttempts: 3 });
    expectWrong(await guess(subject, subject.clients[0], 'wrong-1'));
    expectLoginRefused(await login(subject.name, 'wrong-2', two));
    expectWrong(await guess(subject, subject.clients[1], 'wrong-3'));
    await expectLocked(subject);
    const other = await newSubject({ maxAttempts: 2 });
    expectWrong(await guess(other, other.clients[0], 'wrong-1'));
    expectLoginRefused(await login(other.name, 'wrong-2', two));
    await expectLocked(other);
  });

  it('begin again after a right one, here or at a login', async () => {
    const subject = await newSubject({ maxAttempts: 2 });
    const path = `${C}/current-identity/authenticators/${subject.authenticatorId}`;
    const [client] = subject.clients;
    for (const again of [
      () => client.patch(path, { tags: { seen: true }, currentPassword: PASSWORD }),
      () => login(subject.name, PASSWORD),
    ]) {
      expectWrong(await guess(subject, client, 'wrong'));
      expectStatus(await again(), 200);
      expectWrong(await guess(subject, client, 'wrong'));
      expectStatus(await again(), 200);
    }
    expect(await identity(subject.id)).to.include({ disabled: false });
  });

  it('disable for as long as the policy says', async () => {
    const subject = await newSubject({ maxAttempts: 1, lockoutDurationMinutes: 7 });
    expectWrong(await guess(subject, subject.clients[0], 'wrong'));
    const { disabledAt, disabledUntil } = await identity(subject.id);
    expect(Date.parse(disabledUntil as string) - Date.parse(disabledAt as string)).to.equal(7 * 60_000);
  });

  it('are refused in the same words, the right one too, when the identity is disabled while they wait', async () => {
    const subject = await newSubject({ maxAttempts: 5 });
    const answers = await whileHeld(
      pair.database,
      ['UPDATE identities SET disabled_at = now() WHERE id = $1', subject.id],
      () => guess(subject, subject.clients[0], PASSWORD),
      () => guess(subject, subject.clients[1], 'wrong'),
    );
    answers.forEach(expectWrong);
    expect(await failures(subject), 'guesses at what is locked are not counted').to.equal(0);
    await expectLocked(subject);
  });

  it('come to an end at logins too: a right one that comes after the last wrong one is refused', async () => {
    const subject = await newSubject({ maxAttempts: 3 });
    const wrong = [0, 1, 2].map((n) => () => login(subject.name, `wrong-${n}`, n === 1 ? two : one));
    const answers = await whileHeld(
      pair.database,
      ['SELECT FROM identities WHERE id = $1 FOR UPDATE', subject.id],
      ...wrong,
      () => login(subject.name, PASSWORD, two),
    );
    answers.forEach((answer) => {
      expectLoginRefused(answer);
    });
    await expectLocked(subject);
  });

  it('lock out neither the default administrator nor the last one', async () => {
    const authPolicyId = await make(pair, 'auth-policies', authPolicy({ updb: { maxAttempts: 2 } }));
    const own = entityOf(expectStatus(await admin.get(`${M}/current-identity`), 200));
    const [authenticator] = itemsOf(expectStatus(await admin.get(`${M}/current-identity/authenticators`), 200));
    expectStatus(await admin.patch(`${M}/identities/${own.id}`, { authPolicyId }), 200);
    const path = `${M}/current-identity/authenticators/${authenticator?.id}`;
    for (let n = 0; n < 5; n += 1)
      expectWrong(await admin.patch(path, { password: NEXT, currentPassword: `wrong-${n}` }));
    expectStatus(await admin.get(`${M}/identities`), 200);
    expectStatus(await admin.patch(path, { tags: { seen: true }, currentPassword: ADMIN.password }), 200);
  });

  it('are unlimited where the policy bounds nothing', async () => {
    const subject = await newSubject({ maxAttempts: 0 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => guess(subject, subject.clients[index % 2 === 0 ? 0 : 1], 'wrong')),
    );
    answers.forEach(expectWrong);
    expectStatus(await guess(subject, subject.clients[0], PASSWORD), 200);
  });
});
