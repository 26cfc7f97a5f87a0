/** Names of controllers in requests of routers: refused or left out, unless a setting lets routers have them. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { createCertificateClient, makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { make, read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { CLIENT } from '../support/paths.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

interface Certificates {
  readonly cert: string;
  readonly serverCert: string;
}

const SHARED = { dns: ['shared.example', 'ctrl.example'], ip: ['10.9.8.7'] };
const WARNING = /^a router asked for names that its certificate does not have/;

describe('names of a controller for routers', function routerNames() {
  this.timeout(60_000);
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Awaited<ReturnType<LoggedController['login']>>;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {
      EDGE_ADVERTISE: 'shared.example:1280',
      EDGE_TLS_NAMES: 'ctrl.example,10.9.8.7',
      EDGE_TLS_ROUTER_NAMES: 'SHARED.example,10.9.8.7',
    });
    admin = await controller.login();
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const requests = (id: string, names: object) => {
    const client = makeRequest({ commonName: id });
    return { body: { certCsr: client.pem, serverCertCsr: makeRequest({ names }).pem }, key: client.privateKeyPem };
  };
  const router = async () => {
    const id = await make({ admin }, 'edge-routers', { name: unique('router') });
    const { enrollmentToken } = await read<{ enrollmentToken: string }>({ admin }, `edge-routers/${id}`);
    return { id, path: `${CLIENT}/enroll?token=${enrollmentToken}` };
  };
  const warnings = (id: string) => controller.log.filter(({ routerId, level }) => routerId === id && level === 40);
  const namesOf = ({ serverCert }: Certificates) =>
    (new X509Certificate(serverCert).subjectAltName ?? '').replace(/, URI:.*/, '');

  it('are given when the setting names them, and refused otherwise', async () => {
    const { id, path } = await router();
    const anonymous = controller.client();
    expectError(await anonymous.post(path, requests(id, SHARED).body), 400, 'COULD_NOT_PROCESS_CSR');
    const { body } = requests(id, { ...SHARED, dns: ['shared.example'] });
    const enrolled = expectStatus(await anonymous.post(path, body), 200).data as Certificates;
    expect(namesOf(enrolled)).to.equal('DNS:shared.example, IP Address:10.9.8.7');
    expect(await read({ admin }, `edge-routers/${id}`)).to.deep.include({ namesLeftOut: [] });
    expect(warnings(id)).to.deep.equal([]);
  });

  it('are left out of a renewal, which goes on; the log and the router say so until it is mended', async () => {
    const { id, path } = await router();
    const first = requests(id, { dns: ['own.example'] });
    const enrolled = expectStatus(await controller.client().post(path, first.body), 200).data as Certificates;
    const extend = async (shown: { cert: string; key: string }, names: object) => {
      const { body, key } = requests(id, names);
      const asRouter = createCertificateClient(controller.url, shown);
      const answer = await asRouter.post(`${CLIENT}/enroll/extend/router`, body);
      asRouter.close();
      return { ...(expectStatus(answer, 200).data as Certificates), key };
    };
    const renewed = await extend({ cert: enrolled.cert, key: first.key }, { dns: ['own.example', 'ctrl.example'] });
    expect(namesOf(renewed)).to.equal('DNS:own.example');
    expect(await read({ admin }, `edge-routers/${id}`)).to.deep.include({ namesLeftOut: ['ctrl.example'] });
    const warned = warnings(id);
    expect(warned).to.have.length(1);
    expect(warned[0]).to.deep.include({ level: 40, namesLeftOut: ['ctrl.example'] });
    expect(warned[0]?.['msg']).to.match(WARNING);
    await extend(renewed, { dns: ['own.example'] });
    expect(await read({ admin }, `edge-routers/${id}`)).to.deep.include({ namesLeftOut: [] });
  });
});
