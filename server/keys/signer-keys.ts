/**
 * Keys of external JWT signers: that of a certificate, or those that an endpoint publishes, which are kept for a while.
 * Any client may ask for any key id, so an endpoint is asked at most once in a few seconds, and once at a time, for all
 * signers that name it. What says when it was asked is never dropped before that time is over, however many signers
 * there are: more endpoints than can be noted wait until one of them may be asked again.
 */
import { createPublicKey, X509Certificate } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { TokenSigner } from '../../domain/auth/external-signer.js';
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
/** Limit for endpoints asked within one pause. */
const MAX_ASKED = 10_000;

interface Published {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly untilMs: number;
}

interface EndpointFetch {
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

/** Returns the same keys; what has to be fetched for them is part of a trace. */
export const tracedKeys = (keys: SignerKeys, trace: OutgoingTrace | undefined): SignerKeys =>
  trace === undefined ? keys : { find: (signer, kid) => keys.find(signer, kid, trace) };

export class SignerKeyCache implements SignerKeys {
  readonly #outgoing: Pick<Outgoing, 'get'>;
  readonly #log: Logger;
  readonly #steadyMs: () => number;
  readonly #asked: AskedEndpoints;
  readonly #published = new LRUCache<string, Published>({
    maxSize: MAX_KEPT_KEYS,
    sizeCalculation: ({ keys }) => Math.max(1, keys.size),
  });
  readonly #certified = new LRUCache<string, KeyObject>({ max: MAX_CERTIFICATES });

  constructor({ outgoing, log, steadyMs = () => performance.now(), maxAsked = MAX_ASKED }: SignerKeysOptions) {
    this.#outgoing = outgoing;
    this.#log = log;
    this.#steadyMs = steadyMs;
    this.#asked = new AskedEndpoints(steadyMs, maxAsked);
  }

  async find(signer: TokenSigner, kid: string | undefined, trace?: OutgoingTrace): Promise<KnownKey | undefined> {
    const { certificate, jwksEndpoint } = signer.keySource;
    if (jwksEndpoint !== null)
      return kid === undefined ? undefined : this.#findPublished(signer.id, jwksEndpoint, kid, trace);
    if (certificate === null || (signer.kid !== null && signer.kid !== kid)) return undefined;
    return { key: this.#keyOfCertificate(certificate.certPem), untilMs: Number.POSITIVE_INFINITY };
  }

  async #findPublished(
    signerId: string,
    endpoint: string,
    kid: string,
    trace?: OutgoingTrace,
  ): Promise<KnownKey | undefined> {
    const found = this.#known(endpoint, kid);
    if (found !== undefined) return found;
    await this.#asked.ask(endpoint, () => this.#fetch(signerId, endpoint, trace));
    return this.#known(endpoint, kid);
  }

  #known(endpoint: string, kid: string): KnownKey | undefined {
    const kept = this.#published.get(endpoint);
    const key = kept !== undefined && this.#steadyMs() < kept.untilMs ? kept.keys.get(kid) : undefined;
    return kept === undefined || key === undefined ? undefined : { key, untilMs: kept.untilMs };
  }

  async #fetch(signerId: string, endpoint: string, trace?: OutgoingTrace): Promise<void> {
    const untilMs = this.#steadyMs() + LIFE_MS;
    try {
      this.#published.set(endpoint, { keys: keysIn(await this.#outgoing.get(endpoint, trace)), untilMs });
    } catch (error) {
      const reason = error instanceof OutgoingFault || error instanceof SyntaxError ? error.message : String(error);
      this.#log.warn({ signerId, reason }, 'keys of an external JWT signer could not be fetched');
    }
  }

  #keyOfCertificate(certPem: string): KeyObject {
    const known = this.#certified.get(certPem);
    if (known !== undefined) return known;
    const { publicKey } = new X509Certificate(certPem);
    this.#certified.set(certPem, publicKey);
    return publicKey;
  }
}

/** Endpoints that were asked within the last pause, in order. */
class AskedEndpoints {
  readonly #asked = new Map<string, EndpointFetch>();
  readonly #steadyMs: () => number;
  readonly #max: number;

  constructor(steadyMs: () => number, max: number) {
    this.#steadyMs = steadyMs;
    this.#max = max;
  }

  /** Returns the request to the endpoint that is under way, begun if it may be; undefined when it may not. */
  ask(endpoint: string, fetch: () => Promise<void>): Promise<void> | undefined {
    const nowMs = this.#steadyMs();
    this.#dropOld(nowMs);
    const known = this.#asked.get(endpoint);
    if (known !== undefined) return known.pending;
    if (this.#asked.size >= this.#max) return undefined;
    const entry: EndpointFetch = { atMs: nowMs, pending: undefined };
    this.#asked.set(endpoint, entry);
    entry.pending = fetch().finally(() => {
      entry.pending = undefined;
    });
    return entry.pending;
  }

  #dropOld(nowMs: number): void {
    for (const [endpoint, { atMs, pending }] of this.#asked) {
      if (nowMs - atMs < PAUSE_MS || pending !== undefined) break;
      this.#asked.delete(endpoint);
    }
  }
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
