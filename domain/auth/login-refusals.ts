/** Why a login was refused: a code word for the audit record, and a sentence for the log. The caller learns neither. */
export const LOGIN_REFUSALS = {
  unknownUsername: 'no authenticator has this username',
  wrongPassword: 'wrong password',
  lockedOut: 'wrong password, one too many: the identity is now disabled',
  identityDisabled: 'the identity is disabled',
  passwordsNotAllowed: 'the auth policy allows no passwords',
  certificatesNotAllowed: 'the auth policy allows no certificates',
  certificateExpired: 'the certificate has expired',
  certificateUnknown: 'no identity has the external id in the certificate',
  signerNotAllowed: 'the auth policy does not allow this signer',
  tokenMissing: 'there is no bearer token',
  tokenUnknown: 'the claim names no identity',
  tokenRevoked: 'the token is revoked',
  signerUnknown: 'no enabled external JWT signer has this issuer',
  changedMeanwhile: 'what was shown, the identity or its auth policy changed during the login',
} as const;

export type LoginRefusal = keyof typeof LOGIN_REFUSALS;

/** Those as well that have many sentences, each said where it is found. */
export type RefusalCode = LoginRefusal | 'certificateRefused' | 'tokenRefused' | 'tokenExpired';
