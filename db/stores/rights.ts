/** Identities above a caller, as domain/auth/rights.ts defines it, for lists that leave it out. */
import type { Rights } from '../../domain/auth/rights.js';
import { everything, rowsWhere } from '../query/scopes.js';
import type { Scope } from '../query/scopes.js';

/** Whether `permissions` are all held by whoever has those of the placeholder `held`. */
export const areHeld = (permissions: string, held: string): string =>
  `NOT EXISTS (SELECT FROM unnest(${permissions}) AS p (name)
    WHERE NOT (p.name = ANY (${held}) OR split_part(p.name, '.', 1) = ANY (${held})
      OR (p.name LIKE '%.read' AND 'admin_readonly' = ANY (${held}))))`;

/** Whether some identity `o` is above whoever has the permissions `$2`. */
const hasOneAbove = (condition: string): string => `SELECT EXISTS (SELECT FROM identities o WHERE ${condition}
  AND (o.is_admin OR o.is_default_admin OR o.permissions <> '{}')
  AND (o.is_admin OR o.is_default_admin OR NOT ${areHeld('o.permissions', '$2::text[]')})) AS "hasOne"`;

/** Whether one of those with the auth policy `$1` has more rights. */
export const HAS_ONE_ABOVE = hasOneAbove('o.auth_policy_id = $1');

/** Whether one of those with an authenticator or an enrollment of the CA `$1` has more rights. */
export const CA_HAS_ONE_ABOVE = hasOneAbove(`o.id IN (SELECT identity_id FROM authenticators WHERE ca_id = $1
  UNION ALL SELECT identity_id FROM enrollments WHERE ca_id = $1)`);

/** Rows whose identity, if there is one of this id, is not above the caller. */
export const notAbove = (id: string, { isAdmin, permissions }: Rights): Scope =>
  isAdmin
    ? everything
    : rowsWhere('not-above', (bind) => {
        const held = bind([...permissions], 'text[]');
        return `NOT EXISTS (SELECT FROM identities o WHERE o.id = ${id}
          AND (o.is_admin OR o.is_default_admin OR NOT ${areHeld('o.permissions', held)}))`;
      });
