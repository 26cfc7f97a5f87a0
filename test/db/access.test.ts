/** The cases of access in SQL: grants, scopes and policies of an entity. Against PostgreSQL. */
import { expect } from 'chai';
import { Params } from '../../db/filter/index.js';
import { policiesNaming, selectedBy } from '../../db/query/scopes.js';
import type { Scope } from '../../db/query/scopes.js';
import { permissionsFor } from '../../domain/policy/access.js';
import { parseRoles, selects } from '../../domain/policy/roles.js';
import { accessCases, identities, postureCases, postureChecks, services, withIds } from '../cases/access.js';
import { identityDraft, openStoresForTest, serviceDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const idOf = (name: string) => `id-of-${name}`;
const nameOf = (id: string) => id.slice('id-of-'.length);
const entities = (from: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(from).map(([name, roleAttributes]) => ({ id: idOf(name), roleAttributes }));

describe('access in SQL', () => {
  let fixture: TestStores;
  let files: TestStores['files'];
  let stores: TestStores['stores'];

  before(async () => {
    fixture = await openStoresForTest();
    ({ files, stores } = fixture);
    for (const [name, roleAttributes] of Object.entries(identities)) {
      await stores.identities.create(idOf(name), identityDraft(name, { roleAttributes }), []);
    }
    for (const [name, roleAttributes] of Object.entries(services)) {
      await stores.services.create(idOf(name), serviceDraft(name, { roleAttributes }));
    }
  });
  after(() => fixture.close());

  const matching = async (table: string, scope: Scope): Promise<string[]> => {
    const { bind, values } = new Params();
    const { sql } = scope(bind);
    const { rows } = await files.query(
      `SELECT id FROM ${table} t WHERE ${sql === '' ? 'true' : sql} ORDER BY id`,
      values,
    );
    return rows.map((row) => row['id'] as string);
  };

  for (const { name, policies, allowed } of accessCases) {
    describe(name, () => {
      before(async () => {
        await files.query('DELETE FROM service_policies');
        for (const [index, { type = 'Dial', semantic, identityRoles, serviceRoles }] of policies.entries()) {
          await stores.servicePolicies.create(`p${index}`, {
            name: `p${index}`,
            type,
            semantic,
            identityRoles: parseRoles('identityRoles', withIds(identityRoles, idOf)),
            serviceRoles: parseRoles('serviceRoles', withIds(serviceRoles, idOf)),
            postureCheckRoles: [],
            tags: {},
          });
        }
      });

      it('role_selects agrees pair by pair', async () => {
        const { rows } = await files.query(`SELECT DISTINCT i.name || CASE p.type WHEN 'Dial' THEN ' dials '
          ELSE ' binds ' END || s.name AS pair
          FROM service_policies p
          JOIN identities i ON role_selects(p.semantic, p.identity_roles, i.id, i.role_attributes)
          JOIN services s ON role_selects(p.semantic, p.service_roles, s.id, s.role_attributes)`);
        expect(rows.map((row) => row['pair'])).to.have.members([...allowed]);
      });

      it('the grants of an identity and their scope agree', async () => {
        const found: string[] = [];
        for (const identity of entities(identities)) {
          const grants = await stores.access.grants(identity);
          const reached = await matching(
            'services',
            selectedBy(grants.map(({ semantic, serviceRoles: roles }) => ({ semantic, roles }))),
          );
          const permitted = entities(services).filter((service) => {
            const { permissions } = permissionsFor(grants, service);
            found.push(
              ...permissions.map((type) => `${nameOf(identity.id)} ${type.toLowerCase()}s ${nameOf(service.id)}`),
            );
            return permissions.length > 0;
          });
          expect(reached, identity.id).to.deep.equal(permitted.map(({ id }) => id).sort());
        }
        expect(found).to.have.members([...allowed]);
      });

      it('the identities that reach a service agree', async () => {
        for (const [type, verb] of [
          ['Dial', 'dials'],
          ['Bind', 'binds'],
        ] as const) {
          const found: string[] = [];
          for (const service of entities(services)) {
            const roles = await stores.access.identityRolesFor(service, type);
            found.push(
              ...(await matching('identities', selectedBy(roles))).map(
                (id) => `${nameOf(id)} ${verb} ${nameOf(service.id)}`,
              ),
            );
          }
          expect(found).to.have.members(allowed.filter((pair) => pair.includes(verb)));
        }
      });

      it('the policies of an entity are those that select it', async () => {
        const { rows } = await files.query(
          'SELECT id, semantic, identity_roles, service_roles FROM service_policies ORDER BY id',
        );
        const expected = (column: string, entity: { id: string; roleAttributes: readonly string[] }) =>
          rows
            .filter((row) => selects(row['semantic'] as 'AnyOf', row[column] as string[], entity))
            .map((row) => row['id']);
        for (const identity of entities(identities))
          expect(await matching('service_policies', policiesNaming('identity_roles', identity))).to.deep.equal(
            expected('identity_roles', identity),
          );
        for (const service of entities(services))
          expect(await matching('service_policies', policiesNaming('service_roles', service))).to.deep.equal(
            expected('service_roles', service),
          );
      });
    });
  }

  for (const { name, semantic, postureCheckRoles, selected } of postureCases) {
    it(`${name}: in the grants and in the list of the policy`, async () => {
      await files.query('DELETE FROM service_policies; DELETE FROM posture_checks');
      for (const { id, roleAttributes } of entities(postureChecks)) {
        await stores.postureChecks.create(id, {
          name: id,
          typeId: 'DOMAIN',
          criteria: { domains: ['a'] },
          roleAttributes,
          tags: {},
        });
      }
      const roles = parseRoles('postureCheckRoles', withIds(postureCheckRoles, idOf));
      await stores.servicePolicies.create('p', {
        name: 'p',
        type: 'Dial',
        semantic,
        identityRoles: ['#all'],
        serviceRoles: ['#all'],
        postureCheckRoles: roles,
        tags: {},
      });
      const [grant] = await stores.access.grants({ id: idOf('alice'), roleAttributes: [] });
      expect(grant?.isPassing).to.equal(selected.length === 0);
      expect(await matching('posture_checks', selectedBy([{ semantic, roles }]))).to.deep.equal(
        selected.map(idOf).sort(),
      );
    });
  }
});
