/**
 * Logins of the field's own command line by OpenID Connect, which it takes where a controller offers it. Needs the
 * `ziti` binary: see test/support/stock-binary.ts.
 */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { openWorld } from '../api/certificate-support.js';
import { makeCa, makeLeaf } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { CommandLine } from '../support/command-line.js';
import { itemsOf } from '../support/entities.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { makeSigner, tokenOf } from '../support/tokens.js';
import { describeStock } from '../support/unless.js';
import { makeUser } from '../support/users.js';
import { ZitiShop } from '../support/ziti.js';

describeStock('single sign-on of the command line', (binary) => {
  let controller: TestController;
  let ziti: ZitiShop;
  before(async () => {
    controller = await startReachable({ EDGE_OIDC_ACCESS_TOKEN: '1m' });
    ziti = new ZitiShop(binary, controller);
  });
  after(async () => {
    await ziti.close();
    await controller.stop();
  });

  const signedSessions = async () =>
    itemsOf(expectStatus(await controller.admin.get(`${M}/api-sessions?limit=100`), 200)).filter(({ id }) =>
      /^[0-9a-f]{8}-/.test(String(id)),
    );

  it('logs in with a password, and each command works with what it got', async () => {
    const cli = await CommandLine.login(ziti, controller);
    const before = (await signedSessions()).length;
    expect(before).to.be.greaterThan(0);
    const name = unique('by-oidc');
    await cli.create('identity', name);
    expect((await cli.list('identities', `name="${name}"`)).map((item) => item.name)).to.deep.equal([name]);
    expect((await signedSessions()).length, 'no command logs in anew').to.equal(before);
  });

  it('is refused with a wrong one', async () => {
    const { username } = ADMIN;
    const host = new URL(controller.url).host;
    const started = ziti.start('edge', 'login', host, '-u', username, '-p', 'wrong', '-y');
    started.finish();
    expect(await started.ended).to.not.equal(0);
  });

  it('logs in with a certificate, and gets a session that its commands, which do not show it, can use', async () => {
    const world = openWorld(() => controller);
    const name = unique('cert');
    const { id } = await makeUser(controller.admin, name, { isAdmin: true });
    const ca = makeCa();
    const leaf = makeLeaf(ca, { keyKind: 'rsa-2048' });
    await world.register(id, leaf, await world.trust(ca));
    writeFileSync(ziti.path('leaf.pem'), leaf.pem);
    writeFileSync(ziti.path('leaf.key'), leaf.keys.privateKey.export({ type: 'pkcs1', format: 'pem' }));
    const keys = ['--client-cert', ziti.path('leaf.pem'), '--client-key', ziti.path('leaf.key')];
    await ziti.run('edge', 'login', new URL(controller.url).host, ...keys, '-y', '--timeout', '60');
    await ziti.run('edge', 'list', 'services', '--timeout', '60');
    await ziti.run('fabric', 'list', 'routers', '--timeout', '60');
    expect((await signedSessions()).filter(({ identityId }) => identityId === id).length).to.equal(1);
  });

  it('logs in with a token of a signer', async () => {
    const signer = await makeSigner(controller.admin);
    const { id } = await makeUser(controller.admin, unique('token'), { isAdmin: true });
    writeFileSync(ziti.path('token'), await tokenOf(signer, id));
    await ziti.run(
      'edge',
      'login',
      new URL(controller.url).host,
      '--ext-jwt',
      ziti.path('token'),
      '-y',
      '--timeout',
      '60',
    );
    await ziti.run('edge', 'list', 'services', '--timeout', '60');
    expect((await signedSessions()).filter(({ identityId }) => identityId === id).length).to.equal(1);
  });
});
