/** External JWT signers: what an administrator sets on one, and the certificate that it may have. */
import { badReference, DomainError, invalidField } from '../errors.js';
import type { BaseEntity } from '../model.js';
import { commonNamesOf, readSigningCertificate } from '../pki/ca-certificate.js';
import { certFingerprint } from '../pki/keys.js';

export type TargetToken = 'ACCESS' | 'ID';

export interface SignerSettings {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  /** `kid` in the header of the tokens if the key is that of a certificate; null: any. */
  readonly kid: string | null;
  readonly isEnabled: boolean;
  /** The claim holds the identity's `externalId`, else its id. */
  readonly useExternalId: boolean;
  /** Claim that names the identity: a JSON pointer, or the bare name of a top-level claim. Kept as it was given. */
  readonly claimsProperty: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly externalAuthUrl: string | null;
  readonly targetToken: TargetToken;
  readonly enrollToCertEnabled: boolean;
  readonly enrollToTokenEnabled: boolean;
  readonly enrollAuthPolicyId: string;
  readonly enrollNameClaimsSelector: string;
  readonly enrollAttributeClaimsSelector: string;
}

export interface SignerCertificate {
  readonly certPem: string;
  /** SHA-1 of the DER in lower-case hex. */
  readonly fingerprint: string;
  readonly commonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Source of the keys of the signer's tokens: one certificate, or a JWKS. */
export type KeySource =
  | { readonly certificate: SignerCertificate; readonly jwksEndpoint: null }
  | { readonly certificate: null; readonly jwksEndpoint: string };

export interface ExternalJwtSigner extends BaseEntity, SignerSettings {
  readonly keySource: KeySource;
}

/** Members by which a token is matched to its signer. */
export interface TokenSigner extends Pick<SignerSettings, 'issuer' | 'audience' | 'kid' | 'claimsProperty'> {
  readonly id: string;
  readonly keySource: {
    readonly certificate: Pick<SignerCertificate, 'certPem'> | null;
    readonly jwksEndpoint: string | null;
  };
}

/** A signer whose token must come with every request of a session. */
export interface RequiredSigner
  extends TokenSigner, Pick<SignerSettings, 'isEnabled' | 'clientId' | 'externalAuthUrl' | 'scopes'> {
  /** Another one after each change of the signer. */
  readonly version: string;
  /**
   * Value that the claim of a token must have: the identity's id or `externalId`; null: the identity has none, so no
   * token is accepted.
   */
  readonly subject: string | null;
}

/** A required token that did not come with a request; `missing` also when only tokens of others came. */
export interface OwedToken {
  readonly signerId: string;
  readonly issuer: string;
  readonly fault: 'missing' | 'invalid' | 'expired';
}

export const DEFAULT_CLAIM = '/sub';

/**
 * @param certPem  '' and undefined are none, as of `jwksEndpoint`
 * @throws DomainError `badReference` when it is not exactly one of both, `signerCertificateInvalid`
 */
export function keySourceOf(certPem: string | undefined, jwksEndpoint: string | undefined): KeySource {
  const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';
  if (isGiven(certPem)) {
    if (isGiven(jwksEndpoint)) {
      throw badReference('only one of jwksEndpoint or certPem may be defined', 'jwksEndpoint', jwksEndpoint);
    }
    return { certificate: certificateOf(certPem), jwksEndpoint: null };
  }
  if (!isGiven(jwksEndpoint)) throw badReference('jwksEndpoint or certPem is required', 'certPem', '');
  return { certificate: null, jwksEndpoint };
}

function certificateOf(pem: string): SignerCertificate {
  const certificate = readSigningCertificate(pem, (reason) => {
    throw new DomainError('signerCertificateInvalid', { causeMessage: reason });
  });
  return {
    certPem: certificate.toString(),
    fingerprint: certFingerprint(certificate.raw),
    commonName: commonNamesOf(certificate)[0] ?? '',
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
  };
}

/** Browsers follow such URLs: no other scheme, and no credentials. @throws DomainError `invalidField` */
export function requireWebUrl(field: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw invalidField(field, `${field} must be an http or https URL without credentials`, '');
  return text;
}
