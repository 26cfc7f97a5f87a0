/**
 * Causes of routers and traffic, each made as it happens: by the API, and by routers that go, lose a link or host
 * nothing any more. Against a whole controller and scripted routers.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { documentOf } from '../support/document.js';
import { make } from '../support/entities.js';
import { explained } from '../support/explain-scene.js';
import { LinkScene, linkFault, linkTo, report } from '../support/link-scene.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import type { ScriptedRouter } from '../support/scripted-router.js';

describe('explaining what routers and hosts stop', function explainingBroken() {
  this.timeout(120_000);
  let controller: TestController;
  let scenes: LinkScene;
  let caller: Caller;
  let service: string;
  let reach: string;
  let terminator: string;
  let link: string;
  let [first, second, third]: ScriptedRouter[] = [];

  before(async () => {
    controller = await startTestController();
    scenes = new LinkScene(controller);
  });
  after(() => controller.stop());
  beforeEach(buildScene);
  afterEach(() => scenes.end());

  const routerAt = (router: ScriptedRouter | undefined): ScriptedRouter => {
    if (router === undefined) throw new Error('no router');
    return router;
  };
  const addTerminator = (more: object = {}) =>
    make(controller, 'terminators', {
      ...{ service, router: routerAt(second).id, binding: 'transport', address: 'tcp:localhost:5432' },
      ...more,
    });

  /** The client at the first router, the host at the second, a link between them, and the third without any. */
  async function buildScene(): Promise<void> {
    await scenes.begin();
    [first, second, third] = [await scenes.online(0), await scenes.online(1), await scenes.online(2)];
    const word = unique('word');
    caller = await controller.newCaller({ roleAttributes: [word] });
    service = await make(controller, 'services', { name: word, encryptionRequired: false });
    const policy = (collection: string, more: object) =>
      make(controller, collection, { name: unique('policy'), semantic: 'AnyOf', ...more });
    await policy('service-policies', { type: 'Dial', identityRoles: [`#${word}`], serviceRoles: [`@${service}`] });
    reach = await policy('edge-router-policies', {
      ...{ identityRoles: [`#${word}`], edgeRouterRoles: [`@${routerAt(first).id}`] },
    });
    await policy('service-edge-router-policies', { serviceRoles: [`@${service}`], edgeRouterRoles: ['#all'] });
    terminator = await addTerminator();
    link = unique('link');
    report(routerAt(first), [linkTo(routerAt(second), link)]);
    await until('it works', async () => (await about()).outcome === 'works');
  }

  const about = (query = '') => explained(controller.admin, caller.id, service, query);
  /** Routers are heard of a moment later. */
  const reads = async (cause: string, query = '') => {
    const answer = await until(`the cause is ${cause}`, async () => {
      const now = await about(query);
      return now.cause === cause ? now : undefined;
    });
    expect(answer.verdict).to.match(/^.+ cannot dial .+\.$/);
    expect(answer.remedy).to.match(/^[A-Z].*\.$/);
  };
  const remove = async (path: string) => expectStatus(await controller.admin.delete(`${M}/${path}`), 200);

  it('reads a router policy that was deleted', async () => {
    await remove(`edge-router-policies/${reach}`);
    await reads('NO_COMMON_ROUTER');
  });

  it('reads a router that went, and one that was disabled', async () => {
    expectStatus(await controller.admin.patch(`${M}/edge-routers/${routerAt(first).id}`, { disabled: true }), 200);
    await reads('ROUTERS_OFFLINE');
    await reads('ROUTER_OFFLINE', `?routerId=${routerAt(first).id}`);
    expectStatus(await controller.admin.patch(`${M}/edge-routers/${routerAt(first).id}`, { disabled: false }), 200);
    routerAt(first).close();
    await reads('ROUTERS_OFFLINE');
    await reads('ROUTER_OFFLINE', `?routerId=${routerAt(first).id}`);
  });

  it('reads a router that no policy gives the client', async () => {
    await reads('ROUTER_NOT_ALLOWED', `?routerId=${routerAt(third).id}`);
  });

  it('reads that the last terminator was deleted, and that one is there only for who names it', async () => {
    await remove(`terminators/${terminator}`);
    await reads('NO_TERMINATOR');
    await addTerminator({ identity: 'one' });
    await reads('ONLY_NAMED_TERMINATORS');
  });

  it('reads that the router of the host went', async () => {
    routerAt(second).close();
    await reads('TERMINATORS_OFFLINE');
  });

  it('reads that the link to the host was lost', async () => {
    linkFault(routerAt(first), link);
    await reads('NO_PATH');
  });

  it('and its neighbour read each cause that there is', () => {
    const source = (name: string) => readFileSync(new URL(`../../../test/api/${name}`, import.meta.url), 'utf8');
    const text = source('explain.test.ts') + source('explain-broken.test.ts');
    const read = new Set([...text.matchAll(/(?:reads|expectCause)\('([A-Z_]+)'/g)].map(([, cause]) => cause));
    const { definitions } = documentOf('management');
    const causes = (definitions['accessExplanation']?.properties?.['cause']?.enum ?? []).filter(
      (cause) => cause !== null,
    );
    expect(causes.length).to.be.greaterThan(10);
    expect(causes.filter((cause) => !read.has(cause as string))).to.deep.equal([]);
  });
});
