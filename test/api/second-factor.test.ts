/**
 * TOTP as a second factor, over HTTPS: what a session may do before it has given a code, and that a code is worth
 * something once. Two controllers share a database, so that nothing of this may be in the memory of one.
 */
import { expect } from 'chai';
import type pg from 'pg';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { entityOf, idsOf, linksOf } from '../support/entities.js';
import { expectFault, expectUnauthorized } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { MFA, codeAt } from '../support/totp.js';
import type { LoggedController } from './server-support.js';
import { CODES, GIVE, withCode, wrongCode, refusedCode, statuses, useSecondFactor } from './second-factor-support.js';

describe('a second factor', function secondFactor() {
  this.timeout(300_000);
  const factor = useSecondFactor();
  const { login, newSubject, begin, enroll, newPolicy, current, isFull } = factor;
  let two: LoggedController;
  let admin: Client;
  let pool: pg.Pool;
  before(() => {
    ({ two, admin, pool } = factor.started());
  });
  /** It was verified so long ago that no session undoes it without a code. */
  const lateFor = (id: string) => pool.query('UPDATE mfas SET verified_at = NULL WHERE identity_id = $1', [id]);

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
        if (api === 'oidc') continue; // takes access tokens alone, and nobody gets one while a code is owed
        const target = basePaths[api] + path.replaceAll(/\{[^}]+\}/g, 'no-such-id');
        const answer = await partial.send(
          method,
          target,
          body?.kind === 'json' && operationId !== 'deleteMfa' ? {} : undefined,
        );
        const isRefused = answer.status === 401 && answer.error?.code === 'UNAUTHORIZED';
        // Its sessions of before may undo it; this one came later (second-factor-undo.test.ts).
        const isOpen = permission === 'partial' && operationId !== 'deleteMfa';
        if (isOpen) allowed.add(`${method} ${path}`);
        if (isRefused === isOpen) faults.push(`${api} ${operationId}: ${answer.status}`);
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
      await lateFor(verified.id);
      refusedCode(await verified.client.delete(MFA));
      refusedCode(await verified.client.delete(MFA, undefined, withCode(wrongCode(verified.secret))));
      expectStatus(await verified.client.get(MFA), 200);
      const second = await login(verified.name);
      expectStatus(await verified.client.delete(MFA, undefined, withCode(codeAt(verified.secret))), 200);
      expectStatus(await verified.client.get(MFA), 404);
      expect(await isFull(second)).to.equal(true);
      const recovering = await enroll();
      await lateFor(recovering.id);
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
