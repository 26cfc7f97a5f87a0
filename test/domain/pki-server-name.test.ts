/** Addresses that a controller advertises, and the names that its certificate gets for them. */
import { expect } from 'chai';
import { createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import { coversNames, formatHostPort, parseHost, parseHostPort, serverNames } from '../../domain/pki/server-name.js';

describe('host and port', () => {
  it('are read from a name, IPv4 and bracketed IPv6', () => {
    expect(parseHostPort('Ctrl.Example.ORG:1280')).to.deep.equal({ host: 'ctrl.example.org', port: 1280 });
    expect(parseHostPort('10.0.0.1:443')).to.deep.equal({ host: '10.0.0.1', port: 443 });
    expect(parseHostPort('[::FFFF:10.0.0.1]:443')).to.deep.equal({ host: '10.0.0.1', port: 443 });
    expect(parseHostPort('[2001:DB8:0:0::1]:0')).to.deep.equal({ host: '2001:db8::1', port: 0 });
  });

  it('are written with brackets around IPv6', () => {
    expect(formatHostPort(parseHostPort('[::1]:1280'))).to.equal('[::1]:1280');
    expect(formatHostPort(parseHostPort('a.b:1280'))).to.equal('a.b:1280');
  });

  for (const text of [
    '',
    'host',
    'host:',
    ':1280',
    'host:65536',
    'host:-1',
    'host:1280x',
    '::1:1280',
    '[::1]',
    '[1.2.3.4]:1',
    '[zz]:1',
    'https://host:1',
    'a b:1',
    'host:1:2',
  ]) {
    it(`are not read from ${JSON.stringify(text)}`, () => expect(() => parseHostPort(text)).to.throw());
  }

  for (const text of [
    '-a.b',
    'a-.b',
    'a..b',
    '*.example.org',
    'a/b',
    'fe80::1%eth0',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    'x.0x7f',
    `${'a'.repeat(64)}.b`,
    Array(64).fill('abcd').join('.'),
  ]) {
    it(`have no host ${JSON.stringify(text.slice(0, 40))}`, () => expect(() => parseHost(text)).to.throw());
  }

  it('have international names in punycode, and names without their last dot', () => {
    expect(parseHost('bücher.example')).to.equal('xn--bcher-kva.example');
    expect(parseHost('example.org.')).to.equal('example.org');
  });

  it('have one form of an IPv4 address, also when it is written as IPv6', () => {
    for (const text of [
      '10.9.8.7',
      '::ffff:10.9.8.7',
      '::FFFF:a09:807',
      '0:0:0:0:0:ffff:0a09:0807',
      '0::ffff:a09:0807',
    ])
      expect(parseHost(text), text).to.equal('10.9.8.7');
    expect(parseHost('::ffff:0:0')).to.equal('0.0.0.0');
    for (const other of ['::a09:807', '::ffff:0:a09:807', '64:ff9b::a09:807', 'fd00::ffff:a09:807'])
      expect(parseHost(other)).to.equal(other);
  });
});

describe('names of a server', () => {
  it('always hold this machine', () => {
    expect(serverNames({ advertise: 'ctrl.example.org:1280' })).to.deep.equal({
      dns: ['ctrl.example.org', 'localhost'],
      ip: ['127.0.0.1', '::1'],
    });
  });

  it('hold the address listened on, but never "every address"', () => {
    expect(serverNames({ advertise: 'localhost:1', listen: '[fd00::5]:1280' }).ip).to.deep.equal([
      '127.0.0.1',
      '::1',
      'fd00::5',
    ]);
    for (const listen of ['0.0.0.0:1280', '[::]:1280', '[::ffff:0.0.0.0]:1280', '[0:0:0:0:0:0:0:0]:1280']) {
      expect(serverNames({ advertise: 'localhost:1', listen }), listen).to.deep.equal({
        dns: ['localhost'],
        ip: ['127.0.0.1', '::1'],
      });
    }
  });

  it('hold each name once', () => {
    expect(
      serverNames({ advertise: '127.0.0.1:1', listen: '127.0.0.1:2', others: ['LOCALHOST', '10.1.1.1'] }),
    ).to.deep.equal({ dns: ['localhost'], ip: ['10.1.1.1', '127.0.0.1', '::1'] });
  });

  it('are compared with those of a certificate', async () => {
    const now = new Date();
    const [rootKeys, keys] = await Promise.all([newKeyPair(), newKeyPair()]);
    const root = await createRootCa({ commonName: 'root', keys: rootKeys, now });
    const issuer = openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem });
    const names = serverNames({ advertise: 'ctrl.example.org:1', listen: '[fd00::5]:1' });
    const { certPem } = await issueServerCertificate(issuer, {
      commonName: 'only.example.org',
      keys,
      uri: 'spiffe://td/controller/c',
      names,
      now,
    });
    expect(coversNames(certPem, names)).to.equal(true);
    expect(coversNames(certPem, { dns: ['example.org'] })).to.equal(false);
    expect(coversNames(certPem, { dns: ['only.example.org'] }), 'the subject is no name').to.equal(false);
    expect(coversNames(certPem, { ip: ['fd00::6'] })).to.equal(false);
    expect(coversNames(certPem, { ip: ['10.0.0.1'] })).to.equal(false);
    const mapped = await issueServerCertificate(issuer, {
      commonName: 'one',
      keys,
      uri: 'spiffe://td/controller/c',
      names: { dns: [], ip: ['::ffff:a00:1'] },
      now,
    });
    expect(
      coversNames(mapped.certPem, serverNames({ advertise: '[::ffff:10.0.0.1]:1' })),
      'the address in sixteen bytes',
    ).to.equal(false);
  });
});
