/** The address that is for routers alone: what is taken there and what is not, its bounds, and who is told of it. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, textOf } from '../../fabric/channel/frame.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { makeRequest } from '../support/certificates.js';
import { itemsOf, read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { makeRouter } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, cut, dial, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';

const CONTROL = { EDGE_CONTROL_LISTEN: '127.0.0.1:0', EDGE_CONTROL_ADVERTISE: 'routers.example:6262' };

/** The alert that a server gives to a protocol that it does not speak. */
async function expectNoProtocol(url: string, alpn: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const refused = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: [alpn] });
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).to.equal('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
}

async function dialPlain(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connectPlain({ host: hostname, port: Number(port) }).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function nextAnswer(controller: TestController): Promise<void> {
  expectStatus(await controller.anonymous.get(`${CLIENT}/version`), 200);
}

describe('an address for routers alone', () => {
  const controllers: TestController[] = [];
  const open: { close(): void }[] = [];
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<TestController> => {
    const controller = await startTestController({ ...CONTROL, ...env });
    controllers.push(controller);
    return controller;
  };
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });
  after(async () => {
    for (const controller of controllers) await controller.stop();
  });
  const connected = async (url: string, router: EnrolledRouter): Promise<ScriptedRouter> => {
    const scripted = await ScriptedRouter.connect(url, router);
    open.push(scripted);
    return scripted;
  };
  const expectAnswer = async (router: ScriptedRouter): Promise<void> => {
    expect(textOf(await router.reply(router.send(message(ContentType.Ping))))).to.equal('ok');
  };
  const keep = (socket: Socket): void => {
    open.push({ close: () => socket.destroy() });
  };

  describe('by itself', () => {
    let controller: TestController;
    let router: EnrolledRouter;
    before(async () => {
      controller = await start();
      router = await newRouter(controller);
    });

    it('takes them, and the address of HTTPS does not', async () => {
      await expectNoProtocol(controller.url, 'ziti-ctrl');
      await expectAnswer(await connected(controller.routersUrl, router));
      expectStatus(await controller.anonymous.get('/edge/client/v1/version'), 200);
    });

    it('is not for anybody else', async () => {
      await expectNoProtocol(controller.routersUrl, 'http/1.1');
      await cut(await dial(controller.routersUrl, { alpn: null, credentials: router }));
      await cut(await dial(controller.routersUrl));
    });

    it('cuts what does not finish its handshake', async () => {
      const socket = await dialPlain(controller.routersUrl);
      socket.write(Buffer.from([0x16, 0x03, 0x01]));
      await cut(socket);
    });

    it('is what routers are told of, and clients are not', async () => {
      const id = await makeRouter(controller, { name: unique('told') });
      const { enrollmentJwt } = await read<{ enrollmentJwt: string }>(controller, `edge-routers/${id}`);
      const claims = JSON.parse(Buffer.from(enrollmentJwt.split('.')[1] ?? '', 'base64url').toString()) as object;
      expect(claims).to.deep.include({ iss: 'https://localhost:1280', ctrls: ['tls:routers.example:6262'] });
      const [shown] = itemsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/controllers`), 200));
      expect(shown).to.deep.include({ ctrlAddress: 'tls:routers.example:6262' });
      expect(shown?.['apiAddresses']).to.have.nested.property(
        'edge-client[0].url',
        'https://localhost:1280/edge/client/v1',
      );
    });

    it('has the server certificate, with its name', async () => {
      const socket = await dial(controller.routersUrl, { credentials: router });
      keep(socket);
      const certificate = new X509Certificate(socket.getPeerCertificate().raw);
      expect(certificate.checkHost('routers.example')).to.equal('routers.example');
      expect(certificate.checkHost('localhost')).to.equal('localhost');
    });

    it('keeps its name from the certificates of routers', async () => {
      const id = await makeRouter(controller, { name: unique('greedy') });
      const { enrollmentToken } = await read<{ enrollmentToken: string }>(controller, `edge-routers/${id}`);
      const answer = await controller.anonymous.post(`${CLIENT}/enroll?token=${enrollmentToken}`, {
        certCsr: makeRequest({ commonName: id }).pem,
        serverCertCsr: makeRequest({ names: { dns: ['routers.example'] } }).pem,
      });
      expectError(answer, 400, 'COULD_NOT_PROCESS_CSR');
      const modest = await newRouter(controller, { serverNames: ['localhost', 'mine.example'] });
      const { rows } = await controller.database.query('SELECT server_names AS names FROM routers WHERE id = $1', [
        modest.id,
      ]);
      expect(rows[0]?.['names']).to.deep.equal(['localhost', 'mine.example']);
    });
  });

  it('may be shared with that of HTTPS, while routers are moved', async () => {
    const controller = await start({ EDGE_CONTROL_SHARED: 'true' });
    const [old, moved] = [await newRouter(controller), await newRouter(controller)];
    await expectAnswer(await connected(controller.url, old));
    await expectAnswer(await connected(controller.routersUrl, moved));
    await expectNoProtocol(controller.routersUrl, 'http/1.1');
  });

  it('has bounds of its own: a flood at one address leaves the other alone', async function flood() {
    this.timeout(120_000);
    const controller = await start({
      EDGE_LIMIT_CONNECTIONS: '6',
      EDGE_LIMIT_CONTROL_CONNECTIONS: '8',
      EDGE_LIMIT_CONTROL_CONNECTIONS_PER_ADDRESS: '8',
    });
    const [first, second] = [await newRouter(controller), await newRouter(controller)];
    const strangers: Socket[] = [];
    const isFull = async (url: string): Promise<boolean> => {
      const socket = await dialPlain(url);
      strangers.push(socket);
      // One that is refused is cut at once; another waits for the handshake.
      return Promise.race([once(socket, 'close').then(() => true), nextAnswer(controller).then(() => false)]);
    };
    const leave = () => {
      for (const stranger of strangers.splice(0)) stranger.destroy();
    };
    await until('HTTPS is full', () => isFull(controller.url));
    const router = await connected(controller.routersUrl, first);
    await expectAnswer(router);
    leave();
    await until('the address for routers is full', () => isFull(controller.routersUrl));
    await nextAnswer(controller);
    await expectAnswer(router);
    leave();
    // Routers that are in take no place.
    for (let place = 0; place < 8; place += 1) strangers.push(await dialPlain(controller.routersUrl));
    await nextAnswer(controller);
    strangers.pop()?.destroy();
    const late = await until('there is a place', () => connected(controller.routersUrl, second).catch(() => undefined));
    await expectAnswer(late);
    leave();
  });

  it('bounds the connections of one address', async () => {
    const controller = await start({ EDGE_LIMIT_CONTROL_CONNECTIONS_PER_ADDRESS: '3' });
    for (let place = 0; place < 3; place += 1) keep(await dialPlain(controller.routersUrl));
    await cut(await dialPlain(controller.routersUrl));
    const { hostname, port } = new URL(controller.routersUrl);
    const other = connect({
      socket: connectPlain({ host: hostname, port: Number(port), localAddress: '127.0.0.2' }),
      rejectUnauthorized: false,
      ALPNProtocols: ['ziti-ctrl'],
    });
    keep(other);
    await once(other, 'secureConnect');
  });

  it('ends with the controller, which does not wait for what is there', async () => {
    const controller = await startTestController(CONTROL);
    const router = await ScriptedRouter.connect(controller.routersUrl, await newRouter(controller));
    const [shaking, silent] = [await dialPlain(controller.routersUrl), await dial(controller.routersUrl)];
    await controller.stop();
    await Promise.all([router.cut(), cut(shaking), cut(silent)]);
  });
});
