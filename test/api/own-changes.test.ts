/** How often an identity may change what is its own: beyond it 429 with the time to wait, for it alone. */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { OWN_CHANGES } from '../../server/sessions/own-changes.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { makeRequest } from '../support/certificates.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** Changes of callers that leave no record of their own, or that have a bound of their own. */
const UNBOUNDED: Readonly<Record<string, string>> = {
  authenticateMfa: 'takes a code, each of which counts once',
  createPostureResponse: 'leaves no record',
  createPostureResponseBulk: 'leaves no record',
  createSession: 'leaves no record',
  deleteSession: 'leaves no record',
  createTotpToken: 'changes nothing',
  deleteCurrentApiSession: 'bounded with the logins',
  deleteCurrentApiSessionCertificate: 'one for each that was issued',
};

describe('changes of what is its own by an identity', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {
      EDGE_LIMIT_OWN_CHANGES: '4',
      EDGE_LIMIT_CERTIFICATES_PER_IDENTITY: '2',
    });
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });
  const user = async (): Promise<Client> => {
    const name = unique('busy');
    await makeUser(await controller.login(), name);
    return controller.login(name, PASSWORD);
  };
  const expectSpent = (answer: Answer) => {
    expectFault(answer, 429, 'RATE_LIMITED');
    expect(Number(answer.headers['retry-after'])).to.be.within(1, 3_600);
    expect(answer.text).to.match(/an identity may do this [24] times an hour: try again in \d+ s/);
  };

  it('have a bound, whichever they are', () => {
    const own = [...Object.values(operations.client), ...Object.values(operations.management)].filter(
      ({ permission, method }) => (permission === 'own' || permission === 'partial') && method !== 'GET',
    );
    expect([...new Set(own.map(({ operationId }) => operationId))].sort()).to.deep.equal(
      [...Object.keys(OWN_CHANGES), ...Object.keys(UNBOUNDED)].sort(),
    );
  });

  it('are refused beyond it, those of others are not, and leave no record of a refused login', async () => {
    const [one, other] = [await user(), await user()];
    const mfa = `${C}/current-identity/mfa`;
    for (let n = 0; n < 2; n += 1) {
      expectStatus(await one.post(mfa), 201);
      expectStatus(await one.delete(mfa), 200);
    }
    expectSpent(await one.post(mfa));
    expectSpent(await one.delete(`${M}/current-identity/mfa`));
    expectStatus(await one.get(`${C}/current-identity`), 200);
    expectStatus(await other.post(mfa), 201);
    const { rows } = await database.query("SELECT kind FROM audit_records WHERE kind = 'login.failed'");
    expect(rows).to.deep.equal([]);
  });

  it('and certificates of its API sessions are', async () => {
    const [one, other] = [await user(), await user()];
    const path = `${C}/current-api-session/certificates`;
    const request = { csr: makeRequest().pem };
    for (let n = 0; n < 2; n += 1) {
      const { id } = expectStatus(await one.post(path, request), 201).data as { id: string };
      expectStatus(await one.delete(`${path}/${id}`), 200);
    }
    expectSpent(await one.post(path, request));
    expectStatus(await other.post(path, request), 201);
  });
});

describe('refused requests of strangers', () => {
  it('leave few lines, and the sum is right', async () => {
    const database = await openTestDatabase();
    const controller = await startLogged(database, { EDGE_LOG_REQUESTS: 'changes' });
    const client = controller.client();
    const refuse = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const answer = await client.post(n % 2 ? `${C}/authenticate?method=cert` : `${M}/identities`, {});
        expect(answer.status).to.be.within(400, 499);
      }
    };
    try {
      await Promise.all(Array.from({ length: 20 }, () => refuse(50)));
    } finally {
      await controller.stop();
      await database.close();
    }
    const lines = controller.log.filter(({ msg, code }) => msg === 'request' && code !== undefined);
    const sums = controller.log.filter(({ msg }) => msg === 'requests refused');
    const summed = sums.reduce((total, { refused }) => total + Number(refused), 0);
    expect(lines.length + summed).to.equal(1_000);
    expect(lines.length + sums.length).to.be.below(400);
    expect(sums[0]).to.include({ network: '127.0.0.1' });
  });
});
