/** A stock router exchanges its certificates over its channel while its traffic goes on. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { StockNetwork } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

interface Shown {
  readonly fingerprint: string;
  readonly unverifiedFingerprint: string | null;
}

const BACK_MS = 120_000;
/** Longer than a channel stands whose router got its certificate in another way. */
const STANDS_MS = 8_000;

describeStock('the certificates of a stock router', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  before(async () => {
    controller = await startReachable();
    network = await new StockNetwork(binary, controller).prepare();
  });
  after(async () => {
    await network.close();
    await controller.stop();
  });

  const shown = () => network.read<Shown>(`edge-routers/${network.router.id}`);
  const stored = () => {
    const pem = readFileSync(network.ziti.path(`${network.router.name}.cert`), 'utf8');
    return new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
  };
  const channel = async () => {
    const { rows } = await controller.database.query(
      'SELECT connected_at::text AS at FROM router_channels WHERE router_id = $1',
      [network.router.id],
    );
    return rows[0]?.['at'] as string | undefined;
  };

  it('are exchanged over its channel, which goes on, and the next channel shows the new one', async () => {
    const { router, ziti } = network;
    const before = stored();
    expect((await shown()).fingerprint).to.equal(before);
    await router.process.kill('SIGKILL');
    router.process = ziti.runRouter(router.name, '--extend');
    await until(
      'the new certificate is in force',
      async () => {
        const { fingerprint, unverifiedFingerprint } = await shown();
        return fingerprint !== before && unverifiedFingerprint === null && stored() === fingerprint;
      },
      BACK_MS,
    );
    const since = await channel();
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talk = network.talk(port);
    await talk.echo('with the new one');
    const end = Date.now() + STANDS_MS;
    await until('the channel stands', async () => {
      await talk.echo(unique('on'));
      expect(await channel()).to.equal(since);
      return Date.now() > end;
    });
    expect(stored()).to.equal((await shown()).fingerprint);
    await network.restartRouter();
    expect((await shown()).fingerprint).to.equal(stored());
    await network.dialsAgain(port, BACK_MS);
  });
});
