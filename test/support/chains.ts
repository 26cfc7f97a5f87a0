/** Verifying chains in a test: everything is valid around `now`, and the anchor is `root` by default. */
import { expect } from 'chai';
import {
  ChainFault,
  verifyClientChain,
  type ChainInput,
  type TrustAnchor,
  type VerifiedChain,
} from '../../domain/pki/chain.js';
import { makeCa, makeLeaf, type CaOptions, type CertificateOptions, type TestCertificate } from './certificates.js';

export const now = new Date('2030-06-01T12:00:00Z');
export const day = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
export const span = { notBefore: day(-10), notAfter: day(10) };
export const ca = (options: CaOptions = {}): TestCertificate => makeCa({ ...span, ...options });
export const leafOf = (issuer: TestCertificate, options: CertificateOptions = {}): TestCertificate =>
  makeLeaf(issuer, { ...span, ...options });
export const anchor = (
  certificate: Pick<TestCertificate, 'certificate'>,
  caId: string | null = 'ca-1',
): TrustAnchor => ({ certificate: certificate.certificate, caId });

/** What a chain that leads nowhere is refused with. */
export const NO_WAY = /leads to no CA/;
export const FORGED = /signature does not match/;

export type Sent = readonly (TestCertificate | Buffer)[];
export interface Trust {
  readonly anchors?: readonly TrustAnchor[];
  readonly known?: readonly TestCertificate[];
  readonly now?: Date;
  readonly isOpened?: boolean;
}

export interface Verifier {
  readonly verify: (sent: Sent, trust?: Trust) => VerifiedChain;
  /** Passes when the chain is refused with a ChainFault of this text. */
  readonly refuse: (text: RegExp, sent: Sent, trust?: Trust) => void;
}

export function verifierFor(root: TestCertificate): Verifier {
  const input = (sent: Sent, trust: Trust): ChainInput => ({
    sent: sent.map((each) => (Buffer.isBuffer(each) ? each : each.der)),
    anchors: trust.anchors ?? [anchor(root)],
    known: (trust.known ?? []).map(({ certificate }) => certificate),
    now: trust.now ?? now,
    isOpened: trust.isOpened ?? false,
  });
  const verify = (sent: Sent, trust: Trust = {}) => verifyClientChain(input(sent, trust));
  return {
    verify,
    refuse(text, sent, trust = {}) {
      let error: unknown;
      try {
        verify(sent, trust);
      } catch (fault) {
        error = fault;
      }
      expect(error).to.be.instanceOf(ChainFault).with.property('message').that.matches(text);
    },
  };
}
