/** How much is in a cache, and how often it served. */
export interface CacheUse {
  readonly entries: number;
  /** Size by the cache's own estimate; absent where the cache is bounded in another way. */
  readonly bytes?: number;
  /** Hits since the start. */
  readonly hits: number;
  readonly misses: number;
}
