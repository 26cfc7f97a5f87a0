// Generated from specs/ by scripts/generate. Do not edit.

import type { NameTable } from '../operation.js';

/** The names that the objects of requests have, each with the entry of its value when that is an object. */
export const names: Readonly<Record<string, NameTable>> = {
  authenticate: { configTypes: null, envInfo: 'envInfo', password: null, sdkInfo: 'sdkInfo', username: null },
  authenticatorPatchWithCurrent: { currentPassword: null, password: null, tags: null, username: null },
  authenticatorUpdateWithCurrent: { currentPassword: null, password: null, tags: null, username: null },
  currentApiSessionCertificateCreate: { csr: null },
  enrollUpdbBody: { password: null, username: null },
  envInfo: { arch: null, domain: null, hostname: null, os: null, osRelease: null, osVersion: null },
  erOttEnrollmentRequest: { clientCsr: null, serverCsr: null, token: null },
  genericEnroll: { certCsr: null, clientCsr: null, name: null, password: null, serverCertCsr: null, username: null },
  identityExtendEnrollmentRequest: { clientCertCsr: null },
  identityExtendValidateEnrollmentRequest: { clientCert: null },
  mfaCode: { code: null },
  nonceChallenge: { keyId: null, nonce: null },
  ottEnrollmentRequest: { clientCsr: null, token: null },
  postureResponseCreate: { build: null, domain: null, hash: null, id: null, isRunning: null, macAddresses: null, path: null, signerFingerprints: null, type: null, typeId: null, unlocked: null, version: null, woken: null },
  routerExtendEnrollmentRequest: { certCsr: null, serverCertCsr: null },
  sdkInfo: { appId: null, appVersion: null, branch: null, revision: null, type: null, version: null },
  servicePatch: { configs: null, encryptionRequired: null, maxIdleTimeMillis: null, name: null, roleAttributes: null, tags: null, terminatorStrategy: null },
  serviceUpdate: { configs: null, encryptionRequired: null, maxIdleTimeMillis: null, name: null, roleAttributes: null, tags: null, terminatorStrategy: null },
  sessionCreate: { serviceId: null, tags: null, type: null },
  tokenEnrollmentRequest: { clientCsr: null },
};
