/** Enrollment with a token and a certificate of a registered CA (method ottca). */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { makeCa, makeLeaf, makeSelfSigned } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { knownControllers, read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { COMMON_NAME, HOUR_MS, expectInUse, useCertificateEnrollments } from './certificate-enrollment-support.js';

describe('enrollment with a token and a certificate', () => {
  const { authority, change, post, authenticatorsOf, ...suite } = useCertificateEnrollments();
  let controller: TestController;
  before(() => {
    controller = suite.controller();
  });
  const invited = async (caId: string, extra: object = {}) => {
    const id = await makeIdentity(controller, {
      enrollment: { ottca: caId },
      ...extra,
    });
    const { enrollment } = await read<{
      enrollment: { ottca: { token: string } };
    }>(controller, `identities/${id}`);
    return { id, token: enrollment.ottca.token };
  };
  const enroll = async (token: string, leaf: TestCertificate, others: readonly TestCertificate[] = []) =>
    post('ottca', leaf, others, { token });

  it('refuses certificates that do not lead to the CA, and keeps the token', async () => {
    const { id: caId, ca } = await authority();
    const other = await authority();
    const { id, token } = await invited(caId);
    const victim = makeLeaf(ca);
    const stranger = makeSelfSigned();
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll/ottca`, { token }),
      400,
      'CERTIFICATE_FAILED_VALIDATION',
    );
    for (const [leaf, others] of [
      [makeLeaf(makeCa()), []],
      [makeLeaf(other.ca), []],
      [makeLeaf(other.ca), [ca]],
      [stranger, []],
      [stranger, [ca]],
      [stranger, [victim, ca]],
      [makeSelfSigned({ subject: victim.subject }), [victim]],
      [makeLeaf(victim), [victim]],
      [makeLeaf(ca, { isForged: true }), []],
      [makeLeaf(makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId })), []],
      [ca, []],
      [makeLeaf(ca, { notBefore: new Date(Date.now() - 3 * HOUR_MS), notAfter: new Date(Date.now() - HOUR_MS) }), []],
      [makeLeaf(ca, { notBefore: new Date(Date.now() + HOUR_MS) }), []],
      [makeLeaf(ca, { extendedKeyUsage: ['serverAuth'] }), []],
    ] as const)
      expectError(await enroll(token, leaf, others), 400, 'CERTIFICATE_FAILED_VALIDATION');
    // TLS itself checks signatures within what was sent, and may end the connection over a wrong one.
    expectStatus(
      await enroll(token, makeLeaf(makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId })), [ca]),
      400,
    );
    expect(await authenticatorsOf(id)).to.deep.equal([]);
    expectStatus(await enroll(token, victim), 200);
  });

  it('refuses a CA that is unverified, disabled or gone', async () => {
    const unverified = await authority({ isVerified: false });
    expectError(
      await enroll((await invited(unverified.id)).token, makeLeaf(unverified.ca)),
      400,
      'ENROLLMENT_CA_NOT_VALID',
    );
    const { id: caId, ca } = await authority();
    const { id, token } = await invited(caId);
    await change(caId, { isOttCaEnrollmentEnabled: false });
    expectError(await enroll(token, makeLeaf(ca)), 400, 'ENROLLMENT_CA_NOT_VALID');
    await change(caId, { isOttCaEnrollmentEnabled: true, isAuthEnabled: false, isAutoCaEnrollmentEnabled: false });
    const gone = await invited(caId);
    expectStatus(await enroll(token, makeLeaf(ca)), 200);
    expect(await authenticatorsOf(id)).to.have.length(1);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
    expectError(await enroll(gone.token, makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
    expect(await authenticatorsOf(id)).to.deep.equal([]);
  });

  it('refuses tokens that are unknown, expired, or of another method', async () => {
    const { id: caId, ca } = await authority();
    const { token } = await invited(caId);
    for (const bad of ['', 'nope', '5c0f0bb8-6a0e-4d0b-8a4e-51b9e0c7d5aa'])
      expectError(await enroll(bad, makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
    expectError(await post('ottca', makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
    const id = await makeIdentity(controller, {
      enrollment: { ott: true },
    });
    const { enrollment } = await read<{
      enrollment: { ott: { token: string } };
    }>(controller, `identities/${id}`);
    expectError(await enroll(enrollment.ott.token, makeLeaf(ca)), 400, 'INVALID_ENROLL_METHOD');
    await controller.database.query(
      "UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE token = $1",
      [token],
    );
    expectError(await enroll(token, makeLeaf(ca)), 400, 'ENROLLMENT_EXPIRED');
  });

  it('gives the identity the certificate, once', async () => {
    const { id: caId, ca } = await authority();
    const { id, token } = await invited(caId);
    const leaf = makeLeaf(ca);
    const answer = expectStatus(await post(`ottca?token=${token}`, leaf), 200);
    expect(answer.data).to.deep.equal({ controllers: await knownControllers(controller) });
    const [made] = await authenticatorsOf(id);
    expect(made).to.deep.include({ method: 'cert', fingerprint: leaf.fingerprint, certPem: leaf.pem });
    const { rows } = await controller.database.query(
      'SELECT ca_id, public_key_print, is_issued_by_network FROM authenticators WHERE fingerprint = $1',
      [leaf.fingerprint],
    );
    expect(rows[0]).to.deep.include({ ca_id: caId, is_issued_by_network: false });
    expect(rows[0]?.['public_key_print']).to.match(/^[0-9a-f]{64}$/);
    expect((await read(controller, `identities/${id}`))['enrollment']).to.deep.equal({});
    expectError(await enroll(token, makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
  });

  it('takes a chain through intermediates in any order', async () => {
    const { id: caId, ca } = await authority();
    const { token } = await invited(caId);
    const upper = makeCa({ parent: ca });
    const lower = makeCa({ parent: upper });
    const leaf = makeLeaf(lower);
    expectError(await enroll(token, leaf, [lower]), 400, 'CERTIFICATE_FAILED_VALIDATION');
    expectStatus(await enroll(token, leaf, [upper, lower, ca]), 200);
  });

  it('gives one authenticator to twenty at the same time', async () => {
    const { id: caId, ca } = await authority();
    const { id, token } = await invited(caId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => enroll(token, makeLeaf(ca))));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(19).fill(404)]);
    expect(await authenticatorsOf(id)).to.have.length(1);
  });

  it('refuses a certificate that is in use, and keeps the token', async () => {
    const { id: caId, ca } = await authority();
    const [first, second] = [await invited(caId), await invited(caId)];
    const leaf = makeLeaf(ca);
    expectStatus(await enroll(first.token, leaf), 200);
    expectInUse(await enroll(second.token, leaf), leaf);
    expectStatus(await enroll(second.token, makeLeaf(ca)), 200);
    const many = await Promise.all(Array.from({ length: 6 }, () => invited(caId)));
    const shared = makeLeaf(ca);
    const answers = await Promise.all(many.map(({ token }) => enroll(token, shared)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(5).fill(409)]);
  });

  it('binds the claim of the certificate instead, where the CA has one', async () => {
    const { id: caId, ca } = await authority({
      externalIdClaim: { ...COMMON_NAME, matcher: 'PREFIX', matcherCriteria: 'dev-' },
    });
    const { id, token } = await invited(caId);
    const device = `dev-${unique('device')}`;
    expectError(await enroll(token, makeLeaf(ca, { commonName: 'other' })), 400, 'MISSING_CERT_CLAIM');
    expectStatus(await enroll(token, makeLeaf(ca, { commonName: device })), 200);
    expect(await read(controller, `identities/${id}`)).to.deep.include({
      externalId: device.slice('dev-'.length),
      enrollment: {},
    });
    expect(await authenticatorsOf(id)).to.deep.equal([]);
    const second = await invited(caId);
    const thief = makeLeaf(ca, { commonName: device });
    expectInUse(await enroll(second.token, thief), thief);
    const third = await invited(caId, { externalId: unique('dev') });
    expectError(
      await enroll(third.token, makeLeaf(ca, { commonName: unique('dev') })),
      400,
      'CERTIFICATE_FAILED_VALIDATION',
    );
    const { externalId } = await read(controller, `identities/${third.id}`);
    expectStatus(await enroll(third.token, makeLeaf(ca, { commonName: `dev-${externalId as string}` })), 200);
  });
});
