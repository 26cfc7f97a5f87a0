/**
 * The last step of logins by OpenID Connect, what clients do with their tokens, and requests by such a token. These
 * endpoints are no operations of an API, so their cases are listed with `authenticate`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { forEachParallel } from './api-client.js';
import type { BenchCase, CaseContext } from './case.js';
import { signerGroup, signerOf } from './login-cases.js';
import { CLIENT, requestBytes } from './world.js';
import type { World } from './world.js';

const REDIRECT = 'http://localhost:8080/auth/callback';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const REFRESH_TOKEN = 'urn:ietf:params:oauth:token-type:refresh_token';
/** A refresh token is good once, and each costs a login. */
const REFRESHES_PER_SECOND = 1_000;
/** No more logins may be under way from one address. */
const LOGINS_PER_SECOND = 250;
const LONGEST_SECONDS = 2;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface VersionDocument {
  readonly apiVersions: Readonly<Record<string, { readonly v1: { readonly apiBaseUrls: readonly string[] } }>>;
}

/** The host that the provider answers to: it has tokens of no other. */
async function hostOf({ admin }: World): Promise<string> {
  const { apiVersions } = await admin.call<VersionDocument>('GET', `${CLIENT}/version`);
  const url = apiVersions['edge-oidc']?.v1.apiBaseUrls[0];
  if (url === undefined) throw new Error('the controller has no logins by OpenID Connect: set oidc.enabled');
  return new URL(url).host;
}

type Ask = (path: string, body: unknown, bearer?: string) => ReturnType<World['admin']['send']>;
const asking = ({ admin }: World, host: string): Ask => {
  return (path, body, bearer) => admin.send(body === undefined ? 'GET' : 'POST', path, body, undefined, bearer, host);
};

/** A login request that waits for its user, and the secret that its code will need. */
async function begin(ask: Ask): Promise<{ readonly id: string; readonly verifier: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const { location = '', json } = await ask('/oidc/authorize', {
    client_id: 'native',
    response_type: 'code',
    scope: 'openid offline_access',
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const id = new URL(location, REDIRECT).searchParams.get('authRequestID');
  if (id === null) throw new Error(`no login begins: ${JSON.stringify(json)}`);
  return { id, verifier };
}

/** A login up to its code, as the token endpoint takes it. */
async function logIn(world: World, host: string): Promise<object> {
  const ask = asking(world, host);
  const { id, verifier } = await begin(ask);
  await ask('/oidc/login/ext-jwt', { id }, await (await signerOf(world)).token(world.clientIdentity.id));
  const { location = '' } = await ask(`/oidc/authorize/callback?id=${id}`, undefined);
  const code = new URL(location, REDIRECT).searchParams.get('code');
  const client_id = 'native';
  return { grant_type: 'authorization_code', client_id, code, code_verifier: verifier, redirect_uri: REDIRECT };
}

async function login(world: World, host: string): Promise<Tokens> {
  const { json } = await asking(world, host)('/oidc/oauth/token', await logIn(world, host));
  const tokens = json as Tokens;
  if (typeof tokens.refresh_token !== 'string') throw new Error(`no tokens for a code: ${JSON.stringify(json)}`);
  return tokens;
}

async function many<T>({ seconds }: CaseContext, perSecond: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  const count = Math.ceil(Math.min(seconds, LONGEST_SECONDS) * perSecond);
  await forEachParallel(
    Array.from({ length: count }, (_, index) => index),
    async () => {
      made.push(await make());
    },
  );
  return made;
}

const POST = { method: 'POST', path: '/oidc/oauth/token' } as const;

export const oidcCases: readonly BenchCase[] = [
  {
    name: 'bearer read',
    api: 'client',
    operationId: 'getCurrentIdentity',
    group: signerGroup,
    plan: async ({ world }) => {
      const { access_token: bearer } = await login(world, await hostOf(world));
      return {
        mode: 'cycle',
        requests: [requestBytes(world, { method: 'GET', path: `${CLIENT}/current-identity`, bearer })],
      };
    },
  },
  {
    name: 'oidc code',
    api: 'client',
    operationId: 'authenticate',
    group: signerGroup,
    plan: async (context) => {
      const named = await hostOf(context.world);
      const codes = await many(context, LOGINS_PER_SECOND, () => logIn(context.world, named));
      return { mode: 'once', requests: codes.map((body) => requestBytes(context.world, { ...POST, body, named })) };
    },
  },
  {
    name: 'token refresh',
    api: 'client',
    operationId: 'authenticate',
    group: signerGroup,
    plan: async (context) => {
      const named = await hostOf(context.world);
      const families = await many(context, REFRESHES_PER_SECOND, () => login(context.world, named));
      const requests = families.map(({ refresh_token }) => {
        const body = { grant_type: 'refresh_token', client_id: 'native', refresh_token };
        return requestBytes(context.world, { ...POST, body, named });
      });
      return { mode: 'once', requests };
    },
  },
  {
    name: 'token exchange',
    api: 'client',
    operationId: 'authenticate',
    group: signerGroup,
    plan: async ({ world }) => {
      const named = await hostOf(world);
      const { refresh_token: subject_token } = await login(world, named);
      const body = {
        grant_type: EXCHANGE,
        client_id: 'native',
        subject_token,
        subject_token_type: REFRESH_TOKEN,
        requested_token_type: REFRESH_TOKEN,
      };
      return { mode: 'cycle', requests: [requestBytes(world, { ...POST, body, named })] };
    },
  },
];
