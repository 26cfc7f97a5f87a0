/**
 * Stock programs that hold sessions by OpenID Connect, while what signs their tokens is renewed and the controller is
 * killed: each goes on with the session that it has, and gets its next tokens under the new name of the key.
 */
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { oidcClient, tokensIn } from '../support/oidc.js';
import { until } from '../support/poll.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { StockNetwork } from '../support/stock-network.js';
import type { Setup, Talk } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

const BACK_MS = 120_000;
/** Longer than an access token is good; programs get the next one a few seconds before its end. */
const TOKEN_MS = 70_000;

describeStock('access tokens of stock programs, when what signs them is renewed,', (binary) => {
  const shop = new ProcessShop();
  const dataDir = shop.dataDir();
  let env: Readonly<Record<string, string>>;
  let url: string;
  let host: string;
  let controller: ControllerProcess;
  let admin: Client;
  let network: StockNetwork;
  let made: Setup;
  let port: number;
  let talk: Talk;

  before(async () => {
    const own = await freePort();
    host = `localhost:${own}`;
    env = {
      ...addressAt(own),
      EDGE_ADMIN_PASSWORD: ADMIN.password,
      EDGE_LOG_REQUESTS: 'none',
      EDGE_OIDC_ACCESS_TOKEN: '1m',
    };
    controller = shop.start(dataDir, { env });
    url = await controller.ready();
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

  const renew = async (what: 'intermediate' | 'server') => {
    const { code } = await shop.start(dataDir, { args: ['renew', what], env }).ended;
    expect(code).to.equal(0);
  };
  /** Ids of the sessions of the host and of the client. */
  const sessions = async () => {
    const all = await network.items<{ id: string; identityId: string }>('api-sessions?limit=500');
    const own = all.filter(({ identityId }) => [made.host.id, made.client.id].includes(identityId));
    return own.map(({ id }) => id).sort();
  };
  /** The name of the key that signs now. */
  const signs = async (): Promise<string> => {
    const client = shop.client(url);
    const oidc = oidcClient({
      ...client,
      send: (method, path, body, options) =>
        client.send(method, path, body, { ...options, headers: { ...options?.headers, host } }),
      get: (path, options) => client.get(path, { ...options, headers: { ...options?.headers, host } }),
    });
    const { id, verifier } = await oidc.begin();
    expectStatus(await oidc.password(id, ADMIN.username, ADMIN.password), 302);
    const { access_token } = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
    return decodeProtectedHeader(access_token).kid ?? '';
  };
  const goesOn = async () => {
    const end = performance.now() + TOKEN_MS;
    await until(
      'a life of a token is over',
      async () => {
        await talk.echo(unique('still'));
        return performance.now() > end;
      },
      TOKEN_MS + BACK_MS,
    );
    await network.dialsAgain(port, BACK_MS);
  };

  for (const what of ['server', 'intermediate'] as const)
    it(`${what}: sessions go on, over a restart of the controller too`, async () => {
      const [before, name] = [await sessions(), await signs()];
      expect(before).to.have.lengthOf.at.least(2);
      for (const id of before) expect(id).to.match(/^[0-9a-f]{8}-/);
      await renew(what);
      await until('another certificate names the key', async () => (await signs()) !== name, BACK_MS);
      await goesOn();
      expect(await sessions(), 'nobody has logged in anew').to.deep.equal(before);
      controller.kill('SIGKILL');
      await controller.ended;
      await talk.echo(unique('without it'));
      controller = shop.start(dataDir, { env });
      await controller.ready();
      await network.ziti.online(network.router, BACK_MS);
      await network.dialsAgain(port, BACK_MS);
      await goesOn();
      expect(await sessions(), 'nobody has logged in anew').to.deep.equal(before);
    });
});
