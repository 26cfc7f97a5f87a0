/** What callers with permissions must not get or do, although an operation is open to them. */
import { expect } from 'chai';
import { exampleOf } from '../contract/examples.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';

const M = '/edge/management/v1';
const FAR = '2099-01-01T00:00:00Z';

type Item = Record<string, unknown> & { id: string };

describe('delegated administration', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(async () => {
    await controller.stop();
  });

  const withPermissions = async (...permissions: string[]) => (await controller.newCaller({ permissions })).client;
  const create = async (changes: object = {}) => {
    const body = { name: unique('target'), type: 'User', isAdmin: false, enrollment: { ott: true }, ...changes };
    return (expectStatus(await controller.admin.post(`${M}/identities`, body), 201).data as Item).id;
  };
  const enrollmentOf = async (id: string) => {
    const answer = await controller.admin.get(`${M}/identities/${id}/enrollments`);
    return (expectStatus(answer, 200).data as Item[])[0]?.id ?? '';
  };
  const expectRefused = (answer: Answer, message: string) => {
    expectStatus(answer, 401);
    expect(answer.error?.code).to.equal('UNAUTHORIZED');
    expect(answer.error?.cause).to.deep.equal({ code: 'UNHANDLED', message });
    expect(answer.headers['www-authenticate']).to.equal(undefined);
  };
  const NOT_ADMIN = 'non-admins may not modify admin identities';
  const NOT_ABOVE = 'non-admins may not modify identities with permissions that they lack';
  const NO_ADMIN_ENROLLMENT = 'non-admins may not manage enrollments for admin identities';
  const NO_ENROLLMENT_ABOVE = 'non-admins may not manage enrollments for identities with permissions that they lack';

  it('of webhooks, which get events, takes the right to events as well', async () => {
    const message = 'a webhook gets events, which need the permission audit.read as well';
    const [alone, reading, readonly] = [
      await withPermissions('webhook'),
      await withPermissions('webhook', 'audit.read'),
      await withPermissions('webhook.create', 'admin_readonly'),
    ];
    const body = () => ({ name: unique('hook'), url: 'https://hooks.example.com/', enabled: false });
    expectRefused(await alone.post(`${M}/webhooks`, body()), message);
    expectStatus(await readonly.post(`${M}/webhooks`, body()), 201);
    const made = expectStatus(await reading.post(`${M}/webhooks`, body()), 201).data as Item;
    const path = `${M}/webhooks/${made.id}`;
    expectRefused(await alone.put(path, body()), message);
    const secret = `whsec_${'c'.repeat(40)}`;
    for (const changes of [{ url: 'https://elsewhere.example.com/' }, { kinds: ['*'] }, { enabled: true }, { secret }])
      expectRefused(await alone.patch(path, changes), message);
    expectStatus(await alone.patch(path, { name: unique('hook'), tags: { a: 'b' }, enabled: false, url: null }), 200);
    expectStatus(await reading.patch(path, { secret, kinds: [] }), 200);
    expectStatus(await alone.delete(path), 200);
  });

  describe('of identities', () => {
    let delegate: Client;
    before(async () => {
      delegate = await withPermissions('identity', 'service.read');
    });

    it('makes no identities with rights, but others', async () => {
      const post = (changes: object) =>
        delegate.post(`${M}/identities`, { name: unique('made'), type: 'User', isAdmin: false, ...changes });
      const withRights = 'non-admins may not create users with permissions';
      expectRefused(await post({ permissions: ['service.read'] }), withRights);
      expectRefused(await post({ permissions: ['service.read'], isAdmin: true }), withRights);
      expectRefused(await post({ isAdmin: true }), 'non-admins may not create admin users');
      for (const permissions of [undefined, null, []]) expectStatus(await post({ permissions }), 201);
    });

    it('does not replace, and gives nobody rights', async () => {
      const id = await create();
      const body = { name: unique('target'), type: 'User', isAdmin: false };
      expectRefused(
        await delegate.put(`${M}/identities/${id}`, body),
        'non-admins may not use the PUT method, use PATCH instead',
      );
      for (const [field, value] of [
        ['permissions', []],
        ['permissions', ['service.read']],
        ['isAdmin', false],
      ])
        expectRefused(
          await delegate.patch(`${M}/identities/${id}`, { [String(field)]: value }),
          `non-admins may not modify the identity field '${String(field)}'`,
        );
      expectStatus(await delegate.patch(`${M}/identities/${id}`, { permissions: null, roleAttributes: ['a'] }), 200);
    });

    it('does not touch administrators, nor identities with permissions that it lacks', async () => {
      for (const [changes, message] of [
        [{ isAdmin: true }, NOT_ADMIN],
        [{ permissions: ['service'] }, NOT_ABOVE],
        [{ permissions: ['admin_readonly'] }, NOT_ABOVE],
      ] as const) {
        const path = `${M}/identities/${await create(changes)}`;
        expectRefused(await delegate.patch(path, { tags: {} }), message);
        expectRefused(await delegate.patch(path, { authPolicyId: 'default' }), message);
        expectRefused(await delegate.post(`${path}/disable`, { durationMinutes: 1 }), message);
        expectRefused(await delegate.post(`${path}/enable`), message);
        expectRefused(await delegate.post(`${path}/service-configs`, []), message);
        expectRefused(await delegate.delete(`${path}/service-configs`), message);
      }
      const admin = await create({ isAdmin: true });
      expectRefused(await delegate.delete(`${M}/identities/${admin}`), 'non-admin may not delete admin identities');
      for (const permissions of [['service'], ['identity', 'config.read'], ['admin_readonly']]) {
        const above = `${M}/identities/${await create({ permissions })}`;
        expectRefused(
          await delegate.delete(above),
          'non-admins may not delete identities with permissions that they lack',
        );
        expectStatus(await controller.admin.delete(above), 200);
      }
      const equal = `${M}/identities/${await create({ permissions: ['identity.create', 'service.read'] })}`;
      expectStatus(await delegate.patch(equal, { tags: {} }), 200);
      expectStatus(await delegate.post(`${equal}/enable`), 200);
      expectStatus(await delegate.delete(equal), 200);
    });

    it('shows no enrollments of those above the caller, in the detail and in lists', async () => {
      const below = await create({ permissions: ['service.read'] });
      for (const changes of [{ isAdmin: true }, { permissions: ['config'] }]) {
        const id = await create(changes);
        const shown = expectStatus(await delegate.get(`${M}/identities/${id}`), 200);
        expect((shown.data as Item)['enrollment']).to.deep.equal({});
        const list = await delegate.get(`${M}/identities?filter=${encodeURIComponent(`id="${id}"`)}`);
        expect((expectStatus(list, 200).data as Item[]).map((item) => item['enrollment'])).to.deep.equal([{}]);
        expect(
          (expectStatus(await controller.admin.get(`${M}/identities/${id}`), 200).data as Item)['enrollment'],
        ).to.have.property('ott');
      }
      const shown = expectStatus(await delegate.get(`${M}/identities/${below}`), 200).data as Item;
      expect(shown['enrollment']).to.have.property('ott');
    });
  });

  describe('of enrollments', () => {
    it('leaves out those of identities above the caller, and refuses them', async () => {
      const delegate = await withPermissions('enrollment', 'config.read');
      const listed = async (path: string) => {
        const answer = expectStatus(await delegate.get(path), 200);
        const { pagination } = answer.meta;
        return { ids: (answer.data as Item[]).map(({ id }) => id), total: pagination?.totalCount };
      };
      const below = await create({ permissions: ['config.read'] });
      for (const [changes, message] of [
        [{ isAdmin: true }, NO_ADMIN_ENROLLMENT],
        [{ permissions: ['config'] }, NO_ENROLLMENT_ABOVE],
      ] as const) {
        const owner = await create(changes);
        const id = await enrollmentOf(owner);
        const all = await listed(`${M}/enrollments?limit=500`);
        expect(all.ids).to.include(await enrollmentOf(below));
        expect(all.ids).to.not.include(id);
        expect(all.total).to.equal(all.ids.length);
        expect(await listed(`${M}/identities/${owner}/enrollments`)).to.deep.equal({ ids: [], total: 0 });
        expectRefused(await delegate.get(`${M}/enrollments/${id}`), message);
        expectRefused(await delegate.post(`${M}/enrollments/${id}/refresh`, { expiresAt: FAR }), message);
        expectRefused(await delegate.delete(`${M}/enrollments/${id}`), message);
        const asked = { identityId: owner, method: 'updb', username: unique('user'), expiresAt: FAR };
        expectRefused(await delegate.post(`${M}/enrollments`, asked), message);
      }
      const id = await enrollmentOf(below);
      expectStatus(await delegate.post(`${M}/enrollments/${id}/refresh`, { expiresAt: FAR }), 200);
      expectStatus(await delegate.delete(`${M}/enrollments/${id}`), 200);
      expectStatus(await delegate.post(`${M}/enrollments`, { identityId: below, method: 'ott', expiresAt: FAR }), 201);
      expectStatus(await delegate.get(`${M}/enrollments/none`), 404);
    });
  });

  it('of auth policies spares those of identities above the caller', async () => {
    const delegate = await withPermissions('auth-policy', 'config');
    const path = `${M}/auth-policies`;
    const body = { ...exampleOf('management', 'POST', '/auth-policies'), name: unique('policy') };
    const { id } = expectStatus(await delegate.post(path, body), 201).data as Item;
    const message =
      'non-admins may not modify auth policies of admins or of identities with permissions that they lack';
    expectRefused(await delegate.patch(`${path}/default`, { tags: {} }), message);
    await create({ authPolicyId: id, permissions: ['config.read'] });
    expectStatus(await delegate.patch(`${path}/${id}`, { tags: {} }), 200);
    await create({ authPolicyId: id, permissions: ['service.read'] });
    expectRefused(await delegate.patch(`${path}/${id}`, { tags: {} }), message);
    expectRefused(await delegate.put(`${path}/${id}`, body), message);
  });

  it('of external JWT signers makes, changes and deletes none, since their tokens can name anybody', async () => {
    const delegate = await withPermissions('external-jwt-signer');
    const message =
      'non-admins may not create, modify or delete external JWT signers, whose tokens can name any identity';
    const body = {
      name: unique('signer'),
      issuer: unique('issuer'),
      audience: 'network',
      enabled: true,
      jwksEndpoint: 'https://login.example.com/keys',
    };
    const signers = `${M}/external-jwt-signers`;
    expectRefused(await delegate.post(signers, body), message);
    const { id } = expectStatus(await controller.admin.post(signers, body), 201).data as Item;
    expectRefused(await delegate.put(`${signers}/${id}`, body), message);
    expectRefused(await delegate.patch(`${signers}/${id}`, { enabled: false }), message);
    expectRefused(await delegate.delete(`${signers}/${id}`), message);
    expectStatus(await delegate.get(`${signers}/${id}`), 200);
    expectStatus(await controller.admin.delete(`${signers}/${id}`), 200);
  });

  it('removes no second factor of those above the caller', async () => {
    const delegate = await withPermissions('identity');
    expectRefused(await delegate.delete(`${M}/identities/${await create({ isAdmin: true })}/mfa`), NOT_ADMIN);
    expectRefused(await delegate.delete(`${M}/identities/${await create({ permissions: ['ca'] })}/mfa`), NOT_ABOVE);
    expectStatus(await delegate.delete(`${M}/identities/${await create()}/mfa`), 200);
  });

  it('of CAs makes and changes none that names identities by a claim', async () => {
    const delegate = await withPermissions('ca');
    const example = { ...exampleOf('management', 'POST', '/cas'), name: unique('ca') };
    const plain = { ...example, externalIdClaim: null };
    const claim = {
      location: 'COMMON_NAME',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    };
    const message = 'non-admins may not manage CAs with an external id claim';
    expectRefused(await delegate.post(`${M}/cas`, { ...plain, externalIdClaim: claim }), message);
    const { id } = expectStatus(await delegate.post(`${M}/cas`, plain), 201).data as Item;
    const path = `${M}/cas/${id}`;
    expectStatus(await delegate.patch(path, { tags: {}, externalIdClaim: {} }), 200);
    expectRefused(await delegate.patch(path, { externalIdClaim: claim }), message);
    expectRefused(await delegate.put(path, { ...plain, externalIdClaim: claim }), message);
    expectStatus(await controller.admin.patch(path, { externalIdClaim: claim }), 200);
    expectRefused(await delegate.patch(path, { isAuthEnabled: true }), message);
    expectRefused(await delegate.put(path, plain), message);
    expectRefused(await delegate.delete(path), message);
    expectStatus(await controller.admin.delete(path), 200);
  });

  it('lists services as another identity for administrators alone', async () => {
    const reader = await withPermissions('admin_readonly', 'service');
    const path = `${M}/services?asIdentity=${await create()}`;
    expectRefused(await reader.get(path), 'only administrators can masquerade as other identities');
    expectStatus(await controller.admin.get(path), 200);
  });

  it('begins and ends with the next request, and shows in the identity that calls', async () => {
    const { id, client } = await controller.newCaller();
    expectStatus(await client.get(`${M}/services`), 401);
    for (const permissions of [['service.read'], ['service'], ['admin_readonly']]) {
      expectStatus(await controller.admin.patch(`${M}/identities/${id}`, { permissions }), 200);
      expectStatus(await client.get(`${M}/services`), 200);
      for (const api of [M, '/edge/client/v1']) {
        const self = expectStatus(await client.get(`${api}/current-identity`), 200).data as Item;
        expect(self['permissions']).to.deep.equal(permissions);
      }
    }
    expectStatus(await controller.admin.patch(`${M}/identities/${id}`, { permissions: [] }), 200);
    expectStatus(await client.get(`${M}/services`), 401);
  });
});
