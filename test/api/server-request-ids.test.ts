/**
 * The id of a request: on its answer whatever the answer is, in the body of an error, in the log, and from a balancer
 * if it may name requests.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { dial, readToEnd, parseRaw, sendRaw, startLogged } from './server-support.js';
import type { LoggedController, RawAnswer } from './server-support.js';

const ID = /^[\w.-]{8,10}$/;

describe('the id of a request', () => {
  let database: TestDatabase;
  let plain: LoggedController;
  let behind: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    plain = await startLogged(database, {
      EDGE_LIMIT_HANDLER_TIMEOUT: '300ms',
      EDGE_LIMIT_HEADERS_TIMEOUT: '1s',
      EDGE_LIMIT_REQUEST_TIMEOUT: '2s',
      EDGE_CORS_ORIGINS: 'https://console.example.com',
    });
    behind = await startLogged(database, { EDGE_LOG_REQUEST_ID_HEADER: 'X-Balancer-Id' });
    admin = await plain.login();
  });
  after(async () => {
    await plain.stop();
    await behind.stop();
    await database.close();
  });

  const idOf = ({ headers }: Answer) => String(headers['x-request-id']);
  const rawId = ({ head }: RawAnswer) => /^x-request-id: (.*?)\r?$/m.exec(head)?.[1];
  const lineOf = (controller: LoggedController, id: string) =>
    until(`a line of ${id}`, () => controller.log.find(({ msg, requestId }) => msg === 'request' && requestId === id));

  it('is on every answer, another on each', async () => {
    const anonymous = plain.client();
    const answers = [
      await anonymous.get('/version'),
      await anonymous.get('/nonsense'),
      await anonymous.get(`${M}/identities`),
      await admin.get(`${M}/identities`),
      await admin.post(`${M}/identities`, {}),
      await anonymous.send('OPTIONS', '/version'),
      await anonymous.send('HEAD', '/version'),
      await anonymous.get('/livez'),
      await anonymous.get('/readyz'),
      await anonymous.get('/health-checks'),
      await anonymous.get(`${C}/swagger.json`),
      await anonymous.get('/docs'),
      await anonymous.get('/.well-known/est/cacerts'),
      await anonymous.get('/version', { headers: { origin: 'https://console.example.com' } }),
      await admin.get(`${M}/identities?limit=-1`),
      await anonymous.post(`${C}/authenticate?method=password`, { username: 'nobody', password: 'wrong password' }),
    ];
    for (const answer of answers) {
      expect(idOf(answer)).to.match(ID);
      if (answer.error !== undefined) expect(answer.error.requestId).to.equal(idOf(answer));
    }
    expect(new Set(answers.map(idOf)).size).to.equal(answers.length);
    expect(answers[13]?.headers['access-control-expose-headers']).to.contain('x-request-id');
  });

  it('is in the log line, of a success and of a failure', async () => {
    const success = expectStatus(await admin.get(`${M}/identities`), 200);
    expect(await lineOf(plain, idOf(success))).to.include({ operation: 'listIdentities', status: 200 });
    const failure = expectStatus(await admin.delete(`${M}/services/unknown`), 404);
    expect(await lineOf(plain, idOf(failure))).to.include({
      operation: 'deleteService',
      status: 404,
      code: 'NOT_FOUND',
    });
  });

  it('is on what the server refuses before it is a request', async () => {
    const refusals = [
      'NONSENSE\r\n\r\n',
      'GET /version HTTP/1.1\r\nconnection: close\r\n\r\n',
      `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      `GET /version HTTP/1.1\r\nhost: x\r\n${'x: 1\r\n'.repeat(200)}\r\n`,
      'POST /authenticate HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{',
    ];
    for (const bytes of refusals) {
      const answer = await sendRaw(plain.url, bytes);
      expect(answer.status, answer.head).to.be.within(400, 499);
      expect(rawId(answer)).to.match(ID).and.equal(answer.json.error?.requestId);
    }
  });

  it('is on a timeout, whose line tells of it', async () => {
    await database.query('BEGIN');
    await database.query('LOCK TABLE services IN ACCESS EXCLUSIVE MODE');
    let answer: Answer;
    try {
      answer = expectStatus(await admin.get(`${M}/services`), 503);
    } finally {
      await database.query('ROLLBACK');
    }
    expect(answer.error).to.deep.include({ code: 'TIMEOUT', requestId: idOf(answer) });
    expect(await lineOf(plain, idOf(answer))).to.include({ operation: 'listServices', status: 503, code: 'TIMEOUT' });
  });

  it('is not taken from a client unless a setting names the header', async () => {
    for (const name of ['x-request-id', 'x-balancer-id']) {
      expect(idOf(await plain.client().get('/version', { headers: { [name]: 'of-the-client' } })))
        .to.match(ID)
        .and.not.equal('of-the-client');
    }
    expect(idOf(await behind.client().get('/version', { headers: { 'x-request-id': 'of-the-client' } })))
      .to.match(ID)
      .and.not.equal('of-the-client');
  });

  it('is the one of the balancer in header, body and log when a setting names its header', async () => {
    const given = `Balancer_1.${'x'.repeat(53)}`;
    const answer = expectStatus(
      await behind.client().get(`${M}/identities`, { headers: { 'x-balancer-id': given } }),
      401,
    );
    expect(idOf(answer)).to.equal(given);
    expect(answer.error?.requestId).to.equal(given);
    expect(await lineOf(behind, given)).to.include({ operation: 'listIdentities', code: 'UNAUTHORIZED' });
  });

  for (const [what, given] of [
    ['too long', 'x'.repeat(65)],
    ['empty', ''],
    ['with a blank', 'two words'],
    ['with a quote', 'a"b'],
    ['with a tab', 'a\tb'],
    ['of a foreign script', Buffer.from('ä').toString('latin1')],
  ] as const) {
    it(`of a balancer is not believed when it is ${what}`, async () => {
      expect(idOf(await behind.client().get('/version', { headers: { 'x-balancer-id': given } }))).to.match(ID);
    });
  }

  it('of a balancer is not believed when there are two', async () => {
    const socket = await dial(behind.url);
    const answer = readToEnd(socket);
    socket.write(
      'GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-balancer-id: one\r\nx-balancer-id: two\r\n\r\n',
    );
    expect(rawId(parseRaw(await answer))).to.match(ID);
  });
});
