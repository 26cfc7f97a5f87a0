/** The stores: deletes leave nothing dangling, and transactions are whole. Against PostgreSQL. */
import { expect } from 'chai';
import { serviceDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';
import { useStores } from './stores-support.js';

describe('stores', () => {
  const suite = useStores();
  const { id, identity, enrollment, updb, type, config, service, session, failure } = suite;
  let files: TestStores['files'];
  let database: TestStores['database'];
  let stores: TestStores['stores'];
  before(() => {
    ({ files, database, stores } = suite.opened());
  });

  it('have an index under every reference, so that a delete does not search whole tables', async () => {
    const { rows } = await files.query(`SELECT c.conname FROM pg_constraint c WHERE c.contype = 'f'
      AND c.connamespace = 'public'::regnamespace AND NOT EXISTS (
      SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
      AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))`);
    expect(rows).to.deep.equal([]);
  });

  it('leave nothing dangling when an identity, a service or a policy goes', async () => {
    const attributes = { roleAttributes: ['x'] };
    const cfg = await config(await type());
    const svc = await service({ ...attributes, configs: [cfg] });
    const who = await identity({ ...attributes, hostings: [{ serviceId: svc, cost: 1, precedence: 'failed' }] }, [
      enrollment(),
    ]);
    await updb(who);
    await session(who);
    await stores.access.noteView(who, [], { epoch: 1, digest: Buffer.alloc(32), state: null }, new Date());
    const roles = { identityRoles: [`@${who}`], serviceRoles: [`@${svc}`] };
    const pol = id();
    await stores.transaction((tx) =>
      tx.servicePolicies.create(pol, {
        name: pol,
        type: 'Dial',
        semantic: 'AnyOf',
        ...roles,
        postureCheckRoles: [],
        tags: {},
      }),
    );
    const before = await stores.servicePolicies.get(pol);
    await stores.identities.remove(who);
    await stores.services.remove(svc);
    const after = await stores.servicePolicies.get(pol);
    expect([after.identityRoles, after.serviceRoles]).to.deep.equal([[], []]);
    expect(after.updatedAt > before.updatedAt).to.equal(true);
    for (const [table, column, value] of [
      ['authenticators', 'identity_id', who],
      ['enrollments', 'identity_id', who],
      ['api_sessions', 'identity_id', who],
      ['identity_hostings', 'service_id', svc],
      ['service_views', 'identity_id', who],
      ['service_configs', 'service_id', svc],
    ] as const) {
      expect((await files.query(`SELECT FROM ${table} WHERE ${column} = $1`, [value])).rows, table).to.have.length(0);
    }
    await stores.transaction((tx) => tx.configs.remove(cfg));
  });

  it('write all of a transaction or nothing of it', async () => {
    const made = id();
    const error = await failure(() =>
      stores.transaction(async (tx) => {
        await tx.services.create(made, serviceDraft(id()));
        await tx.services.create(id(), serviceDraft(id(), { configs: ['nope'] }));
      }),
    );
    expect(error.message).to.equal('configs with id nope not found');
    expect((await failure(() => stores.services.get(made))).kind).to.equal('notFound');
  });

  it('run a transaction again that PostgreSQL gave up for another', async () => {
    files.allowDeadlocks();
    const [first, second] = [await service(), await service()];
    let attempts = 0;
    let holding = 0;
    let bothHold: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const cross = (mine: string, other: string) =>
      stores.transaction(async (tx) => {
        attempts += 1;
        await tx.services.update(mine, { maxIdleTimeMillis: attempts });
        holding += 1;
        if (holding >= 2) bothHold();
        await held;
        await tx.services.update(other, { maxIdleTimeMillis: attempts });
      });
    await Promise.all([cross(first, second), cross(second, first)]);
    expect(attempts).to.be.at.least(3); // more when each is given up for the other, or one twice
    expect(database.stats().waiting).to.equal(0);
  });
});
