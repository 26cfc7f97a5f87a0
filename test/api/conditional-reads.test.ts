/** Entity tags and `If-None-Match`: what the reader has is not sent again (docs/concurrent-changes.md). */
import { expect } from 'chai';
import type { OperationSpec } from '../../generated/operation.js';
import { reachable, subject } from '../contract/subjects.js';
import { openWorld } from '../contract/world.js';
import type { World } from '../contract/world.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, make } from '../support/entities.js';
import { all, nameOf, pathOf } from '../support/operations.js';
import { makeConfig, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const tagged = all.filter(({ isTagged, method }) => isTagged && method === 'GET');
const isDetail = ({ path, operationId }: OperationSpec) => path.includes('{id}') && operationId !== 'detailSpecBody';
const details = tagged.filter((operation) => isDetail(operation) && !operation.path.includes('policy-advice'));
const kept = tagged.filter((operation) => !details.includes(operation));

const DETAIL = /^"[0-9a-z]+\.[\w-]{22}"$/;
const TEXT = /^"[\w-]{22}"$/;

describe('If-None-Match', () => {
  let controller: TestController;
  let world: World;
  let admin: Client;
  before(async () => {
    controller = await startTestController({ EDGE_CORS_ORIGINS: 'https://console.example.org' });
    world = await openWorld({ api: 'management', url: controller.url, ...ADMIN, outcomesFile: '' });
    ({ admin } = controller);
  });
  after(async () => {
    world.close();
    await controller.stop();
  });

  const having = (tag: string, headers: object = {}) => ({ headers: { ...headers, 'if-none-match': tag } });
  const tagOf = (answer: Answer): string => expectStatus(answer, 200).headers.etag ?? '';
  const versionOf = (tag: string): string => tag.slice(1).split('.', 1)[0] ?? '';
  const expectNotModified = (answer: Answer, { headers }: Answer): void => {
    expect(answer.status, answer.text.slice(0, 200)).to.equal(304);
    expect(answer.text).to.equal('');
    expect(answer.headers).to.not.have.any.keys('content-type', 'content-length', 'transfer-encoding');
    for (const name of ['etag', 'cache-control', 'vary', 'server', 'x-content-type-options'])
      expect(answer.headers[name], name).to.equal(headers[name]);
    expect(answer.headers['x-request-id']).to.be.a('string');
  };
  /** Sends the answer in whole, and not again to whoever has it. */
  const expectConditional = async (
    client: Client,
    path: string,
    tags: RegExp,
    headers: object = {},
  ): Promise<string> => {
    const get = (tag: string) => client.get(path, having(tag, headers));
    const whole = await get('"other"');
    const tag = tagOf(whole);
    expect(tag).to.match(tags);
    for (const list of [tag, `W/${tag}`, `"other", ${tag}`, `W/"other",${tag} ,`, '*', ' * '])
      expectNotModified(await get(list), whole);
    for (const list of [
      '',
      'other',
      tag.slice(1),
      tag.slice(0, -1),
      `"${tag}`,
      `other, ${tag}`,
      `W/"other"`,
      tag.toUpperCase(),
    ])
      expect(expectStatus(await get(list), 200).text, list).to.equal(whole.text);
    return tag;
  };

  /** Of a session that was used it is written down a little later when that was. */
  const unusedSession = async (): Promise<string> => {
    const { username, password } = await world.account();
    const login = await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });
    return entityOf(expectStatus(login, 200)).id;
  };

  describe('saves the answer of a detail', () => {
    for (const operation of details) {
      it(nameOf(operation), async () => {
        const id = operation.path === '/api-sessions/{id}' ? await unusedSession() : await subject(operation, world);
        if (operation.api === 'client')
          await world.create('/service-policies', { type: 'Dial', identityRoles: ['#all'], serviceRoles: [`@${id}`] });
        const path = pathOf(operation, id);
        await expectConditional(admin, path, DETAIL);
        expect(expectStatus(await admin.get(path), 200).headers['cache-control']).to.equal('no-store');
      });
    }
  });

  describe('saves an answer that is kept', () => {
    for (const operation of kept) {
      it(nameOf(operation), async () => {
        const path = operation.path.includes('policy-advice')
          ? pathOf(operation, await world.create('/identities')).replace(/[^/]+$/, await world.create('/services'))
          : pathOf(operation, 'edge-client');
        if (operation.path.includes('attributes')) await makeService(controller, { roleAttributes: ['kept'] });
        const first = tagOf(await admin.get(path));
        expect(await expectConditional(admin, path, TEXT)).to.equal(first);
        const { headers } = await admin.get(path);
        expect(headers['cache-control']).to.equal(operation.permission === 'public' ? 'no-cache' : 'no-store');
      });
    }

    it('anew, with another tag, when it moves', async () => {
      const path = `${MANAGEMENT}/service-role-attributes`;
      const first = tagOf(await admin.get(path));
      const body = { name: unique('s'), encryptionRequired: false, roleAttributes: [unique('role')] };
      await makeService(controller, body);
      const answer = expectStatus(await admin.get(path, having(first)), 200);
      expect(answer.headers.etag).to.match(TEXT).and.not.equal(first);
      expect(answer.text).to.contain(body.roleAttributes[0]);
    });

    it('of the services of a client, whose changes it polls for', async () => {
      const { client } = await controller.newCaller();
      const service = await reachable(world);
      const updates = `${CLIENT}/current-api-session/service-updates`;
      const [polled, listed] = [tagOf(await client.get(updates)), tagOf(await client.get(`${CLIENT}/services`))];
      expectStatus(await client.get(updates, having(polled)), 304);
      expectStatus(await client.get(`${CLIENT}/services`, having(listed)), 304);
      expectStatus(await admin.patch(`${MANAGEMENT}/services/${service}`, { tags: { a: 1 } }), 200);
      expectStatus(await client.get(updates, having(polled)), 200);
      const list = expectStatus(await client.get(`${CLIENT}/services`, having(listed)), 200);
      expect(list.headers.etag).to.match(TEXT).and.not.equal(listed);
    });

    it('but has no tag for a list that nothing keeps', async () => {
      for (const path of [`${MANAGEMENT}/services`, `${MANAGEMENT}/identities`])
        expect(expectStatus(await admin.get(path, having('*')), 200).headers.etag, path).to.equal(undefined);
    });
  });

  describe('saves documents and pages', () => {
    const pages = ['/docs', '/docs/start.js', '/docs/explorer.css'];
    const files = ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/favicon-32x32.png'];
    const documents = ['', '/edge/v1', CLIENT, MANAGEMENT].flatMap((base) =>
      ['swagger.json', 'openapi.json', 'openapi.yaml'].map((name) => `${base}/${name}`),
    );
    for (const path of [...pages, ...files, ...documents]) {
      it(path, async () => {
        await expectConditional(controller.anonymous, path, TEXT);
        const { headers } = await controller.anonymous.get(path);
        expect(headers['cache-control']).to.equal(files.includes(path) ? 'public, max-age=3600' : 'no-cache');
      });
    }

    it('each form of a document by a tag of its own', async () => {
      const path = `${CLIENT}/specs/edge-client/spec`;
      const anonymous = controller.anonymous;
      const yaml = await expectConditional(anonymous, path, TEXT, { accept: 'text/yaml' });
      const json = await expectConditional(anonymous, path, TEXT, { accept: 'application/json' });
      expect(yaml).to.not.equal(json);
      const answer = expectStatus(await anonymous.get(path, having(yaml, { accept: 'application/json' })), 200);
      expect(answer.headers['vary']).to.match(/(^|, )Accept(,|$)/);
      const crossing = await anonymous.get(path, { headers: { origin: 'https://console.example.org' } });
      expect(crossing.headers['vary'])
        .to.match(/Origin/)
        .and.match(/(^|, )Accept(,|$)/);
    });
  });

  it('saves no refusal', async () => {
    const { client } = await controller.newCaller();
    const id = await makeService(controller);
    const path = `${MANAGEMENT}/services/${id}`;
    const tag = tagOf(await admin.get(path));
    for (const header of [tag, '*']) {
      expectStatus(await client.get(path, having(header)), 401);
      expectStatus(await controller.anonymous.get(path, having(header)), 401);
      expectStatus(await admin.get(`${MANAGEMENT}/services/nope`, having(header)), 404);
      expectStatus(await admin.get(`${MANAGEMENT}/services?limit=many`, having(header)), 400);
      expectStatus(await admin.patch(path, { tags: {} }, having('"other"')), 200);
    }
  });

  it('is offered to pages of other origins', async () => {
    const origin = 'https://console.example.org';
    const answer = await admin.get(`${MANAGEMENT}/version`, { headers: { origin } });
    expect(answer.headers['access-control-expose-headers']).to.match(/(^|, )etag(,|$)/i);
    const asked = 'If-Match, If-None-Match, zt-session';
    const preflight = await controller.anonymous.send('OPTIONS', `${MANAGEMENT}/services/x`, undefined, {
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': asked },
    });
    expect(preflight.headers['access-control-allow-headers']).to.equal('if-match, if-none-match, zt-session');
  });

  describe('and the tag of a detail', () => {
    const path = (collection: string, id: string) => `${MANAGEMENT}/${collection}/${id}`;
    const versionAt = async (at: string): Promise<string> => versionOf(tagOf(await admin.get(at)));
    const expectMoved = async (at: string, change: () => Promise<unknown>): Promise<void> => {
      const before = await versionAt(at);
      await change();
      expect(await versionAt(at)).to.not.equal(before);
    };

    it('moves with what an identity has open, and its version does not', async () => {
      const { id, client } = await controller.newCaller();
      const at = path('identities', id);
      const online = tagOf(await admin.get(at));
      expectStatus(await client.delete(`${CLIENT}/current-api-session`), 200);
      const offline = await admin.get(at, having(online));
      expect(entityOf(offline)['hasApiSession']).to.equal(false);
      expect(tagOf(offline)).to.not.equal(online);
      expect(versionOf(tagOf(offline))).to.equal(versionOf(online));
      expectStatus(await admin.patch(at, { tags: { a: 1 } }, { headers: { 'if-match': online } }), 200);
    });

    it('stays as it is with logins, reads and the activity of sessions', async () => {
      const { id, client, username, password } = await controller.newCaller();
      const identity = path('identities', id);
      const session = entityOf(await client.get(`${CLIENT}/current-api-session`)).id;
      const [ofIdentity, ofSession] = [await versionAt(identity), await versionAt(path('api-sessions', session))];
      const [{ id: authenticator }] = expectStatus(await admin.get(`${identity}/authenticators`), 200).data as [
        { id: string },
      ];
      const ofAuthenticator = await versionAt(path('authenticators', authenticator));
      const wrong = { username, password: 'wrong password' };
      expectStatus(await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, wrong), 403);
      await controller.login(username, password, { envInfo: { os: 'changed' }, sdkInfo: { type: 'changed' } });
      // As activity is written down, a while after it.
      await controller.database.query(
        "UPDATE api_sessions SET last_activity_at = now(), updated_at = now() + interval '1 s' WHERE id = $1",
        [session],
      );
      expect(await versionAt(identity)).to.equal(ofIdentity);
      expect(await versionAt(path('api-sessions', session))).to.equal(ofSession);
      expect(await versionAt(path('authenticators', authenticator))).to.equal(ofAuthenticator);
    });

    it('moves with what an identity hosts when the service goes', async () => {
      const service = await makeService(controller);
      const at = path('identities', await makeIdentity(controller, { serviceHostingCosts: { [service]: 5 } }));
      const before = await admin.get(at);
      expect(entityOf(before)['serviceHostingCosts']).to.deep.equal({ [service]: 5 });
      await expectMoved(at, () => admin.delete(path('services', service)));
      expect(entityOf(await admin.get(at))['serviceHostingCosts']).to.deep.equal({});
      expectStatus(await admin.delete(at, undefined, { headers: { 'if-match': tagOf(before) } }), 412);
    });

    it('moves with the roles of a policy when what they name goes', async () => {
      const [identity, service] = [await makeIdentity(controller), await makeService(controller)];
      const at = path(
        'service-policies',
        await makeServicePolicy(controller, { identityRoles: [`@${identity}`], serviceRoles: [`@${service}`] }),
      );
      await expectMoved(at, () => admin.delete(path('identities', identity)));
      await expectMoved(at, () => admin.delete(path('services', service)));
      const roles = entityOf(await admin.get(at));
      expect([roles['identityRoles'], roles['serviceRoles']]).to.deep.equal([[], []]);
    });

    it('moves with a name behind a role, and its version does not', async () => {
      const service = await makeService(controller);
      const policy = {
        name: unique('p'),
        identityRoles: [],
        serviceRoles: [`@${service}`],
      };
      const at = path('service-policies', await makeServicePolicy(controller, policy));
      const before = tagOf(await admin.get(at));
      expectStatus(await admin.patch(path('services', service), { name: unique('renamed') }), 200);
      const after = tagOf(await admin.get(at, having(before)));
      expect(after).to.not.equal(before);
      expect(versionOf(after)).to.equal(versionOf(before));
    });

    it('moves with all that is stored beside the row: hostings, configs, signers, passwords', async () => {
      const service = await makeService(controller);
      const identity = path('identities', await makeIdentity(controller));
      await expectMoved(identity, () => admin.patch(identity, { serviceHostingCosts: { [service]: 7 } }));
      await expectMoved(identity, () =>
        admin.patch(identity, { serviceHostingPrecedences: { [service]: 'required' } }),
      );
      await expectMoved(identity, () => admin.post(`${identity}/disable`, { durationMinutes: 0 }));
      const type = await make(controller, 'config-types', { name: unique('type') });
      const config = await makeConfig(controller, { configTypeId: type, data: {} });
      await expectMoved(path('services', service), () => admin.patch(path('services', service), { configs: [config] }));
      await expectMoved(path('services', service), () => admin.patch(path('services', service), { configs: [] }));
      const caller = await controller.newCaller();
      const [authenticator] = expectStatus(await admin.get(`${path('identities', caller.id)}/authenticators`), 200)
        .data as [{ id: string }];
      const at = path('authenticators', authenticator.id);
      await expectMoved(at, () => admin.patch(at, { password: 'another pass word' }));
    });

    it('is one version for all readers, with the text that each of them sees', async () => {
      const reader = await controller.newCaller({ permissions: ['service.read'] });
      const service = await reachable(world);
      const [mine, theirs] = [
        await admin.get(path('services', service)),
        await reader.client.get(path('services', service)),
      ];
      expect(versionOf(tagOf(mine))).to.equal(versionOf(tagOf(theirs)));
      expect(tagOf(mine) === tagOf(theirs)).to.equal(mine.text === theirs.text);
      const own = await reader.client.get(`${CLIENT}/services/${service}`);
      expect(versionOf(tagOf(own))).to.equal(versionOf(tagOf(mine)));
    });
  });
});
