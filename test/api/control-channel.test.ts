/** Routers that are let in: what they are told, what others see of them, and what ends their connection. */
import { createHash, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody, textOf } from '../../fabric/channel/frame.js';
import {
  Header,
  HelloHeader,
  LatencyHeader,
  encodeText,
  encodeUint64,
  readBoolean,
  readCapabilities,
  readInt32,
  readText,
} from '../../fabric/channel/headers.js';
import {
  DataStateSchema,
  DataState_Action,
  DataState_ChangeSetSchema,
  DataState_PublicKey_Usage as Usage,
} from '../../generated/fabric/data-model_pb.js';
import { RouterInterfacesUpdateSchema } from '../../generated/fabric/control_pb.js';
import { expectStatus } from '../support/client.js';
import { newVerifiedCa } from '../support/certified.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, make, read } from '../support/entities.js';
import { makeEdgeRouterPolicy, makeService, makeServiceEdgeRouterPolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, dial, enroll, newRouter } from '../support/scripted-router.js';

interface Shown {
  readonly isOnline: boolean;
  readonly syncStatus: string;
  readonly hostname: string;
  readonly supportedProtocols: Record<string, string>;
  readonly versionInfo?: Record<string, string>;
  readonly interfaces: { name: string; isUp: boolean; isLoopback: boolean; addresses: string[] }[];
}

describe('the control channel', () => {
  let controller: TestController;
  const open: ScriptedRouter[] = [];
  before(async () => {
    controller = await startTestController();
  });
  afterEach(() => {
    for (const router of open.splice(0)) router.close();
  });
  after(() => controller.stop());

  const shown = (id: string) => read<Shown>(controller, `edge-routers/${id}`);
  const kept = <T extends ScriptedRouter>(router: T): T => {
    open.push(router);
    return router;
  };
  const online = async (router: Parameters<typeof ScriptedRouter.online>[1], hostname = 'router.example') =>
    kept(await ScriptedRouter.online(controller.url, router, { hostname, port: 3022 }));
  const isShown = (id: string, accepts: (router: Shown) => boolean) =>
    until('the router is shown as expected', async () => {
      const found = await shown(id);
      return accepts(found) ? found : undefined;
    });

  it('answers the hello with what stock routers need', async () => {
    const router = await newRouter(controller);
    const connected = kept(await ScriptedRouter.connect(controller.url, router));
    const answer = await connected.next(ContentType.Result);
    expect(answer.sequence).to.equal(-1);
    expect(readInt32(answer.headers, Header.ReplyFor)).to.equal(-1);
    expect(readBoolean(answer.headers, Header.Success)).to.equal(true);
    expect(readBoolean(answer.headers, HelloHeader.IsGrouped)).to.equal(true);
    expect(answer.headers.get(HelloHeader.GroupSecret)?.length).to.equal(16);
    expect(readText(answer.headers, HelloHeader.Version)?.split('|')).to.have.length(5);
    expect(readText(answer.headers, HelloHeader.Type)).to.equal('ctrl.default');
    expect(readText(answer.headers, Header.ConnectionId)).to.be.a('string').and.not.equal('');
    expect(readCapabilities(answer.headers.get(HelloHeader.Capabilities))).to.equal(1n << 6n);
  });

  it('takes the id and the secret of a router that comes again', async () => {
    const router = await newRouter(controller);
    const secret = Buffer.alloc(16, 7);
    const connected = kept(
      await ScriptedRouter.knock(controller.url, router, [
        [Header.ConnectionId, encodeText('abcd-2')],
        [HelloHeader.GroupSecret, secret],
      ]),
    );
    const { headers } = await connected.next(ContentType.Result);
    expect(readText(headers, Header.ConnectionId)).to.equal('abcd-2');
    expect(headers.get(HelloHeader.GroupSecret)).to.deep.equal(secret);
  });

  it('shows a router as online, step by step, and as gone once it is', async () => {
    const router = await newRouter(controller);
    expect(await shown(router.id)).to.include({ isOnline: false, syncStatus: 'SYNC_UNKNOWN', hostname: '' });
    const connected = kept(await ScriptedRouter.connect(controller.url, router));
    await isShown(router.id, ({ isOnline, syncStatus }) => isOnline && syncStatus === 'SYNC_HELLO');
    await connected.sayClientHello({ hostname: 'router.example', port: 3022 });
    const found = await isShown(router.id, ({ syncStatus }) => syncStatus === 'SYNC_DONE');
    expect(found).to.deep.include({
      hostname: 'router.example',
      supportedProtocols: { tls: 'tls://router.example:3022' },
      versionInfo: {
        version: 'v2.0.3',
        revision: 'test',
        buildDate: '2026-01-01 00:00:00',
        os: 'linux',
        arch: 'amd64',
      },
    });
    connected.close();
    const gone = await isShown(router.id, ({ isOnline }) => !isOnline);
    expect(gone).to.deep.include({ syncStatus: 'SYNC_UNKNOWN', hostname: '', supportedProtocols: {} });
    expect(gone).not.to.have.property('versionInfo');
  });

  it('finds routers by whether they are online', async () => {
    const [on, off] = [await newRouter(controller), await newRouter(controller)];
    await online(on);
    const listed = async (filter: string) => {
      const query = encodeURIComponent(`(id="${on.id}" or id="${off.id}") and ${filter}`);
      const answer = await controller.admin.get(`${MANAGEMENT}/edge-routers?filter=${query}`);
      return itemsOf(expectStatus(answer, 200)).map(({ id }) => id);
    };
    expect(await listed('online=true')).to.deep.equal([on.id]);
    expect(await listed('connected=false')).to.deep.equal([off.id]);
  });

  it('shows clients the routers that they may use, and whether those are online', async () => {
    const attribute = unique('of');
    const router = await newRouter(controller, { roleAttributes: [attribute] });
    const caller = await controller.newCaller();
    await makeEdgeRouterPolicy(controller, {
      edgeRouterRoles: [`#${attribute}`],
      identityRoles: [`@${caller.id}`],
    });
    const own = async () =>
      itemsOf(expectStatus(await caller.client.get(`${CLIENT}/current-identity/edge-routers`), 200))[0];
    expect(await own()).to.include({ id: router.id, isOnline: false });
    await online(router);
    await until('the client sees it online', async () => (await own())?.['syncStatus'] === 'SYNC_DONE');
    expect(await own()).to.deep.include({
      isOnline: true,
      hostname: 'router.example',
      supportedProtocols: { tls: 'tls://router.example:3022' },
    });
  });

  it('tells policy advice which routers are online', async () => {
    const attribute = unique('of');
    const router = await newRouter(controller, { roleAttributes: [attribute] });
    const caller = await controller.newCaller();
    const serviceId = await makeService(controller, { encryptionRequired: true });
    const roles = { edgeRouterRoles: [`#${attribute}`] };
    await makeEdgeRouterPolicy(controller, {
      ...roles,
      identityRoles: [`@${caller.id}`],
    });
    await makeServiceEdgeRouterPolicy(controller, {
      ...roles,
      serviceRoles: [`@${serviceId}`],
    });
    const advised = async () => {
      const path = `${MANAGEMENT}/identities/${caller.id}/policy-advice/${serviceId}`;
      const { commonRouters } = expectStatus(await controller.admin.get(path), 200).data as {
        commonRouters: { id: string; isOnline: boolean }[];
      };
      return commonRouters.map(({ id, isOnline }) => [id, isOnline]);
    };
    expect(await advised()).to.deep.equal([[router.id, false]]);
    const connected = await online(router);
    await until('advice knows it', async () => (await advised())[0]?.[1]);
    connected.close();
    await until('advice knows that it is gone', async () => (await advised())[0]?.[1] === false);
  });

  it('keeps what a router reports of its interfaces', async () => {
    const router = await newRouter(controller);
    const connected = await online(router);
    const sequence = connected.sendTyped(ContentType.UpdateRouterInterfaces, RouterInterfacesUpdateSchema, {
      interfaces: [
        { name: 'lo', hardwareAddress: '', mtu: 65_536n, index: 1n, flags: 37n, addresses: ['127.0.0.1/8'] },
        { name: 'a\0b'.repeat(200), hardwareAddress: 'x', mtu: -1n, index: 1n << 60n, flags: 0n, addresses: [] },
      ],
    });
    const answer = await connected.reply(sequence);
    expect([readBoolean(answer.headers, Header.Success), textOf(answer)]).to.deep.equal([true, 'success']);
    const { interfaces } = await shown(router.id);
    expect(interfaces[0]).to.deep.include({ name: 'lo', isUp: true, isLoopback: true, addresses: ['127.0.0.1/8'] });
    expect(interfaces[1]).to.deep.include({ mtu: 0, index: 0x7fffffff });
    connected.close();
    await isShown(router.id, ({ isOnline }) => !isOnline);
    expect((await shown(router.id)).interfaces).to.have.length(2);
  });

  it('answers probes and signs of life, and repeats what has to be repeated', async () => {
    const connected = await online(await newRouter(controller));
    expect(textOf(await connected.reply(connected.send(message(ContentType.Ping))))).to.equal('ok');
    const probe = Buffer.from('0123456789abcdef', 'hex');
    const latency = connected.send(message(ContentType.Latency, '', [[LatencyHeader.Probe, probe]]));
    expect((await connected.reply(latency)).headers.get(LatencyHeader.Probe)).to.deep.equal(probe);
    const clock = encodeUint64(0xfedcba9876543210n);
    connected.send(message(ContentType.Heartbeat, '', [[Header.Heartbeat, clock]]));
    await until('the sign of life is answered', () =>
      connected.received.some(({ headers }) => clock.equals(headers.get(Header.HeartbeatResponse) ?? Buffer.alloc(0))),
    );
  });

  it('ignores kinds of messages that it does not know', async () => {
    const connected = await online(await newRouter(controller));
    for (const type of [1234, -5, 0x7fffffff]) connected.send(message(type, Buffer.from('ff', 'hex')));
    expect(textOf(await connected.reply(connected.send(message(ContentType.Ping))))).to.equal('ok');
  });

  it('cuts a router whose messages cannot be read', async () => {
    const connected = await online(await newRouter(controller));
    connected.send(message(ContentType.SubscribeToDataModel, Buffer.from('2aff', 'hex')));
    await connected.cut();
  });

  describe('the data model', () => {
    const sha1 = (der: Buffer) => createHash('sha1').update(der).digest('hex');

    it('has the keys of the network and the router itself, and nothing of identities and services', async () => {
      const router = await newRouter(controller);
      const connected = await online(router);
      connected.subscribe('sub-1');
      const state = await connected.next(ContentType.DataState);
      expect(readText(state.headers, 1026)).to.equal('sub-1');
      const { events, timelineId, endIndex } = readBody(DataStateSchema, state);
      expect(timelineId).not.to.equal('');
      expect(endIndex > 0n).to.equal(true);
      const keys = events.flatMap(({ model }) => (model.case === 'publicKey' ? [model.value] : []));
      const others = events.flatMap(({ model }) => (model.case === 'publicKey' ? [] : [model]));
      expect(others.map((model) => model.case === 'router' && model.value.id)).to.deep.equal([router.id]);
      const cas = keys.filter((key) => key.usages.includes(Usage.CLIENT_X509_CERT_VALIDATION));
      expect(cas).to.have.length(2);
      for (const key of cas) expect(key.kid).to.equal(sha1(Buffer.from(key.data)));
      expect(cas.some((key) => new X509Certificate(key.data).ca)).to.equal(true);
      const signers = keys.filter((key) => key.usages.includes(Usage.JWT_VALIDATION));
      expect(signers.length).to.be.greaterThan(0);
    });

    it('has the identity of a router with a tunneler', async () => {
      const router = await newRouter(controller, { isTunnelerEnabled: true });
      const connected = await online(router);
      connected.subscribe('sub-1');
      const { events } = readBody(DataStateSchema, await connected.next(ContentType.DataState));
      expect(
        events[0]?.model.case === 'identity' && [events[0].model.value.id, events[0].model.value.name],
      ).to.deep.equal([router.id, router.name]);
    });

    it('is sent again when it is asked for again, not when a subscription goes on', async () => {
      const connected = await online(await newRouter(controller));
      connected.subscribe('sub-1');
      await connected.next(ContentType.DataState);
      connected.subscribe('sub-1', { renew: true });
      connected.subscribe('sub-2');
      await connected.next(ContentType.DataState, ({ headers }) => readText(headers, 1026) === 'sub-2');
      expect(connected.bodies(ContentType.DataState, DataStateSchema)).to.have.length(2);
    });

    it('comes before and without the hello of the edge, as routers ask for it', async () => {
      const connected = kept(await ScriptedRouter.connect(controller.url, await newRouter(controller)));
      connected.subscribe('early');
      await connected.next(ContentType.DataState);
    });

    it('follows the CAs whose clients may log in', async () => {
      const connected = await online(await newRouter(controller));
      connected.subscribe('sub-1');
      await connected.next(ContentType.DataState);
      const ca = await newVerifiedCa(controller);
      const changes = () =>
        connected
          .bodies(ContentType.DataStateChangeSet, DataState_ChangeSetSchema)
          .flatMap((set) => set.changes.map(({ action, model }) => [set.isSynthetic, action, model.case]));
      await until('the CA is told', () => changes().length === 1);
      expect(changes()).to.deep.equal([[true, DataState_Action.CREATE, 'publicKey']]);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${ca.id}`), 200);
      await until('its end is told', () => changes().length === 2);
      expect(changes()[1]).to.deep.equal([true, DataState_Action.DELETE, 'publicKey']);
    });
  });

  describe('ends at once', () => {
    const ends: [name: string, act: (id: string) => Promise<unknown>][] = [
      ['when the router is deleted', (id) => controller.admin.delete(`${MANAGEMENT}/edge-routers/${id}`)],
      ['when it is disabled', (id) => controller.admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: true })],
      ['when it must enroll again', (id) => controller.admin.post(`${MANAGEMENT}/edge-routers/${id}/re-enroll`)],
    ];
    for (const [name, act] of ends) {
      it(`${name}, and stays ended`, async () => {
        const router = await newRouter(controller);
        const connected = await online(router);
        await act(router.id);
        await connected.cut();
        const again = kept(await ScriptedRouter.knock(controller.url, router));
        await again.cut();
        expect(again.received).to.deep.equal([]);
      });
    }
  });

  describe('of a router that comes a second time', () => {
    it('stays with the first while that one is alive', async () => {
      const router = await newRouter(controller);
      const first = await online(router);
      const second = kept(await ScriptedRouter.knock(controller.url, router));
      await second.cut();
      expect(second.received).to.deep.equal([]);
      expect(textOf(await first.reply(first.send(message(ContentType.Ping))))).to.equal('ok');
    });

    it('goes over to the second when the first gives no sign of life', async () => {
      const router = await newRouter(controller);
      const first = await online(router);
      first.fallSilent();
      const second = kept(await ScriptedRouter.connect(controller.url, router));
      await first.cut();
      expect(textOf(await second.reply(second.send(message(ContentType.Ping))))).to.equal('ok');
      expect((await shown(router.id)).isOnline).to.equal(true);
    });
  });

  it('is no matter of a transit router, which is only connected', async () => {
    const id = await make(controller, 'transit-routers', { name: unique('transit') });
    const credentials = await enroll(controller, id, [], 'transit-routers');
    const connected = kept(await ScriptedRouter.connect(controller.url, { id, ...credentials }));
    expect(textOf(await connected.reply(connected.send(message(ContentType.Ping))))).to.equal('ok');
    expect(connected.received.map(({ contentType }) => contentType)).not.to.include(ContentType.ServerHello);
    await until('it is shown as online', async () => (await read<Shown>(controller, `transit-routers/${id}`)).isOnline);
  });

  it('shares the port with HTTPS, whatever the client offers', async () => {
    for (const alpn of ['http/1.1', null]) {
      const socket = await dial(controller.url, { alpn });
      socket.write('GET /edge/client/v1/version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      await until('an answer', () => text.startsWith('HTTP/1.1 200'));
      socket.destroy();
    }
  });
});
