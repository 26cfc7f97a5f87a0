/** Enrollment by certificate request: an identity gets a certificate of the network for a key that it made. */
import { knownControllers } from '../enrollment/known-controllers.js';
import type { ControllersList } from '../../generated/client/response.js';
import type { Enrollment } from '../../domain/credentials.js';
import { ok, raw } from '../handler.js';
import type { RequestConnection, Handler } from '../handler.js';
import type { DataReply, RawReply } from '../reply.js';
import type { Context } from '../context.js';
import { readRequest } from '../enrollment/signing-request.js';
import { enrollmentOf, tokenUnknown, useUp } from './enroll-tokens.js';

/**
 * POST /enroll/ott: JSON `{token, clientCsr}`, or the token in the query and the request as PEM. Fails: as
 * `issueByOtt`, and unknown tokens.
 */
export const enrollOtt: Handler<'client', 'enrollOtt'> = async ({ query, body, connection, note }, context) => {
  const isPem = typeof body === 'string';
  const enrollment = await enrollmentOf('ott', query, isPem ? undefined : body, context, note);
  const chainPem = await issueByOtt(enrollment, isPem ? body : body?.clientCsr, context);
  return chainReply(chainPem, connection, isPem && query.token !== undefined, context);
};

/**
 * Nothing but the key is taken from the request, and it is checked before the token is touched.
 * @returns the certificate, then its intermediates, PEM
 * @throws DomainError `csrInvalid`, `enrollmentTokenUnknown`, `tooManyRequests`
 */
export async function issueByOtt(
  enrollment: Enrollment,
  csrPem: string | null | undefined,
  context: Context,
): Promise<string> {
  const { stores, pki, newId } = context;
  const { identity } = enrollment;
  if (identity === null) throw tokenUnknown('the enrollment is for nothing that this method can enroll');
  const request = await readRequest(csrPem ?? '', context);
  const { chainPem, leafPem, fingerprint, publicKeyFingerprint, record } = await pki.issueForIdentity(
    request,
    identity.id,
  );
  await stores.transaction(async (tx) => {
    await useUp(tx, enrollment);
    await tx.authenticators.createCert({
      id: newId(),
      identityId: identity.id,
      certPem: leafPem,
      fingerprint,
      publicKeyFingerprint,
      isIssuedByNetwork: true,
      caId: null,
      tags: {},
    });
    await tx.issuedCertificates.add([record]);
  });
  return chainPem;
}

const PEM = 'application/x-pem-file';
const JSON_TYPE = 'application/json';

/**
 * The chain as JSON, with the controllers of the network, or as PEM text: what `Accept` prefers, and without a
 * preference what clients expect that send their request this way. Clients compare the content type whole, so it has no
 * parameters.
 * @param isPemUsual  PEM is usual for this form of request whatever its content type
 */
export async function chainReply(
  chainPem: string,
  connection: RequestConnection,
  isPemUsual: boolean,
  context: Pick<Context, 'stores'>,
): Promise<DataReply<200, { cert: string; controllers: ControllersList }> | RawReply<200>> {
  const isUsual = isPemUsual || connection.contentType === 'text/plain';
  const type = isUsual ? connection.prefers(PEM, JSON_TYPE) : connection.prefers(JSON_TYPE, PEM);
  return type === PEM ? raw(PEM, chainPem) : ok({ cert: chainPem, controllers: await knownControllers(context) });
}
