/** What the measurement of one case gives. */
import type { FloorRate } from './floor.js';
import type { LoadResult } from './load.js';

export interface Row {
  readonly name: string;
  readonly api: string;
  readonly operationId: string;
  /** Why it touches more rows in a larger network, when it does. */
  readonly growth: string | undefined;
  readonly connections: number;
  readonly result: LoadResult;
  readonly floor: FloorRate | undefined;
  readonly other: LoadResult | undefined;
}
