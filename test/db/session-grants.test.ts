/** Which changes put sessions unchecked, and that one found without a grant is gone for good. */
import { expect } from 'chai';
import { GrantScene, refused } from './session-grants-support.js';
import type { GrantedSession } from './session-grants-support.js';

describe('grants of sessions', () => {
  let scene: GrantScene;
  before(async () => {
    scene = await GrantScene.open();
  });
  after(() => scene.close());
  beforeEach(() => scene.clear());

  const changes: readonly [what: string, isLoss: boolean, change: (held: GrantedSession) => Promise<unknown>][] = [
    ['a policy is deleted', true, async ({ policy }) => scene.stores.servicePolicies.remove(policy)],
    [
      'another policy for its service is deleted',
      true,
      async () => scene.stores.servicePolicies.remove(await scene.allow([], ['#b'])),
    ],
    [
      'a policy that selects nothing is deleted',
      false,
      async () => scene.stores.servicePolicies.remove(await scene.allow([], [])),
    ],
    [
      'the type of a policy changes',
      true,
      async ({ policy }) => scene.stores.servicePolicies.update(policy, { type: 'Bind' }),
    ],
    [
      'the semantic of a policy changes',
      true,
      async ({ policy }) => scene.stores.servicePolicies.update(policy, { semantic: 'AllOf' }),
    ],
    [
      'a policy loses a role',
      true,
      async ({ policy }) => scene.stores.servicePolicies.update(policy, { identityRoles: ['#a'] }),
    ],
    [
      'a policy swaps a role',
      true,
      async ({ policy }) => scene.stores.servicePolicies.update(policy, { serviceRoles: ['#a', '#d'] }),
    ],
    [
      'a policy of all roles gets one more',
      true,
      async () =>
        scene.stores.servicePolicies.update(await scene.allow(['#a'], ['#a'], 'AllOf'), { serviceRoles: ['#a', '#z'] }),
    ],
    [
      '#all of a policy becomes a role',
      true,
      async () => scene.stores.servicePolicies.update(await scene.allow(['#all'], ['#all']), { serviceRoles: ['#a'] }),
    ],
    [
      '#all of a policy gets company',
      true,
      async () =>
        scene.query(`UPDATE service_policies SET identity_roles = '{#all,#x}' WHERE id = $1`, [
          await scene.allow(['#all'], ['#all']),
        ]),
    ],
    [
      'its service loses an attribute',
      true,
      async ({ service }) => scene.stores.services.update(service, { roleAttributes: ['a'] }),
    ],
    [
      'its identity loses an attribute',
      true,
      async ({ identity }) => scene.stores.identities.update(identity, { roleAttributes: ['a'] }),
    ],
    [
      'its identity is locked for a while',
      true,
      async ({ identity }) =>
        scene.query(
          "UPDATE identities SET disabled_at = now(), disabled_until = now() + interval '1 day' WHERE id = $1",
          [identity],
        ),
    ],
    ['a policy is made', false, async () => scene.allow(['#all'], ['#all'])],
    [
      'a policy gets one more role',
      false,
      async ({ policy }) =>
        scene.stores.servicePolicies.update(policy, {
          identityRoles: ['#a', '#c', '#d'],
          serviceRoles: ['#a', '#c', '#x'],
        }),
    ],
    [
      'a policy turns to #all',
      false,
      async ({ policy }) => scene.stores.servicePolicies.update(policy, { identityRoles: ['#all'] }),
    ],
    [
      'a policy is renamed',
      false,
      async ({ policy }) => scene.stores.servicePolicies.update(policy, { name: scene.id() }),
    ],
    [
      'its service gets one more attribute',
      false,
      async ({ service }) => scene.stores.services.update(service, { roleAttributes: ['a', 'b', 'c'] }),
    ],
    [
      'its identity gets one more attribute',
      false,
      async ({ identity }) => scene.stores.identities.update(identity, { roleAttributes: ['a', 'b', 'c'] }),
    ],
    [
      'another identity loses an attribute',
      false,
      async () => scene.stores.identities.update(await scene.newIdentity(['a']), { roleAttributes: [] }),
    ],
    [
      'an identity that a policy names is deleted',
      false,
      async () => {
        const other = await scene.newIdentity([]);
        await scene.allow([`@${other}`], ['#a']);
        await scene.stores.identities.remove(other);
      },
    ],
  ];
  for (const [what, isLoss, change] of changes) {
    it(`are ${isLoss ? 'unchecked' : 'as sure as before'} when ${what}`, async () => {
      const held = await scene.granted();
      expect(await scene.isUnchecked(held.session)).to.equal(false);
      await change(held);
      expect(await scene.isUnchecked(held.session)).to.equal(isLoss);
    });
  }

  it('are sure again once looked at', async () => {
    const { identity, policy, session } = await scene.granted();
    await scene.stores.servicePolicies.update(policy, { identityRoles: ['#a'] });
    expect((await scene.stores.sessions.get(session, identity)).id).to.equal(session);
    expect((await scene.stores.sessions.list({}, null)).items.map((item) => item.id)).to.deep.equal([session]);
    expect(await scene.isUnchecked(session)).to.equal(false);
  });

  const readers: readonly [what: string, read: (held: GrantedSession) => Promise<unknown>, answer: unknown][] = [
    [
      'a read by an administrator',
      async ({ session }) => refused(scene.stores.sessions.get(session, null)),
      'notFound',
    ],
    [
      'a read by the owner',
      async ({ session, identity }) => refused(scene.stores.sessions.get(session, identity)),
      'notFound',
    ],
    ['a list for administrators', async () => (await scene.stores.sessions.list({}, null)).totalCount, 0],
    ['a list of the owner', async ({ identity }) => (await scene.stores.sessions.list({}, identity)).totalCount, 0],
    [
      'a list by filter',
      async ({ service }) => (await scene.stores.sessions.list({ filter: `service = "${service}"` }, null)).totalCount,
      0,
    ],
    ['a delete', async ({ session }) => refused(scene.stores.sessions.remove(session, null)), 'notFound'],
    [
      'a delete by the owner',
      async ({ session, identity }) => refused(scene.stores.sessions.remove(session, identity)),
      'notFound',
    ],
    ['a create that is refused', async ({ session }) => scene.stores.sessions.end(session), undefined],
    ['a sweep', async () => scene.stores.sessions.sweep(10), { seen: 1, removed: 1 }],
  ];
  for (const [what, read, answer] of readers) {
    it(`that were lost are gone for good once seen by ${what}`, async () => {
      const held = await scene.granted();
      await scene.stores.servicePolicies.remove(held.policy);
      expect(await read(held)).to.deep.equal(answer);
      await scene.allow(['#all'], ['#all']);
      expect(await scene.isThere(held.session)).to.equal(false);
      expect(await refused(scene.stores.sessions.get(held.session, null))).to.equal('notFound');
      expect(await scene.open(held.identity, held.service)).to.not.equal(held.session);
    });
  }

  it("leave somebody else's session alone when it is asked for", async () => {
    const [held, stranger] = [await scene.granted(), await scene.newIdentity([])];
    expect(await refused(scene.stores.sessions.get(held.session, stranger))).to.equal('notFound');
    expect(await refused(scene.stores.sessions.remove(held.session, stranger))).to.equal('notFound');
    expect(await scene.isThere(held.session)).to.equal(true);
  });
});
