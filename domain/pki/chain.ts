/**
 * Verifies the certificates that a client shows (RFC 5280 section 6), in one place. Whoever it is, it is the leaf: the
 * first certificate sent, whose key the TLS handshake proved. The others only lead from it to an anchor.
 *
 * Names are the same when their bytes are; a path has at most six certificates, leaf and anchor included; revocation is
 * not looked at. Steps and signatures are counted, so that the worst that a client can send takes 3 ms, or 10 ms with
 * P-521.
 */
import { X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readCertificate, readSubject, type Certificate } from './certificate.js';
import { isSameKeyId, isSelfIssued, requireClient, requireIssuer } from './certificate-checks.js';
import { ChainFault } from './chain-fault.js';
import { DerFault } from './der.js';
import { certFingerprint, publicKeyFingerprint } from './keys.js';
import { requirePermittedNames } from './name-constraints.js';
import { toPem } from './pem.js';
import { isSignedByIssuer } from './issuer-signatures.js';
import { keyFamily, readSignatureAlgorithm } from './signatures.js';

export { ChainFault } from './chain-fault.js';

/** All that is needed of one here is its DER: `raw` of an X509Certificate, or bytes that were not parsed yet. */
export interface EncodedCertificate {
  readonly raw: Buffer;
}

/** A certificate that ends chains: a root, or an intermediate that is trusted by itself. */
export interface TrustAnchor {
  readonly certificate: EncodedCertificate;
  /** The CA it belongs to; null: the network's own. */
  readonly caId: string | null;
}

export interface ChainInput {
  /** DER, leaf first, the rest in any order; duplicates and strangers among them do no harm. */
  readonly sent: readonly Buffer[];
  /** Anchors to try. The network's own anchors win where several match. */
  readonly anchors: readonly TrustAnchor[];
  /** Intermediates that are known here, for clients that sent none. */
  readonly known: readonly EncodedCertificate[];
  readonly now: Date;
  /** The leaf only proves a key, and its extended key usage does not matter. */
  readonly isAnyUse?: boolean;
  /** A handshake has opened the leaf, which costs 0.2 ms: it is opened again only when somebody asks for it. */
  readonly isOpened?: boolean;
}

export interface VerifiedChain {
  readonly leaf: X509Certificate;
  /** One PEM block. */
  readonly leafPem: string;
  /** SHA-1 of the leaf's DER in lower-case hex. */
  readonly fingerprint: string;
  /** SHA-256 of the leaf's SubjectPublicKeyInfo in lower-case hex. */
  readonly publicKeyFingerprint: string;
  /** The CA that the chain ends in; null: the network's own. */
  readonly caId: string | null;
  /** When the leaf ends, in milliseconds since 1970. */
  readonly endsMs: number;
  /** The leaf has expired. The caller's auth policy decides whether that matters. */
  readonly isExpired: boolean;
  /** The client itself sent every intermediate that its chain needs. */
  readonly isComplete: boolean;
}

/** Certificates besides the leaf, each counted once. */
const MAX_OTHERS = 9;
/** Leaf and anchor included. */
const MAX_PATH = 6;
const MAX_STEPS = 100;
const MAX_SIGNATURES = 6;

/** @throws ChainFault */
export function verifyClientChain(input: ChainInput): VerifiedChain {
  try {
    return verify(input);
  } catch (error) {
    if (error instanceof DerFault)
      throw new ChainFault(`a certificate is malformed: ${error.message}`, { cause: error });
    throw error;
  }
}

function verify({ sent, now, isAnyUse = false, isOpened = false, ...trust }: ChainInput): VerifiedChain {
  const [first] = sent;
  const anchors = trust.anchors.map(({ certificate, caId }) => ({ der: certificate.raw, caId }));
  if (!first) throw new ChainFault('no certificate was sent');
  const others = distinct(sent).filter((der) => !der.equals(first));
  if (others.length > MAX_OTHERS) throw new ChainFault(`more than ${MAX_OTHERS} certificates beside its own`);
  if (
    includes(
      anchors.map(({ der }) => der),
      first,
    )
  )
    throw new ChainFault('the client’s certificate is one of a CA');
  const leaf = readCertificate(first);
  requireClient(leaf, isAnyUse);
  if (leaf.notBefore > now.getTime()) throw new ChainFault('the client’s certificate is not valid yet');

  const known = trust.known.map(({ raw }) => raw).filter((der) => !includes(others, der));
  const { caId, isComplete } = new PathSearch(leaf, anchors, now).find(others, known);
  let opened = isOpened ? undefined : open(first);
  const openedLeaf = () => (opened ??= open(first));
  return {
    get leaf() {
      return openedLeaf().leaf;
    },
    /** Reckoned when it is asked for: most of those who verify a chain do not. */
    get publicKeyFingerprint() {
      return publicKeyFingerprint(openedLeaf().publicKey.export({ type: 'spki', format: 'der' }));
    },
    leafPem: toPem('CERTIFICATE', first),
    fingerprint: certFingerprint(first),
    caId,
    endsMs: leaf.notAfter,
    isExpired: leaf.notAfter < now.getTime(),
    isComplete,
  };
}

function includes(certificates: readonly Buffer[], der: Buffer): boolean {
  return certificates.some((each) => each.equals(der));
}

function distinct(certificates: readonly Buffer[]): Buffer[] {
  return [...new Map(certificates.map((der) => [der.toString('latin1'), der])).values()];
}

function open(der: Buffer): { readonly leaf: X509Certificate; readonly publicKey: KeyObject } {
  try {
    const leaf = new X509Certificate(der);
    return { leaf, publicKey: leaf.publicKey };
  } catch (cause) {
    throw new ChainFault('the client’s certificate cannot be opened', { cause });
  }
}

interface Anchor {
  readonly der: Buffer;
  readonly caId: string | null;
}

/** A certificate that may be an issuer. */
interface Candidate {
  readonly certificate: Certificate;
  /** undefined: no anchor. */
  readonly anchor: Anchor | undefined;
}

/** One search from a leaf up to an anchor. */
class PathSearch {
  private steps = 0;
  private signatures = 0;
  /** Verdicts by certificate and by the issuer's key. */
  private readonly verdicts = new Map<Certificate, Map<string, boolean>>();
  private readonly subjects = new Map<Buffer, Buffer>();
  private readonly read = new Map<Buffer, Certificate>();
  /** The first that went wrong with a candidate: more to the point than that there is no path. */
  private fault: ChainFault | undefined;
  private readonly now: number;

  constructor(
    private readonly leaf: Certificate,
    private readonly anchors: readonly Anchor[],
    now: Date,
  ) {
    this.now = now.getTime();
  }

  /** @throws ChainFault */
  find(allSent: readonly Buffer[], allKnown: readonly Buffer[]): { caId: string | null; isComplete: boolean } {
    const times = this.leaf.notAfter < this.now ? [this.now, this.leaf.notAfter] : [this.now];
    const own = this.anchors.filter(({ caId }) => caId === null);
    const foreign = this.anchors.filter(({ caId }) => caId !== null);
    for (const anchors of [own, foreign].filter(({ length }) => length > 0)) {
      const ends = anchors.map(({ der }) => der);
      const [sent, known] = [allSent, allKnown].map((each) => each.filter((der) => !includes(ends, der))) as [
        Buffer[],
        Buffer[],
      ];
      for (const helpers of known.length === 0 ? [sent] : [sent, [...sent, ...known]]) {
        const anchor = this.climb([this.leaf], times, anchors, helpers);
        if (anchor) return { caId: anchor.caId, isComplete: helpers === sent };
      }
    }
    throw this.fault ?? new ChainFault('the chain leads to no CA that is trusted here');
  }

  /** @param times  at which everything above the leaf has been valid so far */
  private climb(
    path: readonly Certificate[],
    times: readonly number[],
    anchors: readonly Anchor[],
    helpers: readonly Buffer[],
  ): Anchor | undefined {
    const below = path[path.length - 1] as Certificate;
    if (path.length === MAX_PATH) return this.note(new ChainFault(`the chain has more than ${MAX_PATH} certificates`));
    for (const { certificate, anchor } of this.candidates(below, anchors, helpers)) {
      if (path.some((each) => each.subject.equals(certificate.subject) && each.publicKey.equals(certificate.publicKey)))
        continue;
      this.steps += 1;
      if (this.steps > MAX_STEPS) throw new ChainFault('the chain has too many ways to go');
      const left = times.filter((time) => certificate.notBefore <= time && certificate.notAfter >= time);
      const found = this.accepts(path, { certificate, anchor }, left)
        ? (anchor ?? this.climb([...path, certificate], left, anchors, helpers))
        : undefined;
      if (found) return found;
    }
    return undefined;
  }

  private *candidates(
    below: Certificate,
    anchors: readonly Anchor[],
    helpers: readonly Buffer[],
  ): Generator<Candidate> {
    for (const anchor of anchors) {
      const certificate = this.issuerOf(below, anchor.der);
      if (certificate) yield { certificate, anchor };
    }
    for (const der of helpers) {
      const certificate = this.issuerOf(below, der);
      if (certificate) yield { certificate, anchor: undefined };
    }
  }

  /** The certificate, if its names say that it may have issued the other. What cannot be read issues nothing. */
  private issuerOf(below: Certificate, der: Buffer): Certificate | undefined {
    try {
      if (!this.subjectOf(der).equals(below.issuer)) return undefined;
      const certificate = this.read.get(der) ?? readCertificate(der);
      this.read.set(der, certificate);
      return isSameKeyId(below, certificate) ? certificate : undefined;
    } catch (error) {
      return this.note(error);
    }
  }

  private subjectOf(der: Buffer): Buffer {
    const subject = this.subjects.get(der) ?? readSubject(der);
    this.subjects.set(der, subject);
    return subject;
  }

  /** Everything that can be said of a candidate on top of this path; the signature last, because it is slow. */
  private accepts(path: readonly Certificate[], { certificate, anchor }: Candidate, times: readonly number[]): boolean {
    try {
      if (certificate.notBefore > this.now) throw new ChainFault('the certificate of an issuer is not valid yet');
      if (times.length === 0) throw new ChainFault('the certificate of an issuer has expired');
      requireIssuer(certificate, path.slice(1).filter((each) => !isSelfIssued(each)).length);
      requirePermittedNames(certificate, path);
      if (!this.isSigned(path[path.length - 1] as Certificate, certificate, anchor !== undefined))
        throw new ChainFault('a signature does not match the issuer’s key');
      return true;
    } catch (error) {
      this.note(error);
      return false;
    }
  }

  private isSigned(below: Certificate, issuer: Certificate, isAnchor: boolean): boolean {
    const verdicts = this.verdicts.get(below) ?? new Map<string, boolean>();
    this.verdicts.set(below, verdicts);
    const key = issuer.publicKey.toString('latin1');
    const verdict = verdicts.get(key) ?? this.checkSignature(below, issuer, isAnchor);
    verdicts.set(key, verdict);
    return verdict;
  }

  private checkSignature(below: Certificate, issuer: Certificate, isAnchor: boolean): boolean {
    const algorithm = readSignatureAlgorithm(below.signatureAlgorithm);
    if (!algorithm)
      throw new ChainFault(
        'a certificate is not signed with ECDSA or RSA and SHA-256, SHA-384 or SHA-512, nor with Ed25519',
      );
    if (algorithm.family !== keyFamily(issuer.publicKey)) return false;
    this.signatures += 1;
    if (this.signatures > MAX_SIGNATURES) throw new SearchEnd('the chain needs too many signatures checked');
    return isSignedByIssuer(below, issuer, algorithm, isAnchor && below !== this.leaf);
  }

  /**
   * Keeps what went wrong with a candidate and goes on.
   * @throws what is no fault of a certificate, and the end of the search
   */
  private note(error: unknown): undefined {
    if (error instanceof SearchEnd || !(error instanceof ChainFault || error instanceof DerFault)) throw error;
    this.fault ??=
      error instanceof ChainFault
        ? error
        : new ChainFault(`a certificate is malformed: ${error.message}`, { cause: error });
  }
}

/** Goes through to the caller at once. */
class SearchEnd extends ChainFault {}
