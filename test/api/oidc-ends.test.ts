/**
 * Each way in which a session by OpenID Connect loses what it opens: done at one of two controllers, and looked at on
 * both. Where it was done the next request is refused; the other controller hears of it.
 */
import { expect } from 'chai';
import { authPolicy } from '../support/auth-policy.js';
import { createCertificateClient, makeCa, makeLeaf, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { make } from '../support/entities.js';
import { bearer, claimsOf, errorOf, newVerifier, oidcClient, tokensIn } from '../support/oidc.js';
import type { OidcClient, Tokens } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { HEARD_MS, until } from '../support/poll.js';
import { makeSigner, tokenOf } from '../support/tokens.js';
import type { TestSigner } from '../support/tokens.js';
import { enrollTotp } from '../support/totp.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

/** A controller as those who change something see it. */
interface Place {
  readonly controller: LoggedController;
  readonly admin: Client;
  readonly anonymous: Client;
  readonly oidc: OidcClient;
}

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly authPolicyId: string;
  readonly authenticatorId: string;
  readonly session: string;
  readonly tokens: Tokens;
  /** Of its login. */
  readonly code: string;
  readonly verifier: string;
  readonly signer: TestSigner | undefined;
  /** The CA of its certificate. */
  readonly caId: string | undefined;
  /** Shows its certificate, if it has one, at each place. */
  readonly clients: ReadonlyMap<Place, Client>;
}

/**
 * What is lost: the whole session; this token alone; a right; all but the rest of the login; or all requests that a
 * token of a signer does not accompany.
 */
type Loss = 'session' | 'token' | 'right' | 'completeness' | 'unaccompanied';

interface Way {
  readonly loss: Loss;
  readonly login?: 'certificate' | 'token' | 'administrator' | 'delegate';
  readonly act: (subject: Subject, place: Place) => Promise<unknown>;
}

const revoke = (path: string, kind: 'access_token' | 'refresh_token') => ({
  act: async ({ tokens }: Subject, { oidc }: Place) =>
    expectStatus(await oidc.post(path, { token: tokens[kind], client_id: 'native' }), 200),
});
const revocation = (type: string, idOf: (subject: Subject) => string) => ({
  act: async (subject: Subject, { admin }: Place) =>
    expectStatus(await admin.post(`${M}/revocations`, { id: idOf(subject), type }), 201),
});
const patched = (path: (subject: Subject) => string, body: object) => ({
  act: async (subject: Subject, { admin }: Place) =>
    expectStatus(await admin.patch(`${M}/${path(subject)}`, body), 200),
});
const removed = (path: (subject: Subject) => string) => ({
  act: async (subject: Subject, { admin }: Place) => expectStatus(await admin.delete(`${M}/${path(subject)}`), 200),
});
const policy = ({ authPolicyId }: Subject) => `auth-policies/${authPolicyId}`;
const identity = ({ id }: Subject) => `identities/${id}`;
const authenticator = ({ authenticatorId }: Subject) => `authenticators/${authenticatorId}`;
const signer = (subject: Subject) => `external-jwt-signers/${subject.signer?.id}`;

const WAYS: Readonly<Record<string, Way>> = {
  'its own logout': {
    loss: 'session',
    act: async ({ tokens }, { anonymous }) =>
      expectStatus(await anonymous.delete(`${C}/current-api-session`, undefined, bearer(tokens.access_token)), 200),
  },
  'a delete of the session': { loss: 'session', ...removed(({ session }) => `api-sessions/${session}`) },
  'a revocation of the session': { loss: 'session', ...revocation('API_SESSION', ({ session }) => session) },
  'a revocation of the identity': { loss: 'session', ...revocation('IDENTITY', ({ id }) => id) },
  'a revocation of the token': {
    loss: 'token',
    ...revocation('JTI', ({ tokens }) => String(claimsOf(tokens.access_token).jti)),
  },
  '/revoke of the access token': { loss: 'token', ...revoke('/oidc/revoke', 'access_token') },
  '/oauth/revoke of the access token': { loss: 'token', ...revoke('/oidc/oauth/revoke', 'access_token') },
  '/revoke of the refresh token': { loss: 'session', ...revoke('/oidc/revoke', 'refresh_token') },
  '/oauth/revoke of the refresh token': { loss: 'session', ...revoke('/oidc/oauth/revoke', 'refresh_token') },
  'a code that comes again': {
    loss: 'session',
    act: async ({ code }, { oidc }) =>
      expect(errorOf(await oidc.exchangeCode(code, newVerifier()))).to.equal('invalid_grant'),
  },
  'a refresh token of two before': {
    loss: 'session',
    act: async ({ tokens }, { oidc }) => {
      const next = tokensIn(await oidc.refresh(tokens.refresh_token));
      tokensIn(await oidc.refresh(next.refresh_token));
      expect(errorOf(await oidc.refresh(tokens.refresh_token))).to.equal('invalid_grant');
    },
  },
  'an identity that is disabled': {
    loss: 'session',
    act: async ({ id }, { admin }) =>
      expectStatus(await admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 0 }), 200),
  },
  'an identity that is deleted': { loss: 'session', ...removed(identity) },
  'an identity that is locked out': {
    loss: 'session',
    act: async ({ name }, { oidc }) => {
      const { id } = await oidc.begin();
      for (const guess of ['wrong 1', 'wrong 2', 'wrong 3']) expectStatus(await oidc.password(id, name, guess), 401);
    },
  },
  'an authenticator that is deleted': { loss: 'session', ...removed(authenticator) },
  'a password by an administrator, with PATCH': {
    loss: 'session',
    ...patched(authenticator, { password: 'another pass 1' }),
  },
  'a password by an administrator, with PUT': {
    loss: 'session',
    act: async (subject, { admin }) =>
      expectStatus(
        await admin.put(`${M}/${authenticator(subject)}`, { username: subject.name, password: 'another pass 1' }),
        200,
      ),
  },
  'a password by the user, in another session': {
    loss: 'session',
    act: async ({ name, authenticatorId }, { controller }) => {
      const other = await controller.login(name, PASSWORD);
      const body = { password: 'another pass 1', currentPassword: PASSWORD };
      expectStatus(await other.patch(`${C}/current-identity/authenticators/${authenticatorId}`, body), 200);
    },
  },
  'an auth policy that forbids passwords': {
    loss: 'session',
    ...patched(policy, { primary: { updb: { allowed: false } } }),
  },
  'another auth policy, which forbids them': {
    loss: 'session',
    act: async ({ id }, { admin }) => {
      const body = authPolicy({ updb: { allowed: false } });
      const { id: authPolicyId } = expectStatus(await admin.post(`${M}/auth-policies`, body), 201).data as {
        id: string;
      };
      expectStatus(await admin.patch(`${M}/identities/${id}`, { authPolicyId }), 200);
    },
  },
  'an auth policy that requires a code': {
    loss: 'completeness',
    ...patched(policy, { secondary: { requireTotp: true } }),
  },
  'an auth policy that requires a token': {
    loss: 'unaccompanied',
    act: async ({ authPolicyId }, { admin }) => {
      const { id: requireExtJwtSigner } = await makeSigner(admin);
      expectStatus(
        await admin.patch(`${M}/auth-policies/${authPolicyId}`, { secondary: { requireExtJwtSigner } }),
        200,
      );
    },
  },
  'a second factor that the user adds': {
    loss: 'completeness',
    act: async ({ name }, { controller }) => enrollTotp(await controller.login(name, PASSWORD)),
  },
  'a signer that is disabled': { loss: 'session', login: 'token', ...patched(signer, { enabled: false }) },
  'a signer that is deleted': { loss: 'session', login: 'token', ...removed(signer) },
  'an auth policy that forbids tokens': {
    loss: 'session',
    login: 'token',
    ...patched(policy, { primary: { extJwt: { allowed: false } } }),
  },
  'an auth policy that allows another signer': {
    loss: 'session',
    login: 'token',
    act: async ({ authPolicyId }, { admin }) => {
      const { id } = await makeSigner(admin);
      const body = { primary: { extJwt: { allowedSigners: [id] } } };
      expectStatus(await admin.patch(`${M}/auth-policies/${authPolicyId}`, body), 200);
    },
  },
  'a certificate that is deleted': {
    loss: 'session',
    login: 'certificate',
    act: async ({ id }, { admin }) => {
      const filter = encodeURIComponent('method = "cert"');
      const { data } = expectStatus(await admin.get(`${M}/identities/${id}/authenticators?filter=${filter}`), 200);
      for (const one of data as { id: string }[])
        expectStatus(await admin.delete(`${M}/authenticators/${one.id}`), 200);
    },
  },
  'a CA that is deleted': { loss: 'session', login: 'certificate', ...removed(({ caId }) => `cas/${caId}`) },
  'an auth policy that forbids certificates': {
    loss: 'session',
    login: 'certificate',
    ...patched(policy, { primary: { cert: { allowed: false } } }),
  },
  'an administrator who is one no longer': {
    loss: 'right',
    login: 'administrator',
    ...patched(identity, { isAdmin: false }),
  },
  'a permission that is taken away': { loss: 'right', login: 'delegate', ...patched(identity, { permissions: [] }) },
};

/** A CA that may log its clients in. */
async function verifiedCa(admin: Client, ca: TestCertificate): Promise<string> {
  const flags = { isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false, isAuthEnabled: true };
  const body = { name: unique('ca'), certPem: ca.pem, identityRoles: [], ...flags };
  const { id } = expectStatus(await admin.post(`${M}/cas`, body), 201).data as { id: string };
  const { verificationToken } = expectStatus(await admin.get(`${M}/cas/${id}`), 200).data as Record<string, string>;
  const { pem } = makeLeaf(ca, { commonName: verificationToken ?? '' });
  const options = { rawBody: pem, headers: { 'content-type': 'text/plain' } };
  expectStatus(await admin.send('POST', `${M}/cas/${id}/verify`, undefined, options), 200);
  return id;
}

describe('sessions by OpenID Connect lose what they open by', function ends() {
  this.timeout(60_000);
  let pair: Pair;
  let places: readonly [Place, Place];
  let clients: Client[] = [];
  /** From the end at one controller to the refusal at the other, in milliseconds. */
  const heard: number[] = [];
  before(async () => {
    pair = await startPair({ EDGE_LIMIT_CERTIFICATES_PER_IDENTITY: '1000' });
    const placeOf = async (controller: LoggedController): Promise<Place> => {
      const anonymous = controller.client();
      return { controller, admin: await controller.login(), anonymous, oidc: oidcClient(anonymous) };
    };
    places = [await placeOf(pair.one), await placeOf(pair.two)];
  });
  after(async () => {
    clients.forEach((client) => {
      client.close();
    });
    await pair.stop();
  });

  const RIGHTS: Readonly<Record<string, object>> = {
    administrator: { isAdmin: true },
    delegate: { permissions: ['service.read'] },
  };
  const newSubject = async ({ login = 'password' }: { login?: Way['login'] | 'password' }): Promise<Subject> => {
    const [{ admin, anonymous, oidc }] = places;
    const authPolicyId = await make(pair, 'auth-policies', authPolicy({ updb: { maxAttempts: 3 } }));
    const name = unique('subject');
    const { id, authenticatorId } = await makeUser(admin, name, { authPolicyId, ...RIGHTS[login] });
    const begun = await oidc.begin();
    let shows = new Map(places.map((place) => [place, place.anonymous]));
    let own = oidc;
    let made: TestSigner | undefined;
    let caId: string | undefined;
    if (login === 'token') {
      made = await makeSigner(admin);
      const shown = { authorization: `Bearer ${await tokenOf(made, id)}` };
      expectStatus(await oidc.post('/oidc/login/ext-jwt', { id: begun.id }, shown), 302);
    } else if (login === 'certificate') {
      const ca = makeCa();
      caId = await verifiedCa(admin, ca);
      const leaf = makeLeaf(ca);
      const body = { identityId: id, method: 'cert', certPem: leaf.pem };
      expectStatus(await admin.post(`${M}/authenticators`, body), 201);
      shows = new Map(places.map((place) => [place, createCertificateClient(place.controller.url, shownBy(leaf))]));
      clients = [...clients, ...shows.values()];
      own = oidcClient(shows.get(places[0]) ?? anonymous);
      expectStatus(await own.post('/oidc/login/cert', { id: begun.id }), 302);
    } else expectStatus(await oidc.password(begun.id, name, PASSWORD), 302);
    const code = await oidc.codeOf(begun.id);
    const tokens = tokensIn(await own.exchangeCode(code, begun.verifier));
    const session = String(claimsOf(tokens.access_token)['z_asid']);
    const { verifier } = begun;
    return {
      id,
      name,
      authPolicyId,
      authenticatorId,
      session,
      tokens,
      code,
      verifier,
      signer: made,
      caId,
      clients: shows,
    };
  };
  const ask = async ({ clients: shown, tokens }: Subject, place: Place, path: string): Promise<Answer> =>
    (shown.get(place) ?? place.anonymous).get(path, bearer(tokens.access_token));
  /** Whether it opens what is to be lost. */
  const opens = async (subject: Subject, place: Place, loss: Loss) =>
    (await ask(subject, place, loss === 'right' ? `${M}/services` : `${C}/current-identity`)).status === 200;
  const expectLost = async (subject: Subject, place: Place, loss: Loss) => {
    const { tokens, clients: shown } = subject;
    const own = oidcClient(shown.get(place) ?? place.anonymous);
    const [refreshed, exchanged] = [
      await own.refresh(tokens.refresh_token),
      await own.exchange(tokens.access_token, 'access'),
    ];
    const current = await ask(subject, place, `${C}/current-api-session`);
    if (loss === 'session') expect(current.headers['www-authenticate']).to.include('error="invalid"');
    expect(current.status).to.equal(loss === 'session' || loss === 'token' ? 401 : 200);
    if (loss === 'session' || loss === 'completeness') expect(refreshed.status).to.equal(400);
    const isKept = loss === 'right' || loss === 'unaccompanied';
    expect(exchanged.status).to.equal(isKept ? 200 : 400);
    if (isKept || loss === 'token') expectStatus(refreshed, 200);
  };

  for (const [title, way] of Object.entries(WAYS))
    for (const at of [0, 1] as const)
      it(`${title}, at the ${at === 0 ? 'first' : 'second'} controller`, async () => {
        const [place, other] = [places[at], places[1 - at] as Place];
        const subject = await newSubject(way);
        for (const each of places) expect(await opens(subject, each, way.loss)).to.equal(true);
        await way.act(subject, place);
        const since = performance.now();
        expect(await opens(subject, place, way.loss), 'at the next request').to.equal(false);
        await until('the other has heard', async () => !(await opens(subject, other, way.loss)), HEARD_MS);
        heard.push(performance.now() - since);
        await expectLost(subject, other, way.loss);
      });

  it('no announcement that waits: most are heard within 100 ms', () => {
    const sorted = heard.sort((a, b) => a - b);
    // A machine that runs other suites too is late now and then.
    expect(sorted[Math.floor(sorted.length / 4)], JSON.stringify(sorted.map(Math.round))).to.be.below(100);
  });

  it('nothing that only sends a browser on: a logout page, whatever token comes with it', async () => {
    const subject = await newSubject({});
    const { id_token, access_token, refresh_token } = subject.tokens;
    for (const id_token_hint of [id_token, access_token, refresh_token]) {
      const [{ oidc }] = places;
      const form = { id_token_hint, client_id: 'native' };
      expectStatus(await oidc.get(`/oidc/end_session?${new URLSearchParams(form).toString()}`), 302);
      expectStatus(await oidc.post('/oidc/end_session', form), 302);
    }
    for (const place of places) expect(await opens(subject, place, 'session')).to.equal(true);
  });
});
