import { expect } from 'chai';
import { openDatabase } from '../../db/db.js';
import type { Database } from '../../db/db.js';
import { policiesOfIdentity, policiesOfService, selectedBy } from '../../db/access-view.js';
import type { Scope } from '../../db/table.js';
import { openStores } from '../../db/stores.js';
import type { Stores } from '../../db/stores.js';
import { defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import { permissionsFor } from '../../domain/policy/access.js';
import { parseRoles, selects } from '../../domain/policy/roles.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { accessCases, identities, postureCases, postureChecks, services, withIds } from '../cases/access.js';

const idOf = (name: string) => `id-of-${name}`;
const nameOf = (id: string) => id.slice('id-of-'.length);
const entities = (from: Readonly<Record<string, readonly string[]>>) => Object.entries(from).map(([name, roleAttributes]) => ({ id: idOf(name), roleAttributes }));

describe('access in SQL', () => {
  let files: TestDatabase;
  let database: Database;
  let stores: Stores;

  before(async () => {
    files = await openTestDatabase();
    database = openDatabase({ connection: files.connection, poolSize: 4, patienceMs: 5_000 });
    stores = openStores(database, { defaultLimit: 10, maxLimit: 500 });
    await stores.network.seedIdentityTypes(['User']);
    await stores.network.seedAuthPolicy('default', 'Default', defaultAuthPolicySettings);
    for (const [name, roleAttributes] of Object.entries(identities)) {
      await stores.identities.create(idOf(name), {
        name, typeId: 'User', isAdmin: false, externalId: null, authPolicyId: 'default', roleAttributes, permissions: [], appData: {},
        defaultHostingCost: 0, defaultHostingPrecedence: 'default', hostings: [], tags: {},
      }, []);
    }
    for (const [name, roleAttributes] of Object.entries(services)) {
      await stores.services.create(idOf(name), { name, encryptionRequired: true, maxIdleTimeMillis: 0, terminatorStrategy: 'smartrouting', roleAttributes, configs: [], tags: {} });
    }
  });
  after(async () => { await database.close(); await files.close(); });

  const matching = async (table: string, scope: Scope, shift = 0): Promise<string[]> => {
    const where = scope.where === '' ? 'true' : scope.where;
    const values = [...Array.from({ length: shift }, () => 'unused'), ...scope.values];
    const { rows } = await files.query(`SELECT id FROM ${table} t WHERE (${where})${shift === 0 ? '' : ' AND $1::text IS NOT NULL'} ORDER BY id`, values);
    return rows.map((row) => row['id'] as string);
  };

  for (const { name, policies, allowed } of accessCases) {
    describe(name, () => {
      before(async () => {
        await files.query('DELETE FROM service_policies');
        for (const [index, { type = 'Dial', semantic, identityRoles, serviceRoles }] of policies.entries()) {
          await stores.servicePolicies.create(`p${index}`, {
            name: `p${index}`, type, semantic, identityRoles: parseRoles('identityRoles', withIds(identityRoles, idOf)),
            serviceRoles: parseRoles('serviceRoles', withIds(serviceRoles, idOf)), postureCheckRoles: [], tags: {},
          });
        }
      });

      it('role_selects agrees pair by pair', async () => {
        const { rows } = await files.query(`SELECT DISTINCT i.name || CASE p.type WHEN 'Dial' THEN ' dials ' ELSE ' binds ' END || s.name AS pair
          FROM service_policies p
          JOIN identities i ON role_selects(p.semantic, p.identity_roles, i.id, i.role_attributes)
          JOIN services s ON role_selects(p.semantic, p.service_roles, s.id, s.role_attributes)`);
        expect(rows.map((row) => row['pair'])).to.have.members([...allowed]);
      });

      it('the grants of an identity and their scope agree', async () => {
        const found: string[] = [];
        for (const identity of entities(identities)) {
          const grants = await stores.access.grants(identity);
          const reached = await matching('services', selectedBy(grants.map(({ semantic, serviceRoles: roles }) => ({ semantic, roles })), 1));
          const permitted = entities(services).filter((service) => {
            const { permissions } = permissionsFor(grants, service);
            found.push(...permissions.map((type) => `${nameOf(identity.id)} ${type.toLowerCase()}s ${nameOf(service.id)}`));
            return permissions.length > 0;
          });
          expect(reached, identity.id).to.deep.equal(permitted.map(({ id }) => id).sort());
        }
        expect(found).to.have.members([...allowed]);
      });

      it('the identities that reach a service agree', async () => {
        for (const [type, verb] of [['Dial', 'dials'], ['Bind', 'binds']] as const) {
          const found: string[] = [];
          for (const service of entities(services)) {
            const roles = await stores.access.identityRolesFor(service, type);
            found.push(...(await matching('identities', selectedBy(roles, 2), 1)).map((id) => `${nameOf(id)} ${verb} ${nameOf(service.id)}`));
          }
          expect(found).to.have.members(allowed.filter((pair) => pair.includes(verb)));
        }
      });

      it('the policies of an entity are those that select it', async () => {
        const { rows } = await files.query('SELECT id, semantic, identity_roles, service_roles FROM service_policies ORDER BY id');
        const expected = (column: string, entity: { id: string; roleAttributes: readonly string[] }) => rows
          .filter((row) => selects(row['semantic'] as 'AnyOf', row[column] as string[], entity)).map((row) => row['id']);
        for (const identity of entities(identities)) expect(await matching('service_policies', policiesOfIdentity(identity))).to.deep.equal(expected('identity_roles', identity));
        for (const service of entities(services)) expect(await matching('service_policies', policiesOfService(service))).to.deep.equal(expected('service_roles', service));
      });
    });
  }

  for (const { name, semantic, postureCheckRoles, selected } of postureCases) {
    it(`${name}: in the grants and in the list of the policy`, async () => {
      await files.query('DELETE FROM service_policies; DELETE FROM posture_checks');
      for (const { id, roleAttributes } of entities(postureChecks)) {
        await stores.postureChecks.create(id, { name: id, typeId: 'DOMAIN', criteria: { domains: ['a'] }, roleAttributes, tags: {} });
      }
      const roles = parseRoles('postureCheckRoles', withIds(postureCheckRoles, idOf));
      await stores.servicePolicies.create('p', { name: 'p', type: 'Dial', semantic, identityRoles: ['#all'], serviceRoles: ['#all'], postureCheckRoles: roles, tags: {} });
      const [grant] = await stores.access.grants({ id: idOf('alice'), roleAttributes: [] });
      expect(grant?.isPassing).to.equal(selected.length === 0);
      expect(await matching('posture_checks', selectedBy([{ semantic, roles }], 1))).to.deep.equal(selected.map(idOf).sort());
    });
  }
});
