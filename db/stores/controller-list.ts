/** The list of controllers that routers are told, and what it is made of. */
import type { ControllerList, SeenController } from '../../domain/fabric/controller-list.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, read, unprepared } from '../postgres/statement.js';

export interface ListState {
  /** Without addresses, and of index 0, before the first list. */
  readonly told: ControllerList;
  /** All that are remembered; an address may come more than once. */
  readonly seen: readonly SeenController[];
  /** The id of the controller that joined first at an address: it was in the hello before there was a list. */
  readonly ids: ReadonlyMap<string, string>;
}

export interface ControllerListStore {
  /** A controller lives at this address. */
  touch(address: string): Promise<void>;
  look(): Promise<ListState>;
  /** In a transaction: no other list is written before its end. */
  hold(): Promise<void>;
  /** Writes a list, and tells all controllers. @param above  its index is to be greater than this one */
  write(addresses: readonly string[], above: number): Promise<void>;
}

const CONTROLLER_ADDRESS_TOUCH = asyncChange(
  'controller-address-touch',
  ({ returningActor }) => `INSERT INTO controller_addresses (address) VALUES ($1)
  ON CONFLICT (address) DO UPDATE SET last_seen_at = now()${returningActor}`,
);

const CONTROLLER_LIST = read<{
  index: string | null;
  addresses: string[] | null;
  seen: SeenController[];
  ids: Record<string, string>;
}>(
  'controller-list',
  `SELECT l.index, l.addresses, coalesce((SELECT jsonb_agg(jsonb_build_object('address', s.address,
      'unseenMs', round(extract(epoch FROM now() - s.last_seen_at) * 1000)))
    FROM (SELECT address, last_seen_at FROM controller_addresses
      UNION ALL SELECT substr(ctrl_address, 5), last_seen_at FROM controllers
        WHERE starts_with(ctrl_address, 'tls:')) AS s), '[]') AS seen,
    coalesce((SELECT jsonb_object_agg(f.address, f.id) FROM (SELECT DISTINCT ON (ctrl_address)
        substr(ctrl_address, 5) AS address, id
      FROM controllers WHERE starts_with(ctrl_address, 'tls:')
      ORDER BY ctrl_address, created_at, id) AS f), '{}') AS ids
  FROM (VALUES (true)) AS o (is_only) LEFT JOIN controller_list l USING (is_only)`,
);

const HOLD = change(
  'controller-list-hold',
  ({ returningActor }) =>
    `INSERT INTO controller_list DEFAULT VALUES ON CONFLICT (is_only) DO UPDATE SET is_only = true${returningActor}`,
);

const WRITE = change(
  'controller-list-write',
  ({ returningActor }) =>
    `DELETE FROM controller_addresses WHERE last_seen_at < now() - interval '1 day'${returningActor}`,
);

const WRITE_2 = change(
  'controller-list-write-2',
  ({ returningActor }) => `UPDATE controller_list SET addresses = $1,
  index = greatest(index + 1, $2::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)${returningActor}`,
);

export function controllerListStore(db: Db): ControllerListStore {
  return {
    async touch(address) {
      await db.execute(CONTROLLER_ADDRESS_TOUCH, [address]);
    },
    async look() {
      const row = await db.one(CONTROLLER_LIST);
      return {
        told: { index: Number(row?.index ?? 0), addresses: row?.addresses ?? [] },
        seen: row?.seen ?? [],
        ids: new Map(Object.entries(row?.ids ?? {})),
      };
    },
    async hold() {
      await db.execute(HOLD);
    },
    async write(addresses, above) {
      await db.execute(WRITE);
      await db.execute(WRITE_2, [addresses, above]);
      await db.execute(unprepared('SELECT', "SELECT pg_notify('edge', 'controllers')"));
    },
  };
}
