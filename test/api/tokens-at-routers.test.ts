/**
 * The tokens that routers have and those that open administration are never the same: sessions of the management API
 * are sent to no router, and a token that was sent to one opens nothing of the management API any more.
 */
import { expect } from 'chai';
import pg from 'pg';
import { ContentType } from '../../fabric/channel/content-types.js';
import {
  ApiSessionHeartbeatSchema,
  ApiSessionRemovedSchema,
  RequestClientReSyncSchema,
} from '../../generated/fabric/edge_pb.js';
import { createCertificateClient, makeRequest } from '../support/certificates.js';
import { enrollByRequest } from '../support/certified.js';
import { createClient, expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { makeEdgeRouterPolicy, makeService, makeServiceEdgeRouterPolicy, makeServicePolicy } from '../support/make.js';
import { closed, faultsOf, pathOf, show } from '../support/operations.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { allBytes, isSent, sentTokens } from '../support/sent-tokens.js';
import { recordStatements } from '../support/statements.js';
import { PASSWORD } from '../support/users.js';

const MESSAGE =
  'routers know the token of this session, because it was opened at the client API: log in at the management API, ' +
  `POST ${MANAGEMENT}/authenticate`;
const IDENTITIES = `${MANAGEMENT}/identities?limit=1`;

/** Operations of administration: all of the management API that need a session, and those of the client API. */
const administration = closed.filter(({ api, permission }) => api === 'management' || permission === 'admin');

const faultOf = (answer: Answer): string | undefined => {
  const isRight =
    answer.status === 401 &&
    answer.error?.code === 'UNAUTHORIZED' &&
    answer.error.cause?.['message'] === MESSAGE &&
    answer.headers['www-authenticate'] === undefined;
  return isRight ? undefined : show(answer);
};
const expectRefused = (answer: Answer) => {
  expect(faultOf(answer)).to.equal(undefined);
};

describe('tokens that routers have', function tokensAtRouters() {
  this.timeout(60_000);
  let controller: TestController;
  const open: ScriptedRouter[] = [];
  const clients: Client[] = [];
  before(async () => {
    controller = await startTestController();
  });
  afterEach(() => {
    for (const router of open.splice(0)) router.close();
    for (const client of clients.splice(0)) client.close();
  });
  after(() => controller.stop());

  /** A router that identities with this role may use; `#all` for every identity. */
  const routerFor = async (role: string): Promise<EnrolledRouter & { policyId: string }> => {
    const router = await newRouter(controller);
    const policyId = await makeEdgeRouterPolicy(controller, {
      edgeRouterRoles: [`@${router.id}`],
      identityRoles: [role],
    });
    return { ...router, policyId };
  };
  const online = async (router: EnrolledRouter): Promise<ScriptedRouter> => {
    const connected = await ScriptedRouter.online(controller.url, router);
    open.push(connected);
    return connected;
  };
  const administrator = (attribute: string) => controller.newCaller({ isAdmin: true, roleAttributes: [attribute] });
  /** A further session of a certificate's own identity, and what sends its token over other connections. */
  const loginByCertificate = async (shown: { cert: string; key: string }) => {
    const bare = createCertificateClient(controller.url, shown);
    const answer = expectStatus(await bare.post(`${CLIENT}/authenticate?method=cert`, {}), 200);
    const { token } = answer.data as { token: string };
    const client = createCertificateClient(controller.url, shown, token);
    clients.push(bare, client);
    return client;
  };
  const withToken = (token: string | undefined, shown?: { cert: string; key: string }) => {
    const client = createClient(controller.url, token, shown);
    clients.push(client);
    return client;
  };

  describe('are none of the management API', () => {
    it('whatever is sent: whole states, changes, removals', async () => {
      const group = unique('group');
      const caller = await administrator(group);
      const managing = await controller.loginAt(MANAGEMENT, caller.username, caller.password);
      const router = await online(await routerFor('#all'));
      await isSent(router, caller.client);
      const laterManaging = await controller.loginAt(MANAGEMENT, caller.username, caller.password);
      // Each of these has routers hear of the identity's sessions.
      expectStatus(await managing.post(`${CLIENT}/current-api-session/certificates`, { csr: makeRequest().pem }), 201);
      const path = `${MANAGEMENT}/identities/${caller.id}`;
      expectStatus(await controller.admin.patch(path, { roleAttributes: [unique('other')] }), 200);
      const whole = router.wholeStates();
      router.sendTyped(ContentType.RequestClientReSync, RequestClientReSyncSchema, { reason: 'test' });
      await router.wholeState(whole);
      expectStatus(await laterManaging.delete(`${MANAGEMENT}/current-api-session`), 200);
      const last = await controller.newCaller({ roleAttributes: [group] });
      await isSent(router, last.client);
      for (const { token = '' } of [controller.admin, managing, laterManaging])
        expect(allBytes(router)).not.to.include(token);
    });

    for (const root of ['', '/edge/v1', CLIENT])
      it(`but those opened at ${root === '' ? 'the root' : root} are of the client API`, async () => {
        const { username, password } = await administrator(unique('group'));
        const client = await controller.loginAt(root, username, password);
        await isSent(await online(await routerFor('#all')), client);
      });

    it('and a router that names one hears what it hears of a token that is none', async () => {
      const router = await online(await routerFor('#all'));
      const garbage = '00000000-0000-4000-8000-000000000000';
      const tokens = [garbage, controller.admin.token ?? ''];
      router.sendTyped(ContentType.ApiSessionHeartbeat, ApiSessionHeartbeatSchema, { tokens });
      await router.next(ContentType.ApiSessionRemoved);
      const [removal] = router.bodies(ContentType.ApiSessionRemoved, ApiSessionRemovedSchema);
      expect(removal?.tokens).to.deep.equal(tokens);
    });
  });

  it('are those of sessions that may use a service: one of the management API is refused, and says why', async () => {
    const group = unique('group');
    const caller = await administrator(group);
    await routerFor(`#${group}`);
    const name = unique('service');
    const serviceId = await makeService(controller, { name });
    const roles = { identityRoles: [`#${group}`], serviceRoles: [`@${serviceId}`] };
    await makeServicePolicy(controller, { name, type: 'Dial', ...roles });
    await makeServiceEdgeRouterPolicy(controller, {
      name,
      serviceRoles: [`@${serviceId}`],
      edgeRouterRoles: ['#all'],
    });
    const managing = await controller.loginAt(MANAGEMENT, caller.username, caller.password);
    const answer = expectStatus(await managing.post(`${CLIENT}/sessions`, { serviceId, type: 'Dial' }), 400);
    expect(answer.error).to.include({ code: 'NO_EDGE_ROUTERS_AVAILABLE' });
    expect(answer.error?.cause).to.deep.equal({
      code: 'UNHANDLED',
      message:
        'routers are not told of API sessions that were opened at the management API: log in at the client API, ' +
        `POST ${CLIENT}/authenticate, and ask with that session`,
    });
    expectStatus(await caller.client.post(`${CLIENT}/sessions`, { serviceId, type: 'Dial' }), 201);
  });

  describe('open', () => {
    it('no operation of administration, whoever shows them', async () => {
      const group = unique('group');
      const { client } = await administrator(group);
      expectStatus(await client.get(IDENTITIES), 200);
      await isSent(await online(await routerFor(`#${group}`)), client);
      expect(administration.length).to.be.above(200);
      expect(
        await faultsOf(administration, async (operation) =>
          faultOf(
            await client.send(operation.method, pathOf(operation), operation.body?.kind === 'json' ? {} : undefined),
          ),
        ),
      ).to.deep.equal([]);
    });

    it('the client API as before', async () => {
      const group = unique('group');
      const { client, username, password } = await administrator(group);
      await isSent(await online(await routerFor(`#${group}`)), client);
      for (const path of ['/current-identity', '/services', '/current-api-session'])
        expectStatus(await client.get(`${CLIENT}${path}`), 200);
      const managing = await controller.loginAt(MANAGEMENT, username, password);
      expectStatus(await managing.get(IDENTITIES), 200);
      expectStatus(await managing.get(`${CLIENT}/services`), 200);
    });

    it('no public operation less', async () => {
      const group = unique('group');
      const { client } = await administrator(group);
      await isSent(await online(await routerFor(`#${group}`)), client);
      expectStatus(await client.get(`${MANAGEMENT}/version`), 200);
    });
  });

  describe('stay so', () => {
    it('when the router, its policy and the role attribute are gone', async () => {
      const group = unique('group');
      const { id, client } = await administrator(group);
      const router = await routerFor(`#${group}`);
      await isSent(await online(router), client);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/edge-router-policies/${router.policyId}`), 200);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/edge-routers/${router.id}`), 200);
      expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, { roleAttributes: [] }), 200);
      expectRefused(await client.get(IDENTITIES));
    });

    for (const [name, rights] of [
      ['becomes administrator', { isAdmin: true }],
      ['gets permissions', { permissions: ['identity'] }],
    ] as const)
      it(`when the identity ${name} afterwards`, async () => {
        const group = unique('group');
        const { id, client } = await controller.newCaller({ roleAttributes: [group] });
        await isSent(await online(await routerFor(`#${group}`)), client);
        expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, rights), 200);
        expectRefused(await client.get(IDENTITIES));
      });

    it('once the database has it, whatever this controller has in memory', async () => {
      const { client } = await administrator(unique('group'));
      const { id } = expectStatus(await client.get(`${MANAGEMENT}/current-api-session`), 200).data as { id: string };
      const sql = 'UPDATE api_sessions SET is_shared_with_routers = true WHERE id = $1';
      await controller.database.query(sql, [id]);
      expectRefused(await client.get(IDENTITIES));
    });
  });

  describe('of sessions that a certificate opened', () => {
    let shown: { cert: string; key: string };
    let other: { cert: string; key: string };
    let client: Client;
    before(async () => {
      const { id } = await administrator('certified');
      [{ shown }, { shown: other }] = [await enrollByRequest(controller, id), await enrollByRequest(controller, id)];
    });
    beforeEach(async () => {
      client = await loginByCertificate(shown);
      await isSent(await online(await routerFor('#certified')), client);
    });

    it('open administration where the connection proves that certificate', async () => {
      expectStatus(await client.get(IDENTITIES), 200);
    });

    it('do not without one, nor with another of the same identity', async () => {
      expectRefused(await withToken(client.token).get(IDENTITIES));
      expectRefused(await withToken(client.token, other).get(IDENTITIES));
    });

    it('do not for a session by password over a connection that proves a certificate', async () => {
      const own = await controller.newCaller({ isAdmin: true, roleAttributes: ['certified'] });
      const { shown: proved } = await enrollByRequest(controller, own.id);
      const answer = await withToken(undefined, proved).post(`${CLIENT}/authenticate?method=password`, {
        username: own.username,
        password: PASSWORD,
      });
      const { token } = expectStatus(answer, 200).data as { token: string };
      await isSent(await online(await routerFor('#certified')), { token });
      expectRefused(await withToken(token, proved).get(IDENTITIES));
    });
  });

  describe('are stored as such', () => {
    it('and committed before the first router is sent one', async () => {
      const group = unique('group');
      const router = await online(await routerFor(`#${group}`));
      const holder = new pg.Client(controller.database.connection);
      await holder.connect();
      try {
        // Whoever stores it waits for this suite; a login does not.
        await holder.query(`CREATE FUNCTION wait_for_suite() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN PERFORM pg_advisory_xact_lock(22); RETURN NEW; END $$`);
        await holder.query(`CREATE TRIGGER wait_for_suite BEFORE UPDATE OF is_shared_with_routers ON api_sessions
          FOR EACH ROW EXECUTE FUNCTION wait_for_suite()`);
        await holder.query('SELECT pg_advisory_lock(22)');
        const { client } = await administrator(group);
        await until('it is about to be stored', async () => {
          const sql = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
          return (await controller.database.query(sql)).rows.length > 0;
        });
        expect(sentTokens(router)).not.to.include(client.token);
        await holder.query('SELECT pg_advisory_unlock(22)');
        await isSent(router, client);
        expectRefused(await client.get(IDENTITIES));
      } finally {
        await holder.query('SELECT pg_advisory_unlock_all()');
        await holder.query('DROP FUNCTION wait_for_suite CASCADE');
        await holder.end();
      }
    });

    it('not for sessions that no router is sent', async () => {
      const group = unique('group');
      const { client } = await administrator(group);
      await isSent(
        await online(await routerFor('#none')),
        (await controller.newCaller({ roleAttributes: ['none'] })).client,
      );
      expectStatus(await client.get(IDENTITIES), 200);
    });

    it('with a statement for a thousand sessions, however many there are', async () => {
      const group = unique('group');
      const { id } = await controller.newCaller({ roleAttributes: [group] });
      const count = 2_500;
      await controller.database.query(
        `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method, api,
            is_shared_with_routers)
          SELECT $2 || n, $1, 'internal', sha256(($2 || n)::bytea), '', 'cert', 'client', false
          FROM generate_series(1, ${count}) AS n`,
        [id, group],
      );
      const statements = recordStatements(/SET is_shared_with_routers/);
      const router = await online(await routerFor(`#${group}`));
      // Some may come after the whole state: the controller hears of rows that this suite has written when it does.
      await until('all are sent', () => sentTokens(router).size === count + 1);
      statements.stop();
      expect(statements.texts.length).to.be.at.most(Math.ceil((count + 1) / 1_000) + 1);
      const sql = 'SELECT count(*)::int AS n FROM api_sessions WHERE identity_id = $1 AND NOT is_shared_with_routers';
      expect((await controller.database.query(sql, [id])).rows[0]?.['n']).to.equal(0);
    });

    it('of sessions from before, and of an earlier release, of which nothing is known', async () => {
      const { id } = await administrator(unique('group'));
      const sql = `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
        SELECT id, id, 'internal', sha256(id::bytea), '', 'cert' FROM identities WHERE id = $1
        RETURNING api, is_shared_with_routers AS shared`;
      expect((await controller.database.query(sql, [id])).rows).to.deep.equal([{ api: 'client', shared: true }]);
    });

    it('and never of a session of the management API', async () => {
      const { username, password } = ADMIN;
      const client = await controller.loginAt(MANAGEMENT, username, password);
      const { id } = expectStatus(await client.get(`${CLIENT}/current-api-session`), 200).data as { id: string };
      const change = controller.database.query('UPDATE api_sessions SET is_shared_with_routers = true WHERE id = $1', [
        id,
      ]);
      await change.then(
        () => expect.fail('the database takes it'),
        (error: unknown) => {
          expect(error).to.have.property('constraint', 'api_sessions_api');
        },
      );
    });
  });

  it('cost management sessions and the client API no statement', async () => {
    const group = unique('group');
    const { client, username, password } = await administrator(group);
    const managing = await controller.loginAt(MANAGEMENT, username, password);
    await isSent(await online(await routerFor(`#${group}`)), client);
    const statements = recordStatements(/is_shared_with_routers/);
    expectStatus(await managing.get(IDENTITIES), 200);
    expectStatus(await managing.get(`${CLIENT}/current-api-session`), 200);
    expectStatus(await client.get(`${CLIENT}/current-api-session`), 200);
    statements.stop();
    expect(statements.texts).to.deep.equal([]);
  });
});
