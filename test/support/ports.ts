export { freePort } from '../../scripts/drill/ports.js';

/** Settings of a controller that is reached at this port of this machine. */
export const addressAt = (port: number) => ({
  EDGE_LISTEN: `127.0.0.1:${port}`,
  EDGE_ADVERTISE: `localhost:${port}`,
});
