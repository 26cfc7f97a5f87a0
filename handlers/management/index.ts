/** Every management operation that is built, by operationId. */
import type { HandlerMap } from '../handler.js';
import * as apiSessions from './api-sessions.js';
import * as audit from './audit.js';
import * as authPolicies from './auth-policies.js';
import * as authenticators from './authenticators.js';
import * as cas from './cas.js';
import * as configTypes from './config-types.js';
import * as configs from './configs.js';
import * as controllerSettings from './controller-settings.js';
import * as database from './database.js';
import * as edgeRouterPolicies from './edge-router-policies.js';
import * as edgeRouters from './edge-routers.js';
import * as enrollments from './enrollments.js';
import * as events from './events.js';
import * as explanations from './explanations.js';
import * as externalJwtSigners from './external-jwt-signers.js';
import * as identities from './identities.js';
import * as identityPosture from './identity-posture.js';
import * as identityServiceConfigs from './identity-service-configs.js';
import * as identityTraces from './identity-traces.js';
import * as identityTypes from './identity-types.js';
import * as networkAccess from './network/access.js';
import * as networkOverview from './network/overview.js';
import * as networkUnused from './network/unused.js';
import * as policyAdvice from './policy-advice.js';
import * as postureChecks from './posture-checks.js';
import * as revocations from './revocations.js';
import * as roleAttributes from './role-attributes.js';
import * as routers from './routers.js';
import * as serviceEdgeRouterPolicies from './service-edge-router-policies.js';
import * as servicePolicies from './service-policies.js';
import * as services from './services.js';
import * as sessions from './sessions.js';
import * as terminators from './terminators.js';
import * as summary from './summary.js';
import * as webhooks from './webhooks.js';
import { authenticateAt, deleteCurrentApiSession, getCurrentAPISession } from '../login/authentication.js';
import * as certificateExtension from '../enrollment/certificate-extension.js';
import * as currentIdentity from '../login/current-identity.js';
import * as mfa from '../login/mfa.js';
import {
  detailSpec,
  detailSpecBody,
  listControllers,
  listEnumeratedCapabilities,
  listEnumeratedRouterCapabilities,
  listManagementSpecs,
  listNetworkJWTs,
  listRoot,
  listVersion,
  listWellKnownCas,
} from '../informational.js';

export const managementHandlers = {
  ...apiSessions,
  ...audit,
  ...authPolicies,
  ...authenticators,
  ...cas,
  ...configTypes,
  ...configs,
  ...controllerSettings,
  ...database,
  ...certificateExtension,
  ...currentIdentity,
  ...mfa,
  ...enrollments,
  ...events,
  ...edgeRouterPolicies,
  ...edgeRouters,
  ...explanations,
  ...externalJwtSigners,
  ...identities,
  ...identityPosture,
  ...identityServiceConfigs,
  ...identityTraces,
  ...identityTypes,
  ...networkAccess,
  ...networkOverview,
  ...networkUnused,
  ...policyAdvice,
  ...postureChecks,
  ...revocations,
  ...roleAttributes,
  ...routers,
  ...serviceEdgeRouterPolicies,
  ...servicePolicies,
  ...services,
  ...webhooks,
  ...summary,
  ...sessions,
  ...terminators,
  authenticate: authenticateAt('management'),
  deleteCurrentApiSession,
  detailSpec,
  detailSpecBody,
  getCurrentAPISession,
  listControllers,
  listEnumeratedCapabilities,
  listEnumeratedRouterCapabilities,
  listNetworkJWTs,
  listRoot,
  listSpecs: listManagementSpecs,
  listVersion,
  listWellKnownCas,
} satisfies HandlerMap<'management'>;
