/** How many terminators hosts may have, and which of many a dial looks at, against PostgreSQL. */
import { expect } from 'chai';
import { newId } from '../../domain/auth/tokens.js';
import { HOSTED_BOUNDS, MOST_MADE_BY_HAND } from '../../domain/fabric/terminator.js';
import type { TargetQuery } from '../../db/stores/dial-targets.js';
import type { HostedDraft, HostingResult, TunnelDraft } from '../../db/stores/terminator-hosting.js';
import { identityDraft, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

describe('many terminators', () => {
  let fixture: TestStores;
  let [service, host, router, near, far] = ['', '', '', '', ''];
  before(async () => {
    fixture = await openStoresForTest();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    [service, host, router, near, far] = [newId(), newId(), newId(), newId(), newId()];
    await query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [service]);
    await fixture.stores.identities.create(host, identityDraft(host), []);
    for (const id of [router, near, far])
      await query('INSERT INTO routers (id, name, is_edge) VALUES ($1, $1, true)', [id]);
  });

  const query = (sql: string, values: unknown[] = []) => fixture.files.query(sql, values);
  const session = async (identityId = host) => {
    const [id, apiSessionId] = [newId(), newId()];
    await query(
      `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
      VALUES ($1, $2, 'a', sha256(convert_to($1::text, 'UTF8')), '', 'password')`,
      [apiSessionId, identityId],
    );
    await query(
      `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token)
      VALUES ($1, $2, $3, $4, 'Bind', 'token ' || $1::text)`,
      [id, apiSessionId, identityId, service],
    );
    return id;
  };
  const PLAIN = { instanceId: '', instanceSecret: null, peerData: new Map(), cost: 0, precedence: 'default' } as const;
  const draft = (sessionId: string, changes: Partial<HostedDraft> = {}): HostedDraft => ({
    ...PLAIN,
    id: newId(),
    routerId: router,
    sessionId,
    ...changes,
  });
  const hosts = (each: HostedDraft): Promise<HostingResult> =>
    fixture.stores.transaction((tx) => tx.hostedTerminators.host(each));
  const tunnels = (each: TunnelDraft): Promise<HostingResult> =>
    fixture.stores.transaction((tx) => tx.hostedTerminators.hostTunnel(each));
  /** Stored at once. @param more  columns by name, as SQL; `n` counts from 1 */
  const many = (count: number, more: Readonly<Record<string, string>> = {}) => {
    const ends = { service_id: `'${service}'`, router_id: `'${router}'`, host_id: `'${host}'` };
    const columns = { id: 'gen_random_uuid()::text', is_system: 'true', ...ends, ...more };
    return query(
      `INSERT INTO terminators (address, binding, ${Object.keys(columns).join(', ')})
      SELECT 'a', 'edge', ${Object.values(columns).join(', ')} FROM generate_series(1, ${count}) n`,
    );
  };

  describe('are refused', () => {
    it('beyond those of one session and router, but not when they are repeated or go to another router', async () => {
      const mine = await session();
      const first = draft(mine);
      expect(await hosts(first)).to.equal('created');
      await many(HOSTED_BOUNDS.session - 2, { session_id: `'${mine}'` });
      expect(await hosts(draft(mine))).to.equal('created');
      expect(await hosts(draft(mine))).to.equal('tooMany');
      expect(await hosts(first)).to.equal('kept');
      expect(await hosts({ ...first, cost: 5 })).to.equal('kept');
      expect(await hosts({ ...first, routerId: near })).to.equal('idTaken');
      expect(await hosts(draft(mine, { routerId: near }))).to.equal('created');
      expect(await hosts(draft(await session()))).to.equal('created');
    });

    it('beyond those of one host and service, also when many come at once', async () => {
      await many(HOSTED_BOUNDS.host - 3);
      const sessions: string[] = [];
      for (let index = 0; index < 8; index += 1) sessions.push(await session());
      const results = await Promise.all(sessions.map((id) => hosts(draft(id))));
      expect(results.filter((result) => result === 'created')).to.have.length(3);
      expect(results.filter((result) => result === 'tooMany')).to.have.length(5);
      const other = newId();
      await fixture.stores.identities.create(other, identityDraft(other), []);
      expect(await hosts(draft(await session(other)))).to.equal('created');
    });

    it('beyond those of one router, of clients and its own', async () => {
      await many(HOSTED_BOUNDS.router - 2, { host_id: `'other ' || n` });
      const own = (routerId: string) => ({ ...PLAIN, id: newId(), routerId, serviceId: service });
      expect(await tunnels(own(router))).to.equal('created');
      expect(await hosts(draft(await session()))).to.equal('created');
      expect(await tunnels(own(router))).to.equal('tooMany');
      expect(await hosts(draft(await session()))).to.equal('tooMany');
      expect(await tunnels(own(near))).to.equal('created');
    });

    it('beyond those of a service that a router hosts itself', async () => {
      const own = () => ({ ...PLAIN, id: newId(), routerId: router, serviceId: service });
      await many(HOSTED_BOUNDS.host, { host_id: `'${router}'` });
      expect(await tunnels(own())).to.equal('tooMany');
    });
  });

  describe('that an administrator moves', () => {
    const full = (id: string, to: { serviceId?: string; routerId?: string }) =>
      fixture.stores.terminators.fullEnd(id, to);

    it('are counted where they go, of their host, session and router, and not where they are', async () => {
      const [other, mine] = [newId(), await session()];
      await query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [other]);
      const moved = draft(mine);
      expect(await hosts(moved)).to.equal('created');
      const there = { service_id: `'${other}'`, router_id: `'${near}'` };
      expect(await full(moved.id, { serviceId: other, routerId: near })).to.equal(undefined);

      await many(HOSTED_BOUNDS.host, there);
      expect(await full(moved.id, { serviceId: other })).to.equal('service');
      expect(await full(moved.id, { serviceId: service, routerId: router })).to.equal(undefined);
      expect(await full(moved.id, { routerId: near })).to.equal(undefined);
      await query('DELETE FROM terminators WHERE service_id = $1', [other]);

      await many(HOSTED_BOUNDS.session, { ...there, session_id: `'${mine}'` });
      expect(await full(moved.id, { routerId: near })).to.equal('router');
      await query('DELETE FROM terminators WHERE service_id = $1', [other]);

      await many(HOSTED_BOUNDS.router, { ...there, host_id: `'other ' || n` });
      expect(await full(moved.id, { routerId: near })).to.equal('router');
      expect(await full(moved.id, { routerId: far })).to.equal(undefined);
      await query('DELETE FROM terminators WHERE router_id = $1', [near]);
    });

    it('and made, are counted among those of their service alone', async () => {
      const other = newId();
      await query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [other]);
      const made = { is_system: 'false', host_id: `''` };
      await many(1, { ...made, id: `'by hand'`, router_id: `'${far}'` });
      await many(MOST_MADE_BY_HAND, { ...made, service_id: `'${other}'` });
      expect(await full('by hand', { serviceId: other })).to.equal('service');
      expect(await full('by hand', { routerId: router })).to.equal(undefined);
      expect(await full('nothing', { serviceId: other })).to.equal(undefined);
      await query('DELETE FROM terminators WHERE service_id = $1', [other]);
    });
  });

  describe('are looked at', () => {
    const look = (changes: Partial<TargetQuery> = {}) =>
      fixture.stores.hostedTerminators.targets({
        serviceId: service,
        instanceId: '',
        pathCosts: new Map([
          [router, 0],
          [near, 10],
          [far, 1_000],
        ]),
        strategy: 'smartrouting',
        sticky: '',
        ownHost: '',
        max: 100,
        ...changes,
      });
    const COUNT = 10_000;

    it('no more than asked, the best first: by precedence, cost and path', async () => {
      await many(COUNT, { cost: 'n', precedence: `CASE WHEN n % 2 = 0 THEN 'required' ELSE 'default' END` });
      await many(10, { cost: '1', precedence: `'required'`, router_id: `'${near}'` });
      await many(10, { cost: '1', precedence: `'required'`, router_id: `'${far}'` });
      await many(10, { cost: '0', precedence: `'failed'` });
      await many(10, { cost: '0', precedence: `'required'`, instance_id: `'other'` });
      const found = await look();
      expect(found).to.have.length(100);
      expect(new Set(found.map(({ precedence }) => precedence))).to.deep.equal(new Set(['required']));
      const costs = found.map(({ cost, routerId }) => cost + (routerId === near ? 10 : 0));
      expect(costs).to.deep.equal([...costs].sort((a, b) => a - b));
      expect(costs.slice(0, 6)).to.deep.equal([2, 4, 6, 8, 10, 11]);
      expect(found.filter(({ routerId }) => routerId === near)).to.have.length(10);
      expect(found.some(({ routerId }) => routerId === far)).to.equal(false);
      expect(await look({ instanceId: 'other' })).to.have.length(10);
      expect(await look({ pathCosts: new Map() })).to.have.length(0);
    });

    it('any of them, no more than asked, when it is asked whether there are many', async () => {
      const any = (max: number) =>
        fixture.stores.hostedTerminators.anyTargets({ serviceId: service, instanceId: '', ownHost: '', max });
      await many(60, { cost: 'n' });
      await many(40, { cost: 'n', router_id: `'${far}'` });
      await many(10, { instance_id: `'other'` });
      expect(await any(101)).to.have.length(100);
      expect(await any(100)).to.have.length(100);
      expect(await any(99)).to.have.length(99);
      expect(new Set((await any(101)).map(({ routerId }) => routerId))).to.deep.equal(new Set([router, far]));
    });

    it('of equals any, so that none is never chosen', async () => {
      await many(COUNT);
      const seen = new Set<string>();
      for (let round = 0; round < 10; round += 1) for (const { id } of await look()) seen.add(id);
      expect(seen.size).to.be.above(900);
    });

    it('whatever they cost, when the strategy takes any of a precedence', async () => {
      await many(1_000, { cost: 'n' });
      await many(50, { cost: '60000', precedence: `'required'` });
      for (const strategy of ['random', 'weighted'] as const) {
        const found = await look({ strategy });
        expect(found.slice(0, 50).every(({ precedence }) => precedence === 'required')).to.equal(true);
        expect(Math.max(...found.slice(50).map(({ cost }) => cost))).to.be.above(100);
      }
      const cheapest = (await look()).slice(50).map(({ cost }) => cost);
      expect(Math.max(...cheapest)).to.equal(50);
    });

    it('with the one that a sticky dialer had, when it is of the best precedence', async () => {
      await many(COUNT, { cost: 'n' });
      const { rows } = await query('SELECT id FROM terminators WHERE service_id = $1 AND cost = 9000', [service]);
      const sticky = String(rows[0]?.['id']);
      const found = await look({ strategy: 'sticky', sticky });
      expect([found.length, found[0]?.id, found[1]?.cost]).to.deep.equal([100, sticky, 1]);
      await many(100, { cost: '60000', precedence: `'required'` });
      expect((await look({ strategy: 'sticky', sticky })).some(({ id }) => id === sticky)).to.equal(false);
    });
  });
});
