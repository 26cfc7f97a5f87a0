/** What the suites of attacks on enrollment share: invitations, and clients that enroll by certificates. */
import { itemsOf } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';

/** A controller for the suite in which this is called; CAs and identities go after each test. */
export function useHostileEnrollments() {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  afterEach(async () => {
    await controller.database.query('DELETE FROM cas');
    await controller.database.query('DELETE FROM identities WHERE NOT is_default_admin');
  });
  after(() => controller.stop());

  const count = async (sql: string, values: unknown[] = []) =>
    Number((await controller.database.query(`SELECT count(*)::int AS n FROM ${sql}`, values)).rows[0]?.['n']);
  const enrollBy = async (leaf: TestCertificate, path = '/ca', body?: object): Promise<Answer> => {
    const client = createCertificateClient(controller.url, shownBy(leaf));
    try {
      return await client.post(`${CLIENT}/enroll${path}`, body);
    } finally {
      client.close();
    }
  };
  const invite = async (enrollment: object) => {
    const identityId = await makeIdentity(controller, {
      name: unique('invited'),
      enrollment,
    });
    const [item] = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`));
    return { identityId, id: item?.id ?? '', token: item?.['token'] as string };
  };

  return { controller: () => controller, count, enrollBy, invite };
}
