/** Every client operation that is built, by operationId. */
import type { HandlerMap } from '../handler.js';
import * as apiSessionCertificates from './api-session-certificates.js';
import * as edgeRouters from './edge-routers.js';
import { enroll } from './enroll.js';
import { enrollCa, enrollOttCa } from './enroll-certificate.js';
import { getEnrollmentJwks } from './enroll-keys.js';
import { enrollOtt } from './enroll-ott.js';
import { enrollErOtt, extendRouterEnrollment } from './enroll-router.js';
import { enrollToken } from './enroll-token.js';
import { enrollUpdb } from './enroll-updb.js';
import * as explanations from './explanations.js';
import * as externalJwtSigners from './external-jwt-signers.js';
import * as protocols from './protocols.js';
import * as postureResponses from './posture-responses.js';
import * as serviceUpdates from './service-updates.js';
import * as services from './services.js';
import * as sessions from './sessions.js';
import { authenticateAt, deleteCurrentApiSession, getCurrentAPISession } from '../login/authentication.js';
import * as certificateExtension from '../enrollment/certificate-extension.js';
import * as currentIdentity from '../login/current-identity.js';
import * as mfa from '../login/mfa.js';
import {
  detailSpec,
  detailSpecBody,
  listClientSpecs,
  listControllers,
  listEnumeratedCapabilities,
  listEnumeratedRouterCapabilities,
  listNetworkJWTs,
  listRoot,
  listVersion,
  listWellKnownCas,
} from '../informational.js';

export const clientHandlers = {
  ...apiSessionCertificates,
  ...certificateExtension,
  ...currentIdentity,
  ...mfa,
  ...edgeRouters,
  ...explanations,
  ...externalJwtSigners,
  ...postureResponses,
  ...protocols,
  ...serviceUpdates,
  ...services,
  ...sessions,
  authenticate: authenticateAt('client'),
  deleteCurrentApiSession,
  detailSpec,
  detailSpecBody,
  enroll,
  enrollCa,
  enrollErOtt,
  enrollOtt,
  enrollOttCa,
  enrollToken,
  enrollUpdb,
  extendRouterEnrollment,
  getCurrentAPISession,
  getEnrollmentJwks,
  listControllers,
  listEnumeratedCapabilities,
  listEnumeratedRouterCapabilities,
  listNetworkJWTs,
  listRoot,
  listSpecs: listClientSpecs,
  listVersion,
  listWellKnownCas,
} satisfies HandlerMap<'client'>;
