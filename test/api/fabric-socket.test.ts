/** The WebSocket of the fabric API: who may open it, what ends it, and what it answers. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, textOf } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { Header, encodeInt32 } from '../../fabric/channel/headers.js';
import { InspectResponseSchema } from '../../generated/fabric/control_pb.js';
import {
  RouterCircuitDetailsSchema,
  RouterLinkDetailsSchema,
  ValidateRoutersResponseSchema,
} from '../../generated/fabric/management_pb.js';
import { MetricsMessageSchema } from '../../generated/fabric/metrics_pb.js';
import { createClient, expectStatus } from '../support/client.js';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { FabricSocketClient, STREAM } from '../support/fabric-socket.js';
import { LinkScene, linkTo, report } from '../support/link-scene.js';
import { CLIENT, FABRIC, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import type { ScriptedRouter } from '../support/scripted-router.js';
import { PASSWORD } from '../support/users.js';

const PATH = `${FABRIC}/ws-api`;
const [LINKS, CIRCUITS] = [10_103, 10_118];

const opening = (): Record<string, string> => ({
  'connection': 'Upgrade',
  'upgrade': 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': randomBytes(16).toString('base64'),
});

describe('the WebSocket of the fabric API', function fabricSocket() {
  this.timeout(60_000);
  let controller: TestController;
  let token: string;
  const clients: FabricSocketClient[] = [];

  before(async () => {
    controller = await startReachable();
    token = await tokenOf('admin', 'correct horse battery');
  });
  after(() => controller.stop());
  afterEach(() => {
    for (const client of clients.splice(0)) client.socket.destroy();
  });

  async function tokenOf(username: string, password: string, api = MANAGEMENT): Promise<string> {
    const answer = await controller.anonymous.post(`${api}/authenticate?method=password`, { username, password });
    return (answer.data as { token: string }).token;
  }

  /** @returns the answer, or the connection when it opens */
  const knock = (headers: Record<string, string>, path = PATH, method = 'GET') =>
    new Promise<{ status: number; text: string } | FabricSocketClient>((resolve, reject) => {
      const sent = request(new URL(path, controller.url), { method, headers, rejectUnauthorized: false, agent: false });
      sent.on('upgrade', (_answer: IncomingMessage, socket: Socket) => {
        const client = new FabricSocketClient(socket);
        clients.push(client);
        resolve(client);
      });
      sent.on('response', (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  const open = async (session = token): Promise<FabricSocketClient> => {
    const client = await knock({ ...opening(), 'zt-session': session });
    if (client instanceof FabricSocketClient) return client;
    throw new Error(`refused with ${client.status} ${client.text}`);
  };
  const refusal = async (...given: Parameters<typeof knock>): Promise<number> => {
    const answer = await knock(...given);
    if (answer instanceof FabricSocketClient) throw new Error('it was opened');
    return answer.status;
  };

  describe('is refused', () => {
    it("without a session, and with one that is no administrator's", async () => {
      const none = await knock(opening());
      expect(none).to.include({ status: 401 });
      expect((none as { text: string }).text).to.include('"code":"UNAUTHORIZED"');
      expect(await refusal({ ...opening(), 'zt-session': randomBytes(16).toString('hex') })).to.equal(401);
      for (const permissions of [[], ['ops', 'router', 'service', 'terminator'], ['admin_readonly']]) {
        const { name } = await controller.newCaller({ permissions, at: MANAGEMENT });
        expect(await refusal({ ...opening(), 'zt-session': await tokenOf(name, PASSWORD) })).to.equal(401);
        expect(await refusal({ ...opening(), 'zt-session': await tokenOf(name, PASSWORD, CLIENT) })).to.equal(401);
      }
    });

    it('for what is no opening of a WebSocket', async () => {
      const headers = { ...opening(), 'zt-session': token };
      expect(await refusal({ 'zt-session': token })).to.equal(400);
      for (const other of [
        { upgrade: 'h2c' },
        { 'sec-websocket-version': '8' },
        { 'sec-websocket-key': 'short' },
        { 'sec-websocket-key': '' },
      ])
        expect(await refusal({ ...headers, ...other })).to.equal(400);
      expect(await refusal({ ...headers, 'content-length': '5' })).to.equal(400);
      expect(await refusal(headers, PATH, 'POST')).to.equal(404);
      expect(await refusal(headers, `${FABRIC}/ws-api/more`)).to.equal(404);
    });

    it('beyond so many of one identity', async () => {
      for (let count = 0; count < 8; count += 1) await open();
      expect(await refusal({ ...opening(), 'zt-session': token })).to.equal(429);
      clients[0]?.socket.destroy();
      await until('one is free again', () =>
        knock({ ...opening(), 'zt-session': token }).then((answer) => answer instanceof FabricSocketClient),
      );
    });
  });

  it('does not stand in the way of other requests that ask for an upgrade', async () => {
    expect(await refusal({ ...opening(), 'zt-session': token }, `${FABRIC}/routers`)).to.equal(200);
    expect(await refusal(opening(), `${MANAGEMENT}/version`)).to.equal(200);
  });

  describe('ends', () => {
    const ends: readonly (readonly [title: string, code: number, act: (client: FabricSocketClient) => void])[] = [
      [
        'for a frame without a mask',
        1002,
        (client) => {
          client.raw(0x82, Buffer.from('x'), false);
        },
      ],
      [
        'for a frame with unknown bits',
        1002,
        (client) => {
          client.raw(0xc2, Buffer.from('x'));
        },
      ],
      [
        'for a long control frame',
        1002,
        (client) => {
          client.raw(0x89, Buffer.alloc(126));
        },
      ],
      [
        'for a part of no message',
        1002,
        (client) => {
          client.raw(0x80, Buffer.from('x'));
        },
      ],
      [
        'for a text',
        1003,
        (client) => {
          client.raw(0x81, Buffer.from('hello'));
        },
      ],
      [
        'for a message that is no frame',
        1002,
        (client) => {
          client.raw(0x82, Buffer.from('hello'));
        },
      ],
      [
        'for a message that is too large',
        1009,
        (client) => {
          for (let part = 0; part < 3; part += 1) client.raw(part === 0 ? 0x02 : 0x00, Buffer.alloc(40_000));
        },
      ],
      [
        'for too many requests at a time',
        1008,
        (client) => {
          for (let count = 0; count < 20; count += 1) client.ask(7, '');
        },
      ],
      [
        'when its client closes it',
        1000,
        (client) => {
          client.raw(0x88, Buffer.from([0x03, 0xe8]));
        },
      ],
    ];
    for (const [title, code, act] of ends)
      it(title, async () => {
        const client = await open();
        act(client);
        expect((await client.end())?.code).to.equal(code);
      });

    it('with its session, and with the right of its identity', async () => {
      const { id, name } = await controller.newCaller({ isAdmin: true, at: MANAGEMENT });
      const session = await tokenOf(name, PASSWORD);
      const [first, second] = [await open(session), await open(await tokenOf(name, PASSWORD))];
      await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, { isAdmin: false });
      for (const client of [first, second]) expect((await client.end())?.code).to.equal(1008);
    });

    it('when its client does not read', async () => {
      const client = await open();
      client.socket.pause();
      const ping = Buffer.alloc(120);
      for (let count = 0; count < 200_000 && !client.isEnded && client.socket.writable; count += 1) {
        client.raw(0x89, ping);
        if (count % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      client.socket.resume();
      expect(await client.end()).to.equal(undefined);
    });
  });

  describe('answers', () => {
    it('no requests that it does not know, and says so', async () => {
      const client = await open();
      for (const [type, body] of [
        [7, ''],
        [STREAM, 'no JSON'],
        [STREAM, '{"format":"json","subscriptions":[]}'],
        [STREAM, '{"format":"json","subscriptions":[{"type":"alert"}]}'],
        [STREAM, '{"format":"json","subscriptions":[{"type":7}]}'],
        [STREAM, '{"format":"xml"}'],
      ] as const) {
        const before = client.frames.length;
        client.ask(type, body);
        const answer = await until<Frame>('an answer', () => client.frames[before]);
        expect(answer.contentType).to.equal(ContentType.Result);
        expect(answer.headers.get(Header.Success)?.[0]).to.equal(0);
      }
      client.validate(LINKS, 'name = bad x');
      const { body } = await client.next(LINKS + 1);
      const { success, message: reason } = fromBinary(ValidateRoutersResponseSchema, body);
      expect(success).to.equal(false);
      expect(reason).to.not.equal('');
    });

    it('with events of routers, links, circuits and entities, and compares what routers have', async () => {
      const scenes = new LinkScene(controller);
      await scenes.begin();
      const client = await open();
      client.stream('router', 'link', 'circuit', 'terminator', 'entityChange', 'entityCount', 'alert');
      expect(textOf(await client.next(ContentType.Result))).to.include('no events of these kinds: alert');
      await client.event('entityCount', '"identities":');
      const made = await scenes.scene();
      const { first, second } = made;
      await client.event('router-online', first.id);
      await client.event('entityChange', 'created', made.world.serviceId);
      report(first, [linkTo(second, 'link-one')]);
      await client.event('"connected"', 'link-one', second.id);
      const { answer } = await scenes.dialed(made, [first, second]);
      await client.event('"created"', answer.circuitId, 'link-one');
      await client.event('"terminator"', '"created"', made.world.serviceId);

      client.validate(LINKS, `id = "${first.id}" or id = "${second.id}"`);
      await Promise.all([
        inspected(first, 'links', { links: [{ id: 'link-one' }, { id: 'unknown' }] }),
        inspected(second, 'links', { links: [] }),
      ]);
      const found = (id: string) => client.next(LINKS + 2, ({ body }) => linksIn(body).routerId === id);
      const { linkDetails } = linksIn((await found(first.id)).body);
      expect(linkDetails.map(({ linkId, isValid }) => [linkId, isValid])).to.deep.equal([
        ['link-one', true],
        ['unknown', false],
      ]);
      expect(linksIn((await found(second.id)).body).linkDetails).to.have.length(1);

      client.validate(CIRCUITS, `id = "${second.id}"`);
      await inspected(second, 'router-circuits', { circuits: {} });
      const atSecond = await client.next(CIRCUITS + 2, ({ body }) => circuitsIn(body).routerId === second.id);
      const { details } = circuitsIn(atSecond.body);
      expect(details[answer.circuitId]).to.include({ missingInCtrl: false, missingInForwarder: true });
      await scenes.end();
      await client.event('router-offline', first.id);
    });

    it('with events of sessions, dials, and what routers measure, without any token', async () => {
      const scenes = new LinkScene(controller);
      await scenes.begin();
      const client = await open();
      client.stream('apiSession', 'session', 'service', 'usage', 'metrics', 'cluster', 'entityCount');
      expect(textOf(await client.next(ContentType.Result))).to.equal('success');
      await client.event('entityCount'); // the last that is looked at
      const made = await scenes.scene();
      const { first, second } = made;
      report(first, [linkTo(second, 'link-two')]);
      const { answer } = await scenes.dialed(made, [first, second]);
      await client.event('"session"', '"created"', '"session_type":"Dial"', made.world.serviceId);
      await client.event('"service.dial.success"', made.world.serviceId, '"count":1,');

      const other = await tokenOf('admin', 'correct horse battery');
      const session = createClient(controller.url, other);
      const { id } = expectStatus(await session.get(`${MANAGEMENT}/current-api-session`), 200).data as { id: string };
      await client.event('"apiSession"', '"created"', id, '"ip_address":"127.0.0.1"');
      expectStatus(await session.delete(`${MANAGEMENT}/current-api-session`), 200);
      session.close();
      await client.event('"apiSession"', '"deleted"', id);

      first.sendTyped(ContentType.Metrics, MetricsMessageSchema, {
        eventId: 'event-1',
        intValues: { 'xgress.dial': 7n },
        histograms: { 'link.link-two.latency': { mean: 1.5, stdDev: 0.5, p9999: 9, count: 3n } },
        meters: { 'ingress.rx.bytesrate': { count: 9n, m1Rate: 2.5, meanRate: 4 } },
        usageCounters: [
          {
            intervalStartUtc: 1_700_000_000n,
            intervalLength: 60n,
            buckets: {
              [answer.circuitId]: { values: { 'ingress.rx': 11n }, tags: { serviceId: made.world.serviceId } },
            },
          },
        ],
      });
      const usage = JSON.parse(textOf(await client.event('"usage"', answer.circuitId))) as object;
      expect(usage).to.deep.include({
        namespace: 'usage',
        version: 3,
        source_id: first.id,
        circuit_id: answer.circuitId,
        usage: { 'ingress.rx': 11 },
        interval_start_utc: 1_700_000_000,
        interval_length: 60,
        tags: { serviceId: made.world.serviceId },
      });
      const metric = async (name: string) => JSON.parse(textOf(await client.event(`"metric":"${name}"`))) as object;
      expect(await metric('xgress.dial')).to.deep.include({ metrics: { value: 7 }, source_event_id: 'event-1' });
      const latency = await metric('link.latency');
      expect(latency).to.include({ source_entity_id: 'link-two', source_id: first.id });
      expect(latency).to.have.property('metrics').that.includes({ mean: 1.5, std_dev: 0.5, p9999: 9, count: 3 });
      expect(await metric('ingress.rx.bytesrate'))
        .to.have.property('metrics')
        .that.includes({ count: 9, m1_rate: 2.5, mean_rate: 4 });
      for (const frame of client.frames) expect(textOf(frame)).to.not.include(other).and.not.include('"token"');
      await scenes.end();
    });

    it('of what routers measure with what it does not follow of the options', async () => {
      const client = await open();
      client.ask(
        STREAM,
        JSON.stringify({
          format: 'json',
          subscriptions: [
            { type: 'usage', options: { version: 2 } },
            { type: 'metrics', options: { metricFilter: '.*' } },
          ],
        }),
      );
      expect(textOf(await client.next(ContentType.Result))).to.equal(
        'success; usage comes in version 3; metrics are not filtered',
      );
    });
  });

  const linksIn = (body: Uint8Array) => fromBinary(RouterLinkDetailsSchema, body);
  const circuitsIn = (body: Uint8Array) => fromBinary(RouterCircuitDetailsSchema, body);

  /** The router answers the next two inspections: what differs is asked about again. */
  async function inspected(router: ScriptedRouter, name: string, value: object): Promise<void> {
    const body = create(InspectResponseSchema, { success: true, values: [{ name, value: JSON.stringify(value) }] });
    const answer = toBinary(InspectResponseSchema, body);
    for (const nth of [0, 1]) {
      const asked = await until<Frame>('it is asked', () => asksAt(router, name)[nth]);
      router.send(message(ContentType.InspectResponse, answer, [[Header.ReplyFor, encodeInt32(asked.sequence)]]));
    }
  }
  const asksAt = ({ received }: ScriptedRouter, name: string) =>
    received.filter(
      ({ contentType, body }) => contentType === ContentType.InspectRequest && Buffer.from(body).includes(name),
    );
});
