/**
 * Rotation of refresh tokens (RFC 9700 section 4.14.2). A session has one refresh token in force. The one before it is
 * taken for a moment longer, since its answer may have been lost; any other was taken out of hands that should not
 * have it, or by such hands.
 */
import { timingSafeEqual } from 'node:crypto';
import { derivedUuid } from '../auth/tokens.js';

/** Time in which the refresh token of before gets the same answer again. */
const REPEAT_MS = 10_000;

/** Hashes of the ids of a session's refresh tokens. */
export interface RefreshState {
  readonly current: Buffer;
  readonly previous: Buffer | null;
  /** Time at which the current one replaced the previous one. */
  readonly rotatedAt: Date | null;
}

/** `repeat`: the answer of before, once more. `stale`: the session ends. */
export type RefreshVerdict = 'current' | 'repeat' | 'stale';

export function judgeRefresh({ current, previous, rotatedAt }: RefreshState, shown: Buffer, now: Date): RefreshVerdict {
  if (timingSafeEqual(current, shown)) return 'current';
  if (previous === null || rotatedAt === null || !timingSafeEqual(previous, shown)) return 'stale';
  return now.getTime() - rotatedAt.getTime() <= REPEAT_MS ? 'repeat' : 'stale';
}

/**
 * The id of the token that follows another: the same each time, so that a repeated answer is the same answer on every
 * controller, without anything being kept of it.
 */
export const nextTokenId = (key: Buffer, apiSessionId: string, tokenId: string, type: 'a' | 'r'): string =>
  derivedUuid(key, `refresh ${type}`, `${apiSessionId}\0${tokenId}`);
