/** What each certificate of a client’s chain must satisfy. */
import { expect } from 'chai';
import { anchor, ca, day, FORGED, leafOf, now, span, verifierFor } from '../support/chains.js';
import {
  makeCertificate,
  makeRsaKeys,
  type CaOptions,
  type CertificateOptions,
  type TestCertificate,
  type TestKeyKind,
} from '../support/certificates.js';
import { bits, boolean, integer, octets, oid, sequence } from '../support/der.js';

describe('each certificate of a client’s chain', function () {
  this.timeout(120_000);
  const root = ca();
  const middle = ca({ parent: root });
  const { verify, refuse } = verifierFor(root);

  describe('may be of any accepted kind of key', () => {
    const kinds: readonly TestKeyKind[] = ['ec-p256', 'ec-p384', 'ed25519', 'rsa-2048'];
    kinds.forEach((top) =>
      kinds.forEach((between) =>
        kinds.forEach((end) => {
          it(`${top} > ${between} > ${end}`, () => {
            const above = ca({ keyKind: top });
            const below = ca({ keyKind: between, parent: above });
            expect(verify([leafOf(below, { keyKind: end }), below], { anchors: [anchor(above)] }).isComplete).to.equal(
              true,
            );
          });
        }),
      ),
    );
    (['ec-p521', 'rsa-3072'] as const).forEach((kind) =>
      it(kind, () => {
        const above = ca({ keyKind: kind });
        expect(verify([leafOf(above)], { anchors: [anchor(above)] }).isComplete).to.equal(true);
      }),
    );
    it('signed with Ed25519, by the key of the issuer alone', () => {
      const above = ca({ keyKind: 'ed25519' });
      const stranger = ca({ keyKind: 'ed25519', subject: above.subject, subjectKeyId: above.subjectKeyId });
      refuse(FORGED, [leafOf(above, { isForged: true })], { anchors: [anchor(above)] });
      refuse(FORGED, [leafOf(stranger)], { anchors: [anchor(above)] });
      refuse(FORGED, [leafOf(above, { keyKind: 'ed25519' })], {
        anchors: [anchor(ca({ subject: above.subject, subjectKeyId: above.subjectKeyId }))],
      });
    });
    (['sha256', 'sha384', 'sha512'] as const).forEach((hash) => {
      it(`signed with ${hash}: ECDSA, PKCS#1 v1.5 and PSS`, () => {
        const rsa = ca({ keyKind: 'rsa-2048' });
        expect(verify([leafOf(root, { hash })]).isComplete).to.equal(true);
        expect(verify([leafOf(rsa, { hash })], { anchors: [anchor(rsa)] }).isComplete).to.equal(true);
        expect(verify([leafOf(rsa, { hash, isPss: true })], { anchors: [anchor(rsa)] }).isComplete).to.equal(true);
        refuse(FORGED, [leafOf(rsa, { hash, isPss: true, isForged: true })], { anchors: [anchor(rsa)] });
      });
    });
  });

  describe('is refused for', () => {
    const WEAK_KEY = /neither RSA with 2048/;
    const WEAK_HASH = /not signed with ECDSA or RSA/;
    (['rsa-1024', 'ec-secp256k1'] as const).forEach((kind) => {
      it(`a leaf’s key ${kind}`, () => refuse(WEAK_KEY, [leafOf(root, { keyKind: kind })]));
      it(`an intermediate’s key ${kind}`, () => {
        const weak = ca({ parent: root, keyKind: kind });
        refuse(WEAK_KEY, [leafOf(weak), weak]);
      });
      it(`an anchor’s key ${kind}`, () => {
        const weak = ca({ keyKind: kind });
        refuse(WEAK_KEY, [leafOf(weak)], { anchors: [anchor(weak)] });
      });
    });
    [3, 17, 65_535, 65_538].forEach((exponent) => {
      it(`the RSA exponent ${exponent}, in a leaf, an intermediate and an anchor`, () => {
        const keys = makeRsaKeys(exponent);
        const [below, top] = [ca({ parent: root, keys }), ca({ keys })];
        refuse(WEAK_KEY, [leafOf(root, { keys })]);
        refuse(WEAK_KEY, [leafOf(below), below]);
        refuse(WEAK_KEY, [leafOf(top)], { anchors: [anchor(top)] });
      });
    });
    it('no RSA exponent that is larger, and odd', () => {
      const keys = makeRsaKeys(65_539);
      const below = ca({ parent: root, keys });
      expect(verify([leafOf(below, { keys }), below]).isComplete).to.equal(true);
    });
    (['sha1', 'sha224'] as const).forEach((hash) => {
      it(`a leaf’s signature with ${hash}`, () => refuse(WEAK_HASH, [leafOf(root, { hash })]));
      it(`an intermediate’s signature with ${hash}`, () => {
        const weak = ca({ parent: root, hash });
        refuse(WEAK_HASH, [leafOf(weak), weak]);
      });
    });
    (['md5', 'sha1'] as const).forEach((hash) =>
      it(`an RSA signature with ${hash}, PSS or not`, () => {
        const rsa = ca({ keyKind: 'rsa-2048' });
        refuse(WEAK_HASH, [leafOf(rsa, { hash })], { anchors: [anchor(rsa)] });
        refuse(WEAK_HASH, [leafOf(rsa, { hash, isPss: true })], { anchors: [anchor(rsa)] });
      }),
    );
    it('nothing, when it is the anchor that signed itself with SHA-1', () => {
      const old = ca({ hash: 'sha1' });
      expect(verify([leafOf(old)], { anchors: [anchor(old)] }).isComplete).to.equal(true);
    });
  });

  describe('must be in its time:', () => {
    const past = { notBefore: day(-20), notAfter: day(-5) };
    const future = { notBefore: day(1), notAfter: day(9) };
    it('a leaf of tomorrow', () => refuse(/client’s certificate is not valid yet/, [leafOf(root, future)]));
    it('an intermediate of tomorrow', () => {
      const early = ca({ parent: root, ...future });
      refuse(/an issuer is not valid yet/, [leafOf(early), early]);
    });
    it('an anchor of tomorrow', () => {
      const early = ca(future);
      refuse(/an issuer is not valid yet/, [leafOf(early)], { anchors: [anchor(early)] });
    });
    it('an intermediate of yesterday', () => {
      const late = ca({ parent: root, ...past });
      refuse(/an issuer has expired/, [leafOf(late), late]);
    });
    it('an anchor of yesterday', () => {
      const late = ca(past);
      refuse(/an issuer has expired/, [leafOf(late)], { anchors: [anchor(late)] });
    });
    it('a leaf of yesterday is told apart', () => {
      expect(verify([leafOf(root, past)]).isExpired).to.equal(true);
      expect(verify([leafOf(middle, past), middle])).to.include({ isExpired: true, isComplete: true });
    });
    it('a leaf of yesterday below CAs that ended since', () => {
      const gone = ca({ notBefore: day(-30), notAfter: day(-4) });
      expect(verify([leafOf(gone, past)], { anchors: [anchor(gone)] }).isExpired).to.equal(true);
    });
    it('a leaf of yesterday below CAs that ended before it', () => {
      const gone = ca({ notBefore: day(-30), notAfter: day(-6) });
      refuse(/an issuer has expired/, [leafOf(gone, past)], { anchors: [anchor(gone)] });
    });
    it('a leaf of yesterday below CAs that were never valid together, then or now', () => {
      const gone = ca({ parent: root, notBefore: day(-30), notAfter: day(-4) });
      refuse(/an issuer has expired/, [leafOf(gone, past), gone], {
        anchors: [anchor(ca({ keys: root.keys, subject: root.subject, notBefore: day(-3), notAfter: day(9) }))],
      });
    });
    it('both ends belong to it', () => {
      expect(verify([leafOf(root, { notBefore: now, notAfter: day(1) })]).isExpired).to.equal(false);
      expect(verify([leafOf(root, { notBefore: day(-1), notAfter: now })]).isExpired).to.equal(false);
      expect(
        verify([leafOf(root, { notBefore: day(-1), notAfter: now })], { now: new Date(now.getTime() + 1000) })
          .isExpired,
      ).to.equal(true);
    });
  });

  describe('needs issuers that', () => {
    const below = (options: CaOptions): [TestCertificate, TestCertificate] => {
      const issuer = ca({ parent: root, ...options });
      return [leafOf(issuer), issuer];
    };
    it('are CAs', () => {
      refuse(/an issuer is no CA/, below({ basicConstraints: null }));
      refuse(/an issuer is no CA/, below({ basicConstraints: { isCa: false } }));
      refuse(/an issuer is no CA/, below({ isVersion1: true }));
    });
    it('are CAs as anchors too', () => {
      const none = ca({ basicConstraints: null });
      refuse(/an issuer is no CA/, [leafOf(none)], { anchors: [anchor(none)] });
    });
    it('may sign certificates', () => {
      refuse(/does not allow it to sign/, below({ keyUsage: ['digitalSignature', 'cRLSign'] }));
      expect(verify(below({ keyUsage: ['keyCertSign'] })).isComplete).to.equal(true);
      expect(verify(below({ keyUsage: null })).isComplete).to.equal(true);
    });
    it('may issue to clients', () => {
      refuse(/extended key usage of an issuer/, below({ extendedKeyUsage: ['serverAuth'] }));
      expect(verify(below({ extendedKeyUsage: ['serverAuth', 'clientAuth'] })).isComplete).to.equal(true);
      expect(verify(below({ extendedKeyUsage: ['any'] })).isComplete).to.equal(true);
    });
    it('allow as many CAs below them', () => {
      const limited = ca({ parent: root, pathLength: 0 });
      const deeper = ca({ parent: limited });
      expect(verify([leafOf(limited), limited]).isComplete).to.equal(true);
      refuse(/more than 0 CAs below/, [leafOf(deeper), deeper, limited]);
      const two = ca({ parent: root, pathLength: 1 });
      const under = ca({ parent: two });
      expect(verify([leafOf(under), under, two]).isComplete).to.equal(true);
    });
    it('allow it as anchors too', () => {
      const limited = ca({ pathLength: 0 });
      const deeper = ca({ parent: limited });
      refuse(/more than 0 CAs below/, [leafOf(deeper), deeper], { anchors: [anchor(limited)] });
    });
    it('do not count those that a CA issued to itself', () => {
      const limited = ca({ parent: root, pathLength: 0 });
      const renewed = ca({ parent: limited, subject: limited.subject });
      expect(verify([leafOf(renewed), renewed, limited]).isComplete).to.equal(true);
    });
    it('say nothing critical that is not understood', () => {
      const odd = { oid: '1.3.6.1.4.1.99999.1', value: octets(Buffer.of(1)) };
      refuse(/critical extension 1\.3\.6\.1\.4\.1\.99999\.1/, below({ extensions: [{ ...odd, isCritical: true }] }));
      expect(verify(below({ extensions: [odd] })).isComplete).to.equal(true);
    });
    it('do not constrain policies', () => {
      const constraints = { oid: '2.5.29.36', isCritical: true, value: sequence(Buffer.of(0x80, 1, 0)) };
      refuse(/critical extension 2\.5\.29\.36/, below({ extensions: [constraints] }));
      const policies = { oid: '2.5.29.32', isCritical: true, value: sequence(sequence(oid('2.5.29.32.0'))) };
      expect(verify(below({ extensions: [policies] })).isComplete).to.equal(true);
    });
  });

  describe('needs a leaf that', () => {
    const refused = (text: RegExp, options: CertificateOptions) => refuse(text, [leafOf(root, options)]);
    const accepted = (options: CertificateOptions) => expect(verify([leafOf(root, options)]).isComplete).to.equal(true);
    it('may sign', () => {
      refused(/does not allow signatures/, { keyUsage: ['keyEncipherment'] });
      refused(/does not allow signatures/, { keyUsage: [] });
      refused(/does not allow signatures/, { keyUsage: ['keyAgreement'], keyKind: 'rsa-2048' });
      accepted({ keyUsage: ['keyAgreement'] });
      accepted({ keyUsage: null });
    });
    it('is for clients', () => {
      refused(/extended key usage of the client/, { extendedKeyUsage: ['serverAuth'] });
      refused(/extended key usage of the client/, { extendedKeyUsage: [] });
      accepted({ extendedKeyUsage: ['serverAuth', 'clientAuth'] });
      accepted({ extendedKeyUsage: ['any'] });
      accepted({ extendedKeyUsage: null });
    });
    it('is no CA', () => {
      refused(/one of a CA/, { basicConstraints: { isCa: true } });
      accepted({ basicConstraints: null });
      accepted({ isVersion1: true });
    });
    it('says nothing critical that is not understood', () => {
      const odd = { oid: '2.5.29.54', value: integer(0) };
      refused(/critical extension 2\.5\.29\.54/, { extensions: [{ ...odd, isCritical: true }] });
      accepted({ extensions: [odd] });
    });
    it('says nothing twice, and nothing that cannot be read', () => {
      const more = (id: string, value: Buffer): CertificateOptions => ({
        basicConstraints: null,
        keyUsage: null,
        extendedKeyUsage: null,
        extensions: [{ oid: id, isCritical: true, value }],
      });
      refused(/twice/, { extensions: [{ oid: '2.5.29.19', isCritical: true, value: sequence() }] });
      refused(/malformed/, more('2.5.29.19', Buffer.of(1)));
      refused(/malformed/, more('2.5.29.19', Buffer.concat([sequence(boolean(false)), Buffer.of(0)])));
      refused(/malformed/, more('2.5.29.15', octets(Buffer.of(1))));
      refused(/malformed/, more('2.5.29.37', sequence(bits(Buffer.of(1)))));
      accepted(more('2.5.29.19', sequence(boolean(false))));
    });
  });

  it('may be without any restriction', () => {
    expect(verify([makeCertificate(root, { ...span, commonName: 'plain' })]).isComplete).to.equal(true);
  });
});
