/** Lists of where role attributes are used. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make, totalOf } from '../support/entities.js';
import { expectFault } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

interface Usage {
  readonly roleAttribute: string;
  readonly usage: Readonly<Record<string, { readonly count: number; readonly ids: readonly string[] | null }>>;
}

describe('uses of role attributes', () => {
  let controller: TestController;
  const [a, b, named] = [unique('a'), unique('b'), unique('named')];
  const ids: Record<string, string> = {};
  before(async () => {
    controller = await startTestController();
    const add = async (name: string, collection: string, body: object) => {
      ids[name] = await make(controller, collection, { name: unique(name), ...body });
    };
    const both = { roleAttributes: [a, b] };
    await add('identity', 'identities', { type: 'Device', isAdmin: false, ...both });
    await add('otherIdentity', 'identities', { type: 'Device', isAdmin: false, roleAttributes: [b] });
    await add('router', 'edge-routers', both);
    await add('service', 'services', { encryptionRequired: true, ...both });
    await add('check', 'posture-checks', { typeId: 'DOMAIN', domains: ['x'], ...both });
    const roles = [`#${a}`, `#${named}`];
    await add('servicePolicy', 'service-policies', {
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [...roles, `@${ids['identity'] ?? ''}`],
      serviceRoles: roles,
      postureCheckRoles: [`#${named}`],
    });
    await add('edgeRouterPolicy', 'edge-router-policies', {
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      edgeRouterRoles: roles,
    });
    await add('serviceEdgeRouterPolicy', 'service-edge-router-policies', {
      semantic: 'AnyOf',
      serviceRoles: roles,
      edgeRouterRoles: ['#all'],
    });
  });
  after(() => controller.stop());

  const list = async (kind: string, query = '') =>
    controller.admin.get(`${MANAGEMENT}/${kind}-role-attribute-usage?${query}`);
  const usages = async (kind: string, query = ''): Promise<Usage[]> =>
    expectStatus(await list(kind, query), 200).data as Usage[];

  const EXPECTED: Record<string, Record<string, Record<string, string[]>>> = {
    'identity': {
      [a]: { identities: ['identity'], servicePolicies: ['servicePolicy'], edgeRouterPolicies: [] },
      [b]: { identities: ['identity', 'otherIdentity'], servicePolicies: [], edgeRouterPolicies: [] },
      [named]: { identities: [], servicePolicies: ['servicePolicy'], edgeRouterPolicies: [] },
    },
    'edge-router': {
      [a]: { edgeRouters: ['router'], edgeRouterPolicies: ['edgeRouterPolicy'], serviceEdgeRouterPolicies: [] },
      [b]: { edgeRouters: ['router'], edgeRouterPolicies: [], serviceEdgeRouterPolicies: [] },
      [named]: { edgeRouters: [], edgeRouterPolicies: ['edgeRouterPolicy'], serviceEdgeRouterPolicies: [] },
    },
    'service': {
      [a]: {
        services: ['service'],
        servicePolicies: ['servicePolicy'],
        serviceEdgeRouterPolicies: ['serviceEdgeRouterPolicy'],
      },
      [b]: { services: ['service'], servicePolicies: [], serviceEdgeRouterPolicies: [] },
      [named]: {
        services: [],
        servicePolicies: ['servicePolicy'],
        serviceEdgeRouterPolicies: ['serviceEdgeRouterPolicy'],
      },
    },
    'posture-check': {
      [a]: { postureChecks: ['check'], servicePolicies: [] },
      [b]: { postureChecks: ['check'], servicePolicies: [] },
      [named]: { postureChecks: [], servicePolicies: ['servicePolicy'] },
    },
  };

  for (const [kind, expected] of Object.entries(EXPECTED)) {
    it(`of ${kind} count who has them and which policies name them, apart from #all and @id`, async () => {
      for (const withIds of [false, true]) {
        const shown = Object.entries(expected).map(([roleAttribute, uses]) => ({
          roleAttribute,
          usage: Object.fromEntries(
            Object.entries(uses).map(([source, names]) => [
              source,
              { count: names.length, ids: withIds ? names.map((name) => ids[name]).sort() : null },
            ]),
          ),
        }));
        const found = await usages(kind, withIds ? 'withIds=true' : '');
        expect(found).to.deep.equal(shown.sort((x, y) => (x.roleAttribute < y.roleAttribute ? -1 : 1)));
      }
    });
  }

  it('are filtered by the attribute, and cut as lists are', async () => {
    const filter = (text: string) => `filter=${encodeURIComponent(text)}`;
    expect((await usages('identity', filter(`id = "${a}"`))).map((one) => one.roleAttribute)).to.deep.equal([a]);
    const page = expectStatus(await list('identity', 'limit=1&offset=1'), 200);
    expect([(page.data as Usage[]).map((one) => one.roleAttribute), totalOf(page)]).to.deep.equal([[b], 3]);
    expectFault(await list('identity', filter('usage = 1')), 400, 'INVALID_FILTER');
  });

  it('forget what is gone', async () => {
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/posture-checks/${ids['check'] ?? ''}`), 200);
    expect((await usages('posture-check')).map((one) => one.roleAttribute)).to.deep.equal([named]);
  });
});
