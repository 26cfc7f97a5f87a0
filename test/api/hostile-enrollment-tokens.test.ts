/** Attacks on the tokens of enrollment: many use one in many ways, and race with those who take it away. */
import { expect } from 'chai';
import { entityOf, read } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient, makeLeaf, makeRequest, shownBy } from '../support/certificates.js';
import { newVerifiedCa } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { useHostileEnrollments } from './hostile-enrollment-support.js';

describe('hostile enrollment with a token', () => {
  const enrollments = useHostileEnrollments();
  const { count, enrollBy, invite } = enrollments;
  let controller: TestController;
  before(() => {
    controller = enrollments.controller();
  });

  const expectOneWinner = (answers: readonly Answer[]) => {
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    for (const { status } of answers) expect(status).to.be.oneOf([200, 400, 404]);
  };
  const expiresAt = () => new Date(Date.now() + 60_000).toISOString();

  it('of each method lets one of a hundred win, whatever forms and methods they use', async () => {
    const { id, ca } = await newVerifiedCa(controller);
    for (const [method, enrollment] of [
      ['ott', { ott: true }],
      ['updb', { updb: unique('user') }],
      ['/ottca', { ottca: id }],
    ] as const) {
      const { token, identityId } = await invite(enrollment);
      const shown = createCertificateClient(controller.url, shownBy(makeLeaf(ca)));
      const clientCsr = makeRequest().pem;
      const body = { token, clientCsr, password: 'pass word 1', certCsr: clientCsr, serverCertCsr: clientCsr };
      const forms = [
        `?token=${token}`,
        `?method=${method}&token=${token}`,
        '/ott',
        '/ottca',
        `/updb?token=${token}`,
        '/erott',
        `?method=erott&token=${token}`,
        `/ott?token=${token}`,
      ];
      const answers = await Promise.all(
        Array.from({ length: method === 'updb' ? 40 : 100 }, (_, index) =>
          shown.post(`${CLIENT}/enroll${forms[index % forms.length] ?? ''}`, body),
        ),
      );
      shown.close();
      expectOneWinner(answers);
      expect(await count('authenticators WHERE identity_id = $1', [identityId])).to.equal(1);
      expect(await count('enrollments WHERE identity_id = $1', [identityId])).to.equal(0);
    }
  });

  it('that is refreshed or deleted meanwhile works before or not at all', async () => {
    const { id: caId, ca } = await newVerifiedCa(controller);
    const methods = [{ ott: true }, { updb: '' }, { ottca: caId }];
    const rounds = await Promise.all(
      Array.from({ length: 18 }, async (_, index) => {
        const enrollment = methods[index % 3] as object;
        const { id, token, identityId } = await invite('updb' in enrollment ? { updb: unique('user') } : enrollment);
        const use =
          'ott' in enrollment
            ? controller.anonymous.post(`${CLIENT}/enroll/ott`, { token, clientCsr: makeRequest().pem })
            : 'updb' in enrollment
              ? controller.anonymous.post(`${CLIENT}/enroll/updb?token=${token}`, { password: 'pass word 1' })
              : enrollBy(makeLeaf(ca), '/ottca', { token });
        const take =
          index % 2 === 0
            ? controller.admin.delete(`${MANAGEMENT}/enrollments/${id}`)
            : controller.admin.post(`${MANAGEMENT}/enrollments/${id}/refresh`, { expiresAt: expiresAt() });
        const [used, taken] = await Promise.all([use, take]);
        expect([used.status, taken.status], `${used.text} ${taken.text}`).to.be.deep.oneOf([
          [200, 404],
          [404, 200],
        ]);
        return { identityId, isUsed: used.status === 200 };
      }),
    );
    for (const { identityId, isUsed } of rounds)
      expect(await count('authenticators WHERE identity_id = $1', [identityId])).to.equal(isUsed ? 1 : 0);
  });

  it('of a CA that is deleted meanwhile works before or not at all', async () => {
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { id, ca } = await newVerifiedCa(controller);
        const { token } = await invite({ ottca: id });
        const [used, gone] = await Promise.all([
          enrollBy(makeLeaf(ca), '/ottca', { token }),
          controller.admin.delete(`${MANAGEMENT}/cas/${id}`),
        ]);
        expectStatus(gone, 200);
        expect(used.status, used.text).to.be.oneOf([200, 400, 404]);
      }),
    );
    expect(await count("authenticators WHERE method = 'cert'")).to.equal(0);
  });

  it('answers an unknown token alike in every form; one expired or of another method stays', async () => {
    const { token, id } = await invite({ ott: true });
    await controller.database.query("UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE id = $1", [
      id,
    ]);
    const clientCsr = makeRequest().pem;
    const rest = async (answer: Promise<Answer>) => (await answer).text.replace(/"requestId":"[^"]*"/, '');
    for (const form of ['ott', 'ottca', 'erott']) {
      const texts = await Promise.all(
        ['00000000-0000-4000-8000-000000000000', 'nope', `${token}x`].map((other) =>
          rest(
            controller.anonymous.post(`${CLIENT}/enroll/${form}`, {
              token: other,
              clientCsr,
              serverCsr: clientCsr,
            }),
          ),
        ),
      );
      expect(new Set(texts).size).to.equal(1);
      expect(texts[0]).to.include('INVALID_ENROLLMENT_TOKEN');
    }
    const other = await invite({ updb: unique('user') });
    expectStatus(await controller.anonymous.post(`${CLIENT}/enroll/ott`, { token: other.token, clientCsr }), 400);
    expect((await read(controller, `enrollments/${other.id}`))['token']).to.equal(other.token);
    expect(entityOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/enrollments/${id}`), 200)).id).to.equal(id);
  });
});
