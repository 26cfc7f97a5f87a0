/** Dials and binds of clients that logged in by OpenID Connect. Against a whole controller, with scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { bearer, claimsOf, oidcClient } from '../support/oidc.js';
import type { OidcClient } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import {
  TrafficWorld,
  answerRoute,
  answerTo,
  bind,
  dial,
  dialDirectly,
  routeAt,
  unrouted,
} from '../support/traffic.js';
import type { DirectWish } from '../support/traffic.js';
import { PASSWORD, makeUser } from '../support/users.js';

interface Dialer extends DirectWish {
  readonly name: string;
  readonly refreshToken: string;
  readonly apiSessionId: string;
}

describe('clients with access tokens', () => {
  let controller: TestController;
  let oidc: OidcClient;
  let own: EnrolledRouter;
  let router: ScriptedRouter;
  let stranger: ScriptedRouter;
  let world: TrafficWorld;
  let isOver = false;
  let answering: Promise<void>;
  before(async () => {
    controller = await startTestController();
    oidc = oidcClient(controller.anonymous);
    own = await newRouter(controller);
    router = await ScriptedRouter.online(controller.url, own);
    stranger = await ScriptedRouter.online(controller.url, await newRouter(controller));
    world = await new TrafficWorld(controller).prepare([`@${own.id}`]);
    expect((await bind(router, await world.host())).msg).to.equal('');
    answering = answerAll();
  });
  after(async () => {
    isOver = true;
    await answering;
    router.close();
    stranger.close();
    await controller.stop();
  });

  const login = async (attribute = `${world.word}-dial`): Promise<Dialer> => {
    const name = unique('user');
    const { id } = await makeUser(controller.admin, name, { roleAttributes: [attribute] });
    const { access_token: accessToken, refresh_token: refreshToken } = await oidc.login(name, PASSWORD);
    const apiSessionId = String(claimsOf(accessToken)['z_asid']);
    return { name, identityId: id, accessToken, refreshToken, apiSessionId, serviceId: world.serviceId };
  };
  const refusal = async (wish: DirectWish, at = router) => {
    const { refusal: refused, retryHint } = await answerTo(at, dialDirectly(at, wish));
    return [refused?.[0], retryHint];
  };
  const isRefused = (what: string, wish: DirectWish, expected: readonly number[]) =>
    until(`the dial is refused: ${what}`, async () => {
      const answer = await connected(dialDirectly(router, wish));
      return JSON.stringify([answer.refusal?.[0], answer.retryHint]) === JSON.stringify(expected);
    });
  /** The router lets every route stand. */
  const answerAll = async () => {
    const routes = () => router.received.filter(({ contentType }) => contentType === ContentType.Route);
    for (let at = 0; !isOver; at += 1) {
      await until('a route, or the end', () => isOver || routes().length > at, 600_000);
      if (routes().length > at) answerRoute(router, await routeAt(router, at));
    }
  };
  const connected = (sequence: number) => answerTo(router, sequence);
  const post = (path: string, token: string, body: object) => controller.anonymous.post(path, body, bearer(token));
  const sessionOf = async ({ accessToken, serviceId }: Dialer, type: 'Bind' | 'Dial') =>
    expectStatus(await post(`${C}/sessions`, accessToken, { serviceId, type }), 201).data as Record<string, string>;

  describe('that dial without a session', () => {
    const SESSION_OVER = [2, 2];

    it('are refused with a token that is not theirs, none, or no access token', async () => {
      const [dialer, other] = [await login(), await login()];
      const [head, payload, signature = ''] = dialer.accessToken.split('.');
      const flipped = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
      const cases: readonly (readonly [string, Partial<DirectWish>])[] = [
        ['of another identity', { accessToken: other.accessToken }],
        ['for an identity that is not its own', { identityId: other.identityId }],
        ['missing', { accessToken: '' }],
        ['a refresh token', { accessToken: dialer.refreshToken }],
        ['with another signature', { accessToken: flipped }],
        ['without a signature', { accessToken: `${head}.${payload}.` }],
        ['of an API session', { accessToken: controller.admin.token ?? '' }],
        ['no text', { accessToken: '\0' }],
      ];
      for (const [what, change] of cases)
        expect(await refusal({ ...dialer, ...change }), what).to.deep.equal(SESSION_OVER);
    });

    it('are refused once the session has ended, the token is revoked or the identity is disabled', async () => {
      const ends: readonly (readonly [string, (dialer: Dialer) => Promise<unknown>])[] = [
        [
          'logged out',
          ({ accessToken }) => controller.anonymous.delete(`${C}/current-api-session`, undefined, bearer(accessToken)),
        ],
        ['deleted', ({ apiSessionId }) => controller.admin.delete(`${M}/api-sessions/${apiSessionId}`)],
        ['token', ({ accessToken }) => oidc.post('/oidc/revoke', { token: accessToken, client_id: 'native' })],
        ['revoked', ({ apiSessionId: id }) => controller.admin.post(`${M}/revocations`, { id, type: 'API_SESSION' })],
        [
          'disabled',
          ({ identityId }) => controller.admin.post(`${M}/identities/${identityId}/disable`, { durationMinutes: 0 }),
        ],
      ];
      for (const [what, end] of ends) {
        const dialer = await login();
        await end(dialer);
        await isRefused(what, dialer, SESSION_OVER);
      }
    });

    it('are refused without a grant, for services that are not there, and over routers not allowed', async () => {
      const [dialer, nobody] = [await login(), await login('nothing')];
      const NO_SERVICE = [6, 3];
      expect(await refusal(nobody)).to.deep.equal(NO_SERVICE);
      expect(await refusal({ ...dialer, serviceId: 'none' })).to.deep.equal(NO_SERVICE);
      expect(await refusal({ ...dialer, serviceId: 'a\0b' })).to.deep.equal(NO_SERVICE);
      expect(await refusal(await login(`${world.word}-host`)), 'a Bind grant').to.deep.equal(NO_SERVICE);
      expect(await refusal(dialer, stranger)).to.deep.equal([14, 0]);
      expect(await refusal({ ...dialer, serviceId: '' })).to.deep.equal([1, 0]);
      expect(await refusal({ ...dialer, identityId: '' })).to.deep.equal([1, 0]);
    });

    it('get a circuit, which ends with their API session', async () => {
      const dialer = await login();
      const { circuitId, tags } = await connected(dialDirectly(router, dialer));
      expect([...tags.keys()]).to.have.members(['serviceId', 'clientId', 'hostId']);
      expect(tags.get('clientId')).to.equal(dialer.identityId);
      expectStatus(await controller.admin.delete(`${M}/api-sessions/${dialer.apiSessionId}`), 200);
      await until('the circuit ends', () => unrouted(router).includes(circuitId));
    });

    it('lose it with the grant', async () => {
      const word = unique('grant');
      const dialer = await login(word);
      const policy = await make(controller, 'service-policies', {
        name: word,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: [`#${word}`],
        serviceRoles: [`@${world.serviceId}`],
      });
      const routerPolicy = await make(controller, 'edge-router-policies', {
        name: word,
        semantic: 'AnyOf',
        identityRoles: [`#${word}`],
        edgeRouterRoles: [`@${own.id}`],
      });
      const first = await connected(dialDirectly(router, dialer));
      expectStatus(await controller.admin.delete(`${M}/edge-router-policies/${routerPolicy}`), 200);
      await until('the circuit ends', () => unrouted(router).includes(first.circuitId));
      await isRefused('router', dialer, [14, 0]);
      expectStatus(await controller.admin.delete(`${M}/service-policies/${policy}`), 200);
      await isRefused('service', dialer, [6, 3]);
    });
  });

  describe('that ask for a session', () => {
    it('show its token with the access token, and after a refresh with the new one', async () => {
      const dialer = await login();
      const { token: sessionToken = '' } = await sessionOf(dialer, 'Dial');
      expect(claimsOf(sessionToken)).to.include({ z_leg: false, z_asid: dialer.apiSessionId, z_t: 's' });
      const first = dial(router, { sessionToken, apiSessionToken: dialer.accessToken });
      expect((await connected(first)).refusal).to.equal(undefined);
      const fresh = expectStatus(await oidc.refresh(dialer.refreshToken), 200).json as { access_token: string };
      const second = dial(router, { sessionToken, apiSessionToken: fresh.access_token });
      expect((await connected(second)).refusal).to.equal(undefined);
    });

    it('are refused with the access token of another session', async () => {
      const [dialer, other] = [await login(), await login()];
      const { token: sessionToken = '' } = await sessionOf(dialer, 'Dial');
      const shown = { sessionToken, apiSessionToken: other.accessToken };
      expect((await answerTo(router, dial(router, shown))).refusal?.[0]).to.equal(3);
    });

    it('host a service', async () => {
      const host = await login(`${world.word}-host`);
      const { token: sessionToken = '' } = await sessionOf(host, 'Bind');
      const { msg } = await bind(router, { sessionToken, apiSessionToken: host.accessToken });
      expect(msg).to.equal('');
      await controller.admin.delete(`${M}/api-sessions/${host.apiSessionId}`);
      await until('the terminator goes', async () => {
        const { rows } = await controller.database.query('SELECT id FROM terminators WHERE host_id = $1', [
          host.identityId,
        ]);
        return rows.length === 0;
      });
    });

    it('are not judged by their posture, which they report to routers alone; others are', async () => {
      const word = unique('posture');
      const check = await make(controller, 'posture-checks', {
        name: word,
        typeId: 'MAC',
        macAddresses: ['00:00:00:00:00:01'],
      });
      const policy = { semantic: 'AnyOf', identityRoles: [`#${word}`] };
      await make(controller, 'service-policies', {
        ...policy,
        name: word,
        type: 'Dial',
        serviceRoles: [`@${world.serviceId}`],
        postureCheckRoles: [`@${check}`],
      });
      await make(controller, 'edge-router-policies', { ...policy, name: word, edgeRouterRoles: [`@${own.id}`] });
      const dialer = await login(word);
      const { id = '' } = await sessionOf(dialer, 'Dial');
      expect((await connected(dialDirectly(router, dialer))).refusal).to.equal(undefined);
      // Whatever moves grants looks at it again, and leaves it.
      await make(controller, 'service-policies', { ...policy, name: unique('other'), type: 'Dial', serviceRoles: [] });
      expectStatus(await controller.anonymous.get(`${C}/sessions/${id}`, bearer(dialer.accessToken)), 200);
      const legacy = await controller.login(dialer.name, PASSWORD);
      expectStatus(await legacy.post(`${C}/sessions`, { serviceId: world.serviceId, type: 'Dial' }), 409);
    });
  });

  it('find the routers of a service without a session', async () => {
    const dialer = await login();
    const path = `${C}/services/${world.serviceId}/edge-routers`;
    const answer = await controller.anonymous.get(path, bearer(dialer.accessToken));
    const { edgeRouters } = expectStatus(answer, 200).data as { edgeRouters: readonly Record<string, unknown>[] };
    expect(edgeRouters.map(({ name, isOnline }) => [name, isOnline])).to.deep.equal([[own.name, true]]);
    const withBad = { headers: { ...bearer(dialer.accessToken).headers, 'session-token': 'x' } };
    expectStatus(await controller.anonymous.get(path, withBad), 401);
    expectStatus(await controller.anonymous.get(`${C}/services/none/edge-routers`, bearer(dialer.accessToken)), 404);
    expectStatus(await controller.anonymous.get(path, bearer('x')), 401);
  });
});
