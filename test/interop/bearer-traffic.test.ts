/**
 * Traffic of stock programs that log in by OpenID Connect, which they prefer where a controller offers it. Needs the
 * `ziti` binaries: test/support/stock-binary.ts says where they are looked for.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf } from '../support/entities.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import { ONLY_INTEROP, describeStockCore, itUnless } from '../support/unless.js';

describeStockCore('traffic of stock programs with access tokens', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  before(async () => {
    controller = await startReachable({ EDGE_OIDC_ACCESS_TOKEN: '1m' });
    network = await new StockNetwork(binary, controller).prepare({ host: 'localhost' });
  });
  after(async () => {
    await network.close();
    await controller.stop();
  });

  const sessionsOf = async (identityId: string) =>
    itemsOf(expectStatus(await controller.admin.get(`${M}/api-sessions?limit=500`), 200)).filter(
      (session) => session['identityId'] === identityId,
    );

  it('is hosted and dialed by SDKs that logged in so', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const client = network.ziti.start('demo', 'zcat', '-i', made.client.file, `ziti:${made.service}`, '-v');
    client.write('hello with a token\n');
    await until(
      'it comes back',
      () => {
        if (!client.isRunning()) throw new Error(`the dialer ended: ${client.output().slice(-3_000)}`);
        return client.stdout().includes('hello with a token');
      },
      WAIT_MS,
    );
    for (const { id } of [made.host, made.client])
      expect((await sessionsOf(id)).map(({ id: session }) => /^[0-9a-f]{8}-/.test(String(session)))).to.include(true);
    await client.kill();
  });

  it('goes through tunnelers, ends with the session of its client, and comes back with a new login', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talk = network.talk(port);
    await talk.echo(unique('said'));
    for (const { id } of await sessionsOf(made.client.id)) await network.remove(`api-sessions/${String(id)}`);
    await until('the connection ends', () => !talk.isOpen(), WAIT_MS);
    await network.dialsAgain(port);
  });

  itUnless(ONLY_INTEROP, 'goes on when access tokens are replaced, and dials with the new ones', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talk = network.talk(port);
    const started = performance.now();
    const twoLives = async () => {
      await talk.echo(unique('still'));
      return performance.now() - started > 130_000;
    };
    await until('two lives of a token are over', twoLives, 200_000);
    const later = network.talk(port);
    await later.echo(unique('later'));
    await talk.echo(unique('first'));
  });

  it('ends with the policy, for hosts and for dialers', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talk = network.talk(port);
    await talk.echo(unique('said'));
    await network.remove(`service-policies/${made.dialPolicy}`);
    await until('the connection ends', () => !talk.isOpen(), WAIT_MS);
    await network.grant('Dial', made.client.id, made.serviceId);
    await network.dialsAgain(port);
    await network.remove(`service-policies/${made.bindPolicy}`);
    await until('no terminator is left', async () => (await network.terminators(made.serviceId)).length === 0, WAIT_MS);
  });
});
