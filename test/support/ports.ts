export { freePort } from '../../scripts/drill/ports.js';
