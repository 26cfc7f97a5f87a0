/** The tokens of enrollment by certificate request: unknown, used, refreshed, expired, and used by many at once. */
import 'reflect-metadata';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { makeRequest } from '../support/certificates.js';
import type { TestController } from '../support/controller.js';
import { unique } from '../support/controller.js';
import { itemsOf, read, totalOf } from '../support/entities.js';
import { expectError, expectField } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { useOttEnrollments } from './enroll-ott-support.js';

describe('a token of enrollment by certificate request', () => {
  const enrollments = useOttEnrollments();
  const { ott, sendPem, enroll, certOf, authenticators, isUnused, leafOf } = enrollments;
  let controller: TestController;
  before(() => {
    controller = enrollments.controller();
  });

  it('that nobody has is 404, whatever it looks like', async () => {
    const tokens = [
      '00000000-0000-4000-8000-000000000000',
      'nope',
      '',
      '%00',
      "' or 1=1 --",
      '*',
      '%25',
      'x'.repeat(512),
    ];
    const answers = await Promise.all(
      tokens.flatMap((token) => [
        enroll(encodeURIComponent(token)),
        sendPem(`${CLIENT}/enroll/ott?token=${encodeURIComponent(token)}`, makeRequest().pem),
      ]),
    );
    for (const answer of answers) expectError(answer, 404, 'INVALID_ENROLLMENT_TOKEN');
    expect(new Set(answers.map(({ text }) => text.replace(/"requestId":"[^"]*"/, ''))).size).to.equal(1);
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll/ott`, { clientCsr: makeRequest().pem }),
      404,
      'INVALID_ENROLLMENT_TOKEN',
    );
  });

  it('that is longer than any is 400', async () => {
    const token = 'x'.repeat(513);
    const reason = (place: string) => `token in ${place} should be at most 512 chars long`;
    expectField(await enroll(token), 'token', reason('query'));
    const clientCsr = makeRequest().pem;
    expectField(await controller.anonymous.post(`${CLIENT}/enroll/ott`, { token, clientCsr }), 'token', reason('body'));
  });

  it('works once', async () => {
    const { token, identityId } = await ott();
    expectStatus(await enroll(token), 200);
    expectError(await enroll(token), 404, 'INVALID_ENROLLMENT_TOKEN');
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll/ott`, { token, clientCsr: makeRequest().pem }),
      404,
      'INVALID_ENROLLMENT_TOKEN',
    );
    expect(await authenticators(identityId)).to.have.length(1);
  });

  it('works once, also for a hundred at the same time', async () => {
    const { token, identityId } = await ott();
    const requests = Array.from({ length: 100 }, () => makeRequest().pem);
    const answers = await Promise.all(requests.map((pem) => enroll(token, pem)));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).to.deep.equal([]);
    for (const answer of answers.filter((each) => each !== winner))
      expectError(answer, 404, 'INVALID_ENROLLMENT_TOKEN');
    const held = await authenticators(identityId);
    const fingerprint = leafOf(certOf(winner as Answer))
      .fingerprint.replaceAll(':', '')
      .toLowerCase();
    expect(held.map((each) => each['fingerprint'])).to.deep.equal([fingerprint]);
    const { rows } = await controller.database.query(
      'SELECT fingerprint FROM issued_certificates WHERE subject_id = $1',
      [identityId],
    );
    expect(rows).to.deep.equal([{ fingerprint }]);
  });

  it('that was refreshed or deleted is worth nothing; the new one works', async () => {
    const { token, id } = await ott();
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/enrollments/${id}/refresh`, {
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      }),
      200,
    );
    expectError(await enroll(token), 404, 'INVALID_ENROLLMENT_TOKEN');
    expectStatus(await enroll((await read(controller, `enrollments/${id}`))['token'] as string), 200);
    const gone = await ott();
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/enrollments/${gone.id}`), 200);
    expectError(await enroll(gone.token), 404, 'INVALID_ENROLLMENT_TOKEN');
  });

  it('that has expired is 400 and stays', async () => {
    const enrollment = await ott();
    await controller.database.query("UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE id = $1", [
      enrollment.id,
    ]);
    expectError(await enroll(enrollment.token), 400, 'ENROLLMENT_EXPIRED');
    await isUnused(enrollment);
  });

  it('of another method is 400 and stays', async () => {
    const enrollment = await ott();
    for (const method of ['updb', 'ottca', 'erott', 'trott', 'magic']) {
      expectError(
        await sendPem(`${CLIENT}/enroll?method=${method}&token=${enrollment.token}`, makeRequest().pem),
        400,
        'INVALID_ENROLL_METHOD',
      );
    }
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll/erott`, {
        token: enrollment.token,
        clientCsr: makeRequest().pem,
        serverCsr: makeRequest().pem,
      }),
      400,
      'INVALID_ENROLL_METHOD',
    );
    await isUnused(enrollment);
    const identityId = await makeIdentity(controller, {
      enrollment: { updb: unique('user') },
    });
    const [updb] = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`));
    expectError(await enroll(updb?.['token'] as string), 400, 'INVALID_ENROLL_METHOD');
    expectError(
      await sendPem(`${CLIENT}/enroll/ott?token=${updb?.['token'] as string}`, makeRequest().pem),
      400,
      'INVALID_ENROLL_METHOD',
    );
  });

  it('of an identity that goes at the same time leaves nothing behind and fails cleanly', async () => {
    const rounds = await Promise.all(Array.from({ length: 20 }, ott));
    await Promise.all(
      rounds.map(async ({ identityId, token }) => {
        const [answer, gone] = await Promise.all([
          enroll(token),
          controller.admin.delete(`${MANAGEMENT}/identities/${identityId}`),
        ]);
        expectStatus(gone, 200);
        expect([200, 404]).to.include(answer.status);
      }),
    );
    const { rows } = await controller.database.query(
      'SELECT count(*)::int AS n FROM authenticators WHERE identity_id = ANY ($1)',
      [rounds.map(({ identityId }) => identityId)],
    );
    expect(rows[0]?.['n']).to.equal(0);
    expect(
      totalOf(await controller.admin.get(`${MANAGEMENT}/identities?filter=id%3D%22${rounds[0]?.identityId ?? ''}%22`)),
    ).to.equal(0);
  });
});
