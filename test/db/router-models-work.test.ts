/** How much work the models of many routers are, while PostgreSQL has no statistics of the tables. */
import { expect } from 'chai';
import { rowsOfPlan } from '../support/plan-work.js';
import { recordStatements } from '../support/statements.js';
import { identityDraft, openStoresForTest, serviceDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

/** Of each router. */
const SERVICES = 5;

describe('what models of many routers cost without statistics', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest({ identityTypes: ['Router', 'User'] });
    await query("INSERT INTO network (trust_domain, master_key_check, advertise) VALUES ('x', 'x', 'x')");
    for (const table of ['routers', 'identities', 'services', 'service_policies', 'edge_router_policies'])
      await query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await query(`INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
      VALUES ('s', 's', 'AnyOf', '{#all}', '{#all}')`);
  });
  after(() => fixture.close());

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);

  /** Routers with a tunneler up to that number, each with services of its own. */
  async function grow(from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index + 1);
    for (const n of numbers)
      await fixture.stores.identities.create(`r${n}`, identityDraft(`r${n}`, { typeId: 'Router' }), []);
    for (const sql of [
      "INSERT INTO routers (id, name, is_edge, is_tunneler_enabled) SELECT 'r' || n, 'r' || n, true, true",
      `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles)
        SELECT 'p' || n, 'p' || n, 'Bind', 'AnyOf', ARRAY['@r' || n], ARRAY['#of-' || n]`,
      `INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
        SELECT 'e' || n, 'e' || n, 'AnyOf', ARRAY['@r' || n], ARRAY['@r' || n]`,
    ])
      await query(`${sql} FROM unnest($1::int[]) n`, [numbers]);
    for (const n of numbers)
      for (let m = 0; m < SERVICES; m += 1)
        await fixture.stores.services.create(`${n}.${m}`, serviceDraft(`${n}.${m}`, { roleAttributes: [`of-${n}`] }));
  }

  async function rowsFor(count: number): Promise<number> {
    const ids = Array.from({ length: count }, (_, index) => `r${index + 1}`);
    const recorded = recordStatements(/granting AS/);
    const { reaches } = await fixture.stores.routerModels.reached(ids);
    recorded.stop();
    const [text] = recorded.texts;
    expect([...reaches.values()].map(({ policies }) => policies.flatMap(({ serviceIds }) => serviceIds).length)).to.eql(
      ids.map(() => SERVICES),
    );
    return rowsOfPlan(query, text ?? '', [ids]);
  }

  it('grows as the routers do, and not as all routers times all of what they reach', async () => {
    await grow(0, 50);
    const few = await rowsFor(50);
    await grow(50, 200);
    expect((await rowsFor(200)) / few).to.be.below(5);
  });
});
