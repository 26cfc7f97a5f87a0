/** Access tokens where router and clients are of different releases: each router lets in programs of each release. */
import { expect } from 'chai';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { RELEASES, findStockBinary, missing } from '../support/stock-binary.js';
import type { Release } from '../support/stock-binary.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import type { StockIdentity } from '../support/stock-network.js';
import { describeUnless } from '../support/unless.js';

const lacking = RELEASES.filter((release) => findStockBinary(release) === undefined).map(missing);

describeUnless(lacking[0], 'access tokens of programs of both releases', function mixtures() {
  this.timeout(300_000);
  let controller: TestController;
  /** By the release of the router, and by that of the programs. */
  const networks = new Map<string, StockNetwork>();
  const networkOf = (router: Release, client: Release): StockNetwork => {
    const found = networks.get(`${router} ${client}`);
    if (found === undefined) throw new Error('there is no network yet');
    return found;
  };
  before(async () => {
    controller = await startReachable();
    for (const router of RELEASES) {
      const attribute = unique(router);
      for (const client of [router, ...RELEASES.filter((release) => release !== router)]) {
        const network = new StockNetwork(findStockBinary(client) ?? '', controller, attribute);
        networks.set(`${router} ${client}`, network);
        if (client === router) await network.prepare();
      }
    }
  });
  after(async () => {
    for (const network of networks.values()) await network.close();
    await controller.stop();
  });

  const sessionsOf = async (network: StockNetwork, { id }: StockIdentity) =>
    (await network.items<{ id: string; identityId: string }>('api-sessions?limit=500'))
      .filter(({ identityId }) => identityId === id)
      .map((session) => session.id);

  for (const router of RELEASES)
    for (const client of RELEASES)
      for (const host of RELEASES)
        it(`a tunneler of the ${client} release, at a router of the ${router} one: a host of the ${host} one`, async () => {
          const [dialing, hosting] = [networkOf(router, client), networkOf(router, host)];
          const made = await hosting.setup();
          await hosting.hosting(made, made.host);
          const port = await dialing.tunnel(made);
          const talk = dialing.talk(port);
          await talk.echo(unique('said'));
          for (const who of [made.host, made.client]) {
            const ids = await sessionsOf(dialing, who);
            expect(ids.map((id) => /^[0-9a-f]{8}-/.test(id))).to.deep.equal([true]);
          }
          for (const id of await sessionsOf(dialing, made.client)) await dialing.remove(`api-sessions/${id}`);
          await until('the connection ends', () => !talk.isOpen(), WAIT_MS);
          await dialing.dialsAgain(port);
        });
});
