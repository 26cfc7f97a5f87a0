/** Permissions: how a caller must stand for an operation, and which sessions open administration. */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.js';
import type { OperationSpec, Permission } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { Bearer, Caller } from '../../handlers/reply.js';
import { incomplete } from '../../handlers/login/owed-token.js';
import { isOwnClient } from '../../handlers/login/possession.js';
import type { ApiSessionRegistry, Authenticated } from '../sessions/api-sessions.js';
import type { Peers } from './peer.js';

/** Needs of an operation, by its permission. */
const NEEDS: Readonly<Record<Permission, { readonly isComplete: boolean; readonly isAdmin: boolean }>> = {
  public: { isComplete: false, isAdmin: false },
  partial: { isComplete: false, isAdmin: false },
  own: { isComplete: true, isAdmin: false },
  admin: { isComplete: true, isAdmin: true },
};

/** @throws DomainError `unauthenticated`, or `forbidden` where the spec says so (`x-refusal`) */
export function requirePermission(operation: OperationSpec, caller: Caller): void {
  const needs = NEEDS[operation.permission];
  if (needs.isComplete && !caller.isComplete) throw incomplete(caller);
  if (!needs.isAdmin || caller.isAdmin) return;
  if (operation.grantedBy.some((permission) => caller.permissions.includes(permission))) return;
  const kind = operation.refusalStatus === 403 ? 'forbidden' : 'unauthenticated';
  throw new DomainError(kind, { logReason: 'the identity is no administrator, and has no permission for this' });
}

/** Tells whether an operation is one that a token which routers have must not open. */
export const isAdministration = ({ api, permission }: OperationSpec): boolean =>
  permission === 'admin' || (api !== 'client' && api !== 'oidc');

/**
 * Tokens that a router was sent are in the hands of those who run it or broke into it: they open nothing of
 * administration, unless the connection proves the certificate that the session was opened with. Asks the database each
 * time, since another controller may have sent the token meanwhile; only client sessions without that certificate pay
 * for it.
 * @throws DomainError `unauthenticated`
 */
export async function requireOwnSession(
  request: IncomingMessage,
  { caller, owner: { certificateHash } }: Authenticated,
  { apiSessions, peers }: { readonly apiSessions: ApiSessionRegistry; readonly peers: Peers },
): Promise<void> {
  if (certificateHash !== null && peers.hasProved(request, certificateHash)) return;
  if (!(await apiSessions.isSharedWithRouters(caller.apiSessionId))) return;
  const causeMessage =
    'routers know the token of this session, because it was opened at the client API: log in at the management API, ' +
    `POST ${basePaths.management}/authenticate`;
  throw new DomainError('unauthenticated', { causeMessage, logReason: causeMessage });
}

/**
 * The same of signed tokens: a router takes one only from a client that shows a certificate of the session too, so a
 * session that never had one is in the hands of its client alone. So is one that `noteUse` made administrative.
 * @throws DomainError `unauthenticated`
 */
export async function requireOwnCertificate(
  request: IncomingMessage,
  caller: Caller,
  { isCertificateBound, certificateHash, isAdministrative }: Bearer,
  { peers, stores }: { readonly peers: Peers; readonly stores: Pick<StoreSet, 'apiSessions'> },
): Promise<void> {
  if (!isCertificateBound) return;
  if (await isOwnClient(caller, certificateHash, peers.certificatesOf(request), stores)) return;
  // Asks the database: the session may have been used at the client API of another controller meanwhile.
  if (isAdministrative && (await stores.apiSessions.isAdministrative(caller.apiSessionId))) return;
  const causeMessage = 'the session has a certificate, and its token alone opens nothing of administration';
  throw new DomainError('unauthenticated', { causeMessage, logReason: causeMessage });
}

/**
 * Sessions that were opened with a certificate are for one of two things, and the first call says which. A client that
 * shows that certificate to administer may go on with the token alone, as command-line tools do, until it calls the
 * client API, where it learns of routers. Only the client itself can make the first call, since it takes the key.
 * @returns undefined when there is nothing to note, as is usual
 */
export function noteUse(
  request: IncomingMessage,
  { api }: OperationSpec,
  { apiSessionId }: Pick<Caller, 'apiSessionId'>,
  { certificateHash, isAdministrative, isSharedWithRouters }: Bearer,
  { peers, stores }: { readonly peers: Peers; readonly stores: Pick<StoreSet, 'apiSessions'> },
): Promise<void> | undefined {
  if (certificateHash === null || isSharedWithRouters || api === 'oidc') return undefined;
  if (api === 'client') return stores.apiSessions.noteClientUse(apiSessionId);
  if (isAdministrative || !peers.hasProved(request, certificateHash)) return undefined;
  return stores.apiSessions.makeAdministrative(apiSessionId);
}
