/**
 * Decides whether a connection is the router that its hello names. The router is the leaf certificate that the
 * handshake proved, and nothing else of its chain: it must be the one that the router enrolled with, lead to our CA,
 * and be in time; the router must exist and not be disabled.
 */
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { isLeafOf } from '../../domain/pki/pem.js';
import type { GatheredReads } from '../../domain/scheduling/gathered-reads.js';
import type { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import { ConnectionRefused } from './connection-refused.js';

/** The claim of a connection, and its proof. */
export interface Presented {
  readonly routerId: string;
  readonly leaf: Buffer;
  /** DER, as sent, leaf first. */
  readonly certificates: readonly Buffer[];
}

export interface RouterAuthentication {
  readonly routers: Pick<GatheredReads<KnownRouter>, 'of'>;
  /** Verifies against the network's own CA. @throws ChainFault */
  readonly verify: (certificates: readonly Buffer[]) => VerifiedChain;
  /** Spreads verification, which holds the processor. */
  readonly verifications: YieldQueue;
}

export interface AuthenticatedRouter {
  readonly router: KnownRouter;
  /** End of its certificate, in milliseconds since 1970. */
  readonly endsMs: number;
}

/** @throws ConnectionRefused, ChainFault, DomainError `tooManyRequests` */
export async function authenticateRouter(
  { routerId, leaf, certificates }: Presented,
  { routers, verify, verifications }: RouterAuthentication,
): Promise<AuthenticatedRouter> {
  const router = await routers.of(routerId);
  if (router === undefined) throw new ConnectionRefused('there is no router with this id');
  const { id, fingerprint, certPem, disabled } = router;
  if (fingerprint === null || certPem === null) throw new ConnectionRefused('it has not enrolled', id);
  // SHA-1 finds the certificate; only the same certificate is the router.
  if (certFingerprint(leaf) !== fingerprint || !isLeafOf(certPem, leaf))
    throw new ConnectionRefused('it shows another certificate than the one it enrolled with', id);
  if (disabled) throw new ConnectionRefused('it is disabled', id);
  const chain = await verifications.run(() => verify(certificates));
  if (chain.isExpired) throw new ConnectionRefused('its certificate has expired', id);
  if (chain.caId !== null) throw new ConnectionRefused('its certificate is of another CA', id);
  return { router, endsMs: chain.endsMs };
}
