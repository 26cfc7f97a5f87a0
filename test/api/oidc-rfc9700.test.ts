/**
 * A walk over RFC 9700 (Best Current Practice for OAuth 2.0 Security), section by section, at a controller over HTTPS.
 * docs/authentication.md has the same list. What another suite checks in full is named here and not done again:
 *
 * | section | suite |
 * |---|---|
 * | 2.1.1, 4.5.3 a code with another client, redirect URI or verifier; after its minute; twice at once | oidc-login |
 * | 2.1.2, 2.4 no implicit grant, no password grant, no grant without a user | oidc-login |
 * | 2.2.1, 4.10.1 what a token without its certificate opens | oidc-certificates, bearer-tokens-at-routers |
 * | 2.2.2, 4.14 rotation of refresh tokens, and an old one | oidc-sessions |
 * | 2.3 rights of a token; another user's token at introspection | oidc-sessions, oidc-information |
 * | 4.17 no script in a page, so none that posts messages | browser/sign-in |
 * | forged tokens as the reader of tokens sees them | domain/oidc-tokens |
 * | forged tokens at routers | bearer-dials |
 */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { forgeries } from '../support/forged-tokens.js';
import type { PublishedKey } from '../support/forged-tokens.js';
import { HOST, ISSUER, bearer, challengeOf, claimsOf, errorOf, locationOf } from '../support/oidc.js';
import { newVerifier, oidcClient, tokensIn } from '../support/oidc.js';
import type { Form, OidcClient, Tokens } from '../support/oidc.js';
import { CLIENT as C, FABRIC as F, MANAGEMENT as M } from '../support/paths.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import { PASSWORD, newUser } from '../support/users.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ENDPOINTS = Object.values(operations.oidc).map(({ method, path }) => ({ method, path: basePaths.oidc + path }));

describe('RFC 9700', function rfc9700() {
  this.timeout(60_000);
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  let plain: Client;
  let oidc: OidcClient;
  let user: { id: string; name: string };
  /** Every answer of this suite's client. */
  const answers: { readonly asked: string; readonly answer: Answer }[] = [];
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database);
    admin = await controller.login();
    const client = controller.client();
    const send: Client['send'] = async (method, path, ...rest) => {
      const answer = await client.send(method, path, ...rest);
      answers.push({ asked: `${method} ${path}`, answer });
      return answer;
    };
    plain = { ...client, send, get: (path, options) => send('GET', path, undefined, options) };
    oidc = oidcClient(plain);
    user = await newUser(admin);
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const passed = async (changes: Form = {}) => {
    const { id, verifier } = await oidc.begin(changes);
    expectStatus(await oidc.password(id, user.name, PASSWORD), 302);
    return { id, verifier };
  };
  const login = () => oidc.login(user.name, PASSWORD);
  const opens = async ({ access_token: token }: Pick<Tokens, 'access_token'>) =>
    (await plain.get(`${C}/current-identity`, bearer(token))).status === 200;
  const requestsUnderWay = async () => (await database.query('SELECT id FROM auth_requests')).rows.length;
  const query = (members: Readonly<Record<string, string>>) => new URLSearchParams(members).toString();

  describe('2.1, 4.1, 4.11: redirects', () => {
    const STRANGE = [
      'https://evil.example/auth/callback',
      'http://localhost:8080@evil.example/auth/callback',
      'http://localhost.evil.example:8080/auth/callback',
      'http://evil.example#http://localhost:8080/auth/callback',
      'http://localhost:8080/auth/callback/',
      'http://localhost:8080/auth/callback/../steal',
      'http://localhost:8080//auth/callback',
      'http://localhost:8080/auth%2Fcallback',
      'http://localhost:8080/AUTH/callback',
      'http://localhost:8080/auth/callback?next=https://evil.example/',
      'http://localhost:8080/auth/callback#fragment',
      'http://localhost:8080\\@evil.example/auth/callback',
      'http://*:8080/auth/callback',
      'https://evil.localhost:1280/auth/callback',
      '//evil.example/auth/callback',
      'javascript://localhost/auth/callback%0Aalert(1)',
    ];

    it('go to no address that is not registered, character for character, by GET and by POST', async () => {
      const before = await requestsUnderWay();
      for (const redirect_uri of STRANGE)
        for (const answer of [
          await oidc.authorize({ redirect_uri }),
          await oidc.authorize({ redirect_uri, response_type: 'token' }),
          await oidc.post('/oidc/authorize', { client_id: 'native', redirect_uri, response_type: 'code' }),
        ]) {
          expect(errorOf(answer), redirect_uri).to.equal('invalid_request');
          expect(answer.headers.location, redirect_uri).to.equal(undefined);
          expect(answer.text).to.not.include('evil');
        }
      expect(await requestsUnderWay()).to.equal(before);
    });

    it('go nowhere else whatever parameter of whatever endpoint names another address', async () => {
      const evil = 'https://evil.example/';
      const names = ['redirect_uri', 'post_logout_redirect_uri', 'state', 'next', 'url', 'return_to', 'target'];
      const asked = query(Object.fromEntries([...names, 'id', 'client_id'].map((name) => [name, evil])));
      for (const { method, path } of [...ENDPOINTS, { method: 'GET', path: '/auth/callback' }]) {
        const form = { 'content-type': 'application/x-www-form-urlencoded', 'host': HOST };
        const answer = await plain.send(method, `${path}?${asked}`, undefined, {
          headers: method === 'GET' ? { host: HOST } : form,
          ...(method === 'GET' ? {} : { rawBody: asked }),
        });
        const to = new URL(answer.headers.location ?? '', `https://${HOST}`);
        expect(to.host, path).to.equal(HOST);
      }
    });

    it('4.12: are 302 after a form, so that no browser sends a password again', async () => {
      const { id } = await oidc.begin();
      const typed = { id, username: user.name, password: PASSWORD };
      expectStatus(await oidc.post('/oidc/login/username', typed, HTML), 302);
      expectStatus(await oidc.get(`/oidc/authorize/callback?id=${id}`), 302);
      expectStatus(await oidc.post('/oidc/end_session', {}), 302);
      const redirects = answers.filter(({ answer: { status } }) => status >= 300 && status < 400);
      expect(redirects).to.have.lengthOf.greaterThan(3);
      expect(redirects.filter(({ answer }) => answer.status !== 302)).to.deep.equal([]);
    });
  });

  describe('2.1, 4.4, 4.7: answers to another, and of another', () => {
    it('bring state and nonce back as they were sent', async () => {
      for (const text of ['a b+c%20d&e=f#g', 'ü💥/?', `${'x'.repeat(2000)}`, "'><script>"]) {
        const { id, verifier } = await passed({ state: text, nonce: text });
        const returned = locationOf(await oidc.get(`/oidc/authorize/callback?id=${id}`)).searchParams;
        expect(returned.get('state')).to.equal(text);
        const tokens = tokensIn(await oidc.exchangeCode(returned.get('code') ?? '', verifier));
        expect(claimsOf(tokens.id_token)['nonce']).to.equal(text);
        const refused = locationOf(await oidc.authorize({ state: text, response_type: 'token' })).searchParams;
        expect(refused.get('state')).to.equal(text);
      }
    });

    it('name their issuer, with a code or with an error, and tokens name the same', async () => {
      const other = '127.0.0.1:1280';
      const at = oidcClient({
        ...plain,
        send: (method, path, body, options = {}) =>
          plain.send(method, path, body, { ...options, headers: { ...options.headers, host: other } }),
        get: (path, options = {}) => plain.get(path, { ...options, headers: { ...options.headers, host: other } }),
      });
      for (const [client, issuer] of [
        [oidc, ISSUER],
        [at, `https://${other}/oidc`],
      ] as const) {
        const { id, verifier } = await client.begin();
        const owed = locationOf(await client.get(`/oidc/authorize/callback?id=${id}`)).searchParams;
        expect([owed.get('error'), owed.get('iss')]).to.deep.equal(['interaction_required', issuer]);
        const wrong = locationOf(await client.authorize({ prompt: 'none' })).searchParams;
        expect([wrong.get('error'), wrong.get('iss')]).to.deep.equal(['login_required', issuer]);
        expectStatus(await client.password(id, user.name, PASSWORD), 302);
        const good = locationOf(await client.get(`/oidc/authorize/callback?id=${id}`)).searchParams;
        expect(good.getAll('iss')).to.deep.equal([issuer]);
        const tokens = tokensIn(await client.exchangeCode(good.get('code') ?? '', verifier));
        for (const token of [tokens.access_token, tokens.id_token, tokens.refresh_token])
          expect(claimsOf(token).iss).to.equal(issuer);
      }
    });

    it('4.13: go by the host of the request, never by what a proxy may have been told', async () => {
      const headers = {
        'x-forwarded-host': 'evil.example',
        'forwarded': 'host=evil.example;proto=http',
        'x-forwarded-client-cert': 'Hash=00',
        'x-ssl-client-cert': '-----BEGIN CERTIFICATE-----',
      };
      const { json } = await oidc.get('/oidc/.well-known/openid-configuration', { headers });
      expect(json).to.include({ issuer: ISSUER });
      const { id } = await oidc.begin();
      expectStatus(await oidc.post('/oidc/login/cert', { id }, headers), 401);
    });
  });

  describe('2.1.1, 4.5, 4.8: codes and their proof keys', () => {
    it('give nothing to a request without a challenge, or with one that hides nothing', async () => {
      const before = await requestsUnderWay();
      const verifier = newVerifier();
      for (const changes of [
        { code_challenge: undefined },
        { code_challenge: undefined, code_challenge_method: undefined },
        { code_challenge: '' },
        { code_challenge: verifier, code_challenge_method: 'plain' },
        { code_challenge_method: undefined },
        { code_challenge_method: 's256' },
        { code_challenge: 'short' },
        { code_challenge: `${challengeOf(verifier)}=` },
      ]) {
        const { searchParams } = locationOf(await oidc.authorize(changes));
        expect(searchParams.get('error'), JSON.stringify(changes)).to.equal('invalid_request');
        expect(searchParams.get('code')).to.equal(null);
      }
      expect(await requestsUnderWay()).to.equal(before);
    });

    it('take no verifier but the one of the challenge: none, an empty one, or the challenge itself', async () => {
      const { id, verifier } = await passed();
      const code = await oidc.codeOf(id);
      for (const code_verifier of [undefined, ''])
        expect(errorOf(await oidc.exchangeCode(code, verifier, { code_verifier }))).to.equal('invalid_request');
      for (const code_verifier of [challengeOf(verifier), `${verifier} `, verifier.toUpperCase(), newVerifier()])
        expect(errorOf(await oidc.exchangeCode(code, verifier, { code_verifier }))).to.equal('invalid_grant');
      tokensIn(await oidc.exchangeCode(code, verifier));
    });

    it('end all that they gave when they come again, and what that gave', async () => {
      const { id, verifier } = await passed();
      const code = await oidc.codeOf(id);
      const first = tokensIn(await oidc.exchangeCode(code, verifier));
      const exchanged = tokensIn(await oidc.exchange(first.access_token, 'access'));
      const second = tokensIn(await oidc.refresh(first.refresh_token));
      for (const tokens of [first, exchanged, second]) expect(await opens(tokens)).to.equal(true);
      expect(errorOf(await oidc.exchangeCode(code, verifier))).to.equal('invalid_grant');
      for (const tokens of [first, exchanged, second]) expect(await opens(tokens)).to.equal(false);
      expect(errorOf(await oidc.refresh(second.refresh_token))).to.equal('invalid_grant');
      expect(errorOf(await oidc.exchange(second.refresh_token, 'refresh'))).to.equal('invalid_grant');
    });
  });

  describe('2.2, 2.3, 4.9: tokens', () => {
    let tokens: Tokens;
    let key: PublishedKey;
    before(async () => {
      tokens = await login();
      const { keys } = (await oidc.get('/oidc/keys')).json as { keys: PublishedKey[] };
      key = keys[0] as PublishedKey;
    });
    const bearing = ['/oidc/userinfo', `${C}/current-identity`, `${M}/current-identity`, `${F}/routers`];

    it('that others made open nothing, get nothing and end nothing, at any endpoint', async () => {
      const boss = await oidc.login('admin', 'correct horse battery');
      for (const [what, forge] of Object.entries(forgeries(key))) {
        const [access, refresh] = [forge(tokens.access_token), forge(tokens.refresh_token)];
        for (const path of bearing)
          expect((await plain.get(path, { headers: { host: HOST, ...bearer(access).headers } })).status, what).to.equal(
            401,
          );
        const shown = { authorization: `Bearer ${access}` };
        expectStatus(await oidc.post('/oidc/userinfo', {}, shown), 401);
        expectStatus(await oidc.post('/oidc/oauth/introspect', { token: tokens.access_token }, shown), 401);
        const told = await oidc.post(
          '/oidc/oauth/introspect',
          { token: access },
          bearer(boss.access_token).headers as Form as Record<string, string>,
        );
        expect(told.json, what).to.deep.equal({ active: false });
        expect(errorOf(await oidc.refresh(refresh)), what).to.equal('invalid_grant');
        expect(errorOf(await oidc.exchange(refresh, 'refresh')), what).to.equal('invalid_request');
        expect(errorOf(await oidc.exchange(access, 'access')), what).to.equal('invalid_request');
        for (const path of ['/oidc/revoke', '/oidc/oauth/revoke'])
          for (const token of [access, refresh])
            expectStatus(await oidc.post(path, { client_id: 'native', token }), 200);
      }
      expect(await opens(tokens), 'the session goes on').to.equal(true);
    });

    it('of this network for another end are no access tokens', async () => {
      const { id: identityId } = await newUser(admin);
      const enrollment = expectStatus(
        await admin.post(`${M}/enrollments`, {
          identityId,
          method: 'ott',
          expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        }),
        201,
      ).data as { id: string };
      const { jwt } = expectStatus(await admin.get(`${M}/enrollments/${enrollment.id}`), 200).data as { jwt: string };
      const { data } = expectStatus(await admin.get(`${M}/network-jwts`), 200) as { data: { token: string }[] };
      for (const token of [tokens.id_token, tokens.refresh_token, jwt, ...data.map((one) => one.token)])
        for (const path of bearing)
          expectStatus(await plain.get(path, { headers: { host: HOST, ...bearer(token).headers } }), 401);
    });

    it('2.3: have one audience, the client that asked', async () => {
      for (const client_id of ['native', 'openziti']) {
        const own = await oidc.login(user.name, PASSWORD, { client_id });
        for (const token of [own.access_token, own.refresh_token, own.id_token])
          expect(claimsOf(token).aud).to.deep.equal([client_id]);
        const other = client_id === 'native' ? 'openziti' : 'native';
        expect(errorOf(await oidc.exchange(own.access_token, 'access', 'access', { client_id: other }))).to.equal(
          'invalid_request',
        );
        expect(errorOf(await oidc.refresh(own.refresh_token, { client_id: other }))).to.equal('invalid_grant');
        expectStatus(await oidc.post('/oidc/revoke', { client_id: other, token: own.refresh_token }), 200);
        expect(await opens(own)).to.equal(true);
      }
    });

    it('4.3.2: are taken from no address and no form, and given by POST alone', async () => {
      const { access_token } = tokens;
      for (const path of bearing)
        expectStatus(await plain.get(`${path}?${query({ access_token })}`, { headers: { host: HOST } }), 401);
      expectStatus(await oidc.post('/oidc/userinfo', { access_token }), 401);
      const grant = { grant_type: 'refresh_token', client_id: 'native', refresh_token: tokens.refresh_token };
      for (const path of ['/oidc/oauth/token', '/oidc/oauth/introspect', '/oidc/revoke', '/oidc/oauth/revoke'])
        expectStatus(await oidc.get(`${path}?${query({ ...grant, token: access_token })}`), 405);
      expectStatus(await oidc.post(`/oidc/oauth/token?${query(grant)}`, {}), 400);
      tokensIn(await oidc.refresh(tokens.refresh_token));
    });
  });

  it('2.6: the metadata names what works, and no more', async () => {
    const { json } = await oidc.get('/oidc/.well-known/openid-configuration');
    expect(json).to.deep.include({
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    for (const changes of [
      { response_mode: 'fragment' },
      { response_mode: 'form_post' },
      { request: 'x.y.z' },
      { request_uri: 'https://evil.example/r' },
    ])
      expect(locationOf(await oidc.authorize(changes)).searchParams.get('error')).to.be.a('string');
  });

  it('2.6: pages of other origins may call no endpoint that no setting opens to them', async () => {
    for (const origin of ['https://evil.example', 'null', `https://${HOST}.evil.example`])
      for (const { method, path } of ENDPOINTS)
        for (const headers of [{}, { 'access-control-request-method': method }]) {
          const verb = 'access-control-request-method' in headers ? 'OPTIONS' : method;
          const answer = await plain.send(verb, path, undefined, { headers: { host: HOST, origin, ...headers } });
          const opened = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
          expect(opened, `${verb} ${path}`).to.deep.equal([]);
        }
  });

  it('4.2, 4.16: every page keeps its address to itself and may not be framed', async () => {
    const other = await newUser(admin);
    const { secret } = await enrollTotp(await controller.login(other.name, PASSWORD));
    const { id } = await oidc.begin();
    const pages = [
      await oidc.get(`/oidc/login/username?authRequestID=${id}`, { headers: HTML }),
      await oidc.get(`/oidc/login/password?authRequestID=${id}`, { headers: HTML }),
      await oidc.post('/oidc/login/username', { id, username: other.name, password: 'wrong' }, HTML),
      await oidc.post('/oidc/login/username', { id, username: other.name, password: PASSWORD }, HTML),
      await oidc.post('/oidc/login/totp', { id, code: '000000' }, HTML),
    ];
    expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(secret, 1) }, HTML), 302);
    for (const { headers, text } of pages) {
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers).to.include({
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).to.include("frame-ancestors 'none'").and.include("default-src 'none'");
      expect(text).to.not.match(/<(script|img|link|iframe)|https?:/);
    }
    const sent = answers.filter(({ answer }) => answer.headers['content-type']?.startsWith('text/html') === true);
    expect(sent.filter(({ answer }) => answer.headers['x-frame-options'] !== 'DENY')).to.deep.equal([]);
  });

  it('sets no cookie, and leaves nothing secret in a log', async () => {
    const [state, nonce, wrong] = ['the-state-of-one', 'the-nonce-of-one', 'a-wrong-password'];
    const { id, verifier } = await oidc.begin({ state, nonce });
    await oidc.password(id, user.name, wrong);
    expectStatus(await oidc.password(id, user.name, PASSWORD), 302);
    const code = await oidc.codeOf(id);
    await oidc.exchangeCode(code, newVerifier());
    const tokens = tokensIn(await oidc.exchangeCode(code, verifier));
    const next = tokensIn(await oidc.refresh(tokens.refresh_token));
    const exchanged = tokensIn(await oidc.exchange(next.refresh_token, 'refresh'));
    await oidc.get(`/oidc/userinfo?${query({ access_token: next.access_token })}`);
    await oidc.get(`/oidc/oauth/token?${query({ code, code_verifier: verifier, client_secret: wrong })}`);
    await oidc.post('/oidc/oauth/token', {}, { authorization: `Basic ${btoa(`native:${wrong}`)}` });
    await oidc.post('/oidc/revoke', { client_id: 'native', token: next.refresh_token });
    const secrets = [PASSWORD, wrong, btoa(`native:${wrong}`), verifier, code, state, nonce];
    for (const { access_token, refresh_token, id_token } of [tokens, next, exchanged])
      secrets.push(...[access_token, refresh_token, id_token].filter(Boolean).map((text) => text.split('.')[2] ?? ''));
    const log = JSON.stringify(controller.log);
    expect(log).to.include('issueTokens');
    for (const secret of secrets)
      for (const text of [secret, encodeURIComponent(secret)]) expect(log.includes(text), text).to.equal(false);
    expect(answers.filter(({ answer }) => answer.headers['set-cookie'] !== undefined)).to.deep.equal([]);
  });
});
