/**
 * kill -9 while clients and routers enroll: each token is used up together with what it yielded, or still works and has
 * yielded nothing. Certificates that a client holds are known to the controller.
 */
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { makeRequest } from '../support/certificates.js';
import { ADMIN } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop, START_DEADLINE_MS, within } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const ROUNDS = 4;
const PER_ROUND = 30;

interface Subject {
  readonly kind: 'identity' | 'router';
  readonly id: string;
  readonly token: string;
  readonly body: object;
}
interface Row {
  id: string;
  outstanding: boolean;
  fingerprint: string | null;
  issued: string[];
}

describe(`kill -9 during enrollments, ${ROUNDS} rounds`, function () {
  this.timeout(600_000);
  const shop = new ProcessShop();
  const dataDir = shop.dataDir();
  const subjects: Subject[] = [];
  /** Fingerprints of the certificates that were answered, by the identity or router they are for. */
  const held = new Map<string, string>();
  const strange: string[] = [];
  let token = '';
  let controller: ControllerProcess;

  const start = () => {
    controller = shop.start(dataDir, {
      env: { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_LOG_LEVEL: 'info', EDGE_LOG_REQUESTS: 'none' },
    });
  };
  after(() => shop.end());

  const newSubject = async (admin: Client, number: number): Promise<Subject> => {
    const isRouter = number % 3 === 0;
    const collection = `${MANAGEMENT}/${isRouter ? 'edge-routers' : 'identities'}`;
    const body = isRouter
      ? { name: `router-${number}` }
      : { name: `identity-${number}`, type: 'Device', isAdmin: false, enrollment: { ott: true } };
    const { id } = expectStatus(await admin.post(collection, body), 201).data as { id: string };
    const item = expectStatus(await admin.get(`${collection}/${id}`), 200).data as {
      enrollmentToken?: string;
      enrollment?: { ott: { token: string } };
    };
    const csr = makeRequest({ commonName: id }).pem;
    return {
      kind: isRouter ? 'router' : 'identity',
      id,
      token: item.enrollmentToken ?? item.enrollment?.ott.token ?? '',
      body: isRouter ? { certCsr: csr, serverCertCsr: csr } : { clientCsr: csr },
    };
  };

  const enroll = async (client: Client, { id, token: secret, body }: Subject): Promise<void> => {
    const answer = await client.post(`${CLIENT}/enroll?token=${secret}`, body).catch(() => undefined);
    if (answer?.status === 200)
      held.set(
        id,
        new X509Certificate((answer.data as { cert: string }).cert).fingerprint.replaceAll(':', '').toLowerCase(),
      );
    else if (answer !== undefined && answer.status !== 503) strange.push(`${answer.status} ${answer.text}`);
  };

  const round = async (number: number): Promise<void> => {
    const url = await controller.ready();
    const admin = shop.client(url, token);
    const fresh: Subject[] = [];
    for (let n = 0; n < PER_ROUND; n += 1) fresh.push(await newSubject(admin, number * PER_ROUND + n));
    subjects.push(...fresh);
    const before = held.size;
    const clients = fresh.map(() => shop.client(url));
    const enrollments = Promise.all(fresh.map((subject, index) => enroll(clients[index] as Client, subject)));
    await until('some are enrolled', () => held.size > before + number * 4, START_DEADLINE_MS);
    controller.kill('SIGKILL');
    await controller.ended;
    await within('the enrollments end', START_DEADLINE_MS, enrollments);
    clients.forEach((client) => {
      client.close();
    });
    start();
    await controller.ready();
  };

  const rows = async (): Promise<Map<string, Row>> => {
    const database = new pg.Client({
      host: join(dataDir, 'postgres'),
      port: 5432,
      user: 'edge',
      database: 'edge',
      ssl: false,
    });
    await database.connect();
    try {
      const { rows: found } = await database.query<Row>(`SELECT s.id, s.fingerprint, EXISTS (SELECT FROM enrollments e
        WHERE s.id IN (e.identity_id, e.edge_router_id)) AS outstanding,
        ARRAY(SELECT c.fingerprint::text FROM issued_certificates c WHERE c.subject_id = s.id
        AND c.kind IN ('identity', 'router')) AS issued
        FROM (SELECT i.id, a.fingerprint FROM identities i LEFT JOIN authenticators a ON a.identity_id = i.id
        WHERE i.type_id = 'Device'
              UNION ALL SELECT id, fingerprint FROM routers) s`);
      expect(found.length).to.equal(subjects.length);
      return new Map(found.map((row) => [row.id, row]));
    } finally {
      await database.end();
    }
  };

  it('starts again each time', async () => {
    start();
    token = (await shop.login(await controller.ready())).token ?? '';
    for (let number = 0; number < ROUNDS; number += 1) await round(number);
    expect(strange.slice(0, 3)).to.deep.equal([]);
    console.log(`      ${subjects.length} enrollments, ${held.size} answered before a kill`);
  });

  it('has either the token or what it yields, never both and never neither', async () => {
    for (const [id, { outstanding, fingerprint, issued }] of await rows()) {
      expect(outstanding, id).to.equal(fingerprint === null);
      expect(issued, id).to.deep.equal(fingerprint === null ? [] : [fingerprint]);
      if (held.has(id)) expect(fingerprint, id).to.equal(held.get(id));
    }
  });

  it('lets those that still have a token enroll, and no others', async () => {
    const before = await rows();
    const client = shop.client(await controller.ready());
    for (const subject of subjects) {
      const answer = await client.post(`${CLIENT}/enroll?token=${subject.token}`, subject.body);
      expectStatus(answer, before.get(subject.id)?.outstanding === true ? 200 : 404);
    }
    expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
  });
});
