/** Tells an enrolled client of the controllers of the network, so that it can use any of them. */
import type * as Response from '../../generated/client/response.js';
import type { Context } from '../context.js';
import { toControllerDetail } from '../informational.js';

/** Enough for any network; clients try them one after another. */
const MOST = 100;

export async function knownControllers({ stores }: Pick<Context, 'stores'>): Promise<Response.ControllersList> {
  return (await stores.controllers.list({ limit: MOST })).items.map(toControllerDetail);
}
