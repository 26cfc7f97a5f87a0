export { until } from '../../scripts/drill/poll.js';
