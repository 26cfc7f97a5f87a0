/** Terminators as dials choose among them. */
import type { StoredPeerData } from '../../domain/fabric/terminator.js';
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { HostingPrecedence } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { read } from '../postgres/statement.js';
import { elsewhereCost } from './terminator-costs.js';
import { PRECEDENCE, QUIESCED_JOIN } from './quiesced-routers.js';

/** A terminator as far as a dial needs to know it. */
export interface DialTarget {
  readonly id: string;
  readonly routerId: string;
  readonly binding: string;
  readonly address: string;
  readonly hostId: string;
  /** The session of its host; null when an administrator made it. */
  readonly sessionId: string | null;
  readonly cost: number;
  readonly precedence: HostingPrecedence;
  /** Cost that dials of other controllers add. */
  readonly elsewhereCost: number;
  /** Stored peer data, decoded by `peerDataOf` for the chosen terminator alone. */
  readonly peerData: StoredPeerData;
}

/** Terminators of which a dial may choose. */
export interface AnyTargetQuery {
  readonly serviceId: string;
  /** '' for those without one. */
  readonly instanceId: string;
  readonly max: number;
  /** The process that asks: it knows itself what it adds to costs. */
  readonly ownHost: string;
}

/** Selects the terminators that a dial considers when a service has many. */
export interface TargetQuery extends AnyTargetQuery {
  /** Costs of paths by the router where they end; those on other routers are not looked at. */
  readonly pathCosts: ReadonlyMap<string, number>;
  readonly strategy: Strategy;
  /** Id of the one that a sticky dialer had: it comes first in its precedence. */
  readonly sticky: string;
}

/** Strategies for which a cost is a weight at most. */
const TAKE_ANY: readonly Strategy[] = ['random', 'weighted'];
const columns = (ownHost: string) => `t.id, t.router_id AS "routerId", t.binding, t.address, t.host_id AS "hostId",
  t.session_id AS "sessionId", t.cost, ${PRECEDENCE} AS precedence,
  ${elsewhereCost(ownHost)} AS "elsewhereCost", t.peer_data AS "peerData"`;

const ANY_TARGETS = read<DialTarget>(
  'dial-any-targets',
  `SELECT ${columns('$4')} FROM terminators t ${QUIESCED_JOIN}
WHERE t.service_id = $1 AND t.instance_id = $2 LIMIT $3`,
);

const TARGETS = read<DialTarget>(
  'dial-targets',
  `SELECT ${columns('$8')}
FROM terminators t JOIN unnest($3::text[], $4::float8[]) AS p (router_id, cost) ON p.router_id = t.router_id
  ${QUIESCED_JOIN}
WHERE t.service_id = $1 AND t.instance_id = $2
ORDER BY array_position(ARRAY['required', 'default', 'failed'], ${PRECEDENCE}), t.id <> $6,
  CASE WHEN $5 THEN 0 ELSE t.cost + p.cost END, random()
LIMIT $7`,
);

const DIAL_HAS_ANY = read<{ any: boolean }>(
  'dial-has-any',
  'SELECT EXISTS (SELECT FROM terminators WHERE service_id = $1) AS any',
);

export async function anyDialTargets(
  db: Db,
  { serviceId, instanceId, max, ownHost }: AnyTargetQuery,
): Promise<DialTarget[]> {
  return db.many(ANY_TARGETS, [serviceId, instanceId, max, ownHost]);
}

export async function dialTargets(
  db: Db,
  { serviceId, instanceId, pathCosts, strategy, sticky, max, ownHost }: TargetQuery,
): Promise<DialTarget[]> {
  return db.many(TARGETS, [
    serviceId,
    instanceId,
    [...pathCosts.keys()],
    [...pathCosts.values()],
    TAKE_ANY.includes(strategy),
    sticky,
    max,
    ownHost,
  ]);
}

export async function hasTerminator(db: Db, serviceId: string): Promise<boolean> {
  const rows = await db.many(DIAL_HAS_ANY, [serviceId]);
  return rows[0]?.any === true;
}
