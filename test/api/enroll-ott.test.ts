/**
 * Enrollment by certificate request: what is issued, to whom, in which form, and the bad requests that leave the token
 * usable.
 */
import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import { toPem } from '../../domain/pki/pem.js';
import { expectStatus } from '../support/client.js';
import type { Answer, RequestOptions } from '../support/client.js';
import { enrollByRequest, tryCertificateLogin } from '../support/certified.js';
import { makeKeys, makeRequest, makeRsaKeys } from '../support/certificates.js';
import type { TestSigningRequest } from '../support/certificates.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { PEM, useOttEnrollments } from './enroll-ott-support.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const JSON_TYPE = 'application/json';
const YEAR_MS = 365 * 86_400_000;

describe('enrollment by certificate request', () => {
  const enrollments = useOttEnrollments();
  const { ott, sendPem, enroll, certOf, authenticators, isUnused, leafOf } = enrollments;
  let controller: TestController;
  before(() => {
    controller = enrollments.controller();
  });

  const startedAt = Date.now();

  describe('what is issued', () => {
    const expectIssued = (chain: string, identityId: string, csr: TestSigningRequest): void => {
      const [leaf, intermediate, ...more] = chain
        .split(/(?<=-----END CERTIFICATE-----\n)/)
        .map((pem) => new X509Certificate(pem));
      if (leaf === undefined || intermediate === undefined) throw new Error('expected a leaf and its intermediate');
      expect(more).to.deep.equal([]);
      expect(leaf.checkIssued(intermediate) && leaf.verify(intermediate.publicKey)).to.equal(true);
      expect(leaf.ca).to.equal(false);
      expect(leaf.subject).to.equal(`CN=${identityId}`);
      expect(leaf.publicKey.equals(csr.keys.publicKey)).to.equal(true);
      expect(leaf.subjectAltName).to.match(new RegExp(`^URI:spiffe://[0-9a-z.]+/identity/${identityId}$`));
      const parsed = new x509.X509Certificate(leaf.raw);
      expect(parsed.getExtension(x509.ExtendedKeyUsageExtension)?.usages).to.deep.equal([
        x509.ExtendedKeyUsage.clientAuth,
      ]);
      expect(parsed.getExtension(x509.KeyUsagesExtension)?.usages).to.equal(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment | x509.KeyUsageFlags.dataEncipherment,
      );
      expect(parsed.extensions.map(({ type }) => type).sort()).to.deep.equal([
        '2.5.29.14',
        '2.5.29.15',
        '2.5.29.17',
        '2.5.29.19',
        '2.5.29.35',
        '2.5.29.37',
      ]);
      const [notBefore, notAfter] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
      expect(notBefore).to.be.within(startedAt - 61_000, Date.now() - 59_000);
      expect(notAfter).to.be.within(startedAt + YEAR_MS - 1_000, Date.now() + YEAR_MS);
      expect(leaf.serialNumber).to.match(/^[0-9A-F]{32}$/);
    };

    it('names the identity, whatever the request asks for', async () => {
      const spiffe = `spiffe://${'0'.repeat(40)}/identity/somebody-else`;
      const wishes: Parameters<typeof makeRequest>[0][] = [
        {},
        { keyKind: 'ec-p384' },
        { keyKind: 'ec-p521' },
        { keyKind: 'rsa-2048' },
        { commonName: 'admin' },
        { basicConstraints: { isCa: true, pathLength: 5 } },
        { names: { uri: [spiffe], dns: ['localhost', '*.example.com'], ip: ['127.0.0.1'], email: ['a@b.example'] } },
        { keyUsage: ['keyCertSign', 'cRLSign'], extendedKeyUsage: ['serverAuth', 'any'] },
        { extensions: [{ oid: '1.2.3.4', isCritical: true, value: Buffer.of(5, 0) }] },
      ];
      for (const wish of wishes) {
        const { identityId, token } = await ott();
        const csr = makeRequest(wish);
        expectIssued(certOf(expectStatus(await enroll(token, csr.pem), 200)), identityId, csr);
      }
    });

    it('has a serial number of its own each time, for one key too', async () => {
      const keys = makeKeys();
      const serials = new Set<string>();
      for (let n = 0; n < 5; n += 1)
        serials.add(leafOf(certOf(await enroll((await ott()).token, makeRequest({ keys }).pem))).serialNumber);
      expect(serials.size).to.equal(5);
    });

    it('verifies with openssl against the certificates that the network publishes', async () => {
      const place = mkdtempSync(join(tmpdir(), 'edge-enroll-'));
      try {
        const published = expectStatus(await controller.anonymous.get('/.well-known/est/cacerts'), 200).text;
        writeFileSync(join(place, 'cas.p7'), `-----BEGIN PKCS7-----\n${published}-----END PKCS7-----\n`);
        execFileSync('openssl', ['pkcs7', '-in', 'cas.p7', '-print_certs', '-out', 'cas.pem'], { cwd: place });
        const chain = certOf(await enroll((await ott()).token));
        writeFileSync(join(place, 'leaf.pem'), chain);
        const verdict = execFileSync(
          'openssl',
          ['verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', 'cas.pem', 'leaf.pem'],
          { cwd: place },
        ).toString();
        expect(verdict.trim()).to.equal('leaf.pem: OK');
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    });

    it('becomes the authenticator of the identity, is written down, and ends the enrollment', async () => {
      const { identityId, id, token } = await ott();
      const leaf = leafOf(certOf(await enroll(token)));
      const fingerprint = leaf.fingerprint.replaceAll(':', '').toLowerCase();
      const [authenticator, ...others] = await authenticators(identityId);
      expect(others).to.deep.equal([]);
      expect(authenticator).to.include({ method: 'cert', fingerprint, isIssuedByNetwork: true, identityId });
      expect(new X509Certificate(authenticator?.['certPem'] as string).raw.equals(leaf.raw)).to.equal(true);
      expectStatus(await controller.admin.get(`${MANAGEMENT}/enrollments/${id}`), 404);
      expect(await read(controller, `identities/${identityId}`)).to.deep.include({ enrollment: {} });
      const { rows } = await controller.database.query(
        'SELECT serial_number, fingerprint, kind FROM issued_certificates WHERE subject_id = $1',
        [identityId],
      );
      expect(rows).to.deep.equal([{ serial_number: leaf.serialNumber.toLowerCase(), fingerprint, kind: 'identity' }]);
    });
  });

  describe('the answer', () => {
    const form = (answer: Answer): string => {
      expectStatus(answer, 200);
      const chain = answer.headers['content-type'] === PEM ? answer.text : certOf(answer);
      expect(chain.match(/-----BEGIN CERTIFICATE-----/g)).to.have.length(2);
      return answer.headers['content-type'] ?? '';
    };
    const generic = (token: string) => `${CLIENT}/enroll?method=ott&token=${token}`;
    const specific = (token: string) => `${CLIENT}/enroll/ott?token=${token}`;
    const cases: [what: string, path: (token: string) => string, headers: Record<string, string>, type: string][] = [
      ['JSON for a PEM request without preference', generic, {}, JSON_TYPE],
      ['JSON at the root, without API prefix', (token) => `/enroll?method=ott&token=${token}`, {}, JSON_TYPE],
      ['JSON when the method is left out', (token) => `${CLIENT}/enroll?token=${token}`, {}, JSON_TYPE],
      [
        'PEM for text/plain at the root',
        (token) => `/enroll?method=ott&token=${token}`,
        { 'content-type': 'text/plain' },
        PEM,
      ],
      [
        'PEM for text/plain with any charset',
        generic,
        { 'content-type': 'text/plain; charset=utf-8', accept: '*/*' },
        PEM,
      ],
      ['JSON for PKCS#7', generic, { 'content-type': 'application/pkcs7' }, JSON_TYPE],
      ['PEM where it is asked for', generic, { accept: PEM }, PEM],
      [
        'JSON for text/plain where it is asked for',
        generic,
        { 'content-type': 'text/plain', accept: JSON_TYPE },
        JSON_TYPE,
      ],
      ['the one of higher quality', generic, { accept: `${JSON_TYPE};q=0.5, ${PEM};q=0.9` }, PEM],
      [
        'the one named, before anything',
        generic,
        { 'content-type': 'text/plain', accept: `*/*;q=0.1, ${JSON_TYPE}` },
        JSON_TYPE,
      ],
      ['the usual when both are as welcome', generic, { accept: `${PEM}, ${JSON_TYPE}` }, JSON_TYPE],
      ['PEM at the form of the method, with a PEM request', specific, {}, PEM],
      ['JSON at the form of the method, where it is asked for', specific, { accept: JSON_TYPE }, JSON_TYPE],
    ];
    for (const [what, path, headers, type] of cases) {
      it(`is ${what}`, async () => {
        expect(form(await sendPem(path((await ott()).token), makeRequest().pem, headers))).to.equal(type);
      });
    }

    it('is JSON for JSON, token and request in the body', async () => {
      const send = async (path: string, body: object, options?: RequestOptions) =>
        form(await controller.anonymous.post(path, body, options));
      const clientCsr = makeRequest().pem;
      expect(await send(`${CLIENT}/enroll/ott`, { token: (await ott()).token, clientCsr })).to.equal(JSON_TYPE);
      expect(await send(specific((await ott()).token), { clientCsr })).to.equal(JSON_TYPE);
      expect(await send(generic((await ott()).token), { clientCsr })).to.equal(JSON_TYPE);
      expect(await send(generic((await ott()).token), { clientCsr }, { headers: { accept: PEM } })).to.equal(PEM);
    });
  });

  it('takes a request with an Ed25519 key, whose certificate logs in', async () => {
    const { id: identityId } = await controller.newCaller();
    const { shown, keys } = await enrollByRequest(controller, identityId, makeKeys('ed25519'));
    expect(keys.publicKey.asymmetricKeyType).to.equal('ed25519');
    const session = expectStatus(await tryCertificateLogin(controller, shown), 200).data as { identityId: string };
    expect(session.identityId).to.equal(identityId);
  });

  describe('a bad request leaves the token usable:', () => {
    const good = makeRequest();
    const cases: [what: string, body: () => string | Buffer, code?: string][] = [
      ['no request', () => ' '],
      ['garbage', () => 'garbage'],
      ['DER instead of PEM, which is no text', () => good.der, 'COULD_NOT_PARSE_BODY'],
      ['a truncated request', () => good.pem.slice(0, good.pem.length / 2)],
      ['two requests', () => good.pem + makeRequest().pem],
      ['a forged signature', () => makeRequest({ isForged: true }).pem],
      [
        'a changed subject',
        () =>
          toPem(
            'CERTIFICATE REQUEST',
            Buffer.from(good.der.map((byte, at) => (at === good.der.indexOf('requester') ? byte ^ 1 : byte))),
          ),
      ],
      ['RSA of 1024 bits', () => makeRequest({ keyKind: 'rsa-1024' }).pem],
      ['the RSA exponent 3', () => makeRequest({ keys: makeRsaKeys(3) }).pem],
      ['an even RSA exponent', () => makeRequest({ keys: makeRsaKeys(65_538) }).pem],
      ['the curve secp256k1', () => makeRequest({ keyKind: 'ec-secp256k1' }).pem],
      ['SHA-1', () => makeRequest({ hash: 'sha1' }).pem],
      ['MD5', () => makeRequest({ keyKind: 'rsa-2048', hash: 'md5' }).pem],
      ['a private key', () => good.privateKeyPem],
      ['a request in a certificate’s clothes', () => good.pem.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')],
      ['a request with text before and 32 KiB after it', () => `${good.pem}${'x'.repeat(32_768)}`],
    ];
    for (const [what, body, code = 'COULD_NOT_PROCESS_CSR'] of cases) {
      it(what, async () => {
        const enrollment = await ott();
        expectError(await enroll(enrollment.token, body()), 400, code);
        await isUnused(enrollment);
        expectStatus(await enroll(enrollment.token), 200);
      });
    }

    it('none at all, or null', async () => {
      const enrollment = await ott();
      for (const body of [undefined, {}, { clientCsr: null }, { clientCsr: '' }]) {
        for (const path of [`enroll?method=ott&token=${enrollment.token}`, `enroll/ott?token=${enrollment.token}`]) {
          expectError(await controller.anonymous.post(`${CLIENT}/${path}`, body), 400, 'COULD_NOT_PROCESS_CSR');
        }
      }
      await isUnused(enrollment);
    });

    it('a body beyond 64 KiB or of another type, and one with no acceptable type for the answer', async () => {
      const enrollment = await ott();
      expectError(await enroll(enrollment.token, 'x'.repeat(64 * 1024 + 1)), 413, 'REQUEST_ENTITY_TOO_LARGE');
      expectError(await enroll(enrollment.token, 'x'.repeat(64 * 1024)), 400, 'COULD_NOT_PROCESS_CSR');
      expectError(
        await enroll(enrollment.token, good.pem, { 'content-type': 'application/xml' }),
        415,
        'COULD_NOT_VALIDATE',
      );
      expectError(await enroll(enrollment.token, good.pem, { accept: 'text/html' }), 406, 'COULD_NOT_VALIDATE');
      await isUnused(enrollment);
    });
  });
});
