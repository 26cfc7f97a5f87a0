export { until } from '../../scripts/drill/poll.js';

/**
 * For what one controller announces to the others, on a machine that is busy: below the 5 seconds after which a change
 * is found without an announcement.
 */
export const HEARD_MS = 4_500;
