/**
 * Changes of what nothing else depends on are one statement each, and may share their commit. Where something does
 * depend on it, also from one moment to the next, nothing of them is done, and the long way takes its place. Against
 * PostgreSQL.
 */
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import { until } from '../support/poll.js';
import { recordStatements } from '../support/statements.js';
import {
  caDraft,
  identityDraft,
  openApiSession,
  openStoresForTest,
  routerDraft,
  serviceDraft,
  servicePolicyDraft,
} from '../support/stores.js';
import type { TestStores } from '../support/stores.js';
import type { Stores } from '../../db/stores/stores.js';

const enrollment = (id: string) => ({ id: `e-${id}`, token: crypto.randomUUID(), jwt: '', expiresAt: new Date() });
const kindOf = (error: unknown) => (error instanceof DomainError ? error.kind : String(error));
const POLICY = { semantic: 'AnyOf', edgeRouterRoles: ['#a'], identityRoles: ['#a'], tags: {} } as const;
const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.then((value) => value ?? 'made', kindOf);

describe('changes of what nothing else depends on', () => {
  let fixture: TestStores;
  let stores: Stores;
  before(async () => {
    fixture = await openStoresForTest({ poolSize: 8, identityTypes: ['User', 'Router'] });
    stores = fixture.stores.forRequest({ actor: { kind: 'identity', id: 'a', name: 'a', requestId: 'r' } });
    await stores.configTypes.create('type', { name: 'type', schema: null, target: 'service', tags: {} });
    await stores.configTypes.create('for-routers', { name: 'for-routers', schema: null, target: 'router', tags: {} });
  });
  after(() => fixture.close());

  const rows = async (sql: string, values: unknown[] = []) => (await fixture.files.query(sql, values)).rows;
  const identity = (id: string, isAdmin = false) => stores.identities.create(id, identityDraft(id, { isAdmin }), []);
  const ordinary = (name: string) => {
    const { hostings, ...draft } = identityDraft(name);
    expect(hostings).to.deep.equal([]);
    return draft;
  };
  const password = (id: string, identityId: string) =>
    stores.authenticators.createUpdb({ id, identityId, username: id, passwordHash: 'x', tags: {} });
  const config = (id: string, configTypeId = 'type') =>
    stores.configs.create(id, { name: id, configTypeId, data: {}, tags: {} });
  const tunnel = (id: string) =>
    stores.routers.create(id, routerDraft(id, { isTunnelerEnabled: true }), enrollment(id));
  const check = (id: string) =>
    stores.postureChecks.create(id, {
      name: id,
      roleAttributes: [],
      tags: {},
      typeId: 'DOMAIN',
      criteria: { domains: ['a.example'] },
    });

  /** Runs `work` while another transaction has made its changes, which are committed when `work` waits for them. */
  async function beside<T>(changes: string, work: () => Promise<T>): Promise<T> {
    const other = await fixture.files.connect();
    await other.query('BEGIN');
    await other.query(changes);
    const working = work();
    await until('it waits', async () => {
      const waiting = await rows(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
    await other.query('COMMIT');
    return working;
  }

  it('are one statement', async () => {
    await identity('one');
    await password('of-one', 'one');
    await stores.services.create('service', serviceDraft('service'));
    await stores.routers.create('router', routerDraft('router'), enrollment('router'));
    await config('config');
    await check('check');
    await stores.cas.create('ca', caDraft('ca', 'ca'));
    await tunnel('tunneled');
    await stores.edgeRouterPolicies.create('policy', { ...POLICY, name: 'policy' });
    const place = { binding: 'transport', address: 'tls:a:1', cost: 0, precedence: 'default' } as const;
    const at = { serviceId: 'service', routerId: 'router', instanceId: '', instanceSecret: null, hostId: '', tags: {} };
    await stores.terminators.create('terminator', { ...place, ...at });
    const read = await stores.postureChecks.get('check');
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      'PUT of an identity': () => stores.identities.updateOrdinary('one', ordinary('renamed')),
      'disable of an identity': () => stores.identities.disableOrdinary('one', 10),
      'PUT of a service without configs': () => stores.services.update('service', serviceDraft('service')),
      'PATCH of a router': () => stores.routers.update('router', true, { cost: 3 }),
      'PUT of a router without configs': () => stores.routers.update('router', true, routerDraft('another')),
      'a new router': () => stores.routers.create('new', routerDraft('new'), enrollment('new')),
      'a new terminator': () => stores.terminators.create('another terminator', { ...place, ...at }),
      'PUT of a terminator in its place': () =>
        stores.terminators.updateInPlace('terminator', { ...at, ...place, cost: 7 }),
      'PATCH of a posture check as it was read': () =>
        stores.postureChecks.updateAsRead(read, { criteria: { domains: ['b.example'] } }),
      'delete of a config': () => stores.configs.remove('config'),
      'delete of a password': () => stores.authenticators.removeOrdinary('of-one'),
      'delete of a router': () => stores.routers.remove('router', true),
      'delete of a CA with which nothing was made': () => stores.cas.removeUnused('ca'),
      'delete of a router policy': () => stores.edgeRouterPolicies.remove('policy'),
    };
    for (const [what, change] of Object.entries(changes)) {
      const recorded = recordStatements(/./);
      const outcome = await outcomeOf(change());
      recorded.stop();
      expect(
        recorded.texts.filter((text) => !/transaction_read_only/.test(text)),
        what,
      ).to.have.length(1);
      expect(outcome, what).to.be.oneOf([true, 'made']);
    }
    const left = `SELECT (SELECT name FROM identities WHERE id = 'one') AS identity,
      (SELECT disabled_until > now() FROM identities WHERE id = 'one') AS "isDisabled",
      (SELECT cost FROM terminators WHERE id = 'terminator') AS cost,
      (SELECT criteria FROM posture_checks WHERE id = 'check') AS criteria,
      (SELECT count(*)::int FROM authenticators WHERE identity_id = 'one') AS passwords,
      (SELECT array_agg(id ORDER BY id) FROM routers) AS routers,
      (SELECT array_agg(edge_router_id ORDER BY edge_router_id) FROM enrollments) AS enrolled`;
    expect(await rows(left)).to.deep.equal([
      {
        identity: 'renamed',
        isDisabled: true,
        cost: null,
        criteria: { domains: ['b.example'] },
        passwords: 0,
        routers: ['new', 'tunneled'],
        enrolled: ['new', 'tunneled'],
      },
    ]);
  });

  it('take a tunneler in two, with its identity, its policy and what it hosts', async () => {
    await tunnel('tunneled-too');
    await stores.services.create('of-tunneler', serviceDraft('of-tunneler'));
    const roles = { identityRoles: ['@tunneled-too', '#others'], serviceRoles: ['#all'] };
    await stores.servicePolicies.create('naming', servicePolicyDraft('naming', roles));
    await rows(`INSERT INTO terminators (id, service_id, router_id, binding, address, is_system)
      VALUES ('by-tunneler', 'of-tunneler', 'tunneled-too', 'tunnel', 'a', true)`);
    const recorded = recordStatements(/./);
    await stores.routers.remove('tunneled-too', true);
    recorded.stop();
    // The first finds that it has a tunneler.
    expect(recorded.texts.filter((text) => !/transaction_read_only/.test(text))).to.have.length(2);
    const { identityRoles } = await stores.servicePolicies.get('naming');
    expect(identityRoles).to.deep.equal(['#others']);
    const left = `SELECT (SELECT count(*)::int FROM routers WHERE id = $1) AS routers,
      (SELECT count(*)::int FROM identities WHERE id = $1) AS identities,
      (SELECT count(*)::int FROM edge_router_policies WHERE id = $1) AS policies,
      (SELECT count(*)::int FROM terminators WHERE router_id = $1) AS terminators`;
    expect(await rows(left, ['tunneled-too'])).to.deep.equal([
      { routers: 0, identities: 0, policies: 0, terminators: 0 },
    ]);
    const records = "SELECT kind FROM audit_records WHERE entity_id = $1 AND kind LIKE '%.deleted' ORDER BY 1";
    expect((await rows(records, ['tunneled-too'])).map(({ kind }) => kind as string)).to.deep.equal([
      'edgeRouter.deleted',
      'edgeRouterPolicy.deleted',
      'identity.deleted',
    ]);
  });

  it('do not take a CA with which an authenticator, an enrollment or an API session was made', async () => {
    for (const id of ['by-authenticator', 'by-enrollment', 'by-session']) await stores.cas.create(id, caDraft(id, id));
    await identity('of-cas');
    await rows(`INSERT INTO authenticators (id, identity_id, method, fingerprint, cert_pem, ca_id)
      VALUES ('of-ca', 'of-cas', 'cert', 'f', 'p', 'by-authenticator')`);
    await rows(`INSERT INTO enrollments (id, identity_id, method, token, jwt, expires_at, ca_id)
      VALUES ('of-ca', 'of-cas', 'ottca', gen_random_uuid(), '', now(), 'by-enrollment')`);
    await openApiSession(fixture.stores, 'of-cas', 'of-ca', 'by-session');
    for (const id of ['by-authenticator', 'by-enrollment', 'by-session', 'nowhere'])
      expect(await stores.cas.removeUnused(id), id).to.equal(false);
    expect(await rows("SELECT id FROM cas WHERE id LIKE 'by-%'")).to.have.length(3);
  });

  it('do not take a policy of the system', async () => {
    await tunnel('keeps-its-policy');
    expect(await outcomeOf(stores.edgeRouterPolicies.remove('keeps-its-policy'))).to.equal('notDeletable');
    expect(await outcomeOf(stores.edgeRouterPolicies.remove('nowhere'))).to.equal('notFound');
  });

  it('find their row by its id, whatever other indexes there are', async () => {
    const at = { serviceId: 's', routerId: 'r', binding: 'b', address: 'a' };
    const recorded = recordStatements(/^update/);
    await stores.terminators.updateInPlace('none', at);
    await stores.postureChecks.updateAsRead({ id: 'none', updatedAt: new Date() }, { name: 'none' });
    await stores.routers.update('none', true, { cost: 1 }).catch(() => undefined);
    recorded.stop();
    expect(recorded.texts).to.have.length(3);
    await rows('SET enable_seqscan = off');
    for (const text of recorded.texts) {
      const plan = await rows(`EXPLAIN (GENERIC_PLAN) ${text}`);
      expect(JSON.stringify(plan), text).to.match(/Index Scan using (terminators|posture_checks|routers)_pkey/);
    }
    await rows('RESET enable_seqscan');
  });

  it('move the version, and tell it', async () => {
    const versions: Date[] = [];
    const scoped = fixture.stores.forRequest({ onVersion: (_table, _id, version) => versions.push(version) });
    await stores.routers.create('versioned', routerDraft('versioned'), enrollment('versioned'));
    const { updatedAt } = await stores.routers.get('versioned');
    await scoped.routers.update('versioned', true, { cost: 4 });
    await scoped.routers.update('versioned', true, {});
    const now = (await stores.routers.get('versioned')).updatedAt;
    expect(versions).to.deep.equal([now, now]);
    expect(now.getTime()).to.be.greaterThan(updatedAt.getTime());
  });

  it('leave a router of the other kind, and its configs, as they are', async () => {
    await config('kept', 'for-routers');
    await stores.routers.create('edge', routerDraft('edge', { configs: ['kept'] }), enrollment('edge'));
    const before = await stores.routers.get('edge');
    const change = stores.routers.update('edge', false, routerDraft('transit', { isEdge: false }));
    expect(await outcomeOf(change)).to.equal('routerNotUpdatable');
    expect(await outcomeOf(stores.routers.remove('edge', false))).to.equal('routerNotUpdatable');
    expect(await outcomeOf(stores.routers.update('nobody', true, { cost: 1 }))).to.equal('notFound');
    expect(await outcomeOf(stores.routers.remove('nobody', true))).to.equal('notFound');
    expect(await stores.routers.get('edge')).to.deep.equal(before);
    await stores.routers.update('edge', true, routerDraft('edge', { configs: [] }));
    expect((await stores.routers.get('edge')).configs).to.deep.equal([]);
  });

  it('are not those of a router with a tunneler: its identity goes with it', async () => {
    await stores.routers.create('tunnel', routerDraft('tunnel', { isTunnelerEnabled: true }), enrollment('tunnel'));
    await stores.routers.update('tunnel', true, { name: 'renamed tunnel' });
    expect((await stores.identities.get('tunnel')).name).to.equal('renamed tunnel');
    const draft = ordinary('by hand');
    expect(await stores.identities.updateOrdinary('tunnel', draft)).to.equal(false);
    await stores.routers.remove('tunnel', true);
    expect(await stores.identities.find('tunnel')).to.equal(undefined);
  });

  it('clear what an identity hosts, of that identity alone', async () => {
    await stores.services.create('hosted', serviceDraft('hosted'));
    const hostings = [{ serviceId: 'hosted', cost: 1, precedence: 'default' }] as const;
    for (const id of ['host', 'other-host']) await stores.identities.create(id, identityDraft(id, { hostings }), []);
    const draft = ordinary('host');
    expect(await stores.identities.updateOrdinary('host', draft)).to.equal(true);
    expect(await rows('SELECT identity_id AS id FROM identity_hostings')).to.deep.equal([{ id: 'other-host' }]);
  });

  describe('when it changes at the same time', () => {
    it('an identity becomes an administrator: it is not changed, not disabled, and keeps its sessions', async () => {
      await identity('rising');
      await openApiSession(fixture.stores, 'rising');
      const draft = ordinary('as ordinary');
      const rise = "UPDATE identities SET is_admin = true WHERE id = 'rising'";
      expect(await beside(rise, () => stores.identities.updateOrdinary('rising', draft))).to.equal(false);
      await rows("UPDATE identities SET is_admin = false WHERE id = 'rising'");
      expect(await beside(rise, () => stores.identities.disableOrdinary('rising', 0))).to.equal(false);
      expect(await rows("SELECT name, disabled_at FROM identities WHERE id = 'rising'")).to.deep.equal([
        { name: 'rising', disabled_at: null },
      ]);
      expect(await rows("SELECT id FROM api_sessions WHERE identity_id = 'rising'")).to.deep.equal([{ id: 'rising' }]);
    });

    it('the owner of a password becomes an administrator: it keeps the password', async () => {
      await identity('owner');
      await password('of-owner', 'owner');
      const rise = "UPDATE identities SET is_admin = true WHERE id = 'owner'";
      expect(await beside(rise, () => stores.authenticators.removeOrdinary('of-owner'))).to.equal(false);
      expect(await rows("SELECT id FROM authenticators WHERE id = 'of-owner'")).to.have.length(1);
    });

    it('an administrator gets an authenticator of a CA: it stays', async () => {
      await identity('admin-by-ca', true);
      await stores.cas.create('taken', caDraft('taken', 'taken'));
      const enroll = `INSERT INTO authenticators (id, identity_id, method, fingerprint, cert_pem, ca_id)
        VALUES ('by-taken', 'admin-by-ca', 'cert', 'by-taken', 'p', 'taken')`;
      expect(await beside(enroll, () => stores.cas.removeUnused('taken'))).to.equal(false);
      expect(await rows("SELECT id FROM authenticators WHERE ca_id = 'taken'")).to.have.length(1);
    });

    it('the identity of a tunneler becomes an administrator: other administrators are looked for', async () => {
      await tunnel('rising-tunneler');
      const looks = recordStatements(/pg_advisory_xact_lock/);
      const rise = "UPDATE identities SET is_admin = true WHERE id = 'rising-tunneler'";
      await beside(rise, () => stores.routers.remove('rising-tunneler', true));
      looks.stop();
      expect(looks.texts).to.have.length(1);
      expect(await stores.identities.find('rising-tunneler')).to.equal(undefined);
    });

    it('a router gets a tunneler: a new name becomes that of its identity too', async () => {
      await stores.routers.create('late', routerDraft('late'), enrollment('late'));
      const tunneler = `UPDATE routers SET is_tunneler_enabled = true WHERE id = 'late';
        INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id)
        VALUES ('late', 'late', 'Router', false, 'default')`;
      await beside(tunneler, () => stores.routers.update('late', true, { name: 'late and renamed' }));
      expect((await stores.identities.get('late')).name).to.equal('late and renamed');
    });

    it('a service takes a config up: it loses it again, and its version moves', async () => {
      await config('taken-up');
      await stores.services.create('taker', serviceDraft('taker'));
      const { updatedAt } = await stores.services.get('taker');
      const takeUp = `INSERT INTO service_configs (service_id, config_id, config_type_id)
        VALUES ('taker', 'taken-up', 'type')`;
      await beside(takeUp, () => stores.configs.remove('taken-up'));
      const taker = await stores.services.get('taker');
      expect(taker.configs).to.deep.equal([]);
      expect(taker.updatedAt.getTime()).to.be.greaterThan(updatedAt.getTime());
      expect(await outcomeOf(stores.configs.remove('taken-up'))).to.equal('notFound');
    });

    it('an identity logs in: the API session that it gets ends too', async () => {
      await identity('entering');
      await openApiSession(fixture.stores, 'entering');
      const login = `SELECT FROM identities WHERE id = 'entering' FOR NO KEY UPDATE;
        INSERT INTO api_sessions SELECT (jsonb_populate_record(t, '{"id": "late", "token_hash": "\\\\x01"}')).*
          FROM api_sessions t WHERE t.id = 'entering'`;
      expect(await beside(login, () => stores.identities.disableOrdinary('entering', 0))).to.equal(true);
      expect(await rows("SELECT id FROM api_sessions WHERE identity_id = 'entering'")).to.deep.equal([]);
      const ends = "SELECT entity_id AS id, actor_id AS actor FROM audit_records WHERE kind = 'apiSession.deleted'";
      expect(await rows(`${ends} AND entity_id IN ('entering', 'late') ORDER BY 1`)).to.deep.equal([
        { id: 'entering', actor: 'a' },
        { id: 'late', actor: 'a' },
      ]);
    });

    it('what is cleared is added: it is cleared as well', async () => {
      await config('added');
      await config('added-to-router', 'for-routers');
      await stores.services.create('cleared', serviceDraft('cleared'));
      await stores.routers.create('cleared', routerDraft('cleared'), enrollment('cleared'));
      await identity('cleared-identity');
      const locked = (table: string, id = 'cleared') => `SELECT FROM ${table} WHERE id = '${id}' FOR NO KEY UPDATE`;
      await beside(
        `${locked('services')}; INSERT INTO service_configs (service_id, config_id, config_type_id)
          VALUES ('cleared', 'added', 'type')`,
        () => stores.services.update('cleared', serviceDraft('cleared')),
      );
      await beside(
        `${locked('routers')}; INSERT INTO router_configs (router_id, config_id, config_type_id)
          VALUES ('cleared', 'added-to-router', 'for-routers')`,
        () => stores.routers.update('cleared', true, routerDraft('cleared')),
      );
      await beside(
        `${locked('identities', 'cleared-identity')};
          INSERT INTO identity_hostings (identity_id, service_id, cost, precedence)
          VALUES ('cleared-identity', 'cleared', 1, 'default')`,
        () => stores.identities.updateOrdinary('cleared-identity', ordinary('cleared-identity')),
      );
      expect((await stores.services.get('cleared')).configs).to.deep.equal([]);
      expect((await stores.routers.get('cleared')).configs).to.deep.equal([]);
      expect((await stores.identities.get('cleared-identity')).hostings).to.deep.equal([]);
    });

    it('a posture check is another than was read: it is not changed', async () => {
      await check('read');
      const read = await stores.postureChecks.get('read');
      const change = (domain: string) => stores.postureChecks.updateAsRead(read, { criteria: { domains: [domain] } });
      const outcomes = await Promise.all(['x.example', 'y.example', 'z.example'].map(change));
      expect(outcomes.filter((isMade) => isMade)).to.have.length(1);
      expect(await change('late.example')).to.equal(false);
    });
  });
});
