/**
 * A router exchanges its certificates for new ones over its channel (20302, 20303): a week before one ends, or when its
 * administrator says so. What it sends and what it shows later must come over the same channel. The channel goes on
 * with the certificate that it began with, until that ends; the next one must show the new certificate.
 */
import { create } from '@bufbuild/protobuf';
import type { RouterCertificate } from '../../db/stores/router-certificates.js';
import { DomainError } from '../../domain/errors.js';
import { firstCertificate, isLeafOf } from '../../domain/pki/pem.js';
import { Allowances } from '../../domain/scheduling/allowances.js';
import {
  EnrollmentCertsResponseSchema,
  EnrollmentExtendRouterRequestSchema,
  EnrollmentExtendRouterVerifyRequestSchema,
  ErrorSchema,
} from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, MessageTable, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { readBody, typedMessage } from '../channel/frame.js';
import type { FabricLog } from '../channel/router-log.js';

/** @property fingerprint  of the certificate in force */
interface ExtendingRouter {
  readonly id: string;
  readonly fingerprint: string;
}

interface NewCertificates {
  readonly clientPem: string;
  readonly serverPem: string;
  /** Certificates to trust. */
  readonly caPem: string;
  readonly certificate: RouterCertificate;
}

/** Makes certificates and puts them in force. */
export interface RouterExtensions {
  /**
   * @param isVerified  the router will show that it has the certificate; otherwise it is in force at once
   * @throws DomainError for requests that are refused
   */
  issue(
    router: ExtendingRouter,
    requests: { readonly client: string; readonly server: string },
    isVerified: boolean,
  ): Promise<NewCertificates>;
  /** False when the certificate does not wait any more. */
  complete(router: ExtendingRouter, certificate: RouterCertificate): Promise<boolean>;
}

interface ExtensionParts {
  readonly extensions: RouterExtensions;
  readonly log: FabricLog;
}

/** Exchanges of one router in an hour; one that runs well needs one in a year. */
const MOST_AN_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Codes of the answer to a certificate that is shown; success is the empty one. */
type VerifyCode = '' | 'MISSING_CLIENT_PEM' | 'INVALID_ROUTER_STATE' | 'INVALID_CLIENT_PEM' | 'VERIFY_ERROR';

export function enrollmentMessages(parts: ExtensionParts): MessageTable {
  const exchanges = new Exchanges(parts);
  return new Map([
    [ContentType.EnrollmentExtendRouter, { handle: exchanges.extend }],
    [ContentType.EnrollmentExtendRouterVerify, { handle: exchanges.verify }],
  ]);
}

class Exchanges {
  readonly #parts: ExtensionParts;
  readonly #allowances = new Allowances({ most: MOST_AN_HOUR, periodMs: HOUR_MS });
  /** Ids of routers whose certificates are being made. */
  readonly #running = new Set<string>();
  /** The certificates that wait to be shown. */
  readonly #waiting = new WeakMap<RouterChannel, RouterCertificate>();

  constructor(parts: ExtensionParts) {
    this.#parts = parts;
  }

  /** Answers with certificates, or with nothing: the router then tries again in its time. */
  readonly extend: MessageHandler = async (frame, channel) => {
    const request = readBody(EnrollmentExtendRouterRequestSchema, frame);
    const { routerId } = channel;
    if (this.#running.has(routerId)) return this.#refused(channel, 'certificates are being made for it');
    if (this.#allowances.take(routerId) > 0) return this.#refused(channel, 'it asks too often');
    this.#running.add(routerId);
    try {
      const requests = { client: request.clientCertCsr, server: request.serverCertCsr };
      await this.#issue(channel, requests, request.requireVerification);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#refused(channel, error.logReason ?? error.message);
    } finally {
      this.#running.delete(routerId);
    }
  };

  readonly verify: MessageHandler = async (frame, channel) => {
    const { clientCertPem } = readBody(EnrollmentExtendRouterVerifyRequestSchema, frame);
    const code = await this.#verify(clientCertPem, channel);
    if (code !== '') this.#refused(channel, code);
    channel.reply(frame, typedMessage(ContentType.Error, ErrorSchema, create(ErrorSchema, { code })));
  };

  async #issue(
    channel: RouterChannel,
    requests: { readonly client: string; readonly server: string },
    isVerified: boolean,
  ): Promise<void> {
    const router = { id: channel.routerId, fingerprint: channel.fingerprint };
    const { clientPem, serverPem, caPem, certificate } = await this.#parts.extensions.issue(
      router,
      requests,
      isVerified,
    );
    if (isVerified) this.#waiting.set(channel, certificate);
    else this.#inForce(channel, certificate);
    channel.send(
      typedMessage(
        ContentType.EnrollmentCertsResponse,
        EnrollmentCertsResponseSchema,
        create(EnrollmentCertsResponseSchema, {
          clientCertPem: clientPem,
          serverCertPem: serverPem,
          caCertsPem: caPem,
        }),
      ),
    );
  }

  async #verify(shownPem: string, channel: RouterChannel): Promise<VerifyCode> {
    if (shownPem === '') return 'MISSING_CLIENT_PEM';
    const waiting = this.#waiting.get(channel);
    if (waiting === undefined) return 'INVALID_ROUTER_STATE';
    const shown = leafOf(shownPem);
    if (shown === undefined) return 'INVALID_CLIENT_PEM';
    const router = { id: channel.routerId, fingerprint: channel.fingerprint };
    if (!isLeafOf(waiting.certPem, shown) || !(await this.#parts.extensions.complete(router, waiting)))
      return 'VERIFY_ERROR';
    this.#waiting.delete(channel);
    this.#inForce(channel, waiting);
    return '';
  }

  #inForce(channel: RouterChannel, { fingerprint }: RouterCertificate): void {
    channel.renewed(fingerprint);
    this.#parts.log.info({ routerId: channel.routerId, fingerprint }, 'a router has new certificates');
  }

  #refused({ routerId }: RouterChannel, reason: string): void {
    this.#parts.log.warn({ routerId, reason }, 'a router asked for new certificates in vain');
  }
}

/** Undefined for what is no certificate. */
function leafOf(pem: string): Buffer | undefined {
  try {
    return firstCertificate(pem);
  } catch {
    return undefined;
  }
}
