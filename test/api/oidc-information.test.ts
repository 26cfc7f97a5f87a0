/** What the endpoints of OpenID Connect tell of tokens and their users: documents, user info, introspection, logout. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { makeCa, makeLeaf, shownBy } from '../support/certificates.js';
import { ISSUER, bearer, claimsOf, errorOf, oidcClient, tokensIn } from '../support/oidc.js';
import type { OidcClient, Tokens } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import { PASSWORD, makeUser, newUser } from '../support/users.js';
import { openWorld } from './certificate-support.js';
import type { CertificateWorld } from './certificate-support.js';

const INACTIVE = { active: false };

describe('what is told of users who log in by OpenID Connect', function information() {
  this.timeout(60_000);
  let controller: TestController;
  let oidc: OidcClient;
  let world: CertificateWorld;
  before(async () => {
    controller = await startTestController({ EDGE_OIDC_HOSTS: 'login.example' });
    oidc = oidcClient(controller.anonymous);
    world = openWorld(() => controller);
  });
  after(async () => {
    world.close();
    await controller.stop();
  });

  const login = async (fields: object = {}) => {
    const { id, name } = await newUser(controller.admin, fields);
    return { id, name, tokens: await oidc.login(name, PASSWORD) };
  };
  const introspect = (token: string | undefined, access?: string, changes: Record<string, string> = {}) =>
    oidc.post(
      '/oidc/oauth/introspect',
      { token, ...changes },
      access === undefined ? {} : { authorization: `Bearer ${access}` },
    );
  const told = async (token: string, access: string) => expectStatus(await introspect(token, access), 200).json;

  it('is who it is, for a token that is good', async () => {
    const { id, name, tokens } = await login();
    expect(expectStatus(await oidc.get('/oidc/userinfo', bearer(tokens.access_token)), 200).json).to.deep.equal({
      sub: id,
      name,
    });
    expectStatus(await oidc.get('/oidc/userinfo', bearer(tokens.refresh_token)), 401);
    expectStatus(await oidc.get('/oidc/userinfo'), 401);
    expectStatus(await controller.admin.delete(`${M}/identities/${id}`), 200);
    expectStatus(await oidc.get('/oidc/userinfo', bearer(tokens.access_token)), 401);
  });

  it('is in the discovery document, which names what works', async () => {
    const document = (await oidc.get('/oidc/.well-known/openid-configuration')).json as Record<string, string>;
    expect(document).to.include({ issuer: ISSUER, token_endpoint: `${ISSUER}/oauth/token` });
    for (const name of [
      'userinfo_endpoint',
      'introspection_endpoint',
      'jwks_uri',
      'end_session_endpoint',
      'authorization_endpoint',
    ])
      expect((await oidc.get(new URL(document[name] ?? '').pathname)).status, name).to.not.equal(404);
  });

  it('after a logout, only at a registered address', async () => {
    const to = (uri: string) =>
      oidc.get(`/oidc/end_session?state=s&post_logout_redirect_uri=${encodeURIComponent(uri)}`);
    expect(expectStatus(await to('http://localhost:9/auth/logout'), 302).headers.location).to.equal(
      'http://localhost:9/auth/logout?state=s',
    );
    expect(errorOf(await to('https://evil.example/auth/logout'))).to.equal('invalid_request');
    expect(expectStatus(await oidc.get('/oidc/end_session'), 302).headers.location).to.equal('/oidc/logged-out');
    expectStatus(await oidc.get('/oidc/logged-out'), 200);
  });

  it('is not told by introspection without an access token that is good', async () => {
    const { tokens } = await login();
    const { access_token: access, refresh_token: refresh, id_token: id } = tokens;
    expect(errorOf(await introspect(access), 401)).to.equal('invalid_request');
    for (const wrong of [refresh, id, 'x.y.z', `${access.slice(0, -4)}AAAA`])
      expect(errorOf(await introspect(access, wrong), 401)).to.equal('invalid_token');
    expectStatus(await oidc.post('/oidc/revoke', { client_id: 'native', token: access }), 200);
    expect(errorOf(await introspect(refresh, access), 401)).to.equal('invalid_token');
  });

  it('is not told by introspection to other users, or of what is no good token', async () => {
    const [one, two] = [await login(), await login()];
    const access = one.tokens.access_token;
    for (const token of [two.tokens.access_token, two.tokens.refresh_token, one.tokens.id_token, 'x.y.z', 'x'])
      expect(await told(token, access), token).to.deep.equal(INACTIVE);
    expect(errorOf(await introspect(undefined, access))).to.equal('invalid_request');
    expect(errorOf(await introspect(access, access, { client_id: 'stranger' }))).to.equal('invalid_client');
    const next = tokensIn(await oidc.refresh(one.tokens.refresh_token));
    expect(await told(one.tokens.refresh_token, access), 'one that was replaced').to.deep.equal(INACTIVE);
    expect(await told(next.refresh_token, access)).to.include({ active: true });
  });

  it('is told by introspection to the user itself, and to administrators', async () => {
    const { id, name, tokens } = await login();
    const claims = claimsOf(tokens.access_token);
    const facts = {
      active: true,
      aud: ['native'],
      client_id: 'native',
      exp: claims.exp,
      iat: claims.iat,
      iss: ISSUER,
      jti: claims.jti,
      scope: 'openid offline_access',
      sub: id,
      token_type: 'Bearer',
      username: name,
    };
    expect(await told(tokens.access_token, tokens.access_token)).to.deep.equal(facts);
    const admin = await oidc.login(ADMIN.username, ADMIN.password);
    expect(await told(tokens.access_token, admin.access_token)).to.deep.equal(facts);
    expect(await told(tokens.refresh_token, admin.access_token)).to.include({ active: true, sub: id });
    expectStatus(await controller.admin.delete(`${M}/identities/${id}`), 200);
    expect(await told(tokens.access_token, admin.access_token)).to.deep.equal(INACTIVE);
  });

  it('is told of others to an administrator with a certificate only when it is shown', async () => {
    const { tokens } = await login();
    const leaf = makeLeaf(makeCa());
    const name = unique('admin');
    const { id } = await makeUser(controller.admin, name, { isAdmin: true });
    const ca = makeCa();
    const own = makeLeaf(ca);
    await world.register(id, own, await world.trust(ca));
    const by = (client: Client) => oidcClient(client);
    const shown = by(world.client(shownBy(own)));
    const begun = await shown.begin();
    expectStatus(await shown.post('/oidc/login/cert', { id: begun.id }), 302);
    const access = tokensIn(await shown.exchangeCode(await shown.codeOf(begun.id), begun.verifier)).access_token;
    const asked = (client: OidcClient) =>
      client.post('/oidc/oauth/introspect', { token: tokens.access_token }, { authorization: `Bearer ${access}` });
    expect((await asked(oidc)).json).to.deep.equal(INACTIVE);
    expect((await asked(by(world.client(shownBy(leaf))))).json).to.deep.equal(INACTIVE);
    expect((await asked(shown)).json).to.include({ active: true });
  });

  describe('to routers, by a token that a code of the second factor gives', () => {
    const PATH = `${C}/current-api-session/totp-token`;
    const ask = (tokens: Tokens, code: string) =>
      controller.anonymous.post(PATH, { code }, bearer(tokens.access_token));

    it('comes for no session of the other kind, no wrong code, no recovery code', async () => {
      const none = await login();
      expect(expectStatus(await ask(none.tokens, '123456'), 409).error?.code).to.equal('MFA_NOT_ENROLLED');
      const client = await controller.login(none.name, PASSWORD);
      expect(expectStatus(await client.post(PATH, { code: '123456' }), 400).error?.code).to.equal(
        'INVALID_BACKING_TOKEN_TYPE',
      );
      const { recoveryCodes } = await enrollTotp(client);
      const partial = expectStatus(await ask(none.tokens, '123456'), 401);
      expect(partial.error?.code, 'a session that owes a code').to.equal('UNAUTHORIZED');
      const { id, verifier } = await oidc.begin();
      await oidc.password(id, none.name, PASSWORD);
      expectStatus(await oidc.post('/oidc/login/totp', { id, code: recoveryCodes[0] }), 302);
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      for (const code of ['000000', recoveryCodes[1] ?? ''])
        expect(expectStatus(await ask(tokens, code), 401).error?.code).to.equal('MFA_INVALID_TOKEN');
    });

    it('names the session, and opens nothing here', async () => {
      const user = await login();
      const { secret } = await enrollTotp(await controller.login(user.name, PASSWORD));
      const unspend = () =>
        controller.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [user.id]);
      await unspend();
      const { id, verifier } = await oidc.begin();
      await oidc.password(id, user.name, PASSWORD);
      expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(secret) }), 302);
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      await unspend();
      const answer = expectStatus(await ask(tokens, codeAt(secret)), 200).data as { token: string; issuedAt: string };
      const claims = claimsOf(answer.token);
      expect(claims).to.deep.include({
        iss: ISSUER.replace('/oidc', ''),
        sub: user.id,
        aud: ['native'],
        z_t: 't',
        z_asid: claimsOf(tokens.access_token)['z_asid'],
      });
      expect(claims).to.not.have.property('exp');
      expect(Date.parse(answer.issuedAt) / 1000).to.be.closeTo(claims.iat ?? 0, 1);
      expectStatus(await controller.anonymous.get(`${C}/current-identity`, bearer(answer.token)), 401);
      expect(await told(answer.token, tokens.access_token)).to.deep.equal(INACTIVE);
    });
  });

  it('is told at hosts that the settings list, and at no other that is like them', async () => {
    const at = (host: string) => oidc.get('/oidc/.well-known/openid-configuration', { headers: { host } });
    expect(expectStatus(await at('login.example:1280'), 200).json).to.include({
      issuer: 'https://login.example:1280/oidc',
    });
    for (const host of ['login.example:9', 'other.login.example:1280', 'example:1280'])
      expectStatus(await at(host), 404);
    const { tokens } = await login();
    expectStatus(await controller.anonymous.get(`${C}/current-identity`, bearer(tokens.access_token)), 200);
  });
});
