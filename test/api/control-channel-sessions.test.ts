/** Which API sessions routers are told of: those of identities that may use them, from their begin to their end. */
import { expect } from 'chai';
import { X509Certificate } from 'node:crypto';
import { ContentType } from '../../fabric/channel/content-types.js';
import { SyncHeader, readText } from '../../fabric/channel/headers.js';
import {
  ApiSessionAddedSchema,
  ApiSessionHeartbeatSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
  RequestClientReSyncSchema,
} from '../../generated/fabric/edge_pb.js';
import { newCertifiedCaller } from '../support/certified.js';
import { makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { makeEdgeRouterPolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';

describe('API sessions at routers', () => {
  let controller: TestController;
  const open: ScriptedRouter[] = [];
  before(async () => {
    controller = await startTestController();
  });
  afterEach(() => {
    for (const router of open.splice(0)) router.close();
  });
  after(() => controller.stop());

  /** A router that identities with this attribute may use. */
  const routerFor = async (attribute: string): Promise<EnrolledRouter & { policyId: string }> => {
    const router = await newRouter(controller);
    const policyId = await makeEdgeRouterPolicy(controller, {
      edgeRouterRoles: [`@${router.id}`],
      identityRoles: [`#${attribute}`],
    });
    return { ...router, policyId };
  };
  const online = async (router: EnrolledRouter): Promise<ScriptedRouter> => {
    const connected = await ScriptedRouter.online(controller.url, router);
    open.push(connected);
    return connected;
  };
  const callerWith = (attribute: string): Promise<Caller> => controller.newCaller({ roleAttributes: [attribute] });
  const tokenOf = (client: Client): string => client.token ?? '';

  /** What the router has by what it was told: whole states replace all. */
  const known = (router: ScriptedRouter): Set<string> => {
    let tokens = new Set<string>();
    let next = new Set<string>();
    for (const frame of router.received) {
      if (frame.contentType === ContentType.ApiSessionAdded) {
        const [body] = bodiesOf(frame, router);
        const state = JSON.parse(readText(frame.headers, SyncHeader.StrategyState) ?? '') as {
          isLast: boolean;
          sequence: number;
        };
        const added = body?.apiSessions.map(({ token }) => token) ?? [];
        if (body?.isFullState !== true) tokens = new Set([...tokens, ...added]);
        else {
          next = new Set([...(state.sequence === 0 ? [] : next), ...added]);
          if (state.isLast) tokens = next;
        }
      } else if (frame.contentType === ContentType.ApiSessionRemoved) {
        for (const token of removedIn(frame, router)) tokens.delete(token);
      }
    }
    return tokens;
  };
  const bodiesOf = (frame: ScriptedRouter['received'][number], router: ScriptedRouter) => {
    const frames = router.received.filter(({ contentType }) => contentType === ContentType.ApiSessionAdded);
    return [router.bodies(ContentType.ApiSessionAdded, ApiSessionAddedSchema)[frames.indexOf(frame)]];
  };
  const removedIn = (frame: ScriptedRouter['received'][number], router: ScriptedRouter): string[] => {
    const frames = router.received.filter(({ contentType }) => contentType === ContentType.ApiSessionRemoved);
    return router.bodies(ContentType.ApiSessionRemoved, ApiSessionRemovedSchema)[frames.indexOf(frame)]?.tokens ?? [];
  };
  /** A router that connects right after a change may be told of it by itself, when it came before its news. */
  const knows = (router: ScriptedRouter, client: Client) =>
    until('the router knows the session', () => known(router).has(tokenOf(client)));
  const forgets = (router: ScriptedRouter, client: Client) =>
    until('the router forgets the session', () => !known(router).has(tokenOf(client)));

  it('come whole at connect, also when there is none', async () => {
    const router = await routerFor(unique('group'));
    const connected = await online(router);
    expect(connected.bodies(ContentType.ApiSessionAdded, ApiSessionAddedSchema)).to.have.length(1);
    expect([...known(connected)]).to.deep.equal([]);
    const { headers } = await connected.next(ContentType.ApiSessionAdded);
    expect(readText(headers, SyncHeader.StrategyType)).to.equal('instant');
    const state = JSON.parse(readText(headers, SyncHeader.StrategyState) ?? '') as object;
    expect(state).to.include({ isLast: true, sequence: 0 });
  });

  it('are those of identities that may use the router, and of nobody else', async () => {
    const group = unique('group');
    const router = await routerFor(group);
    const [member, stranger] = [await callerWith(group), await callerWith(unique('others'))];
    const connected = await online(router);
    await knows(connected, member.client);
    expect([...known(connected)]).to.deep.equal([tokenOf(member.client)]);
    const [later, laterStranger] = [await callerWith(group), await callerWith(unique('others'))];
    await knows(connected, later.client);
    const sent = JSON.stringify(connected.received.map(({ body }) => Buffer.from(body).toString('latin1')));
    for (const { client } of [stranger, laterStranger]) expect(sent).not.to.include(tokenOf(client));
  });

  it('are the same at all routers of the same policies, as they are when each comes', async () => {
    const group = unique('group');
    const routers = [await routerFor(group), await routerFor(group), await routerFor(group), await routerFor(group)];
    const stranger = await routerFor(unique('others'));
    const [first, second] = [await callerWith(group), await callerWith(group)];
    const comes = async (router: EnrolledRouter | undefined, ...clients: readonly Caller[]) => {
      const connected = await online(router ?? stranger);
      const tokens = clients.map(({ client }) => tokenOf(client)).sort();
      await until('the router has these sessions', () => String([...known(connected)].sort()) === String(tokens));
      return connected;
    };
    const earlier = [await comes(routers[0], first, second), await comes(routers[1], first, second)];
    await comes(stranger);
    expectStatus(await first.client.delete(`${CLIENT}/current-api-session`), 200);
    for (const router of earlier) await forgets(router, first.client);
    const later = await comes(routers[2], second);
    const sent = later.received.map(({ body }) => Buffer.from(body).toString('latin1')).join('');
    expect(sent).to.include(tokenOf(second.client)).and.not.include(tokenOf(first.client));
    const third = await callerWith(group);
    for (const router of [...earlier, later]) await knows(router, third.client);
    await comes(routers[3], second, third);
  });

  it('come with the ids and certificates that their clients prove', async () => {
    const group = unique('group');
    const router = await routerFor(group);
    const caller = await newCertifiedCaller(controller);
    expectStatus(
      await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, { roleAttributes: [group] }),
      200,
    );
    const connected = await online(router);
    await knows(connected, caller.client);
    const session = connected
      .bodies(ContentType.ApiSessionAdded, ApiSessionAddedSchema)
      .flatMap(({ apiSessions }) => apiSessions)
      .find(({ token }) => token === tokenOf(caller.client));
    const sha1 = (pem: string) => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
    expect(session).to.deep.include({ identityId: caller.id, certFingerprints: [sha1(caller.shown.cert)] });
    const current = expectStatus(await caller.client.get(`${CLIENT}/current-api-session`), 200).data as { id: string };
    expect(session?.id).to.equal(current.id);
    const made = expectStatus(
      await caller.client.post(`${CLIENT}/current-api-session/certificates`, { csr: makeRequest().pem }),
      201,
    ).data as { certificate: string };
    await until('the new certificate is told', () =>
      connected
        .bodies(ContentType.ApiSessionUpdated, ApiSessionUpdatedSchema)
        .flatMap(({ apiSessions }) => apiSessions)
        .some(({ certFingerprints }) => certFingerprints.includes(sha1(made.certificate))),
    );
    caller.certified.close();
  });

  it('begin with a login and end with a logout, at every router', async () => {
    const group = unique('group');
    const routers = [await online(await routerFor(group)), await online(await routerFor(group))];
    const caller = await callerWith(group);
    for (const router of routers) await knows(router, caller.client);
    expectStatus(await caller.client.delete(`${CLIENT}/current-api-session`), 200);
    for (const router of routers) await forgets(router, caller.client);
  });

  const ends: [name: string, act: (caller: Caller) => Promise<unknown>][] = [
    [
      'an administrator deletes them',
      async ({ id }) => {
        const path = `${MANAGEMENT}/api-sessions?filter=${encodeURIComponent(`identity="${id}"`)}`;
        for (const session of expectStatus(await controller.admin.get(path), 200).data as { id: string }[])
          await controller.admin.delete(`${MANAGEMENT}/api-sessions/${session.id}`);
      },
    ],
    ['the identity is deleted', ({ id }) => controller.admin.delete(`${MANAGEMENT}/identities/${id}`)],
    [
      'the identity is disabled',
      ({ id }) => controller.admin.post(`${MANAGEMENT}/identities/${id}/disable`, { durationMinutes: 0 }),
    ],
    [
      'the identity leaves the group',
      ({ id }) => controller.admin.patch(`${MANAGEMENT}/identities/${id}`, { roleAttributes: [] }),
    ],
  ];
  for (const [name, act] of ends) {
    it(`end when ${name}`, async () => {
      const group = unique('group');
      const connected = await online(await routerFor(group));
      const [caller, other] = [await callerWith(group), await callerWith(group)];
      await knows(connected, caller.client);
      await knows(connected, other.client);
      await act(caller);
      await forgets(connected, caller.client);
      expect(known(connected).has(tokenOf(other.client))).to.equal(true);
    });
  }

  it('follow the policies of the router', async () => {
    const group = unique('group');
    const router = await routerFor(group);
    const caller = await callerWith(group);
    const connected = await online(router);
    await knows(connected, caller.client);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/edge-router-policies/${router.policyId}`), 200);
    await forgets(connected, caller.client);
    await makeEdgeRouterPolicy(controller, {
      edgeRouterRoles: [`@${router.id}`],
      identityRoles: [`@${caller.id}`],
    });
    await knows(connected, caller.client);
  });

  it('come again, whole, when a router asks for them', async () => {
    const group = unique('group');
    const caller = await callerWith(group);
    const connected = await online(await routerFor(group));
    const before = connected.wholeStates();
    connected.sendTyped(ContentType.RequestClientReSync, RequestClientReSyncSchema, { reason: 'test' });
    await connected.wholeState(before);
    await knows(connected, caller.client);
    expect([...known(connected)]).to.deep.equal([tokenOf(caller.client)]);
    const ids = connected.received
      .filter(({ contentType }) => contentType === ContentType.ApiSessionAdded)
      .map(({ headers }) => (JSON.parse(readText(headers, SyncHeader.StrategyState) ?? '') as { id: string }).id);
    expect([...ids].sort()).to.deep.equal(ids);
  });

  it('that a router names and that are over are removed; others stay in use', async () => {
    const group = unique('group');
    const caller = await callerWith(group);
    const connected = await online(await routerFor(group));
    const gone = '00000000-0000-4000-8000-000000000000';
    connected.sendTyped(ContentType.ApiSessionHeartbeat, ApiSessionHeartbeatSchema, {
      tokens: [gone, tokenOf(caller.client)],
    });
    const removal = await connected.next(ContentType.ApiSessionRemoved);
    expect(removedIn(removal, connected)).to.deep.equal([gone]);
  });

  it('come in chunks, each session once', async function () {
    this.timeout(120_000);
    const group = unique('group');
    const router = await routerFor(group);
    const caller = await callerWith(group);
    const count = 120;
    for (let index = 0; index < count; index += 1) (await controller.login(caller.username, caller.password)).close();
    const connected = await online(router);
    await until('all have come', () => known(connected).size === count + 1);
    const chunks = connected.bodies(ContentType.ApiSessionAdded, ApiSessionAddedSchema);
    const lengths = chunks.map(({ apiSessions }) => apiSessions.length);
    expect(lengths[0]).to.equal(100);
    expect(lengths.reduce((sum, length) => sum + length, 0)).to.equal(count + 1);
  });
});
