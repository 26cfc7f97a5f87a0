/**
 * What is remembered of grants: which changes put sessions unchecked, and that one found without a grant is gone for
 * good.
 */
import { expect } from 'chai';
import { checkGrants } from '../../db/stores/session-grants.js';
import type { SessionBasis } from '../../db/stores/session-creation.js';
import { DomainError } from '../../domain/errors.js';
import { createLogger } from '../../server/base/log.js';
import { createSessionSweeper } from '../../server/sessions/session-sweeper.js';
import { until } from '../support/poll.js';
import {
  identityDraft,
  openApiSession,
  openStoresForTest,
  serviceDraft,
  servicePolicyDraft,
} from '../support/stores.js';
import type { TestStores } from '../support/stores.js';
import { unprepared } from '../../db/postgres/statement.js';

describe('grants of sessions', () => {
  let fixture: TestStores;
  let files: TestStores['files'];
  let database: TestStores['database'];
  let stores: TestStores['stores'];
  let serial = 0;
  const id = () => `id${String((serial += 1)).padStart(6, '0')}`;
  const query = async (sql: string, values: unknown[] = []) => (await files.query(sql, values)).rows;

  before(async () => {
    fixture = await openStoresForTest({ poolSize: 6 });
    ({ files, database, stores } = fixture);
  });
  after(() => fixture.close());
  beforeEach(async () => {
    for (const table of ['sessions', 'service_policies', 'services', 'identities'])
      await files.query(`DELETE FROM ${table}`);
  });

  const newIdentity = async (roleAttributes: readonly string[]) => {
    const made = id();
    await stores.identities.create(made, identityDraft(made, { roleAttributes }), []);
    await openApiSession(stores, made, `api-${made}`);
    return made;
  };
  const newService = async (roleAttributes: readonly string[]) => {
    const made = id();
    await stores.services.create(made, serviceDraft(made, { roleAttributes }));
    return made;
  };
  const allow = async (
    identityRoles: readonly string[],
    serviceRoles: readonly string[],
    semantic: 'AnyOf' | 'AllOf' = 'AnyOf',
  ) => {
    const made = id();
    await stores.servicePolicies.create(made, servicePolicyDraft(made, { semantic, identityRoles, serviceRoles }));
    return made;
  };
  const useOf = (identityId: string, serviceId: string) => ({
    apiSessionId: `api-${identityId}`,
    identityId,
    serviceId,
    type: 'Dial' as const,
  });
  const groundOf = async (identityId: string, serviceId: string): Promise<SessionBasis> => {
    const ground = await stores.sessions.findBasis(useOf(identityId, serviceId));
    if (ground === undefined) throw new Error('no ground');
    return ground;
  };
  const open = async (identityId: string, serviceId: string) =>
    (
      await stores.sessions.create(
        { id: id(), token: 'x', tags: {}, ...useOf(identityId, serviceId) },
        await groundOf(identityId, serviceId),
      )
    )?.id ?? '';
  const hold = async () => {
    const [identity, service] = [await newIdentity(['a', 'b']), await newService(['a', 'b'])];
    const policy = await allow(['#a', '#c'], ['#a', '#c']);
    return { identity, service, policy, session: await open(identity, service) };
  };
  type Held = Awaited<ReturnType<typeof hold>>;
  const isUnchecked = async (session: string) =>
    (
      await query(
        `SELECT granted_epoch < (SELECT epoch FROM model_epochs WHERE name = 'grants') AS doubt FROM sessions
          WHERE id = $1`,
        [session],
      )
    )[0]?.['doubt'];
  const isThere = async (session: string) =>
    (await query('SELECT FROM sessions WHERE id = $1', [session])).length === 1;
  const refused = async (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (error: unknown) => (error instanceof DomainError ? error.kind : error),
    );

  const changes: readonly [what: string, isLoss: boolean, change: (held: Held) => Promise<unknown>][] = [
    ['a policy is deleted', true, async ({ policy }) => stores.servicePolicies.remove(policy)],
    ['another policy is deleted', true, async () => stores.servicePolicies.remove(await allow([], []))],
    [
      'the type of a policy changes',
      true,
      async ({ policy }) => stores.servicePolicies.update(policy, { type: 'Bind' }),
    ],
    [
      'the semantic of a policy changes',
      true,
      async ({ policy }) => stores.servicePolicies.update(policy, { semantic: 'AllOf' }),
    ],
    [
      'a policy loses a role',
      true,
      async ({ policy }) => stores.servicePolicies.update(policy, { identityRoles: ['#a'] }),
    ],
    [
      'a policy swaps a role',
      true,
      async ({ policy }) => stores.servicePolicies.update(policy, { serviceRoles: ['#a', '#d'] }),
    ],
    [
      'a policy of all roles gets one more',
      true,
      async () => stores.servicePolicies.update(await allow(['#a'], ['#a'], 'AllOf'), { serviceRoles: ['#a', '#z'] }),
    ],
    [
      '#all of a policy becomes a role',
      true,
      async () => stores.servicePolicies.update(await allow(['#all'], ['#all']), { serviceRoles: ['#a'] }),
    ],
    [
      '#all of a policy gets company',
      true,
      async () =>
        query(`UPDATE service_policies SET identity_roles = '{#all,#x}' WHERE id = $1`, [
          await allow(['#all'], ['#all']),
        ]),
    ],
    [
      'its service loses an attribute',
      true,
      async ({ service }) => stores.services.update(service, { roleAttributes: ['a'] }),
    ],
    [
      'its identity loses an attribute',
      true,
      async ({ identity }) => stores.identities.update(identity, { roleAttributes: ['a'] }),
    ],
    [
      'its identity is locked for a while',
      true,
      async ({ identity }) =>
        query("UPDATE identities SET disabled_at = now(), disabled_until = now() + interval '1 day' WHERE id = $1", [
          identity,
        ]),
    ],
    ['a policy is made', false, async () => allow(['#all'], ['#all'])],
    [
      'a policy gets one more role',
      false,
      async ({ policy }) =>
        stores.servicePolicies.update(policy, { identityRoles: ['#a', '#c', '#d'], serviceRoles: ['#a', '#c', '#x'] }),
    ],
    [
      'a policy turns to #all',
      false,
      async ({ policy }) => stores.servicePolicies.update(policy, { identityRoles: ['#all'] }),
    ],
    ['a policy is renamed', false, async ({ policy }) => stores.servicePolicies.update(policy, { name: id() })],
    [
      'its service gets one more attribute',
      false,
      async ({ service }) => stores.services.update(service, { roleAttributes: ['a', 'b', 'c'] }),
    ],
    [
      'its identity gets one more attribute',
      false,
      async ({ identity }) => stores.identities.update(identity, { roleAttributes: ['a', 'b', 'c'] }),
    ],
    [
      'another identity loses an attribute',
      false,
      async () => stores.identities.update(await newIdentity(['a']), { roleAttributes: [] }),
    ],
    [
      'an identity that a policy names is deleted',
      false,
      async () => {
        const other = await newIdentity([]);
        await allow([`@${other}`], ['#a']);
        await stores.identities.remove(other);
      },
    ],
  ];
  for (const [what, isLoss, change] of changes) {
    it(`are ${isLoss ? 'unchecked' : 'as sure as before'} when ${what}`, async () => {
      const held = await hold();
      expect(await isUnchecked(held.session)).to.equal(false);
      await change(held);
      expect(await isUnchecked(held.session)).to.equal(isLoss);
    });
  }

  it('are sure again once looked at', async () => {
    const { identity, policy, session } = await hold();
    await stores.servicePolicies.update(policy, { identityRoles: ['#a'] });
    expect((await stores.sessions.get(session, identity)).id).to.equal(session);
    expect((await stores.sessions.list({}, null)).items.map((item) => item.id)).to.deep.equal([session]);
    expect(await isUnchecked(session)).to.equal(false);
  });

  const readers: readonly [what: string, read: (held: Held) => Promise<unknown>, answer: unknown][] = [
    ['a read by an administrator', async ({ session }) => refused(stores.sessions.get(session, null)), 'notFound'],
    [
      'a read by the owner',
      async ({ session, identity }) => refused(stores.sessions.get(session, identity)),
      'notFound',
    ],
    ['a list for administrators', async () => (await stores.sessions.list({}, null)).totalCount, 0],
    ['a list of the owner', async ({ identity }) => (await stores.sessions.list({}, identity)).totalCount, 0],
    [
      'a list by filter',
      async ({ service }) => (await stores.sessions.list({ filter: `service = "${service}"` }, null)).totalCount,
      0,
    ],
    ['a delete', async ({ session }) => refused(stores.sessions.remove(session, null)), 'notFound'],
    [
      'a delete by the owner',
      async ({ session, identity }) => refused(stores.sessions.remove(session, identity)),
      'notFound',
    ],
    ['a create that is refused', async ({ session }) => stores.sessions.end(session), undefined],
    ['a sweep', async () => stores.sessions.sweep(10), { seen: 1, removed: 1 }],
  ];
  for (const [what, read, answer] of readers) {
    it(`that were lost are gone for good once seen by ${what}`, async () => {
      const held = await hold();
      await stores.servicePolicies.remove(held.policy);
      expect(await read(held)).to.deep.equal(answer);
      await allow(['#all'], ['#all']);
      expect(await isThere(held.session)).to.equal(false);
      expect(await refused(stores.sessions.get(held.session, null))).to.equal('notFound');
      expect(await open(held.identity, held.service)).to.not.equal(held.session);
    });
  }

  it("leave somebody else's session alone when it is asked for", async () => {
    const [held, stranger] = [await hold(), await newIdentity([])];
    expect(await refused(stores.sessions.get(held.session, stranger))).to.equal('notFound');
    expect(await refused(stores.sessions.remove(held.session, stranger))).to.equal('notFound');
    expect(await isThere(held.session)).to.equal(true);
  });

  /** 700 sessions of one identity; a policy grants those of the last 5 services, another one the rest. */
  const many = async () => {
    const identity = await newIdentity(['a']);
    await query(`INSERT INTO services (id, name, encryption_required, terminator_strategy, role_attributes)
      SELECT 's' || lpad(n::text, 4, '0'), 's' || n, false, 'smartrouting', ARRAY[CASE WHEN n > 695 THEN 'kept'
      ELSE 'lost' END] FROM generate_series(1, 700) n`);
    await allow(['#a'], ['#kept']);
    const policy = await allow(['#a'], ['#lost']);
    await query(
      `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
      SELECT 'm' || id, $1, $2, id, 'Dial', id FROM services`,
      [`api-${identity}`, identity],
    );
    return { identity, policy, kept: ['ms0696', 'ms0697', 'ms0698', 'ms0699', 'ms0700'] };
  };

  describe('in the audit record', () => {
    const asking = () => stores.forRequest({ actor: { kind: 'identity', id: 'another' } });
    const recordsOf = async (session: string) =>
      query('SELECT kind, actor_kind, actor_id FROM audit_records WHERE entity_id = $1', [session]);
    const losses: readonly [how: string, lose: (held: Held) => Promise<unknown>][] = [
      ['without a policy', async ({ policy }) => stores.servicePolicies.remove(policy)],
      [
        'without the posture that a policy asks for',
        async ({ policy }) => {
          const check = id();
          await stores.postureChecks.create(check, {
            name: check,
            typeId: 'DOMAIN',
            criteria: { domains: ['example.org'] },
            roleAttributes: [],
            tags: {},
          });
          await stores.servicePolicies.update(policy, { postureCheckRoles: [`@${check}`] });
        },
      ],
    ];

    for (const [how, lose] of losses) {
      it(`are not ended by who finds them ${how}, which is what the change did`, async () => {
        const held = await hold();
        await lose(held);
        expect((await asking().sessions.list({}, null)).totalCount).to.equal(0);
        expect(await isThere(held.session)).to.equal(false);
        expect(await recordsOf(held.session)).to.deep.equal([]);
      });
    }

    it('are ended by who deletes them, also where others were found lost just before', async () => {
      const [lost, kept] = [await hold(), await hold()];
      await stores.servicePolicies.remove(lost.policy);
      await allow([`@${kept.identity}`], [`@${kept.service}`]);
      await stores.servicePolicies.remove(kept.policy);
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
    expect((await stores.sessions.list({ limit: 3 }, null)).totalCount).to.equal(700);
    await stores.servicePolicies.remove(policy);
    const page = await stores.sessions.list({ limit: 10 }, null);
    expect([page.items.map((item) => item.id), page.totalCount]).to.deep.equal([kept, 5]);
    expect((await stores.sessions.list({ limit: 2, offset: 4 }, identity)).items.map((item) => item.id)).to.deep.equal(
      kept.slice(4),
    );
  });

  it('are left out of a list without limit', async () => {
    const { identity, policy, kept } = await many();
    await stores.servicePolicies.remove(policy);
    for (const owner of [null, identity]) {
      const page = await stores.sessions.list({ limit: -1 }, owner);
      expect([page.items.map((item) => item.id), page.totalCount]).to.deep.equal([kept, 5]);
    }
  });

  it('are swept slice by slice, and soon after the news of a change', async () => {
    const { policy } = await many();
    await stores.servicePolicies.remove(policy);
    const sweeper = createSessionSweeper({
      sessions: stores.sessions,
      log: createLogger({ level: 'silent', format: 'json' }),
      intervalMs: 3_600_000,
      slice: 50,
      slices: 2,
      restMs: 5,
    });
    try {
      expect(await sweeper.turn()).to.be.within(90, 100);
      sweeper.schedule();
      const left = async () => (await query('SELECT count(*)::int AS n FROM sessions'))[0]?.['n'];
      await until('the rest is swept', async () => (await left()) === 5);
    } finally {
      await sweeper.close();
    }
  });

  describe('that change at the same time', () => {
    const waits = async () =>
      until(
        'somebody waits for a lock',
        async () =>
          (await query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
            .length > 0,
      );

    it('are not given to an identity that lost its role meanwhile', async () => {
      const [identity, service] = [await newIdentity(['a']), await newService(['a'])];
      await allow(['#a'], ['#a']);
      const ground = await groundOf(identity, service);
      let made: Promise<unknown> = Promise.resolve();
      await database.transaction(async (tx) => {
        await tx.execute(unprepared('UPDATE', `UPDATE identities SET role_attributes = '{}' WHERE id = $1`), [
          identity,
        ]);
        made = stores.sessions.create({ id: id(), token: 'x', tags: {}, ...useOf(identity, service) }, ground);
        await waits();
      });
      expect(await made).to.equal(undefined);
      expect(await query('SELECT FROM sessions')).to.deep.equal([]);
    });

    it('are unchecked when the identity changes while the session is being made', async () => {
      const [identity, service] = [await newIdentity(['a']), await newService(['a'])];
      await allow(['#a'], ['#a']);
      const ground = await groundOf(identity, service);
      let changed: Promise<unknown> = Promise.resolve();
      const session = await stores.transaction(async (tx) => {
        const made = await tx.sessions.create({ id: id(), token: 'x', tags: {}, ...useOf(identity, service) }, ground);
        changed = stores.identities.update(identity, { roleAttributes: [] });
        await waits();
        return made?.id ?? '';
      });
      await changed;
      expect(await isUnchecked(session)).to.equal(true);
      expect(await refused(stores.sessions.get(session, null))).to.equal('notFound');
    });

    it('are judged by a change of the identity that was on its way', async () => {
      const { identity, session } = await hold();
      let settled: Promise<unknown> = Promise.resolve();
      await database.transaction(async (tx) => {
        await tx.execute(unprepared('UPDATE', `UPDATE identities SET role_attributes = '{}' WHERE id = $1`), [
          identity,
        ]);
        settled = checkGrants(database, { ids: [session], others: 0, identityId: null });
        await waits();
      });
      await settled;
      expect(await isThere(session)).to.equal(false);
    });

    it('are unchecked when a policy goes between the look at it and the session', async () => {
      const [identity, service] = [await newIdentity(['a']), await newService(['a'])];
      const policy = await allow(['#a'], ['#a']);
      const ground = await groundOf(identity, service);
      await stores.servicePolicies.remove(policy);
      const made = await stores.sessions.create(
        { id: id(), token: 'x', tags: {}, ...useOf(identity, service) },
        ground,
      );
      expect(await isUnchecked(made?.id ?? '')).to.equal(true);
      expect((await stores.sessions.list({}, null)).totalCount).to.equal(0);
    });
  });
});
