/** Proof of possession: a connection on which the client of a session has shown a certificate of that session. */
import { certFingerprint, certHash } from '../../domain/pki/keys.js';
import type { StoreSet } from '../../db/stores/stores.js';

/**
 * @param certificateHash  of the certificate that the session was opened with
 * @param sent  the certificates of the handshake, the proven one first
 */
export async function isOwnClient(
  { apiSessionId }: { readonly apiSessionId: string },
  certificateHash: Buffer | null,
  sent: readonly Buffer[],
  { apiSessions }: Pick<StoreSet, 'apiSessions'>,
): Promise<boolean> {
  const [leaf] = sent;
  if (leaf === undefined) return false;
  if (certificateHash?.equals(certHash(leaf)) === true) return true;
  return apiSessions.isProvenBy(apiSessionId, certFingerprint(leaf));
}
