/** The list of controllers that routers are sent: addresses and ids. */
import { create } from '@bufbuild/protobuf';
import { CtrlDetailSchema, CtrlEndpointSchema, UpdateCtrlAddressesSchema } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';

export interface KnownControllers {
  /** The id that routers know this controller by: it is in the hello, and in the list. */
  ownId(): string;
  /** Ids of controllers that are gone, in whose place routers find this one. */
  standsInFor(): readonly string[];
  now(): AdvertisedControllers;
}

export interface AdvertisedControllers {
  /** Routers take a list whose index is greater than that of the last one they took. */
  readonly index: number;
  /** Controllers: at least one, each id once. @property address  `host:port` */
  readonly controllers: readonly { readonly id: string; readonly address: string }[];
}

/**
 * The list of controllers. A router dials each of them, comes back to no other after a silence of 30 s, and keeps the
 * list in a file for its next start. Every controller calls itself the leader: one that did not would be asked for the
 * list again and again.
 */
export function controllersMessage({ index, controllers }: AdvertisedControllers): Message {
  const listed = controllers.map(({ id, address }) => ({ id, address: `tls:${address}` }));
  return typedMessage(
    ContentType.UpdateCtrlAddresses,
    UpdateCtrlAddressesSchema,
    create(UpdateCtrlAddressesSchema, {
      addresses: listed.map(({ address }) => address),
      index: BigInt(index),
      isLeader: true,
      controllers: listed.map(({ id, address }) =>
        create(CtrlDetailSchema, { id, endpoints: [create(CtrlEndpointSchema, { address })] }),
      ),
    }),
  );
}

/**
 * The list to be told before `next`: without those that have moved since `before`, so that a router leaves the channel
 * that it has, or still dials, where they were. Undefined when none has.
 */
export function withoutMoved(
  next: AdvertisedControllers,
  before: AdvertisedControllers,
): AdvertisedControllers | undefined {
  const places = new Map(before.controllers.map(({ id, address }) => [id, address]));
  const stay = next.controllers.filter(({ id, address }) => (places.get(id) ?? address) === address);
  if (stay.length === 0 || stay.length === next.controllers.length) return undefined;
  return { index: next.index - 1, controllers: stay };
}
