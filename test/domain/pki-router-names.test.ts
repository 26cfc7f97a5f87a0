/** Which names of a router’s request its certificate gets. */
import { isIP } from 'node:net';
import { expect } from 'chai';
import { createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import { controllerHosts, routerServerNames } from '../../domain/pki/router-names.js';
import { CONTROLLER, SPELLINGS } from '../cases/server-names.js';

const NOBODY = new Set<string>();

describe('names of a router', () => {
  it('are plain host names and addresses, each once, sorted', () => {
    const names = routerServerNames(
      {
        dns: ['B.example.com', 'a.example', 'b.example.com.', 'bücher.example', 'localhost'],
        ip: ['10.0.0.2', '::1', '0:0:0:0:0:0:0:1'],
      },
      NOBODY,
    );
    expect(names).to.deep.equal({
      dns: ['a.example', 'b.example.com', 'localhost', 'xn--bcher-kva.example'],
      ip: ['10.0.0.2', '::1'],
      leftOut: [],
      ofControllers: [],
    });
  });

  const refused = [
    '*',
    '*.example.com',
    'a.*.example',
    '',
    ' ',
    '.',
    '-a.example',
    'a b',
    'a/b',
    'a,DNS:b',
    'https://a.example',
    'a:1',
    'user@a.example',
    `${'a'.repeat(64)}.example`,
    'a\0b',
    '0.0.0.0',
    '::',
    'fe80::1%eth0',
    '1.2.3',
    '0x7f000001',
  ];
  for (const name of refused) {
    it(`are never ${JSON.stringify(name)}`, () => {
      const names = routerServerNames({ dns: [name, 'good.example'], ip: [name] }, NOBODY);
      expect(names).to.deep.include({ dns: ['good.example'], ip: [], ofControllers: [] });
      expect(names.leftOut).to.deep.equal([name.replace('\0', '?')]);
    });
  }

  it('are left out when an address stands as a name or a name as an address', () => {
    const { dns, ip, leftOut } = routerServerNames({ dns: ['10.0.0.1'], ip: ['host.example'] }, NOBODY);
    expect({ dns, ip, leftOut }).to.deep.equal({ dns: [], ip: [], leftOut: ['10.0.0.1', 'host.example'] });
  });

  it('are at most twenty', () => {
    const dns = Array.from({ length: 20 }, (_, index) => `r${index}.example`);
    expect(routerServerNames({ dns, ip: [] }, NOBODY).dns).to.have.length(20);
    expect(() => routerServerNames({ dns, ip: ['10.0.0.1'] }, NOBODY))
      .to.throw()
      .with.property('kind', 'csrInvalid');
  });

  it('are never a controller’s, however it is spelled', () => {
    const reserved = new Set(['ctrl.example', '10.0.0.1', 'fd00::1']);
    const names = routerServerNames(
      {
        dns: ['CTRL.example', 'ctrl.example.', 'r.ctrl.example', '10.0.0.1'],
        ip: ['10.0.0.1', 'fd00:0:0::1', '10.0.0.2'],
      },
      reserved,
    );
    expect(names).to.deep.equal({
      dns: ['r.ctrl.example'],
      ip: ['10.0.0.2'],
      leftOut: ['10.0.0.1', 'CTRL.example', 'ctrl.example.', 'fd00:0:0::1'],
      ofControllers: ['10.0.0.1', 'ctrl.example', 'fd00::1'],
    });
  });

  it('are loopback names in any case, also where a controller has them', () => {
    const loopback = { dns: ['localhost', 'LOCALHOST.'], ip: ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.2'] };
    expect(routerServerNames(loopback, new Set(['localhost', '127.0.0.1', '127.8.9.10', '::1']))).to.deep.equal({
      dns: ['localhost'],
      ip: ['127.0.0.1', '127.0.0.2', '127.8.9.10', '::1'],
      leftOut: [],
      ofControllers: [],
    });
  });

  const reserved = new Set<string>([...CONTROLLER.dns, ...CONTROLLER.ip]);
  for (const {
    what,
    request: { names = {} },
  } of SPELLINGS) {
    it(`are never a controller’s as ${what}`, () => {
      const { dns, ip } = routerServerNames({ dns: names.dns ?? [], ip: names.ip ?? [] }, reserved);
      expect([...dns, ...ip].filter((host) => reserved.has(host))).to.deep.equal([]);
      for (const address of ip) expect(isIP(address)).to.equal(4);
      for (const name of dns) expect(name).to.match(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/);
    });
  }

  it('are IPv4 addresses when they are IPv4 addresses written as IPv6', () => {
    expect(
      routerServerNames({ dns: [], ip: ['::ffff:a00:1', '::FFFF:10.0.0.2', '10.0.0.2', '::ffff:7f00:1'] }, NOBODY).ip,
    ).to.deep.equal(['10.0.0.1', '10.0.0.2', '127.0.0.1']);
  });

  it('are no IPv6 addresses that hold an IPv4 address, and are those next to them', () => {
    const next = [
      '::1',
      '::1:0:0:1',
      '2001:1::1',
      '2001:db8::1',
      '2003::1',
      '64:ff9a::a00:1',
      '64:ff9b:2::1',
      'fe80::5eff:a00:1',
      'fd00::ffff:a00:1',
    ];
    const holding = [
      '::a00:1',
      '::2',
      '::ffff:0:a00:1',
      '64:ff9b::a00:1',
      '64:ff9b:1:ffff::1',
      '2002:a00:1::1',
      '2001::1',
      'fe80::5efe:a00:1',
      '2001:db8::200:5efe:a00:1',
    ];
    expect(routerServerNames({ dns: [], ip: [...next, ...holding] }, NOBODY).ip).to.have.members(next);
  });

  describe('that controllers keep to themselves', () => {
    const certificateFor = async (dns: string[], ip: string[]): Promise<string> => {
      const [rootKeys, keys] = [await newKeyPair(), await newKeyPair()];
      const root = await createRootCa({ now: new Date(), commonName: 'root', keys: rootKeys });
      const issuer = openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem });
      return (
        await issueServerCertificate(issuer, {
          now: new Date(),
          commonName: 'one',
          keys,
          uri: 'spiffe://domain/controller/one',
          names: { dns, ip },
        })
      ).certPem;
    };

    it('are what they advertise and what their certificates carry', async () => {
      const certPem = await certificateFor(
        ['one.example', 'other.example', 'localhost'],
        ['10.0.0.1', '127.0.0.1', '::1', 'fd00::1'],
      );
      expect([...controllerHosts(['ONE.example:443', '[fd00::2]:1280'], [certPem])].sort()).to.deep.equal([
        '10.0.0.1',
        'fd00::1',
        'fd00::2',
        'one.example',
        'other.example',
      ]);
    });

    it('include no loopback name, not even one that is advertised', async () => {
      const certPem = await certificateFor(['localhost'], ['127.0.0.1', '::1']);
      for (const advertised of ['localhost:1280', '127.0.0.1:1280', '[::1]:1280', '[::ffff:127.0.0.1]:1280'])
        expect([...controllerHosts([advertised], [certPem])]).to.deep.equal([]);
    });

    it('are IPv4 addresses, also in certificates that have them as IPv6', async () => {
      const certPem = await certificateFor(['one.example'], ['::ffff:a00:1', '::ffff:7f00:1']);
      expect([...controllerHosts([], [certPem])].sort()).to.deep.equal(['10.0.0.1', 'one.example']);
    });
  });
});
