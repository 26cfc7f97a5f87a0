/** Requests and certificates that are small and slow to decode, or whose keys are not what they seem. */
import { ECDH, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import { readSigningRequest } from '../../domain/pki/csr.js';
import { readCaCertificates } from '../../domain/pki/ca-certificate.js';
import { countElements } from '../../domain/pki/der.js';
import { externalIdOf } from '../../domain/pki/external-id-claim.js';
import { toPem } from '../../domain/pki/pem.js';
import { keyFamily } from '../../domain/pki/signatures.js';
import { commonNameOf, makeCa, makeKeys, makeLeaf, makeRequest, nameOf } from '../support/certificates.js';
import type { RequestOptions } from '../support/certificates.js';
import { bits, context, integer, oid, sequence } from '../support/der.js';

const P256 = '301306072a8648ce3d020106082a8648ce3d030107';

describe('hostile signing requests', () => {
  const outcomeOf = (pem: string): unknown => {
    try {
      return readSigningRequest(pem);
    } catch (error) {
      return error;
    }
  };
  const refusal = (pem: string): string => {
    const error = outcomeOf(pem);
    if (!(error instanceof DomainError)) return expect.fail('it was accepted');
    expect(error.kind).to.equal('csrInvalid');
    return error.causeMessage ?? '';
  };
  const { publicKey, privateKey } = makeKeys();
  /** A request for any SubjectPublicKeyInfo, signed with a key on P-256. */
  const requestFor = (spki: Buffer): string => {
    const content = sequence(integer(0), commonNameOf('x'), spki, context(0, Buffer.alloc(0)));
    return toPem(
      'CERTIFICATE REQUEST',
      sequence(content, sequence(oid('1.2.840.10045.4.3.2')), bits(sign('sha256', content, privateKey))),
    );
  };
  const pointOf = (format: 'compressed' | 'hybrid') =>
    ECDH.convertKey(
      publicKey.export({ type: 'spki', format: 'der' }).subarray(-65),
      'prime256v1',
      undefined,
      undefined,
      format,
    ) as Buffer;
  const spkiOf = (point: Buffer) => sequence(Buffer.from(P256, 'hex'), bits(point));

  const dear: [string, RequestOptions][] = [
    ['thousands of names', { names: { dns: Array<string>(3_500).fill('a') } }],
    ['thousands of addresses', { names: { ip: Array<string>(1_800).fill('10.0.0.1') } }],
    ['hundreds of common names', { subject: nameOf(...Array.from({ length: 800 }, () => ['2.5.4.3', 'a'] as const)) }],
    [
      'hundreds of extensions',
      { extensions: Array.from({ length: 600 }, (_, index) => ({ oid: `1.2.3.${index}`, value: Buffer.alloc(0) })) },
    ],
  ];
  for (const [what, options] of dear) {
    it(`with ${what} are refused before they are decoded`, async () =>
      expect(refusal(makeRequest(options).pem)).to.equal('the request has too many parts'));
  }

  it('with a hundred names are accepted, for a large key too', async () => {
    const names = { dns: Array.from({ length: 100 }, (_, index) => `host-${index}.example.org`) };
    for (const keyKind of ['ec-p521', 'rsa-4096'] as const)
      expect(readSigningRequest(makeRequest({ keyKind, names }).pem).names.dns).to.have.length(100);
  });

  it('with a point in any valid form stand for one key', async () => {
    const plain = publicKey.export({ type: 'spki', format: 'der' });
    for (const point of [pointOf('compressed'), pointOf('hybrid')]) {
      const outcome = outcomeOf(requestFor(spkiOf(point)));
      if (outcome instanceof DomainError) expect(outcome.kind).to.equal('csrInvalid');
      else
        expect(outcome)
          .to.have.property('publicKey')
          .that.satisfies((der: Buffer) => der.equals(plain));
    }
  });

  it('with a point that is none, or not on the curve, are refused', async () => {
    const good = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
    const off = Buffer.from(good);
    off[64] = (off[64] as number) ^ 1;
    for (const point of [
      off,
      Buffer.of(0),
      Buffer.alloc(0),
      Buffer.concat([Buffer.of(4), Buffer.alloc(64)]),
      good.subarray(0, 64),
      Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)]),
      Buffer.concat([good, Buffer.of(0)]),
    ]) {
      expect(refusal(requestFor(spkiOf(point)))).to.match(/not readable|does not match|PKCS#10/);
    }
  });

  it('with the point at infinity are refused, certificates too: Node would end the process', async () => {
    expect(refusal(requestFor(spkiOf(Buffer.of(0))))).to.equal('the public key of the request is not readable');
    const spki = spkiOf(Buffer.of(0));
    // OpenSSL would not write it
    const keys = { privateKey, publicKey: { export: () => spki } as unknown as KeyObject };
    expect(() => readCaCertificates(makeCa({ keys }).pem))
      .to.throw(DomainError)
      .with.property('kind', 'invalidField');
    expect(keyFamily(spkiOf(Buffer.of(0)))).to.equal(undefined);
  });

  it('with an RSA key of odd numbers are refused quickly', async () => {
    const { n = '' } = makeKeys('rsa-2048').publicKey.export({ format: 'jwk' });
    const modulus = Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')]);
    const rsa = (...numbers: Buffer[]) =>
      sequence(sequence(oid('1.2.840.113549.1.1.1'), Buffer.of(5, 0)), bits(sequence(...numbers)));
    const huge = Buffer.concat([Buffer.of(0x7f), Buffer.alloc(2_000, 0xff)]);
    const keys = [
      rsa(integer(modulus), integer(huge)),
      rsa(integer(modulus), integer(1)),
      rsa(integer(modulus), integer(0)),
      rsa(integer(huge), integer(huge)),
      rsa(integer(Buffer.concat([Buffer.of(0x7f), Buffer.alloc(8_000, 0xff)])), integer(Buffer.from('010001', 'hex'))),
      rsa(integer(0), integer(3)),
      rsa(integer(modulus)),
      rsa(),
    ];
    for (const spki of keys) expect(refusal(requestFor(spki))).to.not.equal('');
  });

  it('are counted whole: in strings, in what is not DER, and no further than needed', () => {
    const many = Buffer.concat(Array.from({ length: 3_000 }, () => Buffer.of(5, 0)));
    const hidden = [
      sequence(many),
      sequence(bits(many)),
      sequence(context(0, sequence(many))),
      Buffer.concat([Buffer.of(0x30, 0x80), many, Buffer.of(0, 0)]),
      sequence(bits(Buffer.concat([many, Buffer.of(5, 0x81, 0)]))),
    ];
    for (const bytes of hidden) expect(countElements(bytes, 512)).to.be.above(512);
    expect(countElements(makeRequest().der, 512)).to.be.below(60);
    expect(countElements(Buffer.alloc(0), 512)).to.equal(0);
    expect(countElements(Buffer.from('3080'.repeat(8_000), 'hex'), 512)).to.be.above(512);
  });

  it('are matched by certificates: one of thousands of names has none', () => {
    const claim = {
      location: 'SAN_URI',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    } as const;
    const ca = makeCa();
    expect(externalIdOf(claim, makeLeaf(ca, { names: { uri: Array<string>(3_500).fill('a:') } }).certificate)).to.equal(
      undefined,
    );
    expect(externalIdOf(claim, makeLeaf(ca, { names: { uri: Array<string>(300).fill('a:b') } }).certificate)).to.equal(
      'a:b',
    );
  });
});
