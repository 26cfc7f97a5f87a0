/** The wire form of an authenticator. A password has none. */
import type { Authenticator } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, refTo } from '../wire.js';
import type { Links } from '../handler.js';

export function toAuthenticatorDetail(item: Authenticator, links: Links = linksOfAuthenticator(item)): Response.AuthenticatorDetail {
  const common = { identity: refTo('identities', item.identity), identityId: item.identity.id, method: item.method, ...baseFields(item, links) };
  if (item.method === 'updb') return { username: item.username ?? '', ...common };
  return { certPem: item.certPem ?? '', fingerprint: item.fingerprint ?? '', ...common };
}

function linksOfAuthenticator(item: Authenticator): Links {
  return { self: { href: `./authenticators/${item.id}` }, identities: { href: `./identities/${item.identity.id}` } };
}
