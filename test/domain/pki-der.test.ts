/** The reader of DER: what it takes, and that it refuses the rest. */
import { expect } from 'chai';
import {
  DerFault,
  DerReader,
  elementsOf,
  inside,
  readDerBoolean,
  readFlags,
  readMagnitude,
  readOid,
  readSmallInteger,
  readTime,
  readWholeBits,
  tags,
} from '../../domain/pki/der.js';
import { generalizedTime, octets, oid, sequence, utcTime } from '../support/der.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const only = (bytes: Buffer) => new DerReader(bytes).next();
const element = (text: string) => only(hex(text));

describe('DER', () => {
  it('is read element by element', () => {
    const reader = inside(sequence(octets(Buffer.from('a')), oid('2.5.29.15')), tags.sequence);
    expect(reader.optional(tags.boolean)).to.equal(undefined);
    expect(reader.expect(tags.octets).content.toString()).to.equal('a');
    expect(() => {
      reader.end();
    }).to.throw(DerFault);
    expect(readOid(reader.next())).to.equal('2.5.29.15');
    reader.end();
    expect(() => reader.next()).to.throw(DerFault);
  });

  [127, 128, 255, 256, 65_535, 65_536].forEach((length) =>
    it(`has contents of ${length} bytes`, () => {
      expect(only(octets(Buffer.alloc(length))).content.length).to.equal(length);
    }),
  );

  const broken: Readonly<Record<string, string>> = {
    'a content that is too short': '04 02 00',
    'no length': '04',
    'an indefinite length': '04 80 00 00',
    'a padded length': '04 81 01 00',
    'a longer padded length': '04 82 00 80',
    'a length of four bytes': '04 84 00 00 00 01 00',
    'a length cut off': '04 82 01',
    'a tag of several bytes': '1f 81 01 00',
  };
  Object.entries(broken).forEach(([name, bytes]) =>
    it(`is not ${name}`, () => expect(() => elementsOf(hex(bytes))).to.throw(DerFault)),
  );

  it('ends where it ends', () => expect(() => inside(hex('30 00 00'), tags.sequence)).to.throw(DerFault));

  it('has two booleans', () => {
    expect([readDerBoolean(element('01 01 ff')), readDerBoolean(element('01 01 00'))]).to.deep.equal([true, false]);
    ['01 01 01', '01 00', '01 02 ff ff'].forEach((bytes) =>
      expect(() => readDerBoolean(element(bytes)), bytes).to.throw(DerFault),
    );
  });

  it('has small numbers', () => {
    expect([
      readSmallInteger(element('02 01 00')),
      readSmallInteger(element('02 02 00 80')),
      readSmallInteger(element('02 04 7f ff ff ff')),
    ]).to.deep.equal([0, 128, 2 ** 31 - 1]);
    ['02 00', '02 01 80', '02 02 00 7f', '02 05 00 80 00 00 00'].forEach((bytes) =>
      expect(() => readSmallInteger(element(bytes)), bytes).to.throw(DerFault),
    );
  });

  it('has large numbers', () => {
    expect(readMagnitude(element('02 03 00 80 01')).toString('hex')).to.equal('8001');
    expect(readMagnitude(element('02 02 7f 01')).toString('hex')).to.equal('7f01');
    ['02 00', '02 01 00', '02 01 80', '02 02 00 7f'].forEach((bytes) =>
      expect(() => readMagnitude(element(bytes)), bytes).to.throw(DerFault),
    );
  });

  it('has bit strings', () => {
    expect(readWholeBits(element('03 03 00 01 02')).toString('hex')).to.equal('0102');
    expect(() => readWholeBits(element('03 02 01 02'))).to.throw(DerFault);
    expect(() => readWholeBits(element('03 00'))).to.throw(DerFault);
    expect([...readFlags(element('03 03 07 04 80'))]).to.deep.equal([5, 8]);
    expect([...readFlags(element('03 01 00'))]).to.deep.equal([]);
    ['03 00', '03 02 08 00', '03 01 01', '03 04 00 00 00 00'].forEach((bytes) =>
      expect(() => readFlags(element(bytes)), bytes).to.throw(DerFault),
    );
  });

  it('has object identifiers', () => {
    [
      '1.2.840.113549.1.1.11',
      '2.5.29.37.0',
      '0.9.2342.19200300.100.1.25',
      '1.3.6.1.4.1.311.20.2.3',
      '2.16.840.1.101.3.4.2.1',
    ].forEach((id) => {
      expect(readOid(only(oid(id)))).to.equal(id);
    });
    expect(readOid(element('06 03 88 37 03'))).to.equal('2.999.3');
    ['06 00', '06 02 2a 80', '06 03 2a 80 01', '04 01 2a'].forEach((bytes) =>
      expect(() => readOid(element(bytes)), bytes).to.throw(DerFault),
    );
  });

  it('has times', () => {
    const time = new Date('2049-12-31T23:59:59Z');
    expect([readTime(only(utcTime(time))), readTime(only(generalizedTime(time)))]).to.deep.equal([
      time.getTime(),
      time.getTime(),
    ]);
    expect(readTime({ tag: tags.utcTime, content: Buffer.from('500101000000Z'), raw: Buffer.alloc(0) })).to.equal(
      Date.UTC(1950, 0, 1),
    );
    expect(
      readTime({ tag: tags.generalizedTime, content: Buffer.from('00500101000000Z'), raw: Buffer.alloc(0) }),
    ).to.equal(new Date('0050-01-01T00:00:00Z').getTime());
    expect(
      readTime({ tag: tags.generalizedTime, content: Buffer.from('99991231235959Z'), raw: Buffer.alloc(0) }),
    ).to.equal(Date.UTC(9999, 11, 31, 23, 59, 59));
    const bad = [
      '20300230000000Z',
      '20301301000000Z',
      '20300101240000Z',
      '20300101000060Z',
      '2030010100000Z',
      '20300101000000',
      '20300101000000.5Z',
      '20300101000000+0100',
      '300101000000Z',
    ];
    bad.forEach((content) =>
      expect(
        () => readTime({ tag: tags.generalizedTime, content: Buffer.from(content), raw: Buffer.alloc(0) }),
        content,
      ).to.throw(DerFault),
    );
    expect(() => readTime(element('04 0d 33 30 30 31 30 31 30 30 30 30 30 30 5a'))).to.throw(DerFault);
  });
});
