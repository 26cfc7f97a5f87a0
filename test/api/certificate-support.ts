/**
 * What the suites of certificate logins share: CAs and authenticators as they are in the database, and clients that
 * show certificates.
 */
import { randomUUID } from 'node:crypto';
import { newId } from '../../domain/auth/tokens.js';
import { publicKeyFingerprint } from '../../domain/pki/keys.js';
import type { ExternalIdClaim } from '../../domain/credentials.js';
import { entityOf } from '../support/entities.js';
import { CLIENT } from '../support/paths.js';
import { createCertificateClient, makeCa, makeLeaf, makeRequest } from '../support/certificates.js';
import type { TestCertificate, TestKeyKind } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client, RequestOptions } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';

export const LOGIN = `${CLIENT}/authenticate?method=cert`;

const DAY_MS = 86_400_000;
export const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

/** The session that a login opened. */
export const sessionOf = (answer: Answer) => entityOf(expectStatus(answer, 200));
export const identityOf = (answer: Answer) => String(sessionOf(answer)['identityId']);

export interface Shown {
  readonly cert: string;
  readonly key: string;
}

export interface CaState {
  readonly isVerified?: boolean;
  readonly isAuthEnabled?: boolean;
  readonly claim?: ExternalIdClaim | null;
}

export interface CertificateWorld {
  /** Makes a CA known; verified and allowed to log in by default. */
  trust(ca: TestCertificate, state?: CaState): Promise<string>;
  /** Gives an identity this certificate. @param caId  null: as one that the network issued */
  register(
    identityId: string,
    leaf: Pick<TestCertificate, 'pem' | 'fingerprint' | 'keys'>,
    caId: string | null,
  ): Promise<string>;
  /** A certificate of the network's own PKI that belongs to no identity yet. */
  issued(kind?: TestKeyKind): Promise<{
    leafPem: string;
    chainPem: string;
    issuerPem: string;
    fingerprint: string;
    keys: TestCertificate['keys'];
    privateKeyPem: string;
  }>;
  /** A connection of its own that shows these certificates. */
  client(shown: Shown, token?: string): Client;
  login(shown: Shown, body?: unknown, options?: RequestOptions): Promise<Answer>;
  close(): void;
}

export function openWorld(controller: () => TestController): CertificateWorld {
  const clients: Client[] = [];
  const query = (sql: string, values: unknown[]) => controller().database.query(sql, values);
  const client: CertificateWorld['client'] = (shown, token) => {
    const made = createCertificateClient(controller().url, shown, token);
    clients.push(made);
    return made;
  };
  return {
    client,
    async trust(ca, { isVerified = true, isAuthEnabled = true, claim = null } = {}) {
      const id = newId();
      await query(
        `INSERT INTO cas (id, name, cert_pem, fingerprint, is_verified, verification_token, is_auth_enabled,
        is_auto_ca_enrollment_enabled,
        is_ott_ca_enrollment_enabled, identity_name_format, external_id_claim)
        VALUES ($1, $2, $3, $4, $5, $6, $7, false, false, '[caName]', $8)`,
        [
          id,
          unique('ca'),
          ca.pem,
          ca.fingerprint,
          isVerified,
          randomUUID(),
          isAuthEnabled,
          claim === null ? null : JSON.stringify(claim),
        ],
      );
      return id;
    },
    async register(identityId, { pem, fingerprint, keys }, caId) {
      const id = newId();
      await query(
        `INSERT INTO authenticators (id, identity_id, method, cert_pem, fingerprint, public_key_print, ca_id,
        is_issued_by_network)
        VALUES ($1, $2, 'cert', $3, $4, $5, $6, $7)`,
        [
          id,
          identityId,
          pem,
          fingerprint,
          publicKeyFingerprint(keys.publicKey.export({ type: 'spki', format: 'der' })),
          caId,
          caId === null,
        ],
      );
      return id;
    },
    async issued(keyKind = 'ec-p256') {
      // The certificate of an API session is one of the network's own, for a key of the caller's choice.
      const { client: owner } = await controller().newCaller();
      const path = `${CLIENT}/current-api-session/certificates`;
      const { pem, keys, privateKeyPem } = makeRequest({ keyKind });
      const { id, certificate } = entityOf(expectStatus(await owner.post(path, { csr: pem }), 201));
      const { fingerprint } = entityOf(expectStatus(await owner.get(`${path}/${id}`), 200));
      expectStatus(await owner.delete(`${path}/${id}`), 200);
      const chainPem = String(certificate);
      const [leafPem = '', issuerPem = ''] = chainPem.split(/(?<=-----END CERTIFICATE-----\n)/);
      return { leafPem, chainPem, issuerPem, fingerprint: String(fingerprint), keys, privateKeyPem };
    },
    login: (shown, body, options) => client(shown).post(LOGIN, body, options),
    close() {
      clients.splice(0).forEach((one) => {
        one.close();
      });
    },
  };
}

/**
 * For the suite in which this is called: a controller, a CA that it trusts, and two identities of each test's own. They
 * are there from the first `beforeEach` on.
 */
export function useCertificateLogins() {
  let controller: TestController;
  let ca: TestCertificate;
  let caId: string;
  let callers: { caller: Caller; victim: Caller };
  const world = openWorld(() => controller);
  before(async () => {
    controller = await startTestController();
    ca = makeCa();
    caId = await world.trust(ca);
  });
  after(() => controller.stop());
  beforeEach(async () => {
    callers = { caller: await controller.newCaller(), victim: await controller.newCaller() };
  });
  afterEach(() => {
    world.close();
  });
  return {
    world,
    get controller() {
      return controller;
    },
    get ca() {
      return ca;
    },
    get caId() {
      return caId;
    },
    get caller() {
      return callers.caller;
    },
    get victim() {
      return callers.victim;
    },
    /** A leaf of the trusted CA that belongs to an identity. */
    leafOf: async (
      owner: Caller,
      options: Parameters<typeof makeLeaf>[1] = {},
      issuer = ca,
      of = caId,
    ): Promise<TestCertificate> => {
      const leaf = makeLeaf(issuer, options);
      await world.register(owner.id, leaf, of);
      return leaf;
    },
    sessionsOf: async (identityId: string): Promise<number> =>
      (await controller.database.query('SELECT FROM api_sessions WHERE identity_id = $1', [identityId])).rows.length,
  };
}
