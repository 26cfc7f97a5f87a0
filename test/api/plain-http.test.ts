/** Plain HTTP to the port of HTTPS: one answer that says so, and nothing more. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { dial, parseRaw, PROXY_SIGNATURE, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** Of a balancer that speaks for itself. */
const LOCAL = Buffer.concat([PROXY_SIGNATURE, Buffer.from([0x20, 0, 0, 0])]);

describe('plain HTTP to the port of HTTPS', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {
      EDGE_PROXY_PROTOCOL_FROM: '127.0.0.2',
      EDGE_LIMIT_CONNECTIONS_PER_ADDRESS: '4',
    });
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  /** Sends bytes without TLS, and reads until the end. */
  const plain = async (bytes: string | Buffer, localAddress = '127.0.0.1'): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(controller.url).port), localAddress });
    socket.on('error', () => undefined);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
    return Buffer.concat(chunks).toString('latin1');
  };
  const request = (method: string, path = '/version') => `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

  for (const method of ['GET', 'POST', 'PUT', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT']) {
    it(`gets 400 and one line that says to use https: ${method}`, async () => {
      const answer = parseRaw(await plain(request(method)));
      expect(answer.status).to.equal(400);
      expect(answer.head)
        .to.match(/^connection: close$/m)
        .and.match(/^content-type: text\/plain/m);
      expect(answer.body).to.match(/^[^\n]*use https:\/\/[^\n]*\n$/);
      expect(answer.head).to.match(new RegExp(`^content-length: ${answer.body.length}$`, 'm'));
    });
  }

  it('gets no more for more: one answer to many requests, and to a long one', async () => {
    for (const bytes of [request('GET').repeat(50), request('GET', `/${'x'.repeat(60_000)}`)])
      expect((await plain(bytes)).match(/HTTP\/1\.1/g)).to.have.lengthOf(1);
  });

  it('is not taken for what is not: an alert, or nothing, for TLS that fails', async () => {
    for (const bytes of [
      Buffer.from('160301ffff', 'hex'), // a record too long
      Buffer.from('1603010005010000010000', 'hex'), // a hello that is none
    ])
      expect(await plain(bytes)).not.to.contain('HTTP');
    const old = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(controller.url).port),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
      rejectUnauthorized: false,
    });
    const [error] = (await once(old, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.match(/PROTOCOL/);
  });

  it('says so behind a balancer too', async () => {
    const answer = parseRaw(await plain(Buffer.concat([LOCAL, Buffer.from(request('GET'))]), '127.0.0.2'));
    expect(answer.status).to.equal(400);
    expect(answer.body).to.contain('https://');
  });

  it('gives its place back, though it never reads nor goes', async () => {
    const localAddress = '127.0.0.3';
    const port = Number(new URL(controller.url).port);
    const sockets = Array.from({ length: 4 }, () =>
      connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true }),
    );
    for (const socket of sockets) {
      socket.on('error', () => undefined).pause();
      socket.write(request('GET'));
    }
    // There are four places.
    const next = await until('there is room for one more', () =>
      dial(controller.url, { localAddress } as ConnectionOptions).catch(() => undefined),
    );
    for (const socket of [...sockets, next]) socket.destroy();
  });

  it('harms no connection beside it, and is no line of a failure in the log', async () => {
    const client = controller.client();
    expectStatus(await client.get('/version'), 200);
    const socket = await dial(controller.url);
    await Promise.all([plain(request('GET')), plain(request('DELETE'))]);
    expectStatus(await client.get('/version'), 200);
    socket.write(request('GET'));
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).to.match(/^HTTP\/1\.1 200/);
    socket.destroy();
    expect(controller.log.filter(({ level }) => Number(level) >= 40)).to.deep.equal([]);
  });

  it('in the middle of TLS is garbage like any other', async () => {
    const { port } = new URL(controller.url);
    const below = connect({ host: '127.0.0.1', port: Number(port) });
    below.on('error', () => undefined);
    const socket = await dial(controller.url, { socket: below });
    let isOver = false;
    socket.once('close', () => {
      isOver = true;
    });
    const seen: Buffer[] = [];
    below.on('data', (chunk: Buffer) => seen.push(chunk));
    below.write(request('GET'));
    await until('it is cut', () => isOver);
    expect(Buffer.concat(seen).toString('latin1')).not.to.contain('use https');
  });
});
