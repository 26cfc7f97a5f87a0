/** Grants of sessions that are made or looked at while identities and policies change. */
import { expect } from 'chai';
import { unprepared } from '../../db/postgres/statement.js';
import { checkGrants } from '../../db/stores/session-grants.js';
import { GrantScene, refused } from './session-grants-support.js';

describe('grants of sessions that change at the same time', () => {
  let scene: GrantScene;
  before(async () => {
    scene = await GrantScene.open();
  });
  after(() => scene.close());
  beforeEach(() => scene.clear());

  it('are not given to an identity that lost its role meanwhile', async () => {
    const [identity, service] = [await scene.newIdentity(['a']), await scene.newService(['a'])];
    await scene.allow(['#a'], ['#a']);
    const ground = await scene.groundOf(identity, service);
    let made: Promise<unknown> = Promise.resolve();
    await scene.database.transaction(async (tx) => {
      await tx.execute(unprepared('UPDATE', `UPDATE identities SET role_attributes = '{}' WHERE id = $1`), [identity]);
      made = scene.stores.sessions.create(
        { id: scene.id(), token: 'x', tags: {}, ...scene.useOf(identity, service) },
        ground,
      );
      await scene.lockIsWaitedFor();
    });
    expect(await made).to.equal(undefined);
    expect(await scene.query('SELECT FROM sessions')).to.deep.equal([]);
  });

  it('are unchecked when the identity changes while the session is being made', async () => {
    const [identity, service] = [await scene.newIdentity(['a']), await scene.newService(['a'])];
    await scene.allow(['#a'], ['#a']);
    const ground = await scene.groundOf(identity, service);
    let changed: Promise<unknown> = Promise.resolve();
    const session = await scene.stores.transaction(async (tx) => {
      const made = await tx.sessions.create(
        { id: scene.id(), token: 'x', tags: {}, ...scene.useOf(identity, service) },
        ground,
      );
      changed = scene.stores.identities.update(identity, { roleAttributes: [] });
      await scene.lockIsWaitedFor();
      return made?.id ?? '';
    });
    await changed;
    expect(await scene.isUnchecked(session)).to.equal(true);
    expect(await refused(scene.stores.sessions.get(session, null))).to.equal('notFound');
  });

  it('are judged by a change of the identity that was on its way', async () => {
    const { identity, session } = await scene.granted();
    let settled: Promise<unknown> = Promise.resolve();
    await scene.database.transaction(async (tx) => {
      await tx.execute(unprepared('UPDATE', `UPDATE identities SET role_attributes = '{}' WHERE id = $1`), [identity]);
      settled = checkGrants(scene.database, { ids: [session], others: 0, identityId: null });
      await scene.lockIsWaitedFor();
    });
    await settled;
    expect(await scene.isThere(session)).to.equal(false);
  });

  it('are unchecked when a policy goes between the look at it and the session', async () => {
    const [identity, service] = [await scene.newIdentity(['a']), await scene.newService(['a'])];
    const policy = await scene.allow(['#a'], ['#a']);
    const ground = await scene.groundOf(identity, service);
    await scene.stores.servicePolicies.remove(policy);
    const made = await scene.stores.sessions.create(
      { id: scene.id(), token: 'x', tags: {}, ...scene.useOf(identity, service) },
      ground,
    );
    expect(await scene.isUnchecked(made?.id ?? '')).to.equal(true);
    expect((await scene.stores.sessions.list({}, null)).totalCount).to.equal(0);
  });
});
