/** The identity and the system policy of a router with a tunneler; both have the id of the router. */
import { defaultAuthPolicy } from '../../domain/auth/auth-policy.js';
import type { Db } from '../postgres/contracts.js';
import { change } from '../postgres/statement.js';
import type { TableRow } from '../query/change-statements.js';
import { insert } from '../query/table.js';
import { administratorStore } from './administrators.js';
import type { Refusal } from './administrators.js';
import { identity } from './identities.js';

/** Takes its identity and its policy from the router `t`, and what the tunneler hosts: a function of PostgreSQL. */
export const TAKEN = 'take_tunneler(t.id)';

const TAKE = change(
  'tunneler-take',
  ({ actor }) => `WITH t AS MATERIALIZED (SELECT $1::text AS id${actor}) SELECT ${TAKEN} FROM t`,
);

/** The rows of its identity and of its policy, in this order. */
export const tunnelerRows = (id: string, name: string): readonly TableRow[] => [
  [
    'identities',
    {
      id,
      ...identity.valuesOf({ name, typeId: 'Router', isAdmin: false, authPolicyId: defaultAuthPolicy.id }),
    },
  ],
  [
    'edge_router_policies',
    {
      id,
      name: `edge-router-${id}-system`,
      semantic: 'AnyOf',
      edge_router_roles: [`@${id}`],
      identity_roles: [`@${id}`],
      is_system: true,
    },
  ],
];

export async function addTunneler(db: Db, id: string, name: string): Promise<void> {
  for (const [table, values] of tunnelerRows(id, name)) await insert(db, table, values);
}

export async function renameTunneler(db: Db, id: string, name: string): Promise<void> {
  await identity.update(db, id, { name });
  db.touched?.({ identity: id });
}

/** Locks the identity before its policies. @throws DomainError of this kind for the last administrator */
export const removeTunneler = (db: Db, id: string, refusal: Refusal): Promise<void> =>
  administratorStore(db).keep(id, refusal, () => takeTunneler(db, id));

async function takeTunneler(db: Db, id: string): Promise<void> {
  await db.execute(TAKE, [id]);
  db.touched?.({ identity: id });
}
