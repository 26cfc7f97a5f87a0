/** What the measurement of one case gives. */
import type { CpuTime } from './cpu.js';
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
  /** Processor time of the controller for each request; undefined for a controller that was not started here. */
  readonly cpu: CpuTime | undefined;
  readonly floor: FloorRate | undefined;
  readonly other: LoadResult | undefined;
}
