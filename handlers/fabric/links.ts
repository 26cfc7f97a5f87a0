/** Links between routers, as the controllers know them that the routers are connected to. */
import type { ShownLink } from '../../domain/fabric/link.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given } from '../fields.js';
import { refAt } from './links-at.js';

const toLinkDetail = (link: ShownLink): Response.LinkDetail => ({
  connections: link.connections.map(({ type, localAddress, remoteAddress }) => ({
    dest: remoteAddress,
    source: localAddress,
    type,
  })),
  cost: link.cost,
  destLatency: link.destLatency,
  destRouter: refAt('routers', link.destRouter),
  down: link.isDown,
  id: link.id,
  iteration: link.iteration,
  protocol: link.protocol,
  sourceLatency: link.sourceLatency,
  sourceRouter: refAt('routers', link.sourceRouter),
  state: link.isWatched ? 'Connected' : 'Unknown',
  staticCost: link.staticCost,
});

/** GET /links. */
export const listLinks: Handler<'fabric', 'listLinks'> = async ({ query }, { stores }) =>
  listOf(await stores.links.list(query), toLinkDetail);

/** GET /links/{id}. Fails: `notFound`. */
export const detailLink: Handler<'fabric', 'detailLink'> = async ({ params }, { stores }) =>
  ok(toLinkDetail(await stores.links.get(params.id)));

/** PATCH /links/{id}. Fails: `notFound`. */
export const patchLink: Handler<'fabric', 'patchLink'> = async ({ params, body }, { stores }) => {
  await stores.links.configure(params.id, { staticCost: given(body.staticCost), isDown: given(body.down) });
  return noData();
};

/** DELETE /links/{id}. Fails: `notFound`. */
export const deleteLink: Handler<'fabric', 'deleteLink'> = async ({ params }, { stores }) => {
  await stores.links.remove(params.id);
  return noData();
};
