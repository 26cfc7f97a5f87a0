/** Verification of a CA: the certificate that proves its key, and what proves nothing. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { makeCa, makeLeaf, makeSelfSigned } from '../support/certificates.js';
import type { CertificateOptions, TestCertificate } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { linksOf, make, read } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/cas`;
const HOUR_MS = 3_600_000;

describe('verification of a CA', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const detail = async (id: string) => read(controller, `cas/${id}`);
  const verify = async (id: string, pem: string, contentType = 'text/plain') =>
    controller.admin.send('POST', `${PATH}/${id}/verify`, undefined, {
      rawBody: pem,
      headers: { 'content-type': contentType },
    });

  const subject = async (ca = makeCa()) => {
    const id = await make(controller, 'cas', {
      name: unique('ca'),
      certPem: ca.pem,
      identityRoles: [],
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
    });
    return { id, ca, token: (await detail(id))['verificationToken'] as string };
  };
  const expectRefused = async (id: string, pem: string, status: number, code: string) => {
    const answer = expectStatus(await verify(id, pem), status);
    expect(answer.error?.code).to.equal(code);
    expect((await detail(id))['isVerified']).to.equal(false);
  };

  it('refuses what is no certificate', async () => {
    const { id, ca, token } = await subject();
    for (const pem of [
      'garbage',
      '{}',
      ca.privateKeyPem,
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      `${makeLeaf(ca, { commonName: token }).pem}${ca.privateKeyPem}`,
    ]) {
      await expectRefused(id, pem, 400, 'COULD_NOT_PARSE_BODY');
    }
    await expectRefused(id, '', 400, 'COULD_NOT_VALIDATE');
    expectStatus(await verify(id, makeLeaf(ca, { commonName: token }).pem, 'application/json'), 415);
    expectNotFound(await verify('nope', 'x'), 'ca with id nope not found');
  });

  it('refuses another common name, and the token beside another one', async () => {
    const { id, ca, token } = await subject();
    const other = await subject();
    for (const commonName of ['other', '', `${token} `, `x,CN=${token}`, other.token]) {
      await expectRefused(id, makeLeaf(ca, { commonName }).pem, 400, 'INVALID_COMMON_NAME');
    }
    await expectRefused(
      id,
      `${makeLeaf(ca).pem}${makeLeaf(ca, { commonName: token }).pem}`,
      400,
      'INVALID_COMMON_NAME',
    );
  });

  it('refuses a certificate that the CA did not sign, or that is outside its time', async () => {
    const { id, ca, token } = await subject();
    const stranger = makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId });
    const options: readonly (readonly [TestCertificate, CertificateOptions])[] = [
      [makeCa(), {}],
      [stranger, {}],
      [ca, { isForged: true }],
      [ca, { notBefore: new Date(Date.now() - 3 * HOUR_MS), notAfter: new Date(Date.now() - HOUR_MS) }],
      [ca, { notBefore: new Date(Date.now() + HOUR_MS) }],
    ];
    for (const [issuer, more] of options)
      await expectRefused(
        id,
        makeLeaf(issuer, { commonName: token, ...more }).pem,
        400,
        'CERTIFICATE_FAILED_VALIDATION',
      );
    await expectRefused(
      id,
      `${makeSelfSigned({ commonName: token }).pem}${ca.pem}`,
      400,
      'CERTIFICATE_FAILED_VALIDATION',
    );
    const leaf = makeLeaf(ca);
    await expectRefused(
      id,
      `${makeLeaf(leaf, { commonName: token }).pem}${leaf.pem}`,
      400,
      'CERTIFICATE_FAILED_VALIDATION',
    );
    await expectRefused(
      id,
      `${makeLeaf(makeCa(), { commonName: token }).pem}${ca.pem}`,
      400,
      'CERTIFICATE_FAILED_VALIDATION',
    );
  });

  it('takes a certificate of any extended key usage: it proves the key and nothing else', async () => {
    for (const extendedKeyUsage of [['serverAuth'], ['1.3.6.1.5.5.7.3.3'], null]) {
      const { id, ca, token } = await subject();
      expectStatus(await verify(id, makeLeaf(ca, { commonName: token, extendedKeyUsage }).pem), 200);
    }
  });

  it('takes a certificate of the CA once, keeps the token readable and drops the link', async () => {
    const { id, ca, token } = await subject();
    const proof = makeLeaf(ca, { commonName: token }).pem;
    expect(expectStatus(await verify(id, proof), 200).data).to.deep.equal({});
    const after = await detail(id);
    expect(after).to.deep.include({ isVerified: true, verificationToken: token });
    expect(linksOf(after)).to.not.have.property('verify');
    expect(expectStatus(await verify(id, proof), 409).error?.code).to.equal('CA_ALREADY_VERIFIED');
  });

  it('takes one through intermediates', async () => {
    const { id, ca, token } = await subject();
    const [upper] = [makeCa({ parent: ca })];
    const lower = makeCa({ parent: upper });
    await expectRefused(id, makeLeaf(lower, { commonName: token }).pem, 400, 'CERTIFICATE_FAILED_VALIDATION');
    expectStatus(
      await verify(id, [makeLeaf(lower, { commonName: token }), upper, lower].map(({ pem }) => pem).join('')),
      200,
    );
  });

  it('takes one for an intermediate CA without its root, and RSA', async () => {
    const { id, ca, token } = await subject(makeCa({ parent: makeCa(), keyKind: 'rsa-2048' }));
    expectStatus(await verify(id, makeLeaf(ca, { commonName: token }).pem), 200);
  });

  it('counts once when many prove it at the same time', async () => {
    const { id, ca, token } = await subject();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => verify(id, makeLeaf(ca, { commonName: token }).pem)),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(7).fill(409)]);
  });
});
