/** The log line of a request: who, from where, what it was about, what came of it and why. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { itemsOf } from '../support/entities.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { createCertificateClient, makeCa, makeLeaf, makeRequest, shownBy } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { dial, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const FINGERPRINT = /^[0-9a-f]{40}$/;

describe('the log line of a request', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  let adminId: string;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database);
    admin = await controller.login();
    adminId = (expectStatus(await admin.get(`${C}/current-identity`), 200).data as { id: string }).id;
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const idOf = (answer: Answer) => (expectStatus(answer, 201).data as { id: string }).id;
  /** The line of a request that has been answered, which may follow its answer. */
  const lineOf = async (operation: string, answer: Answer): Promise<Record<string, unknown>> => {
    const find = () =>
      controller.log.findLast(
        (line) =>
          line['msg'] === 'request' &&
          line['operation'] === operation &&
          line['status'] === answer.status &&
          (answer.error === undefined || line['requestId'] === answer.error.requestId),
      );
    return until(`the line of ${operation}`, find);
  };
  const login = (body: object, client = controller.client()) => client.post(`${C}/authenticate?method=password`, body);
  const makeUser = async () => {
    const username = `user-${randomUUID()}`;
    const password = `pass ${randomUUID()}`;
    const identityId = idOf(await admin.post(`${M}/identities`, { name: username, type: 'User', isAdmin: false }));
    const authenticatorId = idOf(
      await admin.post(`${M}/authenticators`, { method: 'updb', identityId, username, password }),
    );
    return { username, password, identityId, authenticatorId };
  };

  describe('of a change', () => {
    it('has the address, the caller and the id of what was made, changed and deleted', async () => {
      const made = await admin.post(`${M}/services`, { name: `service ${randomUUID()}`, encryptionRequired: true });
      const id = idOf(made);
      expect(await lineOf('createService', made))
        .to.include({ address: '127.0.0.1', identityId: adminId, createdId: id, status: 201 })
        .and.not.have.property('entityId');
      const patched = expectStatus(await admin.patch(`${M}/services/${id}`, { tags: {} }), 200);
      expect(await lineOf('patchService', patched)).to.include({ entityId: id, identityId: adminId });
      const deleted = expectStatus(await admin.delete(`${M}/services/${id}`), 200);
      expect(await lineOf('deleteService', deleted))
        .to.include({ entityId: id, identityId: adminId })
        .and.not.have.property('code');
    });

    it('that is refused has the code and the rule, and not what was sent', async () => {
      const name = `service ${randomUUID()}`;
      idOf(await admin.post(`${M}/services`, { name, encryptionRequired: true }));
      const duplicate = expectStatus(await admin.post(`${M}/services`, { name, encryptionRequired: true }), 400);
      const line = await lineOf('createService', duplicate);
      expect(line).to.include({ code: 'COULD_NOT_VALIDATE', reason: 'services_name_key' });
      const short = expectStatus(
        await controller.client().post(`${C}/authenticate?method=password`, { username: 'x', password: 'long enough' }),
        400,
      );
      expect((await lineOf('authenticate', short))['reason']).to.match(/^minLength #.*username/);
      const unknown = expectStatus(await admin.delete(`${M}/services/no%20id%20of%20ours`), 404);
      expect(await lineOf('deleteService', unknown))
        .to.include({ code: 'NOT_FOUND', identityId: adminId })
        .and.not.have.property('entityId');
      expect(JSON.stringify(controller.log)).to.not.include(name).and.not.include('no id of ours');
    });

    it('without the right has the caller and what it was after', async () => {
      const user = await makeUser();
      const client = await controller.login(user.username, user.password);
      const refused = await client.delete(`${M}/services/abc`);
      expect(await lineOf('deleteService', refused)).to.include({
        identityId: user.identityId,
        entityId: 'abc',
        reason: 'the identity is no administrator, and has no permission for this',
      });
      const anonymous = expectStatus(await controller.client().delete(`${M}/services/abc`), 401);
      expect(await lineOf('deleteService', anonymous))
        .to.include({ code: 'UNAUTHORIZED', reason: 'no session token' })
        .and.not.have.property('entityId');
      const ended = expectStatus(await controller.client(randomUUID()).delete(`${M}/services/abc`), 401);
      expect(await lineOf('deleteService', ended)).to.include({ reason: 'no such session, or it has ended' });
    });
  });

  describe('of a request that came to nothing', () => {
    it('has the code when the database refuses it', async () => {
      await database.query(
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE
          = '53100'; END $$`,
      );
      await database.query(
        'CREATE TRIGGER full_disk BEFORE INSERT ON services FOR EACH ROW EXECUTE FUNCTION full_disk()',
      );
      try {
        const refused = expectStatus(
          await admin.post(`${M}/services`, { name: `service ${randomUUID()}`, encryptionRequired: true }),
          503,
        );
        expect(await lineOf('createService', refused)).to.include({ code: 'UNAVAILABLE', identityId: adminId });
      } finally {
        await database.query('DROP FUNCTION full_disk CASCADE');
      }
    });

    it('has neither status nor code when the client went away before it was whole', async () => {
      const before = controller.log.length;
      const socket = await dial(controller.url);
      const head = `POST ${M}/identities HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
      // What is not sent by then goes with the connection.
      await new Promise((sent) => socket.write(`${head}content-length: 100\r\n\r\n{`, sent));
      socket.destroy();
      const line = await until('its line', () =>
        controller.log.slice(before).find(({ msg, reason }) => msg === 'request' && reason === 'the sender went away'),
      );
      expect(line).to.include({ method: 'POST', address: '127.0.0.1' }).and.not.have.any.keys('status', 'code');
    });
  });

  describe('of a login', () => {
    const expectRefused = async (answer: Answer, facts: Record<string, unknown>) => {
      const line = await lineOf('authenticate', expectStatus(answer, 403));
      expect(line).to.include({ code: 'INVALID_AUTH', address: '127.0.0.1', ...facts });
      return line;
    };

    it('by password has the authenticator and the identity, failed or not, and says why it failed', async () => {
      const { username, password, ...subject } = await makeUser();
      expect(await lineOf('authenticate', expectStatus(await login({ username, password }), 200)))
        .to.include({ loginMethod: 'password', ...subject })
        .and.not.have.property('code');
      await expectRefused(await login({ username, password: 'wrong password' }), {
        loginMethod: 'password',
        reason: 'wrong password',
        ...subject,
      });
      expectStatus(await admin.post(`${M}/identities/${subject.identityId}/disable`, { durationMinutes: 5 }), 200);
      await expectRefused(await login({ username, password }), { reason: 'the identity is disabled', ...subject });
    });

    it('with an unknown username has neither the name nor a subject', async () => {
      const username = `unknown-${randomUUID()}`;
      const line = await expectRefused(await login({ username, password: 'some password' }), {
        reason: 'no authenticator has this username',
      });
      expect(line).to.not.have.any.keys('authenticatorId', 'identityId');
      expect(JSON.stringify(controller.log)).to.not.include(username);
    });

    it('by certificate has the fingerprint of the leaf', async () => {
      const bare = await controller.client().post(`${C}/authenticate?method=cert`, {});
      expect(
        await expectRefused(bare, { loginMethod: 'cert', reason: 'no certificate was sent' }),
      ).to.not.have.property('fingerprint');
      const stranger = createCertificateClient(controller.url, shownBy(makeLeaf(makeCa())));
      const line = await expectRefused(await stranger.post(`${C}/authenticate?method=cert`, {}), {
        reason: 'no authenticator has this certificate, and no CA can tell whose it is',
      });
      expect(line['fingerprint']).to.match(FINGERPRINT);
      stranger.close();
    });

    it('by a certificate of an identity has that identity and the authenticator too', async () => {
      const { id, token } = await invite({ ott: true });
      const { pem: clientCsr, privateKeyPem: key } = makeRequest();
      const { cert } = expectStatus(await controller.client().post(`${C}/enroll/ott`, { token, clientCsr }), 200)
        .data as { cert: string };
      const client = createCertificateClient(controller.url, { cert, key });
      const subject = async (answer: Answer) => {
        const { authenticatorId, identityId, fingerprint } = await lineOf('authenticate', answer);
        return { authenticatorId, identityId, fingerprint };
      };
      const opened = await subject(expectStatus(await client.post(`${C}/authenticate?method=cert`, {}), 200));
      expect(opened.identityId).to.equal(id);
      expect(opened.fingerprint).to.match(FINGERPRINT);
      expectStatus(await admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 5 }), 200);
      const refused = await client.post(`${C}/authenticate?method=cert`, {});
      await expectRefused(refused, { reason: 'the identity is disabled' });
      expect(await subject(refused)).to.deep.equal(opened);
      client.close();
    });
  });

  const invite = async (enrollment: object) => {
    const id = idOf(
      await admin.post(`${M}/identities`, {
        name: `invited ${randomUUID()}`,
        type: 'User',
        isAdmin: false,
        enrollment,
      }),
    );
    const [item] = itemsOf(await admin.get(`${M}/identities/${id}/enrollments`));
    return { id, enrollmentId: String(item?.id), token: String(item?.['token']) };
  };

  describe('of an enrollment', () => {
    it('has its id and method when the token is one, and says why it failed', async () => {
      const { id: identityId, enrollmentId, token } = await invite({ ott: true });
      const facts = { enrollmentId, enrollmentMethod: 'ott', identityId, address: '127.0.0.1' };
      const post = (body: object) => controller.client().post(`${C}/enroll/ott`, body);
      expect(await lineOf('enrollOtt', expectStatus(await post({ token, clientCsr: 'x' }), 400))).to.include({
        ...facts,
        code: 'COULD_NOT_PROCESS_CSR',
        reason: 'could not decode csrPem as PEM',
      });
      const clientCsr = makeRequest().pem;
      const labelled = clientCsr.replaceAll('CERTIFICATE REQUEST', 'HUNTER2');
      expect(await lineOf('enrollOtt', expectStatus(await post({ token, clientCsr: labelled }), 400))).to.include({
        ...facts,
        reason: 'another PEM block than CERTIFICATE REQUEST',
      });
      expect(await lineOf('enrollOtt', expectStatus(await post({ token, clientCsr }), 200)))
        .to.include(facts)
        .and.not.have.property('code');
      const used = await lineOf('enrollOtt', await post({ token, clientCsr }));
      expect(used)
        .to.include({ reason: 'no enrollment has this token' })
        .and.not.have.any.keys('enrollmentId', 'enrollmentMethod');
      expect(JSON.stringify(controller.log)).to.not.include(token).and.not.include('HUNTER2');
    });

    it('that has expired is told from an unknown one', async () => {
      const { enrollmentId, token } = await invite({ ott: true });
      await database.query(
        `UPDATE enrollments SET expires_at = now() - interval '1 minute' WHERE id = '${enrollmentId}'`,
      );
      const answer = await controller.client().post(`${C}/enroll/ott`, { token, clientCsr: makeRequest().pem });
      expect(await lineOf('enrollOtt', answer)).to.include({
        code: 'ENROLLMENT_EXPIRED',
        enrollmentId,
        enrollmentMethod: 'ott',
      });
      const never = await controller
        .client()
        .post(`${C}/enroll/ott`, { token: randomUUID(), clientCsr: makeRequest().pem });
      expect(await lineOf('enrollOtt', never))
        .to.include({ reason: 'no enrollment has this token' })
        .and.not.have.property('enrollmentId');
    });

    it('by a certificate has its fingerprint and what is wrong with the chain', async () => {
      const { enrollmentId, token } = await invite({ ott: true });
      const stranger = createCertificateClient(controller.url, shownBy(makeLeaf(makeCa())));
      expect(await lineOf('enrollOttCa', await stranger.post(`${C}/enroll/ottca?token=${token}`))).to.include({
        enrollmentId,
        enrollmentMethod: 'ott',
        code: 'INVALID_ENROLL_METHOD',
      });
      expectStatus(
        await admin.post(`${M}/cas`, {
          name: `ca ${randomUUID()}`,
          certPem: makeCa().pem,
          isAuthEnabled: true,
          isAutoCaEnrollmentEnabled: true,
          isOttCaEnrollmentEnabled: true,
          identityRoles: [],
        }),
        201,
      );
      const line = await lineOf('enrollCa', await stranger.post(`${C}/enroll/ca`));
      expect(line).to.include({
        code: 'CERT_FAILED_VALIDATION',
        reason: 'the chain leads to no CA that is trusted here',
      });
      expect(line['fingerprint']).to.match(FINGERPRINT);
      stranger.close();
    });
  });
});
