/** Sessions that were opened by OpenID Connect: tokens at the APIs, refresh, exchange, and each way to end them. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { ADMIN } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import { bearer, claimsOf, errorOf, oidcClient, tokensIn } from '../support/oidc.js';
import type { OidcClient, Tokens } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

describe('sessions by OpenID Connect', function sessions() {
  this.timeout(60_000);
  let pair: Pair;
  let admin: Client;
  let clients: readonly [Client, Client];
  let one: OidcClient;
  let two: OidcClient;
  before(async () => {
    pair = await startPair();
    admin = pair.admin;
    clients = [pair.one.client(), pair.two.client()];
    [one, two] = [oidcClient(clients[0]), oidcClient(clients[1])];
  });
  after(() => pair.stop());

  const newUser = async (fields: object = {}) => {
    const name = unique('user');
    const { id } = await makeUser(admin, name, fields);
    return { id, name };
  };
  const login = async (fields: object = {}) => {
    const user = await newUser(fields);
    const tokens = await one.login(user.name, PASSWORD);
    return { ...user, tokens, session: String(claimsOf(tokens.access_token)['z_asid']) };
  };
  const statusOf = async (token: string, client = clients[0], path = `${C}/current-identity`) =>
    (await client.get(path, bearer(token))).status;
  const expectEnded = async (token: string) => {
    for (const client of clients)
      await until('the token is refused', async () => (await statusOf(token, client)) === 401);
  };
  const challengeIn = (answer: Answer) => String(expectStatus(answer, 401).headers['www-authenticate']);

  describe('at the APIs', () => {
    it('are the session that their token names, on every controller', async () => {
      const { id, tokens, session } = await login();
      for (const client of clients) {
        expect(
          expectStatus(await client.get(`${C}/current-identity`, bearer(tokens.access_token)), 200).data,
        ).to.include({ id });
        const current = entityOf(
          expectStatus(await client.get(`${C}/current-api-session`, bearer(tokens.access_token)), 200),
        );
        expect(current).to.include({ id: session, identityId: id, token: tokens.access_token, isMfaComplete: false });
        const expires = Number(claimsOf(tokens.access_token).exp);
        expect(Math.abs(Date.parse(String(current['expiresAt'])) / 1000 - expires)).to.be.at.most(1);
      }
      const listed = entityOf(expectStatus(await admin.get(`${M}/api-sessions/${session}`), 200));
      expect(listed).to.include({ id: session, identityId: id });
      expect(JSON.stringify(listed)).to.not.include(tokens.access_token);
    });

    it('open administration to administrators, and to no one else', async () => {
      const { access_token: token } = await one.login(ADMIN.username, ADMIN.password);
      expectStatus(await clients[1].get(`${M}/identities`, bearer(token)), 200);
      const { tokens } = await login();
      expect(await statusOf(tokens.access_token, clients[0], `${M}/identities`)).to.equal(401);
    });

    it('take no other token', async () => {
      const { tokens } = await login();
      const [head, payload, signature] = tokens.access_token.split('.');
      for (const [what, token, challenge] of [
        ['a refresh token', tokens.refresh_token, 'missing'],
        ['an id token', tokens.id_token, 'invalid'],
        ['a changed payload', `${head}.${Buffer.from('{"sub":"x"}').toString('base64url')}.${signature}`, 'invalid'],
        ['no signature', `${head}.${payload}.`, 'missing'],
        ['no JWT', 'x', 'invalid'],
      ] as const)
        expect(challengeIn(await clients[0].get(`${C}/current-identity`, bearer(token))), what).to.include(
          `error="${challenge}"`,
        );
    });

    it('are found among several bearer tokens', async () => {
      const { id, tokens } = await login();
      const headers = { authorization: ['Bearer x.y.z', `Bearer ${tokens.access_token}`] };
      expect(expectStatus(await clients[0].get(`${C}/current-identity`, { headers }), 200).data).to.include({ id });
      const late = { authorization: ['Bearer x.y.z', 'Bearer x.y.z', 'Bearer x.y.z', `Bearer ${tokens.access_token}`] };
      expectStatus(await clients[0].get(`${C}/current-identity`, { headers: late }), 401);
    });

    it('give way to a session token', async () => {
      const { tokens } = await login();
      const headers = { 'authorization': `Bearer ${tokens.access_token}`, 'zt-session': 'x' };
      expectStatus(await clients[0].get(`${C}/current-identity`, { headers }), 401);
    });

    it('are answered from memory once they are known, whatever holds the database up', async () => {
      const { tokens } = await login();
      const path = `${C}/current-api-session`;
      expect(await statusOf(tokens.access_token, clients[0], path)).to.equal(200);
      const holder = await pair.database.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('LOCK TABLE api_sessions, revocations, identities, token_families IN ACCESS EXCLUSIVE MODE');
        expect(await statusOf(tokens.access_token, clients[0], path)).to.equal(200);
      } finally {
        await holder.query('ROLLBACK');
      }
    });

    it('are not sent to routers', async () => {
      const { session } = await login();
      const { rows } = await pair.database.query(
        'SELECT is_shared_with_routers AS shared FROM api_sessions WHERE id = $1',
        [session],
      );
      expect(rows).to.deep.equal([{ shared: false }]);
    });
  });

  describe('that are refreshed', () => {
    it('get two new tokens of the same session, at any controller', async () => {
      const { tokens, session } = await login();
      const fresh = tokensIn(await two.refresh(tokens.refresh_token));
      expect(fresh.refresh_token).to.not.equal(tokens.refresh_token);
      for (const client of clients) expect(await statusOf(fresh.access_token, client)).to.equal(200);
      const [before, after] = [claimsOf(tokens.access_token), claimsOf(fresh.access_token)];
      expect(after).to.deep.include({
        z_asid: session,
        amr: before['amr'],
        scopes: before['scopes'],
        auth_time: before['auth_time'],
      });
      expect(after.jti).to.not.equal(before.jti);
      tokensIn(await one.refresh(fresh.refresh_token));
    });

    it('get the same answer for the same token within seconds, at either controller, also at once', async () => {
      const { tokens } = await login();
      const answers = await Promise.all([one, two, one, two].map((each) => each.refresh(tokens.refresh_token)));
      const ids = answers.map((answer) => {
        const { access_token, refresh_token } = tokensIn(answer);
        return `${claimsOf(access_token).jti} ${claimsOf(refresh_token).jti} ${claimsOf(refresh_token).exp}`;
      });
      expect(new Set(ids).size).to.equal(1);
      tokensIn(await one.refresh(tokensIn(answers[0] as Answer).refresh_token));
    });

    it('end with a token that was replaced a while ago, on every controller', async () => {
      const { tokens, session } = await login();
      const fresh = tokensIn(await one.refresh(tokens.refresh_token));
      await pair.database.query(
        "UPDATE token_families SET rotated_at = rotated_at - interval '11 seconds' WHERE api_session_id = $1",
        [session],
      );
      expect(errorOf(await two.refresh(tokens.refresh_token))).to.equal('invalid_grant');
      await expectEnded(fresh.access_token);
      expect(errorOf(await one.refresh(fresh.refresh_token))).to.equal('invalid_grant');
    });

    it('end with a token of two before, however soon', async () => {
      const { tokens } = await login();
      const second = tokensIn(await one.refresh(tokens.refresh_token));
      const third = tokensIn(await one.refresh(second.refresh_token));
      expect(errorOf(await two.refresh(tokens.refresh_token))).to.equal('invalid_grant');
      await expectEnded(third.access_token);
    });

    it('do not take the token of another client, kind or session', async () => {
      const { tokens } = await login();
      expect(errorOf(await one.refresh(tokens.refresh_token, { client_id: 'openziti' }))).to.equal('invalid_grant');
      expect(errorOf(await one.refresh(tokens.access_token))).to.equal('invalid_grant');
      expect(errorOf(await one.refresh(tokens.id_token))).to.equal('invalid_grant');
      expect(errorOf(await one.refresh('x'))).to.equal('invalid_grant');
      expect(errorOf(await one.refresh(tokens.refresh_token, { scope: 'openid profile' }))).to.equal('invalid_scope');
      tokensIn(
        await one.refresh(tokens.refresh_token, { scope: 'openid', client_id: undefined }).then((answer) => {
          expect(errorOf(answer)).to.equal('invalid_request');
          return one.refresh(tokens.refresh_token, { scope: '' });
        }),
      );
    });

    it('know their client by a header with an empty secret', async () => {
      const { tokens } = await login();
      const authorization = `Basic ${Buffer.from('native:').toString('base64')}`;
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      tokensIn(await one.post('/oidc/oauth/token', form, { authorization }));
    });

    it('last no longer than all tokens of one login may', async () => {
      const { tokens, session } = await login();
      await pair.database.query(
        "UPDATE token_families SET ends_at = now() + interval '90 seconds' WHERE api_session_id = $1",
        [session],
      );
      const fresh = tokensIn(await one.refresh(tokens.refresh_token));
      const most = Date.now() / 1000 + 91;
      expect(fresh.expires_in).to.be.at.most(90);
      for (const token of [fresh.access_token, fresh.refresh_token])
        expect(Number(claimsOf(token).exp)).to.be.at.most(most);
      const exchanged = expectStatus(await two.exchange(fresh.refresh_token, 'refresh'), 200).json as Tokens;
      expect(Number(claimsOf(exchanged.refresh_token).exp)).to.be.at.most(most);
      await pair.database.query('UPDATE token_families SET ends_at = now() WHERE api_session_id = $1', [session]);
      expect(errorOf(await one.refresh(fresh.refresh_token))).to.equal('invalid_grant');
    });
  });

  describe('whose tokens are exchanged', () => {
    it('keep what they were given, and use nothing up', async () => {
      const { tokens, session } = await login();
      const before = claimsOf(tokens.access_token);
      for (const each of [one, two, one]) {
        const fresh = expectStatus(await each.exchange(tokens.refresh_token, 'refresh'), 200).json as Tokens & {
          issued_token_type: string;
        };
        expect(fresh.issued_token_type).to.equal('urn:ietf:params:oauth:token-type:refresh_token');
        const after = claimsOf(fresh.access_token);
        expect(after).to.deep.include({
          z_asid: session,
          amr: before['amr'],
          scopes: before['scopes'],
          auth_time: before['auth_time'],
        });
        expect(await statusOf(fresh.access_token)).to.equal(200);
        const idToken = expectStatus(await each.exchange(fresh.refresh_token, 'refresh', 'id'), 200).json as Tokens;
        expect(idToken.token_type).to.equal('N_A');
        expect(claimsOf(idToken.access_token))
          .to.deep.include({ sub: before.sub, auth_time: before['auth_time'] })
          .and.have.property('name');
        expect(idToken).to.not.have.property('expires_in');
      }
      tokensIn(await one.refresh(tokens.refresh_token));
    });

    it('write nothing while their session lasts for as long as what they get', async () => {
      const { tokens, session } = await login();
      const exchanged = async () => tokensIn(await one.exchange(tokens.refresh_token, 'refresh', 'refresh'));
      const endOf = async () => {
        const { rows } = await pair.database.query('SELECT expires_at FROM api_sessions WHERE id = $1', [session]);
        return (rows[0] as { expires_at: Date }).expires_at.getTime();
      };
      await exchanged();
      const end = await endOf();
      const { refresh_token: refresh } = await exchanged();
      expect(await endOf()).to.equal(end);
      expect(end / 1000).to.be.at.least(claimsOf(refresh).exp ?? Infinity);
    });

    it('make no refresh token of an access token, and nothing of an id token', async () => {
      const { tokens } = await login();
      const fresh = expectStatus(await one.exchange(tokens.access_token, 'access'), 200).json as Tokens;
      expect(fresh).to.not.have.property('refresh_token');
      expect(await statusOf(fresh.access_token)).to.equal(200);
      for (const answer of [
        await one.exchange(tokens.access_token, 'access', 'refresh'),
        await one.exchange(tokens.access_token, 'refresh'),
        await one.exchange(tokens.refresh_token, 'access'),
        await one.exchange(tokens.id_token, 'id'),
        await one.exchange(tokens.id_token, 'access'),
        await one.exchange('x', 'refresh'),
        await one.exchange(tokens.refresh_token, 'refresh', 'jwt'),
        await one.exchange(tokens.refresh_token, 'refresh', undefined, { client_id: 'openziti' }),
      ])
        expect(errorOf(answer)).to.equal('invalid_request');
    });

    it('end with a refresh token that was replaced a while ago', async () => {
      const { tokens, session } = await login();
      const fresh = tokensIn(await one.refresh(tokens.refresh_token));
      const early = expectStatus(await two.exchange(tokens.refresh_token, 'refresh'), 200).json as Tokens;
      expect(claimsOf(early.refresh_token).jti).to.equal(claimsOf(fresh.refresh_token).jti);
      await pair.database.query(
        "UPDATE token_families SET rotated_at = rotated_at - interval '11 seconds' WHERE api_session_id = $1",
        [session],
      );
      expect(errorOf(await two.exchange(tokens.refresh_token, 'refresh'))).to.equal('invalid_grant');
      await expectEnded(fresh.access_token);
    });
  });

  describe('end', () => {
    const ways: Readonly<
      Record<string, (subject: { id: string; session: string; tokens: Tokens; name: string }) => Promise<unknown>>
    > = {
      'by a logout': ({ tokens }) =>
        clients[1].delete(`${C}/current-api-session`, undefined, bearer(tokens.access_token)),
      'by an administrator': ({ session }) => admin.delete(`${M}/api-sessions/${session}`),
      'by a revocation of the session': ({ session }) =>
        admin.post(`${M}/revocations`, { id: session, type: 'API_SESSION' }),
      'by a revocation of the identity': ({ id }) => admin.post(`${M}/revocations`, { id, type: 'IDENTITY' }),
      'when the identity is disabled': ({ id }) => admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 0 }),
      'when the identity is deleted': ({ id }) => admin.delete(`${M}/identities/${id}`),
      'by a revocation of the refresh token': ({ tokens }) =>
        two.post('/oidc/revoke', { token: tokens.refresh_token, client_id: 'native' }),
      'with another password': async ({ id }) => {
        const authenticators = (await admin.get(`${M}/identities/${id}/authenticators`)).data as { id: string }[];
        return admin.patch(`${M}/authenticators/${authenticators[0]?.id}`, { password: 'another-1' });
      },
    };
    for (const [way, end] of Object.entries(ways))
      it(`${way}, on every controller within moments, and give no tokens any more`, async () => {
        const subject = await login();
        const { tokens } = subject;
        for (const client of clients) expect(await statusOf(tokens.access_token, client)).to.equal(200);
        expectStatus(
          (await end(subject)) as Answer,
          way.includes('revocation of the session') || way.includes('of the identity') ? 201 : 200,
        );
        await expectEnded(tokens.access_token);
        expect(challengeIn(await clients[1].get(`${C}/current-identity`, bearer(tokens.access_token)))).to.include(
          'error="invalid"',
        );
        for (const answer of [
          await one.refresh(tokens.refresh_token),
          await two.exchange(tokens.refresh_token, 'refresh'),
        ])
          expect(errorOf(answer)).to.equal('invalid_grant');
      });

    it('one access token by itself, on every controller', async () => {
      const { tokens } = await login();
      const second = tokensIn(await one.refresh(tokens.refresh_token));
      for (const client of clients) expect(await statusOf(tokens.access_token, client)).to.equal(200);
      expectStatus(await two.post('/oidc/oauth/revoke', { token: tokens.access_token, client_id: 'native' }), 200);
      await expectEnded(tokens.access_token);
      expect(errorOf(await one.exchange(tokens.access_token, 'access'))).to.equal('invalid_request');
      for (const client of clients) expect(await statusOf(second.access_token, client)).to.equal(200);
      const jti = claimsOf(second.access_token).jti;
      expectStatus(await admin.post(`${M}/revocations`, { id: jti, type: 'JTI' }), 201);
      await expectEnded(second.access_token);
    });

    it('by no token that is forged, of another client, or no token', async () => {
      const { id, session, tokens } = await login();
      const forged = `${tokens.refresh_token.slice(0, -4)}AAAA`;
      for (const [token, client] of [
        [forged, 'native'],
        [tokens.refresh_token, 'openziti'],
        [id, 'native'],
        [session, 'native'],
      ] as const)
        expectStatus(await one.post('/oidc/revoke', { token, client_id: client }), 200);
      expect(errorOf(await one.post('/oidc/revoke', { token: tokens.refresh_token }))).to.equal('invalid_request');
      expect(await statusOf(tokens.access_token)).to.equal(200);
    });

    it('when nothing refreshes them', async () => {
      const { tokens, session } = await login();
      await pair.database.query('UPDATE api_sessions SET expires_at = now() WHERE id = $1', [session]);
      expect(errorOf(await one.refresh(tokens.refresh_token))).to.equal('invalid_grant');
    });

    it('and not when their user is idle for as long as a session token is good', async () => {
      const { tokens, session } = await login();
      await pair.database.query("UPDATE api_sessions SET last_activity_at = now() - interval '1 day' WHERE id = $1", [
        session,
      ]);
      expect(await statusOf(tokens.access_token, clients[1])).to.equal(200);
    });

    it('as their rights do: what is taken away is gone at the next request', async () => {
      const { id, tokens } = await login({ isAdmin: true });
      expect(await statusOf(tokens.access_token, clients[1], `${M}/services`)).to.equal(200);
      expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: false }), 200);
      for (const client of clients)
        await until(
          'administration is refused',
          async () => (await statusOf(tokens.access_token, client, `${M}/services`)) === 401,
        );
    });
  });

  const logOf = ({ log }: LoggedController) => JSON.stringify(log);
  it('leave no token in a log', async () => {
    const { tokens } = await login();
    const { refresh_token } = tokensIn(await one.refresh(tokens.refresh_token));
    for (const token of [tokens.access_token, tokens.refresh_token, refresh_token])
      for (const controller of [pair.one, pair.two]) expect(logOf(controller)).to.not.include(token.split('.')[2]);
  });
});
