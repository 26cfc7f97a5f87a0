/**
 * Rules for callers that administer without being an administrator. An identity is *above* the caller when it is an
 * administrator or has a permission that the caller lacks. To log in as an identity gives its rights, so a caller must
 * neither change an identity above it nor learn how to enroll for it.
 */

/**
 * Rights of a caller or of the identity that it works on. Permissions are `entity`, `entity.action` or
 * `admin_readonly`.
 */
export interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

/** Has it, or a permission that includes it. */
export function holds({ isAdmin, permissions }: Rights, permission: string): boolean {
  const [entity = '', action] = permission.split('.');
  return (
    isAdmin ||
    permissions.includes(permission) ||
    permissions.includes(entity) ||
    (action === 'read' && permissions.includes('admin_readonly'))
  );
}

/** The permissions of the operations that make an enrollment of one, or give it another token. */
export const ENROLLING = {
  identity: ['identity.create', 'enrollment.create', 'enrollment.update'],
  router: ['router.create', 'router.update'],
} as const;

/** May make enrollments of identities or of routers, and so may read their tokens; to read alone is not enough. */
export const mayEnroll = (caller: Rights, kind: keyof typeof ENROLLING): boolean =>
  ENROLLING[kind].some((permission) => holds(caller, permission));

export function isAbove(identity: Rights, caller: Rights): boolean {
  if (caller.isAdmin) return false;
  return identity.isAdmin || !identity.permissions.every((permission) => holds(caller, permission));
}
