/** Ids and tokens: their alphabet, length and spread. */
import { expect } from 'chai';
import { createIdGenerator, hashToken, newId, newToken, tokenDigest } from '../../domain/auth/tokens.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('are 22 base62 characters', () => expect(newId()).to.match(/^[0-9A-Za-z]{22}$/));

  it('do not repeat over many pools of random bytes', () => {
    expect(new Set(Array.from({ length: 20_000 }, newId)).size).to.equal(20_000);
  });

  it('never use the bytes that would make some characters likelier', () => {
    const bytes = [248, 255, 250, 247, 0, 61, 62];
    let next = 0;
    const generate = createIdGenerator(BASE62, 22, (pool) =>
      pool.forEach((_, i) => {
        pool[i] = bytes[next++ % bytes.length] as number;
      }),
    );
    // 247 is 61 above three times 62, so: z, 0, z, 0, and again.
    expect(generate()).to.equal('z0z0'.repeat(6).slice(0, 22));
  });

  it('use every character about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 20_000; i += 1)
      for (const character of newId()) counts.set(character, (counts.get(character) ?? 0) + 1);
    const mean = (20_000 * 22) / 62;
    expect(counts.size).to.equal(62);
    for (const [character, count] of counts) expect(count, character).to.be.within(mean * 0.9, mean * 1.1);
  });

  it('of two generators differ', () =>
    expect(createIdGenerator(BASE62, 22)()).not.to.equal(createIdGenerator(BASE62, 22)()));

  it('have the length and the alphabet that are asked for', () => {
    const generate = createIdGenerator('ab', 300);
    expect(generate()).to.match(/^(?=.*a)(?=.*b)[ab]{300}$/);
  });
});

describe('tokens', () => {
  it('are UUIDs of version 4', () =>
    expect(newToken()).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/));

  it('hash to 32 bytes, the SHA-256 of their text', () => {
    expect(hashToken('abc').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('have a digest in the form of a UUID, the same each time', () => {
    const hash = hashToken(newToken());
    expect(tokenDigest(hash)).to.match(UUID).and.to.equal(tokenDigest(hash));
    expect(tokenDigest(hash)[14]).to.equal('8');
  });

  it('have a digest that tells neither the token nor its hash', () => {
    const token = newToken();
    const digest = tokenDigest(hashToken(token));
    expect(digest).not.to.equal(token);
    expect(hashToken(token).toString('hex')).not.to.include(digest.slice(0, 8));
    expect(hashToken(digest).equals(hashToken(token))).to.equal(false);
  });

  it('that differ have digests that differ', () => {
    expect(tokenDigest(hashToken('a'))).not.to.equal(tokenDigest(hashToken('b')));
  });
});
