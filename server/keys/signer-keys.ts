/**
 * Keys of external JWT signers: that of a certificate, or those that an endpoint publishes, which are kept for a while.
 * Any client may ask for any key id, so an endpoint is asked at most once in a few seconds, and once at a time, for all
 * signers that name it. What says when it was asked is never dropped before that time is over, however many signers
 * there are: more endpoints than can be noted wait until one of them may be asked again.
 */
import { createPublicKey, X509Certificate } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keyWeakness } from '../../domain/pki/ca-certificate.js';
import type { KnownKey, OutgoingTrace, SignerKeys } from '../../handlers/context.js';
import type { Logger } from '../base/log.js';
import { OutgoingFault } from '../sockets/outgoing.js';
import type { Outgoing } from '../sockets/outgoing.js';

/** A key that the provider withdrew is believed no longer than this. */
const LIFE_MS = 300_000;
/** Longer than any request to an endpoint may take. */
const PAUSE_MS = 5_000;
/** Limit for all endpoints together; one of them has at most `MAX_KEYS`. */
const MAX_KEPT_KEYS = 20_000;
const MAX_CERTIFICATES = 1_000;
const MAX_KEYS = 100;
/** Endpoints asked within one pause. */
const MAX_ASKED = 10_000;

interface Published {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly untilMs: number;
}

interface Asked {
  readonly atMs: number;
  pending: Promise<void> | undefined;
}

export interface SignerKeysOptions {
  readonly outgoing: Pick<Outgoing, 'get'>;
  readonly log: Logger;
  /** Milliseconds that never go back. */
  readonly steadyMs?: () => number;
  readonly maxAsked?: number;
}

/** The same keys; what has to be fetched for them is part of a trace. */
export const tracedKeys = (keys: SignerKeys, trace: OutgoingTrace | undefined): SignerKeys =>
  trace === undefined ? keys : { find: (signer, kid) => keys.find(signer, kid, trace) };

export function createSignerKeys({
  outgoing,
  log,
  steadyMs = () => performance.now(),
  maxAsked = MAX_ASKED,
}: SignerKeysOptions): SignerKeys {
  const published = new LRUCache<string, Published>({
    maxSize: MAX_KEPT_KEYS,
    sizeCalculation: ({ keys }) => Math.max(1, keys.size),
  });
  const certified = new LRUCache<string, KeyObject>({ max: MAX_CERTIFICATES });
  /** Requests by endpoint, in order. */
  const asked = new Map<string, Asked>();

  const fetchKeys = async (signerId: string, endpoint: string, trace?: OutgoingTrace): Promise<void> => {
    const sinceMs = steadyMs();
    try {
      published.set(endpoint, { keys: keysIn(await outgoing.get(endpoint, trace)), untilMs: sinceMs + LIFE_MS });
    } catch (error) {
      const reason = error instanceof OutgoingFault || error instanceof SyntaxError ? error.message : String(error);
      log.warn({ signerId, reason }, 'keys of an external JWT signer could not be fetched');
    }
  };

  /** The request to the endpoint that is under way, begun if it may be; undefined when it may not. */
  const ask = (signerId: string, endpoint: string, trace?: OutgoingTrace): Promise<void> | undefined => {
    const nowMs = steadyMs();
    for (const [each, { atMs, pending }] of asked) {
      if (nowMs - atMs < PAUSE_MS || pending !== undefined) break;
      asked.delete(each);
    }
    const known = asked.get(endpoint);
    if (known !== undefined) return known.pending;
    if (asked.size >= maxAsked) return undefined;
    const entry: Asked = { atMs: nowMs, pending: undefined };
    asked.set(endpoint, entry);
    entry.pending = fetchKeys(signerId, endpoint, trace).finally(() => {
      entry.pending = undefined;
    });
    return entry.pending;
  };

  const findPublished = async (
    signerId: string,
    endpoint: string,
    kid: string,
    trace?: OutgoingTrace,
  ): Promise<KnownKey | undefined> => {
    const known = (): KnownKey | undefined => {
      const kept = published.get(endpoint);
      const key = kept !== undefined && steadyMs() < kept.untilMs ? kept.keys.get(kid) : undefined;
      return kept === undefined || key === undefined ? undefined : { key, untilMs: kept.untilMs };
    };
    const found = known();
    if (found !== undefined) return found;
    await ask(signerId, endpoint, trace);
    return known();
  };

  const keyOfCertificate = (certPem: string): KeyObject => {
    const known = certified.get(certPem);
    if (known !== undefined) return known;
    const { publicKey } = new X509Certificate(certPem);
    certified.set(certPem, publicKey);
    return publicKey;
  };

  return {
    async find({ id, kid: kidOfSigner, keySource: { certificate, jwksEndpoint } }, kid, trace) {
      if (jwksEndpoint !== null) return kid === undefined ? undefined : findPublished(id, jwksEndpoint, kid, trace);
      if (certificate === null || (kidOfSigner !== null && kidOfSigner !== kid)) return undefined;
      return { key: keyOfCertificate(certificate.certPem), untilMs: Number.POSITIVE_INFINITY };
    },
  };
}

/** Returns the keys by key id. Keys that sign nothing, are weak, or have no id are left out. @throws SyntaxError */
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
