/**
 * Which routers a change concerns: whatever changes, every router whose model differs is found by what the triggers
 * announced, and most others are left alone. Against PostgreSQL, with random changes.
 */
import { expect } from 'chai';
import pg from 'pg';
import { ModelTouches } from '../../domain/fabric/model-touches.js';
import { modelOf } from '../../domain/fabric/router-model.js';
import type { ReachedModel } from '../../domain/fabric/router-model.js';
import { until } from '../support/poll.js';
import { identityDraft, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const STEPS = 400;
const ROUTERS = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'];
/** The others have no tunneler. */
const TUNNELERS = ROUTERS.slice(0, 6);
const SERVICES = ['s0', 's1', 's2', 's3', 's4', 's5'];
const ATTRIBUTES = ['a', 'b', 'c'];

/** The same numbers from the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe('routers that a change concerns', () => {
  let fixture: TestStores;
  let listener: pg.Client;
  let touches = new ModelTouches();
  let marks = 0;
  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);

  before(async () => {
    fixture = await openStoresForTest({ identityTypes: ['Router', 'User'] });
    await query("INSERT INTO network (trust_domain, master_key_check, advertise) VALUES ('x', 'x', 'x')");
    for (const id of ROUTERS) {
      const hasTunneler = TUNNELERS.includes(id);
      await query('INSERT INTO routers (id, name, is_edge, is_tunneler_enabled) VALUES ($1, $1, true, $2)', [
        id,
        hasTunneler,
      ]);
      if (hasTunneler) await fixture.stores.identities.create(id, identityDraft(id, { typeId: 'Router' }), []);
    }
    await query(
      `INSERT INTO config_types (id, name, target) VALUES ('host', 'host', 'service'), ('link', 'link', 'router')`,
    );
    await query(`INSERT INTO configs (id, name, config_type_id, data)
      SELECT t || n, t || n, t, '{}' FROM unnest('{host,link}'::text[]) t, generate_series(0, 2) n`);
    listener = new pg.Client(fixture.files.connection);
    await listener.connect();
    listener.on('notification', ({ payload = '' }) => {
      const [subject, kind = '', id = ''] = payload.split(' ');
      if (subject === 'mark') marks += 1;
      if (subject === 'model') touches.add(kind, id);
    });
    await listener.query('LISTEN edge');
  });
  after(async () => {
    await listener.end();
    await fixture.close();
  });

  const models = async (): Promise<{ index: number; of: Map<string, ReachedModel> }> => {
    const reached = await fixture.stores.routerModels.reached(ROUTERS);
    const configs = await fixture.stores.routerModels.configs(reached.configVersions.map(({ id }) => id));
    const catalog = { ...reached, configs: new Map(configs.map((config) => [config.id, config])) };
    const of = ROUTERS.map((id) => {
      const reach = reached.reaches.get(id);
      const model = modelOf(reached.routers.get(id), reach, catalog);
      return [id, { model, routerPolicyIds: new Set(reach?.routerPolicyIds) }] as const;
    });
    return { index: reached.index, of: new Map(of) };
  };
  const heard = async () => {
    const before = marks;
    await query("SELECT pg_notify('edge', 'mark')");
    await until('its own announcement comes back', () => marks > before);
  };

  /** Statements, each of which changes something that may decide a model. */
  function changes(below: (most: number) => number): (() => Promise<unknown>)[] {
    const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const some = <T>(list: readonly T[]): T[] => list.filter(() => below(3) === 0);
    const roles = (ids: readonly string[]): string[] => {
      if (below(8) === 0) return ['#all'];
      return [
        ...some(ATTRIBUTES).map((each) => `#${each}`),
        ...some(ids)
          .slice(0, 2)
          .map((id) => `@${id}`),
      ];
    };
    const semantic = () => one(['AnyOf', 'AllOf']);
    const put = (table: string, columns: readonly string[], values: readonly unknown[]) =>
      query(
        `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map((_, at) => `$${at + 1}`).join()})
        ON CONFLICT (id) DO UPDATE SET ${columns
          .slice(1)
          .map((name) => `${name} = excluded.${name}`)
          .join()}`,
        [...values],
      );
    const attributes = (table: string, ids: readonly string[]) => () =>
      query(`UPDATE ${table} SET role_attributes = $2 WHERE id = $1`, [one(ids), some(ATTRIBUTES)]);
    const policyIds = ['p0', 'p1', 'p2', 'p3', 'p4'];
    const routerPolicyIds = ['e0', 'e1', 'e2'];
    const remove = (table: string, ids: readonly string[]) => () =>
      query(`DELETE FROM ${table} WHERE id = $1`, [one(ids)]);
    const policy = () => {
      const id = one(policyIds);
      return put(
        'service_policies',
        ['id', 'name', 'type', 'semantic', 'identity_roles', 'service_roles', 'posture_check_roles'],
        [id, id, one(['Dial', 'Bind']), semantic(), roles(TUNNELERS), roles(SERVICES), below(3) === 0 ? ['#a'] : []],
      );
    };
    const routerPolicy = (table: string, column: string, ids: readonly string[]) => () => {
      const id = `${table} ${one(routerPolicyIds)}`.replace(' ', '-');
      return put(
        table,
        ['id', 'name', 'semantic', 'edge_router_roles', column],
        [id, id, semantic(), roles(ROUTERS), roles(ids)],
      );
    };
    const named = (table: string) => routerPolicyIds.map((id) => `${table}-${id}`);
    const service = () => {
      const id = one(SERVICES);
      return put(
        'services',
        ['id', 'name', 'encryption_required', 'role_attributes'],
        [id, `${id}-${below(3)}`, false, some(ATTRIBUTES)],
      );
    };
    const flip = (table: string, columns: string, values: unknown[], type = '') =>
      query(
        `WITH gone AS (DELETE FROM ${table} WHERE (${columns}) = ($1, $2) RETURNING 1)
        INSERT INTO ${table} (${columns}${type === '' ? '' : ', config_type_id'})
        SELECT $1, $2${type === '' ? '' : `, '${type}'`} WHERE NOT EXISTS (SELECT FROM gone)
          AND EXISTS (SELECT FROM ${table === 'service_configs' ? 'services' : 'routers'} WHERE id = $1)
          AND NOT EXISTS (SELECT FROM ${table} WHERE ${columns.split(', ')[0] ?? ''} = $1)`,
        values,
      );
    const check = () => {
      const id = one(['c0', 'c1']);
      return put(
        'posture_checks',
        ['id', 'name', 'type_id', 'criteria', 'role_attributes'],
        [id, id, 'OS', '{"operatingSystems": []}', some(ATTRIBUTES)],
      );
    };
    return [
      service,
      service,
      remove('services', SERVICES),
      attributes('services', SERVICES),
      attributes('identities', TUNNELERS),
      attributes('routers', ROUTERS),
      policy,
      policy,
      remove('service_policies', policyIds),
      routerPolicy('edge_router_policies', 'identity_roles', TUNNELERS),
      routerPolicy('service_edge_router_policies', 'service_roles', SERVICES),
      routerPolicy('service_edge_router_policies', 'service_roles', SERVICES),
      remove('edge_router_policies', named('edge_router_policies')),
      remove('service_edge_router_policies', named('service_edge_router_policies')),
      () => flip('service_configs', 'service_id, config_id', [one(SERVICES), `host${below(3)}`], 'host'),
      () => flip('router_configs', 'router_id, config_id', [one(ROUTERS), `link${below(3)}`], 'link'),
      () =>
        query('UPDATE configs SET data = $2, updated_at = clock_timestamp() WHERE id = $1', [
          `${one(['host', 'link'])}${below(3)}`,
          { n: below(99) },
        ]),
      () =>
        query('UPDATE config_types SET name = $2 WHERE id = $1', [
          one(['host', 'link']),
          `type-${below(9)}-${below(999)}`,
        ]),
      () =>
        query('UPDATE identities SET disabled_at = CASE WHEN disabled_at IS NULL THEN now() END WHERE id = $1', [
          one(TUNNELERS),
        ]),
      () => query('UPDATE routers SET fingerprint = $2 WHERE id = $1', [one(ROUTERS), `f${below(999)}`]),
      () =>
        query(
          `INSERT INTO identity_hostings (identity_id, service_id, cost) SELECT $1, id, $3 FROM services WHERE id = $2
          ON CONFLICT (identity_id, service_id) DO UPDATE SET cost = excluded.cost`,
          [one(TUNNELERS), one(SERVICES), below(9)],
        ),
      () =>
        query(
          `INSERT INTO identity_service_configs SELECT $1, id, $3, 'host' FROM services WHERE id = $2
          ON CONFLICT (identity_id, service_id, config_type_id) DO UPDATE SET config_id = excluded.config_id`,
          [one(TUNNELERS), one(SERVICES), `host${below(3)}`],
        ),
      check,
      attributes('posture_checks', ['c0', 'c1']),
      remove('posture_checks', ['c0', 'c1']),
    ];
  }

  for (const seed of [1, 2, 3]) {
    it(`are found, and few others: ${STEPS} changes by seed ${seed}`, async function () {
      this.timeout(120_000);
      const below = numbers(seed);
      const all = changes(below);
      let looked = 0;
      let changed = 0;
      let before = await models();
      for (let step = 0; step < STEPS; step += 1) {
        touches = new ModelTouches();
        await all[below(all.length)]?.();
        await heard();
        const gaining = await fixture.stores.routerModels.gaining(ROUTERS, touches);
        const after = await models();
        for (const id of ROUTERS) {
          const [was, is] = [before.of.get(id), after.of.get(id)];
          if (was === undefined || is === undefined) continue;
          const isFound = touches.concerns(was) || gaining.includes(id);
          if (isFound) looked += 1;
          if (shown(was) === shown(is)) continue;
          changed += 1;
          expect(isFound, `step ${step}: ${id}`).to.equal(true);
          expect(after.index, `step ${step}: the index`).to.be.greaterThan(before.index);
        }
        before = after;
      }
      expect(changed).to.be.greaterThan(STEPS / 4);
      expect(looked).to.be.lessThan((STEPS * ROUTERS.length) / 2);
    });
  }

  it('are all, when much has changed or it is not known what', async () => {
    const { of } = await models();
    const last = of.get('r0');
    if (last === undefined) throw new Error('there is no model');
    const unknown = new ModelTouches();
    unknown.add('of a later release', 'x');
    const many = new ModelTouches();
    for (let n = 0; n <= 1_000; n += 1) many.add('service', `of others ${n}`);
    const few = new ModelTouches();
    few.add('service', 'of others');
    expect([unknown, many, few].map((each) => each.concerns(last))).to.deep.equal([true, true, false]);
  });
});

const shown = ({ model: { router, identity, policies, services, configs, configTypes } }: ReachedModel): string =>
  JSON.stringify([router, identity, ...[policies, services, configs, configTypes].map((each) => [...each.values()])]);
