/**
 * Enrollment of routers: an edge or transit router gets one certificate to show to controllers and one to show to those
 * who connect to it, and later exchanges both for new ones.
 */
import type { RouterCertificate } from '../../db/routers.js';
import { DomainError } from '../../domain/errors.js';
import type { Enrollment } from '../../domain/model.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { isLeafOf } from '../../domain/pki/pem.js';
import { controllerHosts, routerServerNames } from '../../domain/pki/router-names.js';
import { ok } from '../handler.js';
import type { Handler, Note } from '../handler.js';
import type { IssuedChain, Pki, Context } from '../context.js';
import { noteLeaf, verifyCurrentPeer } from '../shared/client-certificates.js';
import { readRequest } from '../shared/signing-request.js';
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
 * Of either kind. Both requests are checked before the token is touched.
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
  const { client, server, serverNames } = await issuePair(id, { client: clientCsr, server: serverCsr }, context);
  await context.stores.transaction(async (tx) => {
    if (!(await tx.routers.hold(id))) throw tokenUnknown('the router is gone');
    await useUp(tx, enrollment);
    if (!(await tx.routers.certify(id, null, certificateOf({ client, serverNames }))))
      throw tokenUnknown('the router is gone');
    await tx.issuedCertificates.add([client.record, server.record]);
  });
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
  const { client, server, serverNames } = await issuePair(
    id,
    { client: body.certCsr, server: body.serverCertCsr },
    context,
  );
  await stores.transaction(async (tx) => {
    if (!(await tx.routers.certify(id, fingerprint, certificateOf({ client, serverNames }))))
      throw notARouter('another request replaced the certificate');
    await tx.issuedCertificates.add([client.record, server.record]);
  });
  return ok({ cert: client.chainPem, serverCert: server.chainPem });
};

/** @throws DomainError `unauthenticated`, the same whatever is wrong; `tooManyRequests` while too many wait */
async function shownRouter(
  sent: readonly Buffer[],
  { stores, pki, turnQueue }: Context,
  note: Note,
): Promise<{ id: string; fingerprint: string }> {
  noteLeaf(sent, note);
  const { leaf, fingerprint } = await turnQueue.run(() => verified(sent, pki));
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

interface Pair {
  readonly client: IssuedChain;
  readonly server: IssuedChain;
  /** Hosts and addresses in the certificate for clients. */
  readonly serverNames: readonly string[];
}

const certificateOf = ({ client, serverNames }: Pick<Pair, 'client' | 'serverNames'>): RouterCertificate => ({
  certPem: client.chainPem,
  fingerprint: client.fingerprint,
  serverNames,
});

/** Takes from the requests their keys, and of the server's the host names that a router may have. */
async function issuePair(
  routerId: string,
  requests: { readonly client: string; readonly server: string },
  context: Context,
): Promise<Pair> {
  const { stores, pki, network } = context;
  const [client, server] = [await readRequest(requests.client, context), await readRequest(requests.server, context)];
  if (client.commonName !== routerId) {
    throw new DomainError('csrInvalid', {
      causeMessage: 'invalid client CSR',
      logReason: 'the common name is not the id of the router',
    });
  }
  const endpoints = await stores.controllers.endpoints();
  const names = routerServerNames(
    server.names,
    controllerHosts(
      [network.advertise, network.routersReach, ...endpoints.flatMap(({ advertised }) => advertised)],
      endpoints.map(({ certPem }) => certPem),
    ),
  );
  return {
    client: await pki.issueForRouter(client, routerId),
    server: await pki.issueForRouterServer(server, routerId, names),
    serverNames: [...names.dns, ...names.ip],
  };
}
