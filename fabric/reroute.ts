/** Leads a circuit that stands over another path between the same two routers; ends it when there is none. */
import { create } from '@bufbuild/protobuf';
import { routesOf } from '../domain/fabric/circuit.js';
import { DestType, RouteSchema } from '../generated/fabric/control_pb.js';
import { ROUTE_TIMEOUT_MS } from './circuit-builder.js';
import { unrouteMessage } from './circuits.js';
import type { Circuit } from './circuits.js';
import { ContentType } from './content-types.js';
import { typedMessage } from './frame.js';
import { REROUTE_ATTEMPT } from './messages/route-result.js';
import { failureOf } from './route-results.js';
import type { FabricServices } from './services.js';

const TRIES = 2;
const DEST_TYPES = { start: DestType.START, end: DestType.END, link: DestType.LINK } as const;

export async function reroute(circuit: Circuit, services: FabricServices): Promise<void> {
  const { circuits, topology } = services.traffic;
  const [first = ''] = circuit.path.routerIds;
  const last = circuit.path.routerIds.at(-1) ?? '';
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const path = topology.pathsFrom(first).get(last);
    if (path === undefined) break;
    if (!(await isRouted({ ...circuit, path }, services))) continue;
    // It may have ended meanwhile: then those that were told now are told to forget it.
    if (circuits.get(circuit.id) === undefined) {
      for (const id of path.routerIds) services.channels.get(id)?.send(unrouteMessage(circuit.id, true));
      return;
    }
    circuits.replace(circuit, path);
    for (const id of circuit.path.routerIds)
      if (!path.routerIds.includes(id)) services.channels.get(id)?.send(unrouteMessage(circuit.id, true));
    return;
  }
  circuits.end(circuit, true);
}

async function isRouted({ id, path, ends, tags }: Circuit, { channels }: FabricServices): Promise<boolean> {
  const results = await Promise.all(
    routesOf(path, ends).map(async ({ routerId, forwards }) => {
      const body = create(RouteSchema, {
        circuitId: id,
        attempt: REROUTE_ATTEMPT,
        forwards: forwards.map(({ from, to, destination }) => ({
          srcAddress: from,
          dstAddress: to,
          dstType: DEST_TYPES[destination],
        })),
        timeout: BigInt(ROUTE_TIMEOUT_MS) * 1_000_000n,
        tags: { ...tags },
      });
      const answer = await channels
        .get(routerId)
        ?.request(typedMessage(ContentType.Route, RouteSchema, body), ROUTE_TIMEOUT_MS)
        .catch(() => undefined);
      return answer !== undefined && failureOf(answer, routerId) === undefined;
    }),
  );
  return results.every((isDone) => isDone);
}
