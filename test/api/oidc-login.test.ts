/** Logging in by OpenID Connect with a password: the way of a code, and all that does not lead to one. */
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import {
  HOST,
  ISSUER,
  REDIRECT,
  bearer,
  challengeOf,
  claimsOf,
  errorOf,
  locationOf,
  newVerifier,
  oidcClient,
  tokensIn,
} from '../support/oidc.js';
import type { OidcClient } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, newUser } from '../support/users.js';

describe('logins by OpenID Connect', () => {
  let controller: TestController;
  let oidc: OidcClient;
  let user: { id: string; name: string };
  before(async () => {
    controller = await startTestController();
    oidc = oidcClient(controller.anonymous);
    user = await newUser(controller.admin);
  });
  after(() => controller.stop());

  const sessionsOf = async (identityId: string) =>
    expectStatus(
      await controller.admin.get(`${M}/api-sessions?filter=${encodeURIComponent(`identity="${identityId}"`)}`),
      200,
    ).data as { id: string }[];

  it('give tokens for a code, signed with the key that is published', async () => {
    const { id, verifier, answer } = await oidc.begin();
    expect(answer.headers.location).to.equal(`/oidc/login/username?authRequestID=${id}`);
    const page = expectStatus(await oidc.get(answer.headers.location ?? ''), 200);
    expect(page.headers['auth-request-id']).to.equal(id);
    const passed = await oidc.password(id, user.name, PASSWORD);
    expect(expectStatus(passed, 302).headers.location).to.equal(`${ISSUER}/authorize/callback?id=${id}`);
    const returned = (await oidc.get(`/oidc/authorize/callback?id=${id}`)).headers.location ?? '';
    const iss = encodeURIComponent(ISSUER);
    expect(returned).to.match(
      /^http:\/\/localhost:8080\/auth\/callback\?iss=[^&]+&code=[A-Za-z0-9._-]+&state=the%20state$/,
    );
    expect(returned).to.include(`iss=${iss}`);
    const code = new URL(returned).searchParams.get('code') ?? '';
    const exchanged = await oidc.exchangeCode(code, verifier);
    const tokens = tokensIn(exchanged);
    expect(exchanged.headers['cache-control']).to.equal('no-store');
    expect(tokens).to.include({ token_type: 'Bearer', scope: 'openid offline_access' });
    expect(tokens.expires_in).to.be.within(1790, 1800);

    const keys = createLocalJWKSet((await oidc.get('/oidc/keys')).json as JSONWebKeySet);
    const verified = async (token: string) =>
      (await jwtVerify(token, keys, { issuer: ISSUER, audience: 'native', algorithms: ['ES256'] })).payload;
    const access = await verified(tokens.access_token);
    const session = (await sessionsOf(user.id))[0]?.id;
    expect(access).to.deep.include({ sub: user.id, amr: ['password'], z_t: 'a', z_asid: session, z_cfs: null });
    expect(await verified(tokens.refresh_token)).to.deep.include({ z_t: 'r', z_asid: session });
    const idToken = await verified(tokens.id_token);
    expect(idToken).to.deep.include({ sub: user.id, nonce: 'the nonce', name: user.name, azp: 'native' });
    expect(idToken).to.not.have.property('z_asid');
  });

  it('give no refresh token without the scope for it, and no id token without openid', async () => {
    const tokens = await oidc.login(user.name, PASSWORD, { scope: 'profile' });
    expect(tokens).to.have.all.keys('access_token', 'token_type', 'expires_in', 'scope');
  });

  it('take JSON, and a POST whose parameters are in the query', async () => {
    const challenge = challengeOf(newVerifier());
    const begun = await controller.anonymous.send(
      'POST',
      '/oidc/authorize?client_id=openziti&response_type=code&scope=openid&code_challenge_method=S256' +
        `&redirect_uri=http%3A%2F%2Flocalhost%3A20314%2Fauth%2Fcallback&code_challenge=${challenge}`,
      undefined,
      { headers: { host: HOST } },
    );
    const id = locationOf(begun).searchParams.get('authRequestID') ?? '';
    const login = await controller.anonymous.post(
      `/oidc/login/password?id=${id}`,
      { username: user.name, password: PASSWORD, envInfo: { os: 'linux' }, sdkInfo: { appId: 'app', version: '1' } },
      { headers: { host: HOST } },
    );
    expectStatus(login, 302);
    const returned = locationOf(await oidc.get(`/oidc/authorize/callback?id=${id}`));
    expect([...returned.searchParams.keys()], 'no state was sent').to.deep.equal(['iss', 'code']);
    const shown = entityOf(expectStatus(await controller.admin.get(`${M}/identities/${user.id}`), 200));
    expect(shown).to.deep.include({ envInfo: { os: 'linux' } });
    expect(shown['sdkInfo']).to.include({ appId: 'app', version: '1' });
  });

  it('redirect what is wrong with a request to its client, and nothing to others', async () => {
    const refused = locationOf(await oidc.authorize({ code_challenge: undefined }));
    expect(refused.origin + refused.pathname).to.equal(REDIRECT);
    expect(Object.fromEntries(refused.searchParams)).to.include({
      error: 'invalid_request',
      state: 'the state',
      iss: ISSUER,
    });
    expect(locationOf(await oidc.authorize({ prompt: 'none' })).searchParams.get('error')).to.equal('login_required');
    const elsewhere = await oidc.authorize({ redirect_uri: 'https://evil.example/auth/callback' });
    expect(errorOf(elsewhere)).to.equal('invalid_request');
    expect(elsewhere.headers.location).to.equal(undefined);
    expect(errorOf(await oidc.authorize({ client_id: 'other' }))).to.equal('invalid_client');
    for (const path of [
      '/auth/callback',
      `/auth/callback?code=x&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
    ])
      expect((await oidc.get(path)).headers.location).to.equal(undefined);
  });

  it('give nothing by grants that show a password or a token to others', async () => {
    for (const response_type of ['token', 'id_token', 'id_token token', 'code id_token', 'none']) {
      const to = locationOf(await oidc.authorize({ response_type }));
      expect(to.searchParams.get('error'), response_type).to.equal('unsupported_response_type');
      expect(to.hash, response_type).to.equal('');
    }
    const { name: username } = user;
    for (const grant_type of ['password', 'client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])
      expect(
        errorOf(
          await oidc.post('/oidc/oauth/token', { grant_type, client_id: 'native', username, password: PASSWORD }),
        ),
      ).to.equal('unsupported_grant_type');
  });

  it('return to the address of the controller itself', async () => {
    expectStatus(await oidc.authorize({ redirect_uri: `https://${HOST}/auth/callback` }), 302);
  });

  it('are at no other host', async () => {
    for (const host of ['evil.example', 'localhost', 'localhost:1281', 'evil.example:1280'])
      expectStatus(await oidc.get('/oidc/.well-known/openid-configuration', { headers: { host } }), 404);
    const { json } = await oidc.get('/oidc/.well-known/openid-configuration', { headers: { host: '127.0.0.1:1280' } });
    expect(json).to.include({ issuer: 'https://127.0.0.1:1280/oidc' });
  });

  it('answer wrong methods and paths', async () => {
    expectStatus(await oidc.get('/oidc/nothing'), 404);
    expectStatus(await oidc.get('/oidc/oauth/token'), 405);
    expectStatus(await oidc.post('/oidc/keys', {}), 405);
  });

  describe('do not get past', () => {
    const codeErrorOf = async (code: string, verifier: string, changes = {}) =>
      errorOf(await oidc.exchangeCode(code, verifier, changes));
    const passed = async () => {
      const { id, verifier } = await oidc.begin();
      expectStatus(await oidc.password(id, user.name, PASSWORD), 302);
      return { id, verifier, code: await oidc.codeOf(id) };
    };

    it('a wrong password, an unknown user, a missing one', async () => {
      const { id } = await oidc.begin();
      for (const [name, password] of [
        [user.name, 'wrong'],
        ['nobody', PASSWORD],
      ] as const) {
        const answer = expectStatus(await oidc.password(id, name, password), 401);
        expect(answer.json).to.deep.equal({ code: 'INVALID_AUTH', message: 'The authentication request failed' });
      }
      const missing = expectStatus(await oidc.post('/oidc/login/password', { id, username: user.name }), 400);
      expect(missing.json).to.deep.include({ code: 'COULD_NOT_VALIDATE' });
      expect(locationOf(await oidc.get(`/oidc/authorize/callback?id=${id}`)).searchParams.get('error')).to.equal(
        'interaction_required',
      );
    });

    it('a lockout, which counts with all other logins', async () => {
      const policy = {
        name: unique('policy'),
        primary: {
          cert: { allowed: true, allowExpiredCerts: false },
          extJwt: { allowed: true, allowedSigners: [] },
          updb: {
            allowed: true,
            maxAttempts: 2,
            lockoutDurationMinutes: 5,
            minPasswordLength: 5,
            requireMixedCase: false,
            requireNumberChar: false,
            requireSpecialChar: false,
          },
        },
        secondary: { requireTotp: false },
      };
      const { id: authPolicyId } = entityOf(
        expectStatus(await controller.admin.post(`${M}/auth-policies`, policy), 201),
      );
      const other = await newUser(controller.admin, { authPolicyId });
      const { id } = await oidc.begin();
      expectStatus(await oidc.password(id, other.name, 'wrong'), 401);
      expectStatus(
        await controller.anonymous.post(`${C}/authenticate?method=password`, {
          username: other.name,
          password: 'wrong',
        }),
        403,
      );
      expectStatus(await oidc.password(id, other.name, PASSWORD), 401);
    });

    it('a login request that is unknown or over', async () => {
      for (const id of ['', 'x', '6f1f7c1e-4d3c-4b7c-9a93-6b3f0a3a2f10']) {
        expectStatus(await oidc.password(id, user.name, PASSWORD), 401);
        expectStatus(await oidc.get(`/oidc/login/username?authRequestID=${id}`), 401);
        expectStatus(await oidc.get(`/oidc/authorize/callback?id=${id}`), 400);
      }
      const { id, code, verifier } = await passed();
      expectStatus(await oidc.exchangeCode(code, verifier), 200);
      expectStatus(await oidc.password(id, user.name, PASSWORD), 401);
      expectStatus(await oidc.get(`/oidc/authorize/callback?id=${id}`), 400);
      const late = await oidc.begin();
      await controller.database.query(
        "UPDATE auth_requests SET expires_at = now() - interval '1 second' WHERE id = $1",
        [late.id],
      );
      expectStatus(await oidc.password(late.id, user.name, PASSWORD), 401);
    });

    it('a code with another client, redirect URI or verifier, or none', async () => {
      const { code, verifier } = await passed();
      expect(await codeErrorOf(code, verifier, { client_id: 'openziti' })).to.equal('invalid_grant');
      expect(await codeErrorOf(code, verifier, { redirect_uri: 'http://localhost:8081/auth/callback' })).to.equal(
        'invalid_grant',
      );
      expect(await codeErrorOf(code, verifier, { redirect_uri: undefined })).to.equal('invalid_grant');
      expect(await codeErrorOf(code, newVerifier())).to.equal('invalid_grant');
      expect(await codeErrorOf(code, verifier, { code_verifier: undefined })).to.equal('invalid_request');
      expect(await codeErrorOf('x', verifier)).to.equal('invalid_grant');
      expect(await codeErrorOf(`${code.slice(0, -2)}AA`, verifier)).to.equal('invalid_grant');
      expect(await codeErrorOf(code, verifier, { client_id: undefined })).to.equal('invalid_request');
      expect(await codeErrorOf(code, verifier, { grant_type: 'password' })).to.equal('unsupported_grant_type');
      expect(await codeErrorOf(code, verifier, { grant_type: undefined })).to.equal('invalid_request');
      expectStatus(await oidc.exchangeCode(code, verifier), 200);
    });

    it('more logins under way than one network may have, of which those that are over are none', async () => {
      const { id, verifier } = await oidc.begin();
      const others = await controller.database.query(
        `INSERT INTO auth_requests (id, expires_at, network, issuer, client_id, redirect_uri, scopes, code_challenge,
          config_types, address)
        SELECT gen_random_uuid()::text, expires_at, network, issuer, client_id, redirect_uri, scopes, code_challenge,
          config_types, address FROM auth_requests, generate_series(1, 1000) WHERE id = $1 RETURNING id`,
        [id],
      );
      const ids = others.rows.map((row) => String((row as { id: unknown }).id));
      const refused = await oidc.authorize();
      expect(errorOf(refused, 429)).to.equal('temporarily_unavailable');
      expect(refused.headers['retry-after']).to.equal('60');
      await controller.database.query('DELETE FROM auth_requests WHERE id = ANY ($1)', [ids.slice(1)]);
      expectStatus(await oidc.password(id, user.name, PASSWORD), 302);
      tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      const { rows } = await controller.database.query('SELECT network FROM auth_requests WHERE id = $1', [id]);
      expect(rows).to.deep.equal([{ network: '' }]);
      expectStatus(await oidc.authorize(), 302);
    });

    it('a code of another login', async () => {
      const [first, second] = [await passed(), await passed()];
      expect(await codeErrorOf(first.code, second.verifier)).to.equal('invalid_grant');
    });

    it('a code after its minute, which a new call of the callback gives again', async () => {
      const { id, code, verifier } = await passed();
      await controller.database.query(
        "UPDATE auth_requests SET code_issued_at = now() - interval '61 seconds' WHERE id = $1",
        [id],
      );
      expect(await codeErrorOf(code, verifier)).to.equal('invalid_grant');
      expectStatus(await oidc.exchangeCode(await oidc.codeOf(id), verifier), 200);
    });

    it('a code that was used, which ends the session that it gave', async () => {
      const { code, verifier } = await passed();
      const { access_token: token } = tokensIn(await oidc.exchangeCode(code, verifier));
      expectStatus(await controller.anonymous.get(`${C}/current-identity`, bearer(token)), 200);
      expect(await codeErrorOf(code, newVerifier())).to.equal('invalid_grant');
      expectStatus(await controller.anonymous.get(`${C}/current-identity`, bearer(token)), 401);
    });

    it('a code once, whoever comes first', async () => {
      const { code, verifier } = await passed();
      const answers = await Promise.all([1, 2, 3, 4].map(() => oidc.exchangeCode(code, verifier)));
      expect(answers.filter(({ status }) => status === 200).length).to.equal(1);
    });

    it('another user who logs in on the same request: the session of the first one ends', async () => {
      const [first, second] = [await newUser(controller.admin), await newUser(controller.admin)];
      const { id, verifier } = await oidc.begin();
      expectStatus(await oidc.password(id, first.name, PASSWORD), 302);
      const firstCode = await oidc.codeOf(id);
      expectStatus(await oidc.password(id, second.name, PASSWORD), 302);
      expect(await sessionsOf(first.id)).to.deep.equal([]);
      expect(await codeErrorOf(firstCode, verifier)).to.equal('invalid_grant');
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      expect(claimsOf(tokens.access_token).sub).to.equal(second.id);
    });

    it('an identity that is disabled while its login is under way', async () => {
      const other = await newUser(controller.admin);
      const { id, verifier } = await oidc.begin();
      expectStatus(await oidc.password(id, other.name, PASSWORD), 302);
      const code = await oidc.codeOf(id);
      expectStatus(await controller.admin.post(`${M}/identities/${other.id}/disable`, { durationMinutes: 0 }), 200);
      expect(await codeErrorOf(code, verifier)).to.equal('invalid_grant');
    });

    it('a body without bounds, and one of another type', async () => {
      expectStatus(await oidc.post('/oidc/login/password', { id: 'x'.repeat(70_000) }), 413);
      expectStatus(await oidc.post('/oidc/login/password', { id: 'x' }, { 'content-type': 'text/plain' }), 415);
      expectStatus(await oidc.post('/oidc/login/password', {}, { 'content-type': 'application/json' }), 401);
    });
  });

  describe('show a page', () => {
    const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    it('that loads nothing, and sends its form here and on to the client alone', async () => {
      const { id } = await oidc.begin();
      const page = expectStatus(await oidc.get(`/oidc/login/username?authRequestID=${id}`, { headers: HTML }), 200);
      expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
      const policy = String(page.headers['content-security-policy']).split('; ');
      expect(policy.splice(1, 1)[0]).to.match(/^style-src 'sha256-[A-Za-z0-9+/]{43}='$/);
      expect(policy).to.deep.equal([
        "default-src 'none'",
        "form-action 'self' http://localhost:8080",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(page.headers).to.include({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(page.text).to.include(`name="id" value="${id}"`).and.not.include('<script');
      for (const field of ['username', 'password']) expect(page.text).to.include(`<label for="${field}">`);
    });
    it('again after a wrong password', async () => {
      const { id } = await oidc.begin();
      const refused = await oidc.post('/oidc/login/username', { id, username: user.name, password: 'wrong' }, HTML);
      expect(expectStatus(refused, 401).text).to.include('role="alert"').and.not.include(user.name);
    });
  });
});
