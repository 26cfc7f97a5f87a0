/** What the network writes into certificates, byte for byte as a library of others writes it. */
import 'reflect-metadata';
import { createPublicKey, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import { signCertificate, signingKey } from '../../domain/pki/certificate-writer.js';
import type { CertificateContent } from '../../domain/pki/certificate-writer.js';
import { readCertificate } from '../../domain/pki/certificate.js';
import { oid, positiveInteger, timeOfCertificate } from '../../domain/pki/der-writer.js';
import { newKeyPair, readPrivateKey } from '../../domain/pki/keys.js';
import type { KeyKind } from '../../domain/pki/keys.js';

const ALGORITHMS = {
  'ec-p256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  'rsa-2048': { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const;

/** The same certificate by the library. */
async function byLibrary(
  content: CertificateContent,
  key: webcrypto.CryptoKey,
  algorithm: (typeof ALGORITHMS)[KeyKind & keyof typeof ALGORITHMS],
) {
  const publicKey = new x509.PublicKey(content.publicKey);
  const subject = new x509.Name([{ CN: [content.commonName] }]);
  const { dns = [], ip = [], uri = [] } = content.names;
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...ip.map((value) => ({ type: 'ip' as const, value })),
    ...uri.map((value) => ({ type: 'url' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: content.serialNumber.toString('hex'),
    subject,
    issuer: subject,
    notBefore: content.notBefore,
    notAfter: content.notAfter,
    publicKey,
    signingKey: key,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(content.authority !== undefined, content.authority?.pathLength, true),
      new x509.KeyUsagesExtension(
        content.keyUsages.reduce((flags, usage) => flags | x509.KeyUsageFlags[usage], 0),
        true,
      ),
      ...(content.extendedKeyUsages.length > 0
        ? [new x509.ExtendedKeyUsageExtension(content.extendedKeyUsages.map((usage) => x509.ExtendedKeyUsage[usage]))]
        : []),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(publicKey),
    ],
  });
  return Buffer.from(certificate.rawData);
}

const LEAF = {
  commonName: 'Abc.-9',
  serialNumber: Buffer.from('41'.repeat(16), 'hex'),
  notBefore: new Date('2026-01-02T03:04:05Z'),
  notAfter: new Date('2027-01-02T03:04:05Z'),
  authority: undefined,
  keyUsages: ['digitalSignature', 'keyEncipherment', 'dataEncipherment'],
  extendedKeyUsages: ['clientAuth'],
  names: { uri: ['spiffe://td/identity/abc'] },
} as const;
const CASES: readonly (readonly [string, Omit<CertificateContent, 'publicKey'>])[] = [
  ['of a client', LEAF],
  [
    'with host names and addresses of both families',
    {
      ...LEAF,
      extendedKeyUsages: ['serverAuth', 'clientAuth'],
      keyUsages: ['digitalSignature'],
      names: {
        dns: ['a.example.org', '*.example.org'],
        ip: ['127.0.0.1', '::1', '::', 'fd00::5', '2001:db8:0:1:0:0:0:7', '1:2:3:4:5:6:7:8'],
        uri: ['spiffe://td/router/r'],
      },
    },
  ],
  [
    'of a root, ending after 2049',
    {
      ...LEAF,
      commonName: 'Netz Zürich',
      notAfter: new Date('2050-01-01T00:00:00Z'),
      authority: {},
      keyUsages: ['keyCertSign', 'cRLSign'],
      extendedKeyUsages: [],
      names: {},
    },
  ],
  ['of an intermediate', { ...LEAF, authority: { pathLength: 0 }, keyUsages: ['keyCertSign'], extendedKeyUsages: [] }],
  ['with a serial number that begins with a high bit', { ...LEAF, serialNumber: Buffer.from('ff00', 'hex') }],
];

describe('certificates as they are written', () => {
  for (const kind of ['ec-p256', 'rsa-2048'] satisfies KeyKind[])
    for (const [title, what] of CASES)
      it(`${title}, with a key ${kind}`, async () => {
        const { privateKeyPem, publicKeyPem } = await newKeyPair(kind);
        const key = readPrivateKey(privateKeyPem);
        const content = { ...what, publicKey: createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' }) };
        const der = await signCertificate(content, signingKey(key));
        const algorithm = ALGORITHMS[kind];
        const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
        const theirs = await byLibrary(
          content,
          await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
          algorithm,
        );
        const [own, other] = [readCertificate(der), readCertificate(theirs)];
        expect(own.signed.toString('hex')).to.equal(other.signed.toString('hex'));
        expect(own.signatureAlgorithm.toString('hex')).to.equal(other.signatureAlgorithm.toString('hex'));
        expect(new X509Certificate(der).verify(createPublicKey(publicKeyPem))).to.equal(true);
      });

  it('name the issuer as its own certificate does, and the key by its identifier', async () => {
    const [above, below] = [await newKeyPair(), await newKeyPair('rsa-2048')];
    const spki = (pem: string) => createPublicKey(pem).export({ type: 'spki', format: 'der' });
    const key = readPrivateKey(above.privateKeyPem);
    const root = await signCertificate(
      { ...LEAF, authority: {}, keyUsages: ['keyCertSign'], publicKey: spki(above.publicKeyPem) },
      signingKey(key),
    );
    const leaf = await signCertificate({ ...LEAF, publicKey: spki(below.publicKeyPem) }, signingKey(key, root));
    expect(new X509Certificate(leaf).checkIssued(new X509Certificate(root))).to.equal(true);
    expect(readCertificate(leaf).issuer.equals(readCertificate(root).subject)).to.equal(true);
  });

  it('have addresses of IPv4 in the form of IPv6', async () => {
    const { privateKeyPem, publicKeyPem } = await newKeyPair();
    const publicKey = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' });
    const names = { ip: ['::ffff:10.0.0.1'] };
    const der = await signCertificate({ ...LEAF, names, publicKey }, signingKey(readPrivateKey(privateKeyPem)));
    expect(new X509Certificate(der).checkIP('::ffff:10.0.0.1')).to.be.a('string');
  });

  it('refuse names that are not ASCII, and what is no address', async () => {
    const { privateKeyPem, publicKeyPem } = await newKeyPair();
    const publicKey = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' });
    const attempt = async (names: CertificateContent['names']): Promise<string> => {
      try {
        await signCertificate({ ...LEAF, names, publicKey }, signingKey(readPrivateKey(privateKeyPem)));
      } catch (error) {
        return (error as Error).message;
      }
      return 'signed';
    };
    expect(await attempt({ dns: ['zürich.example'] })).to.include('not ASCII');
    expect(await attempt({ ip: ['example.org'] })).not.to.equal('signed');
    expect(await attempt({ ip: ['1.2.3'] })).not.to.equal('signed');
  });
});

describe('elements of DER as they are written', () => {
  it('numbers in their shortest form, never negative', () => {
    expect(positiveInteger(Buffer.of(0)).toString('hex')).to.equal('020100');
    expect(positiveInteger(Buffer.of(0, 0, 0x7f)).toString('hex')).to.equal('02017f');
    expect(positiveInteger(Buffer.of(0x80)).toString('hex')).to.equal('02020080');
  });

  it('object identifiers with large numbers', () => {
    expect(oid('1.2.840.113549.1.1.11').toString('hex')).to.equal('06092a864886f70d01010b');
  });

  it('times with four digits of the year before 1950 and from 2050 on', () => {
    expect(timeOfCertificate(new Date('2049-12-31T23:59:59.900Z')).toString('latin1').slice(2)).to.equal(
      '491231235959Z',
    );
    expect(timeOfCertificate(new Date('2050-01-01T00:00:00Z')).toString('latin1').slice(2)).to.equal('20500101000000Z');
    expect(timeOfCertificate(new Date('1949-01-01T00:00:00Z')).toString('latin1').slice(2)).to.equal('19490101000000Z');
  });
});
