/** Operations that a property run handles with care. Each line says why. */

export interface Care {
  readonly operation: RegExp;
  /** Most valid cases; all as the budget has it when absent. */
  readonly most?: number;
  /** Sends no case at all. */
  readonly isLeftOut?: true;
  /** Each case has a session of its own. */
  readonly endsSession?: true;
  /** 429 is an answer like any other. */
  readonly isLimited?: true;
  readonly reason: string;
}

export const cares: readonly Care[] = [
  {
    operation: /^createCurrentApiSessionCertificate$/,
    most: 12,
    reason: 'an API session has at most 20 certificates',
  },
  {
    operation: /^enrollmentChallenge$/,
    isLeftOut: true,
    reason: 'not built: it answers 501, as handlers/pending.ts says',
  },
  {
    operation: /^deleteCurrentApiSession$/,
    endsSession: true,
    most: 2,
    reason: 'ends the session that it is called with',
  },
  {
    operation: /^createDatabaseSnapshot(WithPath)?$/,
    most: 1,
    reason: 'each one is a copy of the whole database',
  },
  {
    operation: /^streamEvents$/,
    most: 8,
    reason: 'an identity has at most 10 streams, and one whose reader has gone counts for a moment more',
  },
  { operation: /^(check|fix)DataIntegrity$/, most: 1, reason: 'one at a time over all controllers' },
  {
    operation: /^(authenticateMfa|verifyMfa|deleteMfa|createMfaRecoveryCodes|detailMfaRecoveryCodes)$/,
    isLimited: true,
    reason: 'ten wrong codes block the second factor',
  },
  {
    operation: /^authenticate$|^updateCurrentIdentityAuth|^patchCurrentIdentityAuth/,
    most: 4,
    reason: 'passwords are slow to check',
  },
  {
    operation: /^loginBy(Password|Username)$/,
    most: 4,
    reason: 'passwords are slow to check',
  },
];

/** Operations whose success no case reaches, with the test that does. */
export const unreached: Readonly<Record<string, string>> = {
  authenticate: 'credentials: Dredd',
  authenticateMfa: 'a code: Dredd',
  beginLogin: 'parameters that OAuth wants together: Dredd',
  beginLoginByPost: 'parameters that OAuth wants together: Dredd',
  beginTotp: 'a login under way: Dredd',
  createMfaRecoveryCodes: 'a code: Dredd',
  createTotpToken: 'a login by OpenID Connect: test/api/oidc-information.test.ts',
  detailMfaRecoveryCodes: 'a code: Dredd',
  endLogin: 'a login that is complete: Dredd',
  enroll: 'a token: Dredd',
  enrollCa: 'a certificate in the handshake: test/api/enroll-ca.test.ts',
  enrollErOtt: 'a token: Dredd',
  enrollOtt: 'a token: Dredd',
  enrollOttCa: 'a certificate in the handshake: test/api/enroll-ottca.test.ts',
  enrollToken: 'a token of a signer: Dredd',
  enrollUpdb: 'a token: Dredd',
  extendCurrentIdentityAuthenticator: 'a certificate in the handshake: test/api/certificate-extension.test.ts',
  extendRouterEnrollment: 'a certificate in the handshake: test/api/enroll-router-extension.test.ts',
  extendVerifyCurrentIdentityAuthenticator: 'a certificate in the handshake: test/api/certificate-extension.test.ts',
  'fabric clusterMemberAdd': 'always refused',
  'fabric clusterMemberRemove': 'always refused',
  'fabric clusterTransferLeadership': 'always refused',
  'fabric deleteCircuit': 'routers that are connected: test/api/shown-links.test.ts',
  'fabric deleteLink': 'routers that are connected: test/api/shown-links.test.ts',
  'fabric detailCircuit': 'routers that are connected: test/api/shown-links.test.ts',
  'fabric detailLink': 'routers that are connected: test/api/shown-links.test.ts',
  listNetworkAccessIdentities: 'a service as a parameter of the query: test/api/network-access.test.ts',
  listNetworkAccessServices: 'an identity as a parameter of the query: test/api/network-access.test.ts',
  'fabric patchLink': 'routers that are connected: test/api/shown-links.test.ts',
  issueTokens: 'a code: Dredd',
  loginByCert: 'a certificate in the handshake: test/api/oidc-certificates.test.ts',
  loginByExtJwt: 'a token of a signer: Dredd',
  loginByPassword: 'credentials: Dredd',
  loginByTotp: 'a code: Dredd',
  loginByUsername: 'credentials: Dredd',
  removeTotp: 'a login under way: Dredd',
  verifyCa: 'a proof: Dredd',
  verifyMfa: 'a code: Dredd',
  verifyTotp: 'a code: Dredd',
};

export function careOf(operationId: string): Omit<Care, 'operation' | 'reason'> {
  return Object.assign({}, ...cares.filter(({ operation }) => operation.test(operationId))) as Care;
}
