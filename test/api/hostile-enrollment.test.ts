/**
 * Attacks on enrollment by certificates: hostile names and claims, keys that no client should show, and wishes for
 * rights.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { itemsOf, make, read } from '../support/entities.js';
import { expectLoginRefused } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { makeCa, makeKeys, makeLeaf, makeRequest, makeRsaKeys, nameOf, shownBy } from '../support/certificates.js';
import type { CertificateOptions, TestCertificate } from '../support/certificates.js';
import { newVerifiedCa, tryCertificateLogin } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { tlv } from '../support/der.js';
import { useHostileEnrollments } from './hostile-enrollment-support.js';

const CN = '2.5.4.3';
const CLAIM = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/** None when OpenSSL cannot open it: then no client can show it. */
function openable(make: () => TestCertificate): TestCertificate[] {
  try {
    return [make()];
  } catch {
    return [];
  }
}

describe('hostile enrollment', () => {
  const enrollments = useHostileEnrollments();
  const { count, enrollBy, invite } = enrollments;
  let controller: TestController;
  before(() => {
    controller = enrollments.controller();
  });
  const adminRights = () => count('identities WHERE is_admin');

  describe('with a certificate alone', () => {
    it('takes whatever a common name says as text', async () => {
      const { ca } = await newVerifiedCa(controller, { identityNameFormat: '[commonName]' });
      const texts = [
        '"quoted\' -- ;',
        '[caName][identityId]',
        '%s %00 \\x00 ${1} $1 $&',
        '../../x',
        '<script>',
        '\u202eevil',
        '\u{1f4a9}'.repeat(600),
        'é',
        'a,CN=admin',
        'x+OU=y',
        '_%\\',
        'true',
        'null',
      ];
      const {
        rows: [administrator],
      } = await controller.database.query('SELECT name FROM identities WHERE is_default_admin');
      const taken = String(administrator?.['name']);
      texts.push(taken);
      for (const text of texts) {
        expectStatus(await enrollBy(makeLeaf(ca, { commonName: text })), 200);
        const [identity, ...others] = itemsOf(
          await controller.admin.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent('isDefaultAdmin = false')}`),
        );
        expect(others).to.deep.equal([]);
        // The name of the administrator is taken: his namesake gets a number.
        expect(identity?.['name']).to.equal(text === taken ? `${taken}000001` : [...text].slice(0, 500).join(''));
        expect(identity).to.include({ isAdmin: false, isDefaultAdmin: false });
        await controller.database.query('DELETE FROM identities WHERE NOT is_default_admin');
      }
    });

    it('takes control characters and what is no text out of a name, and never fails on one', async () => {
      const { ca, id } = await newVerifiedCa(controller, { identityNameFormat: '[commonName]' });
      const values = [
        Buffer.from('a\nb\r\0c\u0085d\u001b[31m'),
        Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
        Buffer.alloc(0),
        Buffer.from(' \t\n'),
        Buffer.alloc(15_000, 0x61),
      ];
      const tags = [0x0c, 0x13, 0x14, 0x16, 0x1e, 0x1c, 0x04, 0x30];
      const leaves = tags.flatMap((tag) => values.map((value) => nameOf([CN, tlv(tag, value)])));
      leaves.push(
        nameOf(),
        nameOf([CN, 'first'], [CN, 'second']),
        nameOf([CN, tlv(0x1e, Buffer.from('d800', 'hex'))]),
        nameOf([CN, tlv(0x1c, Buffer.from('00110000', 'hex'))]),
      );
      const shown = leaves.flatMap((subject) => openable(() => makeLeaf(ca, { subject })));
      const statuses = await Promise.all(shown.map(async (leaf) => (await enrollBy(leaf)).status));
      expect(statuses.filter((status) => status !== 200 && status !== 400)).to.deep.equal([]);
      expect(statuses.filter((status) => status === 200).length).to.be.above(20);
      const { rows } = await controller.database.query('SELECT name FROM identities WHERE NOT is_default_admin');
      for (const { name } of rows)
        expect(String(name))
          .to.match(/^\P{Cc}+$/u)
          .and.have.length.below(600);
      await controller.admin.patch(`${MANAGEMENT}/cas/${id}`, { externalIdClaim: CLAIM });
      for (const { subject } of shown) expect((await enrollBy(makeLeaf(ca, { subject }))).status).to.be.below(500);
      const ids = await controller.database.query(
        'SELECT external_id AS id FROM identities WHERE external_id IS NOT NULL',
      );
      for (const { id: externalId } of ids.rows) expect(String(externalId)).to.match(/^\P{Cc}+$/u);
    });

    it('claims no external id that somebody has, an administrator least of all', async () => {
      const administrator = await controller.newCaller({ isAdmin: true });
      const externalId = unique('boss');
      expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${administrator.id}`, { externalId }), 200);
      const { ca, id } = await newVerifiedCa(controller, {
        externalIdClaim: CLAIM,
        isAuthEnabled: false,
        identityRoles: ['admin'],
      });
      const leaf = makeLeaf(ca, { commonName: externalId });
      expectStatus(await enrollBy(leaf), 409);
      expectStatus(await enrollBy(leaf, '?method=ca'), 409);
      const { token, identityId } = await invite({ ottca: id });
      expectStatus(await enrollBy(leaf, '/ottca', { token }), 409);
      expect(
        await count("authenticators WHERE identity_id = ANY ($1) AND method = 'cert'", [
          [administrator.id, identityId],
        ]),
      ).to.equal(0);
      expectLoginRefused(await tryCertificateLogin(controller, shownBy(leaf)));
      expect(await count('identities WHERE external_id = $1', [externalId])).to.equal(1);
      expect(await count('enrollments WHERE token = $1', [token])).to.equal(1);
    });

    it('makes one identity of one external id, however many certificates claim it at once', async () => {
      const { ca } = await newVerifiedCa(controller, { externalIdClaim: CLAIM });
      const externalId = unique('device');
      const statuses = await Promise.all(
        Array.from({ length: 12 }, async () => (await enrollBy(makeLeaf(ca, { commonName: externalId }))).status),
      );
      expect(statuses.sort()).to.deep.equal([200, ...Array<number>(11).fill(409)]);
      expect(await count('identities WHERE NOT is_default_admin')).to.equal(1);
    });

    it('makes nobody an administrator, whatever the body asks for', async () => {
      const { ca, id } = await newVerifiedCa(controller);
      const wishes = {
        isAdmin: true,
        isDefaultAdmin: true,
        roleAttributes: ['admin'],
        type: 'Router',
        authPolicyId: 'none',
        externalId: 'x',
        permissions: ['admin'],
        identityId: 'x',
        id: 'x',
      };
      const before = await adminRights();
      expectStatus(await enrollBy(makeLeaf(ca), '?method=ca', { name: 'wisher', ...wishes }), 200);
      expectStatus(await enrollBy(makeLeaf(ca), '/ca', wishes), 200);
      const { token } = await invite({ ottca: id });
      expectStatus(await enrollBy(makeLeaf(ca), '/ottca', { token, ...wishes }), 200);
      const ott = await invite({ ott: true });
      expectStatus(
        await controller.anonymous.post(`${CLIENT}/enroll/ott`, {
          token: ott.token,
          clientCsr: makeRequest().pem,
          ...wishes,
        }),
        200,
      );
      const updb = await invite({ updb: unique('user') });
      expectStatus(
        await controller.anonymous.post(`${CLIENT}/enroll/updb?token=${updb.token}`, {
          password: 'pass word 1',
          username: 'admin',
          ...wishes,
        }),
        200,
      );
      expect(await adminRights()).to.equal(before);
      expect(
        await count(
          "identities WHERE NOT is_default_admin AND (role_attributes <> '{}' OR type_id = 'Router' OR external_id " +
            "IS NOT NULL OR auth_policy_id <> 'default')",
        ),
      ).to.equal(0);
    });

    it('refuses odd keys, and those outside their time, cleanly in every form', async () => {
      const { ca, id } = await newVerifiedCa(controller);
      const { token, identityId } = await invite({ ottca: id });
      const hour = 3_600_000;
      const odd: CertificateOptions[] = [
        { keys: makeRsaKeys(3) },
        { keys: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }) },
        { notAfter: new Date(Date.now() - hour / 2) },
        { notBefore: new Date(Date.now() + hour) },
        { isForged: true },
        { basicConstraints: { isCa: true } },
        { extendedKeyUsage: ['serverAuth'] },
        { keyUsage: ['keyCertSign'] },
      ];
      for (const [index, options] of odd.entries()) {
        const leaf = makeLeaf(ca, options);
        expect([index, (await enrollBy(leaf)).status]).to.deep.equal([index, 400]);
        expect([index, (await enrollBy(leaf, '/ottca', { token })).status]).to.deep.equal([index, 400]);
        expect([
          index,
          (await enrollBy(leaf, '/extend/router', { certCsr: 'x', serverCertCsr: 'x' })).status,
        ]).to.deep.equal([index, 401]);
        expectLoginRefused(await tryCertificateLogin(controller, shownBy(leaf)));
      }
      expect(await count('authenticators WHERE identity_id = $1', [identityId])).to.equal(0);
      expectStatus(await enrollBy(makeLeaf(ca, { keyKind: 'ec-p521' }), '/ottca', { token }), 200);
    });
  });

  it('survives a request whose key is the point at infinity, though Node would end the process', async () => {
    const { token } = await invite({ ott: true });
    const spki = Buffer.from('3019301306072a8648ce3d020106082a8648ce3d03010703020000', 'hex');
    const keys = { privateKey: makeKeys().privateKey, publicKey: { export: () => spki } as unknown as KeyObject };
    const answer = await controller.anonymous.post(`${CLIENT}/enroll/ott`, {
      token,
      clientCsr: makeRequest({ keys }).pem,
    });
    expectStatus(answer, 400);
    const certPem = makeCa({ keys }).pem;
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/cas`, {
        name: unique('ca'),
        certPem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [],
      }),
      400,
    );
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/authenticators`, {
        identityId: (await invite({ ott: true })).identityId,
        method: 'cert',
        certPem,
      }),
      400,
    );
  });

  it('cannot be proven for a CA by certificates of another CA of its name', async () => {
    const ca = makeCa();
    const id = await make(controller, 'cas', {
      name: unique('ca'),
      certPem: ca.pem,
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
    });
    const { verificationToken: commonName } = await read(controller, `cas/${id}`);
    const rawBody = makeLeaf(makeCa({ subject: ca.subject }), { commonName: commonName as string }).pem;
    expectStatus(
      await controller.admin.send('POST', `${MANAGEMENT}/cas/${id}/verify`, undefined, {
        rawBody,
        headers: { 'content-type': 'text/plain' },
      }),
      400,
    );
    expectStatus(await enrollBy(makeLeaf(ca)), 400);
  });
});
