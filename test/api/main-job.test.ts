/** What a network is for, once through: from an empty database to a client that sees its services. */
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { jwtVerify } from 'jose';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { entityOf, itemsOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const HOST = { address: 'printer.example', port: 631, protocol: 'tcp' };

describe('the main job', () => {
  let database: TestDatabase;
  let dataDir: string;
  let controller: RunningController;
  let certificate: X509Certificate;
  let admin: Client;
  let client: Client;
  let identityId: string;
  let enrollment: Entity;
  const clients: Client[] = [];

  const start = async (databaseUrl: string, port = 0) =>
    startController(
      readConfig({
        env: {
          EDGE_DATA_DIR: dataDir,
          EDGE_LISTEN: `127.0.0.1:${port}`,
          EDGE_ADVERTISE: 'localhost:1280',
          DATABASE_URL: databaseUrl,
          EDGE_ADMIN_USERNAME: ADMIN.username,
          EDGE_ADMIN_PASSWORD: ADMIN.password,
          EDGE_LOG_LEVEL: 'silent',
          EDGE_DATABASE_POOL_SIZE: '4',
          EDGE_MASTER_KEY_LOCAL: 'true',
        },
      }),
      createLogger({ level: 'silent', format: 'json' }),
    );
  const open = (token?: string) => {
    const made = createClient(controller.url, token);
    clients.push(made);
    return made;
  };
  const login = async (api: string, credentials: object) => {
    const answer = expectStatus(await open().post(`${api}/authenticate?method=password`, credentials), 200);
    return open((answer.data as { token: string }).token);
  };
  const created = async (collection: string, body: object) =>
    entityOf(expectStatus(await admin.post(`${MANAGEMENT}/${collection}`, body), 201)).id;
  const servedCertificate = async (): Promise<X509Certificate> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(controller.url);
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        const { raw } = socket.getPeerCertificate();
        socket.end();
        resolve(new X509Certificate(raw));
      });
      socket.on('error', reject);
    });

  before(async () => {
    database = await openTestDatabase({ isEmpty: true });
    dataDir = mkdtempSync(join(tmpdir(), 'edge-main-job-'));
    controller = await start(database.url);
  });
  after(async () => {
    clients.forEach((one) => {
      one.close();
    });
    await controller.stop();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('the administrator logs in', async () => {
    admin = await login(MANAGEMENT, ADMIN);
    expect(entityOf(await admin.get(`${MANAGEMENT}/current-identity`))).to.include({
      isAdmin: true,
      isDefaultAdmin: true,
    });
  });

  it('makes an identity with an enrollment, a service with a config, and a policy', async () => {
    identityId = await created('identities', {
      name: 'laptop-17',
      type: 'Device',
      isAdmin: false,
      roleAttributes: ['office'],
      enrollment: { updb: 'mara' },
    });
    const config = await created('configs', { name: 'printer.host', configTypeId: 'NH5p4FpGR', data: HOST });
    await created('services', {
      name: 'printer',
      encryptionRequired: true,
      configs: [config],
      roleAttributes: ['printing'],
    });
    await created('services', { name: 'payroll', encryptionRequired: true, roleAttributes: ['finance'] });
    await created('service-policies', {
      name: 'office prints',
      type: 'Dial',
      semantic: 'AllOf',
      identityRoles: ['#office'],
      serviceRoles: ['#printing'],
    });
    enrollment = itemsOf(await admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`))[0] as Entity;
    expect(enrollment).to.include({ method: 'updb', username: 'mara' });
  });

  it('the client verifies the JWT with the certificate that the controller serves', async () => {
    certificate = await servedCertificate();
    const { payload, protectedHeader } = await jwtVerify(enrollment['jwt'] as string, certificate.publicKey, {
      issuer: 'https://localhost:1280',
    });
    expect(protectedHeader.kid).to.equal(createHash('sha1').update(certificate.raw).digest('hex'));
    expect(payload).to.include({ sub: identityId, em: 'updb', jti: enrollment['token'] });
  });

  it('enrolls with a password, once', async () => {
    const path = `${CLIENT}/enroll?method=updb&token=${enrollment['token'] as string}`;
    expect(expectStatus(await open().post(path, { password: 'my own secret' }), 200).data)
      .to.include({ username: 'mara' })
      .and.to.have.all.keys('username', 'controllers');
    expectStatus(await open().post(path, { password: 'another secret' }), 404);
  });

  it('authenticates and sees exactly its services, with the configs it asked for', async () => {
    client = await login(CLIENT, { username: 'mara', password: 'my own secret', configTypes: ['host.v1'] });
    await seesThePrinter();
    expectStatus(await client.get(`${MANAGEMENT}/services`), 401);
  });

  it('finds everything again after the controller was stopped and started, its session too', async () => {
    const { port } = new URL(controller.url);
    const tables = async () =>
      (
        await Promise.all(
          [
            'identities',
            'services',
            'configs',
            'service-policies',
            'api-sessions',
            'authenticators',
            'config-types',
          ].map(async (collection) => expectStatus(await admin.get(`${MANAGEMENT}/${collection}?limit=500`), 200)),
        )
      ).map(({ data, meta }) => [(data as Entity[]).map(({ id }) => id), meta.pagination?.totalCount]);
    const before = await tables();
    await controller.stop();
    controller = await start(database.url, Number(port));
    expect(await tables()).to.deep.equal(before);
    await seesThePrinter();
    expect((await servedCertificate()).raw.equals(certificate.raw), 'the same certificate').to.equal(true);
    await login(CLIENT, { username: 'mara', password: 'my own secret' });
  });

  it('loses access with the policy, and everything with its identity', async () => {
    const policy = itemsOf(await admin.get(`${MANAGEMENT}/service-policies`))[0] as Entity;
    expectStatus(await admin.delete(`${MANAGEMENT}/service-policies/${policy.id}`), 200);
    expect(itemsOf(await client.get(`${CLIENT}/services`))).to.deep.equal([]);
    expectStatus(await admin.delete(`${MANAGEMENT}/identities/${identityId}`), 200);
    expectStatus(await client.get(`${CLIENT}/services`), 401);
  });

  async function seesThePrinter(): Promise<void> {
    const answer = expectStatus(await client.get(`${CLIENT}/services`), 200);
    expect(
      itemsOf(answer).map((item) => [item['name'], item['permissions'], item['config'], item['encryptionRequired']]),
    ).to.deep.equal([['printer', ['Dial'], { 'host.v1': HOST }, true]]);
    expect(answer.meta.pagination?.totalCount).to.equal(1);
  }
});
