/** What routers with a tunneler reach, in SQL: the cases of access, router policies, the index. Against PostgreSQL. */
import { expect } from 'chai';
import { parseRoles } from '../../domain/policy/roles.js';
import type { PolicyType } from '../../domain/model.js';
import { accessCases, identities, services, withIds } from '../cases/access.js';
import { identityDraft, openStoresForTest, serviceDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const idOf = (name: string) => `id-of-${name}`;
const nameOf = (id: string) => id.slice('id-of-'.length);
const PEOPLE = Object.keys(identities);
const VERBS: readonly (readonly [PolicyType, string])[] = [
  ['Dial', 'dials'],
  ['Bind', 'binds'],
];

describe('what routers reach in SQL', () => {
  let fixture: TestStores;
  let stores: TestStores['stores'];

  before(async () => {
    fixture = await openStoresForTest({ identityTypes: ['Router', 'User'] });
    ({ stores } = fixture);
    await query("INSERT INTO network (trust_domain, master_key_check, advertise) VALUES ('x', 'x', 'x')");
    for (const [name, roleAttributes] of Object.entries(identities)) {
      await router(idOf(name), [name]);
      await stores.identities.create(idOf(name), identityDraft(name, { roleAttributes, typeId: 'Router' }), []);
    }
    for (const [name, roleAttributes] of Object.entries(services))
      await stores.services.create(idOf(name), serviceDraft(name, { roleAttributes }));
    await routerPolicies(['#all']);
  });
  after(() => fixture.close());

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);
  const router = (id: string, roleAttributes: readonly string[], isTunnelerEnabled = true) =>
    query(
      `INSERT INTO routers (id, name, is_edge, is_tunneler_enabled, role_attributes) VALUES ($1, $1, true, $2, $3)`,
      [id, isTunnelerEnabled, roleAttributes],
    );
  /** All identities may use all routers; all services those that are selected. */
  const routerPolicies = async (edgeRouterRoles: readonly string[]) => {
    await query('DELETE FROM edge_router_policies');
    await query('DELETE FROM service_edge_router_policies');
    await query(`INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
      VALUES ('e', 'e', 'AnyOf', '{#all}', '{#all}')`);
    await query(
      `INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
      VALUES ('s', 's', 'AnyOf', '{#all}', $1)`,
      [edgeRouterRoles],
    );
  };
  const policy = (
    id: string,
    { type = 'Dial', semantic = 'AnyOf', identityRoles = ['#all'], serviceRoles = ['#all'] }: Partial<PolicyDraft> = {},
    postureCheckRoles: readonly string[] = [],
  ) =>
    stores.servicePolicies.create(id, {
      name: id,
      type,
      semantic,
      identityRoles: parseRoles('identityRoles', withIds(identityRoles, idOf)),
      serviceRoles: parseRoles('serviceRoles', withIds(serviceRoles, idOf)),
      postureCheckRoles: [...postureCheckRoles],
      tags: {},
    });
  const reached = (names: readonly string[] = PEOPLE) => stores.routerModels.reached(names.map(idOf));
  /** `identity verb service`, by what each router is told. */
  const pairs = async () => {
    const { reaches } = await reached();
    const found = new Set<string>();
    for (const [id, { policies }] of reaches)
      for (const { type, serviceIds } of policies)
        for (const service of serviceIds) found.add(`${nameOf(id)} ${type.toLowerCase()}s ${nameOf(service)}`);
    return [...found];
  };

  for (const { name, policies, allowed } of accessCases) {
    it(`${name}: what is told, what may be used and what is denied agree`, async () => {
      await query('DELETE FROM service_policies');
      for (const [index, draft] of policies.entries()) await policy(`p${index}`, draft);
      expect(await pairs()).to.have.members([...allowed]);
      for (const person of PEOPLE)
        for (const [type, verb] of VERBS) {
          const all = Object.keys(services).map(idOf);
          const denied = await stores.routerModels.denied(idOf(person), type, all);
          for (const service of Object.keys(services)) {
            const pair = `${person} ${verb} ${service}`;
            expect(denied.includes(idOf(service)), pair).to.equal(!allowed.includes(pair));
            for (const named of [{ id: idOf(service) }, { name: service }])
              expect((await stores.routerModels.access(idOf(person), type, named))?.service, pair).to.deep.include({
                serviceId: idOf(service),
                isGranted: allowed.includes(pair),
                isRouterAllowed: true,
              });
          }
        }
    });
  }

  describe('with a policy that grants everything', () => {
    before(async () => {
      await query('DELETE FROM service_policies');
      await policy('everything');
    });
    afterEach(() => routerPolicies(['#all']));

    it('narrows it to the routers that the service may use', async () => {
      await routerPolicies(['#alice']);
      expect(await pairs()).to.have.members(Object.keys(services).map((service) => `alice dials ${service}`));
      const access = await stores.routerModels.access(idOf('bob'), 'Dial', { name: 'crm' });
      expect(access?.service).to.deep.include({ isGranted: true, isRouterAllowed: false });
      expect(await stores.routerModels.denied(idOf('bob'), 'Dial', [idOf('crm')])).to.deep.equal([idOf('crm')]);
    });

    it('takes all when the identity may not use the router', async () => {
      await query("UPDATE edge_router_policies SET identity_roles = ARRAY['@' || $1::text]", [idOf('bob')]);
      expect((await pairs()).every((pair) => pair.startsWith('bob '))).to.equal(true);
      expect(await pairs()).to.have.length(Object.keys(services).length);
    });

    it('has neither routers without a tunneler nor strange ones', async () => {
      await router('plain', [], false);
      const { reaches } = await stores.routerModels.reached(['plain', 'strange', idOf('alice')]);
      expect([...reaches.keys()]).to.deep.equal([idOf('alice')]);
      expect(await stores.routerModels.access('strange', 'Dial', { name: 'crm' })).to.equal(undefined);
      expect(await stores.routerModels.access('plain', 'Dial', { name: 'crm' })).to.deep.include({
        hasIdentity: false,
      });
      expect(await stores.routerModels.access(idOf('alice'), 'Dial', { name: 'none' })).to.deep.equal({
        hasIdentity: true,
        service: undefined,
      });
    });

    it('grants a disabled identity nothing, and says until when', async () => {
      await query(
        "UPDATE identities SET disabled_at = now(), disabled_until = now() + interval '1 hour' WHERE id = $1",
        [idOf('alice')],
      );
      const { reaches, disabledUntil } = await reached(['alice', 'bob']);
      expect(reaches.get(idOf('alice'))?.policies).to.deep.equal([]);
      expect([...disabledUntil.keys()]).to.deep.equal([idOf('alice')]);
      expect(disabledUntil.get(idOf('alice'))).to.be.greaterThan(new Date());
      expect(await stores.routerModels.access(idOf('alice'), 'Dial', { name: 'crm' })).to.deep.include({
        hasIdentity: false,
      });
      await query('UPDATE identities SET disabled_at = NULL, disabled_until = NULL');
      expect((await reached(['alice'])).disabledUntil.size).to.equal(0);
    });

    it('grants nothing by a policy that asks for a posture check', async () => {
      await query(`INSERT INTO posture_checks (id, name, type_id, criteria, role_attributes)
        VALUES ('c', 'c', 'MFA', '{}', '{asked}')`);
      await query('DELETE FROM service_policies');
      await policy('asking', {}, ['#asked']);
      expect(await pairs()).to.deep.equal([]);
      await policy('not asking', { serviceRoles: ['@crm'] }, ['#other']);
      expect(await pairs()).to.have.members(PEOPLE.map((person) => `${person} dials crm`));
    });
  });

  it('has the configs of what is reached, with a version of their data, and those of the identity', async () => {
    await query('DELETE FROM service_policies');
    await policy('one', { type: 'Bind', identityRoles: ['@alice'], serviceRoles: ['@crm'] });
    for (const id of ['host', 'dial', 'unused'])
      await stores.configTypes.create(id, { name: `type-${id}`, schema: null, target: 'service', tags: {} });
    const config = (id: string, configTypeId: string) =>
      stores.configs.create(id, { name: id, configTypeId, data: { port: 1 }, tags: {} });
    await Promise.all([config('of-crm', 'host'), config('of-wiki', 'host'), config('own', 'dial')]);
    await stores.services.update(idOf('crm'), { configs: ['of-crm'] });
    await stores.services.update(idOf('wiki'), { configs: ['of-wiki'] });
    for (const service of ['crm', 'wiki'])
      await query('INSERT INTO identity_service_configs VALUES ($1, $2, $3, $4)', [
        idOf('alice'),
        idOf(service),
        'own',
        'dial',
      ]);
    await query("INSERT INTO identity_hostings VALUES ($1, $2, 5, NULL), ($1, $3, NULL, 'failed')", [
      idOf('alice'),
      idOf('crm'),
      idOf('wiki'),
    ]);
    const { reaches, services: told, configVersions, configTypes } = await reached(['alice', 'bob']);
    expect(reaches.get(idOf('alice'))).to.deep.equal({
      identity: {
        id: idOf('alice'),
        name: 'alice',
        appData: '{}',
        hostingCost: 0,
        hostingPrecedence: 'default',
        hostings: [{ serviceId: idOf('crm'), cost: 5, precedence: null }],
        overrides: [{ serviceId: idOf('crm'), typeId: 'dial', configId: 'own' }],
      },
      policies: [{ id: 'one', name: 'one', type: 'Bind', serviceIds: [idOf('crm')] }],
      routerPolicyIds: ['s', 'e'],
    });
    expect([...told.values()].map(({ id, configIds }) => [id, configIds])).to.deep.equal([[idOf('crm'), ['of-crm']]]);
    expect(configVersions.map(({ id }) => id)).to.have.members(['of-crm', 'own']);
    expect([...configTypes.values()].map(({ id }) => id)).to.have.members(['host', 'dial']);
    const versions = async () =>
      new Map((await reached(['alice'])).configVersions.map(({ id, version }) => [id, version]));
    const before = await versions();
    const [read] = await stores.routerModels.configs(['of-crm', 'gone']);
    expect(read).to.deep.equal({
      id: 'of-crm',
      name: 'of-crm',
      typeId: 'host',
      data: '{"port": 1}',
      version: before.get('of-crm'),
    });
    await stores.configs.update('of-crm', { data: { port: 2 } });
    expect((await versions()).get('of-crm')).not.to.equal(before.get('of-crm'));
    expect((await versions()).get('own')).to.equal(before.get('own'));
  });

  describe('the index', () => {
    const index = async () => (await reached([])).index;
    const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
      [
        'a router gets a tunneler',
        () => stores.identities.create('new', identityDraft('new', { typeId: 'Router' }), []),
      ],
      ['its identity has another name', () => query("UPDATE identities SET name = 'newer' WHERE id = 'new'")],
      [
        'its identity hosts at another cost',
        () => query("UPDATE identities SET default_hosting_cost = 1 WHERE id = 'new'"),
      ],
      ['its identity has other data', () => query(`UPDATE identities SET app_data = '{"a": 1}' WHERE id = 'new'`)],
      ['its identity is disabled', () => query("UPDATE identities SET disabled_at = now() WHERE id = 'new'")],
      [
        'its identity has another attribute',
        () => query("UPDATE identities SET role_attributes = '{x}' WHERE id = 'new'"),
      ],
      [
        'it hosts one service otherwise',
        () => query("INSERT INTO identity_hostings VALUES ('new', $1, 7)", [idOf('crm')]),
      ],
      ['it hosts it as any again', () => query("DELETE FROM identity_hostings WHERE identity_id = 'new'")],
      [
        'a service is another',
        () => query('UPDATE services SET encryption_required = true WHERE id = $1', [idOf('crm')]),
      ],
      ['a config is another', () => query("UPDATE configs SET data = '{}' WHERE id = 'of-crm'")],
      ['a config that a service carries goes', () => stores.transaction((tx) => tx.configs.remove('of-crm'))],
      ['a policy comes', () => policy('p')],
      ['a policy goes', () => query("DELETE FROM service_policies WHERE id = 'p'")],
      ['a router policy of services goes', () => query('DELETE FROM service_edge_router_policies')],
      ['a router has another attribute', () => query("UPDATE routers SET role_attributes = '{y}' WHERE id = 'new'")],
      ['it has no tunneler any more', () => query("DELETE FROM identities WHERE id = 'new'")],
    ];
    before(() => router('new', []));
    for (const [what, change] of changes)
      it(`grows when ${what}`, async () => {
        const before = await index();
        await change();
        expect(await index()).to.be.greaterThan(before);
      });

    it('stands when an identity that is no router comes, changes and goes', async () => {
      const before = await index();
      await stores.identities.create('person', identityDraft('person'), []);
      await query("UPDATE identities SET name = 'p', default_hosting_cost = 3 WHERE id = 'person'");
      await query("INSERT INTO identity_hostings VALUES ('person', $1, 7)", [idOf('crm')]);
      await query("DELETE FROM identities WHERE id = 'person'");
      expect(await index()).to.equal(before);
    });

    it('is of a timeline that stays', async () => {
      const { timelineId } = await reached();
      expect(timelineId).to.match(/^[0-9a-f-]{36}$/);
      expect((await reached()).timelineId).to.equal(timelineId);
    });
  });
});

interface PolicyDraft {
  readonly type: PolicyType;
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}
