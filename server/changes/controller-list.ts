/**
 * Keeps the list of controllers that routers are told: says with each sign of life at which address this controller
 * is, looks whether the list is as it should be, and hears when another controller has changed it.
 */
import type { ListState } from '../../db/stores/controller-list.js';
import type { Stores } from '../../db/stores/stores.js';
import {
  STEADY_MS,
  addressesNow,
  areEqual,
  controllerIdAt,
  otherWriting,
} from '../../domain/fabric/controller-list.js';
import type { ControllerList } from '../../domain/fabric/controller-list.js';
import type { AdvertisedControllers, KnownControllers } from '../../fabric/presence/controllers.js';

export interface ControllerListOptions {
  readonly stores: Stores;
  readonly trustDomain: string;
  /** Address at which routers reach this controller, as `host:port`. */
  readonly address: string;
  readonly now?: () => number;
}

export interface ControllerListKeeper {
  /** The list that routers are told now. */
  readonly known: KnownControllers;
  /** A sign of life of this controller: every `SIGN_MS`. */
  signOfLife(): Promise<void>;
  /** Another controller may have changed it. */
  read(): Promise<void>;
  /** The controller ends. */
  leave(): Promise<void>;
  /** Called with each newer list. */
  onChange: (() => void) | undefined;
}

/** Entries that a failover loses are found missing, and written again. */
const ASYNC = { isAsync: true };
/** Time between two signs of life. */
export const SIGN_MS = 1_000;
/** Signs of life that are further apart have been interrupted. */
const GAP_MS = 3 * SIGN_MS;

export async function openControllerList(options: ControllerListOptions): Promise<ControllerListKeeper> {
  const { stores, trustDomain, address, now = () => performance.now() } = options;
  let current: ControllerList = { index: 0, addresses: [address], standIns: [] };
  let ids: ListState['ids'] = new Map();
  let steadySince = now();
  let lastSign = steadySince;

  const idAt = (each: string) => ids.get(each) ?? controllerIdAt(trustDomain, each);
  const isSteady = () => now() - steadySince >= STEADY_MS;
  const take = ({ current: found, ids: known }: ListState) => {
    ids = known;
    if (found.index <= current.index || found.addresses.length === 0) return;
    current = found;
    keeper.onChange?.();
  };
  /** Undefined when the list is as it should be. */
  const wanted = ({ current: stored, seen }: ListState) => {
    const list = addressesNow({ current: stored, seen, own: address, isSteady: isSteady() });
    // An index below one that routers were told: the database is one of before.
    const isBehind = stored.index < current.index;
    return isBehind || !areEqual(list, stored) ? list : undefined;
  };
  const refresh = async () => {
    await stores.controllerList.touch(address, SIGN_MS);
    let found = await stores.controllerList.read();
    if (wanted(found) !== undefined)
      found = await stores.transaction(async ({ controllerList }) => {
        await controllerList.lock();
        const list = wanted(await controllerList.read());
        if (list !== undefined) await controllerList.write(list, current.index);
        return controllerList.read();
      }, ASYNC);
    take(found);
  };

  const keeper: ControllerListKeeper = {
    known: {
      ownId: () => idAt(address),
      standsInFor: () => current.standIns.filter(({ by }) => by === address).map((each) => idAt(each.address)),
      now: () => advertised(current, idAt),
    },
    async signOfLife() {
      if (now() - lastSign > GAP_MS) steadySince = now();
      lastSign = now();
      await refresh();
    },
    async read() {
      take(await stores.controllerList.read());
    },
    leave: () => stores.controllerList.leave(address),
    onChange: undefined,
  };
  const stored = await stores.controllerList.read();
  // Routers find another one in its place: they are told that it is back when it listens, with its first sign of life.
  if (stored.current.standIns.some((each) => each.address === address)) take(stored);
  else await refresh();
  return keeper;
}

function advertised(
  { index, addresses, standIns }: ControllerList,
  idAt: (address: string) => string,
): AdvertisedControllers {
  const live = addresses.map((address) => ({ id: idAt(address), address }));
  const liveIds = new Set(live.map(({ id }) => id));
  const stoodFor = new Map<string, number>();
  const others = standIns.flatMap(({ address, by }) => {
    const nth = (stoodFor.get(by) ?? 0) + 1;
    stoodFor.set(by, nth);
    const id = idAt(address);
    // A controller that moved to another address has its id there.
    return liveIds.has(id) ? [] : [{ id, address: otherWriting(by, nth) }];
  });
  return { index, controllers: [...live, ...others] };
}
