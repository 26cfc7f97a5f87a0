/** Hosts terminators for routers: adds one within the bounds, or keeps the one that is there already. */
import { HOSTED_BOUNDS, SDK_BINDING, TUNNEL_BINDING, peerDataOf } from '../../domain/fabric/terminator.js';
import type { PeerData, StoredPeerData } from '../../domain/fabric/terminator.js';
import type { HostingPrecedence } from '../../domain/model.js';
import { allSql } from '../query/member-pages.js';
import type { Db } from '../postgres/contracts.js';
import { changeAside, locking, read, slowRead } from '../postgres/statement.js';
import { laterThan } from '../query/change-statements.js';

interface AnyDraft {
  /** Id, which is its address too. */
  readonly id: string;
  readonly routerId: string;
  readonly instanceId: string;
  readonly instanceSecret: Buffer | null;
  readonly peerData: PeerData;
  readonly cost: number;
  readonly precedence: HostingPrecedence;
}

/** A terminator that a client of the router hosts. */
export interface HostedDraft extends AnyDraft {
  /** A session of type Bind. It decides service and host, and the terminator ends with it. */
  readonly sessionId: string;
}

/** A terminator of the router itself, whose own identity hosts it. */
export interface TunnelDraft extends AnyDraft {
  readonly serviceId: string;
}

/**
 * `noSession`, `noService`: it has ended meanwhile; `idTaken`: the id is another terminator's; `instanceTaken`:
 * another identity hosts the service under this instance id; `tooMany`: one more would pass `HOSTED_BOUNDS`.
 */
export type HostingResult = 'created' | 'kept' | 'noSession' | 'noService' | 'idTaken' | 'instanceTaken' | 'tooMany';

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
/** The host of a terminator. */
interface Owner {
  readonly binding: string;
  readonly sessionId: string | null;
  readonly serviceId: string;
  readonly hostId: string;
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
export const isBelow = (most: number, where: string, table = 'terminators') =>
  `(SELECT count(*) FROM (SELECT FROM ${table} WHERE ${where} LIMIT ${most}) c) < ${most}`;
/** The same; looks at no row while the whole table has fewer. */
export const isBelowOrFew = (most: number, where: string, table = 'terminators') =>
  `(${allSql(table)} < ${most} OR ${isBelow(most, where, table)})`;
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

/** Compares all but the owner, which was compared before. */
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

async function isInstanceTaken(
  db: Db,
  serviceId: string,
  hostId: string,
  { id, instanceId }: AnyDraft,
): Promise<boolean> {
  if (instanceId === '') return false;
  await db.execute(LOCK_INSTANCE, [`${serviceId} ${instanceId}`]);
  const rows = await db.many(INSTANCE, [serviceId, instanceId, hostId, id]);
  return rows[0]?.taken === true;
}

async function upsert(
  db: Db,
  draft: AnyDraft,
  { binding, sessionId, serviceId, hostId }: Owner,
): Promise<HostingResult> {
  if (await isInstanceTaken(db, serviceId, hostId, draft)) return 'instanceTaken';
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
  if (rows[0] === undefined) return (await db.one(FIND, [draft.id])) === undefined ? 'tooMany' : 'idTaken';
  return rows[0].is_new ? 'created' : 'kept';
}

export async function isHosted(db: Db, draft: HostedDraft): Promise<boolean> {
  const found = await db.one(FIND, [draft.id]);
  return found?.binding === SDK_BINDING && found.session_id === draft.sessionId && isSame(found, draft);
}

export async function host(db: Db, draft: HostedDraft): Promise<HostingResult> {
  const session = await db.one(SESSION, [draft.sessionId]);
  if (session === undefined) return 'noSession';
  const { service_id: serviceId, identity_id: hostId } = session;
  return upsert(db, draft, { binding: SDK_BINDING, sessionId: draft.sessionId, serviceId, hostId });
}

export async function isTunnelHosted(db: Db, draft: TunnelDraft): Promise<boolean> {
  const found = await db.one(FIND, [draft.id]);
  return found?.binding === TUNNEL_BINDING && found.service_id === draft.serviceId && isSame(found, draft);
}

export async function hostTunnel(db: Db, draft: TunnelDraft): Promise<HostingResult> {
  const { serviceId, routerId } = draft;
  if ((await db.count(SERVICE, [serviceId, routerId])) === 0) return 'noService';
  return upsert(db, draft, { binding: TUNNEL_BINDING, sessionId: null, serviceId, hostId: routerId });
}
