/**
 * Access tokens of logins by OpenID Connect. What was found good is remembered until the token ends or is revoked, so
 * that the next request with it costs no verification and no round trip. A token names an API session, which is looked
 * for at each request: this says nothing of that.
 */
import { LRUCache } from 'lru-cache';
import type { CacheUse } from '../../domain/cache-use.js';
import { hashToken } from '../../domain/auth/tokens.js';
import type { SessionToken } from '../../domain/oidc/claims.js';
import type { Trust } from '../../domain/trust.js';

export interface AccessTokenOptions {
  /** Whether a token names a key of this network. */
  readonly isOwn: (token: string) => boolean;
  /** Reads a token that this network signed. */
  readonly read: (token: string) => SessionToken | undefined;
  readonly isRevoked: (tokenId: string) => Promise<boolean>;
  readonly maxEntries: number;
}

/** `foreign`: it is no access token of this network; `invalid`: it is one that is forged, or was revoked. */
export type AccessFault = 'foreign' | 'invalid' | 'expired';

export class AccessTokens {
  readonly #options: AccessTokenOptions;
  readonly #good: LRUCache<string, SessionToken>;
  readonly #keys = new Map<string, string>();
  #isTrusted: Trust = () => true;
  /** Count of calls that dropped something, or might have. */
  #drops = 0;
  #hits = 0;
  #misses = 0;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
    this.#good = new LRUCache<string, SessionToken>({
      max: options.maxEntries,
      dispose: ({ tokenId }) => {
        this.#keys.delete(tokenId);
      },
    });
  }

  /** A miss verified a signature and asked the database. */
  get use(): CacheUse {
    return { entries: this.#good.size, hits: this.#hits, misses: this.#misses };
  }

  /** Returns what a token says, or what is wrong with it. */
  async verify(token: string): Promise<SessionToken | AccessFault> {
    const key = hashToken(token).toString('latin1');
    const known = this.#isTrusted() ? this.#good.get(key) : undefined;
    if (known === undefined) return this.#look(token, key);
    this.#hits += 1;
    return hasEnded(known) ? 'expired' : known;
  }

  /** The token with this id was revoked. */
  forget(tokenId: string): void {
    this.#drops += 1;
    const key = this.#keys.get(tokenId);
    if (key !== undefined) this.#good.delete(key);
  }

  /** @param isTrusted  false while revocations made elsewhere may go unheard */
  setTrusted(isTrusted: Trust): void {
    this.#isTrusted = isTrusted;
    this.#drops += 1;
    this.#good.clear();
  }

  async #look(token: string, key: string): Promise<SessionToken | AccessFault> {
    const { isOwn, read, isRevoked } = this.#options;
    if (!isOwn(token)) return 'foreign';
    this.#misses += 1;
    const found = read(token);
    if (found === undefined) return 'invalid';
    if (found.type !== 'a') return 'foreign';
    if (hasEnded(found)) return 'expired';
    const drops = this.#drops;
    if (await isRevoked(found.tokenId)) return 'invalid';
    // A revocation that came meanwhile may be of this token.
    if (this.#isTrusted() && drops === this.#drops) {
      this.#good.set(key, found);
      this.#keys.set(found.tokenId, key);
    }
    return found;
  }
}

const hasEnded = ({ expiresAt }: SessionToken): boolean => expiresAt.getTime() <= Date.now();
