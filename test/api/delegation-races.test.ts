/**
 * What a delegate may do is decided by the rights that its target has when the change is made: whoever gets rights in
 * the same instant is not changed any more. In each test another transaction has given the rights and not ended yet
 * when the delegate's request arrives.
 */
import { expect } from 'chai';
import { authPolicy } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { makeCa } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, make } from '../support/entities.js';
import { expectFault } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { whileHeld } from '../support/locks.js';

const FAR = '2099-01-01T00:00:00Z';
type Request = (delegate: Client, id: string, enrollmentId: string) => Promise<Answer>;

const OF_IDENTITIES: Readonly<Record<string, Request>> = {
  'changing an identity': (delegate, id) => delegate.patch(`${M}/identities/${id}`, { tags: { by: 'delegate' } }),
  'giving it another policy': (delegate, id) => delegate.patch(`${M}/identities/${id}`, { authPolicyId: 'default' }),
  'deleting it': (delegate, id) => delegate.delete(`${M}/identities/${id}`),
  'disabling it': (delegate, id) => delegate.post(`${M}/identities/${id}/disable`, { durationMinutes: 5 }),
  'enabling it': (delegate, id) => delegate.post(`${M}/identities/${id}/enable`),
  'removing its second factor': (delegate, id) => delegate.delete(`${M}/identities/${id}/mfa`),
  'giving it configs': (delegate, id) => delegate.post(`${M}/identities/${id}/service-configs`, []),
  'taking its configs': (delegate, id) => delegate.delete(`${M}/identities/${id}/service-configs`),
  'making an enrollment of it': (delegate, id) =>
    delegate.post(`${M}/enrollments`, { identityId: id, method: 'updb', username: unique('user'), expiresAt: FAR }),
  'refreshing one': (delegate, _, enrollmentId) =>
    delegate.post(`${M}/enrollments/${enrollmentId}/refresh`, { expiresAt: FAR }),
  'deleting one': (delegate, _, enrollmentId) => delegate.delete(`${M}/enrollments/${enrollmentId}`),
};

describe('delegated administration of what gets rights in the same instant', () => {
  let controller: TestController;
  let delegate: Client;
  before(async () => {
    controller = await startTestController();
    const permissions = ['identity', 'enrollment', 'auth-policy', 'ca'];
    delegate = (await controller.newCaller({ permissions })).client;
  });
  after(async () => {
    await controller.stop();
  });

  /** Runs the request while the change is not committed yet, which is once the request waits for it. */
  const during = async (
    change: readonly [sql: string, ...values: string[]],
    request: () => Promise<Answer>,
  ): Promise<Answer> => (await whileHeld(controller.database, change, request))[0] as Answer;
  const newIdentity = async (changes: object = {}) => makeIdentity(controller, { name: unique('target'), ...changes });
  const rowOf = async (id: string) =>
    (await controller.database.query('SELECT tags, disabled_at, auth_policy_id FROM identities WHERE id = $1', [id]))
      .rows;
  const enrollmentsOf = async (id: string) =>
    (await controller.database.query('SELECT id, token FROM enrollments WHERE identity_id = $1', [id])).rows;

  for (const [what, request] of Object.entries(OF_IDENTITIES)) {
    it(`stops ${what}`, async () => {
      const id = await newIdentity({ enrollment: { ott: true } });
      const [enrollment] = await enrollmentsOf(id);
      const state = async () => [await rowOf(id), await enrollmentsOf(id)];
      const before = await state();
      const answer = await during(['UPDATE identities SET is_admin = true WHERE id = $1', id], () =>
        request(delegate, id, String(enrollment?.['id'])),
      );
      const { cause } = expectFault(answer, 401, 'UNAUTHORIZED');
      expect(cause?.['message']).to.match(/^non-admins? may not .* admin identities$/);
      expect(await state()).to.deep.equal(before);
    });
  }

  it('stops changing an identity that gets a permission which the delegate lacks', async () => {
    const id = await newIdentity();
    const sql = `UPDATE identities SET permissions = '{config}' WHERE id = $1`;
    const answer = await during([sql, id], () => delegate.patch(`${M}/identities/${id}`, { tags: {} }));
    expectFault(answer, 401, 'UNAUTHORIZED');
  });

  it('stops deleting an identity that gets a permission which the delegate lacks', async () => {
    const id = await newIdentity();
    const sql = `UPDATE identities SET permissions = '{config}' WHERE id = $1`;
    const answer = await during([sql, id], () => delegate.delete(`${M}/identities/${id}`));
    expectFault(answer, 401, 'UNAUTHORIZED');
    expect(await rowOf(id)).to.have.length(1);
  });

  describe('of auth policies', () => {
    const refused =
      'non-admins may not modify auth policies of admins or of identities with permissions that they lack';
    const newPolicy = async () => make(controller, 'auth-policies', authPolicy());
    const changes: Readonly<Record<string, (id: string) => Promise<Answer>>> = {
      'replacing one': (id) => delegate.put(`${M}/auth-policies/${id}`, authPolicy()),
      'changing its settings': (id) =>
        delegate.patch(`${M}/auth-policies/${id}`, { primary: { updb: { maxAttempts: 3 } } }),
      'renaming it': (id) => delegate.patch(`${M}/auth-policies/${id}`, { name: unique('policy') }),
    };
    for (const [what, change] of Object.entries(changes)) {
      it(`stops ${what} when an administrator gets it`, async () => {
        const [policy, administrator] = [await newPolicy(), await newIdentity({ isAdmin: true })];
        const sql = 'UPDATE identities SET auth_policy_id = $1 WHERE id = $2';
        const answer = await during([sql, policy, administrator], () => change(policy));
        expect(expectFault(answer, 401, 'UNAUTHORIZED').cause?.['message']).to.equal(refused);
      });

      it(`stops ${what} when one who has it becomes an administrator`, async () => {
        const policy = await newPolicy();
        const id = await newIdentity({ authPolicyId: policy });
        const sql = 'UPDATE identities SET is_admin = true WHERE id = $1';
        const answer = await during([sql, id], () => change(policy));
        expect(expectFault(answer, 401, 'UNAUTHORIZED').cause?.['message']).to.equal(refused);
      });
    }

    it('answers 404 for an unknown one, as to administrators', async () => {
      for (const change of Object.values(changes)) expectFault(await change('nope'), 404, 'NOT_FOUND');
    });

    it('still changes one that nobody above the caller has', async () => {
      const policy = await newPolicy();
      await newIdentity({ authPolicyId: policy, permissions: ['identity.read'] });
      for (const change of Object.values(changes)) expectStatus(await change(policy), 200);
    });
  });

  describe('of CAs', () => {
    const claim = {
      location: 'COMMON_NAME',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    };
    const settings = {
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: false,
      identityRoles: [],
      identityNameFormat: '[commonName]',
    };
    for (const [what, change] of Object.entries({
      'replacing one': (id: string) => delegate.put(`${M}/cas/${id}`, { name: unique('ca'), ...settings }),
      'changing one': (id: string) => delegate.patch(`${M}/cas/${id}`, { isAuthEnabled: true }),
      'deleting one': (id: string) => delegate.delete(`${M}/cas/${id}`),
    })) {
      it(`stops ${what} that gets a claim, by which its certificates name anybody`, async () => {
        const id = await make(controller, 'cas', { name: unique('ca'), certPem: makeCa().pem, ...settings });
        const sql = 'UPDATE cas SET external_id_claim = $1::jsonb WHERE id = $2';
        const answer = await during([sql, JSON.stringify(claim), id], () => change(id));
        const { cause } = expectFault(answer, 401, 'UNAUTHORIZED');
        expect(cause?.['message']).to.equal('non-admins may not manage CAs with an external id claim');
        const { name } = entityOf(expectStatus(await controller.admin.get(`${M}/cas/${id}`), 200));
        expect(name).to.be.a('string');
      });
    }
  });
});
