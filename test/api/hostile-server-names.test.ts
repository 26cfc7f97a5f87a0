/**
 * No certificate that the network issues is taken by any client for a name or address of its controllers, however a
 * request spells it.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createKeyRing, parseMasterKey } from '../../domain/pki/master-key.js';
import { entityOf, make, read } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT } from '../support/paths.js';
import { CONTROLLER, SOUGHT, SPELLINGS, WORST } from '../cases/server-names.js';
import type { Spelling } from '../cases/server-names.js';
import { createCertificateClient, makeKeys, makeRequest } from '../support/certificates.js';
import { newCertifiedCaller } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { go, hasGo, node, nodeFindsIpv6, openSsl } from '../support/tls-clients.js';
import type { Shown, TlsClient } from '../support/tls-clients.js';

const HONEST = 'honest.example';
const MASTER_KEY = '4d'.repeat(16) + '7e'.repeat(16);
const clientNames = hasGo()
  ? 'OpenSSL, Node and Go'
  : 'OpenSSL and Node (Go is not installed here, so it was not asked)';

describe('names of a controller in requests for certificates', function hostileNames() {
  this.timeout(300_000); // the first build of the Go client compiles its standard library
  const keys = makeKeys();
  const keyPem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const place = mkdtempSync(join(tmpdir(), 'edge-names-'));
  let controller: TestController;
  let rootsPem: string;
  let clients: TlsClient[];
  before(async () => {
    clients = [openSsl(place), node, ...(hasGo() ? [go(place)] : [])];
    const [advertised = '', ...others] = [...CONTROLLER.ip, ...CONTROLLER.dns];
    controller = await startTestController({
      EDGE_ADVERTISE: `${advertised}:1280`,
      EDGE_TLS_NAMES: others.join(','),
      EDGE_MASTER_KEY: MASTER_KEY,
    });
    const { rows } = await controller.database.query("SELECT cert_pem FROM pki_entities WHERE purpose = 'root'");
    rootsPem = String(rows[0]?.['cert_pem']);
  });
  after(async () => {
    await controller.stop();
    rmSync(place, { recursive: true, force: true });
  });

  const csr = (request: Spelling['request'], commonName?: string) =>
    makeRequest({ keys, ...request, ...(commonName === undefined ? {} : { commonName }) }).pem;
  const withHonest = ({ names = {}, ...rest }: Spelling['request']): Spelling['request'] => ({
    ...rest,
    names: { ...names, dns: [...(names.dns ?? []), HONEST] },
  });
  const routerOf = async (kind: 'edge-routers' | 'transit-routers') => {
    const id = await make(controller, kind, { name: unique('router') });
    return { id, token: String((await read(controller, `${kind}/${id}`))['enrollmentToken']) };
  };
  interface RouterCertificates {
    readonly cert: string;
    readonly serverCert: string;
  }

  /** The server certificate of a router; undefined for a request that is refused. */
  const routerServer = async ({ what, request }: Spelling): Promise<Shown | undefined> => {
    const { id, token } = await routerOf('edge-routers');
    const answer = await controller.anonymous.post(`${CLIENT}/enroll/erott`, {
      token,
      clientCsr: csr({}, id),
      serverCsr: csr(withHonest(request)),
    });
    if (answer.status === 400) expect(answer.error?.code, what).to.equal('COULD_NOT_PROCESS_CSR');
    else expectStatus(answer, 200);
    return answer.status === 400 ? undefined : { what, chainPem: (answer.data as RouterCertificates).serverCert };
  };

  /** Each other kind of certificate, its request as bad as it can be. */
  const others = async (): Promise<{ servers: Shown[]; clients: Shown[] }> => {
    const transit = await routerOf('transit-routers');
    const requests = (id: string, server = WORST) => ({
      certCsr: csr(WORST, id),
      serverCertCsr: csr(withHonest(server)),
    });
    const enrollingPath = `${CLIENT}/enroll?method=trott&token=${transit.token}`;
    expectStatus(await controller.anonymous.post(enrollingPath, requests(transit.id)), 400);
    const enrolled = expectStatus(await controller.anonymous.post(enrollingPath, requests(transit.id, {})), 200)
      .data as RouterCertificates;
    const asRouter = createCertificateClient(controller.url, { cert: enrolled.cert, key: keyPem });
    const extended = expectStatus(await asRouter.post(`${CLIENT}/enroll/extend/router`, requests(transit.id)), 200)
      .data as RouterCertificates;
    asRouter.close();

    const caller = await newCertifiedCaller(controller);
    const path = `${CLIENT}/current-identity/authenticators/${caller.authenticatorId}/extend`;
    const { clientCert } = expectStatus(await caller.certified.post(path, { clientCertCsr: csr(WORST) }), 200).data as {
      clientCert: string;
    };
    const { certificate } = entityOf(
      expectStatus(await caller.certified.post(`${CLIENT}/current-api-session/certificates`, { csr: csr(WORST) }), 201),
    );
    caller.certified.close();
    const identityId = await makeIdentity(controller, {
      enrollment: { ott: true },
    });
    const { enrollment } = await read<{
      enrollment: { ott: { token: string } };
    }>(controller, `identities/${identityId}`);
    const ott = expectStatus(
      await controller.anonymous.post(`${CLIENT}/enroll/ott`, { token: enrollment.ott.token, clientCsr: csr(WORST) }),
      200,
    ).data as { cert: string };
    return {
      servers: [
        { what: 'a transit router', chainPem: enrolled.serverCert },
        { what: 'an extended router', chainPem: extended.serverCert },
      ],
      clients: [
        { what: 'the client certificate of a router', chainPem: enrolled.cert },
        { what: 'the extended client certificate of a router', chainPem: extended.cert },
        { what: 'the certificate of an identity', chainPem: ott.cert },
        { what: 'the extended certificate of an identity', chainPem: clientCert },
        { what: 'the certificate of an API session', chainPem: String(certificate) },
      ],
    };
  };

  /** What each client says of each certificate under each name. */
  const judge = async (key: string, shown: readonly Shown[], names: readonly string[]) => {
    const verdicts = await Promise.all(
      clients.map(async (client) =>
        (await client.judge({ rootsPem, keyPem: key }, shown, names)).map((verdict) => ({
          client: client.name,
          ...verdict,
        })),
      ),
    );
    expect(verdicts.flat()).to.have.length(clients.length * shown.length * names.length);
    return verdicts.flat();
  };

  it(`give no certificate that ${clientNames} would take for the controller`, async () => {
    const servers: Shown[] = [];
    for (const spelling of SPELLINGS) {
      const shown = await routerServer(spelling);
      if (shown !== undefined) servers.push(shown);
    }
    expect(servers.length, 'requests that were granted').to.be.above(SPELLINGS.length / 2);
    const more = await others();
    const all = [...servers, ...more.servers, ...more.clients];
    const verdicts = await judge(keyPem, all, [...SOUGHT, HONEST]);

    const taken = verdicts.filter(({ name, reason }) => name !== HONEST && reason === '');
    expect(taken.map(({ client, shown, name }) => `${client} takes ${shown.what} for ${name}`)).to.deep.equal([]);
    // They were refused for the name alone: under its own, each router is known, and no client certificate is a
    // server's.
    const honest = verdicts
      .filter(({ name, reason }) => name === HONEST && reason === '')
      .map(({ client, shown }) => `${client}: ${shown.what}`);
    expect(honest).to.have.members(
      clients.flatMap((client) => [...servers, ...more.servers].map(({ what }) => `${client.name}: ${what}`)),
    );
  });

  it(`are in the certificate of the controller, where ${clientNames} find each of them`, async () => {
    const { rows } = await controller.database.query(
      "SELECT purpose, sealed_key, cert_pem FROM pki_entities WHERE purpose <> 'root'",
    );
    const of = (purpose: string) =>
      rows.find((row) => row['purpose'] === purpose) as { sealed_key: Buffer; cert_pem: string };
    const ownKey = createKeyRing(parseMasterKey(MASTER_KEY)).open(of('server').sealed_key, 'pki:server:1').toString();
    const own = { what: 'the controller', chainPem: of('server').cert_pem + of('intermediate').cert_pem };
    const verdicts = await judge(ownKey, [own], [...CONTROLLER.dns, ...CONTROLLER.ip, 'elsewhere.example']);
    expect(
      verdicts.filter(({ reason }) => reason === '').map(({ client, name }) => `${client}: ${name}`),
    ).to.have.members(
      clients.flatMap((client) =>
        [...CONTROLLER.dns, ...CONTROLLER.ip]
          .filter((name) => client !== node || nodeFindsIpv6 || !name.includes(':'))
          .map((name) => `${client.name}: ${name}`),
      ),
    );
  });

  it('do not keep a router from its own address, which stands in four bytes however it was written', async () => {
    const { id, token } = await routerOf('edge-routers');
    const serverCsr = csr({ names: { ip: ['::ffff:a00:9', '2001:db8::9', '::ffff:7f00:1'] } });
    const { serverCert } = expectStatus(
      await controller.anonymous.post(`${CLIENT}/enroll/erott`, { token, clientCsr: csr({}, id), serverCsr }),
      200,
    ).data as RouterCertificates;
    const leaf = new X509Certificate(serverCert);
    expect(leaf.subjectAltName).to.match(
      /^IP Address:10\.0\.0\.9, IP Address:127\.0\.0\.1, IP Address:2001:DB8:0:0:0:0:0:9, URI:/,
    );
    expect(leaf.raw.includes(Buffer.from('87040a000009', 'hex'))).to.equal(true);
  });
});
