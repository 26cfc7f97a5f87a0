/** The path from a client’s certificate to one that is trusted, within bounds. */
import { expect } from 'chai';
import { ChainFault } from '../../domain/pki/chain.js';
import { certFingerprint, publicKeyFingerprint } from '../../domain/pki/keys.js';
import { anchor, ca, FORGED, leafOf, NO_WAY, span, verifierFor } from '../support/chains.js';
import { commonNameOf, makeKeys, makeRequest, makeSelfSigned, type TestCertificate } from '../support/certificates.js';
import { octets, oid, sequence } from '../support/der.js';

describe('the chain of a client', () => {
  const root = ca();
  const middle = ca({ parent: root });
  const lower = ca({ parent: middle });
  const { verify, refuse } = verifierFor(root);

  it('tells who the leaf is and what it ends in', () => {
    const leaf = leafOf(middle);
    const chain = verify([leaf, middle]);
    expect(chain).to.include({
      leafPem: leaf.pem,
      fingerprint: certFingerprint(leaf.der),
      caId: 'ca-1',
      isExpired: false,
      isComplete: true,
      publicKeyFingerprint: publicKeyFingerprint(leaf.keys.publicKey.export({ type: 'spki', format: 'der' })),
    });
    expect(chain.leaf.raw.equals(leaf.der)).to.equal(true);
  });

  it('is the same for a leaf that a handshake has opened', () => {
    const leaf = leafOf(middle);
    const [chain, again] = [verify([leaf, middle]), verify([leaf, middle], { isOpened: true })];
    expect(again.leaf.raw.equals(leaf.der)).to.equal(true);
    expect({ ...again, leaf: null }).to.deep.equal({ ...chain, leaf: null });
    refuse(NO_WAY, [leafOf(ca()), middle], { isOpened: true });
  });

  describe('refuses a client that passes for another', () => {
    const victim = leafOf(root);
    const stranger = ca();
    const own = leafOf(stranger);

    it('whose own leaf leads nowhere, with the leaf of a victim after it', () => refuse(NO_WAY, [own, victim]));
    it('whose own leaf leads nowhere, with a victim’s whole chain after it', () =>
      refuse(NO_WAY, [own, victim, middle, root]));
    it('whose own leaf leads nowhere, with the leaf of a victim twice after it', () =>
      refuse(NO_WAY, [own, victim, victim, stranger]));
    it('whose own leaf leads nowhere, with the leaf of a victim before and after a copy of its own', () =>
      refuse(NO_WAY, [own, stranger, victim, own, victim]));
    it('a leaf signed with the key of a victim’s leaf', () => refuse(/an issuer is no CA/, [leafOf(victim), victim]));
    it('a leaf that a stranger of the anchor’s name signed', () => {
      const namesake = ca({ subject: root.subject, subjectKeyId: root.subjectKeyId ?? null });
      refuse(FORGED, [leafOf(namesake)]);
      refuse(FORGED, [leafOf(namesake), namesake]);
    });
    it('an intermediate that a stranger of the anchor’s name signed', () => {
      const namesake = ca({ subject: root.subject, subjectKeyId: root.subjectKeyId ?? null });
      const below = ca({ parent: namesake });
      refuse(FORGED, [leafOf(below), below]);
    });
    it('the victim is only the victim when it is the leaf', () =>
      expect(verify([victim, own, stranger]).fingerprint).to.equal(victim.fingerprint));
    it('a leaf whose bytes were changed', () => {
      const changed = Buffer.from(victim.der);
      const at = changed.indexOf('leaf');
      changed.write('L', at);
      refuse(FORGED, [changed]);
    });
  });

  describe('refuses a leaf that', () => {
    it('signed itself', () => refuse(NO_WAY, [makeSelfSigned(span)]));
    it('signed itself, with a trusted CA appended', () => refuse(NO_WAY, [makeSelfSigned(span), root]));
    it('signed itself under the name of a trusted CA', () => {
      const self = makeSelfSigned({ ...span, subject: root.subject, subjectKeyId: null });
      refuse(FORGED, [self, root]);
    });
    it('is an anchor', () => refuse(/one of a CA/, [root]));
    it('is an anchor, though no CA', () => {
      const self = makeSelfSigned(span);
      refuse(/one of a CA/, [self], { anchors: [anchor(self)] });
    });
    it('is a CA below an anchor', () => refuse(/one of a CA/, [middle]));
    it('is missing', () => refuse(/no certificate/, []));
    it('carries a signature of something else', () => refuse(FORGED, [leafOf(root, { isForged: true })]));
  });

  describe('of rubbish is a fault and no other error', () => {
    const good = leafOf(root).der;
    const rubbish: Readonly<Record<string, Buffer>> = {
      nothing: Buffer.alloc(0),
      zeros: Buffer.alloc(500),
      text: Buffer.from('-----BEGIN CERTIFICATE-----\n'),
      PEM: Buffer.from(leafOf(root).pem),
      'an empty sequence': sequence(),
      'a request': makeRequest().der,
      'a cut off one': good.subarray(0, -1),
      'one byte too many': Buffer.concat([good, Buffer.of(0)]),
      'an indefinite length': Buffer.concat([Buffer.of(0x30, 0x80), good.subarray(4), Buffer.alloc(2)]),
      'a huge one': sequence(octets(Buffer.alloc(20_000))),
    };
    Object.entries(rubbish).forEach(([name, bytes]) => {
      it(name, () => refuse(/malformed/, [bytes]));
      it(`${name} beside a good leaf does no harm`, () => expect(verify([good, bytes]).isComplete).to.equal(true));
      it(`${name} as an anchor trusts nobody`, () =>
        refuse(/malformed|leads to no CA/, [good], { anchors: [{ certificate: { raw: bytes }, caId: 'x' }] }));
    });
    it('any byte of a leaf changed', () => {
      for (let at = 0; at < good.length; at += 1) {
        const changed = Buffer.from(good);
        changed[at] = (changed[at] as number) ^ 0x41;
        expect(() => verify([changed]), String(at)).to.throw(ChainFault);
      }
    });
    it('any byte of an intermediate changed', () => {
      const leaf = leafOf(middle);
      for (let at = 0; at < middle.der.length; at += 1) {
        const changed = Buffer.from(middle.der);
        changed[at] = (changed[at] as number) ^ 0x41;
        expect(() => verify([leaf, changed]), String(at)).to.throw(ChainFault);
      }
    });
    it('a key that cannot be opened', () => {
      const leaf = leafOf(root);
      const spki = leaf.keys.publicKey.export({ type: 'spki', format: 'der' });
      const off = Buffer.concat([spki.subarray(0, -8), Buffer.alloc(8)]);
      const keys = {
        ...leaf.keys,
        publicKey: { export: () => off, asymmetricKeyType: 'ec' } as unknown as typeof leaf.keys.publicKey,
      };
      refuse(/cannot be opened/, [leafOf(root, { keys })]);
    });
  });

  describe('is found', () => {
    const leaf = leafOf(lower);
    const strangers = [ca(), ca(), leafOf(ca())];

    it('directly below the anchor', () => expect(verify([leafOf(root)]).isComplete).to.equal(true));
    it('with intermediates in order', () => expect(verify([leaf, lower, middle]).isComplete).to.equal(true));
    it('with intermediates in another order', () => expect(verify([leaf, middle, lower]).isComplete).to.equal(true));
    it('with everything twice', () =>
      expect(verify([leaf, middle, leaf, lower, middle, lower, leaf]).isComplete).to.equal(true));
    it('among strangers', () =>
      expect(verify([leaf, ...strangers, middle, ...strangers, lower]).isComplete).to.equal(true));
    it('with the root sent too', () =>
      expect(verify([leaf, lower, middle, root])).to.include({ isComplete: true, caId: 'ca-1' }));
    it('not without an intermediate', () => refuse(NO_WAY, [leaf, lower]));
    it('with an intermediate that is known here, and is not complete then', () => {
      expect(verify([leaf, lower], { known: [middle] }).isComplete).to.equal(false);
      expect(verify([leaf], { known: [middle, lower] }).isComplete).to.equal(false);
    });
    it('complete although all is known here', () =>
      expect(verify([leaf, lower, middle], { known: [middle, lower] }).isComplete).to.equal(true));
    it('not when what is known here leads nowhere', () =>
      refuse(NO_WAY, [leafOf(strangers[0] as TestCertificate)], { known: strangers.slice(0, 1) }));
    it('below an intermediate that is an anchor', () => {
      expect(verify([leaf, lower], { anchors: [anchor(middle, 'mid')] })).to.include({ caId: 'mid', isComplete: true });
      expect(verify([leaf], { anchors: [anchor(lower, 'low')] })).to.include({ caId: 'low', isComplete: true });
    });
    it('not below the root when only another of its intermediates is trusted', () =>
      refuse(NO_WAY, [leaf, lower, middle, root], { anchors: [anchor(ca({ parent: root }))] }));
    it('among several anchors', () =>
      expect(
        verify([leaf, lower, middle], { anchors: [anchor(ca(), 'a'), anchor(root, 'b'), anchor(ca(), null)] }).caId,
      ).to.equal('b'));
    it('in the network’s own CA first', () => {
      expect(verify([leaf, lower, middle], { anchors: [anchor(lower, 'foreign'), anchor(root, null)] }).caId).to.equal(
        null,
      );
    });
    it('not without anchors', () => refuse(NO_WAY, [leaf, lower, middle, root], { anchors: [] }));
    it('among anchors of one name, by key', () => {
      const [one, two] = [ca({ commonName: 'Same' }), ca({ commonName: 'Same' })] as const;
      expect(verify([leafOf(two)], { anchors: [anchor(one, 'one'), anchor(two, 'two')] }).caId).to.equal('two');
      const bare = ca({ commonName: 'Same', subjectKeyId: null });
      expect(
        verify([leafOf(bare)], { anchors: [anchor(one, 'one'), anchor(bare, 'bare'), anchor(two, 'two')] }).caId,
      ).to.equal('bare');
    });
    it('cross-signed, by the way that is trusted', () => {
      const [old, fresh] = [ca(), ca()] as const;
      const keys = makeKeys();
      const subject = commonNameOf('Crossed');
      const [underOld, underFresh] = [
        ca({ parent: old, keys, subject }),
        ca({ parent: fresh, keys, subject }),
      ] as const;
      const crossed = leafOf(underOld);
      const trust = { anchors: [anchor(fresh, 'fresh')] };
      refuse(NO_WAY, [crossed, underOld], trust);
      expect(verify([crossed, underOld, underFresh], trust).caId).to.equal('fresh');
      expect(verify([crossed, underOld], { ...trust, known: [underFresh] })).to.include({
        caId: 'fresh',
        isComplete: false,
      });
    });
    it('past two CAs that signed each other', () => {
      const [one, two] = [ca({ commonName: 'One' }), ca({ commonName: 'Two' })] as const;
      const oneByTwo = ca({ parent: two, keys: one.keys, subject: one.subject });
      const twoByOne = ca({ parent: one, keys: two.keys, subject: two.subject });
      refuse(NO_WAY, [leafOf(one), oneByTwo, twoByOne]);
      expect(verify([leafOf(one), oneByTwo, twoByOne], { anchors: [anchor(two, 'two')] }).caId).to.equal('two');
    });
    it('within six certificates', () => {
      const cas = [root];
      for (let depth = 0; depth < 5; depth += 1) cas.unshift(ca({ parent: cas[0] as TestCertificate }));
      const [deepest, next, ...rest] = cas as [TestCertificate, TestCertificate, ...TestCertificate[]];
      expect(verify([leafOf(next), next, ...rest]).isComplete).to.equal(true);
      refuse(/more than 6 certificates/, [leafOf(deepest), deepest, next, ...rest]);
    });
    it('not among more than ten certificates, of which each counts once', () => {
      const many = Array.from({ length: 9 }, () => strangers[0] as TestCertificate).map((_, index) =>
        ca({ commonName: `S ${index}` }),
      );
      expect(verify([leafOf(root), ...many, ...many]).isComplete).to.equal(true);
      refuse(/more than 9/, [leafOf(root), ...many, root]);
    });
    it('not at any price: namesakes that signed each other soon end it', () => {
      const subject = commonNameOf('Maze');
      const hostile = Array.from({ length: 8 }, () => ca({ subject, subjectKeyId: null, keyKind: 'ec-p521' }));
      refuse(/too many/, [leafOf(hostile[0] as TestCertificate), ...hostile]);
    });
  });

  it('has one signature algorithm, not two', () => {
    const leaf = leafOf(root);
    const at = leaf.der.lastIndexOf(oid('1.2.840.10045.4.3.2'));
    const changed = Buffer.from(leaf.der);
    oid('1.2.840.10045.4.3.3').copy(changed, at);
    refuse(/two different signature algorithms/, [changed]);
  });
});
