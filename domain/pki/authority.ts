/**
 * The network's own certificates: root, intermediate, server and client (RFC 5280). One function per kind of
 * certificate, each a profile over `issue`; another kind is another function. Keys come in as PEM and are not kept.
 */
import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { certFingerprint, readPrivateKey, type KeyPair } from './keys.js';
import { toPem } from './pem.js';
import { signCertificate, signingKey } from './certificate-writer.js';
import type { AlternativeNames, CertificateContent, SigningKey } from './certificate-writer.js';
import type { SigningRequest } from './csr.js';

const DAY_SECONDS = 86_400;
export const lifetimes = {
  rootSeconds: 20 * 365 * DAY_SECONDS,
  intermediateSeconds: 15 * 365 * DAY_SECONDS,
  serverSeconds: 365 * DAY_SECONDS,
  clientSeconds: 365 * DAY_SECONDS,
  apiSessionSeconds: DAY_SECONDS / 2,
} as const;
/** Every certificate starts a minute early, for clients whose clocks are behind. */
const BACKDATE_MS = 60_000;

export interface IssuedCertificate {
  /** One PEM block: the certificate alone. */
  readonly certPem: string;
  /** SHA-1 of the DER in lower-case hex. */
  readonly fingerprint: string;
  /** Lower-case hex. */
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate authority ready to sign: an opened key. Build it once and pass it to the functions below. */
export interface Issuer {
  readonly certPem: string;
  readonly certificate: X509Certificate;
  /** Its own end. */
  readonly notAfter: Date;
  readonly signer: SigningKey;
}

/** @throws Error when the certificate is no CA, the key cannot sign, or the two do not belong together */
export function openIssuer({ certPem, privateKeyPem }: { certPem: string; privateKeyPem: string }): Issuer {
  const certificate = new X509Certificate(certPem);
  const privateKey = readPrivateKey(privateKeyPem);
  if (!certificate.ca) throw new Error('the issuer certificate is not a CA');
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error('the private key does not belong to the issuer certificate');
  const { notAfter } = validityOf(certificate);
  return { certPem, certificate, notAfter, signer: signingKey(privateKey, certificate.raw) };
}

interface Validity {
  readonly now: Date;
  /** Counted from `now`; never beyond the issuer's own end. */
  readonly lifetimeSeconds?: number;
}

/** A self-signed root: CA without path limit, signs certificates and revocation lists. */
export async function createRootCa(
  input: Validity & { commonName: string; keys: KeyPair },
): Promise<IssuedCertificate> {
  const content = authorityContent(input, lifetimes.rootSeconds, {});
  return issued(content, signingKey(readPrivateKey(input.keys.privateKeyPem)));
}

/**
 * The certificate of another root's key by `issuer`: whoever trusts `issuer` alone then trusts what that root signs.
 * @param input.commonName  that of the other root
 */
export async function createCrossCertificate(
  issuer: Issuer,
  input: Validity & { commonName: string; keys: Pick<KeyPair, 'publicKeyPem'> },
): Promise<IssuedCertificate> {
  return issue(issuer, authorityContent(input, lifetimes.rootSeconds, {}));
}

/** A CA below `issuer` that may sign end entities only (path length 0). */
export async function createIntermediateCa(
  issuer: Issuer,
  input: Validity & { commonName: string; keys: Pick<KeyPair, 'publicKeyPem'> },
): Promise<IssuedCertificate> {
  return issue(issuer, authorityContent(input, lifetimes.intermediateSeconds, { pathLength: 0 }));
}

/**
 * A controller's certificate: serves TLS, and is a client towards other controllers.
 * @param input.uri  SPIFFE id of the controller
 * @param input.names  the host names and addresses that clients use
 */
export async function issueServerCertificate(
  issuer: Issuer,
  input: Validity & {
    commonName: string;
    keys: Pick<KeyPair, 'publicKeyPem'>;
    uri: string;
    names: Pick<AlternativeNames, 'dns' | 'ip'>;
  },
): Promise<IssuedCertificate> {
  const publicKey = createPublicKey(input.keys.publicKeyPem);
  return issue(issuer, {
    ...common(input, lifetimes.serverSeconds),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    authority: undefined,
    keyUsages: publicKey.asymmetricKeyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'],
    extendedKeyUsages: ['serverAuth', 'clientAuth'],
    names: { ...input.names, uri: [input.uri] },
  });
}

/**
 * A client's certificate. The request gives its key and nothing else.
 * @param input.commonName  the identity's id, or whatever else the certificate is for
 * @param input.uri  SPIFFE id of the client
 */
export async function issueClientCertificate(
  issuer: Issuer,
  input: Validity & { commonName: string; request: Pick<SigningRequest, 'publicKey'>; uri: string },
): Promise<IssuedCertificate> {
  return issue(issuer, {
    ...common(input, lifetimes.clientSeconds),
    publicKey: input.request.publicKey,
    authority: undefined,
    keyUsages: ['digitalSignature', 'keyEncipherment', 'dataEncipherment'],
    extendedKeyUsages: ['clientAuth'],
    names: { uri: [input.uri] },
  });
}

/**
 * Issues the certificate that a router presents to the clients that connect to it. Its host names and addresses come
 * from the caller, who has checked that the router may have them.
 */
export async function issueRouterServerCertificate(
  issuer: Issuer,
  input: Validity & {
    commonName: string;
    request: Pick<SigningRequest, 'publicKey' | 'keyType'>;
    uri: string;
    names: Pick<AlternativeNames, 'dns' | 'ip'>;
  },
): Promise<IssuedCertificate> {
  return issue(issuer, {
    ...common(input, lifetimes.clientSeconds),
    publicKey: input.request.publicKey,
    authority: undefined,
    keyUsages: input.request.keyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'],
    extendedKeyUsages: ['serverAuth', 'clientAuth'],
    names: { ...input.names, uri: [input.uri] },
  });
}

/**
 * True once `fraction` of a certificate's life has passed, and ever after. Before its start: false.
 * @throws Error when the text is no certificate
 */
export function isDueForRenewal(certPem: string, now: Date, fraction = 2 / 3): boolean {
  const { notBefore, notAfter } = validityOf(new X509Certificate(certPem));
  return now.getTime() >= notBefore.getTime() + fraction * (notAfter.getTime() - notBefore.getTime());
}

/**
 * True when clients whose clocks are right refuse the certificate as not yet valid: it was made while a clock was
 * ahead, by more than clocks differ. @throws Error when the text is no certificate
 */
export function isNotYetValid(certPem: string, now: Date): boolean {
  return validityOf(new X509Certificate(certPem)).notBefore.getTime() > now.getTime() + BACKDATE_MS;
}

/** True when `certPem` was signed by `issuerPem`: name, key identifier and signature; dates are not looked at. */
export function isSignedBy(certPem: string, issuerPem: string): boolean {
  const [certificate, issuer] = [new X509Certificate(certPem), new X509Certificate(issuerPem)];
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function authorityContent(
  input: Validity & { commonName: string; keys: Pick<KeyPair, 'publicKeyPem'> },
  lifetimeSeconds: number,
  authority: { pathLength?: number },
): CertificateContent {
  return {
    ...common(input, lifetimeSeconds),
    publicKey: createPublicKey(input.keys.publicKeyPem).export({ type: 'spki', format: 'der' }),
    authority,
    keyUsages: ['keyCertSign', 'cRLSign'],
    extendedKeyUsages: [],
    names: {},
  };
}

function common(input: Validity & { commonName: string }, lifetimeSeconds: number) {
  return {
    commonName: plainName(input.commonName),
    serialNumber: newSerialNumber(),
    notBefore: new Date(input.now.getTime() - BACKDATE_MS),
    notAfter: new Date(input.now.getTime() + (input.lifetimeSeconds ?? lifetimeSeconds) * 1000),
  };
}

/**
 * Names of certificates are ids and titles of ours. Quotes, `#`, commas and the like mean something in the text form
 * of a name, to this library and to others, and are refused; 64 characters is the limit of RFC 5280 appendix A.
 */
function plainName(commonName: string): string {
  if (!/^[\p{L}\p{N}](?:[\p{L}\p{N} ._:@-]{0,62}[\p{L}\p{N}._-])?$/u.test(commonName)) {
    throw new Error(`'${commonName}' cannot be the common name of a certificate`);
  }
  return commonName;
}

/** Signs within the issuer's own life. @throws Error when the issuer has expired */
async function issue(issuer: Issuer, content: CertificateContent): Promise<IssuedCertificate> {
  const limit = issuer.notAfter;
  const notAfter = content.notAfter < limit ? content.notAfter : limit;
  if (notAfter <= content.notBefore) throw new Error(`the issuer's certificate ended at ${limit.toISOString()}`);
  return issued({ ...content, notAfter }, issuer.signer);
}

/**
 * 128 bits, 126 of them random: the first two are 01, so that it is positive and always 16 bytes (RFC 5280 section
 * 4.1.2.2).
 */
function newSerialNumber(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40;
  return serial;
}

async function issued(content: CertificateContent, signer: SigningKey): Promise<IssuedCertificate> {
  const der = await signCertificate(content, signer);
  return {
    certPem: toPem('CERTIFICATE', der),
    fingerprint: certFingerprint(der),
    serialNumber: content.serialNumber.toString('hex'),
    notBefore: wholeSeconds(content.notBefore),
    notAfter: wholeSeconds(content.notAfter),
  };
}

const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);

function validityOf(certificate: X509Certificate): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(certificate.validFrom), notAfter: new Date(certificate.validTo) };
}
