/** The list of controllers that routers are told, and what it is made of. */
import type { ControllerAddresses, ControllerList, SeenController } from '../../domain/fabric/controller-list.js';
import { STOOD_FOR_MS } from '../../domain/fabric/controller-list.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, read, unprepared } from '../postgres/statement.js';

export interface ListState {
  /** Current list. Before the first one is written it has index 0 and no addresses. */
  readonly current: ControllerList;
  /** All that are remembered; an address may come more than once. */
  readonly seen: readonly SeenController[];
  /** The id of the controller that joined first at an address: it was in the hello before there was a list. */
  readonly ids: ReadonlyMap<string, string>;
}

export interface ControllerListStore {
  /** A controller lives at this address, and says so this often. */
  touch(address: string, everyMs: number): Promise<void>;
  /** It ends: others need not wait for a sign of life. One that shares the address gives the next soon. */
  leave(address: string): Promise<void>;
  read(): Promise<ListState>;
  /** Locks the list until the transaction ends, so that no other list is written meanwhile. */
  lock(): Promise<void>;
  /**
   * Writes a list, and tells all controllers. Its index is above that of the list before by two at least.
   * @param above  its index is to be greater than this one, by two as well
   */
  write(list: ControllerAddresses, above: number): Promise<void>;
}

const CONTROLLER_ADDRESS_TOUCH = asyncChange(
  'controller-address-touch',
  ({ returningActor }) => `INSERT INTO controller_addresses (address, every_ms) VALUES ($1, $2)
  ON CONFLICT (address) DO UPDATE SET last_seen_at = now(), every_ms = excluded.every_ms${returningActor}`,
);

const LEAVE = asyncChange(
  'controller-address-leave',
  ({ returningActor }) => `UPDATE controller_addresses SET every_ms = 0 WHERE address = $1${returningActor}`,
);

const CONTROLLER_LIST = read<{
  index: string | null;
  addresses: string[] | null;
  standIns: string[] | null;
  seen: SeenController[];
  ids: Record<string, string>;
}>(
  'controller-list',
  `SELECT l.index, l.addresses, l.stand_ins AS "standIns", coalesce((SELECT jsonb_agg(jsonb_build_object(
      'address', s.address, 'everyMs', s.every_ms,
      'unseenMs', round(extract(epoch FROM now() - s.last_seen_at) * 1000)))
    FROM (SELECT address, last_seen_at, every_ms FROM controller_addresses
      UNION ALL SELECT substr(c.ctrl_address, 5), c.last_seen_at, 5000 FROM controllers c
        WHERE starts_with(c.ctrl_address, 'tls:')
          AND NOT EXISTS (SELECT FROM controller_addresses a WHERE a.address = substr(c.ctrl_address, 5))) AS s), '[]')
    AS seen,
    coalesce((SELECT jsonb_object_agg(f.address, f.id) FROM (SELECT DISTINCT ON (ctrl_address)
        substr(ctrl_address, 5) AS address, id
      FROM controllers WHERE starts_with(ctrl_address, 'tls:')
      ORDER BY ctrl_address, created_at, id) AS f), '{}') AS ids
  FROM (VALUES (true)) AS o (is_only) LEFT JOIN controller_list l USING (is_only)`,
);

const LOCK = change(
  'controller-list-lock',
  ({ returningActor }) =>
    `INSERT INTO controller_list DEFAULT VALUES ON CONFLICT (is_only) DO UPDATE SET is_only = true${returningActor}`,
);

const WRITE = change(
  'controller-list-write',
  ({ returningActor }) =>
    `DELETE FROM controller_addresses WHERE last_seen_at < now() - interval '${STOOD_FOR_MS} ms'${returningActor}`,
);

const WRITE_2 = change(
  'controller-list-write-2',
  ({ returningActor }) => `UPDATE controller_list SET addresses = $1, stand_ins = $3,
  index = greatest(index + 2, $2::bigint + 2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)${returningActor}`,
);

export function controllerListStore(db: Db): ControllerListStore {
  return {
    async touch(address, everyMs) {
      await db.execute(CONTROLLER_ADDRESS_TOUCH, [address, everyMs]);
    },
    async leave(address) {
      await db.execute(LEAVE, [address]);
    },
    async read() {
      const row = await db.one(CONTROLLER_LIST);
      return {
        current: {
          index: Number(row?.index ?? 0),
          addresses: row?.addresses ?? [],
          standIns: (row?.standIns ?? []).map((pair) => {
            const [address = '', by = ''] = pair.split(' ');
            return { address, by };
          }),
        },
        seen: row?.seen ?? [],
        ids: new Map(Object.entries(row?.ids ?? {})),
      };
    },
    async lock() {
      await db.execute(LOCK);
    },
    async write({ addresses, standIns }, above) {
      await db.execute(WRITE);
      await db.execute(WRITE_2, [addresses, above, standIns.map(({ address, by }) => `${address} ${by}`)]);
      await db.execute(unprepared('SELECT', "SELECT pg_notify('edge', 'controllers')"));
    },
  };
}
