/** Who is let in: tokens, what they open and how they end. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { BAD_BEARER, INVALID_SESSION, NO_SESSION } from '../support/challenges.js';
import { expectFault, expectUnauthorized } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { sendRaw } from './server-support.js';
import { session } from './session-support.js';

const UNKNOWN_TOKEN = '11111111-2222-4333-8444-555555555555';

describe('API sessions', () => {
  let controller: TestController;
  let anonymous: Client;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    ({ anonymous, admin } = controller);
  });
  after(() => controller.stop());

  const login = (body: object, path = C) => anonymous.post(`${path}/authenticate?method=password`, body);

  describe('a request without a usable token', () => {
    it('is told both ways to authenticate, in one header line', async () => {
      const answer = await anonymous.get(`${C}/current-identity`);
      expectUnauthorized(answer, NO_SESSION);
      expect(answer.error?.cause).to.deep.equal({
        code: 'UNHANDLED',
        message:
          'unauthenticated for invalid credentials. No session came with the request: log in, and send the token in ' +
          'the header zt-session.',
      });
      const raw = await sendRaw(
        controller.url,
        `GET ${C}/current-identity HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      expect(raw.head.match(/^www-authenticate:/gim)).to.have.lengthOf(1);
    });

    it('is refused with an unknown or a malformed token', async () => {
      for (const token of [
        UNKNOWN_TOKEN,
        'x',
        'a b',
        'x'.repeat(10_000),
        `${admin.token ?? ''} `.repeat(2).trim(),
        (admin.token ?? '').toUpperCase(),
      ]) {
        expectUnauthorized(
          await anonymous.get(`${C}/current-identity`, { headers: { 'zt-session': token } }),
          INVALID_SESSION,
        );
      }
    });

    it('is refused with an empty token as if there were none', async () => {
      expectUnauthorized(await anonymous.get(`${C}/current-identity`, { headers: { 'zt-session': '' } }), NO_SESSION);
    });

    it('is told what is wrong with a bearer token', async () => {
      const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL3gifQ.c2ln';
      for (const [authorization, challenge] of [
        ['Basic YWRtaW46YWRtaW4=', NO_SESSION],
        [`Bearer ${jwt}`, NO_SESSION],
        ['Bearer', NO_SESSION],
        ['Bearer nonsense', BAD_BEARER],
        [`bearer ${UNKNOWN_TOKEN}`, BAD_BEARER],
        [`Bearer ${admin.token ?? ''}`, BAD_BEARER],
        ['Bearer a.b', BAD_BEARER],
      ] as const) {
        const answer = await anonymous.get(`${C}/current-identity`, { headers: { authorization } });
        expect(answer.status, authorization).to.equal(401);
        expect(answer.headers['www-authenticate'], authorization).to.equal(challenge);
      }
    });

    it('is let in by a session beside an unusable Authorization', async () => {
      for (const authorization of ['Bearer nonsense', 'Basic eDp5']) {
        expectStatus(await admin.get(`${C}/current-identity`, { headers: { authorization } }), 200);
      }
    });

    it('never sees whether the entity that it asks for exists', async () => {
      const known = await anonymous.get(`${M}/identity-types/User`);
      const unknown = await anonymous.get(`${M}/identity-types/nope`);
      expectUnauthorized(known, NO_SESSION);
      expectUnauthorized(unknown, NO_SESSION);
    });
  });

  describe('a token', () => {
    it('opens both APIs, in either header, whatever the case of its name', async () => {
      const token = admin.token ?? '';
      for (const path of [C, M]) {
        for (const header of ['zt-session', 'svc-session', 'ZT-Session', 'SVC-SESSION']) {
          expectStatus(await anonymous.get(`${path}/current-identity`, { headers: { [header]: token } }), 200);
        }
      }
    });

    it('of a login on the management API opens the client API too', async () => {
      const made = session(await login(ADMIN, M));
      expectStatus(await anonymous.get(`${C}/current-identity`, { headers: { 'zt-session': made.token } }), 200);
    });

    it('comes in header and body, with the time it has', async () => {
      const before = Date.now();
      const answer = await login(ADMIN);
      const made = session(answer);
      expect(answer.headers['zt-session']).to.equal(made.token);
      expect(made.token).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(answer.headers['expiration-seconds']).to.equal('1800');
      expect(made.expirationSeconds).to.equal(1800);
      expect(answer.headers['expires-at']).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC$/);
      const expiresAt = Date.parse(String(answer.headers['expires-at']).replace(' +0000 UTC', 'Z').replace(' ', 'T'));
      expect(expiresAt).to.equal(Date.parse(made.expiresAt));
      expect(expiresAt).to.be.within(before + 1_795_000, Date.now() + 1_805_000);
    });

    it("is in no answer but its owner's", async () => {
      const { client } = await controller.newCaller();
      const { id } = session(await client.get(`${C}/current-api-session`));
      for (const path of [`${M}/api-sessions/${id}`, `${M}/api-sessions?limit=500`]) {
        expect(expectStatus(await admin.get(path), 200).text).not.to.contain(client.token);
      }
      expect(session(await client.get(`${C}/current-api-session`)).token).to.equal(client.token);
    });

    it('is stored as a hash only', async () => {
      const { rows } = await controller.database.query('SELECT t::text AS row, token_hash AS hash FROM api_sessions t');
      expect(rows.length).to.be.greaterThan(0);
      for (const { row, hash } of rows) {
        expect(String(row)).not.to.contain(admin.token);
        expect((hash as Buffer).toString('latin1')).not.to.contain(admin.token);
      }
    });

    it('is found by no SQL in it', async () => {
      expectUnauthorized(
        await anonymous.get(`${M}/identities`, { headers: { 'zt-session': "' OR ''='" } }),
        INVALID_SESSION,
      );
    });
  });

  describe('a session ends at once', () => {
    const expectEnded = async (client: Client) => {
      for (const path of [`${C}/current-identity`, `${M}/current-identity`, `${C}/current-api-session`])
        expectUnauthorized(await client.get(path), INVALID_SESSION);
    };

    it('when its owner logs out, and no other session does', async () => {
      const caller = await controller.newCaller();
      const other = await controller.login(caller.username, caller.password);
      expectStatus(await caller.client.delete(`${C}/current-api-session`), 200);
      await expectEnded(caller.client);
      expectStatus(await other.get(`${C}/current-identity`), 200);
    });

    it('when an administrator deletes it', async () => {
      const { client } = await controller.newCaller();
      const { id } = session(await client.get(`${C}/current-api-session`));
      expectStatus(await admin.delete(`${M}/api-sessions/${id}`), 200);
      await expectEnded(client);
      expectFault(await admin.delete(`${M}/api-sessions/${id}`), 404, 'NOT_FOUND');
    });

    it('when its identity is deleted', async () => {
      const { id, client, username, password } = await controller.newCaller();
      expectStatus(await admin.delete(`${M}/identities/${id}`), 200);
      await expectEnded(client);
      expectFault(await login({ username, password }), 403, 'INVALID_AUTH');
    });

    it('when its identity is disabled, and comes not back when it is enabled', async () => {
      const { id, client, username, password } = await controller.newCaller();
      expectStatus(await admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 10 }), 200);
      await expectEnded(client);
      expectFault(await login({ username, password }), 403, 'INVALID_AUTH');
      expectStatus(await admin.post(`${M}/identities/${id}/enable`), 200);
      await expectEnded(client);
      expectStatus(await login({ username, password }), 200);
    });

    it('also in the middle of a stream of its requests', async () => {
      const { id, client } = await controller.newCaller();
      const stream = Array.from({ length: 40 }, () => client.get(`${C}/current-identity`));
      const removed = admin.delete(`${M}/identities/${id}`);
      for (const { status } of await Promise.all(stream)) expect(status).to.be.oneOf([200, 401, 404]);
      expectStatus(await removed, 200);
      await expectEnded(client);
    });
  });

  describe('the right of an administrator', () => {
    it('is needed: others get 401 without a challenge and without a cause', async () => {
      const { client } = await controller.newCaller();
      for (const [method, path] of [
        ['GET', 'identities'],
        ['POST', 'identities'],
        ['DELETE', 'services/x'],
        ['GET', 'api-sessions'],
        ['POST', 'service-policies'],
      ] as const) {
        expectUnauthorized(await client.send(method, `${M}/${path}`), undefined);
      }
    });

    it('is needed to delete an API session, which answers 403 to others and leaves the session', async () => {
      const { client } = await controller.newCaller();
      const victim = await controller.newCaller();
      const { id } = session(await victim.client.get(`${C}/current-api-session`));
      const answer = await client.delete(`${M}/api-sessions/${id}`);
      expectFault(answer, 403, 'UNAUTHORIZED');
      expect(answer.headers['www-authenticate']).to.equal(undefined);
      expectUnauthorized(await anonymous.delete(`${M}/api-sessions/${id}`), NO_SESSION);
      expectStatus(await victim.client.get(`${C}/current-identity`), 200);
    });

    it('goes and comes at once, in the sessions that are open', async () => {
      const { id, client } = await controller.newCaller({ isAdmin: true });
      expectStatus(await client.get(`${M}/identities`), 200);
      expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: false }), 200);
      expectUnauthorized(await client.get(`${M}/identities`), undefined);
      expectStatus(await client.get(`${C}/current-identity`), 200);
      expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: true }), 200);
      expectStatus(await client.get(`${M}/identities`), 200);
    });

    it('cannot be given to oneself', async () => {
      const { id, client } = await controller.newCaller();
      expectUnauthorized(await client.patch(`${M}/identities/${id}`, { isAdmin: true }), undefined);
      expectUnauthorized(await client.get(`${M}/identities`), undefined);
    });
  });

  it('are not looked at by public operations: a bad token does no harm there', async () => {
    for (const headers of [
      { 'zt-session': UNKNOWN_TOKEN },
      { 'zt-session': 'x'.repeat(5000) },
      { authorization: 'Bearer nonsense' },
    ]) {
      for (const path of [
        `${C}/version`,
        `${M}/specs`,
        `${C}/protocols`,
        `${C}/enumerated-capabilities`,
        `${C}/network-jwts`,
        '/.well-known/est/cacerts',
      ]) {
        expectStatus(await anonymous.get(path, { headers }), 200);
      }
      expectStatus(await anonymous.post(`${C}/authenticate?method=password`, ADMIN, { headers }), 200);
    }
  });
});
