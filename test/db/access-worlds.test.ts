/** The rule of access and its SQL agree in a thousand random worlds. Each world has its seed. Against PostgreSQL. */
import { expect } from 'chai';
import { accessView } from '../../db/access-view.js';
import type { Db } from '../../db/db.js';
import { Params } from '../../db/filter/index.js';
import { policiesNaming, selectedBy } from '../../db/scopes.js';
import type { Scope } from '../../db/scopes.js';
import { isAllowed, passes } from '../../domain/policy/access.js';
import type { AccessPolicy } from '../../domain/policy/access.js';
import { selects } from '../../domain/policy/roles.js';
import { sortedSet } from '../../domain/sorted-set.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { PolicyType, Semantic } from '../../domain/model.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const WORLDS = 1_000;
const ATTRIBUTES = ['a', 'b', 'c', 'all', ''];

interface WorldPolicy {
  readonly id: string;
  readonly type: PolicyType;
  readonly semantic: Semantic;
  readonly identityRoles: string[];
  readonly serviceRoles: string[];
  readonly postureCheckRoles: string[];
}
interface World {
  readonly identities: Selectable[];
  readonly services: Selectable[];
  readonly checks: Selectable[];
  readonly policies: WorldPolicy[];
}

/** A generator with a seed: a world that fails can be made again. */
function generator(seed: number) {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const some = (from: readonly string[], chance: number) => from.filter(() => below(100) < chance);
  const entities = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n): Selectable => ({
      id: `${prefix}${n}`,
      roleAttributes: some(ATTRIBUTES, 40),
    }));
  const roles = (of: readonly Selectable[]) =>
    below(8) === 0
      ? ['#all']
      : sortedSet([
          ...some(
            ATTRIBUTES.filter((item) => item !== 'all'),
            30,
          ).map((item) => `#${item}`),
          ...some(
            of.map(({ id }) => id),
            15,
          ).map((id) => `@${id}`),
          ...(below(10) === 0 ? ['@nobody'] : []),
        ]);
  return (): World => {
    const [identities, services, checks] = [
      entities('i', 1 + below(4)),
      entities('s', 1 + below(4)),
      entities('c', below(3)),
    ];
    const policies = Array.from({ length: 1 + below(4) }, (_, n): WorldPolicy => ({
      id: `p${n}`,
      type: below(2) === 0 ? 'Dial' : 'Bind',
      semantic: below(2) === 0 ? 'AllOf' : 'AnyOf',
      identityRoles: roles(identities),
      serviceRoles: roles(services),
      postureCheckRoles: below(3) === 0 ? roles(checks) : [],
    }));
    return { identities, services, checks, policies };
  };
}

class Undo extends Error {}

describe('access in random worlds', function worlds() {
  this.timeout(180_000);
  let fixture: TestStores;
  let database: TestStores['database'];
  before(async () => {
    fixture = await openStoresForTest({ poolSize: 2 });
    ({ database } = fixture);
  });
  after(() => fixture.close());

  const insert = async (tx: Db, table: string, rows: readonly object[], columns: string, recordset: string) => {
    await tx.run(
      null,
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_to_recordset($1::jsonb) AS r (${recordset})`,
      [JSON.stringify(rows)],
    );
  };
  const fill = async (tx: Db, { identities, services, checks, policies }: World) => {
    await insert(
      tx,
      'identities',
      identities.map(({ id, roleAttributes }) => ({
        id,
        name: id,
        type_id: 'User',
        is_admin: false,
        auth_policy_id: 'default',
        role_attributes: roleAttributes,
      })),
      'id, name, type_id, is_admin, auth_policy_id, role_attributes',
      'id text, name text, type_id text, is_admin boolean, auth_policy_id text, role_attributes text[]',
    );
    await insert(
      tx,
      'services',
      services.map(({ id, roleAttributes }) => ({
        id,
        name: id,
        encryption_required: false,
        role_attributes: roleAttributes,
      })),
      'id, name, encryption_required, role_attributes',
      'id text, name text, encryption_required boolean, role_attributes text[]',
    );
    await insert(
      tx,
      'posture_checks',
      checks.map(({ id, roleAttributes }) => ({
        id,
        name: id,
        type_id: 'MFA',
        criteria: {},
        role_attributes: roleAttributes,
      })),
      'id, name, type_id, criteria, role_attributes',
      'id text, name text, type_id text, criteria jsonb, role_attributes text[]',
    );
    await insert(
      tx,
      'service_policies',
      policies.map((p) => ({
        id: p.id,
        name: p.id,
        type: p.type,
        semantic: p.semantic,
        identity_roles: p.identityRoles,
        service_roles: p.serviceRoles,
        posture_check_roles: p.postureCheckRoles,
      })),
      'id, name, type, semantic, identity_roles, service_roles, posture_check_roles',
      'id text, name text, type text, semantic text, identity_roles text[], service_roles text[], ' +
        'posture_check_roles text[]',
    );
  };
  const matching = async (tx: Db, table: string, scope: Scope) => {
    const { bind, values } = new Params();
    const { sql } = scope(bind);
    const { rows } = await tx.run<{ id: string }>(
      null,
      `SELECT id FROM ${table} t WHERE ${sql === '' ? 'true' : sql} ORDER BY id`,
      values,
    );
    return rows.map(({ id }) => id);
  };

  const compare = async (tx: Db, world: World, label: string) => {
    const policies = world.policies.map((p): AccessPolicy => ({
      ...p,
      policyId: p.id,
      isPassing: passes(p, world.checks),
    }));
    for (const identity of world.identities) {
      const grants = await accessView(tx).grants(identity);
      expect(
        grants.map(({ policyId, isPassing }) => `${policyId} ${isPassing}`),
        `${label} grants of ${identity.id}`,
      ).to.have.members(
        policies
          .filter((p) => selects(p.semantic, p.identityRoles, identity))
          .map(({ policyId, isPassing }) => `${policyId} ${isPassing}`),
      );
      expect(
        await matching(tx, 'service_policies', policiesNaming('identity_roles', identity)),
        `${label} policies of ${identity.id}`,
      ).to.have.members(grants.map(({ policyId }) => policyId));
      for (const type of ['Dial', 'Bind'] as const) {
        const usable = grants.filter((grant) => grant.type === type && grant.isPassing);
        const reached = await matching(
          tx,
          'services',
          selectedBy(usable.map(({ semantic, serviceRoles: roles }) => ({ semantic, roles }))),
        );
        expect(reached, `${label} ${type} ${identity.id}`).to.deep.equal(
          world.services.filter((service) => isAllowed(policies, identity, service, type)).map(({ id }) => id),
        );
      }
    }
    for (const service of world.services) {
      expect(
        await matching(tx, 'service_policies', policiesNaming('service_roles', service)),
        `${label} policies of ${service.id}`,
      ).to.have.members(
        policies.filter((p) => selects(p.semantic, p.serviceRoles, service)).map(({ policyId }) => policyId),
      );
    }
  };

  it(`is the same by the rule and by its SQL, in ${WORLDS} of them`, async () => {
    const seed = Number(process.env['EDGE_TEST_SEED'] ?? Date.now() % 1_000_000_007);
    console.log(`      seed ${seed} (EDGE_TEST_SEED repeats it)`);
    const next = generator(seed);
    for (let n = 0; n < WORLDS; n += 1) {
      const world = next();
      await database
        .transaction(async (tx) => {
          await fill(tx, world);
          await compare(tx, world, `seed ${seed}, world ${n}:`);
          throw new Undo();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undo)) throw error;
        });
    }
  });
});
