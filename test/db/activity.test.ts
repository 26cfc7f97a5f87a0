/** When the activity of API sessions is written: seldom, never back, and never too late. Against PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { identityDraft, openApiSession, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const REST = 300;

describe('activity of API sessions', () => {
  let fixture: TestStores;
  before(async () => {
    fixture = await openStoresForTest();
  });
  after(() => fixture.close());

  /** @param agoSeconds  when it was last active, as far as the database knows */
  const openSession = async (agoSeconds: number) => {
    const { stores, files } = fixture;
    const [id, identityId] = [randomUUID(), randomUUID()];
    await stores.identities.create(identityId, identityDraft(identityId), []);
    await openApiSession(stores, identityId, id);
    await files.query('UPDATE api_sessions SET last_activity_at = now() - make_interval(secs => $2) WHERE id = $1', [
      id,
      agoSeconds,
    ]);
    return { id, identityId };
  };
  const touch = (ids: readonly string[], agoSeconds: number, restSeconds = REST) => {
    const at = new Date(Date.now() - agoSeconds * 1000);
    return fixture.stores.apiSessions.touch(new Map(ids.map((id) => [id, { at, requestedAt: at }])), restSeconds);
  };
  const report = (id: string) =>
    fixture.stores.apiSessions.touch(new Map([[id, { at: new Date(), requestedAt: null }]]), 0);
  /** Of its row; another one when it was written. */
  const version = async (id: string) =>
    (await fixture.files.query('SELECT xmin::text AS version FROM api_sessions WHERE id = $1', [id])).rows[0]?.[
      'version'
    ];
  const idleSeconds = async (id: string) => {
    const sql = 'SELECT extract(epoch FROM now() - last_activity_at)::float8 AS idle FROM api_sessions WHERE id = $1';
    return Number((await fixture.files.query(sql, [id])).rows[0]?.['idle']);
  };

  it('is kept as the last use of the identity, and not again within twelve hours', async () => {
    const { id, identityId } = await openSession(REST + 1);
    const usedHoursAgo = async () => {
      const sql = 'SELECT extract(epoch FROM now() - at)::float8 / 3600 AS hours FROM last_uses WHERE entity_id = $1';
      return Number((await fixture.files.query(sql, [identityId])).rows[0]?.['hours']);
    };
    const setHoursAgo = (hours: number) =>
      fixture.files.query('UPDATE last_uses SET at = now() - make_interval(hours => $2) WHERE entity_id = $1', [
        identityId,
        hours,
      ]);
    await touch([id], 1);
    expect(await usedHoursAgo()).to.be.below(0.1);
    await setHoursAgo(11);
    await touch([id], 0, 0);
    expect(await usedHoursAgo()).to.be.within(11, 11.1);
    await setHoursAgo(13);
    await touch([id], 0, 0);
    expect(await usedHoursAgo()).to.be.below(0.1);
    await fixture.stores.identities.remove(identityId);
    expect(await usedHoursAgo()).to.deep.equal(NaN);
  });

  it('is not written again within the rest after the last time, and says how long it waits', async () => {
    const { id } = await openSession(100);
    const before = await version(id);
    const { waitsSeconds = NaN } = (await touch([id], 1)).get(id) ?? {};
    expect(await version(id)).to.equal(before);
    expect(waitsSeconds).to.be.within(1, REST - 100);
  });

  it('is written once the rest is over, also what was done long before its end', async () => {
    const { id } = await openSession(9 * REST);
    expect((await touch([id], REST - 1)).get(id)?.waitsSeconds).to.equal(0);
    expect(await idleSeconds(id)).to.be.within(REST - 1, 8 * REST);
  });

  it('is written at once when there is no rest', async () => {
    const { id } = await openSession(REST - 100);
    expect((await touch([id], 1, 0)).get(id)?.waitsSeconds).to.equal(0);
    expect(await idleSeconds(id)).to.be.below(REST - 100);
  });

  it('that routers alone report counts for a day after the last request', async () => {
    const { id } = await openSession(3_600);
    const lastRequest = (hours: number) =>
      fixture.files.query(
        'UPDATE api_sessions SET last_request_at = now() - make_interval(hours => $2) WHERE id = $1',
        [id, hours],
      );
    await lastRequest(23);
    await report(id);
    expect(await idleSeconds(id)).to.be.below(60);
    await fixture.files.query("UPDATE api_sessions SET last_activity_at = now() - interval '2 hours' WHERE id = $1", [
      id,
    ]);
    await lastRequest(25);
    await report(id);
    expect(await idleSeconds(id)).to.be.within(3_540, 3_660);
    const before = await version(id);
    await report(id);
    expect(await version(id), 'nothing is written that changes nothing').to.equal(before);
    await touch([id], 0, 0);
    expect(await idleSeconds(id), 'a request counts').to.be.below(60);
    await report(id);
    expect(await idleSeconds(id)).to.be.below(60);
  });

  it('is never set back, and then waits for nothing', async () => {
    const { id } = await openSession(400);
    const before = await version(id);
    for (const rest of [0, REST]) expect((await touch([id], 500, rest)).get(id)?.waitsSeconds).to.equal(0);
    expect(await version(id)).to.equal(before);
  });

  it('tells the state of every session that is still good, written or not', async () => {
    const [written, resting, disabled, ended] = [
      await openSession(400),
      await openSession(100),
      await openSession(400),
      await openSession(400),
    ];
    await fixture.stores.identities.disable(disabled.identityId, 10);
    await fixture.stores.apiSessions.remove(ended.id);
    const touched = await touch([written.id, resting.id, disabled.id, ended.id], 1);
    expect([...touched.keys()]).to.have.members([written.id, resting.id]);
    for (const { state } of touched.values()) expect(state).to.match(/^[0-9a-f]{32}$/);
  });
});
