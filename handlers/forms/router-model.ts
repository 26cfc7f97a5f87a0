/** The wire forms of routers, and what their requests say. */
import { isAbove, mayEnroll } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { capabilitiesForClients, capabilitiesIn } from '../../domain/router.js';
import type { Router, RouterDraft, RouterInterface } from '../../domain/router.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';
import type { RouterEnrollment } from '../../db/stores/routers.js';
import type * as Client from '../../generated/client/response.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import type { Context } from '../context.js';
import { elementOfRow, nameFor } from '../element-cache.js';
import {
  baseFields,
  given,
  givenName,
  givenTags,
  isoTime,
  linksOf,
  requireName,
  tagsFrom,
  withDigits,
} from '../fields.js';

/** Members of an edge router that any caller may know. Its addresses are shown only while it is connected. */
export function toCommonEdgeRouter(router: Router): Client.CommonEdgeRouterProperties {
  const { presence } = router;
  return {
    appData: router.appData,
    capabilities: router.capabilitiesMask === null ? null : capabilitiesForClients(router.capabilitiesMask),
    cost: router.cost,
    disabled: router.disabled,
    hostname: presence?.hostname ?? '',
    isOnline: presence !== null,
    name: router.name,
    noTraversal: router.noTraversal,
    supportedProtocols: { ...presence?.protocols },
    syncStatus: presence?.syncStatus ?? 'SYNC_UNKNOWN',
  };
}

/** The version of its program, once it has connected. */
export const versionTold = ({ version }: Pick<Router, 'version'>) => (version === null ? {} : { version });

/** An edge router as the identities that may use it read it. */
export function toOwnEdgeRouter(router: Router): Client.CurrentIdentityEdgeRouterDetail {
  return {
    ...toCommonEdgeRouter(router),
    ...versionTold(router),
    ...baseFields(router, linksOf('edge-routers', router.id)),
  };
}

/**
 * Members of an outstanding enrollment: the token and the JWT only for those who may make one. Where the router's own
 * identity is above them, they may not: whoever enrolls the router acts as that.
 */
function enrollmentOf({ enrollment }: Router, caller: Rights) {
  if (enrollment === null) return {};
  const isShown = mayEnroll(caller, 'router') && (enrollment.owner === null || !isAbove(enrollment.owner, caller));
  return {
    enrollmentCreatedAt: isoTime(enrollment.createdAt),
    enrollmentExpiresAt: isoTime(enrollment.expiresAt),
    ...(isShown ? { enrollmentJwt: enrollment.jwt, enrollmentToken: enrollment.token } : {}),
  };
}

function capabilitiesOf({ capabilitiesMask: mask }: Router) {
  if (mask === null) return { capabilities: null };
  return { capabilities: capabilitiesIn(mask), ...(mask === '0' ? {} : { capabilitiesMask: Number(mask) }) };
}

const versionOf = ({ presence }: Router) => (presence === null ? {} : { versionInfo: presence.versionInfo });

export const toInterface = ({ addresses, ...interfaceOf }: RouterInterface) => ({
  ...interfaceOf,
  addresses: [...addresses],
});

/** Form for `caller`. */
export function toEdgeRouterDetail(router: Router, caller: Rights): Response.EdgeRouterDetail {
  const detail = {
    certPem: router.certPem,
    configs: router.configs,
    ctrlChanListeners: router.ctrlChanListeners,
    fingerprint: router.fingerprint,
    interfaces: router.interfaces.map(toInterface),
    isTunnelerEnabled: router.isTunnelerEnabled,
    isVerified: router.fingerprint !== null,
    namesLeftOut: router.namesLeftOut,
    roleAttributes: router.roleAttributes,
    unverifiedCertPem: router.unverifiedCertPem,
    unverifiedFingerprint: router.unverifiedFingerprint,
    ...versionOf(router),
    ...enrollmentOf(router, caller),
    ...toCommonEdgeRouter(router),
    ...capabilitiesOf(router),
    ...baseFields(router, linksOf('edge-routers', router.id)),
  };
  return withDigits<Response.EdgeRouterDetail>(detail, 'capabilitiesMask', router.capabilitiesMask ?? '0');
}

/** Form for `caller`. */
export function toRouterDetail(router: Router, caller: Rights): Response.RouterDetail {
  return {
    configs: router.configs,
    cost: router.cost,
    ctrlChanListeners: router.ctrlChanListeners,
    disabled: router.disabled,
    fingerprint: router.fingerprint,
    interfaces: router.interfaces.map(toInterface),
    isOnline: router.presence !== null,
    isVerified: router.fingerprint !== null,
    name: router.name,
    namesLeftOut: router.namesLeftOut,
    noTraversal: router.noTraversal,
    unverifiedCertPem: router.unverifiedCertPem,
    unverifiedFingerprint: router.unverifiedFingerprint,
    ...enrollmentOf(router, caller),
    ...baseFields(router, linksOf('transit-routers', router.id)),
  };
}

/** An edge router of a list as `caller` may read it. */
export const edgeRouterFor = (caller: Rights) =>
  elementOfRow(nameFor('edge router', caller), (router: Router) => toEdgeRouterDetail(router, caller));

/** A router of a list of all as `caller` may read it. */
export const routerFor = (caller: Rights) =>
  elementOfRow(nameFor('router', caller), (router: Router) => toRouterDetail(router, caller));

export const OWN_EDGE_ROUTER = elementOfRow('edge router of an identity', toOwnEdgeRouter);

type Whole = Request.RouterCreate & Pick<Request.EdgeRouterCreate, 'appData' | 'isTunnelerEnabled' | 'roleAttributes'>;
type Part = Request.RouterPatch & Pick<Request.EdgeRouterPatch, 'appData' | 'isTunnelerEnabled' | 'roleAttributes'>;

/** Stock clients send null for a listener without groups. */
const listenersFrom = (given: Readonly<Record<string, string[] | null>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(given).map(([address, groups]) => [address, groups ?? []]));

/** Reads a POST or PUT: members that the body leaves out get their default. */
export function routerFromWhole(isEdge: boolean, body: Whole): RouterDraft {
  return {
    name: requireName(body.name),
    isEdge,
    cost: body.cost ?? 0,
    noTraversal: body.noTraversal ?? false,
    disabled: body.disabled ?? false,
    isTunnelerEnabled: isEdge && (body.isTunnelerEnabled ?? false),
    roleAttributes: isEdge ? parseRoleAttributes(body.roleAttributes ?? []) : [],
    appData: isEdge ? tagsFrom(body.appData) : {},
    ctrlChanListeners: listenersFrom(body.ctrlChanListeners ?? {}),
    configs: body.configs ?? [],
    tags: tagsFrom(body.tags),
  };
}

/** Reads a PATCH. */
export function routerFromPart(isEdge: boolean, body: Part) {
  const shared = {
    name: givenName(body.name),
    cost: given(body.cost),
    noTraversal: given(body.noTraversal),
    disabled: given(body.disabled),
    ctrlChanListeners: body.ctrlChanListeners == null ? undefined : listenersFrom(body.ctrlChanListeners),
    configs: given(body.configs),
    tags: givenTags(body.tags),
  };
  if (!isEdge) return shared;
  return {
    isTunnelerEnabled: given(body.isTunnelerEnabled),
    appData: givenTags(body.appData),
    roleAttributes: body.roleAttributes == null ? undefined : parseRoleAttributes(body.roleAttributes),
    ...shared,
  };
}

/** A token by which the router gets its certificate. */
export async function routerEnrollment(
  routerId: string,
  isEdge: boolean,
  { enrollments, newId }: Context,
): Promise<RouterEnrollment> {
  const expiresAt = enrollments.defaultExpiry();
  return { id: newId(), expiresAt, ...(await enrollments.issue(routerId, isEdge ? 'erott' : 'trott', expiresAt)) };
}
