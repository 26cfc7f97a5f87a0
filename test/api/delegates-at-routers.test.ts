/**
 * No right comes by a router: whoever enrolls one by what a permission lets it read, and hears all that a router is
 * sent, opens nothing more than before. And over two controllers: no token that any router was sent is taken by the
 * management API.
 */
import type { IdentityCreate } from '../../generated/management/request.js';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import type { OperationSpec } from '../../generated/operation.js';
import { makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, make } from '../support/entities.js';
import { makeEdgeRouterPolicy, makeIdentity, makeRouter } from '../support/make.js';
import { CLIENT, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { sentTokens } from '../support/sent-tokens.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const specs: readonly OperationSpec[] = Object.values(operations.management);
const PERMISSIONS = [...new Set(specs.flatMap(({ grantedBy }) => grantedBy))].sort();
const LISTS = ['/enrollments', '/identities', '/edge-routers', '/routers', '/transit-routers'];
const UUID = /"(?:token|enrollmentToken)":"([0-9a-f-]{36})"/g;
const all = { edgeRouterRoles: ['#all'], identityRoles: ['#all'] };

describe('whoever may administer a part', function delegatesAtRouters() {
  this.timeout(300_000);
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
    await makeEdgeRouterPolicy(controller, { ...all });
    await controller.login(ADMIN.username, ADMIN.password);
    await controller.newCaller({ isAdmin: true });
  });
  after(() => controller.stop());

  /** What one delegate reads is used up for the next one. */
  const offerEnrollments = async () => {
    await makeRouter(controller, { name: unique('edge') });
    await make(controller, 'transit-routers', { name: unique('hop') });
    const rights: Partial<IdentityCreate>[] = [{ isAdmin: true }, { permissions: ['service'] }, {}];
    for (const each of rights)
      await makeIdentity(controller, { name: unique('new'), enrollment: { ott: true }, ...each });
  };
  /** Of all enrollments that it can read, and of a router that it makes when it may. */
  const readableTokens = async (delegate: Client): Promise<string[]> => {
    await delegate.post(`${M}/edge-routers`, { name: unique('own') });
    const texts = await Promise.all(LISTS.map(async (path) => (await delegate.get(`${M}${path}?limit=500`)).text));
    return [...new Set(texts.flatMap((text) => [...text.matchAll(UUID)].map(([, token = '']) => token)))];
  };
  /** What the certificate of an enrollment gets: as a router all tokens that it is sent, as an identity its own. */
  const tokensBy = async (enrollmentToken: string): Promise<string[]> => {
    const { rows } = await controller.database.query(
      'SELECT method, coalesce(edge_router_id, transit_router_id) AS id FROM enrollments WHERE token = $1',
      [enrollmentToken],
    );
    const [{ method, id } = { method: '', id: null }] = rows as { method: string; id: string | null }[];
    const request = makeRequest(id === null ? {} : { commonName: id });
    const enrolled =
      id === null
        ? await controller.anonymous.post(`${CLIENT}/enroll/ott`, { token: enrollmentToken, clientCsr: request.pem })
        : await controller.anonymous.post(`${CLIENT}/enroll?token=${enrollmentToken}`, {
            certCsr: request.pem,
            serverCertCsr: makeRequest().pem,
          });
    const { cert } = expectStatus(enrolled, 200).data as { cert: string };
    if (method !== 'erott' || id === null) return [];
    const router = await ScriptedRouter.online(controller.url, { id, cert, key: request.privateKeyPem });
    const tokens = [...sentTokens(router)];
    router.close();
    return tokens;
  };
  const opens = async (token: string): Promise<boolean> =>
    (
      await controller.anonymous.send('POST', `${M}/identities`, undefined, {
        rawBody: JSON.stringify({ name: unique('boss'), type: 'User', isAdmin: true }),
        headers: { 'zt-session': token, 'content-type': 'application/json' },
      })
    ).status !== 401;

  it('gets no right by a router that it enrolls, with any of the permissions', async () => {
    expect(PERMISSIONS.length).to.be.above(80);
    const sent: Record<string, number> = {};
    let isOffered = false;
    for (const permission of PERMISSIONS) {
      if (!isOffered) await offerEnrollments();
      const { client } = await controller.newCaller({ permissions: [permission], at: M });
      const tokens: string[] = [];
      const readable = await readableTokens(client);
      isOffered = readable.length === 0;
      for (const token of readable) tokens.push(...(await tokensBy(token)));
      for (const token of new Set(tokens)) expect(await opens(token), `${permission} by a token`).to.equal(false);
      if (tokens.length > 0) sent[permission] = tokens.length;
    }
    // Only those who may read what they make ever hear a token; the administrators' are among them.
    expect(Object.keys(sent)).to.deep.equal(['router']);
  });
});

describe('the tokens of routers and those of the management API', function disjoint() {
  this.timeout(120_000);
  let pair: Pair;
  before(async () => {
    pair = await startPair();
  });
  after(() => pair.stop());

  it('have none in common, whatever becomes of identities and policies, on two controllers', async () => {
    const { one, two, admin } = pair;
    const both = [one, two];
    const tokens: string[] = [];
    const ids: string[] = [];
    const login = async (controller: LoggedController, root: string, username: string, password = PASSWORD) => {
      const path = `${root}/authenticate?method=password`;
      const answer = expectStatus(await controller.client().post(path, { username, password }), 200);
      tokens.push((answer.data as { token: string }).token);
    };
    const loginEverywhere = async (username: string) => {
      for (const controller of both)
        for (const root of ['', '/edge/v1', CLIENT, M]) await login(controller, root, username);
    };
    const routers: ScriptedRouter[] = [];
    const sent = () => new Set(routers.flatMap((router) => [...sentTokens(router)]));
    for (const rights of [{ isAdmin: true }, { permissions: ['identity'] }, {}, {}]) {
      const name = unique('subject');
      ids.push((await makeUser(admin, name, { ...rights, roleAttributes: ['first'] })).id);
      await loginEverywhere(name);
    }
    const policy = await makeEdgeRouterPolicy(pair, {
      ...all,
      identityRoles: ['#first'],
    });
    for (const controller of both) {
      const router = await newRouter({ admin, anonymous: one.client() });
      routers.push(await ScriptedRouter.online(controller.url, router));
    }
    const last = unique('last');
    await makeUser(admin, last, { isAdmin: true, roleAttributes: ['first'] });
    await loginEverywhere(last);
    // Three of the four roots of both controllers, of five identities.
    await until('all client sessions are sent', () => sent().size === 30);
    for (const id of ids.slice(2)) expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: true }), 200);
    expectStatus(await admin.patch(`${M}/edge-router-policies/${policy}`, { identityRoles: ['#nobody'] }), 200);
    for (const router of routers) router.close();
    const accepted = new Set<string>();
    for (const controller of both)
      for (const token of tokens) {
        const { status } = await controller.client(token).get(`${M}/identities?limit=1`);
        if (status === 200) accepted.add(token);
        else expect(status).to.equal(401);
      }
    expect(accepted.size).to.equal(10);
    expect([...accepted].filter((token) => sent().has(token))).to.deep.equal([]);
    expect(entityOf(await admin.get(`${M}/current-identity`))['isAdmin']).to.equal(true);
  });
});
