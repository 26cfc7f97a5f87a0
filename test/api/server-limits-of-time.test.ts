/** What the server does not wait for: headers, bodies and work that do not end, and logins that queue too long. */
import { once } from 'node:events';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { JSON_TYPE, dial, expectRawFault, postHead, readToEnd, sendRaw, startLogged } from './server-support.js';

/** What would pass if the setting were not followed. */
const DEFAULT_HEADERS_MS = 10_000;

describe('limits', () => {
  describe('of time', () => {
    let slow: Awaited<ReturnType<typeof startLogged>>;
    let database: Awaited<ReturnType<typeof openTestDatabase>>;
    before(async () => {
      database = await openTestDatabase();
      slow = await startLogged(database, {
        EDGE_LIMIT_HEADERS_TIMEOUT: '1s',
        EDGE_LIMIT_REQUEST_TIMEOUT: '2s',
        EDGE_LIMIT_HANDLER_TIMEOUT: '3s',
      });
    });
    after(async () => {
      await slow.stop();
      await database.close();
    });

    it('answers 408 to headers that do not end, and closes', async () => {
      const started = Date.now();
      expectRawFault(
        await sendRaw(slow.url, 'GET /version HTTP/1.1\r\nhost: localhost\r\nx-slow: '),
        408,
        'REQUEST_TIMEOUT',
      );
      expect(Date.now() - started).to.be.within(900, DEFAULT_HEADERS_MS);
    });

    it('closes a connection that sends nothing, before and after the handshake', async () => {
      const started = Date.now();
      await readToEnd(await dial(slow.url));
      expect(Date.now() - started).to.be.lessThan(DEFAULT_HEADERS_MS);
    });

    it('answers 408 to a body that does not end, whatever the time for handlers is', async () => {
      expectRawFault(
        await sendRaw(slow.url, postHead(`${M}/identities`, JSON_TYPE, 'content-length: 100') + '{'),
        408,
        'REQUEST_TIMEOUT',
      );
    });

    it('takes a sender that goes away for no failure of its own', async () => {
      const socket = await dial(slow.url);
      socket.write(postHead(`${M}/identities`, JSON_TYPE, 'content-length: 100', 'expect: 100-continue') + '{');
      await once(socket, 'data'); // 100: it is being read
      socket.destroy();
      await until('the log has the broken connection', () =>
        slow.log.some(({ msg }) => msg === 'the sender went away'),
      );
      expect(slow.log.filter(({ level }) => level === 'error' || level === 50)).to.deep.equal([]);
    });

    it('answers 503 TIMEOUT when the work takes too long, and serves on', async () => {
      const client = await slow.login();
      await database.query('BEGIN');
      await database.query('LOCK TABLE services IN ACCESS EXCLUSIVE MODE');
      try {
        const [read, answer] = await Promise.all([
          client.get(`${M}/services`),
          client.post(`${M}/services`, { name: unique('slow'), encryptionRequired: false }),
        ]);
        for (const late of [read, answer]) expectFault(late, 503, 'TIMEOUT');
        expect(answer.headers.connection).to.equal('close');
        expectStatus(await client.get(`${M}/identities`), 200);
      } finally {
        await database.query('ROLLBACK');
      }
      expectStatus(await client.get(`${M}/services`), 200);
    });
  });

  describe('of passwords', () => {
    it('turns logins away with 429 and Retry-After once enough wait, and serves the rest', async () => {
      const database = await openTestDatabase();
      const narrow = await startLogged(database, {
        EDGE_LIMIT_PASSWORD_CONCURRENCY: '1',
        EDGE_LIMIT_PASSWORD_QUEUE: '2',
      });
      try {
        const admin = await narrow.login();
        const clients = Array.from({ length: 12 }, () => narrow.client());
        // The connections first, so that the logins come at the same time.
        for (const client of clients) expectStatus(await client.get('/version'), 200);
        const flood = clients.map((client) =>
          client.post(`${C}/authenticate?method=password`, { ...ADMIN, password: 'wrong password' }),
        );
        const meanwhile = await Promise.all([
          admin.get(`${M}/identities`),
          admin.get(`${C}/current-api-session`),
          narrow.client().get('/version'),
        ]);
        for (const answer of meanwhile) expectStatus(answer, 200);
        const answers = await Promise.all(flood);
        const refused = answers.filter(({ status }) => status === 429);
        expect(refused.length).to.be.within(1, 9);
        for (const answer of answers) {
          if (answer.status === 403) {
            expectFault(answer, 403, 'INVALID_AUTH');
            continue;
          }
          expectFault(answer, 429, 'SERVER_TOO_MANY_REQUESTS');
          expect(Number(answer.headers['retry-after'])).to.be.at.least(1);
        }
        expectStatus(await narrow.client().post(`${C}/authenticate?method=password`, ADMIN), 200);
      } finally {
        await narrow.stop();
        await database.close();
      }
    });
  });
});
