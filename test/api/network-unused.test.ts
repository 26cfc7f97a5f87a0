/** What nobody uses: identities by their API sessions, services by dials and traffic, and what is not known yet. */
import { expect } from 'chai';
import type * as Response from '../../generated/management/response.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openHost, HOST } from '../support/explain-scene.js';
import { makeIdentity, makeService } from '../support/make.js';
import { CLIENT, MANAGEMENT as M } from '../support/paths.js';

type Item = Response.UnusedIdentity & Response.UnusedService;

const daysAgo = (days: number) => `now() - interval '${days} days'`;

describe('what nobody uses', function unused() {
  this.timeout(120_000);
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
    await openHost(controller);
  });
  after(() => controller.stop());

  const sql = (text: string, values: unknown[] = []) => controller.database.query(text, values);
  const knownFor = (days: number) => sql(`UPDATE network SET uses_known_since = ${daysAgo(days)}`);
  const madeBefore = (table: string, id: string, days: number) =>
    sql(`UPDATE ${table} SET created_at = ${daysAgo(days)} WHERE id = $1`, [id]);
  const list = async (of: string, query = 'limit=500', client: Client = controller.admin) =>
    expectStatus(await client.get(`${M}/network/unused/${of}?${query}`), 200).data as Item[];
  const find = async (of: string, id: string, query?: string) => (await list(of, query)).find((item) => item.id === id);
  const daysSince = (at: string | null | undefined) =>
    at == null ? null : Math.round((Date.now() - new Date(at).getTime()) / 86_400_000);

  beforeEach(() => knownFor(400));

  async function oldIdentity(days = 200): Promise<string> {
    const id = await makeIdentity(controller, { name: unique('identity') });
    await madeBefore('identities', id, days);
    return id;
  }
  async function oldService(days = 200): Promise<string> {
    const id = await makeService(controller, { name: unique('service') });
    await madeBefore('services', id, days);
    return id;
  }

  it('is nothing in a young network, however old its entities are', async () => {
    await Promise.all([oldIdentity(), oldService()]);
    await knownFor(89);
    expect(await list('identities')).to.deep.equal([]);
    expect(await list('services')).to.deep.equal([]);
    const { usesKnownSince } = expectStatus(await controller.admin.get(`${M}/network/overview`), 200)
      .data as Response.NetworkOverview;
    expect(daysSince(usesKnownSince)).to.equal(89);
  });

  it('is what is older than that, and was never used', async () => {
    const [identity, young, service] = [await oldIdentity(), await oldIdentity(80), await oldService()];
    const found = await find('identities', identity);
    expect(found).to.include({ lastUsedAt: null, disabled: false });
    expect(daysSince(found?.unusedSince)).to.equal(200);
    expect(await find('identities', young)).to.equal(undefined);
    expect(await find('identities', young, 'days=70&limit=500')).to.not.equal(undefined);
    expect(await find('services', service)).to.include({ lastUsedAt: null, terminators: 0 });
  });

  it('counts as use of an identity what its API session did last, there or gone', async () => {
    const { id, client } = await controller.newCaller();
    await madeBefore('identities', id, 300);
    expect(await find('identities', id), 'it is logged in').to.equal(undefined);
    await sql(`UPDATE api_sessions SET last_activity_at = ${daysAgo(120)} WHERE identity_id = $1`, [id]);
    expect(daysSince((await find('identities', id))?.lastUsedAt)).to.equal(120);
    expectStatus(await client.delete(`${CLIENT}/current-api-session`), 200);
    const found = await find('identities', id);
    expect([daysSince(found?.lastUsedAt), daysSince(found?.unusedSince)]).to.deep.equal([120, 120]);
    expect(await find('identities', id, 'days=130&limit=500')).to.equal(undefined);
  });

  it('forgets the use of an identity that logs in again, and of one that is deleted', async () => {
    const caller = await controller.newCaller();
    await sql(`UPDATE api_sessions SET last_activity_at = ${daysAgo(120)} WHERE identity_id = $1`, [caller.id]);
    await madeBefore('identities', caller.id, 300);
    await sql('DELETE FROM api_sessions WHERE identity_id = $1', [caller.id]);
    const again = await controller.login(caller.username, caller.password);
    expectStatus(await again.delete(`${CLIENT}/current-api-session`), 200);
    expect(await find('identities', caller.id)).to.equal(undefined);
    const { rows } = await sql(
      'SELECT at > now() - interval \'1 day\' AS "isNew" FROM last_uses WHERE entity_id = $1',
      [caller.id],
    );
    expect(rows).to.deep.equal([{ isNew: true }]);
    expectStatus(await controller.admin.delete(`${M}/identities/${caller.id}`), 200);
    expect((await sql('SELECT FROM last_uses WHERE entity_id = $1', [caller.id])).rows).to.deep.equal([]);
  });

  it('counts as use of a service its last hour with dials or traffic, and its circuits', async () => {
    const service = await oldService();
    const hour = (days: number) =>
      sql(
        `INSERT INTO usage_hours (hour, kind, entity_id, bytes_in, bytes_out, dials, failed_dials)
        VALUES (date_trunc('hour', ${daysAgo(days)}), 'service', $1, 0, 0, 1, 1)`,
        [service],
      );
    await hour(110);
    await hour(140);
    await sql('DELETE FROM usage_hours WHERE entity_id = $1', [service]);
    expect(daysSince((await find('services', service))?.lastUsedAt)).to.equal(110);
    await sql(
      `INSERT INTO circuits (id, host_id, created_at, service_id, terminator_id, client_id, router_ids, link_ids, cost)
      VALUES ('c', $1, ${daysAgo(100)}, $2, 't', 'i', '{}', '{}', 1)`,
      [HOST, service],
    );
    expect(await find('services', service)).to.equal(undefined);
    await sql("DELETE FROM circuits WHERE id = 'c'");
    await hour(2);
    expect(await find('services', service)).to.equal(undefined);
    expectStatus(await controller.admin.delete(`${M}/services/${service}`), 200);
    expect((await sql('SELECT FROM last_uses WHERE entity_id = $1', [service])).rows).to.deep.equal([]);
  });

  it('keeps nothing of a service that is not there', async () => {
    await sql("INSERT INTO usage_hours VALUES (date_trunc('hour', now()), 'service', 'gone', 1, 1, 1, 0)");
    expect((await sql("SELECT FROM last_uses WHERE entity_id = 'gone'")).rows).to.deep.equal([]);
  });

  it('leaves out the identities of routers', async () => {
    const id = await oldIdentity();
    await sql("UPDATE identities SET type_id = 'Router' WHERE id = $1", [id]);
    expect(await find('identities', id)).to.equal(undefined);
  });

  it('is a list like others: filtered, sorted, in pages', async () => {
    const word = unique('word');
    const made = await Promise.all(
      [150, 350, 250].map(async (days, index) => {
        const id = await makeIdentity(controller, { name: `${word}-${index}` });
        await madeBefore('identities', id, days);
        return id;
      }),
    );
    const filter = encodeURIComponent(`name contains "${word}"`);
    const ids = async (query: string) => (await list('identities', query)).map(({ id }) => id);
    expect(await ids(`filter=${filter}&sort=unusedSince`)).to.deep.equal([made[1], made[2], made[0]]);
    expect(await ids(`filter=${filter}&sort=unusedSince%20desc&limit=1&offset=1`)).to.deep.equal([made[2]]);
    const since = encodeURIComponent(`name contains "${word}" and lastUsedAt = null`);
    const { meta } = expectStatus(await controller.admin.get(`${M}/network/unused/identities?filter=${since}`), 200);
    expect((meta as { pagination: { totalCount: number } }).pagination.totalCount).to.equal(3);
    expectStatus(await controller.admin.get(`${M}/network/unused/identities?days=0`), 400);
  });

  it('is for who may read identities, or services', async () => {
    const { client } = await controller.newCaller({ permissions: ['service.read'], at: M });
    await list('services', '', client);
    expectStatus(await client.get(`${M}/network/unused/identities`), 401);
    const other = await controller.newCaller({ permissions: ['identity.read'], at: M });
    await list('identities', '', other.client);
    expectStatus(await other.client.get(`${M}/network/unused/services`), 401);
  });
});
