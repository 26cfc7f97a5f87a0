/** Which routers are connected, as all controllers read it: hosts, their signs of life, and what dead ones leave. */
import type { RouterChannelRow } from '../../db/stores/router-channels.js';
import { expect } from 'chai';
import type { RouterPresence } from '../../domain/router.js';
import { joinController, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const VERSION = { version: 'v2.0.3', revision: 'r', buildDate: 'd', os: 'linux', arch: 'amd64' };

describe('routers that are connected', () => {
  let test: TestStores;
  let serial = 0;
  before(async () => {
    test = await openStoresForTest();
    await joinController(test.stores);
  });
  after(() => test.close());

  const newRouter = async (): Promise<string> => {
    const id = `router-${(serial += 1)}`;
    await test.files.query('INSERT INTO routers (id, name, is_edge) VALUES ($1, $1, true)', [id]);
    return id;
  };
  const newHost = async (): Promise<string> => {
    const id = `host-${(serial += 1)}`;
    await test.stores.routerChannels.join(id, 'c1');
    return id;
  };
  const row = (routerId: string, changes: Partial<RouterChannelRow> = {}) => ({
    routerId,
    connectedAt: new Date('2026-01-01T00:00:00Z'),
    syncStatus: 'SYNC_DONE',
    hostname: 'a.example',
    protocols: { tls: 'tls://a.example:1' },
    versionInfo: VERSION,
    linkListeners: [{ address: 'tls:router.example:6000', protocol: 'tls' }],
    capabilitiesMask: '0',
    ...changes,
  });
  const presence = async (id: string) => (await test.stores.routers.getEdge(id)).presence;
  /** As if the host had shown no sign of life for so long. */
  const age = (hostId: string, seconds: number) =>
    test.files.query('UPDATE router_hosts SET seen_at = now() - make_interval(secs => $2) WHERE id = $1', [
      hostId,
      seconds,
    ]);
  const presenceEpoch = async () => (await test.stores.advice.epoch()).split('.')[2];

  it('leave what their program is and can do, which no version of the router moves with', async () => {
    const [host, router, other] = [await newHost(), await newRouter(), await newRouter()];
    const told = async (id: string) => {
      const { version, capabilitiesMask } = await test.stores.routers.getEdge(id);
      return [version, capabilitiesMask];
    };
    const version = async () => (await test.stores.routers.getEdge(router)).updatedAt;
    const before = await version();
    expect(await told(router)).to.deep.equal([null, null]);
    for (const capabilitiesMask of ['118', '4611686018427388022', '-9223372036854775806', '0']) {
      await test.stores.routerChannels.write(host, [row(router, { capabilitiesMask }), row(other)], []);
      expect(await told(router)).to.deep.equal([VERSION.version, capabilitiesMask]);
      expect(await told(other)).to.deep.equal([VERSION.version, '0']);
    }
    await test.stores.routerChannels.write(host, [], [router]);
    expect(await told(router)).to.deep.equal([VERSION.version, '0']);
    expect(await version()).to.deep.equal(before);
  });

  it('are read with what their host wrote last', async () => {
    const [host, router] = [await newHost(), await newRouter()];
    expect(await presence(router)).to.equal(null);
    await test.stores.routerChannels.write(host, [row(router)], []);
    expect(await presence(router)).to.deep.equal(without(row(router)));
    await test.stores.routerChannels.write(host, [row(router, { syncStatus: 'SYNC_HELLO' })], []);
    expect((await presence(router))?.syncStatus).to.equal('SYNC_HELLO');
    await test.stores.routerChannels.write(host, [], [router]);
    expect(await presence(router)).to.equal(null);
  });

  it('are gone with a host that shows no sign of life, and back with it', async () => {
    const [host, router] = [await newHost(), await newRouter()];
    await test.stores.routerChannels.write(host, [row(router)], []);
    await age(host, 5);
    expect(await presence(router)).to.equal(null);
    expect(await test.stores.routerChannels.touch(host, 3)).to.equal(true);
    expect(await presence(router)).not.to.equal(null);
  });

  it('are removed by others when their host is dead, and the host is told when it lives after all', async () => {
    const [dead, living, router] = [await newHost(), await newHost(), await newRouter()];
    await test.stores.routerChannels.write(dead, [row(router)], []);
    await age(dead, 5);
    const before = await presenceEpoch();
    expect(await test.stores.routerChannels.touch(living, 0)).to.equal(true);
    expect(await presenceEpoch()).not.to.equal(before);
    expect(await test.stores.routerChannels.touch(dead, 0)).to.equal(false);
  });

  it('count by their latest connection when several hosts have them', async () => {
    const [first, second, router] = [await newHost(), await newHost(), await newRouter()];
    const later = new Date('2026-01-02T00:00:00Z');
    await test.stores.routerChannels.write(second, [row(router, { connectedAt: later, hostname: 'late' })], []);
    await test.stores.routerChannels.write(first, [row(router, { hostname: 'early' })], []);
    expect((await presence(router))?.hostname).to.equal('late');
    await test.stores.routerChannels.leave(second);
    expect((await presence(router))?.hostname).to.equal('early');
  });

  it('may be deleted meanwhile: what is written of them is left out', async () => {
    const [host, router, deleted] = [await newHost(), await newRouter(), await newRouter()];
    await test.stores.routerChannels.write(host, [row(deleted)], []);
    await test.files.query('DELETE FROM routers WHERE id = $1', [deleted]);
    await test.stores.routerChannels.write(host, [row(router), row(deleted)], []);
    expect(await presence(router)).not.to.equal(null);
  });

  it('of a controller that starts again are forgotten', async () => {
    const [host, router] = [await newHost(), await newRouter()];
    await test.stores.routerChannels.write(host, [row(router)], []);
    await test.stores.routerChannels.forgetHostsOf('c1');
    expect(await presence(router)).to.equal(null);
  });

  it('move the epoch of advice when they come and go, not with each step between', async () => {
    const [host, router] = [await newHost(), await newRouter()];
    const before = await presenceEpoch();
    await test.stores.routerChannels.write(host, [row(router)], []);
    const come = await presenceEpoch();
    expect(come).not.to.equal(before);
    await test.stores.routerChannels.write(host, [row(router, { syncStatus: 'SYNC_DONE' })], []);
    expect(await presenceEpoch()).to.equal(come);
    await test.stores.routerChannels.write(host, [], [router]);
    expect(await presenceEpoch()).not.to.equal(come);
  });
});

function without(presence: RouterPresence): RouterPresence {
  const { connectedAt, syncStatus, hostname, protocols, linkListeners, versionInfo } = presence;
  return { connectedAt, syncStatus, hostname, protocols, linkListeners, versionInfo };
}
