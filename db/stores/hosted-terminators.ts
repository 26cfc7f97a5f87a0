/**
 * Terminators as routers make and lose them. A router names each by an id of its own choosing, and repeats that after
 * every reconnect. Whatever is read, changed or removed here belongs to the router that asks.
 */
import { TUNNEL_BINDING } from '../../domain/fabric/terminator.js';
import type { HostingPrecedence } from '../../domain/model.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { changeAside, read, slowRead } from '../postgres/statement.js';
import { anyDialTargets, dialTargets, hasTerminator } from './dial-targets.js';
import type { AnyTargetQuery, DialTarget, TargetQuery } from './dial-targets.js';
import { reachesSql } from './router-models.js';
import { host, hostTunnel, isHosted, isTunnelHosted } from './terminator-hosting.js';
import type { HostedDraft, HostingResult, TunnelDraft } from './terminator-hosting.js';

/** A terminator as its router is asked whether it still has it. */
export interface HostedTerminator {
  readonly id: string;
  readonly binding: string;
  readonly address: string;
  /** The session of its host; null for what the router hosts itself. */
  readonly sessionId: string | null;
}

/** A router that hosts by itself, and services that it may host. */
export interface TunnelHost {
  readonly routerId: string;
  readonly serviceIds: Iterable<string>;
}

export interface HostedTerminatorStore {
  /** Whether it is there exactly so: then `host` would change nothing. */
  isHosted(draft: HostedDraft): Promise<boolean>;
  /** Call in a transaction. */
  host(draft: HostedDraft): Promise<HostingResult>;
  /** The same as `isHosted` and `host`, for what the router hosts itself. */
  isTunnelHosted(draft: TunnelDraft): Promise<boolean>;
  hostTunnel(draft: TunnelDraft): Promise<HostingResult>;
  /**
   * The best, in the order of precedence and of what they cost with their path; among equals any. For a strategy that
   * takes any of the best precedence, any of that.
   */
  targets(query: TargetQuery): Promise<DialTarget[]>;
  /** Any of them, on whatever routers: all, when there are fewer than `max`. */
  anyTargets(query: AnyTargetQuery): Promise<DialTarget[]>;
  /** Whether the service has any terminator at all, on whatever router. */
  hasAny(serviceId: string): Promise<boolean>;
  isThere(id: string): Promise<boolean>;
  /** Lists up to `max` terminators that a router and its clients host, with ids after `after`, by id. */
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
   * Those of these services that the router hosts itself and may not host any more. What it may host stays, whatever
   * the caller believes.
   */
  removeTunneled(routerId: string, serviceIds: readonly string[]): Promise<string[]>;
  /** The same of several routers, and of all services but those that each is believed to host rightly. */
  removeTunneledBut(hosts: readonly TunnelHost[]): Promise<{ readonly id: string; readonly routerId: string }[]>;
}

/** Reads at one moment: a terminator seen here was made by a grant that is seen too, unless it is lost by now. */
const REMOVE_TUNNELED = changeAside<{ id: string }>(
  'terminators-remove-tunneled',
  ({ actor }) => `DELETE FROM terminators t WHERE t.router_id = $1 AND t.binding = $2 AND t.is_system
  AND t.service_id = ANY ($3) AND NOT ${reachesSql('$1', 't.service_id', "'Bind'")} RETURNING t.id${actor}`,
);

/** `$3` and `$4` are pairs of a router and a service that it is believed to host rightly. */
const REMOVE_TUNNELED_BUT = changeAside<{ id: string; routerId: string }>(
  'terminators-remove-tunneled-but',
  ({ actor }) => `DELETE FROM terminators t WHERE t.router_id = ANY ($1) AND t.binding = $2 AND t.is_system
  AND (t.router_id, t.service_id) NOT IN (SELECT * FROM unnest($3::text[], $4::text[]))
  AND NOT ${reachesSql('t.router_id', 't.service_id', "'Bind'")} RETURNING t.id, t.router_id AS "routerId"${actor}`,
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
  return {
    isHosted: (draft) => isHosted(db, draft),
    host: (draft) => host(db, draft),
    isTunnelHosted: (draft) => isTunnelHosted(db, draft),
    hostTunnel: (draft) => hostTunnel(db, draft),
    targets: (query) => dialTargets(db, query),
    anyTargets: (query) => anyDialTargets(db, query),
    hasAny: (serviceId) => hasTerminator(db, serviceId),
    async isThere(id) {
      const rows = await db.many(TERMINATOR_IS_THERE, [id]);
      return rows[0]?.there === true;
    },
    hostedOn: (routerId, after, max) => db.many(TERMINATORS_HOSTED, [routerId, after, max, TUNNEL_BINDING]),
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
    async removeTunneled(routerId, serviceIds) {
      const rows = await db.many(REMOVE_TUNNELED, [routerId, TUNNEL_BINDING, serviceIds]);
      return rows.map(({ id }) => id);
    },
    async removeTunneledBut(hosts) {
      const routerIds = hosts.map(({ routerId }) => routerId);
      const pairs = hosts.flatMap(({ routerId, serviceIds }) => [...serviceIds].map((id) => ({ routerId, id })));
      const kept = [pairs.map((pair) => pair.routerId), pairs.map(({ id }) => id)];
      return await db.many(REMOVE_TUNNELED_BUT, [routerIds, TUNNEL_BINDING, ...kept]);
    },
  };
}
