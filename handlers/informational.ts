/** Public information: version, capabilities, API descriptions, trusted CAs, how to enroll. */
import { notFound, raise } from '../domain/errors.js';
import { PROVIDER_PATH } from '../domain/oidc/issuers.js';
import { ROUTER_CAPABILITIES } from '../domain/router.js';
import type { Controller } from '../domain/model.js';
import type { ListRequest } from '../db/query/lists.js';
import type { Api } from '../generated/operation.js';
import { basePaths } from '../generated/routes.js';
import type * as Response from '../generated/client/response.js';
import { listOf, ok, raw } from './handler.js';
import type { Handler } from './handler.js';
import type { Documents, Context } from './context.js';
import { baseFields, isoTime, linksOf } from './fields.js';

type Offer = Pick<Context, 'loginProvider'>;

/** Capabilities that this controller offers. Clients fall back to `authenticate` where one is missing. */
const capabilitiesOf = ({ loginProvider }: Offer): Response.Capabilities[] => [
  'EDGE_CONTROLLER',
  ...(loginProvider === null ? [] : (['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'] as const)),
];

function toVersion(context: Pick<Context, 'version' | 'network' | 'loginProvider'>): Response.Version {
  const { version, network, loginProvider } = context;
  const api = (path: string) => ({ v1: { apiBaseUrls: [`https://${network.advertise}${path}`], path } });
  return {
    apiVersions: {
      edge: api(basePaths.client),
      'edge-client': api(basePaths.client),
      'edge-management': api(basePaths.management),
      fabric: api(basePaths.fabric),
      ...(loginProvider === null ? {} : { 'edge-oidc': api(PROVIDER_PATH) }),
    },
    buildDate: version.buildDate,
    capabilities: capabilitiesOf(context),
    revision: version.revision,
    runtimeVersion: version.runtimeVersion,
    version: version.version,
  };
}

/** GET / */
export const listRoot: Handler<'client', 'listRoot'> = async (_input, context) =>
  context.responseCache.constant('version', () => ok(toVersion(context)));

/** GET /version */
export const listVersion: Handler<'client', 'listVersion'> = async (_input, context) =>
  context.responseCache.constant('version', () => ok(toVersion(context)));

/** GET /enumerated-capabilities */
export const listEnumeratedCapabilities: Handler<'client', 'listEnumeratedCapabilities'> = async (_input, context) =>
  context.responseCache.constant('capabilities', () => ok(capabilitiesOf(context)));

/** GET /enumerated-router-capabilities */
export const listEnumeratedRouterCapabilities: Handler<'client', 'listEnumeratedRouterCapabilities'> = async (
  _input,
  { responseCache },
) => responseCache.constant('router capabilities', () => ok([...ROUTER_CAPABILITIES]));

/** GET /.well-known/est/cacerts: the trusted CAs as PKCS#7, before any trust exists. */
export const listWellKnownCas: Handler<'client', 'listWellKnownCas'> = async (_input, { pki }) =>
  raw('application/pkcs7-mime', pki.caBundlePkcs7(), { 'content-transfer-encoding': 'base64' });

/** GET /network-jwts: what a client scans to learn where this network is. */
export const listNetworkJWTs: Handler<'client', 'listNetworkJWTs'> = async (_input, { enrollments }) =>
  ok([{ name: 'default', token: await enrollments.networkJwt() }]);

/** GET /controllers: the controllers that share this network's database. Each API has its own permission for it. */
export const listControllers = async (
  { query }: { readonly query: ListRequest },
  { stores }: Pick<Context, 'stores'>,
) => listOf(await stores.controllers.list(query), toControllerDetail);

export function toControllerDetail(item: Controller): Response.ControllerDetail {
  return {
    apiAddresses: item.apiAddresses,
    certPem: item.certPem,
    ctrlAddress: item.ctrlAddress,
    fingerprint: item.fingerprint,
    isOnline: item.isOnline,
    lastJoinedAt: isoTime(item.lastJoinedAt),
    name: item.name,
    ...baseFields(item, linksOf('controllers', item.id)),
  };
}

const SPEC_IDS: Readonly<Record<Api, string>> = {
  client: 'edge-client',
  fabric: 'fabric',
  management: 'edge-management',
  oidc: 'edge-oidc',
};

function toSpec(id: string, { publishedAt }: Documents): Response.SpecDetail {
  return {
    name: id,
    ...baseFields({ id, createdAt: publishedAt, updatedAt: publishedAt, tags: {} }, linksOf('specs', id)),
  };
}

function apiOf(id: string): Api {
  const apis = Object.keys(SPEC_IDS) as Api[];
  return apis.find((api) => SPEC_IDS[api] === id) ?? raise(notFound('spec', id));
}

/** GET /specs of the client API. */
export const listClientSpecs: Handler<'client', 'listSpecs'> = async (_input, { documents }) =>
  ok([toSpec(SPEC_IDS.client, documents)]);

/** GET /specs of the management API. */
export const listManagementSpecs: Handler<'management', 'listSpecs'> = async (_input, { documents, loginProvider }) => {
  const shown = Object.values(SPEC_IDS).filter((id) => id !== SPEC_IDS.oidc || loginProvider !== null);
  return ok(shown.map((id) => toSpec(id, documents)));
};

/** GET /specs/{id}. Fails: `notFound`. */
export const detailSpec: Handler<'client', 'detailSpec'> = async ({ params }, { documents }) =>
  ok(toSpec(SPEC_IDS[apiOf(params.id)], documents));

/** GET /specs/{id}/spec: the document itself, YAML unless JSON is preferred. */
export const detailSpecBody: Handler<'client', 'detailSpecBody'> = async ({ params, connection }, { documents }) => {
  const type = connection.prefers('text/yaml', 'application/yaml', 'application/json');
  const api = apiOf(params.id);
  if (type === 'application/json') return raw(type, documents.bytes(api, 'json'));
  return raw(`${type}; charset=utf-8`, documents.bytes(api, 'yaml'));
};
