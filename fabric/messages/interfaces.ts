/** A router reports the network interfaces of its machine: when it connects, when they change, and daily. */
import type { RouterInterface } from '../../domain/router.js';
import { RouterInterfacesUpdateSchema } from '../../generated/fabric/control_pb.js';
import type { Interface } from '../../generated/fabric/control_pb.js';
import type { Stores } from '../../db/stores/stores.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachPiece } from '../channel/pieces.js';
import { result } from '../channel/results.js';

/** Bounds of what is kept; a router with more interfaces is shown with its first. */
const MAX_INTERFACES = 100;
const MAX_ADDRESSES = 50;
const MAX_CHARS = 128;

export const updateRouterInterfaces =
  ({ stores }: { readonly stores: Pick<Stores, 'routers'> }): MessageHandler =>
  async (frame, channel) => {
    const shown: RouterInterface[] = [];
    await eachPiece(RouterInterfacesUpdateSchema, frame, channel, ({ interfaces }) => {
      shown.push(...interfaces.slice(0, MAX_INTERFACES - shown.length).map(toInterface));
    });
    await stores.routers.setInterfaces(channel.routerId, shown);
    channel.reply(frame, result(true, 'success'));
  };

/** Bits of the flags, as Go numbers them. */
const UP = 1n;
const BROADCAST = 2n;
const LOOPBACK = 4n;
const MULTICAST = 16n;
const RUNNING = 32n;

function toInterface({ name, hardwareAddress, mtu, index, flags, addresses }: Interface): RouterInterface {
  const has = (flag: bigint) => (flags & flag) !== 0n;
  return {
    name: plain(name),
    hardwareAddress: plain(hardwareAddress),
    mtu: count(mtu),
    index: count(index),
    isBroadcast: has(BROADCAST),
    isLoopback: has(LOOPBACK),
    isMulticast: has(MULTICAST),
    isRunning: has(RUNNING),
    isUp: has(UP),
    addresses: addresses.slice(0, MAX_ADDRESSES).map(plain),
  };
}

/** Removes what could not be stored, and bounds the length. */
const plain = (text: string) =>
  text
    .replace(/[\0\uFFFD]/g, '')
    .slice(0, MAX_CHARS)
    .toWellFormed();
const count = (value: bigint) => Number(value < 0n ? 0n : value > 0x7fffffffn ? 0x7fffffffn : value);
