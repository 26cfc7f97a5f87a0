/** Why an identity reaches a service, or what stops it: each cause is made, and read. Against a whole controller. */
import { expect } from 'chai';
import { authPolicy } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import {
  addRouter,
  addTerminator,
  connect,
  disconnect,
  explained,
  HOST,
  linkOf,
  openHost,
  openScene,
  ownExplained,
} from '../support/explain-scene.js';
import type { ExplainScene } from '../support/explain-scene.js';
import { makeIdentity, makeService } from '../support/make.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { enrollTotp } from '../support/totp.js';
import { randomly, seedOfRun } from '../support/random.js';

describe('explaining an access', function explaining() {
  this.timeout(120_000);
  let controller: TestController;
  let scene: ExplainScene;
  before(async () => {
    controller = await startTestController();
    await openHost(controller);
  });
  after(() => controller.stop());
  beforeEach(async () => {
    scene = await openScene(controller);
  });

  const about = (query = '') => explained(controller.admin, scene.caller.id, scene.service, query);
  const dial = async () =>
    (await scene.caller.client.post(`${C}/sessions`, { serviceId: scene.service, type: 'Dial' })).status;
  const patch = async (path: string, body: object) =>
    expectStatus(await controller.admin.patch(`${M}/${path}`, body), 200);
  const expectCause = async (cause: string, step: string, outcome = 'refused', query = '') => {
    const answer = await about(query);
    expect(answer.cause, answer.verdict).to.equal(cause);
    expect(answer.outcome).to.equal(outcome);
    expect(linkOf(answer, step).state).to.equal('stops');
    expect(answer.verdict).to.include(linkOf(answer, step).finding);
    expect(answer.remedy).to.match(/^[A-Z].*\.$/);
    return answer;
  };

  it('names every link of a chain that holds, in its order', async () => {
    const answer = await about();
    expect(answer).to.deep.include({ outcome: 'works', cause: null, remedy: '' });
    expect(answer.verdict).to.equal(`${scene.caller.name} can dial ${scene.serviceName}.`);
    expect(answer.links.map(({ step, state }) => `${step} ${state}`)).to.deep.equal([
      'identity passes',
      'login passes',
      'authPolicy passes',
      'policies passes',
      'posture passes',
      'routers passes',
      'terminators passes',
      'path passes',
      'refusals passes',
    ]);
    expect(linkOf(answer, 'login').finding).to.match(/^logged in by password at 20/);
    expect(linkOf(answer, 'policies').items[0]).to.include({ id: scene.policy, isPassing: true });
    expect(linkOf(answer, 'routers').items[0]).to.include({ id: scene.router, finding: 'online.' });
    expect(linkOf(answer, 'terminators').items[0]?.finding).to.include('secret-host');
    expect(await dial()).to.equal(201);
  });

  it('reads a disabled identity, and until when', async () => {
    const path = `${M}/identities/${scene.caller.id}/disable`;
    expectStatus(await controller.admin.post(path, { durationMinutes: 5 }), 200);
    const { verdict } = await expectCause('IDENTITY_DISABLED', 'identity');
    expect(verdict).to.match(/is disabled until 20/);
    expect(await dial()).to.equal(401);
  });

  it('reads an identity that is not logged in, one that has not enrolled, and one that never can', async () => {
    expectStatus(await scene.caller.client.delete(`${C}/current-api-session`), 200);
    const { links } = await expectCause('NOT_LOGGED_IN', 'login');
    expect(links.find(({ step }) => step === 'posture')?.state).to.equal('passes');
    const never = await makeIdentity(controller);
    const waiting = await makeIdentity(controller, { enrollment: { ott: true } });
    expect(linkOf(await explained(controller.admin, never, scene.service), 'login').finding).to.include(
      'no authenticator',
    );
    expect(linkOf(await explained(controller.admin, waiting, scene.service), 'login').finding).to.include(
      'not enrolled',
    );
  });

  it('reads a login at the management API alone', async () => {
    const { client, username, password } = scene.caller;
    expectStatus(await client.delete(`${C}/current-api-session`), 200);
    await controller.loginAt(M, username, password);
    await expectCause('LOGGED_IN_AT_MANAGEMENT', 'login');
  });

  it('reads a second factor that is owed, and what the auth policy asks for', async () => {
    await enrollTotp(scene.caller.client);
    expect((await about()).outcome).to.equal('works');
    scene = {
      ...scene,
      caller: { ...scene.caller, client: await controller.login(scene.caller.username, scene.caller.password) },
    };
    await expectCause('SECOND_FACTOR_OWED', 'authPolicy');
    expect(await dial()).to.equal(401);
    const strict = await make(controller, 'auth-policies', authPolicy({ secondary: { requireTotp: true } }));
    const other = await openScene(controller);
    await patch(`identities/${other.caller.id}`, { authPolicyId: strict });
    scene = other;
    const answer = await expectCause('SECOND_FACTOR_OWED', 'authPolicy');
    expect(linkOf(answer, 'authPolicy').items[0]?.finding).to.include('a TOTP code');
  });

  it('reads a way to log in that the auth policy does not allow any more', async () => {
    const policy = await make(controller, 'auth-policies', authPolicy({}));
    await patch(`identities/${scene.caller.id}`, { authPolicyId: policy });
    await controller.database.query('UPDATE auth_policies SET updb_allowed = false WHERE id = $1', [policy]);
    await expectCause('LOGIN_NOT_ALLOWED', 'authPolicy');
  });

  it('reads that no policy selects the two, and names the one that nearly does with the missing role', async () => {
    await patch(`identities/${scene.caller.id}`, { roleAttributes: ['other'] });
    const { remedy, links } = await expectCause('NO_POLICY', 'policies');
    const near = links.find(({ step }) => step === 'policies')?.items[0];
    expect(near).to.include({ id: scene.policy, isPassing: false });
    expect(near?.finding).to.match(/does not select the identity, which lacks #attribute-/);
    expect(remedy).to.match(/^Give the identity the attribute attribute-.*: the policy secret-policy/);
    expect(await dial()).to.equal(404);
    await patch(`identities/${scene.caller.id}`, { roleAttributes: [(near?.finding ?? '').replace(/.*#|\.$/g, '')] });
    expect((await about()).outcome, 'after what it said to do').to.equal('works');
  });

  it('asks about the right to host apart', async () => {
    const { verdict, links } = await expectCause('NO_POLICY', 'policies', 'refused', '?type=bind');
    expect(verdict).to.include('cannot host');
    expect(links.map(({ step }) => step)).to.not.include('terminators');
  });

  it('reads a failing posture check with what is wanted and found, and the last refusal', async () => {
    const name = unique('secret-check');
    const check = await make(controller, 'posture-checks', { name, typeId: 'DOMAIN', domains: ['good.example'] });
    await patch(`service-policies/${scene.policy}`, { postureCheckRoles: [`@${check}`] });
    expect(await dial()).to.equal(409);
    const answer = await expectCause('POSTURE', 'posture');
    expect(linkOf(answer, 'posture').items[0]).to.include({
      id: check,
      name,
      isPassing: false,
      wanted: 'one of good.example',
      found: 'nothing was reported',
    });
    expect(linkOf(answer, 'refusals').items[0]).to.include({ id: check, name });
    const body = { typeId: 'DOMAIN', id: check, domain: 'good.example' };
    expectStatus(await scene.caller.client.post(`${C}/posture-response`, body), 201);
    expect(linkOf(await about(), 'posture').items[0]).to.include({ isPassing: true, found: 'good.example' });
    expect(await dial()).to.equal(201);
  });

  it('reads that there is no router in common', async () => {
    await controller.database.query('DELETE FROM edge_router_policies WHERE id = $1', [scene.identityRouters]);
    const { verdict } = await expectCause('NO_COMMON_ROUTER', 'routers');
    expect(verdict).to.include('no edge router policy gives the identity a router');
  });

  it('reads that the common routers are offline or disabled: a session is given, a dial fails', async () => {
    await disconnect(controller, scene.router);
    await expectCause('ROUTERS_OFFLINE', 'routers', 'unreachable');
    expect(await dial()).to.equal(201);
    await connect(controller, scene.router);
    await controller.database.query('UPDATE routers SET disabled = true WHERE id = $1', [scene.router]);
    const { remedy } = await expectCause('ROUTERS_OFFLINE', 'routers', 'unreachable');
    expect(remedy).to.equal('Enable one of them.');
  });

  it('is asked about one router', async () => {
    expect((await about(`?routerId=${scene.router}`)).outcome).to.equal('works');
    const other = await addRouter(controller);
    await expectCause('ROUTER_NOT_ALLOWED', 'routers', 'unreachable', `?routerId=${other}`);
    await disconnect(controller, scene.router);
    await expectCause('ROUTER_OFFLINE', 'routers', 'unreachable', `?routerId=${scene.router}`);
    const path = `${M}/identities/${scene.caller.id}/explain/${scene.service}?routerId=nothing`;
    expectNotFound(await controller.admin.get(path), 'edge router with id nothing not found');
  });

  const withoutTerminators = () =>
    controller.database.query('DELETE FROM terminators WHERE service_id = $1', [scene.service]);

  it('reads that no identity hosts the service, or only for dials that name an instance', async () => {
    await withoutTerminators();
    await expectCause('NO_TERMINATOR', 'terminators', 'unreachable');
    const { service: serviceId, router: routerId, host: hostId } = scene;
    await addTerminator(controller, { serviceId, routerId, hostId, instanceId: 'one' });
    await expectCause('ONLY_NAMED_TERMINATORS', 'terminators', 'unreachable');
  });

  it('reads that the router of the host is offline, and that no path leads to it', async () => {
    await withoutTerminators();
    const far = await addRouter(controller);
    await addTerminator(controller, { serviceId: scene.service, routerId: far, hostId: scene.host });
    await expectCause('TERMINATORS_OFFLINE', 'terminators', 'unreachable');
    await connect(controller, far);
    await expectCause('NO_PATH', 'path', 'unreachable');
    const between = await addRouter(controller);
    const link = (from: string, to: string) =>
      controller.database.query(
        `INSERT INTO router_links VALUES ($1, $2, 1, $3, $4, 'tls', 'tls:localhost:1', now(), 0, 0, 1, '[]')`,
        [unique('link'), HOST, from, to],
      );
    await link(between, scene.router);
    await link(between, far);
    expect((await about()).outcome).to.equal('works');
    await controller.database.query('UPDATE routers SET no_traversal = true WHERE id = $1', [between]);
    await expectCause('NO_PATH', 'path', 'unreachable');
  });

  it('refuses what is not there', async () => {
    const path = (id: string, service: string) => `${M}/identities/${id}/explain/${service}`;
    expectNotFound(await controller.admin.get(path('nobody', scene.service)), 'identity with id nobody not found');
    expectNotFound(await controller.admin.get(path(scene.caller.id, 'none')), 'service with id none not found');
    expectStatus(await controller.admin.get(`${path(scene.caller.id, scene.service)}?type=both`), 400);
  });

  it('shows delegates only the links that they may read, and does not call unseen what stops', async () => {
    const { client } = await controller.newCaller({ permissions: ['service.read'], at: M });
    const answer = await explained(client, scene.caller.id, scene.service);
    expect(answer).to.deep.include({ outcome: 'unknown', cause: null });
    for (const { state, items } of answer.links) expect([state, items]).to.deep.equal(['hidden', []]);
    const text = JSON.stringify(answer);
    for (const word of ['secret', scene.router, scene.policy, scene.host]) expect(text).to.not.include(word);
    const permissions = ['service.read', 'service-policy.read'];
    const more = await controller.newCaller({ permissions, at: M });
    const seen = await explained(more.client, scene.caller.id, scene.service);
    expect(seen.links.filter(({ state }) => state !== 'hidden').map(({ step }) => step)).to.deep.equal(['policies']);
    await patch(`identities/${scene.caller.id}`, { roleAttributes: [] });
    expect((await explained(more.client, scene.caller.id, scene.service)).cause).to.equal('NO_POLICY');
  });

  it('tells a client of itself without names of policies, checks, hosts or others', async () => {
    const check = await make(controller, 'posture-checks', {
      name: unique('secret-check'),
      typeId: 'DOMAIN',
      domains: ['secret.example'],
    });
    const { client } = scene.caller;
    expect((await ownExplained(client, scene.service)).outcome).to.equal('works');
    await patch(`service-policies/${scene.policy}`, { postureCheckRoles: [`@${check}`] });
    await withoutTerminators();
    const answer = await ownExplained(client, scene.service);
    expect(answer.cause).to.equal('POSTURE');
    expect(linkOf(answer, 'posture').items[0]?.finding).to.include('the client has not reported its Windows domain');
    expect(linkOf(answer, 'routers').items[0]?.name).to.equal(scene.router);
    expect(linkOf(answer, 'terminators').finding).to.equal('the service has no host at present.');
    const text = JSON.stringify(answer);
    for (const word of ['secret', 'attribute', check, scene.policy, scene.host]) expect(text).to.not.include(word);
    expect((await ownExplained(client, scene.service, '?type=bind')).cause).to.equal('NO_POLICY');
  });

  it('knows no service to a client that is not in its list', async () => {
    const other = await makeService(controller);
    for (const id of [other, 'none'])
      expectNotFound(await scene.caller.client.get(`${C}/services/${id}/explain`), `service with id ${id} not found`);
    expectStatus(await controller.anonymous.get(`${C}/services/${scene.service}/explain`), 401);
  });

  it('says for every pair of a random network what the sessions operation does', async () => {
    const seed = seedOfRun();
    const pick = randomly(seed);
    const WORDS = ['a', 'b', 'c', 'd'].map((word) => unique(word));
    const some = (words: readonly string[]) => words.filter(() => pick(3) === 0);
    const roles = (ids: readonly string[]) => {
      if (pick(12) === 0) return ['#all'];
      return [...some(WORDS).map((word) => `#${word}`), ...(pick(4) === 0 ? [`@${ids[pick(ids.length)] ?? ''}`] : [])];
    };
    const semantic = () => (pick(2) === 0 ? 'AnyOf' : 'AllOf');
    const callers = [];
    for (let n = 0; n < 6; n += 1) callers.push(await controller.newCaller({ roleAttributes: some(WORDS) }));
    const services: string[] = [];
    for (let n = 0; n < 5; n += 1) services.push(await makeService(controller, { roleAttributes: some(WORDS) }));
    const checks: string[] = [];
    for (const domain of ['x', 'y']) {
      const body = { name: unique('check'), typeId: 'DOMAIN', domains: [domain], roleAttributes: some(WORDS) };
      checks.push(await make(controller, 'posture-checks', body));
    }
    for (const { client } of callers) {
      const report = { typeId: 'DOMAIN', id: checks[0], domain: ['x', 'y', 'z'][pick(3)] };
      if (pick(4) > 0) expectStatus(await client.post(`${C}/posture-response`, report), 201);
    }
    const ids = callers.map(({ id }) => id);
    for (let n = 0; n < 8; n += 1) {
      await make(controller, 'service-policies', {
        name: unique('policy'),
        type: pick(3) === 0 ? 'Bind' : 'Dial',
        semantic: semantic(),
        identityRoles: roles(ids),
        serviceRoles: roles(services),
        postureCheckRoles: pick(2) === 0 ? [] : roles(checks),
      });
    }
    const routers = [];
    for (let n = 0; n < 3; n += 1) routers.push(await addRouter(controller, some(WORDS)));
    for (let n = 0; n < 3; n += 1) {
      const parts = { edgeRouterRoles: roles(routers), semantic: semantic() };
      await make(controller, 'edge-router-policies', { name: unique('policy'), ...parts, identityRoles: roles(ids) });
      const ofService = { ...parts, name: unique('policy'), serviceRoles: roles(services) };
      await make(controller, 'service-edge-router-policies', ofService);
    }
    const seen = new Set<string>();
    for (const { id, client } of callers) {
      for (const serviceId of services) {
        for (const type of ['Dial', 'Bind']) {
          const { outcome, cause, verdict } = await explained(
            controller.admin,
            id,
            serviceId,
            `?type=${type.toLowerCase()}`,
          );
          const { status } = await client.post(`${C}/sessions`, { serviceId, type });
          seen.add(String(cause));
          expect(outcome === 'refused', `seed ${seed}: ${verdict}: ${status}`).to.equal(status !== 201);
          if (cause === 'POSTURE') expect(status).to.equal(409);
          if (cause === 'NO_POLICY') expect([400, 404]).to.include(status);
        }
      }
    }
    expect(seen.size, `seed ${seed}`).to.be.greaterThan(1);
  });
});
