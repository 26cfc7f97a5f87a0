/**
 * TLS connections are neither resumed nor renegotiated: a client that offers a session gets a full handshake, in either
 * version of TLS, and so the server always knows all certificates that the client sent.
 */
import { connect } from 'node:tls';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { readConfig } from '../../server/settings/config-reader.js';
import { createLogger } from '../../server/base/log.js';
import { createTlsServer, listenAt, secureContext } from '../../server/sockets/tls-server.js';
import type { TlsServer } from '../../server/sockets/tls-server.js';
import { makeCa, makeLeaf, shownBy } from '../support/certificates.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { CLIENT } from '../support/paths.js';
import { LOGIN, openWorld } from './certificate-support.js';
import type { Shown } from './certificate-support.js';
import { dial, parseRaw, readToEnd } from './server-support.js';
import type { RawAnswer } from './server-support.js';

interface Visit {
  readonly isReused: boolean;
  readonly protocol: string | null;
  readonly answer: RawAnswer;
  /** What a client would offer the next time. */
  readonly session: Buffer | undefined;
}

interface VisitOptions {
  readonly version: SecureVersion;
  readonly path: string;
  readonly shown?: Shown;
  readonly session?: Buffer | undefined;
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

/** One request on a connection of its own. With TLS 1.3 an offer of resumption comes with the answer, if at all. */
function visit(url: string, { version, path, shown, session }: VisitOptions): Promise<Visit> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let latest: Buffer | undefined;
    const socket: TLSSocket = connect({
      host: hostname,
      port: Number(port),
      servername: 'localhost',
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ...shown,
      ...(session === undefined ? {} : { session }),
    });
    socket.on('session', (offered: Buffer) => {
      latest = offered;
    });
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      const [isReused, protocol] = [socket.isSessionReused(), socket.getProtocol()];
      latest ??= socket.getSession();
      const method = path === LOGIN ? 'POST' : 'GET';
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      void readToEnd(socket).then((text) => {
        resolve({ isReused, protocol, answer: parseRaw(text), session: latest });
      });
    });
  });
}

async function expectNeverResumed(
  url: string,
  options: Omit<VisitOptions, 'session'>,
  isRight: (answer: RawAnswer) => void,
): Promise<void> {
  let session: Buffer | undefined;
  for (let round = 0; round < 3; round += 1) {
    const seen = await visit(url, { ...options, session });
    expect(seen).to.include({ isReused: false, protocol: options.version });
    isRight(seen.answer);
    session = seen.session;
    expect(session, 'a client needs something to offer').to.be.instanceOf(Buffer);
  }
}

describe('TLS connections', () => {
  let controller: TestController;
  const world = openWorld(() => controller);
  before(async () => {
    controller = await startTestController();
  });
  after(async () => {
    world.close();
    await controller.stop();
  });

  for (const version of VERSIONS) {
    it(`of ${version} are not resumed by a client that offers a session`, () =>
      expectNeverResumed(controller.url, { version, path: `${CLIENT}/version` }, ({ status }) => {
        expect(status).to.equal(200);
      }));

    it(`of ${version} know the client's intermediates, whatever session it offers`, async () => {
      const root = makeCa();
      const middle = makeCa({ parent: root });
      const leaf = makeLeaf(middle);
      const { id } = await controller.newCaller();
      await world.register(id, leaf, await world.trust(root));
      await expectNeverResumed(
        controller.url,
        { version, path: LOGIN, shown: shownBy(leaf, middle) },
        ({ status, json }) => {
          expect(status).to.equal(200);
          expect((json as { data?: { identityId?: string } }).data?.identityId).to.equal(id);
        },
      );
    });
  }

  it('are not renegotiated', async () => {
    const socket = await dial(controller.url, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' });
    const outcome = await new Promise<string>((resolve) => {
      socket.once('error', (error: Error) => {
        resolve(error.message);
      });
      socket.once('close', () => {
        resolve('closed');
      });
      socket.renegotiate({ rejectUnauthorized: false }, (error) => {
        resolve(error === null ? 'renegotiated' : error.message);
      });
    });
    socket.destroy();
    expect(outcome).not.to.equal('renegotiated');
  });

  describe('after a renewal of the certificate', () => {
    let server: TlsServer;
    let url: string;
    const made = () => {
      const { pem, privateKeyPem } = makeLeaf(makeCa(), { names: { dns: ['localhost'] } });
      return [pem, privateKeyPem] as const;
    };
    before(async () => {
      const [chainPem, privateKeyPem] = made();
      server = createTlsServer({
        config: readConfig({ env: {} }),
        chainPem,
        privateKeyPem,
        common: {},
        log: createLogger({ level: 'silent', format: 'json' }),
        listener: (_request, response) => {
          response.end('here');
        },
      });
      url = `https://${await listenAt(server, '127.0.0.1:0', 'EDGE_LISTEN')}`;
    });
    after(() => {
      server.close();
    });

    for (const version of VERSIONS) {
      it(`are still not resumed with ${version}`, async () => {
        const { session } = await visit(url, { version, path: '/' });
        server.setSecureContext(secureContext(...made()));
        expect(await visit(url, { version, path: '/', session })).to.include({ isReused: false, protocol: version });
        await expectNeverResumed(url, { version, path: '/' }, ({ body }) => {
          expect(body).to.include('here');
        });
      });
    }
  });
});
