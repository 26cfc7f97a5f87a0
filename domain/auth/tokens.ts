/**
 * Names for things: random ids and enrollment tokens, API session tokens, and what is kept of a token at rest.
 * Knows nothing of who owns them or when they end.
 */
import { createHmac, hash, randomBytes, randomFillSync, randomUUID } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const POOL_BYTES = 4096;

/**
 * A source of ids: so many characters out of an alphabet of at most 256. Random bytes are fetched 4 KiB at a time
 * (0.2 us per id of 22; asking for 22 each time takes 1.9). Ids are names, not secrets: used bytes stay in the pool.
 */
export function createIdGenerator(
  alphabet: string,
  length: number,
  fill: (pool: Buffer) => void = (pool) => {
    randomFillSync(pool);
  },
): () => string {
  // Bytes from the largest multiple of the alphabet up are thrown away, so that every character is equally likely.
  const unbiasedBelow = 256 - (256 % alphabet.length);
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;
  return () => {
    let id = '';
    while (id.length < length) {
      if (next === POOL_BYTES) {
        fill(pool);
        next = 0;
      }
      const byte = pool[next++] as number;
      if (byte < unbiasedBelow) id += alphabet.charAt(byte % alphabet.length);
    }
    return id;
  };
}

/** A fresh entity id: 22 characters, about 131 bits. All that it keeps between calls is its pool of random bytes. */
export const newId: () => string = createIdGenerator(BASE62, 22);

/** A fresh secret to hand out once, such as an enrollment token. UUID v4, 122 random bits (RFC 9562 section 5.4). */
export function newToken(): string {
  return randomUUID();
}

/** A fresh key for `tokenOf`: 32 random bytes. */
export const newTokenKey = (): Buffer => randomBytes(32);

/**
 * The token of the API session with this id: HMAC-SHA-256 of the id, cut to 122 bits in the form of a UUID v4. Whoever
 * has the key can name the token of any session; without it, ids tell nothing of tokens, nor one token of another.
 */
export function tokenOf(key: Buffer, id: string): string {
  return derivedUuid(key, 'api session', id);
}

/** A UUID v4 that only the key can make, the same each time. @param purpose  keeps uses of one key apart */
export function derivedUuid(key: Buffer, purpose: string, id: string): string {
  return uuidOf(createHmac('sha256', key).update(`${purpose}\0`).update(id).digest(), 4);
}

/**
 * Hashes a token for storage and lookup: SHA-256, 32 bytes. No salt and no stretching: a token is random, so there is
 * nothing to guess.
 */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * A UUID that represents a token in management reads: the same for the same token, and no credential, because it is a
 * hash of the stored hash. Version 8, "custom" (RFC 9562 section 5.8).
 * @param tokenHash  as from `hashToken`
 */
export function tokenDigest(tokenHash: Buffer): string {
  return uuidOf(hash('sha256', Buffer.concat([Buffer.from('token digest\0'), tokenHash]), 'buffer'), 8);
}

/** The first 16 of `bytes` as a UUID of this version; changes `bytes`. */
function uuidOf(bytes: Buffer, version: 4 | 8): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
