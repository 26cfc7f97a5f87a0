/**
 * Keys that signers publish: how long they are believed, when an endpoint is asked, and how often. Endpoints and clock
 * are the test's; test/api/token-login.test.ts has a real server.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { createLogger } from '../../server/base/log.js';
import { OutgoingFault } from '../../server/sockets/outgoing.js';
import { SignerKeyCache } from '../../server/keys/signer-keys.js';

const LIFE_MS = 300_000;
const PAUSE_MS = 5_000;

const published = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

describe('keys that signers publish', () => {
  /** What endpoints answer with, by key id; undefined: a failure. */
  let keys: Record<string, KeyObject> | undefined;
  /** Paths that were asked for, in order. */
  let asked: string[];
  /** While it is set, endpoints are silent until one of these is called. */
  let held: (() => void)[] | undefined;
  let nowMs: number;

  const get = async (url: string): Promise<Buffer> => {
    asked.push(new URL(url).pathname);
    const waiting = held;
    if (waiting !== undefined) await new Promise<void>((resolve) => waiting.push(resolve));
    if (keys === undefined) throw new OutgoingFault('the answer has status 500');
    const jwks = Object.entries(keys).map(([kid, key]) => ({ ...key.export({ format: 'jwk' }), kid }));
    return Buffer.from(JSON.stringify({ keys: jwks }));
  };
  beforeEach(() => {
    [keys, asked, held, nowMs] = [{ k1: published }, [], undefined, 1_000_000];
  });

  const open = (maxAsked?: number) =>
    new SignerKeyCache({
      outgoing: { get },
      log: createLogger({ level: 'silent', format: 'json' }),
      steadyMs: () => nowMs,
      ...(maxAsked === undefined ? {} : { maxAsked }),
    });
  const signer = (path: string, id = path) => ({
    id,
    issuer: `https://${id}.example.com/`,
    audience: 'network',
    kid: null,
    claimsProperty: '/sub',
    keySource: { certificate: null, jwksEndpoint: `https://keys.example.com${path}` },
  });
  const isSame = (found: { key: KeyObject } | undefined, key: KeyObject) => found?.key.equals(key) === true;

  it('are believed for five minutes, and the end is told', async () => {
    const store = open();
    const found = await store.find(signer('/a'), 'k1');
    expect(isSame(found, published)).to.equal(true);
    expect(found?.untilMs).to.equal(nowMs + LIFE_MS);
    keys = {};
    nowMs += LIFE_MS - 1;
    expect(isSame(await store.find(signer('/a'), 'k1'), published)).to.equal(true);
    expect(asked).to.deep.equal(['/a']);
    nowMs += 1;
    expect(await store.find(signer('/a'), 'k1')).to.equal(undefined);
    expect(asked).to.deep.equal(['/a', '/a']);
  });

  it('die with them also while the endpoint fails', async () => {
    const store = open();
    await store.find(signer('/a'), 'k1');
    keys = undefined;
    nowMs += LIFE_MS;
    expect(await store.find(signer('/a'), 'k1')).to.equal(undefined);
  });

  it('that were withdrawn or replaced go with the next answer, which an unknown id asks for', async () => {
    const store = open();
    await store.find(signer('/a'), 'k1');
    keys = { k2: another };
    nowMs += PAUSE_MS;
    expect(isSame(await store.find(signer('/a'), 'k2'), another)).to.equal(true);
    expect(await store.find(signer('/a'), 'k1')).to.equal(undefined);
    keys = { k2: published };
    nowMs += PAUSE_MS;
    await store.find(signer('/a'), 'unknown');
    expect(isSame(await store.find(signer('/a'), 'k2'), published)).to.equal(true);
  });

  it('outlive an answer that failed', async () => {
    const store = open();
    await store.find(signer('/a'), 'k1');
    keys = undefined;
    nowMs += PAUSE_MS;
    expect(await store.find(signer('/a'), 'unknown')).to.equal(undefined);
    expect(isSame(await store.find(signer('/a'), 'k1'), published)).to.equal(true);
    expect(asked).to.have.length(2);
  });

  for (const [what, state] of [
    ['without the key', {}],
    ['that failed', undefined],
  ] as const) {
    it(`are asked for once in five seconds after an answer ${what}, whatever ids come`, async () => {
      const store = open();
      keys = state;
      for (const kid of ['k1', 'k2', 'k3']) expect(await store.find(signer('/a'), kid)).to.equal(undefined);
      nowMs += PAUSE_MS - 1;
      expect(await store.find(signer('/a'), 'k1')).to.equal(undefined);
      expect(asked).to.deep.equal(['/a']);
      keys = { k1: published };
      nowMs += 1;
      expect(isSame(await store.find(signer('/a'), 'k1'), published)).to.equal(true);
      expect(asked).to.deep.equal(['/a', '/a']);
    });
  }

  it('are asked for once at a time, for all that wait and all signers of the endpoint', async () => {
    const store = open();
    const waiting: (() => void)[] = (held = []);
    const finding = Promise.all(
      Array.from({ length: 20 }, (_, n) => store.find(signer('/a', `signer-${n % 4}`), n % 2 === 0 ? 'k1' : 'k2')),
    );
    nowMs += PAUSE_MS;
    const late = store.find(signer('/a'), 'k1');
    waiting.forEach((answer) => {
      answer();
    });
    const found = await finding;
    expect(found.filter((each) => isSame(each, published))).to.have.length(10);
    expect(isSame(await late, published)).to.equal(true);
    expect(asked).to.deep.equal(['/a']);
  });

  it('hold up no other signer while an endpoint is silent', async () => {
    const store = open();
    const waiting: (() => void)[] = (held = []);
    const silent = store.find(signer('/silent'), 'k1');
    held = undefined;
    expect(isSame(await store.find(signer('/a'), 'k1'), published)).to.equal(true);
    waiting.forEach((answer) => {
      answer();
    });
    expect(isSame(await silent, published)).to.equal(true);
  });

  it('are not asked for more often because there are many signers', async () => {
    const store = open();
    keys = undefined;
    await store.find(signer('/failing'), 'k1');
    const others = Array.from({ length: 1_200 }, (_, n) => signer(`/many/${n}`));
    for (let next = 0; next < others.length; next += 100)
      await Promise.all(others.slice(next, next + 100).map((each) => store.find(each, 'k1')));
    for (const each of [signer('/failing'), ...others]) await store.find(each, 'k1');
    expect(new Set(asked).size).to.equal(1_201);
    expect(asked).to.have.length(1_201);
  });

  it('of more endpoints than are noted wait until one of those may be asked again, and none is forgotten', async () => {
    const store = open(2);
    for (const path of ['/a', '/b', '/c', '/a', '/b']) await store.find(signer(path), 'unknown');
    expect(asked).to.deep.equal(['/a', '/b']);
    expect(isSame(await store.find(signer('/a'), 'k1'), published)).to.equal(true);
    nowMs += PAUSE_MS;
    expect(isSame(await store.find(signer('/c'), 'k1'), published)).to.equal(true);
    expect(asked).to.deep.equal(['/a', '/b', '/c']);
  });

  it('need an id, as a key of a certificate does when the signer names one', async () => {
    expect(await open().find(signer('/a'), undefined)).to.equal(undefined);
    expect(asked).to.deep.equal([]);
  });
});
