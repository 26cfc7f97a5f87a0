/** Identities that are connected to routers of other hosts: what is read of them, and what of it is new. */
import { expect } from 'chai';
import type { ConnectedIdentityRow, KnownIdentities } from '../../db/stores/connected-identities.js';
import { IdentitiesElsewhere, MOST_READ } from '../../fabric/presence/identities-elsewhere.js';
import { until } from '../support/poll.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const LOST_MS = 60_000;

describe('identities that are connected at other hosts', () => {
  let test: TestStores;
  let serial = 0;
  const closing: { close(): Promise<void> }[] = [];
  before(async () => {
    test = await openStoresForTest();
    const row = { id: 'c1', name: 'c1', ctrlAddress: null, certPem: '', fingerprint: 'f', apiAddresses: {} };
    await test.stores.controllers.join(row);
    await test.files.query(
      `INSERT INTO identities (id, name, type_id, auth_policy_id, is_admin)
       SELECT 'i' || n, 'i' || n, 'User', 'default', false FROM generate_series(1, ${MOST_READ + 10}) AS n`,
    );
  });
  afterEach(async () => {
    for (const each of closing.splice(0)) await each.close();
    await test.files.query('DELETE FROM router_hosts');
  });
  after(() => test.close());

  const newHost = async () => {
    const id = `host-${(serial += 1)}`;
    await test.stores.routerChannels.join(id, 'c1');
    return id;
  };
  const row = (
    identityId: string,
    number: number,
    isConnected = true,
    lostForMs: number | null = null,
  ): ConnectedIdentityRow => ({ identityId, number, isConnected, lostForMs });
  const write = (hostId: string, ...rows: ConnectedIdentityRow[]) =>
    test.stores.connectedIdentities.write(hostId, rows);
  const read = (own: string, known: readonly KnownIdentities[] = []) =>
    test.stores.connectedIdentities.elsewhere(own, known, MOST_READ);
  /** A reader at `own`, which reads as often as it can. @param clock  milliseconds by which its clock is ahead */
  const reader = (own: string, clock = { ahead: 0 }) => {
    const { connectedIdentities: store } = test.stores;
    const noteFailure = (error: unknown) => {
      throw error;
    };
    const now = () => performance.now() + clock.ahead;
    const elsewhere = new IdentitiesElsewhere({ store, hostId: own, noteFailure, everyMs: 10, now });
    closing.push(elsewhere);
    return elsewhere;
  };
  const becomes = (elsewhere: IdentitiesElsewhere, id: string, state: string) =>
    until(`${id} is ${state}`, () => elsewhere.of(id) === state);
  const dies = (hostId: string) =>
    test.files.query("UPDATE router_hosts SET seen_at = now() - interval '5 seconds' WHERE id = $1", [hostId]);

  it('are those of hosts that live, without the own ones and those that do not exist', async () => {
    const [own, other, dead] = [await newHost(), await newHost(), await newHost()];
    for (const host of [own, other, dead]) await write(host, row('i1', 1), row('not-there', 2));
    await dies(dead);
    expect((await read(own)).map(({ hostId, rows }) => [hostId, rows])).to.deep.equal([[other, [row('i1', 1)]]]);
  });

  it('are read again only when they have changed, in the order in which they did', async () => {
    const [own, other] = [await newHost(), await newHost()];
    await write(other, row('i1', 1), row('i2', 2), row('i3', 3));
    const joinedAt = (await read(own))[0]?.joinedAt ?? 0;
    await write(other, row('i1', 4, false));
    // One that was overtaken changes nothing.
    await write(other, row('i1', 2));
    const news = await read(own, [{ hostId: other, joinedAt, number: 2 }]);
    expect(news[0]?.rows).to.deep.equal([row('i3', 3), row('i1', 4, false)]);
    expect((await read(own, [{ hostId: other, joinedAt, number: 4 }]))[0]?.rows).to.deep.equal([]);
  });

  it('of a host that began anew are read from the beginning', async () => {
    const [own, other] = [await newHost(), await newHost()];
    await write(other, row('i1', 1), row('i2', 2));
    const elsewhere = reader(own);
    await becomes(elsewhere, 'i2', 'online');
    await test.stores.routerChannels.join(other, 'c1');
    await write(other, row('i1', 3));
    await becomes(elsewhere, 'i2', 'offline');
    await becomes(elsewhere, 'i1', 'online');
  });

  it('are unknown for five minutes after their routers, or their host, went', async () => {
    const [own, other, third] = [await newHost(), await newHost(), await newHost()];
    const clock = { ahead: 0 };
    await write(other, row('i1', 1), row('i2', 2, false, LOST_MS), row('i3', 3, false, 6 * LOST_MS));
    const elsewhere = reader(own, clock);
    await becomes(elsewhere, 'i1', 'online');
    expect(['i2', 'i3', 'i4'].map((id) => elsewhere.of(id))).to.deep.equal(['unknown', 'offline', 'offline']);
    clock.ahead = 4.5 * LOST_MS;
    expect(elsewhere.of('i2')).to.equal('offline');
    await dies(other);
    await becomes(elsewhere, 'i1', 'unknown');
    await write(third, row('i1', 1));
    await becomes(elsewhere, 'i1', 'online');
    await write(third, row('i1', 2, false));
    await becomes(elsewhere, 'i1', 'unknown');
    clock.ahead += 5 * LOST_MS;
    expect(elsewhere.of('i1')).to.equal('offline');
  });

  it('are all found when they are more than one read has', async () => {
    const [own, other] = [await newHost(), await newHost()];
    const count = MOST_READ + 10;
    await write(other, ...Array.from({ length: count }, (_, at) => row(`i${at + 1}`, at + 1)));
    await becomes(reader(own), `i${count}`, 'online');
  });
});
