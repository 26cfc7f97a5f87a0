/** A client of the login endpoints, as programs use them: each step by itself, and a whole login. */
import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { JWTPayload } from 'jose';
import { expectStatus } from './client.js';
import type { Answer, Client, RequestOptions } from './client.js';

/** Controllers of tests are advertised as this, whatever their port. */
export const HOST = 'localhost:1280';
export const ISSUER = `https://${HOST}/oidc`;
export const REDIRECT = 'http://localhost:8080/auth/callback';

export type Form = Readonly<Record<string, string | undefined>>;

export interface Begun {
  readonly id: string;
  readonly verifier: string;
  readonly answer: Answer;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly expires_in: number;
  readonly token_type: string;
  readonly scope: string;
}

export interface OidcClient {
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, form: Form, headers?: Readonly<Record<string, string | string[]>>): Promise<Answer>;
  /** Asks for a login. @param changes  of a good request */
  authorize(changes?: Form): Promise<Answer>;
  begin(changes?: Form): Promise<Begun>;
  password(id: string, username: string, password: string): Promise<Answer>;
  /** The code of a login that is complete. */
  codeOf(id: string): Promise<string>;
  exchangeCode(code: string, verifier: string, changes?: Form): Promise<Answer>;
  login(username: string, password: string, changes?: Form): Promise<Tokens>;
  refresh(token: string, changes?: Form): Promise<Answer>;
  exchange(token: string, from: 'access' | 'refresh' | 'id', to?: string, changes?: Form): Promise<Answer>;
}

const encode = (form: Form): string =>
  new URLSearchParams(
    Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
export const newVerifier = (): string => randomBytes(32).toString('base64url');
/** The address that an answer redirects to. */
export const locationOf = (answer: Answer): URL =>
  new URL(expectStatus(answer, 302).headers.location ?? '', `https://${HOST}`);
export const claimsOf = (token: string): JWTPayload & Record<string, unknown> => decodeJwt(token);
export const tokensIn = (answer: Answer): Tokens => expectStatus(answer, 200).json as Tokens;
export const bearer = (token: string): RequestOptions => ({ headers: { authorization: `Bearer ${token}` } });
const TYPE = 'urn:ietf:params:oauth:token-type:';

export function oidcClient(client: Client): OidcClient {
  const get: OidcClient['get'] = (path, { headers, ...options } = {}) =>
    client.get(path, { ...options, headers: { host: HOST, ...headers } });
  const post: OidcClient['post'] = (path, form, headers = {}) =>
    client.send('POST', path, undefined, {
      rawBody: encode(form),
      headers: { 'host': HOST, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const authorize: OidcClient['authorize'] = (changes = {}) =>
    get(
      `/oidc/authorize?${encode({
        client_id: 'native',
        response_type: 'code',
        redirect_uri: REDIRECT,
        scope: 'openid offline_access',
        state: 'the state',
        nonce: 'the nonce',
        code_challenge: challengeOf(newVerifier()),
        code_challenge_method: 'S256',
        ...changes,
      })}`,
    );
  const begin: OidcClient['begin'] = async (changes = {}) => {
    const verifier = newVerifier();
    const answer = await authorize({ code_challenge: challengeOf(verifier), ...changes });
    return { id: locationOf(answer).searchParams.get('authRequestID') ?? '', verifier, answer };
  };
  const password: OidcClient['password'] = (id, username, secret) =>
    post('/oidc/login/password', { id, username, password: secret });
  const codeOf: OidcClient['codeOf'] = async (id) =>
    locationOf(await get(`/oidc/authorize/callback?id=${id}`)).searchParams.get('code') ?? '';
  const exchangeCode: OidcClient['exchangeCode'] = (code, verifier, changes = {}) =>
    post('/oidc/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'native',
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
      ...changes,
    });
  return {
    get,
    post,
    authorize,
    begin,
    password,
    codeOf,
    exchangeCode,
    async login(username, secret, changes = {}) {
      const { id, verifier } = await begin(changes);
      expectStatus(await password(id, username, secret), 302);
      const client_id = changes['client_id'];
      return tokensIn(await exchangeCode(await codeOf(id), verifier, client_id === undefined ? {} : { client_id }));
    },
    refresh: (token, changes = {}) =>
      post('/oidc/oauth/token', { grant_type: 'refresh_token', client_id: 'native', refresh_token: token, ...changes }),
    exchange: (token, from, to, changes = {}) =>
      post('/oidc/oauth/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: 'native',
        subject_token: token,
        subject_token_type: `${TYPE}${from}_token`,
        requested_token_type: to === undefined ? undefined : `${TYPE}${to}_token`,
        ...changes,
      }),
  };
}

/** The error of RFC 6749 in an answer. */
export const errorOf = (answer: Answer, status = 400): string =>
  (expectStatus(answer, status).json as { error: string }).error;
