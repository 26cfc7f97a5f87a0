/** What routers are told of clients with signed tokens, and when. Against a whole controller, with scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, make } from '../support/entities.js';
import { bearer, claimsOf, oidcClient } from '../support/oidc.js';
import type { OidcClient } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { modelOf, patch, remove } from '../support/tunneler.js';
import type { ModelReplica } from '../support/tunneler.js';
import { PASSWORD, makeUser } from '../support/users.js';

describe('what routers are told of clients with signed tokens', () => {
  let controller: TestController;
  let oidc: OidcClient;
  let own: EnrolledRouter;
  let other: EnrolledRouter;
  let model: ModelReplica;
  let strange: ModelReplica;
  const open: ScriptedRouter[] = [];
  before(async () => {
    controller = await startTestController();
    oidc = oidcClient(controller.anonymous);
  });
  beforeEach(async () => {
    [own, other] = [await newRouter(controller), await newRouter(controller)];
    [model, strange] = [await connect(own), await connect(other)];
  });
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });
  after(() => controller.stop());

  const connect = async (who: EnrolledRouter) => {
    const router = await ScriptedRouter.connect(controller.url, who);
    open.push(router);
    return modelOf(router);
  };

  interface Scene {
    readonly word: string;
    readonly identity: string;
    readonly service: string;
    readonly policy: string;
    readonly routerPolicy: string;
    readonly serviceRouterPolicy: string;
    readonly check: string;
  }
  /** One user, who may dial one service under a check, over the own router alone. */
  const scene = async (): Promise<Scene> => {
    const word = unique('scene');
    const put = (collection: string, body: object) => make(controller, collection, { name: word, ...body });
    const { id: identity } = await makeUser(controller.admin, word, { roleAttributes: [word] });
    const service = await put('services', { encryptionRequired: true, roleAttributes: [word] });
    const check = await put('posture-checks', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] });
    const [policyRoles, routers] = [{ semantic: 'AnyOf', identityRoles: [`#${word}`] }, [`@${own.id}`]];
    const routerPolicy = await put('edge-router-policies', { ...policyRoles, edgeRouterRoles: routers });
    const serviceRouterPolicy = await put('service-edge-router-policies', {
      semantic: 'AnyOf',
      serviceRoles: [`#${word}`],
      edgeRouterRoles: routers,
    });
    const policy = await put('service-policies', {
      ...policyRoles,
      type: 'Dial',
      serviceRoles: [`#${word}`],
      postureCheckRoles: [`@${check}`],
    });
    await until('the policy is told', () => model.find('servicePolicy', policy) !== undefined);
    return { word, identity, service, policy, routerPolicy, serviceRouterPolicy, check };
  };
  const nothing = () => ['identity', 'service', 'servicePolicy', 'postureCheck'].flatMap((kind) => model.names(kind));
  const empty = () => until('all of it is taken back', () => nothing().length === 0);

  it('is nothing of those who may not use a router, and without service policies only who they are', async () => {
    const word = unique('some');
    await makeUser(controller.admin, word, { roleAttributes: [word] });
    await make(controller, 'services', { name: word, encryptionRequired: false, roleAttributes: [word] });
    await make(controller, 'service-policies', {
      name: word,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${word}`],
      serviceRoles: [`#${word}`],
    });
    expect(nothing()).to.deep.equal([]);
    const made = await scene();
    for (const kind of ['identity', 'service', 'servicePolicy', 'postureCheck'])
      expect(strange.names(kind), kind).to.deep.equal([]);
    expect(nothing()).to.deep.equal([made.word, made.word, made.word, made.word]);
    await remove(controller, `service-policies/${made.policy}`);
    await until('the policy goes', () => model.names('servicePolicy').length === 0);
    expect(nothing()).to.deep.equal([made.word]);
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await empty();
  });

  it('is who may use it, and what that grants them, with its checks', async () => {
    const made = await scene();
    expect(model.find('service', made.service)).to.include({ name: made.word, encryptionRequired: true });
    expect(model.find('servicePolicy', made.policy)).to.include({ policyType: 1 });
    expect(model.members(made.policy)).to.deep.equal([made.service]);
    expect(model.members(made.policy, 'identity')).to.deep.equal([made.identity]);
    expect(model.members(made.policy, 'postureCheck')).to.deep.equal([made.check]);
    const check = model.find('postureCheck', made.check) as { subtype?: { case?: string; value?: object } };
    expect(check.subtype?.case).to.equal('osList');
    for (const each of open.splice(0)) each.close();
    const again = await connect(own);
    expect(again.members(made.policy, 'identity')).to.deep.equal([made.identity]);
    expect(again.members(made.policy, 'postureCheck')).to.deep.equal([made.check]);
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await until('all of it is taken back', () => again.names('identity').length === 0);
  });

  it('follows each change as a change, never by a whole state', async () => {
    const made = await scene();
    const states = model.states;
    await patch(controller, `identities/${made.identity}`, { name: `${made.word}-2` });
    await until('another name', () => model.names('identity')[0] === `${made.word}-2`);
    const name = unique('second');
    const { id: second } = await makeUser(controller.admin, name, { roleAttributes: [made.word] });
    await oidc.login(name, PASSWORD);
    await until('who came', () => model.members(made.policy, 'identity').includes(second));
    await patch(controller, `identities/${second}`, { roleAttributes: [] });
    await until('who went', () => !model.members(made.policy, 'identity').includes(second));
    expect(model.find('identity', second)).to.equal(undefined);
    const third = await make(controller, 'posture-checks', {
      name: unique('third'),
      typeId: 'MFA',
      timeoutSeconds: -1,
    });
    await patch(controller, `service-policies/${made.policy}`, { postureCheckRoles: [`@${third}`] });
    await until('another check', () => model.members(made.policy, 'postureCheck').includes(third));
    expect(model.find('postureCheck', made.check), 'what no policy asks for').to.equal(undefined);
    await patch(controller, `service-policies/${made.policy}`, { postureCheckRoles: [] });
    await until('no check', () => model.names('postureCheck').length === 0);
    await remove(controller, `service-edge-router-policies/${made.serviceRouterPolicy}`);
    await until('no service', () => model.names('service').length === 0);
    expect(model.names('servicePolicy')).to.deep.equal([]);
    expect(model.states).to.equal(states);
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await empty();
  });

  it('is nothing of an identity that is disabled, and all of it when that ends', async () => {
    const made = await scene();
    await controller.admin.post(`${M}/identities/${made.identity}/disable`, { durationMinutes: 0 });
    await until('the identity goes', () => model.names('identity').length === 0);
    expect(model.names('servicePolicy')).to.deep.equal([]);
    await controller.admin.post(`${M}/identities/${made.identity}/enable`, {});
    await until('it comes back', () => model.members(made.policy, 'identity').includes(made.identity));
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await empty();
  });

  it('is what it is now, whatever has changed while no router was connected', async () => {
    const made = await scene();
    for (const each of open.splice(0)) each.close();
    await until('no router is connected', async () => {
      const routers = itemsOf(expectStatus(await controller.admin.get(`${M}/edge-routers?limit=500`), 200));
      return routers.every((router) => router['isOnline'] === false);
    });
    await patch(controller, `identities/${made.identity}`, { name: `${made.word}-2` });
    const name = unique('second');
    const { id: second } = await makeUser(controller.admin, name, { roleAttributes: [made.word] });
    await oidc.login(name, PASSWORD);
    const again = await connect(own);
    expect(again.members(made.policy, 'identity')).to.have.members([made.identity, second]);
    expect(again.find('identity', made.identity)).to.include({ name: `${made.word}-2` });
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await until('all of it is taken back', () => again.names('identity').length === 0);
  });

  it('does not grow with sessions: logins tell routers nothing', async () => {
    const made = await scene();
    const [router] = open;
    const before = router?.received.length;
    for (let login = 0; login < 20; login += 1) await oidc.login(made.word, PASSWORD);
    // A change that comes after is heard, and nothing came in between.
    await patch(controller, `services/${made.service}`, { name: `${made.word}-2` });
    await until('the change', () => model.names('service').includes(`${made.word}-2`));
    const kinds = router?.received.slice(before).map(({ contentType }) => contentType) ?? [];
    expect(kinds.filter((kind) => kind !== ContentType.DataStateChangeSet)).to.deep.equal([]);
    expect(kinds.length).to.equal(1);
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await empty();
  });

  it('has the ends of sessions and tokens, also for a router that comes later', async () => {
    const made = await scene();
    const session = async () => {
      const { access_token: token } = await oidc.login(made.word, PASSWORD);
      return { token, id: String(claimsOf(token)['z_asid']), jti: String(claimsOf(token).jti) };
    };
    const [loggedOut, ended, revoked, disabled] = [await session(), await session(), await session(), await session()];
    expectStatus(
      await controller.anonymous.delete(`${C}/current-api-session`, undefined, bearer(loggedOut.token)),
      200,
    );
    expectStatus(await controller.admin.delete(`${M}/api-sessions/${ended.id}`), 200);
    expectStatus(await oidc.post('/oidc/revoke', { token: revoked.token, client_id: 'native' }), 200);
    await until('the first ends are told', () => model.find('revocation', revoked.jti) !== undefined);
    expect(model.find('revocation', disabled.id), 'a session that goes on').to.equal(undefined);
    await controller.admin.post(`${M}/identities/${made.identity}/disable`, { durationMinutes: 0 });
    const expected = [
      [loggedOut.id, 'API_SESSION'],
      [ended.id, 'API_SESSION'],
      [revoked.jti, 'JTI'],
      [disabled.id, 'API_SESSION'],
    ] as const;
    const has = (replica: ModelReplica) =>
      expected.every(([id, type]) => replica.find('revocation', id)?.['type'] === type);
    for (const replica of [model, strange]) await until('the ends are told', () => has(replica));
    const later = await connect(await newRouter(controller));
    await until('a router that comes later has them', () => has(later));
    const { expiresAt } = later.find('revocation', ended.id) as { expiresAt?: { seconds: bigint } };
    expect(Number(expiresAt?.seconds)).to.be.greaterThan(Number(claimsOf(ended.token).exp) - 1);
    await remove(controller, `edge-router-policies/${made.routerPolicy}`);
    await empty();
  });
});
