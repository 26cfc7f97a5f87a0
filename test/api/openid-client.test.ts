/**
 * The flows that the documentation of openid-client describes, by that package itself against a whole controller:
 * another reader of the same standards, which refuses what it does not expect.
 */
import { expect } from 'chai';
import * as oidc from 'openid-client';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { bearer } from '../support/oidc.js';
import { CLIENT as C } from '../support/paths.js';
import { PASSWORD, newUser } from '../support/users.js';

const REDIRECT = 'http://127.0.0.1:3100/auth/callback';
const TYPE = 'urn:ietf:params:oauth:token-type:';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** `fetch` by the connections of a test client, which checks each answer against the document. */
const fetchBy =
  (client: Client): oidc.CustomFetch =>
  async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url);
    const rawBody =
      body === undefined || body === null ? {} : { rawBody: Buffer.from(await new Response(body).text()) };
    const answer = await client.send(method, pathname + search, undefined, { headers, ...rawBody });
    const kept = Object.entries(answer.headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return new Response(answer.text === '' ? null : answer.text, { status: answer.status, headers: kept });
  };

describe('openid-client', function openidClient() {
  this.timeout(60_000);
  let controller: TestController;
  let config: oidc.Configuration;
  let user: { id: string; name: string };
  before(async () => {
    controller = await startReachable();
    const fetching = { [oidc.customFetch]: fetchBy(controller.anonymous) };
    const issuer = new URL(`${controller.url}/oidc`);
    config = await oidc.discovery(issuer, 'native', undefined, oidc.None(), fetching);
    user = await newUser(controller.admin);
  });
  after(() => controller.stop());

  interface Asked {
    readonly verifier: string;
    readonly state: string;
    readonly nonce: string;
  }
  const ask = (): Asked => ({
    verifier: oidc.randomPKCECodeVerifier(),
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
  });
  /** Where the user comes back, after a login with a password. */
  const comeBack = async ({ verifier, state, nonce }: Asked, changes: Record<string, string> = {}): Promise<URL> => {
    const address = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'openid profile offline_access',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...changes,
    });
    const send = async (method: string, url: string, form?: Record<string, string>) => {
      const at = new URL(url, controller.url);
      const headers = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
      const rawBody = form === undefined ? {} : { rawBody: new URLSearchParams(form).toString() };
      const answer = await controller.anonymous.send(method, at.pathname + at.search, undefined, {
        headers,
        ...rawBody,
      });
      return new URL(expectStatus(answer, 302).headers.location ?? '', controller.url);
    };
    const page = await send('GET', address.href);
    const id = page.searchParams.get('authRequestID');
    if (id === null) return page;
    return send('GET', (await send('POST', page.href, { id, username: user.name, password: PASSWORD })).href);
  };
  const logIn = async () => {
    const asked = ask();
    const { verifier: pkceCodeVerifier, state: expectedState, nonce: expectedNonce } = asked;
    const expected = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    return oidc.authorizationCodeGrant(config, await comeBack(asked), expected);
  };
  const statusOf = async (token: string) =>
    (await controller.anonymous.get(`${C}/current-identity`, bearer(token))).status;
  const refusalOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
    } catch (error) {
      const { error: named, code } = error as { error?: string; code?: string };
      return named ?? code ?? String(error);
    }
    throw new Error('nothing was refused');
  };

  it('discovers what the provider offers', () => {
    const metadata = config.serverMetadata();
    expect(metadata.issuer).to.equal(`${controller.url}/oidc`);
    expect(metadata.supportsPKCE()).to.equal(true);
    expect(metadata.authorization_response_iss_parameter_supported).to.equal(true);
    expect(metadata['openziti_endpoints']).to.include({ password: `${controller.url}/oidc/login/password` });
  });

  it('logs in by a code with PKCE, state and nonce', async () => {
    const tokens = await logIn();
    expect(tokens.claims()).to.include({ sub: user.id, name: user.name, iss: `${controller.url}/oidc` });
    expect(tokens.expiresIn()).to.be.within(1790, 1800);
    expect(await statusOf(tokens.access_token)).to.equal(200);
  });

  it('refuses an answer with another state, nonce, issuer or verifier', async () => {
    const check = async (change: Partial<Record<'state' | 'nonce' | 'verifier', string>>, at?: (url: URL) => void) => {
      const asked = ask();
      const url = await comeBack(asked);
      at?.(url);
      const { verifier, state, nonce } = { ...asked, ...change };
      const expected = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
      return refusalOf(oidc.authorizationCodeGrant(config, url, expected));
    };
    expect(await check({ state: oidc.randomState() })).to.equal('OAUTH_INVALID_RESPONSE');
    expect(await check({ nonce: oidc.randomNonce() })).to.match(/^OAUTH_/);
    expect(await check({ verifier: oidc.randomPKCECodeVerifier() })).to.equal('invalid_grant');
    const elsewhere = (url: URL) => {
      url.searchParams.set('iss', 'https://evil.example/oidc');
    };
    expect(await check({}, elsewhere)).to.equal('OAUTH_INVALID_RESPONSE');
    const silent = (url: URL) => {
      url.searchParams.delete('iss');
    };
    expect(await check({}, silent), 'RFC 9207').to.equal('OAUTH_INVALID_RESPONSE');
  });

  it('learns at its address what was wrong with a request', async () => {
    const asked = ask();
    for (const [changes, error] of [
      [{ prompt: 'none' }, 'login_required'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ scope: 'email' }, 'invalid_scope'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
    ] as const) {
      const at = await comeBack(asked, changes);
      const expected = { pkceCodeVerifier: asked.verifier, expectedState: asked.state };
      expect(await refusalOf(oidc.authorizationCodeGrant(config, at, expected))).to.equal(error);
    }
  });

  it('cannot use a code twice', async () => {
    const asked = ask();
    const at = await comeBack(asked);
    const expected = { pkceCodeVerifier: asked.verifier, expectedState: asked.state, expectedNonce: asked.nonce };
    const first = await oidc.authorizationCodeGrant(config, at, expected);
    expect(await refusalOf(oidc.authorizationCodeGrant(config, at, expected))).to.equal('invalid_grant');
    expect(await statusOf(first.access_token), 'what it gave has ended').to.equal(401);
  });

  it('refreshes, with narrower scopes too, and not with wider ones', async () => {
    const { refresh_token: token = '' } = await logIn();
    const next = await oidc.refreshTokenGrant(config, token);
    expect(next.claims()).to.include({ sub: user.id });
    expect(await statusOf(next.access_token)).to.equal(200);
    const narrow = await oidc.refreshTokenGrant(config, next.refresh_token ?? '', { scope: 'profile offline_access' });
    expect(narrow.id_token).to.equal(undefined);
    expect(await refusalOf(oidc.refreshTokenGrant(config, 'x'))).to.equal('invalid_grant');
  });

  it('exchanges tokens by the generic grant', async () => {
    const tokens = await logIn();
    const exchange = (subject: string, from: string, wanted: string) =>
      oidc.genericGrantRequest(config, EXCHANGE, {
        subject_token: subject,
        subject_token_type: `${TYPE}${from}`,
        requested_token_type: `${TYPE}${wanted}`,
      });
    const access = await exchange(tokens.refresh_token ?? '', 'refresh_token', 'access_token');
    expect(await statusOf(access.access_token)).to.equal(200);
    const refusal = await refusalOf(exchange(tokens.access_token, 'access_token', 'refresh_token'));
    expect(refusal).to.equal('invalid_request');
  });

  it('asks who the user is, and what a token is', async () => {
    const { access_token: token } = await logIn();
    expect(await oidc.fetchUserInfo(config, token, user.id)).to.deep.equal({ sub: user.id, name: user.name });
    expect(await refusalOf(oidc.fetchUserInfo(config, token, 'another'))).to.match(/^OAUTH_/);
    const endpoint = new URL(config.serverMetadata().introspection_endpoint ?? '');
    const form = new URLSearchParams({ token });
    const FORM = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const answer = await oidc.fetchProtectedResource(config, token, endpoint, 'POST', form, FORM);
    expect(await answer.json()).to.include({ active: true, sub: user.id, client_id: 'native' });
    expect(await refusalOf(oidc.tokenIntrospection(config, token)), 'a client is nobody').to.match(/^(invalid|OAUTH)_/);
  });

  it('revokes tokens, and goes on after a logout', async () => {
    const tokens = await logIn();
    await oidc.tokenRevocation(config, tokens.access_token);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    await oidc.tokenRevocation(config, tokens.refresh_token ?? '');
    expect(await refusalOf(oidc.refreshTokenGrant(config, tokens.refresh_token ?? ''))).to.equal('invalid_grant');
    const leave = async (uri: string) => {
      const at = oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: uri, state: 's' });
      return controller.anonymous.get(at.pathname + at.search);
    };
    const page = 'http://127.0.0.1:3100/auth/logout';
    expect(expectStatus(await leave(page), 302).headers.location).to.equal(`${page}?state=s`);
    expectStatus(await leave('https://evil.example/auth/logout'), 400);
  });
});
