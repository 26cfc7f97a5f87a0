/**
 * The JWTs that a controller signs (RFC 7515, RFC 7519): enrollment, CA and network tokens for enrollers, session
 * tokens for routers. Signed with the key that serves TLS, because enrollers fetch the certificate from `iss` and
 * verify with it. Verifying JWTs of others is not done here.
 */
import { constants, createPublicKey, sign, X509Certificate, type KeyObject } from 'node:crypto';
import type { EnrollmentMethod } from '../credentials.js';
import type { PolicyType } from '../model.js';
import { certFingerprint, readPrivateKey } from '../pki/keys.js';

export type JwtAlgorithm = 'ES256' | 'ES384' | 'ES512' | 'RS256';

export interface JwtSigner {
  /** SHA-1 of the server certificate's DER in lower-case hex. */
  readonly kid: string;
  readonly algorithm: JwtAlgorithm;
  /** Public key that verifies its signatures. */
  readonly publicJwk: PublicJwk & Required<Pick<PublicJwk, 'x5c'>>;
  /** @returns the JWT in its compact form */
  sign(claims: JwtClaims): Promise<string>;
}

/** A public key as RFC 7517 writes it: `crv`, `x`, `y` of an elliptic curve, or `n`, `e` of RSA. */
export interface PublicJwk {
  readonly kty: string;
  readonly use: 'sig';
  readonly alg: JwtAlgorithm;
  readonly kid: string;
  /**
   * Certificates, DER in base64, that of the key first; not for the `kid` of an earlier certificate of the same key.
   */
  readonly x5c?: readonly string[];
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

export type JwtClaims = Readonly<Record<string, unknown>>;

const curves: Readonly<Record<string, { algorithm: JwtAlgorithm; digest: string }>> = {
  prime256v1: { algorithm: 'ES256', digest: 'sha256' },
  secp384r1: { algorithm: 'ES384', digest: 'sha384' },
  secp521r1: { algorithm: 'ES512', digest: 'sha512' },
};

/**
 * @param input.certPem  the certificate that TLS serves; the first block counts
 * @throws Error when the key does not belong to the certificate, or is neither RSA nor P-256, P-384, P-521
 */
export function createJwtSigner(input: { privateKeyPem: string; certPem: string }): JwtSigner {
  const privateKey = readPrivateKey(input.privateKeyPem);
  const certificate = new X509Certificate(input.certPem);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error('the private key does not belong to the server certificate');
  }
  const { algorithm, digest } = algorithmOf(privateKey);
  const kid = certFingerprint(input.certPem);
  const header = encode({ alg: algorithm, kid, typ: 'JWT' });
  const signature = algorithm === 'RS256' ? inThreadPool(digest, privateKey) : inPlace(digest, privateKey);
  return {
    kid,
    algorithm,
    publicJwk: {
      ...publicPart(privateKey),
      use: 'sig',
      alg: algorithm,
      kid,
      x5c: [certificate.raw.toString('base64')],
    },
    sign: async (claims) => {
      const signed = `${header}.${encode(claims)}`;
      return `${signed}.${(await signature(Buffer.from(signed))).toString('base64url')}`;
    },
  };
}

function algorithmOf(privateKey: KeyObject): { algorithm: JwtAlgorithm; digest: string } {
  if (privateKey.asymmetricKeyType === 'rsa') return { algorithm: 'RS256', digest: 'sha256' };
  const found = curves[privateKey.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!found) throw new Error('a JWT signing key must be RSA or P-256, P-384, P-521');
  return found;
}

/** Named one by one, so that nothing of the private key can ever be among them. */
function publicPart(privateKey: KeyObject): Pick<PublicJwk, 'kty' | 'crv' | 'x' | 'y' | 'n' | 'e'> {
  const { kty = '', crv, x, y, n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
  return kty === 'EC' ? { kty, ...(crv && x && y && { crv, x, y }) } : { kty, ...(n && e && { n, e }) };
}

type Signature = (data: Buffer) => Promise<Buffer>;

/** P-256: 26 us here, 73 us through the thread pool, 186 us with jose over WebCrypto. */
function inPlace(digest: string, key: KeyObject): Signature {
  return async (data) => sign(digest, data, { key, dsaEncoding: 'ieee-p1363' });
}

/** RSA takes 0.25 ms (2048 bits) to 4 ms (4096): too long to hold up other requests. */
function inThreadPool(digest: string, key: KeyObject): Signature {
  return (data) =>
    new Promise((resolve, reject) => {
      sign(digest, data, { key, padding: constants.RSA_PKCS1_PADDING }, (error, signature) => {
        if (error) reject(error);
        else resolve(signature);
      });
    });
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** NumericDate: whole seconds since 1970 (RFC 7519 section 2). */
function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

/**
 * Claims of a one-time enrollment: ott, ottca, updb, erott, trott.
 * @param input.advertise  `host:port` under which this controller is reached
 * @param input.routersReach  the same for routers
 * @param input.subjectId  identity or router
 * @param input.token  the enrollment token
 */
export function enrollmentClaims(input: {
  advertise: string;
  routersReach: string;
  subjectId: string;
  token: string;
  method: EnrollmentMethod;
  expiresAt: Date;
}): JwtClaims {
  return {
    iss: `https://${input.advertise}`,
    sub: input.subjectId,
    aud: [''],
    exp: seconds(input.expiresAt),
    jti: input.token,
    em: input.method,
    ctrls: [`tls:${input.routersReach}`],
  };
}

/** Claims for enrolling with certificates of one CA; may be used any number of times and does not expire. */
export function caClaims(input: { advertise: string; caId: string }): JwtClaims {
  return {
    iss: `https://${input.advertise}/`,
    sub: input.caId,
    aud: ['openziti-enroller'],
    jti: input.caId,
    em: 'ca',
    ctrls: null,
  };
}

/** Claims that tell an enroller where the network is. `tokenId` is random. */
export function networkClaims(input: { advertise: string; tokenId: string }): JwtClaims {
  const url = `https://${input.advertise}/`;
  return { iss: url, sub: url, aud: ['openziti-enroller'], jti: input.tokenId, em: 'network', ctrls: null };
}

/** The longest that anything lasts which this network signs for a session. */
export const SESSION_TOKEN_SECONDS = 365 * 86_400;

/**
 * Claims by which a router admits a session; it asks the controller whether the session still exists, hence the long
 * `exp`.
 */
export function sessionClaims(input: {
  advertise: string;
  sessionId: string;
  serviceId: string;
  apiSessionId: string;
  identityId: string;
  type: PolicyType;
  /** False: the client shows signed tokens, so routers judge its device, and hear of its end by the API session. */
  isLegacy: boolean;
  now: Date;
}): JwtClaims {
  return {
    iss: `https://${input.advertise}`,
    sub: input.serviceId,
    aud: ['openziti'],
    exp: seconds(input.now) + SESSION_TOKEN_SECONDS,
    iat: seconds(input.now),
    jti: input.sessionId,
    z_asid: input.apiSessionId,
    z_iid: input.identityId,
    z_t: 's',
    z_st: input.type,
    z_leg: input.isLegacy,
  };
}
