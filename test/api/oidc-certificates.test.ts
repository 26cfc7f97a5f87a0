/** Logging in by OpenID Connect with certificates, and sessions that get one later: what their tokens open. */
import { expect } from 'chai';
import { createCertificateClient, makeCa, makeLeaf, makeRequest, shownBy } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, itemsOf } from '../support/entities.js';
import { bearer, claimsOf, errorOf, oidcClient, tokensIn } from '../support/oidc.js';
import type { OidcClient, Tokens } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, newUser } from '../support/users.js';
import { openWorld } from './certificate-support.js';
import type { CertificateWorld, Shown } from './certificate-support.js';

const CERTIFICATES = `${C}/current-api-session/certificates`;

describe('logins by OpenID Connect, of users', function certificates() {
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

  const statusOf = async (token: string, path: string, client: Client = controller.anonymous) =>
    (await client.get(path, bearer(token))).status;

  describe('with a certificate', () => {
    interface Owner {
      readonly id: string;
      readonly shown: Shown;
      readonly client: Client;
      readonly oidc: OidcClient;
      readonly fingerprint: string;
    }
    const newOwner = async (fields: object = {}): Promise<Owner> => {
      const { id } = await newUser(controller.admin, fields);
      const ca = makeCa();
      const caId = await world.trust(ca);
      const leaf = makeLeaf(ca);
      await world.register(id, leaf, caId);
      const shown = shownBy(leaf);
      const client = world.client(shown);
      return { id, shown, client, oidc: oidcClient(client), fingerprint: leaf.fingerprint };
    };
    const loginBy = async (owner: Owner): Promise<Tokens> => {
      const { id, verifier, answer } = await owner.oidc.begin();
      expect(answer.headers.location).to.match(/^\/oidc\/login\/cert\?/);
      expectStatus(await owner.oidc.post('/oidc/login/cert', { id }), 302);
      return tokensIn(await owner.oidc.exchangeCode(await owner.oidc.codeOf(id), verifier));
    };

    it('give tokens that name it', async () => {
      const owner = await newOwner();
      const claims = claimsOf((await loginBy(owner)).access_token);
      expect(claims).to.deep.include({ sub: owner.id, amr: ['cert'], z_cfs: [owner.fingerprint] });
    });

    it('need one that is known', async () => {
      const stranger = oidcClient(world.client(shownBy(makeLeaf(makeCa()))));
      const { id } = await stranger.begin();
      expectStatus(await stranger.post('/oidc/login/cert', { id }), 401);
      expectStatus(await oidc.post('/oidc/login/cert', { id }), 401);
    });

    it('open administration with that certificate on the connection, and not with the token alone', async () => {
      const owner = await newOwner({ isAdmin: true });
      const { access_token: token } = await loginBy(owner);
      expect(await statusOf(token, `${M}/identities`), 'before any use').to.equal(401);
      expect(await statusOf(token, `${C}/controllers`, owner.client)).to.equal(200);
      expect(await statusOf(token, `${M}/identities`, owner.client)).to.equal(200);
      expect(await statusOf(token, `${M}/identities`), 'without it').to.equal(401);
      expect(await statusOf(token, '/fabric/v1/routers', owner.client)).to.equal(200);
      expect(await statusOf(token, '/fabric/v1/routers'), 'without it').to.equal(401);
      const other = await newOwner();
      expect(await statusOf(token, `${M}/identities`, other.client), 'with another').to.equal(401);
      expect(await statusOf(token, `${C}/current-identity`), 'what clients may').to.equal(200);
    });

    it('that administer with it first go on with the token alone, until they call the client API', async () => {
      const owner = await newOwner({ isAdmin: true });
      const { access_token: token, refresh_token: refresh } = await loginBy(owner);
      expect(await statusOf(token, `${M}/identities`, owner.client)).to.equal(200);
      for (const path of [`${M}/identities`, '/fabric/v1/routers', `${M}/identities`])
        expect(await statusOf(token, path), path).to.equal(200);
      expect(errorOf(await oidc.refresh(refresh)), 'a refresh needs it still').to.equal('access_denied');
      expect(await statusOf(token, `${C}/current-identity`)).to.equal(200);
      for (const path of [`${M}/identities`, '/fabric/v1/routers'])
        expect(await statusOf(token, path), path).to.equal(401);
      expect(await statusOf(token, `${M}/identities`, owner.client)).to.equal(200);
      expect(await statusOf(token, `${M}/identities`), 'showing it again does not bring that back').to.equal(401);
    });

    it('do not begin to administer by another certificate, or by one that is made with the token', async () => {
      const [owner, other] = [await newOwner({ isAdmin: true }), await newOwner({ isAdmin: true })];
      const { access_token: token } = await loginBy(owner);
      expect(await statusOf(token, `${M}/identities`, other.client)).to.equal(401);
      expect(await statusOf(token, `${M}/identities`)).to.equal(401);
    });

    it('are refreshed and exchanged with it alone', async () => {
      const owner = await newOwner();
      const tokens = await loginBy(owner);
      for (const answer of [
        await oidc.refresh(tokens.refresh_token),
        await oidc.exchange(tokens.refresh_token, 'refresh'),
      ])
        expect(errorOf(answer)).to.equal('access_denied');
      const fresh = tokensIn(await owner.oidc.refresh(tokens.refresh_token));
      expect(claimsOf(fresh.access_token)).to.deep.include({ z_cfs: [owner.fingerprint] });
    });

    it('give no tokens for their code without it', async () => {
      const owner = await newOwner();
      const { id, verifier } = await owner.oidc.begin();
      expectStatus(await owner.oidc.post('/oidc/login/cert', { id }), 302);
      const code = await owner.oidc.codeOf(id);
      expect(errorOf(await oidc.exchangeCode(code, verifier))).to.equal('access_denied');
      tokensIn(await owner.oidc.exchangeCode(code, verifier));
    });
  });

  describe('whose session gets a certificate', () => {
    const certificate = async (token: string, client: Client = controller.anonymous) => {
      const { pem, privateKeyPem } = makeRequest();
      const made = entityOf(expectStatus(await client.post(CERTIFICATES, { csr: pem }, bearer(token)), 201));
      return { id: made.id, shown: { cert: String(made['certificate']), key: privateKeyPem } };
    };
    const signedIn = async () => {
      const user = await newUser(controller.admin, { isAdmin: true });
      return { ...user, tokens: await oidc.login(user.name, PASSWORD) };
    };

    it('list, read and delete it as their own', async () => {
      const { tokens } = await signedIn();
      const other = await signedIn();
      const { id, shown } = await certificate(tokens.access_token);
      expect(shown.cert.match(/BEGIN CERTIFICATE/g)?.length, 'the leaf and its intermediate').to.equal(2);
      const list = async (token: string) =>
        itemsOf(expectStatus(await controller.anonymous.get(CERTIFICATES, bearer(token)), 200));
      expect((await list(tokens.access_token)).map((item) => item['id'])).to.deep.equal([id]);
      expect(await list(other.tokens.access_token)).to.deep.equal([]);
      expect(await statusOf(other.tokens.access_token, `${CERTIFICATES}/${id}`)).to.equal(404);
      expectStatus(
        await controller.anonymous.delete(`${CERTIFICATES}/${id}`, undefined, bearer(tokens.access_token)),
        200,
      );
    });

    it('open administration with that certificate alone from then on, also when it is gone', async () => {
      const { tokens } = await signedIn();
      const token = tokens.access_token;
      expect(await statusOf(token, `${M}/identities`)).to.equal(200);
      const { id, shown } = await certificate(token);
      const client = world.client(shown);
      expect(await statusOf(token, `${M}/identities`)).to.equal(401);
      expect(await statusOf(token, `${M}/identities`, client)).to.equal(200);
      expectStatus(await controller.anonymous.delete(`${CERTIFICATES}/${id}`, undefined, bearer(token)), 200);
      for (const each of [client, controller.anonymous])
        expect(await statusOf(token, `${M}/identities`, each)).to.equal(401);
    });

    it('open nothing with one that whoever has the token makes', async () => {
      const { tokens } = await signedIn();
      const token = tokens.access_token;
      const { shown } = await certificate(token);
      const stolen = await certificate(token);
      expect(await statusOf(token, `${M}/identities`, world.client(stolen.shown))).to.equal(401);
      const renewed = await certificate(token, world.client(shown));
      expect(await statusOf(token, `${M}/identities`, world.client(renewed.shown))).to.equal(200);
    });

    it('get it with their tokens, for a request in the login', async () => {
      const user = await newUser(controller.admin, { isAdmin: true });
      const { pem, privateKeyPem } = makeRequest();
      const { id, verifier } = await oidc.begin();
      expectStatus(
        await oidc.post('/oidc/login/password', { id, username: user.name, password: PASSWORD, csrPem: pem }),
        302,
      );
      const answer = expectStatus(await oidc.exchangeCode(await oidc.codeOf(id), verifier), 200).json as Tokens & {
        session_cert: string;
      };
      const { X509Certificate } = await import('node:crypto');
      const leaf = new X509Certificate(answer.session_cert);
      const claims = claimsOf(answer.access_token);
      expect(leaf.subject).to.equal(`CN=${user.id}`);
      expect(leaf.subjectAltName).to.match(
        new RegExp(`^URI:spiffe://[^/]+/identity/${user.id}/apiSession/${String(claims['z_asid'])}/`),
      );
      expect(claims['z_cfs']).to.deep.equal([leaf.fingerprint.replaceAll(':', '').toLowerCase()]);
      const client = createCertificateClient(controller.url, { cert: answer.session_cert, key: privateKeyPem });
      expect(await statusOf(answer.access_token, `${M}/identities`)).to.equal(401);
      expect(await statusOf(answer.access_token, `${M}/identities`, client)).to.equal(200);
      const { pem: next } = makeRequest();
      expect(errorOf(await oidc.refresh(answer.refresh_token, { csr_pem: next }))).to.equal('access_denied');
      client.close();
    });

    it('get it with a refresh, and not for what is no request', async () => {
      const { tokens } = await signedIn();
      const { pem } = makeRequest();
      expect(errorOf(await oidc.exchange(tokens.refresh_token, 'refresh', undefined, { csr_pem: 'x' }))).to.equal(
        'invalid_request',
      );
      const answer = expectStatus(
        await oidc.exchange(tokens.refresh_token, 'refresh', undefined, { csr_pem: pem }),
        200,
      );
      expect(answer.json).to.have.property('session_cert').that.includes('BEGIN CERTIFICATE');
      expect(claimsOf((answer.json as Tokens).access_token)['z_cfs']).to.have.length(1);
    });
  });
});
