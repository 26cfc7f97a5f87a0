/**
 * Authenticators with certificates: made and removed by administrators, and the logins that end with them. Against a
 * whole controller.
 */
import { expect } from 'chai';
import { makeCa, makeLeaf, makeRequest, makeSelfSigned, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { enrollByRequest, newCertifiedCaller, newVerifiedCa, tryCertificateLogin } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, itemsOf, make, read, totalOf } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/authenticators`;
const HOUR_MS = 3_600_000;

describe('certificate authenticators', () => {
  let controller: TestController;
  let ca: TestCertificate;
  let caId: string;
  before(async () => {
    controller = await startTestController();
    ({ id: caId, ca } = await newVerifiedCa(controller));
  });
  after(() => controller.stop());

  const identity = async () => makeIdentity(controller);
  const post = async (identityId: string, certPem?: string) =>
    controller.admin.post(PATH, { method: 'cert', identityId, ...(certPem === undefined ? {} : { certPem }) });
  const create = async (identityId: string, certPem: string, extra: object = {}) =>
    make(controller, 'authenticators', { method: 'cert', identityId, certPem, ...extra });
  const detail = async (id: string) => read(controller, `authenticators/${id}`);
  const listed = async (filter: string) =>
    idsOf(expectStatus(await controller.admin.get(`${PATH}?limit=100&filter=${encodeURIComponent(filter)}`), 200));
  const codeOf = (answer: Answer) => expectStatus(answer, 400).error?.code;

  describe('made by an administrator', () => {
    it('are not made from what is not one certificate and its intermediates', async () => {
      const identityId = await identity();
      const leaf = makeLeaf(ca);
      for (const certPem of [undefined, ''])
        expectField(await post(identityId, certPem), 'certPem', 'certPem is required');
      const broken = leaf.pem.replace(/\n[^\n]{10}/, '\n');
      for (const certPem of [
        'nope',
        broken,
        `${leaf.pem}${broken}`,
        makeRequest().pem,
        leaf.privateKeyPem,
        `${leaf.pem}${leaf.privateKeyPem}`,
        `${leaf.pem}${makeLeaf(ca).pem}`,
        `${leaf.pem}${leaf.pem}`,
        `${ca.pem}${leaf.pem}`,
        leaf.pem + ca.pem.repeat(20),
        '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      ]) {
        expect(codeOf(await post(identityId, certPem)), certPem).to.equal('COULD_NOT_PARSE_PEM_BLOCK');
      }
      expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`))).to.equal(0);
    });

    it('are not made from a certificate that leads to nobody who is trusted, or that has no power', async () => {
      const identityId = await identity();
      const stranger = makeCa();
      const namesake = makeCa({ subject: ca.subject });
      const unverified = makeCa();
      await make(controller, 'cas', {
        name: unique('ca'),
        certPem: unverified.pem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [],
      });
      const selfSigned = makeSelfSigned();
      const past = new Date(Date.now() - HOUR_MS);
      const refused: readonly [string, string][] = [
        ['self-signed', selfSigned.pem],
        ['self-signed with a trusted CA after it', selfSigned.pem + ca.pem],
        ['of a stranger', makeLeaf(stranger).pem],
        ['of a stranger who sends itself', makeLeaf(stranger).pem + stranger.pem],
        ['of a namesake', makeLeaf(namesake).pem + ca.pem],
        ['of a CA that is not verified', makeLeaf(unverified).pem],
        ['forged', makeLeaf(ca, { isForged: true }).pem],
        ['a CA itself', makeCa({ parent: ca }).pem],
        ['a registered CA', ca.pem],
        ['expired', makeLeaf(ca, { notBefore: new Date(past.getTime() - HOUR_MS), notAfter: past }).pem],
        ['not yet valid', makeLeaf(ca, { notBefore: new Date(Date.now() + HOUR_MS) }).pem],
        ['for servers', makeLeaf(ca, { extendedKeyUsage: ['serverAuth'] }).pem],
      ];
      for (const [what, certPem] of refused)
        expect(codeOf(await post(identityId, certPem)), what).to.equal('INVALID_CLIENT_CERT');
      expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`))).to.equal(0);
    });

    it('belong to one identity that is there', async () => {
      const leaf = makeLeaf(ca);
      expectNotFound(await post('nope', leaf.pem), 'identity with id nope not found');
      const owner = await identity();
      await create(owner, leaf.pem);
      const reason = `duplicate value '${leaf.fingerprint}' in unique index on authenticators store`;
      for (const id of [owner, await identity()])
        expectField(await post(id, leaf.pem), 'certFingerprint', reason, leaf.fingerprint);
      const { shown } = await newCertifiedCaller(controller).then((caller) => {
        caller.certified.close();
        return caller;
      });
      expectField(await post(owner, shown.cert), 'certFingerprint', /^duplicate value/);
    });

    it('are for administrators to make', async () => {
      const caller = await controller.newCaller();
      const answer = await caller.client.post(PATH, {
        method: 'cert',
        identityId: caller.id,
        certPem: makeLeaf(ca).pem,
      });
      expectStatus(answer, 401);
    });

    it('read back whole, keep the leaf alone, and log in', async () => {
      const identityId = await identity();
      const intermediate = makeCa({ parent: ca });
      const [plain, deep] = [makeLeaf(ca), makeLeaf(intermediate)];
      const id = await create(identityId, plain.pem, { tags: { a: 1 } });
      const below = await create(identityId, deep.pem + intermediate.pem);
      const { createdAt, updatedAt, _links, identity: reference, ...rest } = await detail(id);
      expect(rest).to.deep.equal({
        id,
        identityId,
        method: 'cert',
        tags: { a: 1 },
        certPem: plain.pem,
        fingerprint: plain.fingerprint,
        isIssuedByNetwork: false,
        lastAuthResolvedToRoot: false,
        lastExtendRolledKeys: false,
      });
      expect(createdAt).to.equal(updatedAt);
      expect([_links, reference]).to.deep.include.members([
        { self: { href: `./authenticators/${id}` }, identities: { href: `./identities/${identityId}` } },
      ]);
      expect(await detail(below)).to.include({ certPem: deep.pem, fingerprint: deep.fingerprint });
      expect(
        idsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`)).sort(),
      ).to.deep.equal([id, below].sort());
      const [first = ''] = [id, below].sort();
      expect((await read(controller, `identities/${identityId}`))['authenticators']).to.deep.equal({
        cert: { id: first, fingerprint: first === id ? plain.fingerprint : deep.fingerprint },
      });
      expectStatus(await tryCertificateLogin(controller, shownBy(plain)), 200);
      expectStatus(await tryCertificateLogin(controller, shownBy(deep, intermediate)), 200);
    });

    it('of a CA end with it', async () => {
      const own = await newVerifiedCa(controller);
      const leaf = makeLeaf(own.ca);
      const id = await create(await identity(), leaf.pem);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${own.id}`), 200);
      expectNotFound(await controller.admin.get(`${PATH}/${id}`), `authenticator with id ${id} not found`);
      expectStatus(await tryCertificateLogin(controller, shownBy(leaf)), 403);
    });
  });

  it('have no username or password to change, but tags', async () => {
    const leaf = makeLeaf(ca);
    const id = await create(await identity(), leaf.pem);
    const before = await detail(id);
    const change = { username: unique('user'), password: 'pass word 1' };
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, change), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { ...change, tags: { a: 1 } }), 200);
    expect(await detail(id))
      .to.deep.include({ certPem: leaf.pem, tags: { a: 1 } })
      .and.not.have.property('username');
    expectStatus(await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, change), 403);
    expectStatus(await tryCertificateLogin(controller, shownBy(leaf)), 200);
  });

  it('are shown to their owner, who cannot set them', async () => {
    const caller = await newCertifiedCaller(controller);
    caller.certified.close();
    const own = `${CLIENT}/current-identity/authenticators`;
    const found = itemsOf(await caller.client.get(`${own}?filter=method%3D%22cert%22`));
    expect(found).to.have.length(1);
    expect(found[0]).to.include({
      id: caller.authenticatorId,
      isIssuedByNetwork: true,
      lastAuthResolvedToRoot: false,
      lastExtendRolledKeys: false,
    });
    expect((await caller.client.get(`${own}/${caller.authenticatorId}`)).data).to.deep.equal(found[0]);
    const body = { username: unique('user'), password: 'pass word 1', currentPassword: caller.password };
    for (const answer of [
      await caller.client.put(`${own}/${caller.authenticatorId}`, body),
      await caller.client.patch(`${own}/${caller.authenticatorId}`, body),
    ]) {
      expect(expectStatus(answer, 409).error?.code).to.equal('CAN_NOT_UPDATE_AUTHENTICATOR');
    }
  });

  it('are found by what they have', async () => {
    const caller = await newCertifiedCaller(controller);
    caller.certified.close();
    const leaf = makeLeaf(ca);
    const foreign = await create(caller.id, leaf.pem);
    const mine = `identity = "${caller.id}" and method = "cert"`;
    expect(await listed(`certFingerprint = "${leaf.fingerprint}"`)).to.deep.equal([foreign]);
    expect(await listed(`${mine} and isIssuedByNetwork = true`)).to.deep.equal([caller.authenticatorId]);
    expect(await listed(`${mine} and isIssuedByNetwork = false`)).to.deep.equal([foreign]);
    expect(await listed(`${mine} and isExtendRequested = true`)).to.deep.equal([]);
    expectStatus(
      await controller.admin.post(`${PATH}/${caller.authenticatorId}/request-extend`, { rollKeys: true }),
      200,
    );
    const { extendRequestedAt } = await detail(caller.authenticatorId);
    for (const filter of [
      'isExtendRequested = true',
      'isKeyRollRequested = true',
      `extendRequestedAt = datetime(${extendRequestedAt as string})`,
      'lastExtendRolledKeys = false and isIssuedByNetwork = true',
      'lastAuthResolvedToRoot = false and isIssuedByNetwork = true',
    ]) {
      expect(await listed(`${mine} and ${filter}`), filter).to.deep.equal([caller.authenticatorId]);
    }
    const { meta } = await controller.admin.get(`${PATH}?limit=1`);
    expect(meta.filterableFields).to.include.members(['publicKeyPrint', 'certPem', 'lastAuthResolvedToRoot']);
  });

  it('take the sessions that they opened along, at once, and no others', async () => {
    const caller = await newCertifiedCaller(controller);
    caller.certified.close();
    const { token } = expectStatus(await tryCertificateLogin(controller, caller.shown), 200).data as { token: string };
    const ask = async () =>
      controller.anonymous.get(`${CLIENT}/current-identity`, { headers: { 'zt-session': token } });
    expectStatus(await ask(), 200);
    expectStatus(await controller.admin.delete(`${PATH}/${caller.authenticatorId}`), 200);
    expectStatus(await ask(), 401);
    expectStatus(await tryCertificateLogin(controller, caller.shown), 403);
    expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 200);
  });

  describe('turned back into an enrollment', () => {
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const revert = async (id: string, body: object = { expiresAt }) =>
      controller.admin.post(`${PATH}/${id}/re-enroll`, body);
    const enrollmentOf = async (answer: Answer) => {
      const { id, _links } = expectStatus(answer, 201).data as { id: string; _links: object };
      expect(_links).to.deep.equal({ self: { href: `./enrollments/${id}` } });
      return read(controller, `enrollments/${id}`);
    };

    it('stay what they are when the enrollment cannot be', async () => {
      const caller = await newCertifiedCaller(controller);
      caller.certified.close();
      expectNotFound(await revert('nope'), 'authenticator with id nope not found');
      for (const past of [new Date(Date.now() - 1000).toISOString(), '2016-12-31T23:59:60Z']) {
        expectField(await revert(caller.authenticatorId, { expiresAt: past }), 'expiresAt', /.+/);
      }
      expectField(await revert(caller.authenticatorId, {}), 'expiresAt', /required/);
      await make(controller, 'enrollments', { method: 'ott', identityId: caller.id, expiresAt });
      expect(expectStatus(await revert(caller.authenticatorId), 409).error?.code).to.equal('ENROLLMENT_EXISTS');
      expectStatus(await tryCertificateLogin(controller, caller.shown), 200);
      expectStatus(await caller.client.post(`${PATH}/${caller.authenticatorId}/re-enroll`, { expiresAt }), 401);
    });

    it('give `ott`, by which the identity gets a new one', async () => {
      const caller = await newCertifiedCaller(controller);
      caller.certified.close();
      const { token } = expectStatus(await tryCertificateLogin(controller, caller.shown), 200).data as {
        token: string;
      };
      const enrollment = await enrollmentOf(await revert(caller.authenticatorId));
      expect(enrollment).to.include({ method: 'ott', identityId: caller.id, expiresAt });
      expectNotFound(
        await controller.admin.get(`${PATH}/${caller.authenticatorId}`),
        `authenticator with id ${caller.authenticatorId} not found`,
      );
      expectStatus(
        await controller.anonymous.get(`${CLIENT}/current-identity`, { headers: { 'zt-session': token } }),
        401,
      );
      expectStatus(await tryCertificateLogin(controller, caller.shown), 403);
      expectStatus(
        await controller.anonymous.post(`${CLIENT}/enroll/ott`, {
          token: enrollment['token'],
          clientCsr: makeRequest().pem,
        }),
        200,
      );
    });

    it('give `ottca` for the CA of the certificate', async () => {
      const identityId = await identity();
      const id = await create(identityId, makeLeaf(ca).pem);
      expect(await enrollmentOf(await revert(id))).to.include({ method: 'ottca', identityId, caId });
    });

    it('give `updb` with the same username for a password', async () => {
      const caller = await controller.newCaller();
      const [{ id } = { id: '' }] = itemsOf(
        await controller.admin.get(`${MANAGEMENT}/identities/${caller.id}/authenticators`),
      );
      const enrollment = await enrollmentOf(await revert(id));
      expect(enrollment).to.include({ method: 'updb', identityId: caller.id, username: caller.username });
      expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 401);
      expectStatus(
        await controller.anonymous.post(`${CLIENT}/enroll?method=updb&token=${enrollment['token'] as string}`, {
          password: 'pass word 2',
        }),
        200,
      );
      expectStatus(
        await controller
          .login(caller.username, 'pass word 2')
          .then((client) => client.get(`${CLIENT}/current-identity`)),
        200,
      );
    });

    it('once, however often they are asked at the same time', async () => {
      const owner = await identity();
      const { authenticatorId } = await enrollByRequest(controller, owner);
      const answers = await Promise.all(Array.from({ length: 10 }, () => revert(authenticatorId)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array.from({ length: 9 }, () => 404)]);
      expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${owner}/enrollments`))).to.equal(1);
    });
  });
});
