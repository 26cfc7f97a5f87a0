/**
 * Keeps the list of controllers that routers are told: says with each sign of life at which address this controller
 * is, looks whether the list is as it should be, and hears when another controller has changed it.
 */
import type { ListState } from '../../db/stores/controller-list.js';
import type { Stores } from '../../db/stores/stores.js';
import { LEASE_MS, addressesNow, controllerIdAt } from '../../domain/fabric/controller-list.js';
import type { ControllerList } from '../../domain/fabric/controller-list.js';
import type { KnownControllers } from '../../fabric/presence/controllers.js';

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
  /** After a sign of life of this controller. */
  afterSignOfLife(): Promise<void>;
  /** Another controller may have changed it. */
  read(): Promise<void>;
  /** Called with each newer list. */
  onChange: (() => void) | undefined;
}

/** Entries that a failover loses are found missing, and written again. */
const EXPENDABLE = { isExpendable: true };
/** Signs of life that are further apart have been interrupted. */
const GAP_MS = 15_000;

export async function openControllerList(options: ControllerListOptions): Promise<ControllerListKeeper> {
  const { stores, trustDomain, address, now = () => performance.now() } = options;
  let told: ControllerList = { index: 0, addresses: [address] };
  let ids: ListState['ids'] = new Map();
  let steadySince = now();
  let lastBeat = steadySince;

  const idAt = (each: string) => ids.get(each) ?? controllerIdAt(trustDomain, each);
  const isSteady = () => now() - steadySince >= LEASE_MS;
  const take = ({ told: found, ids: known }: ListState) => {
    ids = known;
    if (found.index <= told.index || found.addresses.length === 0) return;
    told = found;
    keeper.onChange?.();
  };
  /** Undefined when the list is as it should be. */
  const wanted = ({ told: stored, seen }: ListState) => {
    const addresses = addressesNow({ told: stored.addresses, seen, own: address, isSteady: isSteady() });
    // An index below one that was told: the database is one of before.
    const isBehind = stored.index < told.index;
    return isBehind || addresses.join(' ') !== stored.addresses.join(' ') ? addresses : undefined;
  };
  const refresh = async () => {
    await stores.controllerList.touch(address);
    let found = await stores.controllerList.look();
    if (wanted(found) !== undefined)
      found = await stores.transaction(async ({ controllerList }) => {
        await controllerList.hold();
        const addresses = wanted(await controllerList.look());
        if (addresses !== undefined) await controllerList.write(addresses, told.index);
        return controllerList.look();
      }, EXPENDABLE);
    take(found);
  };

  const keeper: ControllerListKeeper = {
    known: {
      ownId: () => idAt(address),
      now: () => ({
        index: told.index,
        controllers: told.addresses.map((each) => ({ id: idAt(each), address: each })),
      }),
    },
    async afterSignOfLife() {
      if (now() - lastBeat > GAP_MS) steadySince = now();
      lastBeat = now();
      await refresh();
    },
    async read() {
      take(await stores.controllerList.look());
    },
    onChange: undefined,
  };
  await refresh();
  return keeper;
}
