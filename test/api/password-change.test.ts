/**
 * A new password ends what was opened before it, on every controller: holders of the old one are out. Two controllers
 * share a database.
 */
import { expect } from 'chai';
import pg from 'pg';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { createCertificateClient } from '../support/certificates.js';
import { enrollByRequest } from '../support/certified.js';
import { unique } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const NEXT = 'pass word 2';
const idOf = (answer: Answer): string => (expectStatus(answer, 201).data as { id: string }).id;

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly authenticatorId: string;
  /** Sessions on both controllers. */
  readonly sessions: readonly [Client, Client];
}

describe('a new password', function passwordChange() {
  this.timeout(120_000);
  let pair: Pair;
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;

  before(async () => {
    pair = await startPair();
    ({ database, one, two, admin } = pair);
  });
  after(() => pair.stop());

  const newSubject = async (): Promise<Subject> => {
    const name = unique('subject');
    const user = await makeUser(admin, name);
    return { ...user, name, sessions: [await one.login(name, PASSWORD), await two.login(name, PASSWORD)] };
  };
  const statusOf = async (client: Client) => (await client.get(`${C}/current-identity`)).status;
  /** The session of `client` as both controllers know it. */
  const onBoth = (client: Client) => [one.client(client.token), two.client(client.token)];
  const expectEnded = async (client: Client) => {
    for (const each of onBoth(client))
      await until('the session is refused', async () => (await statusOf(each)) === 401);
  };
  const expectOpen = async (client: Client) => {
    for (const each of onBoth(client)) expect(await statusOf(each)).to.equal(200);
  };
  const passwordLogin = (username: string, password: string) =>
    one.client().post(`${C}/authenticate?method=password`, { username, password });

  const OWN: readonly (readonly [string, string, (subject: Subject, change: object) => Promise<Answer>])[] = [
    [
      'PUT',
      C,
      ({ name, authenticatorId, sessions: [client] }, change) =>
        client.put(`${C}/current-identity/authenticators/${authenticatorId}`, { username: name, ...change }),
    ],
    [
      'PATCH',
      C,
      ({ authenticatorId, sessions: [client] }, change) =>
        client.patch(`${C}/current-identity/authenticators/${authenticatorId}`, change),
    ],
    [
      'PUT',
      M,
      ({ name, authenticatorId, sessions: [client] }, change) =>
        client.put(`${M}/current-identity/authenticators/${authenticatorId}`, { username: name, ...change }),
    ],
    [
      'PATCH',
      M,
      ({ authenticatorId, sessions: [client] }, change) =>
        client.patch(`${M}/current-identity/authenticators/${authenticatorId}`, change),
    ],
  ];
  for (const [verb, api, change] of OWN) {
    it(`of its own (${verb} ${api}) ends the other sessions of the identity, and those of no other`, async () => {
      const [subject, other] = [await newSubject(), await newSubject()];
      expectStatus(await change(subject, { password: NEXT, currentPassword: PASSWORD }), 200);
      await expectEnded(subject.sessions[1]);
      await expectOpen(subject.sessions[0]);
      for (const client of other.sessions) await expectOpen(client);
      expectStatus(await passwordLogin(subject.name, NEXT), 200);
    });

    it(`of its own (${verb} ${api}) that is refused ends nothing`, async () => {
      const subject = await newSubject();
      expectStatus(await change(subject, { password: NEXT, currentPassword: 'wrong password' }), 401);
      expectStatus(await change(subject, { password: 'a', currentPassword: PASSWORD }), 400);
      for (const client of subject.sessions) await expectOpen(client);
    });
  }

  it('is not what other changes of an authenticator are', async () => {
    const { authenticatorId, sessions } = await newSubject();
    expectStatus(
      await sessions[0].patch(`${C}/current-identity/authenticators/${authenticatorId}`, {
        username: unique('renamed'),
        currentPassword: PASSWORD,
      }),
      200,
    );
    expectStatus(await admin.patch(`${M}/authenticators/${authenticatorId}`, { tags: { a: 1 } }), 200);
    for (const client of sessions) await expectOpen(client);
  });

  const BY_ADMIN: readonly (readonly [string, (subject: Subject) => Promise<Answer>])[] = [
    [
      'PUT',
      ({ name, authenticatorId }) =>
        admin.put(`${M}/authenticators/${authenticatorId}`, { username: name, password: NEXT }),
    ],
    ['PATCH', ({ authenticatorId }) => admin.patch(`${M}/authenticators/${authenticatorId}`, { password: NEXT })],
    [
      're-enroll',
      ({ authenticatorId }) =>
        admin.post(`${M}/authenticators/${authenticatorId}/re-enroll`, {
          expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        }),
    ],
  ];
  for (const [what, change] of BY_ADMIN) {
    it(`by an administrator (${what}) ends every session of the identity, and those of no other`, async () => {
      const [subject, other] = [await newSubject(), await newSubject()];
      // Not opened by the authenticator that changes.
      const { rows } = await database.query(
        `UPDATE api_sessions SET authenticator_id = 'another' WHERE identity_id = '${subject.id}' RETURNING id`,
      );
      expect(rows).to.have.length(2);
      expect((await change(subject)).status).to.be.oneOf([200, 201]);
      for (const client of subject.sessions) await expectEnded(client);
      for (const client of other.sessions) await expectOpen(client);
    });
  }

  it('by an administrator (POST) ends sessions that a certificate opened', async () => {
    const name = unique('subject');
    const id = idOf(await admin.post(`${M}/identities`, { name, type: 'User', isAdmin: false }));
    const { shown } = await enrollByRequest({ admin, anonymous: one.client() }, id);
    const certified = createCertificateClient(one.url, shown);
    const { token } = expectStatus(await certified.post(`${C}/authenticate?method=cert`, {}), 200).data as {
      token: string;
    };
    certified.close();
    await expectOpen(one.client(token));
    const body = { identityId: id, method: 'updb', username: name, password: PASSWORD };
    expectStatus(await admin.post(`${M}/authenticators`, body), 201);
    await expectEnded(one.client(token));
  });

  describe('that is committed meanwhile', () => {
    /** What a request answers while another change of the password is on its way, which is committed before it. */
    const during = async (
      { authenticatorId }: Pick<Subject, 'authenticatorId'>,
      request: () => Promise<Answer>,
    ): Promise<Answer> => {
      const change = new pg.Client(database.connection);
      await change.connect();
      try {
        await change.query('BEGIN');
        await change.query('SELECT FROM authenticators WHERE id = $1 FOR UPDATE', [authenticatorId]);
        await change.query(`UPDATE authenticators SET password_hash = 'changed' WHERE id = $1`, [authenticatorId]);
        const answer = request();
        let isAnswered = false;
        const noted = answer.then(() => {
          isAnswered = true;
        });
        await until(
          'it waits, or is answered',
          async () => {
            const { rows } = await database.query(
              `SELECT count(*)::int AS total FROM pg_locks WHERE NOT granted
                AND locktype IN ('transactionid', 'tuple')`,
            );
            return isAnswered || rows[0]?.['total'] !== 0;
          },
          20_000,
        );
        await change.query('COMMIT');
        await noted;
        return await answer;
      } finally {
        await change.end();
      }
    };

    it('leaves no session to a login with the old one', async () => {
      const subject = await newSubject();
      expectFault(await during(subject, () => passwordLogin(subject.name, PASSWORD)), 403, 'INVALID_AUTH');
    });

    it('is not overwritten by an owner who knew the old one', async () => {
      const subject = await newSubject();
      const path = `${C}/current-identity/authenticators/${subject.authenticatorId}`;
      const answer = await during(subject, () =>
        subject.sessions[0].patch(path, { password: NEXT, currentPassword: PASSWORD }),
      );
      expect(expectFault(answer, 401, 'UNAUTHORIZED').cause).to.include({ field: 'currentPassword' });
      const { rows } = await database.query('SELECT password_hash FROM authenticators WHERE id = $1', [
        subject.authenticatorId,
      ]);
      expect(rows).to.deep.equal([{ password_hash: 'changed' }]);
    });
  });
});
