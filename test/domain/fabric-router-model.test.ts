/** What a router is told of the network: what is chosen, and what leads from one state to the next. */
import { expect } from 'chai';
import fc from 'fast-check';
import { modelChanges, wholeOf } from '../../domain/fabric/model-changes.js';
import type { ModelChange } from '../../domain/fabric/model-changes.js';
import { NO_MODEL, modelOf, reachedBy } from '../../domain/fabric/router-model.js';
import type {
  ModelCatalog,
  ModelIdentity,
  ModelPolicy,
  ModelRouter,
  RouterModel,
  RouterReach,
} from '../../domain/fabric/router-model.js';

const byId = <T extends { id: string }>(list: readonly T[]) => new Map(list.map((one) => [one.id, one]));

const service = (id: string, configIds: readonly string[] = []) => ({
  id,
  name: `name-${id}`,
  encryptionRequired: true,
  configIds,
});
const config = (id: string, typeId: string, data = '{}') => ({ id, name: `name-${id}`, typeId, data });
const CATALOG: ModelCatalog = {
  services: byId([service('a', ['a-host', 'a-dial']), service('b', ['b-host']), service('c')]),
  configs: byId([
    config('a-host', 'host'),
    config('a-dial', 'dial'),
    config('b-host', 'host'),
    config('b-other', 'other'),
    config('unused', 'unused'),
    config('link-1', 'link'),
    config('link-2', 'link'),
  ]),
  configTypes: byId([
    ...['host', 'dial', 'other', 'unused'].map((id) => ({ id, name: `type-${id}`, target: 'service' as const })),
    { id: 'link', name: 'type-link', target: 'router' as const },
  ]),
};
const IDENTITY: ModelIdentity = {
  id: 'router',
  name: 'a router',
  appData: '{}',
  hostingCost: 0,
  hostingPrecedence: 'default',
  hostings: [],
  overrides: [],
};
const policy = (id: string, type: 'Bind' | 'Dial', serviceIds: readonly string[]): ModelPolicy => ({
  id,
  name: `name-${id}`,
  type,
  serviceIds,
});
const reach = (policies: readonly ModelPolicy[], identity: Partial<ModelIdentity> = {}): RouterReach => ({
  identity: { ...IDENTITY, ...identity },
  policies,
  routerPolicyIds: [],
});
const ROUTER: ModelRouter = { id: 'router', name: 'a router', fingerprint: 'f', disabled: false, configIds: [] };
const keys = (map: ReadonlyMap<string, unknown>) => [...map.keys()];

describe('the model of a router', () => {
  it('is empty without a router', () => {
    expect(modelOf(undefined, undefined, CATALOG)).to.equal(NO_MODEL);
    expect(modelChanges(wholeOf(NO_MODEL), wholeOf(NO_MODEL))).to.deep.equal([]);
  });

  it('is the identity alone when nothing is granted to it', () => {
    const model = modelOf(ROUTER, reach([]), CATALOG);
    expect(model).to.deep.equal({ ...NO_MODEL, router: ROUTER, identity: IDENTITY });
  });

  it('has the granted services, what they refer to, and nothing else', () => {
    const model = modelOf(ROUTER, reach([policy('p', 'Bind', ['a'])]), CATALOG);
    expect(keys(model.services)).to.deep.equal(['a']);
    expect(keys(model.configs)).to.deep.equal(['a-dial', 'a-host']);
    expect(keys(model.configTypes)).to.deep.equal(['dial', 'host']);
  });

  it('has no policy that reaches nothing, and no service that is not there', () => {
    const model = modelOf(ROUTER, reach([policy('p', 'Bind', []), policy('q', 'Dial', ['gone', 'c'])]), CATALOG);
    expect([...model.policies.values()]).to.deep.equal([policy('q', 'Dial', ['c'])]);
  });

  it('has of the identity only what concerns services that it reaches', () => {
    const hostings = ['a', 'b'].map((serviceId) => ({ serviceId, cost: 3, precedence: null }));
    const overrides = ['a', 'b'].map((serviceId) => ({ serviceId, typeId: 'other', configId: `${serviceId}-other` }));
    const model = modelOf(ROUTER, reach([policy('p', 'Bind', ['b'])], { hostings, overrides }), CATALOG);
    expect(model.identity?.hostings.map(({ serviceId }) => serviceId)).to.deep.equal(['b']);
    expect(model.identity?.overrides.map(({ serviceId }) => serviceId)).to.deep.equal(['b']);
    expect(keys(model.configs)).to.deep.equal(['b-host', 'b-other']);
    expect(keys(model.configTypes)).to.deep.equal(['host', 'other']);
  });

  it('has the configs that the router has itself, and those for routers by no other way', () => {
    const router = { ...ROUTER, configIds: ['a-host', 'gone', 'link-1'] };
    const services = new Map(CATALOG.services).set('c', service('c', ['link-2']));
    const overrides = [{ serviceId: 'c', typeId: 'link', configId: 'link-2' }];
    for (const its of [undefined, reach([policy('p', 'Dial', ['c'])], { overrides })]) {
      const model = modelOf(router, its, { ...CATALOG, services });
      expect(keys(model.configs)).to.deep.equal(['link-1']);
      expect(keys(model.configTypes)).to.deep.equal(['link']);
      expect(model.router).to.deep.equal({ ...ROUTER, configIds: ['link-1'] });
    }
  });

  it('says which services may be hosted, and which dialed', () => {
    const model = modelOf(
      ROUTER,
      reach([policy('p', 'Bind', ['a']), policy('q', 'Dial', ['b', 'c']), policy('r', 'Bind', ['c'])]),
      CATALOG,
    );
    expect([...reachedBy(model, 'Bind')].sort()).to.deep.equal(['a', 'c']);
    expect([...reachedBy(model, 'Dial')].sort()).to.deep.equal(['b', 'c']);
  });
});

/** As short as it can be told. */
const told = (change: ModelChange): string =>
  change.kind === 'members'
    ? `${change.isAdded ? 'add' : 'remove'} ${change.of} ${change.ids.join()} ${change.policyId}`
    : `${change.action} ${change.kind} ${change.entity.id}`;
const changes = (before: RouterModel, after: RouterModel) => modelChanges(wholeOf(before), wholeOf(after)).map(told);

describe('changes of the model of a router', () => {
  const bound = modelOf(ROUTER, reach([policy('p', 'Bind', ['b'])]), CATALOG);
  const none = modelOf(ROUTER, reach([]), CATALOG);

  it('name nothing before it is known, from nothing to the whole', () => {
    expect(changes(NO_MODEL, bound)).to.deep.equal([
      'create configType host',
      'create config b-host',
      'create identity router',
      'create service b',
      'create router router',
      'create policy p',
      'add service b p',
      'add identity router p',
    ]);
  });

  it('take nothing away before what names it', () => {
    const taken = [
      'remove identity router p',
      'remove service b p',
      'delete policy p',
      'delete service b',
      'delete config b-host',
      'delete configType host',
    ];
    expect(changes(bound, none)).to.deep.equal(taken);
    expect(changes(bound, NO_MODEL)).to.have.members([...taken, 'delete identity router', 'delete router router']);
  });

  it('are none when nothing has changed', () => {
    expect(changes(bound, modelOf(ROUTER, reach([policy('p', 'Bind', ['b'])]), CATALOG))).to.deep.equal([]);
  });

  it('grant again before they take away, so that a service that stays is never lost', () => {
    const moved = modelOf(ROUTER, reach([policy('q', 'Bind', ['b'])]), CATALOG);
    const list = changes(bound, moved);
    expect(list).to.deep.equal([
      'create policy q',
      'add service b q',
      'add identity router q',
      'remove identity router p',
      'remove service b p',
      'delete policy p',
    ]);
  });

  it('make a policy of another type a new one', () => {
    expect(changes(bound, modelOf(ROUTER, reach([policy('p', 'Dial', ['b'])]), CATALOG))).to.deep.equal([
      'remove identity router p',
      'remove service b p',
      'delete policy p',
      'create policy p',
      'add service b p',
      'add identity router p',
    ]);
  });

  it('name only the members that came and went', () => {
    const both = modelOf(ROUTER, reach([policy('p', 'Bind', ['b', 'c'])]), CATALOG);
    expect(changes(bound, both)).to.deep.equal(['create service c', 'add service c p']);
    expect(changes(both, bound)).to.deep.equal(['remove service c p', 'delete service c']);
  });

  it('tell other names, data and hosting costs as updates', () => {
    const configs = new Map(CATALOG.configs).set('b-host', config('b-host', 'host', '{"port":2}'));
    expect(changes(bound, modelOf(ROUTER, reach([policy('p', 'Bind', ['b'])]), { ...CATALOG, configs }))).to.deep.equal(
      ['update config b-host'],
    );
    const renamed = modelOf(
      ROUTER,
      reach([{ ...policy('p', 'Bind', ['b']), name: 'other' }], { hostingCost: 7 }),
      CATALOG,
    );
    expect(changes(bound, renamed)).to.deep.equal(['update identity router', 'update policy p']);
  });

  it('tell a router of its configs before itself, and take them away after', () => {
    const withLink = (id: string) => modelOf({ ...ROUTER, configIds: [id] }, undefined, CATALOG);
    expect(changes(NO_MODEL, withLink('link-1'))).to.deep.equal([
      'create configType link',
      'create config link-1',
      'create router router',
    ]);
    expect(changes(withLink('link-1'), withLink('link-2'))).to.deep.equal([
      'create config link-2',
      'update router router',
      'delete config link-1',
    ]);
    expect(changes(withLink('link-1'), modelOf(ROUTER, undefined, CATALOG))).to.deep.equal([
      'update router router',
      'delete config link-1',
      'delete configType link',
    ]);
  });

  it('update a service before a config that it had goes', () => {
    const services = new Map(CATALOG.services).set('b', service('b'));
    expect(
      changes(bound, modelOf(ROUTER, reach([policy('p', 'Bind', ['b'])]), { ...CATALOG, services })),
    ).to.deep.equal(['update service b', 'delete config b-host', 'delete configType host']);
  });

  it('lead from any state to any other, and every name in them is known', () => {
    const ids = fc.subarray(['a', 'b', 'c']);
    const anyPolicy = (id: string) =>
      fc.record({
        id: fc.constant(id),
        name: fc.constantFrom('x', 'y'),
        type: fc.constantFrom('Bind', 'Dial'),
        serviceIds: ids,
      });
    const anyReach = fc.option(
      fc.record({
        identity: fc.record({
          ...Object.fromEntries(Object.entries(IDENTITY).map(([key, value]) => [key, fc.constant(value)])),
          hostingCost: fc.nat(1),
        }),
        policies: fc.tuple(anyPolicy('p'), anyPolicy('q')).chain((both) => fc.subarray(both)),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(anyReach, anyReach, (first, second) => {
        const [before, after] = [first, second].map((one) => modelOf(ROUTER, one as RouterReach | undefined, CATALOG));
        if (before === undefined || after === undefined) return;
        const replica = new Replica();
        for (const change of modelChanges(wholeOf(NO_MODEL), wholeOf(before))) replica.apply(change);
        for (const change of modelChanges(wholeOf(before), wholeOf(after))) replica.apply(change);
        expect(replica.shown()).to.deep.equal(shown(after));
      }),
    );
  });
});

/** A router that takes changes as they come, and stops at what makes no sense. */
class Replica {
  readonly entities = new Map<string, object>();
  readonly members = new Map<string, Set<string>>();

  apply(change: ModelChange): void {
    if (change.kind === 'members') {
      const known = this.members.get(change.policyId);
      if (known === undefined) throw new Error(`policy ${change.policyId} is not known`);
      for (const id of change.ids) {
        if (!this.entities.has(`${change.of} ${id}`)) throw new Error(`${change.of} ${id} is not known`);
        if (change.isAdded) known.add(id);
        else if (!known.delete(id)) throw new Error(`${id} was no member`);
      }
      return;
    }
    const { kind, action, entity } = change;
    const key = `${kind} ${entity.id}`;
    if (this.entities.has(key) === (action === 'create')) throw new Error(`${action} ${key}`);
    if (action !== 'delete') this.#requireKnown(change);
    if (action === 'delete') this.entities.delete(key);
    else this.entities.set(key, kind === 'policy' ? { id: entity.id, name: entity.name } : entity);
    if (kind !== 'policy') return;
    if (action === 'create') this.members.set(entity.id, new Set());
    if (action === 'delete') {
      if (this.members.get(entity.id)?.size !== 0) throw new Error(`${key} has members`);
      this.members.delete(entity.id);
    }
  }

  shown(): object {
    return {
      entities: [...this.entities].sort(([a], [b]) => (a < b ? -1 : 1)),
      members: [...this.members].map(([id, ids]) => [id, [...ids].sort()]).sort(),
    };
  }

  #requireKnown(change: Exclude<ModelChange, { kind: 'members' }>): void {
    const names =
      change.kind === 'service'
        ? change.entity.configIds.map((id) => `config ${id}`)
        : change.kind === 'config'
          ? [`configType ${change.entity.typeId}`]
          : change.kind === 'router'
            ? change.entity.configIds.map((id) => `config ${id}`)
            : [];
    for (const name of names) if (!this.entities.has(name)) throw new Error(`${name} is not known`);
  }
}

function shown(model: RouterModel): object {
  const replica = new Replica();
  const put = (kind: string, entity: { id: string }) => replica.entities.set(`${kind} ${entity.id}`, entity);
  for (const one of model.configTypes.values()) put('configType', one);
  for (const one of model.configs.values()) put('config', one);
  if (model.router !== undefined) put('router', model.router);
  for (const one of model.services.values()) put('service', one);
  if (model.identity !== undefined) put('identity', model.identity);
  for (const { id, name, serviceIds } of model.policies.values()) {
    put('policy', { id, name } as { id: string });
    replica.members.set(id, new Set([...serviceIds, model.identity?.id ?? '']));
  }
  return replica.shown();
}
