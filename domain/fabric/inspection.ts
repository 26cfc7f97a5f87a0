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
/** The value of a router that comes of comparing what it was told with what it has. */
export const MODEL_CHECK = 'model-check';

const ANSWER_MS = 2_000;
/** The value of a router that comes of asking it for each terminator that is stored for it. */
export const TERMINATOR_CHECK = 'terminator-check';
/** The value of a router that says which identities it last reported as connected. */
export const REPORTED_IDENTITIES = 'reported-identities';

/** Answer of a router about a terminator. @property reason  why it is not valid, in the words of its protocol */
export interface TerminatorCheck {
  readonly id: string;
  readonly isValid: boolean;
  readonly reason?: 'unknownBinding' | 'unknownTerminator' | 'badState';
  readonly detail: string;
}

/** A difference is believed when it is there after 3 s again. The stock command line waits for 5 s. */
const CHECK_MS = 4_000;

/** Milliseconds that routers have to answer. */
export const inspectionMs = (requested: readonly string[]): number =>
  requested.includes(MODEL_CHECK) || requested.includes(TERMINATOR_CHECK) ? CHECK_MS : ANSWER_MS;
