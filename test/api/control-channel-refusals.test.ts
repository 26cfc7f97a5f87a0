/** Who is not let in to the control channel, and what those who are cannot do to others. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { encodeFrame, message } from '../../fabric/channel/frame.js';
import { Header, HelloHeader, encodeText } from '../../fabric/channel/headers.js';
import { HELLO_SEQUENCE } from '../../fabric/channel/hello.js';
import { makeCa, makeLeaf, makeSelfSigned } from '../support/certificates.js';
import { newCertifiedCaller } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { makeRouter } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { ScriptedRouter, cut, dial, enroll, helloMessage, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter, RouterCredentials } from '../support/scripted-router.js';

describe('the control channel refuses', () => {
  let controller: TestController;
  let router: EnrolledRouter;
  before(async () => {
    controller = await startTestController();
    router = await newRouter(controller);
  });
  after(() => controller.stop());

  const isOnline = async (id: string): Promise<boolean> =>
    (await read<{ isOnline: boolean }>(controller, `edge-routers/${id}`)).isOnline;
  /** Whoever shows this is cut off without an answer. */
  const expectRefused = async (shown: Pick<EnrolledRouter, 'id' | 'cert' | 'key'>): Promise<void> => {
    const refused = await ScriptedRouter.knock(controller.url, shown);
    await refused.cut();
    expect(refused.received).to.deep.equal([]);
  };
  const patch = async (id: string, body: object) =>
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/edge-routers/${id}`, body), 200);

  it('a connection without a certificate', async () => {
    await cut(await dial(controller.url));
  });

  it('a certificate that its holder made', async () => {
    const made = makeSelfSigned({ commonName: router.id });
    await expectRefused({ id: router.id, cert: made.pem, key: made.privateKeyPem });
    expect(await isOnline(router.id)).to.equal(false);
  });

  it('a certificate of another CA', async () => {
    const made = makeLeaf(makeCa(), { commonName: router.id });
    await expectRefused({ id: router.id, cert: made.pem, key: made.privateKeyPem });
  });

  it('the certificate of an identity', async () => {
    const caller = await newCertifiedCaller(controller);
    await expectRefused({ id: router.id, ...caller.shown });
    await expectRefused({ id: caller.id, ...caller.shown });
    caller.certified.close();
  });

  it('the certificate of another router', async () => {
    const other = await newRouter(controller);
    await expectRefused({ ...other, id: router.id });
  });

  it('a chain that has the right certificate, but not as its leaf', async () => {
    const made = makeSelfSigned({ commonName: router.id });
    await expectRefused({ id: router.id, cert: made.pem + router.cert, key: made.privateKeyPem });
  });

  it('a router that has not enrolled', async () => {
    const id = await makeRouter(controller, { name: 'not-enrolled' });
    await expectRefused({ ...router, id });
  });

  it('the certificate of before, once the router enrolls again', async () => {
    const renewed = await newRouter(controller);
    expectStatus(await controller.admin.post(`${MANAGEMENT}/edge-routers/${renewed.id}/re-enroll`), 200);
    await expectRefused(renewed);
    const next: RouterCredentials = await enroll(controller, renewed.id);
    await expectRefused(renewed);
    const connected = await ScriptedRouter.connect(controller.url, { ...renewed, ...next });
    connected.close();
  });

  it('a router that is disabled, until it is enabled', async () => {
    const disabled = await newRouter(controller);
    await patch(disabled.id, { disabled: true });
    await expectRefused(disabled);
    await patch(disabled.id, { disabled: false });
    const connected = await ScriptedRouter.connect(controller.url, disabled);
    connected.close();
  });

  it('a router that was deleted', async () => {
    const deleted = await newRouter(controller);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/edge-routers/${deleted.id}`), 200);
    await expectRefused(deleted);
  });

  it('an id that no router has, or that is none', async () => {
    await expectRefused({ ...router, id: 'nobody' });
    await expectRefused({ ...router, id: '' });
    await expectRefused({ ...router, id: '\0'.repeat(40) });
    await expectRefused({ ...router, id: 'x'.repeat(4_000) });
  });

  it('other protocols', async () => {
    const { hostname, port } = new URL(controller.url);
    const refused = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: ['ziti-link'],
    });
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
  });

  describe('as a hello', () => {
    const hello = (changes: Iterable<readonly [number, Uint8Array | null]>, id = router.id) =>
      Buffer.concat(encodeFrame(HELLO_SEQUENCE, helloMessage(id, changes)));
    const whole = () => hello([]);
    const sized = (headers: number, body: number) => {
      const bytes = Buffer.from(whole().subarray(0, 20));
      bytes.writeUInt32LE(headers, 12);
      bytes.writeUInt32LE(body, 16);
      return bytes;
    };
    const cases: [name: string, bytes: () => Buffer][] = [
      ['a request of HTTP', () => Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')],
      ['one byte that no frame begins with', () => Buffer.of(4)],
      ['sizes near 4 GiB', () => sized(0xffffffff, 0xffffffff)],
      ['more headers than a hello may have', () => sized(16_385, 0)],
      ['a larger body than a hello may have', () => sized(0, 4_193)],
      ['headers that end within one', () => Buffer.concat([sized(7, 0), Buffer.alloc(7)])],
      ['a message of another kind', () => Buffer.concat(encodeFrame(1, message(ContentType.Ping)))],
      ['no version', () => hello([[HelloHeader.Version, null]])],
      ['a version of three parts', () => hello([[HelloHeader.Version, encodeText('v2|x|y')]])],
      ['a version with a line end', () => hello([[HelloHeader.Version, encodeText('v2\n|a|b|c|d')]])],
      ['listeners that cannot be read', () => hello([[HelloHeader.Listeners, Buffer.from('ffff', 'hex')]])],
      ['that of a router before version 2', () => hello([[HelloHeader.IsGrouped, null]])],
      [
        'a further connection of a channel',
        () =>
          hello([
            [HelloHeader.IsFirstOfGroup, null],
            [Header.ConnectionId, encodeText('abcd')],
            [HelloHeader.GroupSecret, Buffer.alloc(16)],
          ]),
      ],
      ['a flag of two bytes', () => hello([[HelloHeader.IsGrouped, Buffer.alloc(2, 1)]])],
    ];
    for (const [name, bytes] of cases) {
      it(name, async () => {
        const socket = await dial(controller.url, { credentials: router });
        socket.write(bytes());
        await cut(socket);
        expect(await isOnline(router.id)).to.equal(false);
      });
    }

    it('one that does not come, comes byte by byte, or stops half-way', async function () {
      this.timeout(120_000);
      const sockets = await Promise.all([1, 2, 3].map(() => dial(controller.url, { credentials: router })));
      const [, slow, half] = sockets;
      half?.write(whole().subarray(0, -1));
      let sent = 0;
      const drip = setInterval(() => slow?.write(whole().subarray(sent, (sent += 1))), 500);
      await Promise.all(sockets.map(cut));
      clearInterval(drip);
    });
  });

  it('and serves others meanwhile: HTTPS and routers', async () => {
    const online = await newRouter(controller);
    const strangers = await Promise.all(
      Array.from({ length: 50 }, () => dial(controller.url, { credentials: online })),
    );
    const connected = await ScriptedRouter.connect(controller.url, online);
    expectStatus(await controller.anonymous.get('/edge/client/v1/version'), 200);
    for (const stranger of strangers) stranger.destroy();
    connected.close();
  });
});
