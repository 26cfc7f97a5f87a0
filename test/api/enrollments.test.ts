/** Enrollments: made, read, refreshed and removed by administrators. Against a whole controller. */
import { createHash, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, linksOf, read, totalOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { PATH, enrollmentCalls, soon } from '../support/enrollments.js';
import { expectField, expectNotFound, expectError } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

/** The certificate that the controller serves on TLS. */
async function servedCertificate(url: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const raw = socket.getPeerCertificate().raw;
      socket.end();
      resolve(new X509Certificate(raw));
    });
    socket.on('error', reject);
  });
}

describe('enrollments', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const { identity, create, detail, post, refresh, enroll, login, updb, expire } = enrollmentCalls(() => controller);

  it('are created alone, with token, JWT and end', async () => {
    const name = unique('identity');
    const identityId = await identity({ name });
    const expiresAt = soon();
    const answer = expectStatus(await post({ identityId, expiresAt, username: null, caId: null }), 201);
    const { id } = entityOf(answer);
    expect(answer.headers.location).to.equal(`${PATH}/${id}`);
    const item = await detail(id);
    expect(item).to.include({ expiresAt, identityId, method: 'ott' });
    expect(item).to.not.have.property('username');
    expect(item['token']).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(item['identity']).to.include({ entity: 'identities', id: identityId, name });
    expect(linksOf(item)).to.deep.equal({ self: `./enrollments/${id}` });
    expect(item.createdAt).to.equal(item.updatedAt);
    const summary = (await read(controller, `identities/${identityId}`))['enrollment'];
    expect(summary).to.deep.equal({ ott: { expiresAt, id, jwt: item['jwt'], token: item['token'] } });
  });

  it('are created with an identity, several at once, for three hours', async () => {
    const username = unique('user');
    const before = Date.now();
    const identityId = await identity({ enrollment: { ott: true, updb: username, ottca: null } });
    const items = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`));
    expect(items.map((item) => item['method'])).to.have.members(['ott', 'updb']);
    expect(items.find((item) => item['method'] === 'updb')?.['username']).to.equal(username);
    for (const item of items)
      expect(Date.parse(item['expiresAt'] as string) - before).to.be.within(180 * 60_000 - 1, 180 * 60_000 + 10_000);
    expect((await read(controller, `identities/${identityId}`))['enrollment']).to.have.all.keys('ott', 'updb');
    expect(
      totalOf(
        await controller.admin.get(
          `${MANAGEMENT}/identities/${await identity({ enrollment: { ott: false, updb: '' } })}/enrollments`,
        ),
      ),
    ).to.equal(0);
  });

  it('leave no identity behind when they cannot be made with it', async () => {
    const name = unique('identity');
    const answer = await controller.admin.post(`${MANAGEMENT}/identities`, {
      name,
      type: 'User',
      isAdmin: false,
      enrollment: { ott: true, ottca: 'nope' },
    });
    expectError(answer, 404, 'NOT_FOUND');
    expect(answer.error?.cause).to.deep.equal({ field: 'caId', reason: 'ca not found', value: 'nope' });
    expectField(
      await controller.admin.post(`${MANAGEMENT}/identities`, {
        name,
        type: 'User',
        isAdmin: false,
        enrollment: { updb: 'abc' },
      }),
      'enrollment.updb',
      /at least 4/,
    );
    expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities?filter=name%3D%22${name}%22`))).to.equal(0);
  });

  it('refuse what cannot be enrolled', async () => {
    const identityId = await identity();
    const invalid = (answer: Answer, reason: string, cause: string) => {
      expectError(answer, 400, 'INVALID_FIELD');
      expect(answer.error?.message).to.equal(`The field contains an invalid value: ${reason}`);
      expect(answer.error?.cause).to.deep.equal({ code: 'UNHANDLED', message: cause });
    };
    invalid(
      await post({ identityId: 'nope' }),
      'identity not found',
      "the value 'nope' for 'identityId' is invalid: identity not found",
    );
    const past = soon(-60);
    invalid(
      await post({ identityId, expiresAt: past }),
      'expiresAt must be in the future',
      `the value '${past}' for 'expiresAt' is invalid: expiresAt must be in the future`,
    );
    invalid(
      await post({ identityId, method: 'updb' }),
      'username not provided',
      "the value '' for 'username' is invalid: username not provided",
    );
    invalid(
      await post({ identityId, method: 'ottca', caId: 'nope' }),
      'ca not found',
      "the value 'nope' for 'caId' is invalid: ca not found",
    );
    expectField(await post({ identityId, method: 'updb', username: 'abc' }), 'username', /at least 4/);
    expectField(
      await post({ identityId, method: 'magic' }),
      'method',
      'method in body should be one of [ott ottca updb]',
      'magic',
    );
    for (const expiresAt of ['2099-12-31T23:59:60Z', 'tomorrow', '2099-13-01T00:00:00Z'])
      expect((await post({ identityId, expiresAt })).status, expiresAt).to.equal(400);
    expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`))).to.equal(0);
  });

  it('are one of each method, expired ones counted, also when asked for at once', async () => {
    const identityId = await identity();
    const id = await create({ identityId });
    await expire(id);
    const answer = await post({ identityId });
    expectError(answer, 409, 'ENROLLMENT_EXISTS');
    expect(answer.error).to.deep.include({
      message: 'ENROLLMENT_EXISTS',
      cause: { field: 'method', reason: 'enrollment of same method exists', value: 'ott' },
    });
    await create({ identityId, method: 'updb', username: unique('user') });
    expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ identityId })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('tell of an unknown id alike', async () => {
    const message = 'enrollment with id nope not found';
    expectNotFound(await controller.admin.get(`${PATH}/nope`), message);
    expectNotFound(await controller.admin.delete(`${PATH}/nope`), message);
    expectNotFound(await refresh('nope'), message);
  });

  it('are found by token only as a whole', async () => {
    const { id, token } = await updb();
    const find = async (filter: string) => controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`);
    expect(idsOf(await find(`token = "${token}"`))).to.deep.equal([id]);
    expect(totalOf(await find('token = "x"'))).to.equal(0);
    expectStatus(await find('token > "0"'), 400);
  });

  describe('JWTs', () => {
    it('verify with the certificate of the TLS connection and claim what enrollers need', async () => {
      const identityId = await identity({ enrollment: { ott: true } });
      const record = itemsOf(
        await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`),
      )[0] as Entity;
      const certificate = await servedCertificate(controller.url);
      const jwt = record['jwt'] as string;
      const { payload, protectedHeader } = await jwtVerify(jwt, certificate.publicKey);
      expect(protectedHeader).to.deep.equal({
        alg: protectedHeader.alg,
        kid: createHash('sha1').update(certificate.raw).digest('hex'),
        typ: 'JWT',
      });
      expect(['ES256', 'ES384', 'RS256']).to.include(protectedHeader.alg);
      expect(payload).to.deep.equal({
        iss: 'https://localhost:1280',
        sub: identityId,
        aud: [''],
        exp: Math.floor(Date.parse(record['expiresAt'] as string) / 1000),
        jti: record['token'],
        em: 'ott',
        ctrls: ['tls:localhost:1280'],
      });
      expect(certificate.checkHost('localhost')).to.equal('localhost');
      const forged = `${jwt.slice(0, -4)}${jwt.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      expect(
        await jwtVerify(forged, certificate.publicKey).then(
          () => 'verified',
          (error: Error) => error.name,
        ),
      ).to.equal('JWSSignatureVerificationFailed');
    });

    it('name the method and stay as they are', async () => {
      const { id } = await updb();
      const { jwt } = await read<{ jwt: string }>(controller, `enrollments/${id}`);
      expect(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())).to.include({ em: 'updb' });
      expect((await detail(id))['jwt']).to.equal(jwt);
      expect(decodeProtectedHeader(jwt)).to.have.property('kid');
    });
  });

  describe('refreshed', () => {
    it('have a new token, JWT and end; the old token is worth nothing', async () => {
      const { id, token, username } = await updb();
      const before = await detail(id);
      const expiresAt = soon(600);
      const answer = expectStatus(await refresh(id, expiresAt), 200);
      expect(answer.data).to.deep.equal({ _links: { self: { href: `./enrollments/${id}` } }, id });
      const after = await detail(id);
      expect(after).to.include({ id, expiresAt, username, createdAt: before.createdAt });
      expect(after['token']).to.not.equal(token);
      expect(after['jwt']).to.not.equal(before['jwt']);
      expect(after.updatedAt > before.updatedAt).to.equal(true);
      expectError(await enroll(token), 404, 'INVALID_ENROLLMENT_TOKEN');
      expectStatus(await enroll(after['token'] as string), 200);
    });

    it('live again after they expired', async () => {
      const { id, username } = await updb();
      await expire(id);
      expectStatus(await refresh(id), 200);
      expectStatus(await enroll((await detail(id))['token'] as string), 200);
      expectStatus(await login(username), 200);
    });

    it('cannot end in the past', async () => {
      const { id, token } = await updb();
      expectField(await refresh(id, soon(-1)), 'expiresAt', 'must be after the current date and time');
      expectField(
        await controller.admin.post(`${PATH}/${id}/refresh`, {}),
        'expiresAt',
        'expiresAt in body is required',
      );
      expect((await detail(id))['token']).to.equal(token);
    });
  });
});
