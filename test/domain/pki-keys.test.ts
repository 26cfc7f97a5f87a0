/** Key pairs, fingerprints and PEM. */
import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { createRootCa } from '../../domain/pki/authority.js';
import { certFingerprint, newKeyPair, parseKeyKind, readPrivateKey } from '../../domain/pki/keys.js';
import { base64Lines, certificatesOf, pemBlocks, toPem } from '../../domain/pki/pem.js';

describe('key pairs', () => {
  for (const [kind, type, detail] of [
    ['ec-p256', 'ec', 'prime256v1'],
    ['rsa-2048', 'rsa', 2048],
    ['rsa-3072', 'rsa', 3072],
  ] as const) {
    it(`of kind ${kind} are PKCS#8 and SPKI and belong together`, async () => {
      const { privateKeyPem, publicKeyPem } = await newKeyPair(kind);
      expect(privateKeyPem).to.match(/^-----BEGIN PRIVATE KEY-----\n/);
      expect(publicKeyPem).to.match(/^-----BEGIN PUBLIC KEY-----\n/);
      const key = createPrivateKey(privateKeyPem);
      expect(key.asymmetricKeyType).to.equal(type);
      expect(key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyDetails?.modulusLength).to.equal(detail);
      const data = Buffer.from('data');
      expect(verify('sha256', data, createPublicKey(publicKeyPem), sign('sha256', data, key))).to.equal(true);
    });
  }

  it('are made off the event loop', async () => {
    let isDone = false;
    const made = newKeyPair('rsa-3072').then(() => {
      isDone = true;
    });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(isDone).to.equal(false);
    await made;
  });

  it('have kinds that are read from settings', () => expect(parseKeyKind(' RSA-4096 ')).to.equal('rsa-4096'));

  for (const text of ['', 'rsa', 'rsa-1024', 'ec-p192', 'ed25519']) {
    it(`have no kind ${JSON.stringify(text)}`, () =>
      expect(() => parseKeyKind(text)).to.throw(/expected one of ec-p256, rsa-2048/));
  }

  it('are not read from other text, which is not repeated', async () => {
    const { publicKeyPem } = await newKeyPair();
    for (const text of ['', 'hunter2', publicKeyPem]) {
      expect(() => readPrivateKey(text))
        .to.throw('not an unencrypted private key in PEM form')
        .with.property('message')
        .that.does.not.include('hunter');
    }
  });
});

describe('fingerprints', () => {
  it('are the SHA-1 of the DER in lower-case hex, from PEM and from DER', async () => {
    const { certPem, fingerprint } = await createRootCa({
      commonName: 'root',
      keys: await newKeyPair(),
      now: new Date(),
    });
    const certificate = new X509Certificate(certPem);
    const expected = certificate.fingerprint.replaceAll(':', '').toLowerCase();
    expect(fingerprint)
      .to.match(/^[0-9a-f]{40}$/)
      .and.to.equal(expected);
    expect(certFingerprint(certificate.raw)).to.equal(expected);
    expect(certFingerprint(certPem + certPem)).to.equal(expected);
  });

  it('are not taken of anything but a certificate', async () => {
    const { publicKeyPem } = await newKeyPair();
    for (const text of ['', 'no pem', publicKeyPem])
      expect(() => certFingerprint(text)).to.throw(/does not start with a certificate/);
  });
});

describe('PEM', () => {
  const block = toPem('CERTIFICATE', Buffer.from('hello'));

  it('is read back as it was written, with text around it', () => {
    expect(
      pemBlocks(`before\n${block}between\n${block.replaceAll('\n', '\r\n')}after`).map(({ der }) => der.toString()),
    ).to.deep.equal(['hello', 'hello']);
  });

  it('has lines of 64 columns', () => {
    expect(
      base64Lines(Buffer.alloc(100))
        .split('\n')
        .map((line) => line.length),
    ).to.deep.equal([64, 64, 8, 0]);
  });

  const broken: [string, string][] = [
    ['without an end', block.replace('-----END CERTIFICATE-----', '')],
    ['with another end', block.replace('END CERTIFICATE', 'END PRIVATE KEY')],
    ['without a body', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'],
    ['with a length that base64 never has', block.replace('=', '')],
    ['with padding inside', block.replace('aGVs', 'aG=s')],
    ['with headers', block.replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n')],
  ];
  for (const [what, text] of broken) it(`is refused ${what}`, () => expect(() => pemBlocks(text)).to.throw());

  it('bundles of certificates hold nothing else', () => {
    expect(() => certificatesOf(block + toPem('PRIVATE KEY', Buffer.from('x')))).to.throw(/found PRIVATE KEY/);
    expect(() => certificatesOf('')).to.throw(/no PEM block/);
  });
});
