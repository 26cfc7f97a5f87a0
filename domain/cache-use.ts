/** How much is in a cache, and how often it served. */
export interface CacheUse {
  readonly entries: number;
  /** By the cache's own estimate; absent where it is bounded in another way. */
  readonly bytes?: number;
  /** Since the start. */
  readonly hits: number;
  readonly misses: number;
}
