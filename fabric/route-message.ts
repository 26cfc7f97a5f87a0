/** What a router of a path is told to forward. */
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Destination, RouterRoute } from '../domain/fabric/circuit.js';
import { DestType, RouteSchema } from '../generated/fabric/control_pb.js';
import { ContentType } from './content-types.js';
import { typedMessage } from './frame.js';
import type { Message } from './frame.js';

/** How long a router may take, and how long its answer is waited for. */
export const ROUTE_TIMEOUT_MS = 10_000;

const DEST_TYPES: Readonly<Record<Destination, DestType>> = {
  start: DestType.START,
  end: DestType.END,
  link: DestType.LINK,
};

/** @property egress  for the router that connects to the terminator */
export type RouteFacts = Required<Pick<MessageInitShape<typeof RouteSchema>, 'circuitId' | 'attempt'>> & {
  readonly tags: Readonly<Record<string, string>>;
  readonly egress?: MessageInitShape<typeof RouteSchema>['egress'];
};

export function routeMessage({ forwards }: RouterRoute, { tags, ...facts }: RouteFacts): Message {
  const route = create(RouteSchema, {
    ...facts,
    forwards: forwards.map(({ from, to, destination }) => ({
      srcAddress: from,
      dstAddress: to,
      dstType: DEST_TYPES[destination],
    })),
    timeout: BigInt(ROUTE_TIMEOUT_MS) * 1_000_000n,
    tags: { ...tags },
  });
  return typedMessage(ContentType.Route, RouteSchema, route);
}
