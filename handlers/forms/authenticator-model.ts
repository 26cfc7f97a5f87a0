/** The wire form of an authenticator. A password has none. */
import type { Authenticator, CertificateState } from '../../domain/credentials.js';
import type * as Response from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { baseFields, identityRef, isoTime } from '../fields.js';
import type { Links } from '../reply.js';

export function toAuthenticatorDetail(
  item: Authenticator,
  links: Links = linksOfAuthenticator(item),
): Response.AuthenticatorDetail {
  const common = {
    identity: identityRef(item.identity),
    identityId: item.identity.id,
    method: item.method,
    ...baseFields(item, links),
  };
  if (item.method === 'updb') return { username: item.username ?? '', ...common };
  return {
    certPem: item.certPem ?? '',
    fingerprint: item.fingerprint ?? '',
    ...(item.cert === null ? {} : certificateFields(item.cert)),
    ...common,
  };
}

export const AUTHENTICATOR = elementOfRow('authenticator', (item: Authenticator) => toAuthenticatorDetail(item));

/** The request to extend is shown while there is one. */
function certificateFields({
  extendRequestedAt,
  isIssuedByNetwork,
  isKeyRollRequested,
  lastAuthResolvedToRoot,
  lastExtendRolledKeys,
}: CertificateState) {
  const state = { isIssuedByNetwork, lastAuthResolvedToRoot, lastExtendRolledKeys };
  return extendRequestedAt === null
    ? state
    : { ...state, extendRequestedAt: isoTime(extendRequestedAt), isExtendRequested: true, isKeyRollRequested };
}

function linksOfAuthenticator(item: Authenticator): Links {
  return { self: { href: `./authenticators/${item.id}` }, identities: { href: `./identities/${item.identity.id}` } };
}
