/** Inspections: values of what routers and controllers hold at one moment, for administrators. */

export interface InspectedValue {
  readonly appId: string;
  readonly name: string;
  readonly value: unknown;
}

/** Answer of one process for itself and the routers whose channels it holds. */
export interface InspectionAnswer {
  readonly values: readonly InspectedValue[];
  readonly errors: readonly string[];
}

/** Inspections under way at a time, over all controllers. */
export const MOST_INSPECTIONS = 4;
/** A router has so long to answer; whoever asked waits as long again for the rows. */
export const INSPECTION_MS = 2_000;
