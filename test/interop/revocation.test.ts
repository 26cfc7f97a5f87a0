/** Whatever takes access away ends what stands of stock programs, and no other program's. */
import { writeFileSync } from 'node:fs';
import { makeLeaf } from '../support/certificates.js';
import { newVerifiedCa } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import type { Setup, StockIdentity, Talk } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

describeStock('access of stock programs', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  /** Goes on whatever happens to others. */
  let bystander: Talk;

  before(async () => {
    controller = await startReachable();
    network = await new StockNetwork(binary, controller).prepare();
    bystander = await network.newTalk();
  });
  after(async () => {
    await network.close();
    await controller.stop();
  });
  afterEach(async () => {
    await bystander.echo(unique('still here'));
  });

  const removeAll = async (collection: string, filter: string) => {
    for (const id of await network.listed(collection, filter)) await network.remove(`${collection}/${id}`);
  };
  const revocations: readonly (readonly [string, (made: Setup) => Promise<unknown>])[] = [
    ['its session is deleted', ({ serviceId }) => removeAll('sessions', `service="${serviceId}" and type="Dial"`)],
    ['its API session is deleted', ({ client }) => removeAll('api-sessions', `identity="${client.id}"`)],
    ['its Dial policy is deleted', ({ dialPolicy }) => network.remove(`service-policies/${dialPolicy}`)],
    [
      'its Dial policy names it no more',
      ({ dialPolicy }) => network.patch(`service-policies/${dialPolicy}`, { identityRoles: ['#nobody'] }),
    ],
    ['its router policy is deleted', ({ routerPolicy }) => network.remove(`edge-router-policies/${routerPolicy}`)],
    [
      'its router policy names the router no more',
      ({ routerPolicy }) => network.patch(`edge-router-policies/${routerPolicy}`, { edgeRouterRoles: ['#none'] }),
    ],
    [
      'its identity is disabled',
      ({ client }) => controller.admin.post(`${MANAGEMENT}/identities/${client.id}/disable`, { durationMinutes: 60 }),
    ],
    ['its identity is deleted', ({ client }) => network.remove(`identities/${client.id}`)],
    ['its certificate is revoked', ({ client }) => removeAll('authenticators', `identity="${client.id}"`)],
    ['the service is deleted', ({ serviceId }) => network.remove(`services/${serviceId}`)],
    ['the Bind policy of the host is deleted', ({ bindPolicy }) => network.remove(`service-policies/${bindPolicy}`)],
    ['the identity of the host is deleted', ({ host }) => network.remove(`identities/${host.id}`)],
  ];
  for (const [what, revoke] of revocations)
    it(`ends when ${what}, and no other's does`, async () => {
      const made = await network.setup();
      await network.hosting(made, made.host);
      const talk = network.talk(await network.tunnel(made));
      await talk.echo('as long as it lasts');
      await revoke(made);
      await until('the connection ends', () => !talk.isOpen(), WAIT_MS);
    });

  /** Enrolled with a certificate of another CA, as its holder would. */
  const identityOf = async (authority: Awaited<ReturnType<typeof newVerifiedCa>>): Promise<StockIdentity> => {
    const name = unique('of-ca');
    const id = await makeIdentity(controller, {
      name,
      type: 'Device',
      enrollment: { ottca: authority.id },
    });
    const answer = await controller.admin.get(`${MANAGEMENT}/identities/${id}/enrollments`);
    const leaf = makeLeaf(authority.ca, { commonName: name });
    const [jwt, cert, key, file] = ['jwt', 'cert', 'key', 'json'].map((end) => network.ziti.path(`${name}.${end}`));
    if (jwt === undefined || cert === undefined || key === undefined || file === undefined) throw new Error('no files');
    writeFileSync(jwt, String(itemsOf(expectStatus(answer, 200))[0]?.['jwt']));
    writeFileSync(cert, leaf.pem);
    writeFileSync(key, leaf.privateKeyPem);
    await network.ziti.run('edge', 'enroll', '--jwt', jwt, '--cert', cert, '--key', key, '--out', file);
    return { id, file };
  };
  it("ends when the CA of its certificate is deleted, and no other's does", async () => {
    const authority = await newVerifiedCa(controller);
    const made = await network.setup({}, await identityOf(authority));
    await network.hosting(made, made.host);
    const talk = network.talk(await network.tunnel(made));
    await talk.echo('as long as it lasts');
    await network.remove(`cas/${authority.id}`);
    await until('the connection ends', () => !talk.isOpen(), WAIT_MS);
  });
});
