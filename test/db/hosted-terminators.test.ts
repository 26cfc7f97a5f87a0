/** What routers do with terminators and sessions, against PostgreSQL. */
import { expect } from 'chai';
import { Client } from 'pg';
import { newId } from '../../domain/auth/tokens.js';
import { peerDataOf } from '../../domain/fabric/terminator.js';
import type { HostedDraft, HostingResult } from '../../db/stores/terminator-hosting.js';
import { until } from '../support/poll.js';
import { identityDraft, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

describe('terminators that clients host', () => {
  let fixture: TestStores;
  let stores: TestStores['stores'];
  let [service, host, other, router, elsewhere] = ['', '', '', '', ''];
  before(async () => {
    fixture = await openStoresForTest();
    ({ stores } = fixture);
  });
  after(() => fixture.close());
  beforeEach(async () => {
    [service, host, other, router, elsewhere] = [newId(), newId(), newId(), newId(), newId()];
    await query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [service]);
    for (const id of [host, other]) await stores.identities.create(id, identityDraft(id), []);
    for (const id of [router, elsewhere])
      await query('INSERT INTO routers (id, name, is_edge) VALUES ($1, $1, true)', [id]);
    for (const name of ['edge', 'service_edge']) {
      const roles = name === 'edge' ? 'identity_roles' : 'service_roles';
      await query(
        `INSERT INTO ${name}_router_policies (id, name, semantic, ${roles}, edge_router_roles)
        VALUES ($1, $1, 'AnyOf', '{#all}', ARRAY['@' || $2::text])`,
        [newId(), router],
      );
    }
    for (const type of ['Bind', 'Dial'])
      await query(
        `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles)
        VALUES ($1, $1, $2, 'AnyOf', '{#all}', ARRAY['@' || $3::text])`,
        [newId(), type, service],
      );
  });

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);
  const session = async (identityId: string, type = 'Bind', serviceId = service) => {
    const [id, apiSessionId] = [newId(), newId()];
    await query(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
      VALUES ($1, $2, 'a', sha256(convert_to($1::text, 'UTF8')), '', 'password')`,
      [apiSessionId, identityId],
    );
    await query(
      `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
      VALUES ($1, $2, $3, $4, $5, 'token ' || $1::text)`,
      [id, apiSessionId, identityId, serviceId, type],
    );
    return id;
  };
  const draft = (sessionId: string, changes: Partial<HostedDraft> = {}): HostedDraft => ({
    id: newId(),
    routerId: router,
    sessionId,
    instanceId: '',
    instanceSecret: null,
    peerData: new Map([[1003, Buffer.from('key')]]),
    cost: 7,
    precedence: 'default',
    ...changes,
  });
  const hosts = (each: HostedDraft): Promise<HostingResult> =>
    stores.transaction((tx) => tx.hostedTerminators.host(each));
  const targets = (instanceId = '', routers = [router, elsewhere]) =>
    stores.hostedTerminators.targets({
      serviceId: service,
      instanceId,
      pathCosts: new Map(routers.map((id) => [id, 0])),
      strategy: 'smartrouting',
      sticky: '',
      ownHost: '',
      max: 100,
    });
  const statedOf = async (id: string) =>
    (
      await query(
        `SELECT service_id, router_id, host_id, session_id, is_system, cost, precedence, updated_at
        FROM terminators WHERE id = $1`,
        [id],
      )
    ).rows[0];

  it('are made once, whatever often a router repeats it, and take service and host from the session', async () => {
    const bind = await session(host);
    const wanted = draft(bind, { precedence: 'required', instanceSecret: Buffer.from('secret') });
    expect(await hosts(wanted)).to.equal('created');
    const made = await statedOf(wanted.id);
    expect(made).to.deep.include({ service_id: service, router_id: router, host_id: host, session_id: bind });
    expect(made).to.deep.include({ is_system: true, cost: 7, precedence: 'required' });
    expect(await stores.hostedTerminators.isHosted(wanted)).to.equal(true);
    expect(await hosts(wanted)).to.equal('kept');
    expect(await statedOf(wanted.id)).to.deep.include({ session_id: bind, cost: 7, precedence: 'required' });
    for (const changes of [
      { id: newId() },
      { cost: 8 },
      { precedence: 'default' },
      { routerId: elsewhere },
      { sessionId: newId() },
      { instanceId: 'x' },
      { peerData: new Map() },
      { peerData: new Map([[1003, Buffer.from('kez')]]) },
    ] as const)
      expect(await stores.hostedTerminators.isHosted({ ...wanted, ...changes })).to.equal(false);
    const [target, ...others] = await targets();
    expect(others).to.deep.equal([]);
    expect(target).to.deep.include({ id: wanted.id, routerId: router, binding: 'edge', address: wanted.id });
    expect(target).to.deep.include({ hostId: host, cost: 7, precedence: 'required' });
    expect(Buffer.from(peerDataOf(target?.peerData ?? {}).get(1003) ?? []).toString()).to.equal('key');
  });

  it('take over cost, precedence, peer data and a newer session of the same host', async () => {
    const first = draft(await session(host));
    await hosts(first);
    const newer = await session(host);
    const again = { ...first, sessionId: newer, cost: 9, precedence: 'failed', peerData: new Map() } as const;
    expect(await hosts(again)).to.equal('kept');
    expect(await statedOf(first.id)).to.deep.include({ session_id: newer, cost: 9, precedence: 'failed' });
    expect((await targets())[0]?.peerData).to.deep.equal({});
  });

  it('are not made of a session that is gone, or that dials', async () => {
    expect(await hosts(draft(newId()))).to.equal('noSession');
    expect(await hosts(draft(await session(host, 'Dial')))).to.equal('noSession');
    expect(await targets()).to.deep.equal([]);
  });

  it('do not take the id of another host, of another router, service or instance', async () => {
    const first = draft(await session(host));
    await hosts(first);
    const made = await statedOf(first.id);
    const foreign = newId();
    await query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [foreign]);
    for (const changes of [
      { sessionId: await session(other) },
      { routerId: elsewhere },
      { sessionId: await session(host, 'Bind', foreign) },
      { instanceId: 'x' },
    ])
      expect(await hosts({ ...first, ...changes }), JSON.stringify(changes)).to.equal('idTaken');
    expect(await statedOf(first.id)).to.deep.equal(made);
  });

  it('share an instance id with others of the same host only, also when two hosts come at once', async () => {
    const [mine, theirs] = [await session(host), await session(other)];
    expect(await hosts(draft(mine, { instanceId: 'a' }))).to.equal('created');
    expect(await hosts(draft(mine, { instanceId: 'a' }))).to.equal('created');
    expect(await hosts(draft(theirs, { instanceId: 'a' }))).to.equal('instanceTaken');
    expect(await hosts(draft(theirs))).to.equal('created');
    for (let round = 0; round < 5; round += 1) {
      const instanceId = `race ${round}`;
      const results = await Promise.all([mine, theirs].map((id) => hosts(draft(id, { instanceId }))));
      expect(results.sort()).to.deep.equal(['created', 'instanceTaken']);
    }
    expect((await targets('a')).length).to.equal(2);
    expect((await targets()).length).to.equal(1);
  });

  it('are found on the asked routers only', async () => {
    await hosts(draft(await session(host)));
    expect((await targets('', [elsewhere])).length).to.equal(0);
    expect([
      await stores.hostedTerminators.hasAny(service),
      await stores.hostedTerminators.hasAny(newId()),
    ]).to.deep.equal([true, false]);
  });

  it('are changed and removed by their own router alone', async () => {
    const [one, two] = [draft(await session(host)), draft(await session(host))];
    for (const each of [one, two]) await hosts(each);
    const { hostedTerminators } = stores;
    const mine = { id: one.id, routerId: router, identityId: host };
    expect(await hostedTerminators.change({ ...mine, routerId: elsewhere }, { cost: 1 })).to.equal(false);
    expect(await hostedTerminators.change({ ...mine, identityId: other }, { cost: 1 })).to.equal(false);
    expect(await hostedTerminators.change(mine, { cost: 1 })).to.equal(true);
    expect(await statedOf(one.id)).to.deep.include({ cost: 1, precedence: 'default' });
    expect(await hostedTerminators.change(mine, { precedence: 'failed' })).to.equal(true);
    expect(await statedOf(one.id)).to.deep.include({ cost: 1, precedence: 'failed' });
    expect(await hostedTerminators.remove([one.id, two.id], elsewhere)).to.deep.equal([]);
    expect(await hostedTerminators.remove([one.id, newId()], router)).to.deep.equal([one.id]);
    expect((await hostedTerminators.hostedOn(router, '', 10)).map(({ id }) => id)).to.deep.equal([two.id]);
  });

  it('are not removed by a router when an administrator made them', async () => {
    const id = newId();
    await query(
      `INSERT INTO terminators (id, service_id, router_id, binding, address)
      VALUES ($1, $2, $3, 'transport', 'tcp:x:1')`,
      [id, service, router],
    );
    expect(await stores.hostedTerminators.remove([id], router)).to.deep.equal([]);
    expect(await stores.hostedTerminators.hostedOn(router, '', 10)).to.deep.equal([]);
    const [target, ...others] = await targets();
    expect([target?.id, others]).to.deep.equal([id, []]);
    const any = (instanceId = '') =>
      stores.hostedTerminators.anyTargets({ serviceId: service, instanceId, ownHost: '', max: 10 });
    expect([await any(), await any('other')]).to.deep.equal([[target], []]);
  });

  it('are listed in pages', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      const each = draft(await session(host));
      ids.push(each.id);
      await hosts(each);
    }
    ids.sort();
    const page = async (after: string) =>
      (await stores.hostedTerminators.hostedOn(router, after, 2)).map(({ id }) => id);
    expect(await page('')).to.deep.equal(ids.slice(0, 2));
    expect(await page(ids[1] ?? '')).to.deep.equal(ids.slice(2));
  });

  it('end with their session, its identity, the service or the router', async () => {
    for (const [table, id] of [
      ['sessions', ''],
      ['identities', host],
      ['routers', router],
      ['services', service],
    ] as const) {
      const bind = await session(table === 'sessions' || table === 'identities' ? host : other);
      const each = draft(bind, table === 'services' ? { routerId: elsewhere } : {});
      expect(await hosts(each), table).to.equal('created');
      await query(`DELETE FROM ${table} WHERE id = $1`, [id === '' ? bind : id]);
      expect(await statedOf(each.id), table).to.equal(undefined);
    }
  });

  describe('and their sessions', () => {
    it('are found by token, with what a dial or bind depends on', async () => {
      const dial = await session(host, 'Dial');
      await query(
        "UPDATE identities SET default_hosting_cost = 5, default_hosting_precedence = 'failed' WHERE id = $1",
        [host],
      );
      await query("UPDATE services SET terminator_strategy = 'sticky', max_idle_time_millis = 60000 WHERE id = $1", [
        service,
      ]);
      const found = await stores.shownSessions.find(`token ${dial}`, router);
      expect(found).to.deep.include({ id: dial, identityId: host, serviceId: service, type: 'Dial' });
      expect(found).to.deep.include({ isRouterAllowed: true, encryptionRequired: true });
      expect(found).to.deep.include({ strategy: 'sticky', maxIdleMs: 60_000 });
      expect(found).to.deep.include({ hostingCost: 5, hostingPrecedence: 'failed' });
      await query("INSERT INTO identity_hostings VALUES ($1, $2, 8, 'required')", [host, service]);
      const hosted = await stores.shownSessions.find(`token ${dial}`, router);
      expect(hosted).to.deep.include({ hostingCost: 8, hostingPrecedence: 'required' });
      expect(await stores.shownSessions.find('token x', router)).to.equal(undefined);
    });

    it('are not for a router that policies do not allow, that is disabled, or that is none', async () => {
      const dial = await session(host, 'Dial');
      const isAllowed = async (id: string) =>
        (await stores.shownSessions.find(`token ${dial}`, id))?.isRouterAllowed ?? null;
      expect([await isAllowed(router), await isAllowed(elsewhere), await isAllowed('nope')]).to.deep.equal([
        true,
        false,
        false,
      ]);
      await query('UPDATE routers SET disabled = true WHERE id = $1', [router]);
      expect(await isAllowed(router)).to.equal(false);
    });

    it('are lost by a router when a policy of any kind goes, and only then', async () => {
      const ids = [await session(host, 'Dial'), await session(other, 'Dial')];
      const lostAt = async (routerId: string) =>
        (await stores.shownSessions.lost(ids.map((sessionId) => ({ sessionId, routerId })))).map(
          ({ sessionId }) => sessionId,
        );
      const lost = () => lostAt(router);
      const standing = async () =>
        (await query('SELECT id FROM sessions WHERE id = ANY ($1)', [ids])).rows.map(({ id }) => id);
      expect(await lost()).to.deep.equal([]);
      expect(await lostAt(elsewhere)).to.deep.equal(ids);
      await query('UPDATE identities SET disabled_at = now() WHERE id = $1', [host]);
      expect(await lost()).to.deep.equal(ids.slice(0, 1));
      await query('DELETE FROM edge_router_policies');
      expect(await lost()).to.deep.equal(ids);
      expect(await standing()).to.deep.equal(ids.slice(1));
      await query("DELETE FROM service_policies WHERE type = 'Dial'");
      expect(await lost()).to.deep.equal(ids);
      expect(await standing()).to.deep.equal([]);
    });

    it('are announced when they end, however many', async () => {
      const heard: string[] = [];
      const listener = new Client(fixture.files.connection);
      listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
      await listener.connect();
      try {
        await listener.query('LISTEN edge');
        const ids: string[] = [];
        for (let made = 0; made < 301; made += 1) ids.push(await session(host));
        await query('DELETE FROM sessions WHERE id = ANY ($1)', [ids.slice(1)]);
        await query('DELETE FROM api_sessions WHERE identity_id = $1', [host]);
        await until('every ended session is heard of', async () =>
          Promise.resolve(endedOf(heard).length >= ids.length),
        );
        expect(endedOf(heard)).to.have.members(ids);
        expect(heard.filter((payload) => payload.startsWith('ended ')).length).to.equal(2);
      } finally {
        await listener.end();
      }
    });
  });

  describe('of routers themselves', () => {
    /** A router that may host the service by itself, with a terminator for it and one for a service that it lost. */
    const tunneler = async (id: string) => {
      await query('UPDATE routers SET is_tunneler_enabled = true WHERE id = $1', [id]);
      await stores.identities.create(id, identityDraft(id), []);
      const lost = newId();
      await query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [lost]);
      for (const serviceId of [service, lost])
        await query(
          `INSERT INTO terminators (id, is_system, service_id, router_id, host_id, binding, address)
          VALUES ($1, true, $2, $3, $3, 'tunnel', 'a')`,
          [`${id}/${serviceId}`, serviceId, id],
        );
    };
    const left = async () =>
      (await query("SELECT id FROM terminators WHERE binding = 'tunnel' ORDER BY id")).rows.map(({ id }) => String(id));
    beforeEach(async () => {
      await query('DELETE FROM terminators');
      // No policy has the other router, so it lost both.
      for (const id of [router, elsewhere]) await tunneler(id);
    });

    it('end where a router that comes may not host them, whatever is believed of those that it may', async () => {
      const { hostedTerminators } = stores;
      expect(await hostedTerminators.removeTunneledBut([])).to.deep.equal([]);
      const removed = await hostedTerminators.removeTunneledBut([
        { routerId: router, serviceIds: [] },
        { routerId: elsewhere, serviceIds: [newId()] },
      ]);
      expect(new Set(removed.map(({ routerId }) => routerId))).to.deep.equal(new Set([router, elsewhere]));
      expect(removed).to.have.length(3);
      expect(await left()).to.deep.equal([`${router}/${service}`]);
    });

    it('stay for the router and service that are said to be right, and for no other router', async () => {
      await stores.hostedTerminators.removeTunneledBut([
        { routerId: router, serviceIds: [] },
        { routerId: elsewhere, serviceIds: [service] },
      ]);
      expect(await left()).to.have.members([`${router}/${service}`, `${elsewhere}/${service}`]);
    });

    it('end for a service that is asked about, when the router lost it', async () => {
      const { hostedTerminators } = stores;
      expect(await hostedTerminators.removeTunneled(router, [service])).to.deep.equal([]);
      expect(await hostedTerminators.removeTunneled(elsewhere, [service])).to.deep.equal([`${elsewhere}/${service}`]);
      expect(await left()).to.have.length(3);
    });
  });
});

/** The sessions that ended. */
const endedOf = (heard: readonly string[]) =>
  heard.filter((payload) => payload.startsWith('ended ')).flatMap((payload) => payload.split(' ').slice(1));
