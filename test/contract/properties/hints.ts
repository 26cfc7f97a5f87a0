/**
 * What members and parameters mean beyond their schemas, by their names: ids of what is there, certificates, roles,
 * filters. Most cases take these, so that they get past the first look; the rest take any value that the schema allows.
 */
import fc from 'fast-check';
import { operations } from '../../../generated/operations.js';
import { REDIRECT, challengeOf } from '../../support/oidc.js';
import type { Pool } from './network.js';
import type { Hints } from './values.js';

type Arbitrary = fc.Arbitrary<unknown>;

const listOf = (...values: readonly string[]): Arbitrary => fc.subarray([...values]);
const word = fc.constantFrom('web', 'sales', 'Büro', 'a-b.c', '名前', 'x y');
const selectors = (...ids: readonly string[]): Arbitrary =>
  fc.oneof(
    fc.constant(['#all']),
    fc.uniqueArray(
      fc.oneof(
        word.map((one) => `#${one}`),
        fc.constantFrom(...ids.map((id) => `@${id}`)),
      ),
      { maxLength: 3 },
    ),
  );
const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length });
const attributes = fc.uniqueArray(word, { maxLength: 3 });
const osTypes = fc.constantFrom('Windows', 'Linux', 'macOS');
/** Of every account that the run makes. */
const PASSWORD = 'correct-horse-battery';
/** For the type of the config that is there, and for one without rules. */
const data = [
  { addresses: ['a.example.org'], portRanges: [{ low: 80, high: 90 }], protocols: ['tcp'] },
  {
    addresses: ['10.0.0.1', '*.b.example.org'],
    portRanges: [{ low: 1, high: 1 }],
    protocols: ['udp', 'tcp'],
    extra: null,
  },
];

/** At an endpoint of OpenID Connect, whose names mean something else elsewhere. */
const atProvider = (operationId: string, { login, accessToken }: Pool): Readonly<Record<string, Arbitrary>> => ({
  id: fc.constant(login),
  authRequestID: fc.constant(login),
  client_id: fc.constantFrom('native', 'openziti'),
  redirect_uri: fc.constant(REDIRECT),
  post_logout_redirect_uri: fc.constant('http://localhost:9/auth/logout'),
  code_challenge: fc.constant(challengeOf('a verifier')),
  scope: fc.constantFrom('openid', 'openid offline_access'),
  prompt: fc.constantFrom('login', ''),
  request: fc.constant(''),
  request_uri: fc.constant(''),
  registration: fc.constant(''),
  token: fc.constant(operationId === 'introspectToken' ? accessToken : 'x.y.z'),
});

/** @param operationId  for the few names that mean something else there */
export function hintsOf(pool: Pool, operationId: string): Hints {
  const isAuthenticator = operationId.includes('Authenticator');
  const table: Readonly<Record<string, Arbitrary | undefined>> = {
    identityId: fc.constant(pool.identity),
    serviceId: fc.constant(pool.service),
    service: fc.constant(pool.service),
    router: fc.constant(pool.router),
    configId: fc.constant(pool.config),
    configTypeId: fc.constant(pool.configType),
    authPolicyId: fc.constantFrom(pool.authPolicy, 'default'),
    enrollAuthPolicyId: fc.constant(pool.authPolicy),
    requireExtJwtSigner: fc.constantFrom(pool.signer, null),
    allowedSigners: listOf(pool.signer),
    caId: fc.constant(pool.ca),
    ottca: fc.constant(pool.ca),
    updb: fc.uuid(),
    controllerId: fc.constant(pool.controller),
    configs: operationId.includes('Router') ? fc.constant([]) : listOf(pool.config),
    configTypes: listOf(pool.configType, 'all'),
    identityRoles: operationId.endsWith('Ca') ? attributes : selectors(pool.identity),
    serviceRoles: selectors(pool.service),
    edgeRouterRoles: selectors(pool.router),
    postureCheckRoles: selectors(pool.postureCheck),
    roleAttributes: attributes,
    serviceHostingCosts: fc.dictionary(fc.constant(pool.service), fc.integer({ min: 0, max: 65_535 })),
    serviceHostingPrecedences: fc.dictionary(
      fc.constant(pool.service),
      fc.constantFrom('default', 'required', 'failed'),
    ),
    certPem: operationId.includes('Signer')
      ? fc.constant(null)
      : fc.constant(pool.pem[isAuthenticator ? 'leaf' : 'authority']),
    clientCsr: fc.constant(pool.pem.request),
    serverCsr: fc.constant(pool.pem.request),
    certCsr: fc.constant(pool.pem.request),
    serverCertCsr: fc.constant(pool.pem.request),
    clientCertCsr: fc.constant(pool.pem.request),
    csr: fc.constant(pool.pem.request),
    jwksEndpoint: fc.constant('https://keys.example.com/'),
    url: fc.constantFrom('https://hooks.example.com/edge', 'HTTPS://hooks.example.com'),
    issuer: fc.uuid().map((id) => `https://${id}.example.com/`),
    kid: word,
    username: fc.uuid(),
    externalId: fc.uuid(),
    password: operationId.includes('CurrentIdentity')
      ? fc.constant(PASSWORD)
      : fc.constantFrom(PASSWORD, 'Größe-Straße-Öl', 'a b c d e f'),
    currentPassword: fc.constant(PASSWORD),
    data: fc.constantFrom(...data),
    externalAuthUrl: fc.constantFrom('https://idp.example.com/authorize', null),
    redirectUris: listOf('https://app.example.com/back', 'zt://done'),
    postLogoutUris: listOf('https://app.example.com/out'),
    osType: osTypes,
    os: osTypes,
    typeId: /^(update|patch)PostureCheck$/.test(operationId) ? fc.constant('DOMAIN') : undefined,
    type: operationId.includes('ServicePolicy') ? fc.constantFrom('Dial', 'Bind') : undefined,
    permissions: listOf('service.read', 'admin_readonly'),
    schema: fc.constantFrom({}, { type: 'object' }, { properties: { a: { type: 'integer', minimum: 1 } } }),
    expiresAt: fc.integer({ min: 1, max: 5000 }).map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString()),
    macAddresses: fc.array(hex(12), { minLength: 1, maxLength: 3 }),
    domains: fc.array(fc.constantFrom('example.com', 'corp.example.org'), { minLength: 1, maxLength: 3 }),
    hashes: fc.uniqueArray(hex(128), { maxLength: 2 }),
    signerFingerprint: hex(40),
    signerFingerprints: fc.array(hex(40), { maxLength: 2 }),
    versions: fc.subarray(['>=10.0.0', '11.x', '<12 || >13.1']),
    duration: fc.constantFrom('1h', '30m', '5s'),
    traceId: fc.constantFrom('t1', 'trace-2'),
    matcher: fc.constantFrom('ALL', 'PREFIX', 'SUFFIX', 'SCHEME'),
    ...(operationId === 'createRevocation' ? { id: fc.uuid() } : {}),
    'header If-Match': fc.constant('*'),
    'query limit': fc.constantFrom(1, 10, 500, 0, -1),
    'query offset': fc.constantFrom(0, 1, 7),
    'query roleFilter': fc.oneof(
      word.map((one) => `#${one}`),
      fc.constant('#all'),
    ),
    kinds: listOf('*', 'identity.created', '*.deleted'),
    'query kinds': fc.constantFrom('identity.*,*.deleted', '*', ''),
    'query lastEventId': fc.constantFrom('first', ''),
    'header Last-Event-ID': fc.constantFrom('first', ''),
    'query configTypes': fc.constantFrom(pool.configType, 'all'),
    'query asIdentity': fc.constant(pool.identity),
    'header Authorization': fc.constant('Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln'),
    'path serviceId': fc.constant(pool.service),
  };
  if (!Object.hasOwn(operations.oidc, operationId)) return (name) => table[name];
  const provider = atProvider(operationId, pool);
  return (name) => provider[name.replace(/^query /, '')] ?? table[name];
}
