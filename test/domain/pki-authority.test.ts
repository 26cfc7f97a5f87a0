/** The certificates that a network issues, read by Node and OpenSSL; and SPIFFE ids. */
import { execFileSync } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  createIntermediateCa,
  createRootCa,
  isDueForRenewal,
  isSignedBy,
  issueClientCertificate,
  issueServerCertificate,
  openIssuer,
  type IssuedCertificate,
  type Issuer,
} from '../../domain/pki/authority.js';
import { newKeyPair, type KeyPair } from '../../domain/pki/keys.js';
import { certsOnlyPkcs7 } from '../../domain/pki/pkcs7.js';
import {
  apiSessionCertificateUri,
  controllerUri,
  identityUri,
  newTrustDomain,
  parseTrustDomain,
} from '../../domain/pki/spiffe.js';

const now = new Date('2030-06-01T12:00:00.500Z');
const names = { dns: ['ctrl.example.org', 'localhost'], ip: ['127.0.0.1', 'fd00::5'] };
const der = (pem: string): Buffer => createPublicKey(pem).export({ type: 'spki', format: 'der' });

describe('certificates', () => {
  let directory: string;
  let keys: { root: KeyPair; intermediate: KeyPair; server: KeyPair; rsa: KeyPair };
  let rootIssuer: Issuer;
  let issuer: Issuer;
  let root: IssuedCertificate;
  let intermediate: IssuedCertificate;
  let server: IssuedCertificate;
  let client: IssuedCertificate;

  /** Fails clearly where there is no openssl: these checks need an implementation that is not ours. */
  function openssl(...args: string[]): string {
    return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
  function file(name: string, text: string): string {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  }
  /** Extensions as openssl prints them, by name. */
  function describeCertificate(certPem: string): string {
    return openssl(
      'x509',
      '-in',
      file('some.pem', certPem),
      '-noout',
      '-text',
      '-certopt',
      'no_pubkey,no_sigdump',
    ).replace(/ +/g, ' ');
  }
  function verify(certPem: string, purpose: string, extra: string[] = []): string {
    return openssl(
      'verify',
      '-x509_strict',
      '-attime',
      String(Math.floor(now.getTime() / 1000)),
      '-CAfile',
      file('root.pem', root.certPem),
      '-untrusted',
      file('intermediate.pem', intermediate.certPem),
      '-purpose',
      purpose,
      ...extra,
      file('leaf.pem', certPem),
    );
  }

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pki-'));
    const [one, two, three, rsa] = await Promise.all([
      newKeyPair(),
      newKeyPair(),
      newKeyPair(),
      newKeyPair('rsa-2048'),
    ]);
    keys = { root: one, intermediate: two, server: three, rsa };
    root = await createRootCa({ commonName: 'Root CA', keys: keys.root, now });
    rootIssuer = openIssuer({ certPem: root.certPem, privateKeyPem: keys.root.privateKeyPem });
    intermediate = await createIntermediateCa(rootIssuer, { commonName: 'Signing CA', keys: keys.intermediate, now });
    issuer = openIssuer({ certPem: intermediate.certPem, privateKeyPem: keys.intermediate.privateKeyPem });
    server = await issueServerCertificate(issuer, {
      commonName: 'ctrl',
      keys: keys.server,
      uri: controllerUri('td.example', 'c1'),
      names,
      now,
    });
    client = await issueClientCertificate(issuer, {
      commonName: 'id1',
      request: { publicKey: der(keys.rsa.publicKeyPem) },
      uri: identityUri('td.example', 'id1'),
      now,
    });
  });
  after(() => rmSync(directory, { recursive: true }));

  it('make chains that openssl accepts, strictly, for their purposes and names', () => {
    expect(verify(server.certPem, 'sslserver', ['-verify_hostname', 'ctrl.example.org'])).to.match(/: OK\n$/);
    expect(verify(server.certPem, 'sslserver', ['-verify_ip', 'fd00::5'])).to.match(/: OK\n$/);
    expect(verify(server.certPem, 'sslclient')).to.match(/: OK\n$/);
    expect(verify(client.certPem, 'sslclient')).to.match(/: OK\n$/);
  });

  it('of clients do not serve', () =>
    expect(() => verify(client.certPem, 'sslserver')).to.throw(/unsuitable certificate purpose/));

  it('do not carry names that were not asked for', () => {
    expect(() => verify(server.certPem, 'sslserver', ['-verify_hostname', 'other.example.org'])).to.throw(
      /hostname mismatch/i,
    );
    expect(() => verify(server.certPem, 'sslserver', ['-verify_ip', '10.0.0.1'])).to.throw(/ip address mismatch/i);
  });

  it('of end entities sign nothing', () => {
    const { privateKeyPem } = keys.server;
    expect(() => openIssuer({ certPem: server.certPem, privateKeyPem })).to.throw('the issuer certificate is not a CA');
  });

  it('are not signed with a key that is not the issuer’s', () => {
    const { privateKeyPem } = keys.server;
    expect(() => openIssuer({ certPem: root.certPem, privateKeyPem })).to.throw('does not belong');
  });

  it('of a CA below the intermediate are refused by openssl: its path length is 0', async () => {
    const below = await createIntermediateCa(issuer, { commonName: 'Too deep', keys: keys.server, now });
    const belowIssuer = openIssuer({ certPem: below.certPem, privateKeyPem: keys.server.privateKeyPem });
    const leaf = await issueServerCertificate(belowIssuer, {
      commonName: 'x',
      keys: keys.rsa,
      uri: controllerUri('td', 'x'),
      names,
      now,
    });
    expect(() =>
      openssl(
        'verify',
        '-attime',
        String(Math.floor(now.getTime() / 1000)),
        '-CAfile',
        file('root.pem', root.certPem),
        '-untrusted',
        file('chain.pem', intermediate.certPem + below.certPem),
        file('leaf.pem', leaf.certPem),
      ),
    ).to.throw(/path length/);
  });

  it('of the root: CA, signs certificates and revocation lists, names its key, 20 years', () => {
    const text = describeCertificate(root.certPem);
    expect(text).to.match(/Basic Constraints: critical\n CA:TRUE\n/);
    expect(text).to.match(/Key Usage: critical\n Certificate Sign, CRL Sign\n/);
    expect(text).to.include('Subject Key Identifier');
    expect(text).not.to.include('Extended Key Usage');
    expect(root.notAfter.getUTCFullYear()).to.equal(2050);
  });

  it('end after 2049 where they should (RFC 5280 section 4.1.2.5)', async () => {
    const long = await createRootCa({ commonName: 'r', keys: keys.root, now, lifetimeSeconds: 40 * 365 * 86_400 });
    expect(openssl('x509', '-in', file('long.pem', long.certPem), '-noout', '-enddate')).to.include('2070 GMT');
  });

  it('of the intermediate: path length 0, identifiers of both keys', () => {
    const text = describeCertificate(intermediate.certPem);
    expect(text).to.match(/CA:TRUE, pathlen:0\n/);
    const identifier = (pem: string, kind: string) =>
      new RegExp(`${kind} Key Identifier: \\n ([0-9A-F:]+)`).exec(describeCertificate(pem))?.[1];
    expect(identifier(intermediate.certPem, 'Authority')).to.equal(identifier(root.certPem, 'Subject'));
    expect(identifier(server.certPem, 'Authority')).to.equal(identifier(intermediate.certPem, 'Subject'));
  });

  it('of a server: names, SPIFFE id, both purposes; key encipherment only for RSA', async () => {
    const text = describeCertificate(server.certPem);
    expect(text).to.match(/CA:FALSE/);
    expect(text).to.match(/Key Usage: critical\n Digital Signature\n/);
    expect(text).to.match(/TLS Web Server Authentication, TLS Web Client Authentication/);
    expect(text).to.include(
      'DNS:ctrl.example.org, DNS:localhost, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:5, ' +
        'URI:spiffe://td.example/controller/c1',
    );
    const rsa = await issueServerCertificate(issuer, {
      commonName: 'ctrl',
      keys: keys.rsa,
      uri: controllerUri('td', 'c'),
      names,
      now,
    });
    expect(describeCertificate(rsa.certPem)).to.match(/Digital Signature, Key Encipherment\n/);
  });

  it('of a client: the identity as subject and SPIFFE id, client purpose only', () => {
    const text = describeCertificate(client.certPem);
    expect(text).to.include('Subject: CN = id1\n');
    expect(text).to.match(/Key Usage: critical\n Digital Signature, Key Encipherment, Data Encipherment\n/);
    expect(text).to.match(/Extended Key Usage: \n TLS Web Client Authentication\n/);
    expect(text).to.match(/Subject Alternative Name: \n URI:spiffe:\/\/td\.example\/identity\/id1\n/);
  });

  for (const commonName of [
    '',
    ' x',
    'x ',
    'a, CN=admin',
    'a+CN=b',
    '"quoted"',
    '#3003',
    'a\0b',
    'a=b',
    'a\\b',
    'x'.repeat(65),
  ]) {
    it(`are not issued to ${JSON.stringify(commonName.slice(0, 12))}`, async () => {
      const input = {
        commonName,
        request: { publicKey: der(keys.rsa.publicKeyPem) },
        uri: identityUri('td', 'x'),
        now,
      };
      const outcome = await issueClientCertificate(issuer, input).then(
        () => 'issued',
        (error: Error) => error.message,
      );
      expect(outcome).to.include('cannot be the common name');
    });
  }

  it('carry the subject that was given, letter by letter', async () => {
    for (const commonName of ['x', '.id-1_a'.slice(1), 'ünïcödé Root CA', 'a:b@c.d']) {
      const { certPem } = await issueClientCertificate(issuer, {
        commonName,
        request: { publicKey: der(keys.rsa.publicKeyPem) },
        uri: identityUri('td', 'x'),
        now,
      });
      expect(new X509Certificate(certPem).subject).to.equal(`CN=${commonName}`);
    }
  });

  it('start one minute early and last a year', () => {
    expect(client.notBefore).to.deep.equal(new Date('2030-06-01T11:59:00Z'));
    expect(client.notAfter).to.deep.equal(new Date('2031-06-01T12:00:00Z'));
  });

  it('never outlive their issuer', async () => {
    const late = new Date(intermediate.notAfter.getTime() - 3_600_000);
    const last = await issueClientCertificate(issuer, {
      commonName: 'x',
      request: { publicKey: der(keys.rsa.publicKeyPem) },
      uri: identityUri('td', 'x'),
      now: late,
    });
    expect(last.notAfter).to.deep.equal(intermediate.notAfter);
  });

  it('are not issued once the issuer has ended', async () => {
    const tooLate = new Date(intermediate.notAfter.getTime() + 120_000);
    let error: unknown;
    await issueClientCertificate(issuer, {
      commonName: 'x',
      request: { publicKey: der(keys.rsa.publicKeyPem) },
      uri: identityUri('td', 'x'),
      now: tooLate,
    }).catch((cause: unknown) => {
      error = cause;
    });
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('ended at');
  });

  it('have positive serial numbers of 16 bytes that differ', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => createRootCa({ commonName: 'r', keys: keys.root, now })),
    );
    const serials = made.map(({ certPem }) => new X509Certificate(certPem).serialNumber);
    expect(new Set(serials).size).to.equal(20);
    for (const serial of serials) expect(serial).to.match(/^[4-7][0-9A-F]{31}$/);
  });

  it('tell who signed them', () => {
    expect(isSignedBy(server.certPem, intermediate.certPem)).to.equal(true);
    expect(isSignedBy(intermediate.certPem, root.certPem)).to.equal(true);
    expect(isSignedBy(server.certPem, root.certPem)).to.equal(false);
    expect(isSignedBy(server.certPem, client.certPem)).to.equal(false);
  });

  it('of another CA with the same name are not taken for this one’s', async () => {
    const otherKeys = await newKeyPair();
    const impostor = await createRootCa({ commonName: 'Root CA', keys: otherKeys, now });
    expect(isSignedBy(intermediate.certPem, impostor.certPem)).to.equal(false);
  });

  it('are due for renewal once two thirds of their life have passed', () => {
    const at = (fraction: number) =>
      new Date(server.notBefore.getTime() + fraction * (server.notAfter.getTime() - server.notBefore.getTime()));
    expect(isDueForRenewal(server.certPem, at(0.66))).to.equal(false);
    expect(isDueForRenewal(server.certPem, at(0.67))).to.equal(true);
    expect(isDueForRenewal(server.certPem, at(2))).to.equal(true);
    expect(isDueForRenewal(server.certPem, at(-1))).to.equal(false);
    expect(isDueForRenewal(server.certPem, at(0.5), 0.4)).to.equal(true);
    expect(() => isDueForRenewal('nonsense', now)).to.throw();
  });

  describe('in PKCS#7', () => {
    it('are read by openssl, each once', () => {
      const text = certsOnlyPkcs7([root.certPem, intermediate.certPem + root.certPem]);
      for (const line of text.trimEnd().split('\n')) expect(line.length).to.be.at.most(64);
      const path = file('cacerts.der', '');
      writeFileSync(path, Buffer.from(text, 'base64'));
      const printed = openssl('pkcs7', '-inform', 'DER', '-in', path, '-print_certs');
      expect(printed.match(/-----BEGIN CERTIFICATE-----/g)).to.have.length(2);
      expect(printed).to.include('subject=CN = Root CA').and.to.include('subject=CN = Signing CA');
    });

    it('can be none at all', () => {
      const path = join(directory, 'none.der');
      writeFileSync(path, Buffer.from(certsOnlyPkcs7([]), 'base64'));
      expect(openssl('pkcs7', '-inform', 'DER', '-in', path, '-print_certs').trim()).to.equal('');
    });

    it('are never keys or other bytes', () => {
      expect(() => certsOnlyPkcs7([keys.root.privateKeyPem])).to.throw(/expected only CERTIFICATE/);
      expect(() => certsOnlyPkcs7(['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])).to.throw();
      expect(() => certsOnlyPkcs7([''])).to.throw(/no PEM block/);
    });
  });
});

describe('SPIFFE ids', () => {
  it('name controllers, identities and API session certificates', () => {
    expect(controllerUri('td', 'c1')).to.equal('spiffe://td/controller/c1');
    expect(identityUri('td', 'id1')).to.equal('spiffe://td/identity/id1');
    expect(apiSessionCertificateUri('td', { identityId: 'i', apiSessionId: 's', certificateId: 'c' })).to.equal(
      'spiffe://td/identity/i/apiSession/s/apiSessionCertificate/c',
    );
  });

  for (const id of ['', '.', '..', 'a/b', 'a b', 'ä', 'a?b', 'a%2fb']) {
    it(`are not made of ${JSON.stringify(id)}`, () => expect(() => identityUri('td', id)).to.throw());
  }
  for (const domain of ['', 'Upper', 'a/b', 'a:b', 'ä', 'a'.repeat(256)]) {
    it(`have no trust domain ${JSON.stringify(domain.slice(0, 10))}`, () =>
      expect(() => identityUri(domain, 'x')).to.throw(/trust domain/));
  }

  it('have a fresh trust domain for each network', () => {
    expect(parseTrustDomain(newTrustDomain())).to.match(/^[0-9a-f]{40}$/);
    expect(newTrustDomain()).not.to.equal(newTrustDomain());
  });
});
