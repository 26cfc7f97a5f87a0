/**
 * Short-lived certificates for one API session, which routers accept in place of its token. A caller sees those of its
 * own session.
 */
import type { ApiSessionCertificate } from '../../domain/credentials.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import type * as Response from '../../generated/client/response.js';
import { elementOfRow } from '../element-cache.js';
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields, isoTime } from '../fields.js';
import { isOwnClient } from '../login/possession.js';
import { readRequest } from '../enrollment/signing-request.js';

const COLLECTION = 'current-api-session/certificates';
/** Enough for every program that shares a session to renew its certificate, which lasts half a day, many times over. */
const MAX_CERTIFICATES = 20;

/** GET /current-api-session/certificates. */
export const listCurrentApiSessionCertificates: Handler<'client', 'listCurrentApiSessionCertificates'> = async (
  { query, caller },
  { stores, elementCache },
) => keptListOf(await stores.apiSessionCertificates.list(query, caller.apiSessionId), CERTIFICATE, elementCache);

/**
 * POST /current-api-session/certificates. Fails: `csrInvalid`; `invalidField` (csr) for a session with as many
 * certificates as it may have; `unauthenticated` when the session ended meanwhile.
 */
export const createCurrentApiSessionCertificate: Handler<'client', 'createCurrentApiSessionCertificate'> = async (
  { body, caller, connection },
  context,
) => {
  const { stores, pki, newId } = context;
  const { apiSessionId, identityId } = caller;
  const isProof =
    caller.bearer?.isCertificateBound !== true ||
    (await isOwnClient(caller, caller.bearer.certificateHash, connection.peerCertificates(), stores));
  const request = await readRequest(body.csr, context);
  const id = newId();
  const { chainPem, fingerprint, record } = await pki.issueForApiSession(request, {
    identityId,
    apiSessionId,
    certificateId: id,
  });
  await stores.transaction(async (tx) => {
    const count = await tx.apiSessionCertificates.countLocked(apiSessionId);
    if (count === undefined) throw new DomainError('unauthenticated');
    if (count >= MAX_CERTIFICATES)
      throw invalidField('csr', `an API session has at most ${MAX_CERTIFICATES} certificates: delete one first`, '');
    await tx.apiSessionCertificates.create({
      id,
      apiSessionId,
      isProof,
      certPem: chainPem,
      fingerprint,
      subject: `CN=${identityId}`,
      validFrom: record.notBefore,
      validTo: record.notAfter,
    });
    await tx.issuedCertificates.add([record]);
    if (caller.bearer !== null) await tx.apiSessionCertificates.bind(apiSessionId);
  });
  const reply = created(COLLECTION, id);
  return { ...reply, data: { cas: pki.caBundlePem(), certificate: chainPem, ...reply.data } };
};

/** GET /current-api-session/certificates/{id}. Fails: `notFound`, also for a certificate of another session. */
export const detailCurrentApiSessionCertificate: Handler<'client', 'detailCurrentApiSessionCertificate'> = async (
  { params, caller },
  { stores },
) => ok(toDetail(await stores.apiSessionCertificates.get(params.id, caller.apiSessionId)));

/** DELETE /current-api-session/certificates/{id}. Fails: `notFound`, as the read does. */
export const deleteCurrentApiSessionCertificate: Handler<'client', 'deleteCurrentApiSessionCertificate'> = async (
  { params, caller },
  { stores },
) => {
  await stores.apiSessionCertificates.remove(params.id, caller.apiSessionId);
  return noData();
};

function toDetail(certificate: ApiSessionCertificate): Response.CurrentApiSessionCertificateDetail {
  return {
    certificate: certificate.certPem,
    fingerprint: certificate.fingerprint,
    subject: certificate.subject,
    validFrom: isoTime(certificate.validFrom),
    validTo: isoTime(certificate.validTo),
    ...baseFields(certificate, { self: { href: `./${COLLECTION}/${certificate.id}` } }),
  };
}

const CERTIFICATE = elementOfRow('API session certificate', toDetail);
