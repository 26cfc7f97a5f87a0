/**
 * Enrollment of routers: an edge or transit router gets one certificate to show to controllers and one to show to those
 * who connect to it, and later exchanges both for new ones.
 */
import { DomainError } from '../../domain/errors.js';
import type { Enrollment } from '../../domain/credentials.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { isLeafOf } from '../../domain/pki/pem.js';
import type { RouterNames } from '../../domain/pki/router-names.js';
import { ok } from '../handler.js';
import type { Handler, Note } from '../handler.js';
import type { Pki, Context } from '../context.js';
import { verifyCurrentPeer } from '../../domain/pki/peer.js';
import { noteLeaf } from '../login/note-leaf.js';
import { certificateOf, issuePair, warnOfNames } from '../enrollment/router-certificates.js';
import { enrollmentOf, tokenUnknown, useUp } from './enroll-tokens.js';

/** The two certificate requests of a router, PEM. */
export interface RouterRequests {
  readonly client: string | null | undefined;
  readonly server: string | null | undefined;
}

/**
 * POST /enroll/erott: JSON `{token, clientCsr, serverCsr}`; the token may be in the query. Fails: as `enrollRouter`,
 * and unknown tokens.
 */
export const enrollErOtt: Handler<'client', 'enrollErOtt'> = async ({ query, body, note }, context) => {
  const enrollment = await enrollmentOf('erott', query, body, context, note);
  return ok(await enrollRouter(enrollment, { client: body?.clientCsr, server: body?.serverCsr }, context));
};

/**
 * Enrolls a router of either kind. Both requests are checked before the token is read.
 * @returns chains in PEM, leaf first, and what to trust
 * @throws DomainError `csrMissing`, `csrInvalid` (also for a client request whose CN is not the router's id),
 * `enrollmentTokenUnknown`
 */
export async function enrollRouter(
  enrollment: Enrollment,
  requests: RouterRequests,
  context: Context,
): Promise<{ ca: string; cert: string; serverCert: string }> {
  const id = (enrollment.edgeRouter ?? enrollment.transitRouter)?.id;
  if (id === undefined) throw tokenUnknown('the enrollment is for nothing that this method can enroll');
  const { client: clientCsr, server: serverCsr } = requests;
  if (!clientCsr || !serverCsr) throw new DomainError('csrMissing');
  const pair = await issuePair(id, { client: clientCsr, server: serverCsr }, context, refuseNamesOfControllers);
  const { client, server } = pair;
  await context.stores.transaction(async (tx) => {
    if (!(await tx.routers.lock(id))) throw tokenUnknown('the router is gone');
    await useUp(tx, enrollment);
    if (!(await tx.routers.certify(id, null, certificateOf(pair)))) throw tokenUnknown('the router is gone');
    await tx.issuedCertificates.add([client.record, server.record]);
  });
  warnOfNames(id, pair, context);
  return { ca: context.pki.caBundlePem(), cert: client.chainPem, serverCert: server.chainPem };
}

/**
 * POST /enroll/extend/router: new certificates for the router whose certificate the connection shows; that one is worth
 * nothing from then on. Fails: `unauthenticated`, `csrInvalid`.
 */
export const extendRouterEnrollment: Handler<'client', 'extendRouterEnrollment'> = async (
  { body, connection, note },
  context,
) => {
  const { stores } = context;
  const { id, fingerprint } = await shownRouter(connection.peerCertificates(), context, note);
  // A router that runs without a name that it asks for goes on: refused, its certificate would end.
  const pair = await issuePair(id, { client: body.certCsr, server: body.serverCertCsr }, context);
  const { client, server } = pair;
  await stores.transaction(async (tx) => {
    if (!(await tx.routers.certify(id, fingerprint, certificateOf(pair))))
      throw notARouter('another request replaced the certificate');
    await tx.issuedCertificates.add([client.record, server.record]);
  });
  warnOfNames(id, pair, context);
  return ok({ ca: context.pki.caBundlePem(), cert: client.chainPem, serverCert: server.chainPem });
};

/** @throws DomainError `unauthenticated`, the same whatever is wrong; `tooManyRequests` while too many wait */
async function shownRouter(
  sent: readonly Buffer[],
  { stores, pki, yieldQueue }: Context,
  note: Note,
): Promise<{ id: string; fingerprint: string }> {
  noteLeaf(sent, note);
  const { leaf, fingerprint } = await yieldQueue.run(() => verified(sent, pki));
  const router = await stores.routers.findByFingerprint(fingerprint);
  // SHA-1 finds the router; only the same certificate is the router.
  if (router === undefined || !isLeafOf(router.certPem, leaf.raw)) throw notARouter('no router has this certificate');
  note({ routerId: router.id });
  return { id: router.id, fingerprint };
}

function verified(sent: readonly Buffer[], pki: Pki): VerifiedChain {
  try {
    return verifyCurrentPeer(sent, { own: pki, cas: [] });
  } catch (error) {
    throw error instanceof ChainFault ? notARouter(error.message) : error;
  }
}

function notARouter(logReason: string): DomainError {
  return new DomainError('unauthenticated', {
    causeMessage: 'the connection does not show the present certificate of a router',
    logReason,
  });
}

/** Refuses names of controllers: without them in its certificate, a router that advertises one would not start. */
function refuseNamesOfControllers({ ofControllers }: RouterNames): void {
  if (ofControllers.length === 0) return;
  const names = ofControllers.join(', ');
  const causeMessage =
    `the request for the server certificate asks for ${names}, by which controllers are reached: with it, the router ` +
    'could pass for a controller. Take it out of `edge.csr.sans` of the router, or let routers have it too by the ' +
    'setting tls.routerNames (EDGE_TLS_ROUTER_NAMES) of the controller';
  throw new DomainError('csrInvalid', { causeMessage, logReason: `it asks for names of controllers: ${names}` });
}
