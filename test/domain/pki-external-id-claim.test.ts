/** The claim that finds an external id in a certificate. */
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import type { ExternalIdClaim } from '../../domain/credentials.js';
import { externalIdOf, requireWorkingClaim } from '../../domain/pki/external-id-claim.js';
import { makeCa, makeLeaf, nameOf } from '../support/certificates.js';
import type { CertificateOptions } from '../support/certificates.js';
import { octets } from '../support/der.js';

const locations = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const;
const matchers = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const;
const parsers = ['NONE', 'SPLIT'] as const;
const CN = '2.5.4.3';

const claim = (changes: Partial<ExternalIdClaim> = {}): ExternalIdClaim => ({
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
  ...changes,
});
const reasonOf = (one: ExternalIdClaim): string | undefined => {
  try {
    requireWorkingClaim(one);
    return undefined;
  } catch (error) {
    expect(error).to.be.instanceOf(DomainError);
    expect((error as DomainError).kind).to.equal('badReference');
    return (error as DomainError).message.replace(/^the value '[^']*' for 'externalIdClaim' is invalid: /, '');
  }
};

describe('the claim of an external id', () => {
  const works: Readonly<Record<string, readonly string[]>> = {
    COMMON_NAME: ['ALL', 'PREFIX', 'SUFFIX'],
    SAN_URI: ['ALL', 'SCHEME'],
    SAN_EMAIL: ['ALL', 'PREFIX', 'SUFFIX'],
  };
  for (const location of locations) {
    for (const matcher of matchers) {
      for (const parser of parsers) {
        const whole = claim({ location, matcher, parser, matcherCriteria: 'x', parserCriteria: '/', index: 3 });
        if (works[location]?.includes(matcher) !== true) {
          it(`cannot be ${matcher} at ${location} with ${parser}`, () => {
            expect(reasonOf(whole)).to.equal(`unsupported matcher [${matcher}] for location [${location}]`);
          });
          continue;
        }
        it(`can be ${matcher} at ${location} with ${parser}, given what these need`, () => {
          expect(requireWorkingClaim(whole)).to.equal(whole);
          expect(reasonOf({ ...whole, matcherCriteria: '' })).to.equal(
            matcher === 'ALL' ? undefined : `invalid criteria [] for matcher [${matcher}]`,
          );
          expect(reasonOf({ ...whole, parserCriteria: '' })).to.equal(
            parser === 'NONE' ? undefined : 'invalid criteria [] for parser [SPLIT]',
          );
          for (const index of [-1, 0.5, 10_001, 1e300])
            expect(reasonOf({ ...whole, index })).to.equal(`invalid index [${index}]: expected 0 to 10000`);
          expect(reasonOf({ ...whole, index: 0 })).to.equal(undefined);
        });
      }
    }
  }

  it('names its members when it is refused', () => {
    expect(() => requireWorkingClaim(claim({ matcher: 'SCHEME', matcherCriteria: 'x' }))).to.throw(
      "the value 'location=COMMON_NAME matcher=SCHEME parser=NONE' for 'externalIdClaim' is invalid: " +
        'unsupported matcher [SCHEME] for location [COMMON_NAME]',
    );
    expect(reasonOf(claim({ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe://' }))).to.equal(
      'invalid criteria [spiffe://] for matcher [SCHEME]',
    );
  });
});

describe('an external id in a certificate', () => {
  const ca = makeCa();
  const names = {
    uri: ['https://a.example/1/2', 'spiffe://corp/dev/7', 'SPIFFE://corp/dev/8', 'spiffex:9'],
    email: ['a@one.example', 'b@two.example', 'c@one.example'],
    dns: ['d.example'],
  };
  const subject = nameOf([CN, 'dev-1'], ['2.5.4.10', 'Org'], [CN, 'dev-2,CN=dev-3'], [CN, 'host "x"']);
  const find = (changes: Partial<ExternalIdClaim>, options: CertificateOptions = { subject, names }) =>
    externalIdOf(claim(changes), makeLeaf(ca, options).certificate);

  const cases: readonly (readonly [Partial<ExternalIdClaim>, string | undefined])[] = [
    [{}, 'dev-1'],
    [{ index: 1 }, 'dev-2,CN=dev-3'],
    [{ index: 2 }, 'host "x"'],
    [{ index: 3 }, undefined],
    [{ matcher: 'PREFIX', matcherCriteria: 'host ' }, '"x"'],
    [{ matcher: 'PREFIX', matcherCriteria: 'dev-' }, '1'],
    [{ matcher: 'PREFIX', matcherCriteria: 'dev-', index: 1 }, '2,CN=dev-3'],
    [{ matcher: 'PREFIX', matcherCriteria: 'dev-1' }, undefined],
    [{ matcher: 'PREFIX', matcherCriteria: 'dev-', parser: 'SPLIT', parserCriteria: ',', index: 2 }, 'CN=dev-3'],
    [{ matcher: 'PREFIX', matcherCriteria: 'Dev' }, undefined],
    [{ matcher: 'SUFFIX', matcherCriteria: '-3' }, 'dev-2,CN=dev'],
    [{ matcher: 'SUFFIX', matcherCriteria: 'dev-1' }, undefined],
    [{ matcher: 'SUFFIX', matcherCriteria: '-1', index: 1 }, undefined],
    [{ parser: 'SPLIT', parserCriteria: '-' }, 'dev'],
    [{ parser: 'SPLIT', parserCriteria: '-', index: 1 }, '1'],
    [{ parser: 'SPLIT', parserCriteria: '-', index: 3 }, '2,CN=dev'],
    [{ parser: 'SPLIT', parserCriteria: 'dev-', index: 0 }, undefined],
    [{ parser: 'SPLIT', parserCriteria: 'no such' }, 'dev-1'],
    [{ location: 'SAN_URI' }, 'https://a.example/1/2'],
    [{ location: 'SAN_URI', index: 4 }, undefined],
    [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' }, 'spiffe://corp/dev/7'],
    [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'Spiffe', index: 1 }, 'SPIFFE://corp/dev/8'],
    [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe', index: 2 }, undefined],
    [
      {
        location: 'SAN_URI',
        matcher: 'SCHEME',
        matcherCriteria: 'spiffe',
        parser: 'SPLIT',
        parserCriteria: '/',
        index: 4,
      },
      '7',
    ],
    [
      {
        location: 'SAN_URI',
        matcher: 'SCHEME',
        matcherCriteria: 'spiffe',
        parser: 'SPLIT',
        parserCriteria: '/',
        index: 1,
      },
      undefined,
    ],
    [{ location: 'SAN_EMAIL', index: 1 }, 'b@two.example'],
    [{ location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@one.example', index: 1 }, 'c'],
    [{ location: 'SAN_EMAIL', matcher: 'PREFIX', matcherCriteria: 'b@', parser: 'SPLIT', parserCriteria: '.' }, 'two'],
  ];
  for (const [changes, expected] of cases) {
    it(`is ${expected ?? 'none'} by ${JSON.stringify(changes)}`, () => {
      expect(find(changes)).to.equal(expected);
    });
  }

  it('is none where the certificate has no such name', () => {
    for (const location of locations)
      expect(find({ location }, { subject: nameOf(['2.5.4.10', 'CN=x']) }), location).to.equal(undefined);
    expect(find({ location: 'SAN_EMAIL' }, { subject: nameOf(['1.2.840.113549.1.9.1', 'a@b.example']) })).to.equal(
      undefined,
    );
    expect(find({ location: 'SAN_URI' }, { names: { dns: ['https.example'], email: ['x@y.example'] } })).to.equal(
      undefined,
    );
  });

  it('is none when it is blank or has control characters, such as NUL', () => {
    for (const commonName of ['', ' ', '\u00a0\u2003', 'admin\0.evil', 'a\nb', 'x\u0085'])
      expect(find({}, { commonName }), JSON.stringify(commonName)).to.equal(undefined);
    expect(find({ location: 'SAN_URI' }, { names: { uri: ['https://a\0b'] } })).to.equal(undefined);
    expect(find({ location: 'SAN_EMAIL' }, { names: { email: [''] } })).to.equal(undefined);
  });

  it('is none when the alternative names are there twice, or are no names', () => {
    const twice = {
      names: { uri: ['https://a'] },
      extensions: [{ oid: '2.5.29.17', value: Buffer.from('30078605783a2f2f61', 'hex') }],
    };
    expect(find({ location: 'SAN_URI' }, twice)).to.equal(undefined);
    expect(
      find({ location: 'SAN_URI' }, { extensions: [{ oid: '2.5.29.17', value: octets(Buffer.from('x')) }] }),
    ).to.equal(undefined);
  });

  it('is read in every encoding of a name that RFC 5280 has, and in any script', () => {
    const of = (value: Buffer | string) => find({}, { subject: nameOf([CN, value]) });
    expect(of('Größe 名前 🚪')).to.equal('Größe 名前 🚪');
    expect(of(Buffer.concat([Buffer.of(0x13, 3), Buffer.from('abc')]))).to.equal('abc');
    expect(of(Buffer.concat([Buffer.of(0x1e, 4), Buffer.from('00e4540d', 'hex')]))).to.equal('ä名');
  });
});
