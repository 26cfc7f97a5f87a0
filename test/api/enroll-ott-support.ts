/** What the suites of enrollment by certificate request share: one-time tokens, and requests that use them. */
import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { makeRequest } from '../support/certificates.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, read } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

export const PEM = 'application/x-pem-file';

export interface Ott {
  readonly identityId: string;
  readonly id: string;
  readonly token: string;
}

/** A controller for the suite in which this is called. */
export function useOttEnrollments() {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const ott = async (): Promise<Ott> => {
    const identityId = await makeIdentity(controller, {
      type: 'Device',
      enrollment: { ott: true },
    });
    const [record] = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`));
    return { identityId, id: record?.id ?? '', token: record?.['token'] as string };
  };
  const sendPem = async (path: string, pem: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    controller.anonymous.post(path, undefined, { rawBody: pem, headers: { 'content-type': PEM, ...headers } });
  const enroll = async (
    token: string,
    pem: string | Buffer = makeRequest().pem,
    headers: Record<string, string> = {},
  ): Promise<Answer> => sendPem(`${CLIENT}/enroll?method=ott&token=${token}`, pem, headers);
  const certOf = (answer: Answer): string => (answer.data as { cert: string }).cert;
  const authenticators = async (identityId: string) =>
    itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`));
  const isUnused = async ({ identityId, id }: Ott): Promise<void> => {
    expect(await authenticators(identityId)).to.deep.equal([]);
    await read(controller, `enrollments/${id}`);
    const { rows } = await controller.database.query(
      'SELECT count(*)::int AS n FROM issued_certificates WHERE subject_id = $1',
      [identityId],
    );
    expect(rows[0]?.['n']).to.equal(0);
  };
  const leafOf = (chain: string) => new X509Certificate(chain);

  return { controller: () => controller, ott, sendPem, enroll, certOf, authenticators, isUnused, leafOf };
}
