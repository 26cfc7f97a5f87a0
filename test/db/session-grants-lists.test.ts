/** Lists and sweeps of sessions of which some have lost their grant, and what the audit record says of them. */
import { expect } from 'chai';
import { createLogger } from '../../server/base/log.js';
import { createSessionSweeper } from '../../server/sessions/session-sweeper.js';
import { until } from '../support/poll.js';
import { GrantScene } from './session-grants-support.js';
import type { GrantedSession } from './session-grants-support.js';

describe('sessions that lost their grant', () => {
  let scene: GrantScene;
  before(async () => {
    scene = await GrantScene.open();
  });
  after(() => scene.close());
  beforeEach(() => scene.clear());

  /** 700 sessions of one identity; a policy grants those of the last 5 services, another one the rest. */
  const many = async () => {
    const identity = await scene.newIdentity(['a']);
    await scene.query(`INSERT INTO services (id, name, encryption_required, terminator_strategy, role_attributes)
      SELECT 's' || lpad(n::text, 4, '0'), 's' || n, false, 'smartrouting', ARRAY[CASE WHEN n > 695 THEN 'kept'
      ELSE 'lost' END] FROM generate_series(1, 700) n`);
    await scene.allow(['#a'], ['#kept']);
    const policy = await scene.allow(['#a'], ['#lost']);
    await scene.query(
      `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
      SELECT 'm' || id, $1, $2, id, 'Dial', id FROM services`,
      [`api-${identity}`, identity],
    );
    return { identity, policy, kept: ['ms0696', 'ms0697', 'ms0698', 'ms0699', 'ms0700'] };
  };

  describe('in the audit record', () => {
    const asking = () => scene.stores.forRequest({ actor: { kind: 'identity', id: 'another' } });
    const recordsOf = async (session: string) =>
      scene.query('SELECT kind, actor_kind, actor_id FROM audit_records WHERE entity_id = $1', [session]);
    const losses: readonly [how: string, lose: (held: GrantedSession) => Promise<unknown>][] = [
      ['without a policy', async ({ policy }) => scene.stores.servicePolicies.remove(policy)],
      [
        'without the posture that a policy asks for',
        async ({ policy }) => {
          const check = scene.id();
          await scene.stores.postureChecks.create(check, {
            name: check,
            typeId: 'DOMAIN',
            criteria: { domains: ['example.org'] },
            roleAttributes: [],
            tags: {},
          });
          await scene.stores.servicePolicies.update(policy, { postureCheckRoles: [`@${check}`] });
        },
      ],
    ];

    for (const [how, lose] of losses) {
      it(`are not ended by who finds them ${how}, which is what the change did`, async () => {
        const held = await scene.granted();
        await lose(held);
        expect((await asking().sessions.list({}, null)).totalCount).to.equal(0);
        expect(await scene.isThere(held.session)).to.equal(false);
        expect(await recordsOf(held.session)).to.deep.equal([]);
      });
    }

    it('are ended by who deletes them, also where others were found lost just before', async () => {
      const [lost, kept] = [await scene.granted(), await scene.granted()];
      await scene.stores.servicePolicies.remove(lost.policy);
      await scene.allow([`@${kept.identity}`], [`@${kept.service}`]);
      await scene.stores.servicePolicies.remove(kept.policy);
      await asking().transaction(async ({ sessions }) => {
        expect((await sessions.list({}, null)).items.map((item) => item.id)).to.deep.equal([kept.session]);
        await sessions.remove(kept.session, null);
      });
      expect(await recordsOf(lost.session)).to.deep.equal([]);
      const record = { kind: 'session.deleted', actor_kind: 'identity', actor_id: 'another' };
      expect(await recordsOf(kept.session)).to.deep.equal([record]);
    });
  });

  it('fill a page with what is granted, however many before it are not', async () => {
    const { identity, policy, kept } = await many();
    expect((await scene.stores.sessions.list({ limit: 3 }, null)).totalCount).to.equal(700);
    await scene.stores.servicePolicies.remove(policy);
    const page = await scene.stores.sessions.list({ limit: 10 }, null);
    expect([page.items.map((item) => item.id), page.totalCount]).to.deep.equal([kept, 5]);
    expect(
      (await scene.stores.sessions.list({ limit: 2, offset: 4 }, identity)).items.map((item) => item.id),
    ).to.deep.equal(kept.slice(4));
  });

  it('are left out of a list without limit', async () => {
    const { identity, policy, kept } = await many();
    await scene.stores.servicePolicies.remove(policy);
    for (const owner of [null, identity]) {
      const page = await scene.stores.sessions.list({ limit: -1 }, owner);
      expect([page.items.map((item) => item.id), page.totalCount]).to.deep.equal([kept, 5]);
    }
  });

  it('are swept slice by slice, and soon after the news of a change', async () => {
    const { policy } = await many();
    await scene.stores.servicePolicies.remove(policy);
    const sweeper = createSessionSweeper({
      sessions: scene.stores.sessions,
      log: createLogger({ level: 'silent', format: 'json' }),
      intervalMs: 3_600_000,
      slice: 50,
      slices: 2,
      restMs: 5,
    });
    try {
      expect(await sweeper.turn()).to.be.within(90, 100);
      sweeper.schedule();
      const left = async () => (await scene.query('SELECT count(*)::int AS n FROM sessions'))[0]?.['n'];
      await until('the rest is swept', async () => (await left()) === 5);
    } finally {
      await sweeper.close();
    }
  });
});
