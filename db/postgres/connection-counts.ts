/** How the connections of a pool are divided among lists, changes and everything else. */

/** Lists that leave in batches hold a connection for as long as a reader takes. */
const STREAMS = 4;

export interface ConnectionCounts {
  readonly lists: number;
  readonly streams: number;
  /** Connections for everything else. */
  readonly others: number;
  /** How many of these may be in use by changes, which may have to wait for a standby. */
  readonly changes: number;
}

/** Half of them for everything else, a fifth for lists in batches. */
export function connectionCounts(poolSize: number): ConnectionCounts {
  const streams = Math.max(1, Math.min(STREAMS, Math.floor(poolSize / 5)));
  const lists = Math.max(1, Math.floor(poolSize / 2) - streams);
  const others = Math.max(1, poolSize - lists - streams);
  return { lists, streams, others, changes: Math.max(1, others - Math.max(1, Math.floor(others / 4))) };
}
