/** Logging in by OpenID Connect in other ways than by a password: certificates, tokens of signers, second factors. */
import { expect } from 'chai';
import { authPolicy } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import {
  HOST,
  bearer,
  challengeOf,
  claimsOf,
  errorOf,
  locationOf,
  newVerifier,
  oidcClient,
  tokensIn,
} from '../support/oidc.js';
import type { OidcClient, Tokens } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { bearing, makeSigner, nowSeconds, tokenOf } from '../support/tokens.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import { PASSWORD, newUser } from '../support/users.js';
import { openWorld } from './certificate-support.js';
import type { CertificateWorld } from './certificate-support.js';

describe('logins by OpenID Connect', function factors() {
  this.timeout(60_000);
  let controller: TestController;
  let oidc: OidcClient;
  let world: CertificateWorld;
  before(async () => {
    controller = await startTestController();
    oidc = oidcClient(controller.anonymous);
    world = openWorld(() => controller);
  });
  after(async () => {
    world.close();
    await controller.stop();
  });

  const policyOf = async (changes: Parameters<typeof authPolicy>[0]) =>
    entityOf(expectStatus(await controller.admin.post(`${M}/auth-policies`, authPolicy(changes)), 201)).id;
  const refusedAtCallback = async (id: string) =>
    locationOf(await oidc.get(`/oidc/authorize/callback?id=${id}`)).searchParams.get('error');
  const statusOf = async (token: string, path: string, client: Client = controller.anonymous) =>
    (await client.get(path, bearer(token))).status;
  const unspend = (id: string) =>
    controller.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [id]);

  describe('with a second factor', () => {
    const JSON_TYPE = { 'content-type': 'application/json', 'host': HOST };
    const post = (path: string, body: object) => controller.anonymous.send('POST', path, body, { headers: JSON_TYPE });
    const enrolled = async (fields: object = {}) => {
      const user = await newUser(controller.admin, fields);
      const totp = await enrollTotp(await controller.login(user.name, PASSWORD));
      await unspend(user.id);
      return { ...user, ...totp };
    };
    const wrong = { code: 'INVALID TOTP CODE', message: 'an invalid TOTP code was supplied' };

    it('ask for a code, and no code comes before it', async () => {
      const user = await enrolled();
      const { id, verifier } = await oidc.begin();
      const owing = expectStatus(await oidc.password(id, user.name, PASSWORD), 200);
      expect(owing.headers['totp-required']).to.equal('true');
      const query = {
        typeId: 'TOTP',
        provider: 'ziti',
        isTotpEnrolled: true,
        httpMethod: 'POST',
        httpUrl: './oidc/login/totp',
      };
      expect((owing.json as { authQueries: object[] }).authQueries[0]).to.include(query);
      expect(expectStatus(await oidc.get(`/oidc/login/auth-queries?id=${id}`), 200).json).to.deep.equal(owing.json);
      expect(await refusedAtCallback(id)).to.equal('interaction_required');
      expect(expectStatus(await post('/oidc/login/totp', { id, code: '000000' }), 400).json).to.deep.equal(wrong);
      expectStatus(await post('/oidc/login/totp', { id, code: codeAt(user.secret) }), 302);
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      expect(claimsOf(tokens.access_token)['amr']).to.deep.equal(['password', 'totp']);
      expect(await statusOf(tokens.access_token, `${C}/current-identity`)).to.equal(200);
      const fresh = expectStatus(await oidc.exchange(tokens.refresh_token, 'refresh'), 200).json as Tokens;
      expect(claimsOf(fresh.access_token)['amr'], 'stay').to.deep.equal(['password', 'totp']);
    });

    it('take a recovery code, once', async () => {
      const user = await enrolled();
      const [code] = user.recoveryCodes;
      for (const status of [302, 400]) {
        const { id } = await oidc.begin();
        expectStatus(await oidc.password(id, user.name, PASSWORD), 200);
        expectStatus(await oidc.post('/oidc/login/totp', { id, code }), status);
      }
    });

    it('count wrong codes with all others, and answer as much after too many', async () => {
      const user = await enrolled();
      const { id } = await oidc.begin();
      expectStatus(await oidc.password(id, user.name, PASSWORD), 200);
      for (let n = 0; n < 10; n += 1) expectStatus(await oidc.post('/oidc/login/totp', { id, code: `00000${n}` }), 400);
      expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(user.secret) }), 429);
    });

    it('do not hand the second factor of one user to another who logs in on the same request', async () => {
      const [first, second] = [await enrolled(), await enrolled()];
      const { id } = await oidc.begin();
      expectStatus(await oidc.password(id, first.name, PASSWORD), 200);
      expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(first.secret) }), 302);
      expectStatus(await oidc.password(id, second.name, PASSWORD), 200);
      expect(await refusedAtCallback(id)).to.equal('interaction_required');
      expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(first.secret, 1) }), 400);
    });

    it('take no code before the password, or for an unknown login', async () => {
      const user = await enrolled();
      const { id } = await oidc.begin();
      expect(
        expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(user.secret) }), 400).json,
      ).to.deep.equal(wrong);
      expectStatus(await oidc.post('/oidc/login/totp', { code: '123456' }), 400);
    });

    it('show a page for it, and again after a wrong code', async () => {
      const user = await enrolled();
      const accept = { accept: 'text/html' };
      const { id } = await oidc.begin();
      const page = expectStatus(
        await oidc.post('/oidc/login/username', { id, username: user.name, password: PASSWORD }, accept),
        200,
      );
      expect(page.text).to.include('action="/oidc/login/totp"').and.include('autocomplete="one-time-code"');
      expect(page.headers['content-security-policy']).to.include("form-action 'self' http://localhost:8080");
      expect(expectStatus(await oidc.post('/oidc/login/totp', { id, code: '000000' }, accept), 400).text).to.include(
        'role="alert"',
      );
      expectStatus(await oidc.post('/oidc/login/totp', { id, code: codeAt(user.secret) }, accept), 302);
    });

    it('that the policy asks for is enrolled on the way', async () => {
      const authPolicyId = await policyOf({ secondary: { requireTotp: true } });
      const user = await newUser(controller.admin, { authPolicyId });
      const { id, verifier } = await oidc.begin();
      const owing = expectStatus(await oidc.password(id, user.name, PASSWORD), 200);
      expect((owing.json as { authQueries: object[] }).authQueries[0]).to.not.have.property('isTotpEnrolled');
      const begun = expectStatus(await post('/oidc/login/totp/enroll', { id }), 201).json as {
        provisioningUrl: string;
        recoveryCodes: string[];
      };
      expect(begun.recoveryCodes).to.have.length(20);
      expectStatus(await post('/oidc/login/totp/enroll', { id }), 409);
      const secret = new URL(begun.provisioningUrl).searchParams.get('secret') ?? '';
      expectStatus(await post('/oidc/login/totp/enroll/verify', { id, code: '000000' }), 400);
      expect(await refusedAtCallback(id)).to.equal('interaction_required');
      expectStatus(await post('/oidc/login/totp/enroll/verify', { id, code: codeAt(secret) }), 302);
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      expect(claimsOf(tokens.access_token)['amr']).to.deep.equal(['password', 'totp']);
    });

    it('is removed on the way without a code while it is not verified, and with one after', async () => {
      const remove = (body: object) =>
        controller.anonymous.send('DELETE', '/oidc/login/totp/enroll', body, { headers: JSON_TYPE });
      const user = await enrolled();
      const { id } = await oidc.begin();
      expectStatus(await oidc.password(id, user.name, PASSWORD), 200);
      expectStatus(await remove({ id }), 400);
      expectStatus(await remove({ id, code: '000000' }), 400);
      expectStatus(await post('/oidc/login/totp/enroll', { id }), 409);
      expectStatus(await remove({ id: 'x' }), 401);
    });

    it('that a user adds later is owed by open sessions too', async () => {
      const user = await newUser(controller.admin);
      const tokens = await oidc.login(user.name, PASSWORD);
      await enrollTotp(await controller.login(user.name, PASSWORD));
      expect(await statusOf(tokens.access_token, `${C}/current-identity`)).to.equal(401);
      expect(errorOf(await oidc.refresh(tokens.refresh_token))).to.equal('invalid_grant');
    });
  });

  describe('with a token of a signer', () => {
    const withToken = (token: string) => ({ authorization: `Bearer ${token}` });

    it('give tokens, by the rules of the signer', async () => {
      const signer = await makeSigner(controller.admin);
      const { id: sub } = await newUser(controller.admin);
      const { id, verifier, answer } = await oidc.begin({ method: 'ext-jwt' });
      expect(answer.headers.location).to.match(/^\/oidc\/login\/ext-jwt\?/);
      const shown = await tokenOf(signer, sub);
      expectStatus(await oidc.post('/oidc/login/ext-jwt', { id }, withToken(shown)), 302);
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(id), verifier));
      expect(claimsOf(tokens.access_token)).to.deep.include({
        sub,
        amr: ['ext-jwt'],
        z_authid: `extJwtId:${signer.id}`,
      });
      expectStatus(await controller.admin.patch(`${M}/external-jwt-signers/${signer.id}`, { enabled: false }), 200);
      expect(await statusOf(tokens.access_token, `${C}/current-identity`)).to.equal(401);
    });

    it('take the calls of the C SDK as it makes them', async () => {
      const signer = await makeSigner(controller.admin);
      const { id: sub } = await newUser(controller.admin);
      const { json } = expectStatus(await oidc.get('/oidc/.well-known/openid-configuration'), 200);
      const endpoints = json as Record<'authorization_endpoint' | 'token_endpoint', string>;
      const pathOf = (url: string) => url.slice(new URL(url).origin.length);
      const verifier = newVerifier();
      const redirect_uri = 'http://localhost:20314/auth/callback';
      const asked = new URLSearchParams({
        client_id: 'openziti',
        scope: 'openid offline_access',
        response_type: 'code',
        redirect_uri,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
        state: 'c-sdk',
        audience: 'openziti',
      });
      const path = `${pathOf(endpoints.authorization_endpoint)}?${asked.toString()}`;
      const headers = { host: HOST };
      const begun = await controller.anonymous.send('POST', path, undefined, { headers });
      const [, id = ''] = /authRequestID=([^&]+)/.exec(expectStatus(begun, 302).headers.location ?? '') ?? [];
      const info = { sdkInfo: { type: 'ziti-sdk-c', version: '1.9.0' }, envInfo: { os: 'Linux', arch: 'x86_64' } };
      const login = await controller.anonymous.send('POST', `/oidc/login/ext-jwt?id=${id}`, info, {
        headers: { ...headers, ...withToken(await tokenOf(signer, sub)) },
      });
      const back = await oidc.get(pathOf(expectStatus(login, 302).headers.location ?? ''));
      const location = expectStatus(back, 302).headers.location ?? '';
      expect(location).to.match(/[?&]code=[A-Za-z0-9._-]+&state=c-sdk$/);
      const code = locationOf(back).searchParams.get('code') ?? undefined;
      const token = pathOf(endpoints.token_endpoint);
      const form = { grant_type: 'authorization_code', client_id: 'openziti', code, code_verifier: verifier };
      const tokens = tokensIn(await oidc.post(token, { ...form, redirect_uri, state: '', scope: '' }));
      const refreshed = await oidc.post(
        token,
        { grant_type: 'refresh_token', client_id: 'openziti', refresh_token: tokens.refresh_token },
        { authorization: `Basic ${Buffer.from('openziti:').toString('base64')}` },
      );
      expect(await statusOf(tokensIn(refreshed).access_token, `${C}/current-identity`)).to.equal(200);
      const shown = expectStatus(await controller.admin.get(`${M}/identities/${sub}`), 200).data;
      expect(shown).to.deep.include({ sdkInfo: info.sdkInfo });
    });

    it('say what is wrong with one', async () => {
      const signer = await makeSigner(controller.admin);
      const { id: sub } = await newUser(controller.admin);
      const { id } = await oidc.begin();
      const faultOf = async (headers: Record<string, string>) =>
        /error="(\w+)"/.exec(
          String(
            expectStatus(await oidc.post('/oidc/login/ext-jwt', { id }, headers), 401).headers['www-authenticate'],
          ),
        )?.[1];
      expect(await faultOf({})).to.equal('missing');
      expect(await faultOf(withToken(await tokenOf(signer, sub, { exp: nowSeconds() - 60 })))).to.equal('expired');
      expect(await faultOf(withToken(await tokenOf(signer, 'nobody')))).to.equal('invalid');
    });

    it('need the one that the policy requires, in the login and with each request', async () => {
      const signer = await makeSigner(controller.admin);
      const authPolicyId = await policyOf({ secondary: { requireExtJwtSigner: signer.id } });
      const user = await newUser(controller.admin, { authPolicyId });
      const { id, verifier } = await oidc.begin();
      const owing = expectStatus(await oidc.password(id, user.name, PASSWORD), 200);
      expect((owing.json as { authQueries: { id: string }[] }).authQueries.map((query) => query.id)).to.deep.equal([
        signer.id,
      ]);
      expect(owing.headers['www-authenticate']).to.include('realm="openziti-secondary-ext-jwt" error="missing"');
      expect(await refusedAtCallback(id)).to.equal('interaction_required');
      const other = await newUser(controller.admin);
      expectStatus(await oidc.post('/oidc/login/ext-jwt', { id }, withToken(await tokenOf(signer, other.id))), 302);
      const again = await oidc.begin();
      expectStatus(await oidc.password(again.id, user.name, PASSWORD), 200);
      const shown = await tokenOf(signer, user.id);
      expectStatus(await oidc.post('/oidc/login/ext-jwt', { id: again.id }, withToken(shown)), 302);
      const tokens = tokensIn(await oidc.exchangeCode(await oidc.codeOf(again.id), again.verifier));
      expect(claimsOf(tokens.access_token)).to.deep.include({ sub: user.id, amr: ['password'] });
      expect(await statusOf(tokens.access_token, `${C}/current-identity`), 'without it').to.equal(401);
      const both = bearing(tokens.access_token, shown);
      expectStatus(await controller.anonymous.get(`${C}/current-identity`, both), 200);
      expect(errorOf(await oidc.exchangeCode('x', verifier))).to.equal('invalid_grant');
    });
  });

  it('are offered where they are on', async () => {
    const { data } = expectStatus(await controller.anonymous.get(`${C}/version`), 200);
    const { capabilities, apiVersions } = data as {
      capabilities: string[];
      apiVersions: Record<string, { v1: object }>;
    };
    expect(capabilities).to.have.members(['EDGE_CONTROLLER', 'OIDC_AUTH', 'OIDC_AUTH_WITH_CSR']);
    expect(apiVersions['edge-oidc']).to.deep.equal({ v1: { apiBaseUrls: [`https://${HOST}/oidc`], path: '/oidc' } });
  });
});
