/**
 * Terminators as routers make and lose them. A router names each by an id of its own choosing, and repeats that after
 * every reconnect. Whatever is read, changed or removed here belongs to the router that asks.
 */
import { HOSTED_BOUNDS, SDK_BINDING, TUNNEL_BINDING, peerDataOf } from '../../domain/fabric/terminator.js';
import type { PeerData, StoredPeerData } from '../../domain/fabric/terminator.js';
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { HostingPrecedence } from '../../domain/model.js';
import { TOUCHED, laterThan } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { reachesSql } from './router-models.js';
import { changeAside, locking, read, slowRead } from '../postgres/statement.js';

interface AnyDraft {
  /** Also its address. */
  readonly id: string;
  readonly routerId: string;
  readonly instanceId: string;
  readonly instanceSecret: Buffer | null;
  readonly peerData: PeerData;
  readonly cost: number;
  readonly precedence: HostingPrecedence;
}

/** Of a client of the router. */
export interface HostedDraft extends AnyDraft {
  /** Of type Bind. It decides service and host, and the terminator ends with it. */
  readonly sessionId: string;
}

/** Of the router itself, whose own identity hosts it. */
export interface TunnelDraft extends AnyDraft {
  readonly serviceId: string;
}

/**
 * `noSession`, `noService`: it has ended meanwhile; `idTaken`: the id is another terminator's; `instanceTaken`:
 * another identity hosts the service under this instance id; `tooMany`: one more would pass `HOSTED_BOUNDS`.
 */
export type HostingOutcome = 'created' | 'kept' | 'noSession' | 'noService' | 'idTaken' | 'instanceTaken' | 'tooMany';

/** What a dial needs to know of a terminator. */
export interface DialTarget {
  readonly id: string;
  readonly routerId: string;
  readonly binding: string;
  readonly address: string;
  readonly hostId: string;
  /** Of its host; null when an administrator made it. */
  readonly sessionId: string | null;
  readonly cost: number;
  readonly precedence: HostingPrecedence;
  /** For `peerDataOf`: read for the one that is chosen. */
  readonly peerData: StoredPeerData;
}

/** Which terminators of a service a dial looks at. */
export interface TargetQuery {
  readonly serviceId: string;
  /** '' for those without one. */
  readonly instanceId: string;
  /** Costs of paths by the router where they end; those on other routers are not looked at. */
  readonly pathCosts: ReadonlyMap<string, number>;
  readonly strategy: Strategy;
  /** Id of the one that a sticky dialer had: it comes first in its precedence. */
  readonly sticky: string;
  readonly max: number;
}

/** As a router is asked whether it still has it. */
export interface HostedTerminator {
  readonly id: string;
  readonly binding: string;
  readonly address: string;
  /** Of its host; null for what the router hosts itself. */
  readonly sessionId: string | null;
}

export interface HostedTerminatorStore {
  /** Whether it is there exactly so: then `host` would change nothing. */
  isHosted(draft: HostedDraft): Promise<boolean>;
  /** Call in a transaction. */
  host(draft: HostedDraft): Promise<HostingOutcome>;
  /** As `isHosted` and `host`, for what the router hosts itself. */
  isTunnelHosted(draft: TunnelDraft): Promise<boolean>;
  hostTunnel(draft: TunnelDraft): Promise<HostingOutcome>;
  /**
   * The best, in the order of precedence and of what they cost with their path; among equals any. For a strategy that
   * takes any of the best precedence, any of that.
   */
  targets(query: TargetQuery): Promise<DialTarget[]>;
  /** Whether the service has any terminator at all, on whatever router. */
  hasAny(serviceId: string): Promise<boolean>;
  isThere(id: string): Promise<boolean>;
  /** At most `max` of those that clients of a router and the router itself host, with ids after `after`, by id. */
  hostedOn(routerId: string, after: string, max: number): Promise<HostedTerminator[]>;
  /** False when the identity hosts no such terminator on the router. */
  change(
    terminator: { id: string; routerId: string; identityId: string },
    changes: { cost?: number; precedence?: HostingPrecedence },
  ): Promise<boolean>;
  /** Those of `ids` that the router had. */
  remove(ids: readonly string[], routerId: string): Promise<string[]>;
  /** Those on this router that these sessions host. */
  removeOfSessions(sessionIds: readonly string[], routerId: string): Promise<void>;
  /**
   * Those that the router hosts itself and may not host any more, of these services or of all but these. What it may
   * host stays, whatever the caller believes.
   */
  removeTunneled(
    routerId: string,
    services: { readonly ids: readonly string[]; readonly areKept: boolean },
  ): Promise<string[]>;
}

const FIND = read<FoundRow>(
  'host-find',
  `SELECT router_id, service_id, binding, session_id, instance_id, instance_secret, cost, precedence,
  peer_data
  FROM terminators WHERE id = $1`,
);
/** The seed of a hash that is the number of a lock; the same on every controller of a network. */
const HOST_SEED = 7_210_420;
/** One host and service are counted by one at a time. */
const lockHost = (service: string, host: string) =>
  `pg_advisory_xact_lock(hashtextextended(${service} || ' ' || ${host}, ${HOST_SEED}))`;
const SESSION = locking<{ service_id: string; identity_id: string }>(
  'host-session',
  `SELECT service_id, identity_id, ${lockHost('service_id', 'identity_id')} FROM sessions
  WHERE id = $1 AND type = 'Bind' FOR KEY SHARE`,
);
const SERVICE = locking('host-service', `SELECT ${lockHost('id', '$2')} FROM services WHERE id = $1 FOR KEY SHARE`);
const INSTANCE_SEED = 7_210_419;
/** Two hosts that come at once with one instance id: the second one waits, and then sees the first. */
const LOCK_INSTANCE = locking(
  'host-instance-lock',
  `SELECT pg_advisory_xact_lock(hashtextextended($1, ${INSTANCE_SEED}))`,
);
const INSTANCE = slowRead<{ taken: boolean }>(
  'host-instance',
  `SELECT EXISTS (SELECT FROM terminators
  WHERE service_id = $1 AND instance_id = $2 AND host_id <> $3 AND id <> $4) AS taken`,
);
/** Counts no further than the bound. */
export const isBelow = (most: number, where: string) =>
  `(SELECT count(*) FROM (SELECT FROM terminators WHERE ${where} LIMIT ${most}) c) < ${most}`;
/** Counts only for one that is not there yet. */
const UPSERT = changeAside<{ is_new: boolean }>(
  'host-upsert',
  ({ actor }) => `INSERT INTO terminators AS t (id, address, binding, is_system, router_id, session_id, service_id,
  host_id, instance_id, instance_secret, peer_data, cost, precedence)
SELECT $1, $1, $2, true, $3, $4::text, $5, $6, $7, $8::bytea, $9::jsonb, $10::integer, $11
WHERE EXISTS (SELECT FROM terminators WHERE id = $1)
  OR (${isBelow(HOSTED_BOUNDS.session, 'session_id = $4::text AND router_id = $3')}
    AND ${isBelow(HOSTED_BOUNDS.host, 'service_id = $5 AND host_id = $6 AND is_system')}
    AND ${isBelow(HOSTED_BOUNDS.router, 'router_id = $3')})
ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id, peer_data = excluded.peer_data,
  instance_secret = excluded.instance_secret,
  cost = excluded.cost, precedence = excluded.precedence, updated_at = ${laterThan('t.updated_at')}
WHERE t.binding = excluded.binding AND t.router_id = excluded.router_id AND t.service_id = excluded.service_id
  AND t.host_id = excluded.host_id AND t.instance_id = excluded.instance_id
RETURNING (xmax = 0) AS is_new${actor}`,
);

/** Strategies for which a cost is a weight at most. */
const TAKE_ANY: readonly Strategy[] = ['random', 'weighted'];
const TARGETS = read<DialTarget>(
  'dial-targets',
  `SELECT t.id, t.router_id AS "routerId", t.binding, t.address, t.host_id AS "hostId",
  t.session_id AS "sessionId", t.cost, t.precedence, t.peer_data AS "peerData"
FROM terminators t JOIN unnest($3::text[], $4::float8[]) AS p (router_id, cost) ON p.router_id = t.router_id
WHERE t.service_id = $1 AND t.instance_id = $2
ORDER BY array_position(ARRAY['required', 'default', 'failed'], t.precedence), t.id <> $6,
  CASE WHEN $5 THEN 0 ELSE t.cost + p.cost END, random()
LIMIT $7`,
);

/** Of one moment: a terminator that is seen here was made by a grant that is seen too, unless it is lost by now. */
const REMOVE_TUNNELED = changeAside<{ id: string }>(
  'terminators-remove-tunneled',
  ({ actor }) => `DELETE FROM terminators t WHERE t.router_id = $1 AND t.binding = $2 AND t.is_system
  AND (t.service_id = ANY ($3)) <> $4 AND NOT ${reachesSql('$1', 't.service_id', "'Bind'")} RETURNING t.id${actor}`,
);

interface FoundRow {
  router_id: string;
  service_id: string;
  binding: string;
  session_id: string | null;
  instance_id: string;
  instance_secret: Buffer | null;
  cost: number;
  precedence: HostingPrecedence;
  peer_data: StoredPeerData;
}
/** Whose a terminator is. */
interface Owner {
  readonly binding: string;
  readonly sessionId: string | null;
  readonly serviceId: string;
  readonly hostId: string;
}

const DIAL_HAS_ANY = read<{ any: boolean }>(
  'dial-has-any',
  'SELECT EXISTS (SELECT FROM terminators WHERE service_id = $1) AS any',
);

const TERMINATOR_IS_THERE = read<{ there: boolean }>(
  'terminator-is-there',
  'SELECT EXISTS (SELECT FROM terminators WHERE id = $1) AS there',
);

const TERMINATORS_HOSTED = slowRead<HostedTerminator>(
  'terminators-hosted',
  `SELECT id, binding, address, session_id AS "sessionId" FROM terminators
  WHERE router_id = $1 AND id > $2 AND (session_id IS NOT NULL OR binding = $4 AND is_system)
  ORDER BY id LIMIT $3`,
);

const TERMINATOR_CHANGE = changeAside(
  'terminator-change',
  ({
    returningActor,
  }) => `UPDATE terminators SET cost = coalesce($4, cost), precedence = coalesce($5, precedence), ${TOUCHED}
  WHERE id = $1 AND router_id = $2 AND host_id = $3${returningActor}`,
);

const TERMINATORS_REMOVE = changeAside<{ id: string }>(
  'terminators-remove',
  ({ actor }) => `DELETE FROM terminators WHERE id = ANY ($1) AND router_id = $2 AND is_system RETURNING id${actor}`,
);

const TERMINATORS_REMOVE_OF_SESSIONS = changeAside(
  'terminators-remove-of-sessions',
  ({ returningActor }) => `DELETE FROM terminators WHERE session_id = ANY ($1) AND router_id = $2${returningActor}`,
);

export function hostedTerminatorStore(db: Db): HostedTerminatorStore {
  const sessionOf = async (sessionId: string) => {
    const rows = await db.many(SESSION, [sessionId]);
    return rows[0];
  };
  const isInstanceTaken = async (serviceId: string, hostId: string, { id, instanceId }: AnyDraft) => {
    if (instanceId === '') return false;
    await db.execute(LOCK_INSTANCE, [`${serviceId} ${instanceId}`]);
    const rows = await db.many(INSTANCE, [serviceId, instanceId, hostId, id]);
    return rows[0]?.taken === true;
  };
  const find = async (id: string) => await db.one(FIND, [id]);
  const upsert = async (draft: AnyDraft, { binding, sessionId, serviceId, hostId }: Owner): Promise<HostingOutcome> => {
    if (await isInstanceTaken(serviceId, hostId, draft)) return 'instanceTaken';
    const rows = await db.many(UPSERT, [
      draft.id,
      binding,
      draft.routerId,
      sessionId,
      serviceId,
      hostId,
      draft.instanceId,
      draft.instanceSecret,
      textOf(draft.peerData),
      draft.cost,
      draft.precedence,
    ]);
    if (rows[0] === undefined) return (await find(draft.id)) === undefined ? 'tooMany' : 'idTaken';
    return rows[0].is_new ? 'created' : 'kept';
  };
  return {
    async isHosted(draft) {
      const found = await find(draft.id);
      return found?.binding === SDK_BINDING && found.session_id === draft.sessionId && isSame(found, draft);
    },
    async host(draft) {
      const session = await sessionOf(draft.sessionId);
      if (session === undefined) return 'noSession';
      const { service_id: serviceId, identity_id: hostId } = session;
      return upsert(draft, { binding: SDK_BINDING, sessionId: draft.sessionId, serviceId, hostId });
    },
    async isTunnelHosted(draft) {
      const found = await find(draft.id);
      return found?.binding === TUNNEL_BINDING && found.service_id === draft.serviceId && isSame(found, draft);
    },
    async hostTunnel(draft) {
      const { serviceId, routerId } = draft;
      if ((await db.count(SERVICE, [serviceId, routerId])) === 0) return 'noService';
      return upsert(draft, { binding: TUNNEL_BINDING, sessionId: null, serviceId, hostId: routerId });
    },
    async targets({ serviceId, instanceId, pathCosts, strategy, sticky, max }) {
      const rows = await db.many(TARGETS, [
        serviceId,
        instanceId,
        [...pathCosts.keys()],
        [...pathCosts.values()],
        TAKE_ANY.includes(strategy),
        sticky,
        max,
      ]);
      return [...rows];
    },
    async hasAny(serviceId) {
      const rows = await db.many(DIAL_HAS_ANY, [serviceId]);
      return rows[0]?.any === true;
    },
    async isThere(id) {
      const rows = await db.many(TERMINATOR_IS_THERE, [id]);
      return rows[0]?.there === true;
    },
    async hostedOn(routerId, after, max) {
      const rows = await db.many(TERMINATORS_HOSTED, [routerId, after, max, TUNNEL_BINDING]);
      return [...rows];
    },
    async change({ id, routerId, identityId }, { cost, precedence }) {
      const rowCount = await db.count(TERMINATOR_CHANGE, [id, routerId, identityId, cost ?? null, precedence ?? null]);
      return rowCount > 0;
    },
    async remove(ids, routerId) {
      const rows = await db.many(TERMINATORS_REMOVE, [ids, routerId]);
      return rows.map(({ id }) => id);
    },
    async removeOfSessions(sessionIds, routerId) {
      await db.execute(TERMINATORS_REMOVE_OF_SESSIONS, [sessionIds, routerId]);
    },
    async removeTunneled(routerId, { ids, areKept }) {
      const rows = await db.many(REMOVE_TUNNELED, [routerId, TUNNEL_BINDING, ids, areKept]);
      return rows.map(({ id }) => id);
    },
  };
}

/** Whose it is was compared before. */
function isSame(found: FoundRow, draft: AnyDraft): boolean {
  return (
    found.router_id === draft.routerId &&
    found.instance_id === draft.instanceId &&
    isSameSecret(found.instance_secret, draft.instanceSecret) &&
    found.cost === draft.cost &&
    found.precedence === draft.precedence &&
    isSamePeerData(peerDataOf(found.peer_data), draft.peerData)
  );
}

const isSameSecret = (a: Buffer | null, b: Buffer | null): boolean => (a === null ? b === null : b?.equals(a) === true);

const isSamePeerData = (a: PeerData, b: PeerData): boolean =>
  a.size === b.size &&
  [...a].every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && Buffer.from(value).equals(other);
  });

const textOf = (peerData: PeerData): string =>
  JSON.stringify(Object.fromEntries([...peerData].map(([key, value]) => [key, Buffer.from(value).toString('base64')])));
