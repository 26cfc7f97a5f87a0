/** Worlds of access that several requests share: read for one of them, in batches, and again when that one is gone. */
import { expect } from 'chai';
import type { DomainError } from '../../domain/errors.js';
import { ListPermit } from '../../db/postgres/list-permit.js';
import { KeptWorlds } from '../../handlers/kept-worlds.js';
import { openStoresForTest, servicePolicyDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

describe('worlds of access that requests share', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest({ poolSize: 6 });
    await fixture.files.query(`INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes)
      SELECT 'i' || n, 'i' || n, 'User', false, 'default',
        ARRAY['own-' || n, CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END] FROM generate_series(1, 2500) n`);
    await fixture.stores.postureChecks.create('check', {
      name: 'check',
      typeId: 'DOMAIN',
      criteria: { domains: ['example.org'] },
      roleAttributes: ['devices'],
      tags: {},
    });
    const policies = {
      odd: { identityRoles: ['#odd'] },
      even: { identityRoles: ['#even'], postureCheckRoles: ['#devices'] },
    };
    for (const [id, roles] of Object.entries(policies))
      await fixture.stores.servicePolicies.create(id, servicePolicyDraft(id, { serviceRoles: ['#all'], ...roles }));
  });
  after(() => fixture.close());

  it('have every identity, also of many batches, with a device or without', async () => {
    const { classes } = await new KeptWorlds().of('Dial', '1', fixture.stores);
    const found = await classes(fixture.stores);
    expect(found.map(({ count, policies }) => ({ count, policies: [...policies] }))).to.have.deep.members([
      { count: 1250, policies: [1] },
      { count: 1250, policies: [2] },
    ]);
  });

  it('are read again for whoever shared the reading of a request that is gone', async () => {
    const world = await new KeptWorlds().of('Dial', '1', fixture.stores);
    const gone = new AbortController();
    const leaving = fixture.stores.forRequest({
      reader: { identityId: 'leaves', signal: gone.signal, permit: new ListPermit() },
    });
    const first = world.classes(leaving).catch((error: unknown) => (error as DomainError).kind);
    const others = [world.classes(fixture.stores), world.classes(fixture.stores)];
    gone.abort();
    expect(await first).to.equal('timeout');
    const [second, third] = await Promise.all(others);
    expect(second).to.have.length(2);
    expect(third, 'read once').to.equal(second);
  });
});
