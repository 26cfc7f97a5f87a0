/** The authority of a network changes while stock programs talk: nothing ends, and who comes later is let in. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { ADMIN, unique } from '../support/controller.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import { StockNetwork } from '../support/stock-network.js';
import type { Setup, StockIdentity, Talk } from '../support/stock-network.js';
import { caBundle, printOf, shownChain } from '../support/authority-scene.js';
import { describeStock } from '../support/unless.js';

const BACK_MS = 120_000;

describeStock('the authority of stock programs changes', (binary) => {
  const shop = new ProcessShop();
  const dataDir = shop.dataDir();
  let env: Readonly<Record<string, string>>;
  let url: string;
  let admin: Client;
  let network: StockNetwork;
  let made: Setup;
  let port: number;
  let talk: Talk;

  before(async () => {
    env = { ...addressAt(await freePort()), EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_LOG_REQUESTS: 'none' };
    url = await shop.start(dataDir, { env }).ready();
    admin = await shop.login(url);
    network = await new StockNetwork(binary, { admin, url, routersUrl: url }).prepare();
    made = await network.setup();
    await network.hosting(made, made.host);
    port = await network.tunnel(made);
    talk = network.talk(port);
    await talk.echo('before');
  });
  after(async () => {
    await network.close();
    await shop.end();
  });

  const command = async (...args: string[]) => {
    const child = shop.start(dataDir, { args, env });
    const { code } = await child.ended;
    if (code !== 0) throw new Error(`${args.join(' ')}: ${child.stderr()}`);
  };
  /** Waits until another intermediate signs; what stands goes on meanwhile. */
  const anotherSigns = async (before: string | undefined) =>
    until(
      'another intermediate signs',
      async () => {
        await talk.echo(unique('still'));
        return (await shownChain(url))[1] !== before;
      },
      BACK_MS,
    );
  /** A client that enrolls now talks to a host of before, over a router of before. */
  const newClientTalks = async () => {
    const client = await network.ziti.identity([]);
    await network.grant('Dial', client.id, made.serviceId);
    await network.toRouters(client.id);
    const fresh = network.talk(await network.tunnel({ service: made.service, client }));
    await fresh.echo('from a new client');
    fresh.close();
  };
  const newClientWith = async (client: StockIdentity) => {
    await network.dialsAgain(await network.tunnel({ service: made.service, client }));
  };
  const enrollAgain = async (known: StockIdentity) => {
    const [authenticator] = await network.items<{ id: string }>(`identities/${known.id}/authenticators`);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const path = `${MANAGEMENT}/authenticators/${authenticator?.id ?? ''}/re-enroll`;
    expectStatus(await admin.post(path, { expiresAt }), 201);
    await network.ziti.enrollIdentity(known);
  };
  /** A router of before gets its certificates from the new authority; all find it. */
  const routerRenews = async () => {
    const { router, ziti } = network;
    const { fingerprint } = await network.read<{ fingerprint: string }>(`edge-routers/${router.id}`);
    await router.process.kill('SIGKILL');
    router.process = ziti.runRouter(router.name, '--extend');
    await until(
      'it has new certificates',
      async () => {
        const { fingerprint: now } = await network.read<{ fingerprint: string }>(`edge-routers/${router.id}`);
        const stored = new X509Certificate(readFileSync(ziti.path(`${router.name}.cert`)));
        return now !== fingerprint && printOf(stored) === now;
      },
      BACK_MS,
    );
    await network.restartRouter();
    await network.dialsAgain(port, BACK_MS);
    talk.close();
    talk = network.talk(port);
    await talk.echo('over a router with new certificates');
    await newClientTalks();
  };

  it('to a new intermediate', async () => {
    const [, before] = await shownChain(url);
    await command('renew', 'intermediate');
    await anotherSigns(before);
    await network.dialsAgain(port);
    await newClientTalks();
    await talk.echo('after');
    await routerRenews();
  });

  it('to a new root; and who was away over the whole overlap enrolls again', async () => {
    const { ziti, router } = network;
    const away = { router: await ziti.router(network.attribute), client: await ziti.identity([]) };
    await network.grant('Dial', away.client.id, made.serviceId);
    await network.toRouters(away.client.id);
    await away.router.process.kill('SIGKILL');
    const [, before] = await shownChain(url);
    await command('renew', 'root');
    await anotherSigns(before);
    await network.dialsAgain(port);
    await newClientTalks();
    await talk.echo('after');
    await routerRenews();
    // As docs/pki.md says: a router of the field is given the new root in its file.
    writeFileSync(ziti.path(`${router.name}.cas`), await caBundle(shop.client(url)));
    await network.restartRouter();
    await command('retire', 'root', '--force');

    const { host, client } = made;
    expect(
      await network.tunnel(made).then(
        () => 'let in',
        () => 'refused',
      ),
    ).to.equal('refused');
    for (const known of [host, client, away.client]) await enrollAgain(known);
    await network.restartRouter();
    await network.hosting(made, host);
    for (const known of [client, away.client]) await newClientWith(known);

    away.router.process = ziti.runRouter(away.router.name);
    await until(
      'it does not trust the controller',
      () => /certificate signed by unknown authority/.test(away.router.process.output()),
      BACK_MS,
    );
    await away.router.process.kill('SIGKILL');
    expectStatus(await admin.post(`${MANAGEMENT}/edge-routers/${away.router.id}/re-enroll`, {}), 200);
    await ziti.enrollRouter(away.router);
    away.router.process = ziti.runRouter(away.router.name);
    await ziti.online(away.router, BACK_MS);
  });
});
