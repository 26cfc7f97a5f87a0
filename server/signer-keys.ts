/**
 * Keys of external JWT signers: that of a certificate, or those that an endpoint publishes, which are kept for a while.
 * Anybody may ask for any key id, so an endpoint is asked at most once in a few seconds, and once at a time.
 */
import { createPublicKey, X509Certificate } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ExternalJwtSigner } from '../domain/auth/external-signer.js';
import { keyWeakness } from '../domain/pki/ca-certificate.js';
import type { SignerKeys } from '../handlers/context.js';
import type { Logger } from './log.js';
import { OutgoingFault } from './outgoing.js';
import type { Outgoing } from './outgoing.js';

/** A key that the provider withdrew is believed no longer than this. */
const LIFE_MS = 300_000;
const PAUSE_MS = 5_000;
const MAX_SIGNERS = 1_000;
const MAX_KEYS = 100;

interface Published {
  readonly endpoint: string;
  keys: ReadonlyMap<string, KeyObject>;
  fetchedMs: number;
  triedMs: number;
  pending: Promise<void> | undefined;
}

export function createSignerKeys({ outgoing, log }: { outgoing: Outgoing; log: Logger }): SignerKeys {
  const published = new LRUCache<string, Published>({ max: MAX_SIGNERS });
  const certified = new LRUCache<string, KeyObject>({ max: MAX_SIGNERS });

  const fetchKeys = async (signerId: string, entry: Published): Promise<void> => {
    entry.triedMs = performance.now();
    try {
      const keys = keysIn(await outgoing.get(entry.endpoint));
      entry.keys = keys;
      entry.fetchedMs = performance.now();
    } catch (error) {
      const reason = error instanceof OutgoingFault || error instanceof SyntaxError ? error.message : String(error);
      log.warn({ signerId, reason }, 'keys of an external JWT signer could not be fetched');
    } finally {
      entry.pending = undefined;
    }
  };

  const findPublished = async (id: string, endpoint: string, kid: string): Promise<KeyObject | undefined> => {
    let entry = published.get(id);
    if (entry?.endpoint !== endpoint) {
      entry = { endpoint, keys: new Map(), fetchedMs: -Infinity, triedMs: -Infinity, pending: undefined };
      published.set(id, entry);
    }
    const known = ({ keys, fetchedMs }: Published) =>
      performance.now() - fetchedMs < LIFE_MS ? keys.get(kid) : undefined;
    const found = known(entry);
    if (found !== undefined) return found;
    if (entry.pending === undefined && performance.now() - entry.triedMs >= PAUSE_MS)
      entry.pending = fetchKeys(id, entry);
    await entry.pending;
    return known(entry);
  };

  const keyOfCertificate = (certPem: string): KeyObject => {
    const known = certified.get(certPem);
    if (known !== undefined) return known;
    const { publicKey } = new X509Certificate(certPem);
    certified.set(certPem, publicKey);
    return publicKey;
  };

  return {
    async find({ id, kid: kidOfSigner, keySource }: ExternalJwtSigner, kid) {
      const { certificate, jwksEndpoint } = keySource;
      if (jwksEndpoint !== null) return kid === undefined ? undefined : findPublished(id, jwksEndpoint, kid);
      return kidOfSigner === null || kidOfSigner === kid ? keyOfCertificate(certificate.certPem) : undefined;
    },
  };
}

/** By key id. Keys that sign nothing, are weak, or have no id are left out. @throws SyntaxError */
function keysIn(body: Buffer): Map<string, KeyObject> {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  const listed: unknown = typeof parsed === 'object' && parsed !== null && 'keys' in parsed ? parsed.keys : undefined;
  if (!Array.isArray(listed)) throw new SyntaxError('the answer is no set of keys');
  const keys = new Map<string, KeyObject>();
  for (const jwk of listed.slice(0, MAX_KEYS) as unknown[]) {
    if (typeof jwk !== 'object' || jwk === null) continue;
    const { kid, use } = jwk as JsonWebKey;
    if (typeof kid !== 'string' || kid === '' || keys.has(kid) || (use !== undefined && use !== 'sig')) continue;
    const key = publicKeyOf(jwk as JsonWebKey);
    if (key !== undefined && keyWeakness(key) === undefined) keys.set(kid, key);
  }
  return keys;
}

function publicKeyOf({ kty, crv, x, y, n, e }: JsonWebKey): KeyObject | undefined {
  try {
    const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
    return createPublicKey({ key: Object.fromEntries(members) as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}
