/**
 * Connected routers. The process of a controller that holds channels is a host: it has a row with a sign of
 * life, and one for each of its channels. All of this may be lost in a failover: the host writes it again.
 */
import type { RouterPresence } from '../../domain/router.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, read } from '../postgres/statement.js';

/** A host that showed no sign of life for so long is taken for dead, and its routers for gone. */
const LIFETIME = "interval '4 seconds'";
/** The host `h` shows signs of life. */
export const HOST_IS_ALIVE = `h.seen_at > now() - ${LIFETIME}`;

/** All that a host knows of one router. */
export interface RouterChannelRow extends RouterPresence {
  readonly routerId: string;
  /** A signed number of 64 bits in digits. */
  readonly capabilitiesMask: string;
}

/**
 * The latest connection of router `t` as JSON, which has the time as a number; null when it is not connected. A
 * subquery is faster than a join here: PostgreSQL prepares less for each execution.
 */
export const PRESENCE = `(SELECT json_build_object(
    'connectedAt', floor(extract(epoch FROM c.connected_at) * 1000), 'syncStatus', c.sync_status,
    'hostname', c.hostname, 'protocols', c.protocols, 'linkListeners', c.link_listeners, 'versionInfo', c.version_info)
  FROM router_channels c JOIN router_hosts h ON h.id = c.host_id
  WHERE c.router_id = t.id AND ${HOST_IS_ALIVE} ORDER BY c.connected_at DESC LIMIT 1)`;

/** Whether the router with this id is connected. */
export const isOnlineSql = (routerId: string): string =>
  `EXISTS (SELECT FROM router_channels c JOIN router_hosts h ON h.id = c.host_id
    WHERE c.router_id = ${routerId} AND ${HOST_IS_ALIVE})`;

export interface ChannelElsewhere {
  readonly routerId: string;
  readonly hostId: string;
}

export interface RouterChannelStore {
  /** The host begins, with no channels; what its id had before is gone. */
  join(hostId: string, controllerId: string): Promise<void>;
  /**
   * A sign of life, with the number of circuits that it has; also deletes what dead hosts have left.
   * @returns false when the host is not known (any more): it has to join, and write its channels again
   */
  touch(hostId: string, circuits: number): Promise<boolean>;
  /** Writes what the host knows of some routers, and takes out others. Routers that are deleted are left out. */
  write(hostId: string, present: readonly RouterChannelRow[], gone: readonly string[]): Promise<void>;
  /** The host ends. */
  leave(hostId: string): Promise<void>;
  /** Channels of these routers to other hosts that are alive. */
  elsewhere(hostId: string, routerIds: readonly string[]): Promise<ChannelElsewhere[]>;
  /** Hosts of a controller of which no process can be alive. */
  forgetHostsOf(controllerId: string): Promise<void>;
}

/** Writes what stays when the router goes to the router itself, where it differs. */
const WRITE = asyncChange(
  'router-channels-write',
  ({ returningActor }) => `WITH u AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($2::jsonb) AS u ("routerId" text,
  "connectedAt" timestamptz, "syncStatus" text, hostname text, protocols jsonb, "linkListeners" jsonb,
  "versionInfo" jsonb, "capabilitiesMask" bigint)),
other AS MATERIALIZED (SELECT r.id FROM routers r JOIN u ON u."routerId" = r.id
  WHERE (r.version, r.capabilities_mask) IS DISTINCT FROM (u."versionInfo" ->> 'version', u."capabilitiesMask")
  ORDER BY r.id FOR NO KEY UPDATE OF r),
kept AS (UPDATE routers r SET version = u."versionInfo" ->> 'version', capabilities_mask = u."capabilitiesMask"
  FROM u WHERE r.id = u."routerId" AND r.id IN (SELECT id FROM other))
INSERT INTO router_channels AS c
  (router_id, host_id, connected_at, sync_status, hostname, protocols, link_listeners, version_info)
SELECT u."routerId", $1, u."connectedAt", u."syncStatus", u.hostname, u.protocols, u."linkListeners", u."versionInfo"
FROM u JOIN routers r ON r.id = u."routerId"
ON CONFLICT (router_id, host_id) DO UPDATE SET connected_at = excluded.connected_at,
  sync_status = excluded.sync_status, hostname = excluded.hostname, protocols = excluded.protocols,
  link_listeners = excluded.link_listeners, version_info = excluded.version_info${returningActor}`,
);

const ROUTER_HOST_JOIN = asyncChange(
  'router-host-join',
  ({ returningActor }) => `WITH former AS (DELETE FROM router_channels WHERE host_id = $1),
  former_links AS (DELETE FROM router_links WHERE host_id = $1),
  former_circuits AS (DELETE FROM circuits WHERE host_id = $1),
  former_costs AS (DELETE FROM terminator_costs WHERE host_id = $1),
  former_identities AS (DELETE FROM connected_identities WHERE host_id = $1),
  left_over AS (DELETE FROM circuits c WHERE created_at < now() - interval '7 days'
    AND NOT EXISTS (SELECT FROM router_hosts h WHERE h.id = c.host_id))
  INSERT INTO router_hosts (id, controller_id) VALUES ($1, $2)
  ON CONFLICT (id) DO UPDATE SET seen_at = now(), joined_at = now()${returningActor}`,
);

const ROUTER_HOST_TOUCH = asyncChange(
  'router-host-touch',
  ({ returningActor }) => `WITH dead AS (DELETE FROM router_hosts WHERE seen_at < now() - ${LIFETIME} AND id <> $1)
  UPDATE router_hosts SET seen_at = now(), circuits = $2 WHERE id = $1${returningActor}`,
);

const ROUTER_CHANNELS_GONE = asyncChange(
  'router-channels-gone',
  ({ returningActor }) => `DELETE FROM router_channels WHERE host_id = $1 AND router_id = ANY ($2)${returningActor}`,
);

const ROUTER_HOST_LEAVE = asyncChange(
  'router-host-leave',
  ({ returningActor }) => `DELETE FROM router_hosts WHERE id = $1${returningActor}`,
);

const ELSEWHERE = read<ChannelElsewhere>(
  'router-channels-elsewhere',
  `SELECT c.router_id AS "routerId", c.host_id AS "hostId"
  FROM router_channels c JOIN router_hosts h ON h.id = c.host_id
  WHERE c.host_id <> $1 AND c.router_id = ANY ($2) AND ${HOST_IS_ALIVE}`,
);

const FORGET_HOSTS_OF = change(
  'router-channel-forget-hosts-of',
  ({ returningActor }) => `DELETE FROM router_hosts WHERE controller_id = $1${returningActor}`,
);

export function routerChannelStore(db: Db): RouterChannelStore {
  return {
    async join(hostId, controllerId) {
      await db.execute(ROUTER_HOST_JOIN, [hostId, controllerId]);
    },
    async touch(hostId, circuits) {
      const rowCount = await db.count(ROUTER_HOST_TOUCH, [hostId, circuits]);
      return rowCount === 1;
    },
    async write(hostId, present, gone) {
      if (gone.length > 0) await db.execute(ROUTER_CHANNELS_GONE, [hostId, gone]);
      if (present.length > 0) await db.execute(WRITE, [hostId, JSON.stringify(present)]);
    },
    async leave(hostId) {
      await db.execute(ROUTER_HOST_LEAVE, [hostId]);
    },
    elsewhere: (hostId, routerIds) => db.many(ELSEWHERE, [hostId, routerIds]),
    async forgetHostsOf(controllerId) {
      await db.execute(FORGET_HOSTS_OF, [controllerId]);
    },
  };
}
