/**
 * Many connections to the control channel at once, of those who are no routers, or of one that is: all are cut, a
 * router that is connected answers meanwhile, HTTPS serves, and nothing is left of them.
 */
import { readdirSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { encodeFrame, message, textOf } from '../../fabric/channel/frame.js';
import { HelloHeader } from '../../fabric/channel/headers.js';
import { HELLO_SEQUENCE } from '../../fabric/channel/hello.js';
import { LIMITS } from '../../fabric/channel/limits.js';
import { boundOf } from '../../fabric/channel/bounds.js';
import { makeSelfSigned } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { ScriptedRouter, cut, dial, helloMessage, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter, RouterCredentials } from '../support/scripted-router.js';
import { amount } from '../support/unless.js';
import { childEnv } from './server-support.js';

/** Of each kind. Ten thousand: npm run bench -- --abuse --only routers */
const MANY = amount(50, 100);
/** Opened at a time. */
const STEP = MANY / 2;

const whole = (id: string): Buffer => Buffer.concat(encodeFrame(HELLO_SEQUENCE, helloMessage(id)));
const sized = (headers: number, body: number): Buffer => {
  const bytes = Buffer.from(whole('stranger').subarray(0, 20));
  bytes.writeUInt32LE(headers, 12);
  bytes.writeUInt32LE(body, 16);
  return bytes;
};

describe('floods of the control channel', function floods() {
  this.timeout(120_000);
  const shop = new ProcessShop();
  const holder = makeSelfSigned({ commonName: 'stranger' });
  const stranger: RouterCredentials = { cert: holder.pem, key: holder.privateKeyPem };
  const open: TLSSocket[] = [];
  let database: TestDatabase;
  let controller: ControllerProcess;
  let url: string;
  let client: Client;
  let enrolled: [EnrolledRouter, EnrolledRouter];
  /** Connected before the first flood, and after the last. */
  let router: ScriptedRouter;
  let socketsBefore = 0;
  let at = 0;

  before(async () => {
    database = await openTestDatabase();
    const place = shop.place();
    // A process of its own: what the suite does to flood it must not hold it up.
    controller = shop.start(place, { env: childEnv(place, database) });
    url = await controller.ready();
    client = shop.client(url);
    const admin = await shop.login(url);
    enrolled = [await newRouter({ admin, anonymous: client }), await newRouter({ admin, anonymous: client })];
    router = await ScriptedRouter.online(url, enrolled[0]);
    await expectUndisturbed();
    socketsBefore = sockets();
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await expectUndisturbed();
    // Of the database and of other clients, one may come or go.
    await until('nothing is left of it', () => sockets() <= socketsBefore + STEP / 2);
  });
  after(async () => {
    router.close();
    await shop.end();
    await database.close();
  });

  const sockets = (): number =>
    process.platform === 'linux' ? readdirSync(`/proc/${controller.pid}/fd`).length : socketsBefore;
  const expectUndisturbed = async (): Promise<void> => {
    expect(textOf(await router.reply(router.send(message(ContentType.Ping))))).to.equal('ok');
    expectStatus(await client.get(`${CLIENT}/version`), 200);
  };
  /** One after another in steps; after each, the others are undisturbed. */
  const flood = async (
    credentials: Partial<RouterCredentials>,
    act: (socket: TLSSocket) => void,
    count = MANY,
  ): Promise<readonly TLSSocket[]> => {
    const sockets: TLSSocket[] = [];
    for (let opened = 0; opened < count; opened += STEP) {
      const step = await Promise.all(Array.from({ length: STEP }, () => dial(url, { credentials })));
      for (const socket of step) act(socket);
      sockets.push(...step);
      await expectUndisturbed();
    }
    open.push(...sockets);
    return sockets;
  };
  const allCut = (sockets: readonly TLSSocket[]) => Promise.all(sockets.map(cut));
  const say = (bytes: Buffer) => (socket: TLSSocket) => void socket.write(bytes);

  it('without certificates', async () => {
    await allCut(await flood({}, () => undefined));
  });

  for (const [name, bytes] of [
    ['that begin like no frame', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['that promise 4 GiB', sized(0xffffffff, 0xffffffff)],
    ['with a hello that is too large', sized(16_385, 4_193)],
    ['with a whole hello of nobody', whole('nobody')],
  ] as const)
    it(name, async () => {
      await allCut(await flood(stranger, say(bytes)));
    });

  it('with ids that could be none: the log has one line, and the database no error', async () => {
    const ids = ['', 'a\0b', '\0', '\ud800', 'a b', "a'b", 'ä', '../a', '\n', 'x'.repeat(65), 'x'.repeat(4_000)];
    const before = controller.log().length;
    await allCut(await flood(stranger, (socket) => socket.write(whole(ids[(at += 1) % ids.length] ?? ''))));
    const lines = controller.log().slice(before);
    expect(lines.map(({ msg, reason }) => [msg, reason])).to.deep.equal([
      ['router refused', 'a hello without the id of a router'],
    ]);
  });

  it('with half a frame, and with a byte now and then', async () => {
    const bytes = whole('stranger');
    const half = await flood(stranger, say(bytes.subarray(0, 40)), MANY / 2);
    const slow = await flood(stranger, () => undefined, MANY / 2);
    let sent = 0;
    const drip = setInterval(() => {
      for (const socket of slow) socket.write(bytes.subarray(sent, sent + 1));
      sent += 1;
    }, 500);
    try {
      await allCut([...half, ...slow]);
    } finally {
      clearInterval(drip);
    }
  });

  it('of one router: the standing connection stays', async () => {
    await allCut(await flood(enrolled[0], say(whole(enrolled[0].id))));
    expect(router.isCut).to.equal(false);
  });

  it('that are silent and take all places: a router that says hello is let in at once', async () => {
    const silent = await flood(stranger, () => undefined, LIMITS.hellos + STEP);
    const late = await ScriptedRouter.connect(url, enrolled[1]);
    late.close();
    await allCut(silent);
  });

  it('of a router that is in: a frame too large ends its connection alone', async () => {
    const { headers, body } = boundOf(ContentType.ApiSessionHeartbeat);
    for (const [headerBytes, bodyBytes] of [
      [headers + 1, 0],
      [0, body + 1],
    ] as const) {
      const greedy = await ScriptedRouter.connect(url, enrolled[1]);
      const bytes = sized(headerBytes, bodyBytes);
      bytes.writeInt32LE(ContentType.ApiSessionHeartbeat, 4);
      greedy.socket.write(bytes);
      await greedy.cut();
    }
    const next = await ScriptedRouter.knock(url, enrolled[1], [[HelloHeader.Listeners, null]]);
    await next.next(ContentType.Result);
    next.close();
  });
});
