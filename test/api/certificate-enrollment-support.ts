/** What the suites of enrollment by certificate share: CAs of an administrator, and requests that show certificates. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { expectError } from '../support/expect.js';
import type { Answer } from '../support/client.js';
import { createCertificateClient, makeCa, makeLeaf, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, make, read } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

export const HOUR_MS = 3_600_000;
export const COMMON_NAME = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

export interface TestAuthority {
  readonly id: string;
  readonly name: string;
  readonly ca: TestCertificate;
}

/** The certificate belongs to another identity. */
export function expectInUse(answer: Answer, leaf: TestCertificate): void {
  expectError(answer, 409, 'CERT_IN_USE');
  expect((answer.error?.cause?.['data'] as { fingerprint: string }).fingerprint).to.equal(leaf.fingerprint);
}

/** A controller for the suite in which this is called; CAs and identities go after each test. */
export function useCertificateEnrollments() {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  afterEach(async () => {
    await controller.database.query('DELETE FROM cas');
    await controller.database.query('DELETE FROM identities WHERE NOT is_default_admin');
  });
  after(() => controller.stop());

  /** A verified CA that may do everything by default. */
  const authority = async ({
    isVerified = true,
    ca = makeCa(),
    ...settings
  }: { isVerified?: boolean; ca?: TestCertificate } & Record<string, unknown> = {}): Promise<TestAuthority> => {
    const name = unique('ca');
    const id = await make(controller, 'cas', {
      name,
      certPem: ca.pem,
      identityRoles: ['enrolled'],
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      ...settings,
    });
    if (isVerified) {
      const { verificationToken } = await read(controller, `cas/${id}`);
      const rawBody = makeLeaf(ca, { commonName: verificationToken as string }).pem;
      expectStatus(
        await controller.admin.send('POST', `${MANAGEMENT}/cas/${id}/verify`, undefined, {
          rawBody,
          headers: { 'content-type': 'text/plain' },
        }),
        200,
      );
    }
    return { id, name, ca };
  };
  const change = async (id: string, changes: object) =>
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/cas/${id}`, changes), 200);
  /** POSTs with the certificates shown in the handshake. */
  const post = async (
    path: string,
    leaf: TestCertificate,
    others: readonly TestCertificate[] = [],
    body?: object,
  ): Promise<Answer> => {
    const client = createCertificateClient(controller.url, shownBy(leaf, ...others));
    try {
      return await client.post(`${CLIENT}/enroll/${path}`, body);
    } finally {
      client.close();
    }
  };
  const identities = async (): Promise<Entity[]> =>
    itemsOf(
      await controller.admin.get(
        `${MANAGEMENT}/identities?limit=500&filter=${encodeURIComponent('isDefaultAdmin = false')}`,
      ),
    );
  const authenticatorsOf = async (id: string) =>
    itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${id}/authenticators`));
  return { controller: () => controller, authority, change, post, identities, authenticatorsOf };
}
