/**
 * Drafts: the values that a POST or a PUT of the management API would write, made of its body alone. The database is
 * not asked, so references and unique names are not checked.
 */
import { readCaCertificates } from '../../domain/pki/ca-certificate.js';
import { invalidField } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/model.js';
import type { KindName } from '../../domain/network-files/kind-names.js';
import type * as Request from '../../generated/management/request.js';
import { serviceFrom } from '../access/service-views.js';
import type { Context } from '../context.js';
import { requireEnrollable } from '../enrollment/identity-enrollments.js';
import { authPolicyFrom } from '../forms/auth-policy-model.js';
import { caSettingsFrom } from '../forms/ca-model.js';
import { configFrom, configTypeFrom } from '../forms/config-model.js';
import { controllerSettingsFrom, requireController } from '../forms/controller-settings-model.js';
import { signerFrom } from '../forms/external-jwt-signer-model.js';
import { identityFrom } from '../forms/identity-draft.js';
import { postureCheckFrom } from '../forms/posture-check-model.js';
import { routerFromWhole } from '../forms/router-model.js';
import { edgeRouterPolicyFrom, serviceEdgeRouterPolicyFrom } from '../forms/router-policy-model.js';
import { servicePolicyFrom } from '../forms/service-policy-model.js';
import { tagsFrom } from '../fields.js';

type CheckedType = Parameters<Context['checkConfigData']>[0];

/** Checks that need more than the body. */
export interface DraftChecks extends Pick<Context, 'checkConfigSchema' | 'checkConfigData'> {
  readonly typeOf: (configTypeId: string) => CheckedType | undefined;
}

/** @throws DomainError as the operation does for the body alone */
type DraftFrom = (body: JsonObject, checks: DraftChecks) => unknown;

/** The bodies have passed the validators of their operations. */
const from =
  <B>(read: (body: B, checks: DraftChecks) => unknown): DraftFrom =>
  (body, checks) =>
    read(body as B, checks);

async function checkedConfig(body: Request.ConfigCreate, { typeOf, checkConfigData }: DraftChecks) {
  const draft = configFrom(body);
  const type = typeOf(body.configTypeId);
  if (type === undefined) throw invalidField('type', 'invalid config type', body.configTypeId);
  await checkConfigData(type, body.data);
  return draft;
}

async function checkedConfigType(body: Request.ConfigTypeCreate, { checkConfigSchema }: DraftChecks) {
  if (body.schema != null) await checkConfigSchema(body.schema);
  return configTypeFrom(body);
}

const caFrom = (body: Request.CaUpdate) => ({ ...caSettingsFrom(body), tags: tagsFrom(body.tags) });

const WHOLE: Readonly<Record<KindName, DraftFrom>> = {
  configTypes: from(checkedConfigType),
  configs: from(checkedConfig),
  externalJwtSigners: from(signerFrom),
  authPolicies: from(authPolicyFrom),
  postureChecks: from(postureCheckFrom),
  cas: from(caFrom),
  services: from(serviceFrom),
  edgeRouters: from((body: Request.EdgeRouterCreate) => routerFromWhole(true, body)),
  transitRouters: from((body: Request.RouterCreate) => routerFromWhole(false, body)),
  identities: from(identityFrom),
  servicePolicies: from(servicePolicyFrom),
  edgeRouterPolicies: from(edgeRouterPolicyFrom),
  serviceEdgeRouterPolicies: from(serviceEdgeRouterPolicyFrom),
  controllerSettings: from(controllerSettingsFrom),
};

/** Members that only a POST has: a PUT leaves them as they are. */
const NEW: Partial<Record<KindName, DraftFrom>> = {
  controllerSettings: from(({ controllerId }: Request.ControllerSettingCreate) => {
    requireController(controllerId);
  }),
  cas: from((body: Request.CaCreate) => readCaCertificates(body.certPem)),
  identities: from(({ enrollment }: Request.IdentityCreate) => {
    requireEnrollable(enrollment);
  }),
};

/** Reads the body of a PUT. */
export const draftOfUpdate = (kind: KindName, body: JsonObject, checks: DraftChecks): unknown =>
  WHOLE[kind](body, checks);

/** Checks the body of a POST. */
export async function checkCreate(kind: KindName, body: JsonObject, checks: DraftChecks): Promise<void> {
  await WHOLE[kind](body, checks);
  await NEW[kind]?.(body, checks);
}
