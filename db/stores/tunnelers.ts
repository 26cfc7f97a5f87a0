/** The identity and the system policy of a router with a tunneler; both have the id of the router. */
import { defaultAuthPolicy } from '../../domain/auth/auth-policy.js';
import { TUNNEL_BINDING } from '../../domain/fabric/terminator.js';
import type { Db } from '../postgres/contracts.js';
import { change, locking } from '../postgres/statement.js';
import { insert } from '../query/table.js';
import { administratorStore } from './administrators.js';
import type { Refusal } from './administrators.js';
import { identity } from './identities.js';

const TUNNELER_LOCK_GRANTS = locking(
  'tunneler-lock-grants',
  'SELECT FROM service_policies WHERE identity_roles @> ARRAY[$1] ORDER BY id FOR NO KEY UPDATE',
);

const TUNNELER_LOCK_POLICIES = locking(
  'tunneler-lock-policies',
  `SELECT FROM edge_router_policies WHERE identity_roles @> ARRAY[$1] OR edge_router_roles @> ARRAY[$1]
  ORDER BY id FOR NO KEY UPDATE`,
);

const TUNNELER_POLICY_DELETE = change(
  'tunneler-policy-delete',
  ({ returningActor }) => `DELETE FROM edge_router_policies WHERE id = $1 AND is_system${returningActor}`,
);

const TUNNELER_TERMINATORS_DELETE = change(
  'tunneler-terminators-delete',
  ({ returningActor }) => `DELETE FROM terminators WHERE router_id = $1 AND binding = $2 AND is_system
  AND NOT EXISTS (SELECT FROM router_channels c WHERE c.router_id = $1)${returningActor}`,
);

const TUNNELER_IDENTITY_DELETE = change(
  'tunneler-identity-delete',
  ({ returningActor }) => `DELETE FROM identities WHERE id = $1${returningActor}`,
);

export async function addTunneler(db: Db, id: string, name: string): Promise<void> {
  await identity.insert(db, id, { name, typeId: 'Router', isAdmin: false, authPolicyId: defaultAuthPolicy.id });
  await insert(db, 'edge_router_policies', {
    id,
    name: `edge-router-${id}-system`,
    semantic: 'AnyOf',
    edge_router_roles: [`@${id}`],
    identity_roles: [`@${id}`],
    is_system: true,
  });
}

export async function renameTunneler(db: Db, id: string, name: string): Promise<void> {
  await identity.update(db, id, { name });
  db.touched?.({ identity: id });
}

/** Locks the identity before its policies. @throws DomainError of this kind for the last administrator */
export const removeTunneler = (db: Db, id: string, refusal: Refusal): Promise<void> =>
  administratorStore(db).keep(id, refusal, () => takeTunneler(db, id));

/** Locks policies in the order in which every delete takes them: kind by kind, each by id. */
async function takeTunneler(db: Db, id: string): Promise<void> {
  await db.execute(TUNNELER_LOCK_GRANTS, [`@${id}`]);
  await db.execute(TUNNELER_LOCK_POLICIES, [`@${id}`]);
  await db.execute(TUNNELER_POLICY_DELETE, [id]);
  // Removes those of a router that is away. The holder of its channel removes them after the router was told, or it
  // would host no more when the tunneler is switched on again at once.
  await db.execute(TUNNELER_TERMINATORS_DELETE, [id, TUNNEL_BINDING]);
  await db.execute(TUNNELER_IDENTITY_DELETE, [id]);
  db.touched?.({ identity: id });
}
