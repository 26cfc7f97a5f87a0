/** References to identities and CAs link to what the entities themselves link to. Against a whole controller. */
import { expect } from 'chai';
import { makeCa } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { entityOf, linksOf, make, read } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

describe('references', () => {
  let controller: TestController;
  let caller: Caller;
  let own: Record<string, string>;
  before(async () => {
    controller = await startTestController();
    caller = await controller.newCaller();
    own = linksOf(await read(controller, `identities/${caller.id}`));
  });
  after(() => controller.stop());

  const linksOfIdentity = (entity: Entity) => linksOf(entity['identity'] as Entity);
  const first = async (collection: string) => {
    const filter = encodeURIComponent(`identity = "${caller.id}"`);
    const list = expectStatus(await controller.admin.get(`${MANAGEMENT}/${collection}?filter=${filter}`), 200);
    const [item] = list.data as Entity[];
    if (item === undefined) throw new Error(`${collection}: nothing of the identity`);
    return item;
  };

  it('to an identity have its auth policy, wherever they are', async () => {
    expect(own).to.include({ 'auth-policies': './auth-policies/default' });
    const { username, password } = caller;
    const login = await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });
    const session = expectStatus(await caller.client.get(`${CLIENT}/current-api-session`), 200);
    for (const answer of [login, session]) expect(linksOfIdentity(entityOf(answer))).to.deep.equal(own);
    await make(controller, 'enrollments', {
      method: 'ott',
      identityId: caller.id,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    for (const collection of ['api-sessions', 'authenticators', 'enrollments']) {
      const item = await first(collection);
      expect(linksOfIdentity(item), collection).to.deep.equal(own);
      expect(linksOfIdentity(await read(controller, `${collection}/${item.id}`)), collection).to.deep.equal(own);
    }
  });

  for (const isAutoCaEnrollmentEnabled of [true, false])
    it(`to a CA ${isAutoCaEnrollmentEnabled ? 'have' : 'lack'} the JWT by which it enrolls`, async () => {
      const ca = await make(controller, 'cas', {
        name: unique('ca'),
        certPem: makeCa().pem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [],
      });
      const links = linksOf(await read(controller, `cas/${ca}`));
      expect('jwt' in links).to.equal(isAutoCaEnrollmentEnabled);
      const identity = await makeIdentity(controller, {
        name: unique('i'),
        enrollment: { ottca: ca },
      });
      const { enrollment } = await read<{ enrollment: { ottca: { id: string; ca: Entity } } }>(
        controller,
        `identities/${identity}`,
      );
      expect(linksOf(enrollment.ottca.ca)).to.deep.equal(links);
      const shown = await read(controller, `enrollments/${enrollment.ottca.id}`);
      expect(linksOf(shown['ca'] as Entity)).to.deep.equal(links);
    });
});
