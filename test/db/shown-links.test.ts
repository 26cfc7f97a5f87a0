/** Links and circuits as hosts write them: what is shown where several know of one, and what dead hosts leave. */
import { expect } from 'chai';
import type { LinkRow } from '../../db/stores/links.js';
import { joinController, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const DETAILS = { ends: { ingressId: 'i', egressId: 'e' }, maxIdleMs: 0, hostSessionId: null, tags: {} };

describe('links and circuits of hosts', () => {
  let test: TestStores;
  let serial = 0;
  before(async () => {
    test = await openStoresForTest();
    await joinController(test.stores);
  });
  after(() => test.close());

  const newId = (kind: string) => `${kind}-${(serial += 1)}`;
  const newHost = async (): Promise<string> => {
    const id = newId('host');
    await test.stores.routerChannels.join(id, 'c1');
    return id;
  };
  const row = (id: string, changes: Partial<LinkRow> = {}): LinkRow => ({
    id,
    iteration: 1,
    sourceRouterId: 'a',
    destRouterId: 'b',
    protocol: 'tls',
    dialAddress: 'tls:a:1',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    sourceLatency: 65e9,
    destLatency: 65e9,
    stateIteration: 0,
    connections: [],
    ...changes,
  });
  const circuit = (id: string) => ({
    id,
    createdAt: new Date('2026-01-01T00:00:00Z'),
    serviceId: 's',
    terminatorId: 't',
    clientId: 'i',
    sessionId: null,
    routerIds: ['a', 'b'],
    linkIds: ['l'],
    cost: 11,
    details: DETAILS,
  });
  const die = (hostId: string) =>
    test.files.query("UPDATE router_hosts SET seen_at = now() - interval '5 seconds' WHERE id = $1", [hostId]);
  const linksWith = async (filter: string) => (await test.stores.links.list({ filter })).items;
  const settingsOf = async (id: string) => (await test.stores.links.settings()).get(id);

  it('show a link once, as the living host tells of it that knows the latest', async () => {
    const [one, two, link] = [await newHost(), await newHost(), newId('link')];
    await test.stores.links.write(one, [row(link, { iteration: 2 })], []);
    await test.stores.links.write(two, [row(link, { iteration: 3, protocol: 'dtls' })], []);
    const page = await test.stores.links.list({ filter: `id = "${link}"` });
    expect(page.totalCount).to.equal(1);
    expect(page.items.map(({ iteration, protocol }) => [iteration, protocol])).to.deep.equal([[3, 'dtls']]);
    await die(two);
    expect((await test.stores.links.get(link)).iteration).to.equal(2);
    await test.stores.links.write(one, [], [link]);
    expect(await linksWith(`id = "${link}"`)).to.deep.equal([]);
  });

  it('are void with a dead host', async () => {
    const [dead, living, link, id] = [await newHost(), await newHost(), newId('link'), newId('circuit')];
    await test.stores.links.write(dead, [row(link)], []);
    await test.stores.circuits.write(dead, [circuit(id)], []);
    expect((await test.stores.circuits.get(id)).routers.map((router) => router.id)).to.deep.equal(['a', 'b']);
    await die(dead);
    expect(await linksWith(`id = "${link}"`)).to.deep.equal([]);
    expect((await test.stores.circuits.list({ filter: `id = "${id}"` })).totalCount).to.equal(0);
    await test.stores.routerChannels.touch(living, 0);
    const { rows } = await test.files.query('SELECT FROM router_links WHERE id = $1', [link]);
    expect(rows).to.deep.equal([]);
  });

  it('leave circuits to a host with a router of theirs, once, and the dead one gets none back', async () => {
    const [dead, living, id] = [await newHost(), await newHost(), newId('circuit')];
    const { circuits } = test.stores;
    await circuits.write(dead, [circuit(id)], []);
    expect(await circuits.takeOver(living, ['a', 'b']), 'while it lives').to.deep.equal({ rows: [], isMore: false });
    await die(dead);
    expect((await circuits.takeOver(living, ['another'])).rows).to.deep.equal([]);
    expect((await circuits.takeOver(living, ['b'])).rows).to.deep.equal([circuit(id)]);
    expect((await circuits.takeOver(living, ['b'])).rows).to.deep.equal([]);
    await test.files.query('UPDATE router_hosts SET seen_at = now() WHERE id = $1', [dead]);
    expect(await circuits.write(dead, [circuit(id)], [])).to.deep.equal([id]);
    await circuits.write(dead, [], [id]);
    expect((await circuits.get(id)).id).to.equal(id);
  });

  it('tell whoever has a circuit only what routers of its path report', async () => {
    const [host, id] = [await newHost(), newId('circuit')];
    await test.stores.circuits.write(host, [circuit(id)], []);
    const told = (routerId: string) => test.stores.circuits.tell([{ id, routerId, news: 'ended' }]);
    expect(await told('a')).to.deep.equal([id]);
    expect(await told('another')).to.deep.equal([]);
  });

  it('are forgotten when their host begins anew', async () => {
    const [host, link, id] = [await newHost(), newId('link'), newId('circuit')];
    await test.stores.links.write(host, [row(link)], []);
    await test.stores.circuits.write(host, [circuit(id)], []);
    await test.stores.routerChannels.join(host, 'c1');
    expect(await linksWith(`id = "${link}"`)).to.deep.equal([]);
    expect((await test.stores.circuits.list({ filter: `id = "${id}"` })).items).to.deep.equal([]);
  });

  it('keep what an operator set on a link until the link is gone for a day', async () => {
    const [host, link] = [await newHost(), newId('link')];
    await test.stores.links.write(host, [row(link)], []);
    await test.stores.links.configure(link, { staticCost: 7 });
    await test.stores.links.configure(link, { isDown: true });
    expect(await settingsOf(link)).to.deep.equal({ staticCost: 7, isDown: true });
    const [shown] = await linksWith(`id = "${link}" and down = true and cost = 130007`);
    expect(shown).to.include({ staticCost: 7, isDown: true });
    const age = "UPDATE router_link_settings SET updated_at = now() - interval '2 days' WHERE id = $1";
    await test.files.query(age, [link]);
    await test.stores.links.sweepSettings();
    expect(await settingsOf(link)).not.to.equal(undefined);
    await test.stores.links.write(host, [], [link]);
    await test.stores.links.sweepSettings();
    expect(await settingsOf(link)).to.equal(undefined);
  });

  it('record what operators do to links and circuits', async () => {
    const [host, link, id] = [await newHost(), newId('link'), newId('circuit')];
    await test.stores.links.write(host, [row(link)], []);
    await test.stores.circuits.write(host, [circuit(id)], []);
    const { stores } = test;
    const operator = stores.forRequest({ actor: { kind: 'identity', id: 'admin' } });
    await operator.links.configure(link, { staticCost: 3 });
    await operator.links.configure(link, { staticCost: 3 });
    await operator.links.remove(link);
    await operator.circuits.remove(id, false);
    const { items } = await stores.auditRecords.list({ filter: `entityId in ["${link}", "${id}"]`, sort: 'id' });
    expect(items.map(({ kind, actor }) => [kind, actor.id])).to.deep.equal([
      ['link.updated', 'admin'],
      ['link.deleted', 'admin'],
      ['circuit.deleted', 'admin'],
    ]);
  });
});
