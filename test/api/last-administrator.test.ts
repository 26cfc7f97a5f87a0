/**
 * No request leaves the network without an administrator who is enabled and can log in, whatever it removes, and
 * however many requests arrive at the same time on several controllers.
 */
import { expect } from 'chai';
import { createClient, expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { makeLeaf } from '../support/certificates.js';
import { newVerifiedCa } from '../support/certified.js';
import { ADMIN, unique } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { amount } from '../support/unless.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const PASSWORD = 'pass word 1';
const DAY = 24 * 3_600_000;
const idOf = (answer: Answer): string => (expectStatus(answer, 201).data as { id: string }).id;

/** An identity that is an administrator, and the one authenticator it has. */
interface Administrator {
  readonly id: string;
  readonly name: string;
  readonly authenticatorId: string;
}

describe('the last administrator', function lastAdministrator() {
  this.timeout(300_000);
  let pair: Pair;
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  /** A session of the default administrator, who cannot log in any more unless a test gives it back its password. */
  let admin: Client;
  let defaultId: string;

  before(async () => {
    pair = await startPair();
    ({ database, one, two, admin } = pair);
    const { rows } = await database.query('SELECT id FROM identities WHERE is_default_admin');
    defaultId = String(rows[0]?.['id']);
  });
  after(() => pair.stop());

  const authenticator = (identityId: string, username: string) =>
    admin.post(`${M}/authenticators`, { identityId, method: 'updb', username, password: PASSWORD });
  const identity = async (isAdmin = true) => {
    const name = unique('administrator');
    return { id: idOf(await admin.post(`${M}/identities`, { name, type: 'User', isAdmin })), name };
  };
  const administrator = async (): Promise<Administrator> => {
    const made = await identity();
    return { ...made, authenticatorId: idOf(await authenticator(made.id, made.name)) };
  };
  const isAdministrator = (change: { isAdmin: boolean }, { name }: Pick<Administrator, 'name'>) => ({
    name,
    type: 'User',
    ...change,
  });

  /**
   * Only these can log in: the default administrator has no certificate and may use no password, all others are no
   * administrators. Its open session counts as made with a certificate, so that it does not end.
   */
  const only = async (...kept: readonly Pick<Administrator, 'id'>[]) => {
    const ids = kept.map(({ id }) => id);
    await database.query(
      `UPDATE identities SET is_admin = false WHERE NOT is_default_admin AND id <> ALL ('{${ids.join()}}')`,
    );
    await database.query(`UPDATE api_sessions SET method = 'cert' WHERE identity_id = '${defaultId}'`);
    await database.query(`UPDATE identities SET auth_policy_id = 'none' WHERE is_default_admin`);
  };
  before(async () => {
    await database.query(`INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed,
      updb_allowed, updb_min_password_length, updb_require_mixed_case, updb_require_number_char,
      updb_require_special_char, updb_max_attempts,
      updb_lockout_minutes, require_totp)
      VALUES ('none', 'none', true, false, true, false, 5, false, false, false, 0, 0, false),
        ('fresh', 'fresh', true, false, true, true, 5, false, false, false, 0, 0, false),
        ('strict', 'strict', true, true, true, true, 5, false, false, false, 2, 0, false)`);
  });

  /** Refused with a sentence that says why, and what to do. */
  const expectKept = (answer: Answer, code: string) => {
    const error = expectFault(answer, 400, code);
    expect(error.cause?.['message']).to.match(/no other administrator .* can log in.*: (enable|give)/);
  };
  const canStillWork = async (who: Administrator) => {
    const client = await one.login(who.name, PASSWORD);
    expectStatus(await client.get(`${M}/identities/${who.id}`), 200);
  };

  const TAKEN: readonly (readonly [string, string, (who: Administrator) => Promise<Answer>])[] = [
    [
      'is not disabled',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ id }) => admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 0 }),
    ],
    [
      'is not disabled for a time',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ id }) => admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 1 }),
    ],
    ['is not deleted', 'ENTITY_CAN_NOT_BE_DELETED', ({ id }) => admin.delete(`${M}/identities/${id}`)],
    [
      'stays an administrator after a PATCH',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ id }) => admin.patch(`${M}/identities/${id}`, { isAdmin: false }),
    ],
    [
      'stays an administrator after a PATCH of more than that',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ id }) => admin.patch(`${M}/identities/${id}`, { isAdmin: false, name: unique('renamed') }),
    ],
    [
      'stays an administrator after a PUT',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ id, name }) => admin.put(`${M}/identities/${id}`, isAdministrator({ isAdmin: false }, { name })),
    ],
    [
      'gets no auth policy that refuses its password',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ id }) => admin.patch(`${M}/identities/${id}`, { authPolicyId: 'none' }),
    ],
    [
      'keeps its authenticator',
      'ENTITY_CAN_NOT_BE_DELETED',
      ({ authenticatorId }) => admin.delete(`${M}/authenticators/${authenticatorId}`),
    ],
    [
      'keeps its authenticator when it shall enroll again',
      'ENTITY_CAN_NOT_BE_UPDATED',
      ({ authenticatorId }) =>
        admin.post(`${M}/authenticators/${authenticatorId}/re-enroll`, {
          expiresAt: new Date(Date.now() + DAY).toISOString(),
        }),
    ],
  ];
  for (const [what, code, take] of TAKEN) {
    it(what, async () => {
      const last = await administrator();
      await only(last);
      expectKept(await take(last), code);
      await canStillWork(last);
    });

    it(`${what}: with another one it is done`, async () => {
      const [first, other] = [await administrator(), await administrator()];
      await only(first, other);
      expect((await take(first)).status, what).to.be.oneOf([200, 201]);
      await canStillWork(other);
    });
  }

  it('is refused also on its own request', async () => {
    const last = await administrator();
    await only(last);
    const own = await two.login(last.name, PASSWORD);
    expectKept(
      await own.post(`${M}/identities/${last.id}/disable`, { durationMinutes: 0 }),
      'ENTITY_CAN_NOT_BE_UPDATED',
    );
    expectStatus(await own.get(`${M}/identities/${last.id}`), 200);
  });

  it('may be changed in all other ways', async () => {
    const last = await administrator();
    await only(last);
    expectStatus(await admin.patch(`${M}/identities/${last.id}`, { isAdmin: true, tags: { a: 1 } }), 200);
    expectStatus(await admin.put(`${M}/identities/${last.id}`, isAdministrator({ isAdmin: true }, last)), 200);
    expectStatus(await admin.patch(`${M}/authenticators/${last.authenticatorId}`, { password: PASSWORD }), 200);
    await canStillWork(last);
  });

  it('holds up nobody who is no administrator', async () => {
    const last = await administrator();
    await only(last);
    const { id, name } = await identity(false);
    const authenticatorId = idOf(await authenticator(id, name));
    expectStatus(await admin.delete(`${M}/authenticators/${authenticatorId}`), 200);
    expectStatus(await admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 0 }), 200);
    expectStatus(await admin.delete(`${M}/identities/${id}`), 200);
  });

  describe('cannot count on another one', () => {
    let last: Administrator;
    beforeEach(async () => {
      last = await administrator();
    });
    const disable = () => admin.post(`${M}/identities/${last.id}/disable`, { durationMinutes: 0 });
    const expectLast = async (...others: readonly Pick<Administrator, 'id'>[]) => {
      await only(last, ...others);
      expectKept(await disable(), 'ENTITY_CAN_NOT_BE_UPDATED');
    };

    it('who has no authenticator', async () => {
      await expectLast(await identity());
    });

    it('who is disabled, for good or for a time', async () => {
      const [forGood, forATime] = [await administrator(), await administrator()];
      await only(last, forGood, forATime);
      expectStatus(await admin.post(`${M}/identities/${forGood.id}/disable`, { durationMinutes: 0 }), 200);
      expectStatus(await admin.post(`${M}/identities/${forATime.id}/disable`, { durationMinutes: 1 }), 200);
      await expectLast(forGood, forATime);
    });

    it('whose certificate has expired, when its auth policy wants it valid', async () => {
      const other = await certified();
      await only(last, other);
      await database.query(`UPDATE identities SET auth_policy_id = 'fresh' WHERE id = '${other.id}'`);
      const expired = makeLeaf(other.ca, {
        notBefore: new Date(Date.now() - 2 * DAY),
        notAfter: new Date(Date.now() - DAY),
      });
      await database.query(`UPDATE authenticators SET cert_pem = '${expired.pem}' WHERE identity_id = '${other.id}'`);
      await expectLast(other);
    });

    it('whose CA may log nobody in', async () => {
      const other = await certified();
      await only(last, other);
      expectStatus(await admin.patch(`${M}/cas/${other.caId}`, { isAuthEnabled: false }), 200);
      await expectLast(other);
    });
  });

  /** An administrator whose only authenticator is a certificate of a registered CA. */
  const certified = async () => {
    const { id: caId, ca } = await newVerifiedCa({ admin });
    const { id, name } = await identity();
    const leaf = makeLeaf(ca);
    const authenticatorId = idOf(
      await admin.post(`${M}/authenticators`, { identityId: id, method: 'cert', certPem: leaf.pem }),
    );
    return { id, name, authenticatorId, caId, ca };
  };

  describe('who logs in with a certificate', () => {
    const CHANGES: readonly (readonly [string, string, (caId: string) => Promise<Answer>])[] = [
      ['keeps its CA', 'ENTITY_CAN_NOT_BE_DELETED', (caId) => admin.delete(`${M}/cas/${caId}`)],
      [
        'keeps the logins of its CA',
        'ENTITY_CAN_NOT_BE_UPDATED',
        (caId) => admin.patch(`${M}/cas/${caId}`, { isAuthEnabled: false }),
      ],
      [
        'keeps the logins of its CA after a PUT',
        'ENTITY_CAN_NOT_BE_UPDATED',
        (caId) =>
          admin.put(`${M}/cas/${caId}`, {
            name: unique('ca'),
            isAuthEnabled: false,
            isAutoCaEnrollmentEnabled: true,
            isOttCaEnrollmentEnabled: true,
            identityRoles: [],
            identityNameFormat: '',
          }),
      ],
      [
        'is not renamed by a claim of its CA',
        'ENTITY_CAN_NOT_BE_UPDATED',
        (caId) =>
          admin.patch(`${M}/cas/${caId}`, {
            externalIdClaim: {
              location: 'COMMON_NAME',
              matcher: 'ALL',
              matcherCriteria: '',
              parser: 'NONE',
              parserCriteria: '',
              index: 0,
            },
          }),
      ],
    ];
    for (const [what, code, change] of CHANGES) {
      it(what, async () => {
        const last = await certified();
        await only(last);
        expectKept(await change(last.caId), code);
        const other = await administrator();
        await only(last, other);
        expectStatus(await change(last.caId), 200);
      });
    }
  });

  describe('the default administrator', () => {
    beforeEach(async () => {
      await database.query(`UPDATE identities SET auth_policy_id = 'default' WHERE is_default_admin`);
    });
    const expectFixed = (answer: Answer) => {
      const error = expectFault(answer, 400, 'ENTITY_CAN_NOT_BE_UPDATED');
      expect(error.cause?.['message']).to.match(/default administrator is never disabled or demoted/);
    };

    it('is never disabled or demoted, whoever else there is', async () => {
      const other = await administrator();
      const client = await one.login(other.name, PASSWORD);
      for (const durationMinutes of [0, 1])
        expectFixed(await client.post(`${M}/identities/${defaultId}/disable`, { durationMinutes }));
      expectFixed(await client.patch(`${M}/identities/${defaultId}`, { isAdmin: false }));
      const { name } = expectStatus(await client.get(`${M}/identities/${defaultId}`), 200).data as { name: string };
      expectFixed(await client.put(`${M}/identities/${defaultId}`, isAdministrator({ isAdmin: false }, { name })));
      expect(expectStatus(await client.get(`${M}/identities/${defaultId}`), 200).data).to.include({
        isAdmin: true,
        disabled: false,
      });
      expectStatus(await admin.get(`${C}/current-identity`), 200);
    });

    it('is not disabled by wrong passwords, nor is the last one', async () => {
      const last = await administrator();
      await database.query(
        `UPDATE identities SET auth_policy_id = 'strict' WHERE is_default_admin OR id = '${last.id}'`,
      );
      const guess = async (username: string) => {
        for (let attempt = 0; attempt < 5; attempt += 1) {
          const body = { username, password: 'wrong password' };
          expectFault(await one.client().post(`${C}/authenticate?method=password`, body), 403, 'INVALID_AUTH');
        }
      };
      await guess(ADMIN.username);
      await one.login();
      await only(last);
      await guess(last.name);
      await canStillWork(last);
    });

    it('may lose its authenticator to another administrator alone', async () => {
      const { rows } = await database.query(`SELECT id FROM authenticators WHERE identity_id = '${defaultId}'`);
      const path = `${M}/authenticators/${String(rows[0]?.['id'])}`;
      await database.query('UPDATE identities SET is_admin = false WHERE NOT is_default_admin');
      expectKept(await admin.delete(path), 'ENTITY_CAN_NOT_BE_DELETED');
      const other = await administrator();
      const client = await one.login(other.name, PASSWORD);
      expectStatus(await client.delete(path), 200);
      expectStatus(
        await client.post(`${M}/authenticators`, {
          identityId: defaultId,
          method: 'updb',
          username: ADMIN.username,
          password: ADMIN.password,
        }),
        201,
      );
      admin = await one.login();
    });
  });

  describe('is one of two who take the other away at the same moment on two controllers', () => {
    const ROUNDS = amount(4, 8);
    const MUTUAL: readonly (readonly [string, (client: Client, other: Administrator) => Promise<Answer>])[] = [
      ['disabling', (client, { id }) => client.post(`${M}/identities/${id}/disable`, { durationMinutes: 0 })],
      ['demoting', (client, { id }) => client.patch(`${M}/identities/${id}`, { isAdmin: false })],
      ['deleting', (client, { id }) => client.delete(`${M}/identities/${id}`)],
      [
        'taking its authenticator',
        (client, { authenticatorId }) => client.delete(`${M}/authenticators/${authenticatorId}`),
      ],
    ];
    for (const [what, take] of MUTUAL) {
      it(what, async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const [a, b] = [await administrator(), await administrator()];
          await only(a, b);
          const sessions = [await one.login(a.name, PASSWORD), await two.login(b.name, PASSWORD)] as const;
          const answers = await Promise.all([take(sessions[0], b), take(sessions[1], a)]);
          const left = await Promise.all(
            [a, b].map(async ({ name }) => {
              const client = createClient(one.url);
              const { status } = await client.post(`${C}/authenticate?method=password`, {
                username: name,
                password: PASSWORD,
              });
              client.close();
              return status;
            }),
          );
          const admins = await database.query(
            `SELECT count(*)::int AS total FROM identities i JOIN authenticators a ON a.identity_id = i.id
            WHERE i.is_admin AND NOT i.is_default_admin AND i.disabled_at IS NULL`,
          );
          const seen = `round ${round}: answers ${answers.map(({ status }) => status).join()}, logins ${left.join()}`;
          expect(admins.rows[0]?.['total'], seen).to.equal(1);
          expect(answers.filter(({ status }) => status === 200).length, seen).to.equal(1);
        }
      });
    }
  });
});
