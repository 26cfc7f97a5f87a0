/** Addresses of this controller. */
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** GET /protocols */
export const listProtocols: Handler<'client', 'listProtocols'> = async (_input, { network, responseCache }) =>
  responseCache.constant('protocols', () => ok({ https: { address: network.advertise } }));
