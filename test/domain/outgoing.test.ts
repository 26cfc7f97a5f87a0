/** Requests that the controller makes: where they may go, how long they take, how much they read. Real servers. */
import { createServer as createPlainServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Outgoing, OutgoingFault } from '../../server/sockets/outgoing.js';
import { makeCa, makeLeaf } from '../support/certificates.js';

describe('outgoing requests', () => {
  const ca = makeCa();
  const leaf = makeLeaf(ca, { names: { dns: ['localhost'] }, extendedKeyUsage: ['serverAuth'] });
  const running: Server[] = [];
  const listening = async (server: Server, host = '127.0.0.1'): Promise<number> => {
    running.push(server);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return (server.address() as AddressInfo).port;
  };
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer({ cert: leaf.pem, key: leaf.privateKeyPem }, listener);
    return `https://localhost:${await listening(server)}`;
  };
  const servePlain = async (listener: RequestListener): Promise<string> =>
    `http://127.0.0.1:${await listening(createPlainServer(listener))}`;
  after(() => {
    for (const server of running) {
      server.close();
      server.closeAllConnections();
    }
  });

  const loopback = new Outgoing({ allow: ['127.0.0.0/8'], ca: ca.pem });
  const strict = new Outgoing({ allow: [], ca: ca.pem });
  const fault = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(OutgoingFault);
    const { message, cause } = error as OutgoingFault;
    return cause instanceof OutgoingFault ? cause.message : message;
  };
  const UNREACHABLE = 'the address may not be reached';

  it('bring the body of an answer', async () => {
    const url = await serve((_, response) => response.end('{"keys":[]}'));
    expect((await loopback.get(url)).toString()).to.equal('{"keys":[]}');
  });

  it('go to no name that leads to an address within, unless the setting names it', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    expect(await fault(strict.get(url))).to.equal(UNREACHABLE);
    expect(asked).to.equal(0);
  });

  for (const host of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a00:1]',
    '[64:ff9b::a00:1]',
    '[2002:a00:1::]',
  ]) {
    it(`do not go to ${host}`, async () => {
      expect(await fault(strict.get(`https://${host}:1/`))).to.equal(UNREACHABLE);
    });
  }

  it('never go to the metadata service of a cloud, whatever the setting names', async () => {
    const open = new Outgoing({ allow: ['0.0.0.0/0', '::/0'] });
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '100.100.100.200'])
      expect(await fault(open.get(`https://${host}/`)), host).to.equal(UNREACHABLE);
  });

  it('use TLS but to a loopback address that the setting names', async () => {
    const url = await servePlain((_, response) => response.end('plain'));
    expect((await loopback.get(url)).toString()).to.equal('plain');
    expect(await fault(strict.get(url))).to.equal(UNREACHABLE);
    const open = new Outgoing({ allow: ['10.0.0.0/8'] });
    expect(await fault(open.get('http://10.0.0.1/'))).to.equal(UNREACHABLE);
    for (const other of ['file:///etc/passwd', 'ftp://localhost/'])
      expect(await fault(loopback.get(other))).to.equal('the URL may not be followed');
  });

  it('believe no server whose certificate nobody vouches for', async () => {
    const url = await serve((_, response) => response.end());
    expect(await fault(new Outgoing({ allow: ['127.0.0.0/8'] }).get(url))).to.equal('the request failed');
  });

  it('follow three redirects and no more', async () => {
    const url = await serve(({ url: path = '' }, response) => {
      const left = Number(path.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end('there');
    });
    expect((await loopback.get(`${url}/3`)).toString()).to.equal('there');
    expect(await fault(loopback.get(`${url}/4`))).to.equal('too many redirects');
  });

  it('follow no redirect to what the first request could not have reached', async () => {
    for (const [location, reason] of [
      ['https://10.0.0.1/', UNREACHABLE],
      ['https://169.254.169.254/latest/meta-data/', UNREACHABLE],
      ['http://127.0.0.1:1/', 'the URL may not be followed'],
      ['file:///etc/passwd', 'the URL may not be followed'],
    ] as const) {
      const url = await serve((_, response) => response.writeHead(302, { location }).end());
      expect(await fault(loopback.get(url)), location).to.equal(reason);
    }
  });

  it('read at most 256 KiB', async () => {
    const most = Buffer.alloc(262_144, 'x');
    const fits = await serve((_, response) => response.end(most));
    expect(await loopback.get(fits)).to.have.length(most.length);
    const tooLong = await serve((_, response) => response.end(Buffer.concat([most, Buffer.from('x')])));
    expect(await fault(loopback.get(tooLong))).to.equal('the answer is too long');
  });

  it('take no answer but 200', async () => {
    const url = await serve((_, response) => response.writeHead(500).end());
    expect(await fault(loopback.get(url))).to.equal('the answer has status 500');
  });

  it('give up on a server that does not answer, or answers bit by bit', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const faults = await Promise.all([fault(loopback.get(silent)), fault(loopback.get(slow))]);
    expect(faults).to.deep.equal(['it took too long', 'it took too long']);
  });
});
