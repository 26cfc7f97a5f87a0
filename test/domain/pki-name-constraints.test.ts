/** Name constraints of RFC 5280, form by form. */
import { expect } from 'chai';
import { ChainFault, verifyClientChain } from '../../domain/pki/chain.js';
import { generalNames, nameConstraints } from '../support/certificate-encoding.js';
import { makeCa, makeLeaf, nameOf, type CertificateOptions, type TestNames } from '../support/certificates.js';
import { context, explicit, ia5, integer, oid, printable, sequence, text, tlv } from '../support/der.js';

const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';
const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const now = new Date();
const root = makeCa();
const upn = context(0, Buffer.concat([oid('1.3.6.1.4.1.311.20.2.3'), explicit(0, text('joe@example.org'))]));

/** `good`, or what is wrong. */
function check(constraints: ReturnType<typeof nameConstraints>, leaf: CertificateOptions): string {
  const middle = makeCa({ parent: root, extensions: [constraints] });
  try {
    verifyClientChain({
      sent: [makeLeaf(middle, leaf).der, middle.der],
      anchors: [{ certificate: root.certificate, caId: 'x' }],
      known: [],
      now,
    });
    return 'good';
  } catch (error) {
    expect(error).to.be.instanceOf(ChainFault);
    return (error as ChainFault).message;
  }
}
const permitted = (names: TestNames) => nameConstraints(generalNames(names), []);
const excluded = (names: TestNames) => nameConstraints([], generalNames(names));
const subjectOf = (organization: string, commonName = 'x') =>
  nameOf([ORGANIZATION, organization], [COMMON_NAME, commonName]);

/** The constraint, names of leaves within it, names outside of it, and names that cannot be compared. */
interface Case {
  readonly base: TestNames;
  readonly within: readonly TestNames[];
  readonly outside: readonly TestNames[];
  readonly unclear?: readonly TestNames[];
}

const cases: Readonly<Record<string, Case>> = {
  'a DNS name': {
    base: { dns: ['Example.org'] },
    within: [
      { dns: ['example.org'] },
      { dns: ['EXAMPLE.ORG'] },
      { dns: ['a.b.example.org'] },
      { dns: ['*.example.org'] },
    ],
    outside: [{ dns: ['example.com'] }, { dns: ['badexample.org'] }, { dns: ['example.org.evil.net'] }],
    unclear: [
      { dns: ['example.org.'] },
      { dns: ['evil.net\0.example.org'] },
      { dns: ['a b.example.org'] },
      { dns: [''] },
      { dns: ['.example.org'] },
      { dns: ['a.*.example.org'] },
    ],
  },
  'a DNS name with a leading dot': {
    base: { dns: ['.example.org'] },
    within: [{ dns: ['a.example.org'] }],
    outside: [{ dns: ['example.org'] }, { dns: ['aexample.org'] }],
  },
  'an e-mail address': {
    base: { email: ['joe@example.org'] },
    within: [{ email: ['joe@EXAMPLE.org'] }],
    outside: [{ email: ['jim@example.org'] }, { email: ['joe@a.example.org'] }],
    unclear: [
      { email: ['joe'] },
      { email: ['"joe@example.org"@evil.net'] },
      { email: ['joe@evil.net@example.org'] },
      { email: ['@example.org'] },
    ],
  },
  'the host of e-mail addresses': {
    base: { email: ['example.org'] },
    within: [{ email: ['joe@example.org'] }],
    outside: [{ email: ['joe@a.example.org'] }, { email: ['joe@example.com'] }],
  },
  'the domain of e-mail addresses': {
    base: { email: ['.example.org'] },
    within: [{ email: ['joe@a.example.org'] }],
    outside: [{ email: ['joe@example.org'] }, { email: ['joe@badexample.org'] }],
  },
  'the host of URIs': {
    base: { uri: ['example.org'] },
    within: [
      { uri: ['spiffe://example.org/a'] },
      { uri: ['https://EXAMPLE.org:8443?x'] },
      { uri: ['https://user@example.org/'] },
    ],
    outside: [
      { uri: ['https://a.example.org/'] },
      { uri: ['https://example.org@evil.net/'] },
      { uri: ['https://evil.net/@example.org'] },
      { uri: ['https://evil.net#@example.org'] },
    ],
    unclear: [
      { uri: ['urn:example.org'] },
      { uri: ['https://127.0.0.1/'] },
      { uri: ['https://[::1]/'] },
      { uri: ['https://evil.net\\@example.org/'] },
      { uri: ['example.org'] },
    ],
  },
  'the domain of URIs': {
    base: { uri: ['.example.org'] },
    within: [{ uri: ['https://a.example.org/'] }],
    outside: [{ uri: ['https://example.org/'] }],
  },
  'a range of IPv4': {
    base: { ip: ['10.1.0.0/16'] },
    within: [{ ip: ['10.1.2.3'] }],
    outside: [{ ip: ['10.2.0.1'] }, { ip: ['fd00::1'] }],
    unclear: [{ ip: ['::ffff:a01:203'] }, { other: [context(7, Buffer.of(10, 1, 2), false)] }],
  },
  'a range of IPv6': {
    base: { ip: ['fd00:1::/33'] },
    within: [{ ip: ['fd00:1:7fff::1'] }],
    outside: [{ ip: ['fd00:1:8000::1'] }, { ip: ['10.1.2.3'] }],
  },
};

describe('name constraints', () => {
  Object.entries(cases).forEach(([title, { base, within, outside, unclear = [] }]) => {
    describe(title, () => {
      const show = (names: TestNames) => JSON.stringify(Object.values(names).flat());
      within.forEach((names) =>
        it(`covers ${show(names)}`, () => {
          expect(check(permitted(base), { names })).to.equal('good');
          expect(check(excluded(base), { names })).to.match(/may not give/);
        }),
      );
      outside.forEach((names) =>
        it(`does not cover ${show(names)}`, () => {
          expect(check(permitted(base), { names })).to.match(/outside of those/);
          expect(check(excluded(base), { names })).to.equal('good');
        }),
      );
      unclear.forEach((names) =>
        it(`refuses ${show(names)} either way`, () => {
          expect(check(permitted(base), { names })).to.match(/cannot be held against/);
          expect(check(excluded(base), { names })).to.match(/cannot be held against/);
        }),
      );
      it('leaves names of other kinds alone', () => {
        const names = 'dns' in base ? { uri: ['spiffe://anything/x'] } : { dns: ['anything.net'] };
        expect(check(permitted(base), { names })).to.equal('good');
        expect(check(permitted(base), {})).to.equal('good');
      });
    });
  });

  it('see that a wildcard stands for excluded names', () => {
    expect(check(excluded({ dns: ['secret.example.org'] }), { names: { dns: ['*.example.org'] } })).to.match(
      /may not give/,
    );
    expect(check(permitted({ dns: ['secret.example.org'] }), { names: { dns: ['*.example.org'] } })).to.match(
      /outside of those/,
    );
  });

  it('need one of several permitted names, and none of several excluded', () => {
    const both = nameConstraints(
      generalNames({ dns: ['example.org', 'example.net'] }),
      generalNames({ dns: ['no.example.org', 'no.example.net'] }),
    );
    expect(check(both, { names: { dns: ['a.example.org', 'a.example.net'] } })).to.equal('good');
    expect(check(both, { names: { dns: ['a.example.org', 'evil.com'] } })).to.match(/outside of those/);
    expect(check(both, { names: { dns: ['a.example.org', 'x.no.example.net'] } })).to.match(/may not give/);
  });

  describe('on directory names', () => {
    const base = { directory: [nameOf([ORGANIZATION, 'Example  Ltd'])] };
    it('cover what begins with them, however it is written', () => {
      const names = [
        subjectOf('Example Ltd'),
        subjectOf('EXAMPLE ltd '),
        nameOf([ORGANIZATION, printable('example ltd')], [COMMON_NAME, 'y']),
        nameOf([ORGANIZATION, tlv(0x1e, Buffer.from('Example Ltd', 'utf16le').swap16())]),
        nameOf([ORGANIZATION, tlv(0x14, Buffer.from('Example Ltd'))]),
        nameOf([
          ORGANIZATION,
          tlv(0x1c, Buffer.from([...'Example Ltd'].flatMap((letter) => [0, 0, 0, letter.charCodeAt(0)]))),
        ]),
      ];
      names.forEach((subject) => {
        expect(check(permitted(base), { subject }), subject.toString('latin1')).to.equal('good');
        expect(check(excluded(base), { subject }), subject.toString('latin1')).to.match(/may not give/);
      });
    });
    it('cover nothing else', () => {
      const names = [
        subjectOf('Example Limited'),
        nameOf([COMMON_NAME, 'x'], [ORGANIZATION, 'Example Ltd']),
        nameOf([COMMON_NAME, 'Example Ltd']),
      ];
      names.forEach((subject) => {
        expect(check(permitted(base), { subject })).to.match(/outside of those/);
        expect(check(excluded(base), { subject })).to.equal('good');
      });
    });
    it('hold for names beside the subject too', () => {
      const leaf = { subject: subjectOf('Example Ltd'), names: { directory: [subjectOf('Other')] } };
      expect(check(permitted(base), leaf)).to.match(/outside of those/);
    });
    it('leave an empty subject alone', () =>
      expect(check(permitted(base), { subject: nameOf(), names: { dns: ['x.org'] } })).to.equal('good'));
  });

  it('on e-mail addresses hold for the subject when there are none elsewhere', () => {
    const subject = nameOf([COMMON_NAME, 'x'], [EMAIL_ADDRESS, ia5('joe@evil.net')]);
    expect(check(permitted({ email: ['example.org'] }), { subject })).to.match(/outside of those/);
    expect(check(permitted({ email: ['evil.net'] }), { subject })).to.equal('good');
    expect(check(permitted({ email: ['example.org'] }), { subject, names: { email: ['joe@example.org'] } })).to.equal(
      'good',
    );
  });

  it('of kinds that are not understood refuse names of that kind and no others', () => {
    expect(check(permitted({ other: [upn] }), { names: { other: [upn] } })).to.match(/not understood/);
    expect(check(excluded({ other: [upn] }), { names: { other: [upn] } })).to.match(/not understood/);
    expect(check(excluded({ other: [upn] }), { names: { dns: ['example.org'] } })).to.equal('good');
  });

  it('that are malformed refuse everything', () => {
    const odd = (value: Buffer) => ({ oid: '2.5.29.30', isCritical: true, value });
    const subtree = (...parts: Buffer[]) => sequence(context(0, sequence(...parts)));
    const dns = generalNames({ dns: ['example.org'] })[0] as Buffer;
    const names = { dns: ['example.org'] };
    expect(check(odd(Buffer.of(1, 2, 3)), { names })).to.match(/malformed/);
    expect(check(odd(subtree(dns, context(0, Buffer.of(1), false))), { names })).to.match(/distance/);
    expect(check(odd(subtree(context(2, Buffer.from('other.org')))), { names })).to.match(/no kind/);
    expect(check(odd(subtree(integer(1))), { names })).to.match(/no kind/);
    expect(check(permitted({ ip: ['10.0.0.0'] }), { names: { ip: ['10.0.0.0'] } })).to.match(/malformed/);
    expect(check(permitted({ dns: ['not a name'] }), { names })).to.match(/cannot be held against/);
  });

  it('of the anchor and of every CA between hold for everything below', () => {
    const anchor = makeCa({ extensions: [permitted({ dns: ['example.org'] })] });
    const middle = makeCa({ parent: anchor, extensions: [excluded({ dns: ['no.example.org'] })] });
    const lower = makeCa({ parent: middle });
    const verify = (name: string) =>
      verifyClientChain({
        sent: [makeLeaf(lower, { names: { dns: [name] } }).der, lower.der, middle.der],
        anchors: [{ certificate: anchor.certificate, caId: 'x' }],
        known: [],
        now,
      });
    expect(verify('a.example.org').isComplete).to.equal(true);
    expect(() => verify('evil.net')).to.throw(ChainFault, 'outside of those');
    expect(() => verify('a.no.example.org')).to.throw(ChainFault, 'may not give');
  });

  it('hold for the names of the CAs below, but not of those that a CA issued to itself', () => {
    const anchor = makeCa({
      subject: subjectOf('Other'),
      extensions: [permitted({ directory: [nameOf([ORGANIZATION, 'Example'])] })],
    });
    const renewed = makeCa({ parent: anchor, subject: anchor.subject });
    const stray = makeCa({ parent: anchor, subject: subjectOf('Stray') });
    const verify = (issuer: typeof stray, subject: Buffer) =>
      verifyClientChain({
        sent: [makeLeaf(issuer, { subject }).der, issuer.der],
        anchors: [{ certificate: anchor.certificate, caId: 'x' }],
        known: [],
        now,
      });
    expect(verify(renewed, subjectOf('Example')).isComplete).to.equal(true);
    expect(() => verify(stray, subjectOf('Example'))).to.throw(ChainFault, 'outside of those');
    expect(() => verify(renewed, anchor.subject)).to.throw(ChainFault, 'outside of those');
  });

  it('are not compared without end', () => {
    const many = (length: number, domain: string) => Array.from({ length }, (_, index) => `h${index}.${domain}`);
    expect(check(excluded({ dns: many(150, 'x.org') }), { names: { dns: many(150, 'y.org') } })).to.match(
      /too many names/,
    );
  });
});
