/**
 * Programs that log users in: all are public (RFC 6749 section 2.1), and what they may do depends on the user alone.
 * Two names are what programs of the field call themselves.
 */
import { OauthFault } from './fault.js';

const CLIENTS = ['openziti', 'native'] as const;
export type ClientId = (typeof CLIENTS)[number];

export const isClient = (id: string): id is ClientId => (CLIENTS as readonly string[]).includes(id);

/** @throws OauthFault `invalid_client` */
export function requireOauthClient(id: string | undefined): ClientId {
  if (id === undefined || id === '') throw new OauthFault('invalid_request', 'client_id is missing');
  if (!isClient(id)) throw new OauthFault('invalid_client', 'client not found');
  return id;
}

/**
 * Returns the client of a request at the token endpoint: named in the form, by `Authorization: Basic` with an empty
 * secret, or both.
 * @param authorization  the header
 * @throws OauthFault `invalid_client` for one that is unknown, shows a secret or is named in two ways
 */
export function clientOf(named: string | undefined, authorization: string | undefined): ClientId {
  const basic = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) return requireOauthClient(named);
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  const shown = decoded(id);
  const isContradicted = named !== undefined && named !== '' && named !== shown;
  if (secret.join(':') !== '' || isContradicted) throw new OauthFault('invalid_client', 'no such client', 401);
  return requireOauthClient(shown);
}

/** The name is form-encoded within the header (RFC 6749 section 2.3.1). */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
