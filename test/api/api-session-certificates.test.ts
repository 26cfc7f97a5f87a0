/**
 * Certificates of API sessions: a caller's own only, from nothing but the key of a request, bounded, gone with the
 * session.
 */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { entityOf, idsOf, itemsOf, linksOf, totalOf } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';

const PATH = `${CLIENT}/current-api-session/certificates`;
const HALF_DAY_MS = 12 * 3_600_000;

describe('certificates of API sessions', () => {
  let controller: TestController;
  let caller: Caller;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());
  beforeEach(async () => {
    caller = await controller.newCaller();
  });

  const issue = async (client: Client, csr = makeRequest().pem) =>
    entityOf(expectStatus(await client.post(PATH, { csr }), 201));
  const sessionIdOf = async (client: Client) =>
    entityOf(expectStatus(await client.get(`${CLIENT}/current-api-session`), 200)).id;
  const rowsOf = async (id: string) =>
    (await controller.database.query('SELECT FROM api_session_certificates WHERE id = $1', [id])).rows.length;

  describe('are refused', () => {
    it('without a session', async () => {
      const { id } = await issue(caller.client);
      for (const [method, path] of [
        ['GET', PATH],
        ['GET', `${PATH}/${id}`],
        ['DELETE', `${PATH}/${id}`],
      ] as const) {
        expectStatus(await controller.anonymous.send(method, path), 401);
      }
      expectStatus(await controller.anonymous.post(PATH, { csr: makeRequest().pem }), 401);
      expect(await rowsOf(id)).to.equal(1);
    });

    it('to any other session: of another identity, of the same identity, of an administrator', async () => {
      const { id } = await issue(caller.client);
      const again = await controller.login(caller.username, caller.password);
      for (const other of [(await controller.newCaller()).client, again, controller.admin]) {
        expectNotFound(await other.get(`${PATH}/${id}`), `apiSessionCertificate with id ${id} not found`);
        expectNotFound(await other.delete(`${PATH}/${id}`), `apiSessionCertificate with id ${id} not found`);
        expect(idsOf(expectStatus(await other.get(`${PATH}?limit=500`), 200))).not.to.include(id);
        const filter = encodeURIComponent(`id = "${id}" or not (id = "")`);
        expect(idsOf(expectStatus(await other.get(`${PATH}?filter=${filter}`), 200))).not.to.include(id);
      }
      expect(await rowsOf(id)).to.equal(1);
    });

    const bad: [what: string, csr: () => string][] = [
      ['an empty request', () => ''],
      ['text that is no PEM', () => 'not a request'],
      ['a request signed with another key', () => makeRequest({ isForged: true }).pem],
      ['a request signed with SHA-1', () => makeRequest({ hash: 'sha1' }).pem],
      ['a short RSA key', () => makeRequest({ keyKind: 'rsa-1024' }).pem],
      ['a curve that is not among the usual ones', () => makeRequest({ keyKind: 'ec-secp256k1' }).pem],
      ['two requests at once', () => makeRequest().pem + makeRequest().pem],
    ];
    for (const [what, csr] of bad) {
      it(`for ${what}, and nothing is issued`, async () => {
        const answer = expectStatus(await caller.client.post(PATH, { csr: csr() }), 400);
        expect(answer.error?.code).to.equal('COULD_NOT_PROCESS_CSR');
        expect(totalOf(await caller.client.get(PATH))).to.equal(0);
      });
    }

    it('for one that is too long', async () => {
      const csr = makeRequest().pem + ' '.repeat(20_000);
      expectField(await caller.client.post(PATH, { csr }), 'csr', 'csr in body should be at most 16384 chars long');
      expect(totalOf(await caller.client.get(PATH))).to.equal(0);
    });

    it('without a request, and for one that is no text', async () => {
      expectField(await caller.client.post(PATH, {}), 'csr', 'csr in body is required');
      expectStatus(await caller.client.post(PATH, { csr: 1 }), 400);
      expectStatus(await caller.client.post(PATH, undefined), 400);
    });

    it('beyond 20 in one session, also when asked for at the same time', async () => {
      const csr = makeRequest().pem;
      // They wait for each other on the few connections of a test; one that waits for too long is asked to come again.
      const ask = async (): Promise<Answer> => {
        const answer = await caller.client.post(PATH, { csr });
        return answer.status === 503 ? ask() : answer;
      };
      const answers = await Promise.all(Array.from({ length: 26 }, ask));
      expect(answers.filter(({ status }) => status === 201)).to.have.length(20);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectField(answer, 'csr', /at most 20/);
      expect(totalOf(await caller.client.get(PATH))).to.equal(20);
      const [first = ''] = idsOf(await caller.client.get(PATH));
      expectStatus(await caller.client.delete(`${PATH}/${first}`), 200);
      await issue(caller.client, csr);
      expectStatus(await caller.client.post(PATH, { csr }), 400);
    });
  });

  it('name the identity and the session, last half a day and carry the key of the request only', async () => {
    for (const keyKind of ['ec-p256', 'rsa-2048'] as const) {
      const request = makeRequest({ keyKind, commonName: 'root of all' });
      const answer = expectStatus(await caller.client.post(PATH, { csr: request.pem }), 201);
      const made = entityOf(answer);
      expect(answer.headers.location).to.equal(`${PATH}/${made.id}`);
      expect(linksOf(made)).to.deep.equal({ self: `./current-api-session/certificates/${made.id}` });
      const blocks =
        String(made['certificate']).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
      expect(blocks).to.have.length(2);
      const [leaf, issuer] = blocks.map((pem) => new X509Certificate(pem));
      if (leaf === undefined || issuer === undefined) throw new Error('a chain of two was expected');
      expect(leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey)).to.equal(true);
      expect(String(made['cas'])).to.include(blocks[1]);
      expect(leaf.subject).to.equal(`CN=${caller.id}`);
      expect(leaf.ca).to.equal(false);
      expect(leaf.publicKey.equals(request.keys.publicKey)).to.equal(true);
      const {
        rows: [network],
      } = await controller.database.query('SELECT trust_domain FROM network');
      expect(leaf.subjectAltName).to.equal(
        `URI:spiffe://${String(network?.['trust_domain'])}/identity/${caller.id}` +
          `/apiSession/${await sessionIdOf(caller.client)}/apiSessionCertificate/${made.id}`,
      );
      expect(Math.abs(Date.parse(leaf.validTo) - Date.now() - HALF_DAY_MS)).to.be.below(60_000);
    }
  });

  it('are listed and read as they were issued, with filters, and written down as issued', async () => {
    const made = await issue(caller.client);
    await issue(caller.client);
    const list = expectStatus(
      await caller.client.get(`${PATH}?filter=${encodeURIComponent(`id = "${made.id}"`)}`),
      200,
    );
    expect(totalOf(list)).to.equal(1);
    expect(list.meta.filterableFields).to.include.members([
      'id',
      'createdAt',
      'fingerprint',
      'subject',
      'validFrom',
      'validTo',
    ]);
    const [item] = itemsOf(list);
    const detail = entityOf(expectStatus(await caller.client.get(`${PATH}/${made.id}`), 200));
    expect(item).to.deep.equal(detail);
    const leaf = new X509Certificate(String(made['certificate']));
    expect(detail).to.include({
      certificate: made['certificate'],
      fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
      subject: `CN=${caller.id}`,
      validFrom: new Date(leaf.validFrom).toISOString(),
      validTo: new Date(leaf.validTo).toISOString(),
    });
    expect(
      idsOf(expectStatus(await caller.client.get(`${PATH}?sort=validTo%20desc&limit=1&offset=1`), 200)),
    ).to.have.length(1);
    const { rows } = await controller.database.query(
      'SELECT kind, subject_id, serial_number FROM issued_certificates WHERE fingerprint = $1',
      [detail['fingerprint']],
    );
    expect(rows).to.deep.equal([
      {
        kind: 'apiSession',
        subject_id: await sessionIdOf(caller.client),
        serial_number: leaf.serialNumber.toLowerCase(),
      },
    ]);
  });

  it('are counted in the summary, and gone after a delete', async () => {
    const count = async () =>
      (expectStatus(await controller.admin.get(`${MANAGEMENT}/summary`), 200).data as Record<string, number>)[
        'apiSessionCertificates'
      ];
    const before = (await count()) ?? NaN;
    const { id } = await issue(caller.client);
    expect(await count()).to.equal(before + 1);
    expect(expectStatus(await caller.client.delete(`${PATH}/${id}`), 200).data).to.deep.equal({});
    expect(await count()).to.equal(before);
    expectNotFound(await caller.client.get(`${PATH}/${id}`), `apiSessionCertificate with id ${id} not found`);
    expectNotFound(await caller.client.delete(`${PATH}/${id}`), `apiSessionCertificate with id ${id} not found`);
  });

  it('go with their session, and with its identity', async () => {
    const { id } = await issue(caller.client);
    expectStatus(await caller.client.delete(`${CLIENT}/current-api-session`), 200);
    expect(await rowsOf(id)).to.equal(0);
    const other = await controller.newCaller();
    const second = await issue(other.client);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${other.id}`), 200);
    expect(await rowsOf(second.id)).to.equal(0);
    expectStatus(await other.client.post(PATH, { csr: makeRequest().pem }), 401);
  });

  it('are not there once they are past their end, and make room for others', async () => {
    const csr = makeRequest().pem;
    const made = await Promise.all(Array.from({ length: 20 }, () => issue(caller.client, csr)));
    await controller.database.query('UPDATE api_session_certificates SET valid_to = now() WHERE id = ANY($1)', [
      made.map(({ id }) => id),
    ]);
    const { id } = made[0] ?? { id: '' };
    expectNotFound(await caller.client.get(`${PATH}/${id}`), `apiSessionCertificate with id ${id} not found`);
    expect(totalOf(await caller.client.get(PATH))).to.equal(0);
    await issue(caller.client, csr);
    expect(await rowsOf(id)).to.equal(0);
  });
});
