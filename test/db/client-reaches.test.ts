/** What clients reach over a group of routers, and what reading it costs. Against PostgreSQL. */
import { expect } from 'chai';
import type { ClientReachLists } from '../../domain/fabric/client-reach.js';
import { selects } from '../../domain/policy/roles.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { RoleList } from '../../db/query/scopes.js';
import { rowsOfPlan } from '../support/plan-work.js';
import { randomly, seedOfRun } from '../support/random.js';
import { recordStatements } from '../support/statements.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const WORLDS = 60;
const ENTITIES = 12;
/** `all` is an attribute like any other, and so is an empty one. */
const ATTRIBUTES = ['a', 'b', 'c', 'all', ''];

describe('what clients reach over a group of routers', () => {
  let fixture: TestStores;
  beforeEach(async () => (fixture = await openStoresForTest()));
  afterEach(() => fixture.close());

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);

  const identities = (rows: readonly Selectable[]) =>
    query(
      `INSERT INTO identities (id, name, type_id, auth_policy_id, is_admin, role_attributes)
        SELECT r.id, r.id, 'User', 'default', false, r."roleAttributes"
        FROM jsonb_to_recordset($1::jsonb) r (id text, "roleAttributes" text[])`,
      [JSON.stringify(rows)],
    );
  const policies = (lists: readonly RoleList[]) =>
    query(
      `INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
        SELECT 'p' || n, 'p' || n, r.semantic, r.roles, '{#all}'
        FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY e (list, n),
          jsonb_to_record(e.list) r (semantic text, roles text[])`,
      [JSON.stringify(lists)],
    );
  const reached = async (edgeRouterPolicyIds: readonly string[]) => {
    const group = { edgeRouterPolicyIds, serviceEdgeRouterPolicyIds: [] };
    const { text } = await fixture.stores.clientReaches.reach(group);
    return (JSON.parse(text) as ClientReachLists).identities.map(({ id }) => id);
  };

  it('are the identities that its policies select', async () => {
    const seed = seedOfRun();
    const below = randomly(seed);
    const some = (from: readonly string[], chance: number) => from.filter(() => below(100) < chance);
    for (let world = 0; world < WORLDS; world += 1) {
      const people = Array.from({ length: ENTITIES }, (_, n) => ({
        id: `i${n}`,
        roleAttributes: some(ATTRIBUTES, 30),
      }));
      const lists = Array.from({ length: 1 + below(3) }, (): RoleList => ({
        semantic: below(2) === 0 ? 'AllOf' : 'AnyOf',
        roles:
          below(6) === 0
            ? ['#all']
            : [
                ...some(ATTRIBUTES, 25).map((name) => `#${name}`),
                ...some(['i1', 'i2', 'gone'], 20).map((id) => `@${id}`),
              ],
      }));
      await query('DELETE FROM edge_router_policies');
      await query('DELETE FROM identities');
      await identities(people);
      await policies(lists);
      const wanted = people.filter((each) => lists.some(({ semantic, roles }) => selects(semantic, roles, each)));
      expect(
        await reached(lists.map((_, n) => `p${n + 1}`)),
        `EDGE_TEST_SEED=${seed}, world ${world}: ${JSON.stringify({ people, lists })}`,
      ).to.have.members(wanted.map(({ id }) => id));
    }
  });

  it('cost what the group has, and not what the network has', async () => {
    const site = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({
        id: `i${from + n}`,
        roleAttributes: [`site-${(from + n) % 100}`],
      }));
    const cost = async () => {
      const recorded = recordStatements(/admitting AS/);
      expect(await reached(['p1'])).to.have.length(5);
      recorded.stop();
      return rowsOfPlan(query, recorded.texts[0] ?? '', [['p1'], []]);
    };
    await policies([{ semantic: 'AnyOf', roles: ['#site-1'] }]);
    await identities(site(0, 500));
    await query('ANALYZE identities');
    const few = await cost();
    await identities(site(500, 5_000).map(({ id }) => ({ id, roleAttributes: ['elsewhere'] })));
    await query('ANALYZE identities');
    expect((await cost()) / few).to.be.below(2);
  });
});
