/**
 * Builds a small network with the TypeScript SDKs and uses it as a client.
 * EDGE_URL, EDGE_USERNAME, EDGE_PASSWORD: the controller and an administrator of it.
 * EDGE_CA_SHA256: fingerprint of the network's root; without it the first answer is trusted.
 */
import { webcrypto, X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import * as edge from 'edge-client';
import * as fabric from 'edge-fabric';
import * as management from 'edge-management';

const { EDGE_URL = '', EDGE_USERNAME = '', EDGE_PASSWORD = '', EDGE_CA_SHA256 } = process.env;
const mark = `typescript-${Date.now().toString(36)}`; // in the names of all that is made here

/** `fetch` over connections of ours, which know the network's authorities and may show a certificate. */
const through =
  (agent: Agent): typeof fetch =>
  (url, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        url as string,
        { agent, method, headers: headers as Record<string, string> },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          answer.on('end', () => {
            const known = { 'content-type': answer.headers['content-type'] ?? '' };
            resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 0, headers: known }));
          });
        },
      );
      outgoing.on('error', reject).end(body ?? undefined);
    });
const over = (agent: Agent, path: string) => ({ fetchApi: through(agent), basePath: EDGE_URL + path });
const clientAt = (agent: Agent, apiKey = '') => new edge.Configuration({ ...over(agent, '/edge/client/v1'), apiKey });
const managementAt = (agent: Agent, apiKey = '') =>
  new management.Configuration({ ...over(agent, '/edge/management/v1'), apiKey });
const fabricAt = (agent: Agent, apiKey: string) => new fabric.Configuration({ ...over(agent, '/fabric/v1'), apiKey });

// 1. Trust. This one request is not verified: what it brings must have the fingerprint that you were told otherwise.
const stranger = clientAt(new Agent({ rejectUnauthorized: false }));
const bundle = await (await new edge.WellKnownApi(stranger).listWellKnownCas()).text();
const bag = [...new x509.X509Certificates(Buffer.from(bundle, 'base64'))];
const authorities = bag.map(({ rawData }) => new X509Certificate(Buffer.from(rawData)));
const found = authorities.map(({ fingerprint256 }) => fingerprint256.replaceAll(':', '').toLowerCase());
if (EDGE_CA_SHA256 !== undefined && !found.includes(EDGE_CA_SHA256))
  throw new Error(`this is not the network that was expected: ${found.join(', ')}`);
const ca = authorities.map(String);
console.log('trusted the root of the network');

// 2. Log in. The token goes with all further requests.
const trusting = new Agent({ ca, keepAlive: true });
const login = { method: 'password' as const, auth: { username: EDGE_USERNAME, password: EDGE_PASSWORD } };
const session = await new management.AuthenticationApi(managementAt(trusting)).authenticate(login);
const admin = managementAt(trusting, session.data.token);
console.log('logged in as an administrator');

// 3. A service with a config, an identity, a posture check, and the policies that connect them.
const configs = new management.ConfigApi(admin);
const [kind] = (await configs.listConfigTypes({ filter: 'name = "intercept.v1"' })).data;
const data = { protocols: ['tcp'], addresses: ['wiki.internal'], portRanges: [{ low: 80, high: 80 }] };
const newConfig = { name: mark, configTypeId: kind?.id ?? '', data };
const config = (await configs.createConfig({ config: newConfig })).data.id;
const services = new management.ServiceApi(admin);
const newService = { name: mark, encryptionRequired: true, configs: [config] };
const service = (await services.createService({ service: newService })).data.id;
const identities = new management.IdentityApi(admin);
const newIdentity: management.IdentityCreate = {
  name: mark,
  type: 'Device',
  isAdmin: false,
  enrollment: { ott: true },
};
const identity = (await identities.createIdentity({ identity: newIdentity })).data.id;
const checks = new management.PostureChecksApi(admin);
type MacCheck = management.PostureCheckMacAddressCreate;
const newCheck: MacCheck = { name: mark, typeId: 'MAC', macAddresses: ['02:fc:00:aa:12:34'] };
const check = (await checks.createPostureCheck({ postureCheck: newCheck })).data.id;
const routers = new management.EdgeRouterApi(admin);
const router = (await routers.createEdgeRouter({ edgeRouter: { name: mark } })).data.id;
const policies = new management.ServicePolicyApi(admin);
const [identityRoles, serviceRoles, edgeRouterRoles] = [[`@${identity}`], [`@${service}`], [`@${router}`]];
const common = { name: mark, semantic: 'AnyOf' as const };
const dials = { ...common, type: 'Dial' as const, identityRoles, serviceRoles, postureCheckRoles: [`@${check}`] };
const policy = (await policies.createServicePolicy({ policy: dials })).data.id;
const routerPolicies = new management.EdgeRouterPolicyApi(admin);
const uses = { ...common, identityRoles, edgeRouterRoles };
const routerPolicy = (await routerPolicies.createEdgeRouterPolicy({ policy: uses })).data.id;
const serviceRouterPolicies = new management.ServiceEdgeRouterPolicyApi(admin);
const carries = { ...common, serviceRoles, edgeRouterRoles };
const serviceRouterPolicy = (await serviceRouterPolicies.createServiceEdgeRouterPolicy({ policy: carries })).data.id;
console.log('made a network');

// 4. Read and list. A posture check comes back as the kind that it is.
const read = (await checks.detailPostureCheck({ id: check })).data as management.PostureCheckMacAddressDetail;
console.log('the posture check wants', read.macAddresses[0]);
const listed = (await checks.listPostureChecks({ filter: `name = "${mark}"` })).data;
console.log('found by a filter:', listed.length, listed[0]?.typeId);
// The same session opens the fabric API, which says what carries the traffic.
const carriers = (
  await new fabric.RouterApi(fabricAt(trusting, session.data.token)).listRouters({ filter: `name = "${mark}"` })
).data;
console.log('routers of the fabric:', carriers.length);

// 5. A refusal has a code for programs and, where one is to blame, the field.
await services.createService({ service: newService }).catch(async (refusal: management.ResponseError) => {
  const { error } = management.ApiErrorEnvelopeFromJSON(await refusal.response.json());
  console.log('refused a second one:', refusal.response.status, error.code, error.cause?.field);
});

// 6. Enroll: the client makes a key, and the one-time token gets a certificate for it.
const token = (await identities.getIdentityEnrollments({ id: identity })).data[0]?.token ?? '';
x509.cryptoProvider.set(webcrypto as Crypto);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
const csr = await x509.Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: algorithm });
const enroll = { token, clientCsr: csr.toString('pem') };
const enrolled = await new edge.EnrollApi(clientAt(trusting)).enrollOtt({ enroll });
console.log('enrolled');

// 7. Log in by the certificate, which the TLS connection shows.
const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
const showing = new Agent({ ca, cert: enrolled.data.cert, key, keepAlive: true });
const own = await new edge.AuthenticationApi(clientAt(showing)).authenticate({ method: 'cert', auth: {} });
const client = clientAt(showing, own.data.token);
console.log('logged in as a client');

// 8. Services and a session. The posture check wants a report first.
const mine = (await new edge.ServiceApi(client).listServices({ limit: 100 })).data;
console.log('services of the client:', mine.length, mine[0]?.permissions[0]);
const sessions = new edge.SessionApi(client);
const dial = { session: { serviceId: service, type: 'Dial' as const } };
await sessions.createSession(dial).catch(async (refusal: edge.ResponseError) => {
  const { error } = edge.ApiErrorEnvelopeFromJSON(await refusal.response.json());
  console.log('refused without a report:', refusal.response.status, error.code);
});
const report: edge.PostureResponseMacAddressCreate = { typeId: 'MAC', id: check, macAddresses: ['02-FC-00-AA-12-34'] };
await new edge.PostureChecksApi(client).createPostureResponse({ postureResponse: report });
console.log('a session to', (await sessions.createSession(dial)).data.type);

// 9. Clean up.
await new edge.CurrentAPISessionApi(client).deleteCurrentApiSession();
await policies.deleteServicePolicy({ id: policy });
await routerPolicies.deleteEdgeRouterPolicy({ id: routerPolicy });
await serviceRouterPolicies.deleteServiceEdgeRouterPolicy({ id: serviceRouterPolicy });
await routers.deleteEdgeRouter({ id: router });
await checks.deletePostureCheck({ id: check });
await identities.deleteIdentity({ id: identity });
await services.deleteService({ id: service });
await configs.deleteConfig({ id: config });
[trusting, showing].forEach((agent) => agent.destroy());
console.log('cleaned up');
