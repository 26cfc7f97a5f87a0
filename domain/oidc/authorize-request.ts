/** Requests of clients to the authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect Core 3.1.2.1). */
import type { LoginMethod } from '../credentials.js';
import { requireOauthClient } from './clients.js';
import type { ClientId } from './clients.js';
import { OauthFault } from './fault.js';
import type { Parameters } from './parameters.js';
import { isChallenge } from './pkce.js';
import { isRegistered } from './redirects.js';

export interface AuthorizeRequest {
  readonly clientId: ClientId;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  /** Those that mean something here, each once. */
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
  readonly configTypes: readonly string[];
  /** How the user is to log in; undefined: as fits the connection. */
  readonly method: LoginMethod | undefined;
}

/** The place that gets the answer, good or bad: known before anything else is looked at. */
export interface ReturnAddress {
  readonly clientId: ClientId;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

export const SCOPES: readonly string[] = ['openid', 'profile', 'offline_access'];
/** Names of the parameters of a request. */
export type AuthorizeName =
  | 'client_id'
  | 'code_challenge'
  | 'code_challenge_method'
  | 'configTypes'
  | 'method'
  | 'nonce'
  | 'prompt'
  | 'redirect_uri'
  | 'registration'
  | 'request'
  | 'request_uri'
  | 'response_mode'
  | 'response_type'
  | 'scope'
  | 'state';

const METHODS: readonly string[] = ['password', 'cert', 'ext-jwt'] satisfies LoginMethod[];
const MAX_STATE_CHARS = 2_048;
const MAX_URI_CHARS = 2_048;
const MAX_CONFIG_TYPES = 100;

/** @throws OauthFault that must not be redirected: to where is what is wrong (RFC 6749 section 4.1.2.1) */
export function readReturnAddress(
  parameters: Parameters<'client_id' | 'redirect_uri' | 'state'>,
  registered: readonly string[],
): ReturnAddress {
  const clientId = requireOauthClient(parameters.get('client_id'));
  const redirectUri = parameters.get('redirect_uri', MAX_URI_CHARS);
  if (redirectUri === undefined || !isRegistered(redirectUri, registered))
    throw new OauthFault('invalid_request', 'the redirect_uri is missing in the client configuration');
  return { clientId, redirectUri, state: parameters.get('state', MAX_STATE_CHARS) };
}

/** @throws OauthFault for the client, at its return address */
export function readAuthorizeRequest(parameters: Parameters<AuthorizeName>, address: ReturnAddress): AuthorizeRequest {
  const refuse = (description: string) => new OauthFault('invalid_request', description);
  for (const name of ['request', 'request_uri', 'registration'] as const)
    if (parameters.get(name) !== undefined) throw refuse(`${name} is not supported`);
  if (parameters.get('response_type') !== 'code')
    throw new OauthFault('unsupported_response_type', 'response_type must be code');
  if (!['query', undefined].includes(parameters.get('response_mode'))) throw refuse('response_mode must be query');
  const scopes = scopesOf(parameters.get('scope'));
  if (scopes.length === 0) throw new OauthFault('invalid_scope', 'scope is missing, or names nothing that is known');
  const codeChallenge = parameters.get('code_challenge');
  if (codeChallenge === undefined) throw refuse('code_challenge is missing (RFC 7636)');
  if (parameters.get('code_challenge_method') !== 'S256') throw refuse('code_challenge_method must be S256');
  if (!isChallenge(codeChallenge)) throw refuse('code_challenge is no SHA-256 in base64url');
  requirePrompt(parameters.get('prompt'));
  const method = parameters.get('method');
  if (method !== undefined && !isMethod(method)) throw refuse('method must be password, cert or ext-jwt');
  const configTypes = parameters.all('configTypes');
  if (configTypes.length > MAX_CONFIG_TYPES) throw refuse('there are too many configTypes');
  return { ...address, nonce: parameters.get('nonce', MAX_STATE_CHARS), scopes, codeChallenge, configTypes, method };
}

const isMethod = (text: string): text is LoginMethod => METHODS.includes(text);

/** Unknown scopes are passed over, as RFC 6749 section 3.3 allows. */
export const scopesOf = (text: string | undefined): readonly string[] => {
  const asked = new Set((text ?? '').split(' '));
  return SCOPES.filter((scope) => asked.has(scope));
};

/** There are no cookies: every login asks its user, so `none` cannot be done. The others are what happens anyway. */
function requirePrompt(prompt: string | undefined): void {
  const prompts = (prompt ?? '').split(' ').filter((each) => each !== '');
  if (!prompts.includes('none')) return;
  if (prompts.length > 1) throw new OauthFault('invalid_request', 'prompt none stands alone');
  throw new OauthFault('login_required', 'every login asks its user');
}
