/**
 * Certificates that come with the tokens of a login: for its session alone, by which its client connects to routers.
 * They are made for who has just proved to be that client, so they open administration as well.
 */
import { DomainError } from '../../domain/errors.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { readRequest } from '../enrollment/signing-request.js';
import type { OidcContext } from './exchange.js';

const MOST = 20;

/**
 * @returns the certificate and its chain
 * @throws OauthFault `invalid_request` for what is no usable request, or one too many
 */
export async function certify(
  csrPem: string,
  apiSessionId: string,
  identityId: string,
  context: OidcContext,
): Promise<string> {
  const { stores, pki, newId } = context;
  const request = await readRequest(csrPem, context).catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === 'csrInvalid')
      throw new OauthFault('invalid_request', 'invalid CSR');
    throw error;
  });
  const id = newId();
  const ids = { identityId, apiSessionId, certificateId: id };
  const { chainPem, fingerprint, record } = await pki.issueForApiSession(request, ids);
  await stores.transaction(async (tx) => {
    const count = await tx.apiSessionCertificates.countLocked(apiSessionId);
    if (count === undefined) throw new OauthFault('invalid_grant', 'the session has ended');
    if (count >= MOST) throw new OauthFault('invalid_request', 'the session has too many certificates');
    await tx.apiSessionCertificates.create({
      id,
      apiSessionId,
      isProof: true,
      certPem: chainPem,
      fingerprint,
      subject: `CN=${identityId}`,
      validFrom: record.notBefore,
      validTo: record.notAfter,
    });
    await tx.apiSessionCertificates.bind(apiSessionId);
    await tx.issuedCertificates.add([record]);
  });
  return chainPem;
}
