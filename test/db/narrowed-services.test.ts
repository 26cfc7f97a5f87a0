/**
 * Which sessions a change that takes grants away concerns: those of the services that it narrowed, and no others, also
 * when services change at the same time. Against PostgreSQL.
 */
import { expect } from 'chai';
import type { PostureCheckDraft } from '../../domain/model.js';
import { checkGrants } from '../../db/stores/session-grants.js';
import { GrantScene, refused } from './session-grants-support.js';

describe('services that are narrowed', () => {
  let scene: GrantScene;
  before(async () => {
    scene = await GrantScene.open();
  });
  after(() => scene.close());
  beforeEach(async () => {
    await scene.clear();
    await scene.query('DELETE FROM posture_checks');
    await forAll();
    expect(await narrowed()).to.deep.equal([]);
  });

  const narrowed = async () =>
    (await scene.query('SELECT service_id FROM narrowed_services ORDER BY 1')).map((row) => row['service_id']);
  /** A change that concerns the sessions of all services. */
  const forAll = async () => scene.stores.servicePolicies.remove(await scene.allow([], ['#all']));
  const newCheck = async (roleAttributes: readonly string[] = []) => {
    const id = scene.id();
    const draft: PostureCheckDraft = {
      name: id,
      typeId: 'DOMAIN',
      criteria: { domains: ['example.org'] },
      roleAttributes,
      tags: {},
    };
    await scene.stores.postureChecks.create(id, draft);
    return id;
  };

  /** An identity with a session for each of two services, of one policy each. */
  const two = async () => {
    const identity = await scene.newIdentity(['staff']);
    const [mail, wiki] = [await scene.newService(['mail', 'old']), await scene.newService(['wiki', 'old'])];
    const policies = { mail: await scene.allow(['#staff'], ['#mail']), wiki: await scene.allow(['#staff'], ['#wiki']) };
    const sessions = { mail: await scene.open(identity, mail), wiki: await scene.open(identity, wiki) };
    return { identity, mail, wiki, policies, sessions };
  };
  type Two = Awaited<ReturnType<typeof two>>;
  const unchecked = async ({ sessions }: Two) => ({
    mail: await scene.isUnchecked(sessions.mail),
    wiki: await scene.isUnchecked(sessions.wiki),
  });

  const policies = () => scene.stores.servicePolicies;
  const removed = async (serviceRoles: readonly string[], semantic?: 'AllOf') =>
    policies().remove(await scene.allow([], serviceRoles, semantic));
  const changes: readonly [what: string, change: (of: Two) => Promise<unknown>, mail: boolean, wiki: boolean][] = [
    ['a policy for one is deleted', async (of) => policies().remove(of.policies.mail), true, false],
    ['a policy that names one is deleted', async (of) => removed([`@${of.wiki}`]), false, true],
    ['a policy for both by an attribute is deleted', () => removed(['#old']), true, true],
    ['a policy for one that has two attributes is deleted', () => removed(['#mail', '#old'], 'AllOf'), true, true],
    ['a policy for an attribute that neither has is deleted', () => removed(['#nothing']), false, false],
    ['a policy for all is deleted', () => removed(['#all']), true, true],
    [
      'a policy loses one',
      async (of) => {
        await policies().update(of.policies.mail, { serviceRoles: ['#mail', '#wiki'] });
        await policies().update(of.policies.mail, { serviceRoles: ['#wiki'] });
      },
      true,
      true,
    ],
    [
      'a policy is for fewer identities',
      async (of) => policies().update(of.policies.wiki, { identityRoles: [`@${of.identity}`] }),
      false,
      true,
    ],
    [
      'one loses an attribute',
      async (of) => scene.stores.services.update(of.mail, { roleAttributes: ['mail'] }),
      true,
      false,
    ],
    ['a check comes that no policy asks for', async () => newCheck(['lonely']), false, false],
    [
      'a check comes that the policy of one asks for',
      async (of) => {
        await policies().update(of.policies.wiki, { postureCheckRoles: ['#devices'] });
        await checkGrants(scene.database, { ids: [], others: 10, identityId: null });
        await newCheck(['devices']);
      },
      false,
      true,
    ],
    [
      'a check asks for something else that the policy of one asks for',
      async (of) => {
        const check = await newCheck(['devices']);
        await scene.stores.postureChecks.update(check, { criteria: { domains: ['example.com'] } });
        expect(await unchecked(of)).to.deep.equal({ mail: false, wiki: false });
        const asking = await scene.allow([], ['#mail']);
        await policies().update(asking, { postureCheckRoles: [`@${check}`] });
        await checkGrants(scene.database, { ids: [], others: 10, identityId: null });
        expect(await unchecked(of)).to.deep.equal({ mail: false, wiki: false });
        await scene.stores.postureChecks.update(check, { criteria: { domains: ['example.net'] } });
      },
      true,
      false,
    ],
    [
      'an auth policy asks for more',
      async () => scene.query("UPDATE auth_policies SET cert_allowed = false WHERE id = 'default'"),
      true,
      true,
    ],
  ];
  afterEach(() => scene.query("UPDATE auth_policies SET cert_allowed = true WHERE id = 'default'"));

  for (const [what, change, mail, wiki] of changes) {
    it(`have unchecked sessions, and others do not, when ${what}`, async () => {
      const of = await two();
      expect(await unchecked(of)).to.deep.equal({ mail: false, wiki: false });
      await change(of);
      expect(await unchecked(of)).to.deep.equal({ mail, wiki });
    });
  }

  it('are forgotten when all are concerned', async () => {
    const of = await two();
    await policies().remove(of.policies.mail);
    expect(await narrowed()).to.deep.equal([of.mail]);
    await forAll();
    expect(await narrowed()).to.deep.equal([]);
    expect(await unchecked(of)).to.deep.equal({ mail: true, wiki: true });
  });

  it('are all, where more than 1,000 are concerned at once', async () => {
    const of = await two();
    const fill = async (count: number) =>
      scene.query(
        `INSERT INTO services (id, name, encryption_required, terminator_strategy, role_attributes)
        SELECT 'n' || n, 'n' || n, false, 'smartrouting', '{crowd}' FROM generate_series(1, $1::integer) n
        ON CONFLICT DO NOTHING`,
        [count],
      );
    await fill(1000);
    await removed(['#crowd']);
    expect(await narrowed()).to.have.length(1000);
    expect(await unchecked(of)).to.deep.equal({ mail: false, wiki: false });
    await fill(1001);
    await removed(['#crowd']);
    expect(await narrowed()).to.deep.equal([]);
    expect(await unchecked(of)).to.deep.equal({ mail: true, wiki: true });
  });

  it('are noted of many changes in one transaction, and of none that is taken back', async () => {
    const of = await two();
    await scene.query(`INSERT INTO services (id, name, encryption_required, terminator_strategy, role_attributes)
      SELECT 'n' || n, 'n' || n, false, 'smartrouting', ARRAY['has, "signs" ' || n, 'x']
      FROM generate_series(1, 900) n`);
    await scene.query("UPDATE services SET role_attributes = '{x}' WHERE id LIKE 'n%'");
    expect(await narrowed()).to.have.length(900);
    await forAll();
    await scene.stores
      .transaction(async (tx) => {
        await tx.servicePolicies.remove(of.policies.mail);
        throw new Error('taken back');
      })
      .catch(() => undefined);
    expect(await narrowed()).to.deep.equal([]);
  });

  it('have their sessions checked, and those of others left as they are', async () => {
    const of = await two();
    await policies().remove(of.policies.mail);
    const epochOf = async () =>
      (await scene.query('SELECT granted_epoch FROM sessions WHERE id = $1', [of.sessions.wiki]))[0];
    const before = await epochOf();
    expect(await scene.stores.sessions.sweep(10)).to.deep.equal({ seen: 1, removed: 1 });
    expect(await scene.isThere(of.sessions.mail)).to.equal(false);
    expect(await epochOf()).to.deep.equal(before);
    expect(await scene.stores.sessions.sweep(10)).to.deep.equal({ seen: 0, removed: 0 });
  });

  for (const [whose, owner] of [
    ['all', () => null],
    ['their owner', (of: Two) => of.identity],
  ] as const)
    it(`are in no total of ${whose}`, async () => {
      const of = await two();
      await policies().remove(of.policies.mail);
      // The page does not show the session that is lost.
      const list = await scene.stores.sessions.list({ limit: 1, sort: 'id desc' }, owner(of));
      expect({ total: list.totalCount, ids: list.items.map(({ id }) => id) }).to.deep.equal({
        total: 1,
        ids: [of.sessions.wiki],
      });
    });

  it('are looked at by no sweep two minutes later, and still have no session that was on its way', async () => {
    const of = await two();
    const late = await scene.newIdentity(['staff']);
    const ground = await scene.groundOf(late, of.mail);
    await policies().remove(of.policies.mail);
    const isSwept = async () => (await scene.query('SELECT is_swept FROM narrowed_services'))[0]?.['is_swept'];
    await scene.stores.sessions.sweep(10);
    expect(await isSwept(), 'at once').to.equal(false);
    await scene.query("UPDATE narrowed_services SET moved_at = now() - interval '3 minutes'");
    await scene.stores.sessions.sweep(10);
    expect(await isSwept(), 'later').to.equal(true);
    const draft = { id: scene.id(), token: 'late', tags: {}, ...scene.useOf(late, of.mail) };
    const made = await scene.stores.sessions.create(draft, ground);
    expect(await scene.isUnchecked(made?.id ?? '')).to.equal(true);
    expect(await refused(scene.stores.sessions.get(draft.id, null))).to.equal('notFound');
    await scene.stores.services.update(of.mail, { roleAttributes: [] });
    expect(await isSwept(), 'narrowed again').to.equal(false);
  });

  describe('while a policy goes', () => {
    const ofMail = async () => ({
      policy: await scene.allow(['#staff'], ['#mail']),
      identity: await scene.newIdentity(['staff']),
    });

    it('are those that come under it until it is gone', async () => {
      const { policy, identity } = await ofMail();
      const late = await scene.stores.transaction(async (tx) => {
        await tx.servicePolicies.remove(policy);
        return scene.open(identity, await scene.newService(['mail']));
      });
      expect(await scene.isUnchecked(late)).to.equal(true);
    });

    it('and whoever would come under it after they were found waits for its end', async () => {
      const { policy, identity } = await ofMail();
      const service = await scene.newService([]);
      const removing = await scene.connect();
      await removing.query('BEGIN');
      await removing.query('DELETE FROM service_policies WHERE id = $1', [policy]);
      await removing.query('SET CONSTRAINTS ALL IMMEDIATE');
      const changing = scene.stores.services.update(service, { roleAttributes: ['mail'] });
      await scene.lockIsWaitedFor();
      expect((await scene.groundOf(identity, service)).grants, 'not yet').to.deep.equal([]);
      await removing.query('COMMIT');
      await changing;
      expect((await scene.groundOf(identity, service)).grants, 'any more').to.deep.equal([]);
    });
  });
});
