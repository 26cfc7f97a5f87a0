/** The master key and the keys that it seals. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createKeyRing, isOfFirstForm, newMasterKey, parseMasterKey } from '../../domain/pki/master-key.js';

describe('master key', () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7 + 3));

  for (const text of [
    key.toString('hex'),
    key.toString('hex').toUpperCase(),
    `hex:${key.toString('hex')}`,
    key.toString('base64'),
    key.toString('base64url'),
    `base64:${key.toString('base64')}`,
    `  ${key.toString('base64')}\n`,
  ]) {
    it(`is read from ${JSON.stringify(text.slice(0, 12))}…`, () => expect(parseMasterKey(text)).to.deep.equal(key));
  }

  it('is read back as it was made, and is another one each time', () => {
    expect(parseMasterKey(newMasterKey())).to.have.length(32);
    expect(newMasterKey()).not.to.equal(newMasterKey());
  });

  const refused: [string, string, RegExp][] = [
    ['an empty text', ' \n', /is empty/],
    ['a prefix alone', 'base64:', /is empty/],
    ['too few bytes', randomBytes(16).toString('base64'), /must have 32 bytes, this one has 16/],
    ['too many bytes', randomBytes(33).toString('base64'), /must have 32 bytes, this one has 33/],
    ['short hex', 'hex:0011', /must have 32 bytes, this one has 2/],
    ['hex with an odd digit', `hex:${'a'.repeat(63)}`, /neither hex nor base64/],
    ['a passphrase', 'correct horse battery staple!', /neither hex nor base64/],
    ['base64 that was announced as hex', `hex:${key.toString('base64')}`, /neither hex nor base64/],
    ['one byte over and over', '00'.repeat(32), /not random/],
  ];
  for (const [what, text, reason] of refused)
    it(`is not read from ${what}`, () => expect(() => parseMasterKey(text)).to.throw(reason));

  it('is never repeated by an error', () => {
    const secret = 'hunter2-hunter2!';
    expect(() => parseMasterKey(secret))
      .to.throw()
      .with.property('message')
      .that.does.not.include('hunter');
  });
});

describe('key ring', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const ring = createKeyRing(first);

  it('opens what it sealed, text and bytes', () => {
    expect(ring.open(ring.seal('secret', 'totp:1'), 'totp:1').toString()).to.equal('secret');
    expect(ring.open(ring.seal(Buffer.of(0, 255), 'x'), 'x')).to.deep.equal(Buffer.of(0, 255));
    expect(ring.open(ring.seal('', 'x'), 'x')).to.have.length(0);
  });

  it('seals the same secret differently each time, without showing it', () => {
    expect(ring.seal('secret', 'x')).not.to.deep.equal(ring.seal('secret', 'x'));
    expect(ring.seal('secret', 'x').toString('latin1')).not.to.include('secret');
  });

  it('refuses another context', () => {
    expect(() => ring.open(ring.seal('secret', 'totp:1'), 'totp:2')).to.throw(/another context/);
    expect(() => ring.open(ring.seal('secret', 'totp:1'), '')).to.throw(/another context/);
  });

  it('refuses a sealed secret with any byte changed', () => {
    const sealed = ring.seal('secret', 'x');
    for (const [i, byte] of sealed.entries()) {
      const changed = Buffer.from(sealed);
      changed[i] = byte ^ 1;
      expect(() => ring.open(changed, 'x'), `byte ${i}`).to.throw();
    }
  });

  it('refuses a sealed secret that was cut or lengthened', () => {
    const sealed = ring.seal('secret', 'x');
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => ring.open(sealed.subarray(0, length), 'x'), `${length} bytes`).to.throw();
    expect(() => ring.open(Buffer.concat([sealed, Buffer.of(0)]), 'x')).to.throw();
  });

  it('refuses what was sealed under a key that it does not have', () => {
    expect(() => createKeyRing(second).open(ring.seal('secret', 'x'), 'x')).to.throw(/does not have/);
  });

  it('opens with an old key and seals with the current one', () => {
    const rotated = createKeyRing(second, [first]);
    const old = ring.seal('secret', 'x');
    expect(rotated.open(old, 'x').toString()).to.equal('secret');
    expect(rotated.isCurrent(old)).to.equal(false);
    expect(rotated.isCurrent(rotated.seal('secret', 'x'))).to.equal(true);
    expect(() => ring.open(rotated.seal('secret', 'x'), 'x')).to.throw(/does not have/);
  });

  it('tells by the check value which of its keys a database was made with', () => {
    const check = ring.checkValue();
    expect(createKeyRing(first).matches(check)).to.equal('current');
    expect(createKeyRing(second, [first]).matches(check)).to.equal('old');
    expect(createKeyRing(second).matches(check)).to.equal('none');
    expect(ring.matches('')).to.equal('none');
    expect(ring.matches(`${check}0`)).to.equal('none');
  });

  it('takes the check value of a database of the first form for one whose secrets are to be sealed again', () => {
    const earlier = ring.checkValue().replace(/^v2:/, 'v1:');
    expect([isOfFirstForm(earlier), isOfFirstForm(ring.checkValue()), isOfFirstForm('')]).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect(ring.matches(earlier)).to.equal('old');
    expect(createKeyRing(second, [first]).matches(earlier)).to.equal('old');
    expect(createKeyRing(second).matches(earlier)).to.equal('none');
    expect(ring.matches(earlier.replace(/^v1:/, 'v3:'))).to.equal('none');
  });

  it('has a check value that does not tell the key', () => {
    expect(ring.checkValue()).not.to.include(first.toString('hex')).and.not.to.include(first.toString('base64'));
  });

  it('is not changed by wiping the buffer that it was made from', () => {
    const mine = Buffer.from(first);
    const copy = createKeyRing(mine);
    mine.fill(0);
    expect(copy.open(ring.seal('secret', 'x'), 'x').toString()).to.equal('secret');
  });

  it('refuses keys of another length', () => {
    expect(() => createKeyRing(randomBytes(16))).to.throw(/32 bytes/);
    expect(() => createKeyRing(first, [randomBytes(31)])).to.throw(/32 bytes/);
  });
});
