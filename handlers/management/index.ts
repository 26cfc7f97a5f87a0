/** Every management operation that is built, by operationId. */
import type { HandlerMap } from '../handler.js';
import * as apiSessions from './api-sessions.js';
import * as authenticators from './authenticators.js';
import * as configTypes from './config-types.js';
import * as configs from './configs.js';
import * as enrollments from './enrollments.js';
import * as identities from './identities.js';
import * as identityTypes from './identity-types.js';
import * as servicePolicies from './service-policies.js';
import * as services from './services.js';
import { authenticate, deleteCurrentApiSession, getCurrentAPISession } from '../shared/authentication.js';
import * as currentIdentity from '../shared/current-identity.js';
import { detailSpec, detailSpecBody, listControllers, listEnumeratedCapabilities, listManagementSpecs, listNetworkJWTs, listRoot,
  listVersion, listWellKnownCas } from '../shared/informational.js';

export const managementHandlers = {
  ...apiSessions, ...authenticators, ...configTypes, ...configs, ...currentIdentity, ...enrollments,
  ...identities, ...identityTypes, ...servicePolicies, ...services,
  authenticate, deleteCurrentApiSession, detailSpec, detailSpecBody, getCurrentAPISession, listControllers,
  listEnumeratedCapabilities, listNetworkJWTs, listRoot, listSpecs: listManagementSpecs, listVersion, listWellKnownCas,
} satisfies HandlerMap<'management'>;
