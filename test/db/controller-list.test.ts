/** The list of controllers for routers, kept by several controllers of one database, with clocks of their own. */
import { expect } from 'chai';
import { STEADY_MS } from '../../domain/fabric/controller-list.js';
import { SIGN_MS, openControllerList } from '../../server/changes/controller-list.js';
import type { ControllerListKeeper } from '../../server/changes/controller-list.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

describe('the list of controllers that routers are told', () => {
  let fixture: TestStores;
  let clock = 0;
  beforeEach(async () => {
    fixture = await openStoresForTest({ poolSize: 8 });
    clock = 0;
  });
  afterEach(() => fixture.close());

  const openAt = (address: string) =>
    openControllerList({ stores: fixture.stores, trustDomain: 'network.example', address, now: () => clock });
  const addresses = (keeper: ControllerListKeeper) => keeper.known.now().controllers.map(({ address }) => address);
  const silence = (address: string) =>
    fixture.files.query(`UPDATE controller_addresses SET last_seen_at = now() - interval '1 hour' WHERE address = $1`, [
      address,
    ]);
  /** Signs of life until it may judge others. */
  const live = async (keeper: ControllerListKeeper) => {
    for (let passed = 0; passed < STEADY_MS; passed += SIGN_MS) {
      clock += SIGN_MS;
      await keeper.signOfLife();
    }
  };

  it('is the same for all who start at once, and grows with each change', async () => {
    const names = Array.from({ length: 8 }, (_each, at) => `c${at}.example:1280`);
    const keepers = await Promise.all(names.map(openAt));
    for (const keeper of keepers) await keeper.read();
    for (const keeper of keepers) {
      expect(addresses(keeper)).to.deep.equal(names);
      expect(keeper.known.now()).to.deep.equal(keepers[0]?.known.now());
    }
    const { index } = keepers[0]?.known.now() ?? { index: 0 };
    expect((await openAt('another.example:1280')).known.now().index).to.be.greaterThan(index);
  });

  it('calls its listener once for each newer list', async () => {
    const keeper = await openAt('a:1');
    let heard = 0;
    keeper.onChange = () => (heard += 1);
    await keeper.signOfLife();
    await keeper.read();
    expect(heard).to.equal(0);
    await openAt('b:1');
    await keeper.read();
    await keeper.read();
    expect(heard).to.equal(1);
  });

  it('has another one in the place of a controller that is gone, and takes it back', async () => {
    const [keeper] = [await openAt('a:1'), await openAt('b:1')];
    await silence('b:1');
    await live(keeper);
    expect(addresses(keeper)).to.deep.equal(['a:1', 'a:01']);
    const back = await openAt('b:1');
    await keeper.read();
    expect(addresses(keeper), 'until it listens').to.deep.equal(['a:1', 'a:01']);
    expect([back.known.standsInFor(), keeper.known.standsInFor()]).to.deep.equal([[], [back.known.ownId()]]);
    await back.signOfLife();
    await keeper.read();
    expect(addresses(keeper)).to.deep.equal(['a:1', 'b:1']);
    expect(keeper.known.standsInFor()).to.deep.equal([]);
  });

  it('has another one at once in the place of a controller that says that it ends', async () => {
    const [keeper, other] = [await openAt('a:1'), await openAt('b:1')];
    await live(keeper);
    await other.signOfLife();
    await keeper.signOfLife();
    expect(addresses(keeper)).to.deep.equal(['a:1', 'b:1']);
    await other.leave();
    await keeper.signOfLife();
    expect(addresses(keeper)).to.deep.equal(['a:1', 'a:01']);
  });

  it('loses none because of an outage that they shared', async () => {
    const [keeper] = [await openAt('a:1'), await openAt('b:1')];
    await live(keeper);
    await silence('b:1');
    clock += 60_000;
    await keeper.signOfLife();
    expect(addresses(keeper)).to.deep.equal(['a:1', 'b:1']);
    await live(keeper);
    expect(addresses(keeper)).to.deep.equal(['a:1', 'a:01']);
  });

  it('is told under a greater index again when the database has become one of before', async () => {
    const keeper = await openAt('a:1');
    const { index } = keeper.known.now();
    await fixture.files.query('UPDATE controller_list SET index = 1');
    clock += SIGN_MS;
    await keeper.signOfLife();
    expect(keeper.known.now().index).to.be.greaterThan(index);
    await fixture.files.query('DELETE FROM controller_list');
    await keeper.signOfLife();
    expect(addresses(keeper)).to.deep.equal(['a:1']);
  });
});
