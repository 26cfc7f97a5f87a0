/**
 * TOTP as a second factor, over HTTPS: what a session may do before it has given a code, and that a code is worth
 * something once. Two controllers share a database, so that nothing of this may be in the memory of one.
 */
import { expect } from 'chai';
import { generateSync } from 'otplib';
import pg from 'pg';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { entityOf, idsOf, linksOf } from '../support/entities.js';
import { expectFault, expectUnauthorized } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const PASSWORD = 'pass word 1';
const MFA = `${C}/current-identity/mfa`;
const CODES = `${MFA}/recovery-codes`;
const GIVE = `${C}/authenticate/mfa`;
const STEP_SECONDS = 30;

interface Subject {
  readonly id: string;
  readonly name: string;
  /** Of a session that is not otherwise used. */
  readonly client: Client;
}

interface Enrolled extends Subject {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

const withCode = (code: string) => ({ headers: { 'mfa-validation-code': code } });
const codeAt = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_SECONDS });
/** Right at no moment that the server could look at. */
function wrongCode(secret: string): string {
  const right = new Set([-3, -2, -1, 0, 1, 2, 3].map((steps) => codeAt(secret, steps)));
  for (let n = 0; ; n += 1) {
    const code = String(n).padStart(6, '0');
    if (!right.has(code)) return code;
  }
}
const refusedCode = (answer: Answer) => expectFault(answer, 401, 'MFA_INVALID_TOKEN');
const statuses = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** The clients in turn, all at once. */
const inParallel = (count: number, clients: readonly Client[], body: object): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count / clients.length }, () => clients.map((each) => each.post(GIVE, body))).flat(),
  );

describe('a second factor', function secondFactor() {
  this.timeout(120_000);
  let pair: Pair;
  let database: TestDatabase;
  let pool: pg.Pool;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;

  before(async () => {
    pair = await startPair();
    ({ database, one, two, admin } = pair);
    pool = new pg.Pool({ ...database.connection, max: 2 });
  });
  after(async () => {
    await pool.end();
    await pair.stop();
  });

  const login = (name: string, controller = one) => controller.login(name, PASSWORD);
  const newSubject = async (fields: object = {}): Promise<Subject> => {
    const name = unique('subject');
    const { id } = entityOf(
      expectStatus(await admin.post(`${M}/identities`, { name, type: 'User', isAdmin: false, ...fields }), 201),
    );
    const updb = { identityId: id, method: 'updb', username: name, password: PASSWORD };
    expectStatus(await admin.post(`${M}/authenticators`, updb), 201);
    return { id, name, client: await login(name) };
  };
  const begin = async (client: Client) => {
    expectStatus(await client.post(MFA), 201);
    const { provisioningUrl, recoveryCodes } = entityOf(expectStatus(await client.get(MFA), 200));
    const secret = new URL(provisioningUrl as string).searchParams.get('secret') ?? '';
    return { secret, recoveryCodes: recoveryCodes as string[] };
  };
  /** Lets codes of the present step be given again: a test has no 30 seconds to wait for the next. */
  const unspend = (id: string) => pool.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [id]);
  const enroll = async (fields: object = {}): Promise<Enrolled> => {
    const subject = await newSubject(fields);
    const begun = await begin(subject.client);
    expectStatus(await subject.client.post(`${MFA}/verify`, { code: codeAt(begun.secret) }), 200);
    await unspend(subject.id);
    return { ...subject, ...begun };
  };
  const newPolicy = async (requireTotp: boolean): Promise<string> => {
    const updb = {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 0,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    };
    const primary = {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: [] },
      updb,
    };
    const body = { name: unique('policy'), primary, secondary: { requireTotp } };
    return entityOf(expectStatus(await admin.post(`${M}/auth-policies`, body), 201)).id;
  };
  const current = async (client: Client) => entityOf(expectStatus(await client.get(`${C}/current-api-session`), 200));
  const isFull = async (client: Client) => (await client.get(`${C}/current-identity`)).status === 200;

  describe('that is owed', () => {
    it('leaves an administrator the operations that the specs call partial, and no other', async () => {
      const { name } = await enroll({ isAdmin: true });
      const partial = await login(name);
      const faults: string[] = [];
      const all = Object.values(operations).flatMap((specs: Readonly<Record<string, OperationSpec>>) =>
        Object.values(specs),
      );
      const allowed = new Set<string>();
      for (const { api, permission, method, path, body, operationId } of all) {
        if (permission === 'public' || operationId === 'deleteCurrentApiSession') continue;
        const target = basePaths[api] + path.replaceAll(/\{[^}]+\}/g, 'no-such-id');
        const answer = await partial.send(method, target, body?.kind === 'json' ? {} : undefined);
        const isRefused = answer.status === 401 && answer.error?.code === 'UNAUTHORIZED';
        if (permission === 'partial') allowed.add(`${method} ${path}`);
        if (isRefused !== (permission !== 'partial')) faults.push(`${api} ${operationId}: ${answer.status}`);
      }
      expect(faults).to.deep.equal([]);
      expect([...allowed].sort()).to.deep.equal([
        'GET /current-api-session',
        'GET /current-identity/mfa',
        'GET /current-identity/mfa/qr-code',
        'POST /authenticate/mfa',
        'POST /current-identity/mfa',
        'POST /current-identity/mfa/verify',
      ]);
      expectUnauthorized(await partial.get(`${M}/identities`), undefined);
      expectStatus(await partial.delete(`${C}/current-api-session`), 200);
    });

    it('is shown by the session until a code is given, on every controller', async () => {
      const { name, secret } = await enroll();
      const client = await login(name);
      const elsewhere = two.client(client.token);
      expect(await isFull(elsewhere)).to.equal(false);
      const query = {
        format: 'alphaNumeric',
        httpMethod: 'POST',
        httpUrl: './authenticate/mfa',
        isTotpEnrolled: true,
        maxLength: 6,
        minLength: 4,
        provider: 'ziti',
        typeId: 'MFA',
      };
      const owing = { authQueries: [query], isMfaRequired: true, isMfaComplete: false };
      const session = await current(client);
      expect(session).to.deep.include(owing);
      expect(entityOf(await admin.get(`${M}/api-sessions/${session.id}`))).to.deep.include(owing);
      expectStatus(await client.post(GIVE, { code: codeAt(secret) }), 200);
      expect(await current(client)).to.deep.include({ authQueries: [], isMfaRequired: true, isMfaComplete: true });
      expect(await isFull(client)).to.equal(true);
      await until('the other controller hears of the code', () => isFull(elsewhere));
      const filter = encodeURIComponent('mfaRequired = true and mfaComplete = true');
      expect(idsOf(await admin.get(`${M}/api-sessions?limit=500&filter=${filter}`))).to.include(session.id);
    });

    it('is owed by other sessions of the identity once it is verified, and not by the one that verified', async () => {
      const { client, name, id } = await newSubject();
      const second = await login(name);
      const elsewhere = two.client((await login(name)).token);
      expect(await isFull(elsewhere)).to.equal(true);
      const { secret } = await begin(client);
      expect(await isFull(second), 'an enrollment that is not verified asks nothing').to.equal(true);
      expectStatus(await client.post(`${MFA}/verify`, { code: codeAt(secret) }), 200);
      expect(await isFull(client)).to.equal(true);
      expect(await isFull(second)).to.equal(false);
      await until('the other controller hears of the enrollment', async () => !(await isFull(elsewhere)));
      expect(entityOf(await admin.get(`${M}/identities/${id}`))).to.include({ isMfaEnabled: true });
    });

    it('is owed at once when a policy begins to ask, also by one that must enroll first', async () => {
      const policy = await newPolicy(false);
      const { client } = await newSubject({ authPolicyId: policy });
      const elsewhere = two.client(client.token);
      expect(await isFull(client)).to.equal(true);
      expect(await isFull(elsewhere)).to.equal(true);
      const ask = { secondary: { requireTotp: true } };
      expectStatus(await admin.patch(`${M}/auth-policies/${policy}`, ask), 200);
      expect(await isFull(client)).to.equal(false);
      await until('the other controller hears of the policy', async () => !(await isFull(elsewhere)));
      const before = await current(client);
      expect(before).to.include({ isMfaRequired: false, isMfaComplete: false });
      expect((before['authQueries'] as object[])[0])
        .to.include({ typeId: 'MFA' })
        .and.not.have.key('isTotpEnrolled');
      const { secret } = await begin(client);
      expectFault(await client.post(GIVE, { code: codeAt(secret) }), 409, 'MFA_NOT_ENROLLED');
      expectStatus(await client.post(`${MFA}/verify`, { code: codeAt(secret) }), 200);
      expect(await current(client)).to.deep.include({ authQueries: [], isMfaRequired: true, isMfaComplete: true });
      expect(await isFull(client)).to.equal(true);
    });
  });

  describe('code', () => {
    it('is accepted once, and none of an earlier step after it', async () => {
      const { name, secret } = await enroll();
      const code = codeAt(secret, 1);
      expectStatus(await (await login(name)).post(GIVE, { code }), 200);
      const client = await login(name);
      refusedCode(await client.post(GIVE, { code }));
      refusedCode(await client.post(GIVE, { code: codeAt(secret) }));
      expect(await isFull(client)).to.equal(false);
    });

    it('is accepted once also when two controllers get it in the same instant', async () => {
      const { name, secret, id } = await enroll();
      const clients = [await login(name), await login(name, two), await login(name), await login(name, two)];
      for (let round = 0; round < 5; round += 1) {
        await pool.query("UPDATE mfas SET last_step = 0, failed_at = '{}' WHERE identity_id = $1", [id]);
        const code = codeAt(secret);
        const answers = await Promise.all(clients.map((client) => client.post(GIVE, { code })));
        expect([statuses(answers, 200), statuses(answers, 401)]).to.deep.equal([1, 3]);
      }
    });

    it('is spent by the enrollment that it verified', async () => {
      const { client, name } = await newSubject();
      const { secret } = await begin(client);
      const code = codeAt(secret);
      expectStatus(await client.post(`${MFA}/verify`, { code }), 200);
      refusedCode(await (await login(name)).post(GIVE, { code }));
    });

    it('is refused from two steps away, as no number, and as that of another identity', async () => {
      const { name, secret } = await enroll();
      const other = await enroll();
      const client = await login(name);
      for (const code of [codeAt(secret, -3), codeAt(secret, 3), '', 'abc', ` ${codeAt(secret)}`, codeAt(other.secret)])
        refusedCode(await client.post(GIVE, { code }));
      expectStatus(await client.post(GIVE, {}), 400);
    });

    it('is refused after ten wrong ones, right or not, from every session and on every controller', async () => {
      const { name, id, client, secret, recoveryCodes } = await enroll();
      const guessers = [await login(name), await login(name, two)];
      const code = wrongCode(secret);
      const answers = await inParallel(40, guessers, { code });
      expect([statuses(answers, 401), statuses(answers, 429)]).to.deep.equal([10, 30]);
      for (const [each, given] of [
        [guessers[0], codeAt(secret)],
        [guessers[1], recoveryCodes[0]],
        [guessers[1], code],
      ] as const) {
        const answer = each && (await each.post(GIVE, { code: given }));
        if (answer === undefined) throw new Error('no guesser');
        expect(expectFault(answer, 429, 'RATE_LIMITED').cause).to.equal(undefined);
        expect(Number(answer.headers['retry-after'])).to.be.within(1, 300);
      }
      expectFault(await client.delete(MFA, undefined, withCode(codeAt(secret))), 429, 'RATE_LIMITED');
      expectFault(await client.get(CODES, withCode(codeAt(secret))), 429, 'RATE_LIMITED');
      const over = "UPDATE mfas SET blocked_until = now() - interval '1 second' WHERE identity_id = $1";
      await pool.query(over, [id]);
      expectStatus(await (guessers[0] ?? client).post(GIVE, { code: codeAt(secret) }), 200);
    });

    it('that is wrong counts for five minutes, and a right one takes no guess back', async () => {
      const { name, id, secret } = await enroll();
      const client = await login(name);
      const code = wrongCode(secret);
      for (let n = 0; n < 9; n += 1) refusedCode(await client.post(GIVE, { code }));
      const old = "UPDATE mfas SET failed_at[1:5] = array_fill(now() - interval '301 seconds', ARRAY[5])";
      await pool.query(`${old} WHERE identity_id = $1`, [id]);
      expectStatus(await client.post(GIVE, { code: codeAt(secret) }), 200);
      for (let n = 0; n < 6; n += 1) refusedCode(await client.post(GIVE, { code }));
      expectFault(await client.post(GIVE, { code }), 429, 'RATE_LIMITED');
    });
  });

  describe('recovery code', () => {
    it('is good for one of 50 tries in parallel, on two controllers, and is gone from the view then', async () => {
      const { name, id, client, secret, recoveryCodes } = await enroll();
      const [code = ''] = recoveryCodes;
      const clients = [await login(name), await login(name, two)];
      const answers = await inParallel(50, clients, { code });
      expect(statuses(answers, 200)).to.equal(1);
      expect(statuses(answers, 401) + statuses(answers, 429)).to.equal(49);
      await pool.query('UPDATE mfas SET blocked_until = NULL WHERE identity_id = $1', [id]);
      const { recoveryCodes: left } = entityOf(expectStatus(await client.get(CODES, withCode(codeAt(secret))), 200));
      expect(left).to.deep.equal(recoveryCodes.slice(1));
    });

    it('has 80 bits, and none of them or the secret is in the database as it is', async () => {
      const { id, secret, recoveryCodes } = await enroll();
      expect(secret).to.match(/^[A-Z2-7]{32}$/);
      expect(recoveryCodes).to.have.length(20);
      for (const code of recoveryCodes) expect(code).to.match(/^[A-Z2-7]{16}$/);
      const { rows } = await pool.query<{ text: string }>(
        "SELECT encode(sealed_secret, 'escape') || array_to_string(sealed_codes, ',') AS text FROM mfas " +
          'WHERE identity_id = $1',
        [id],
      );
      for (const hidden of [secret, ...recoveryCodes]) {
        expect(rows[0]?.text).to.not.include(hidden);
        expect(rows[0]?.text).to.not.include(Buffer.from(hidden).toString('hex'));
      }
    });

    it('is shown and replaced for a TOTP code alone', async () => {
      const { client, id, secret, recoveryCodes } = await enroll();
      const [code = ''] = recoveryCodes;
      refusedCode(await client.get(CODES));
      refusedCode(await client.get(CODES, withCode(code)));
      refusedCode(await client.get(CODES, withCode(wrongCode(secret))));
      refusedCode(await client.post(CODES, { code }));
      const made = entityOf(expectStatus(await client.post(CODES, { code: codeAt(secret) }), 200));
      const fresh = made['recoveryCodes'] as string[];
      expect(fresh)
        .to.have.length(20)
        .and.not.include.any.members([...recoveryCodes]);
      await unspend(id);
      const shown = entityOf(expectStatus(await client.get(CODES, withCode(codeAt(secret))), 200));
      expect(shown['recoveryCodes']).to.deep.equal(fresh);
      refusedCode(await client.post(GIVE, { code }));
      expectStatus(await client.post(GIVE, { code: fresh[0] }), 200);
    });
  });

  describe('enrollment', () => {
    it('shows its secret, also as a picture, until it is verified, and is one alone', async () => {
      const { client, name } = await newSubject();
      for (const path of [MFA, `${MFA}/qr-code`, CODES]) expectStatus(await client.get(path), 404);
      expectStatus(await client.post(`${MFA}/verify`, { code: '123456' }), 404);
      expectStatus(await client.delete(MFA), 404);
      expectFault(await client.post(GIVE, { code: '123456' }), 409, 'MFA_NOT_ENROLLED');
      const begun = await Promise.all([1, 2, 3].map(() => client.post(MFA)));
      expect([statuses(begun, 201), statuses(begun, 409)]).to.deep.equal([1, 2]);
      const made = begun.find(({ status }) => status === 201);
      expect(made && linksOf(entityOf(made))).to.deep.equal({ self: './current-identity/mfa' });
      const detail = entityOf(await client.get(MFA));
      const url = new URL(detail['provisioningUrl'] as string);
      expect(url.href).to.match(new RegExp(`^otpauth://totp/edge-controller:${name}\\?`));
      expect(url.searchParams.get('issuer')).to.equal('edge-controller');
      expect(linksOf(detail)).to.have.keys('self', 'current-identity', 'verify', 'qr');
      expectStatus(await client.get(CODES, withCode('123456')), 404);
      const picture = expectStatus(await client.get(`${MFA}/qr-code`), 200);
      expect(picture.headers['content-type']).to.equal('image/png');
      expect(picture.text.slice(1, 4)).to.equal('PNG');
      const [recovery = ''] = detail['recoveryCodes'] as string[];
      refusedCode(await client.post(`${MFA}/verify`, { code: recovery }));
      const secret = url.searchParams.get('secret') ?? '';
      expectStatus(await client.post(`${MFA}/verify`, { code: codeAt(secret) }), 200);
      const verified = entityOf(await client.get(MFA));
      expect(verified).to.include({ isVerified: true }).and.not.have.any.keys('provisioningUrl', 'recoveryCodes');
      expect(linksOf(verified)).to.have.keys('self', 'current-identity', 'recovery-codes');
      expectStatus(await client.get(`${MFA}/qr-code`), 404);
      expectStatus(await client.post(`${MFA}/verify`, { code: codeAt(secret, 1) }), 404);
      expectFault(await client.post(MFA), 409, 'MFA_EXISTS');
    });

    it('goes without a code before it is verified, and only with one after', async () => {
      const { client } = await newSubject();
      await begin(client);
      expectStatus(await client.delete(MFA), 200);
      const verified = await enroll();
      refusedCode(await verified.client.delete(MFA));
      refusedCode(await verified.client.delete(MFA, undefined, withCode(wrongCode(verified.secret))));
      expectStatus(await verified.client.get(MFA), 200);
      const second = await login(verified.name);
      expectStatus(await verified.client.delete(MFA, undefined, withCode(codeAt(verified.secret))), 200);
      expectStatus(await verified.client.get(MFA), 404);
      expect(await isFull(second)).to.equal(true);
      const recovering = await enroll();
      expectStatus(await recovering.client.delete(MFA, { code: recovering.recoveryCodes[3] }), 200);
    });

    it('that an administrator removes leaves sessions with what the policy asks', async () => {
      const free = await enroll();
      const bound = await enroll({ authPolicyId: await newPolicy(true) });
      const owing = await login(free.name);
      const elsewhere = two.client(bound.client.token);
      expect(await isFull(elsewhere)).to.equal(true);
      for (const { id } of [free, bound]) {
        expectStatus(await admin.delete(`${M}/identities/${id}/mfa`), 200);
        expectStatus(await admin.delete(`${M}/identities/${id}/mfa`), 200);
        expect(entityOf(await admin.get(`${M}/identities/${id}`))).to.include({ isMfaEnabled: false });
      }
      expect(await isFull(owing)).to.equal(true);
      expect(await current(free.client)).to.include({ isMfaRequired: false, isMfaComplete: false });
      expect(await isFull(bound.client), 'its code was of an enrollment that is gone').to.equal(false);
      await until('the other controller hears of the removal', async () => !(await isFull(elsewhere)));
      expectStatus(await admin.delete(`${M}/identities/no-such-id/mfa`), 404);
      expectStatus(await free.client.delete(`${M}/identities/${bound.id}/mfa`), 401);
    });
  });
});
