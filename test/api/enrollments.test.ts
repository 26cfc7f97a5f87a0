/** Enrollments: made, read, refreshed and removed by administrators. Against a whole controller. */
import { createHash, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, linksOf, make, read, totalOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { expectField, expectNotFound, expectError } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/enrollments`;
const PASSWORD = 'pass word 1';

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

  const soon = (seconds = 3600) => new Date(Date.now() + seconds * 1000).toISOString();
  const identity = async (extra: object = {}) =>
    make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, ...extra });
  const create = async (body: object) => make(controller, 'enrollments', { method: 'ott', expiresAt: soon(), ...body });
  const detail = async (id: string) => read(controller, `enrollments/${id}`);
  const post = async (body: object) => controller.admin.post(PATH, { method: 'ott', expiresAt: soon(), ...body });
  const refresh = async (id: string, expiresAt = soon()) =>
    controller.admin.post(`${PATH}/${id}/refresh`, { expiresAt });
  const enroll = async (token: string, body: object = { password: PASSWORD }) =>
    controller.anonymous.post(`${CLIENT}/enroll?method=updb&token=${token}`, body);
  const login = async (username: string, password = PASSWORD) =>
    controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });
  const updb = async () => {
    const username = unique('user');
    const identityId = await identity({ enrollment: { updb: username } });
    const record = itemsOf(
      await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`),
    )[0] as Entity;
    return { username, identityId, id: record.id, token: record['token'] as string };
  };
  const expire = async (id: string) =>
    controller.database.query("UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
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

  describe('by password', () => {
    it('end in a login, through either endpoint; the username is the stored one', async () => {
      for (const path of ['enroll?method=updb', 'enroll?', 'enroll/updb?']) {
        const { token, username, id, identityId } = await updb();
        const answer = expectStatus(
          await controller.anonymous.post(`${CLIENT}/${path}&token=${token}`.replace('?&', '?'), {
            password: PASSWORD,
            username: 'somebody else',
          }),
          200,
        );
        expect(answer.data).to.deep.equal({ username });
        expectStatus(await login(username), 200);
        expectNotFound(await controller.admin.get(`${PATH}/${id}`), `enrollment with id ${id} not found`);
        const item = await read(controller, `identities/${identityId}`);
        expect(item).to.deep.include({ enrollment: {} });
        expect((item['authenticators'] as { updb: { username: string } }).updb.username).to.equal(username);
      }
    });

    it('work once, however many try at the same time', async () => {
      const { token, username, identityId } = await updb();
      const total = async () => totalOf(await controller.admin.get(`${MANAGEMENT}/authenticators?limit=1`));
      const before = await total();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => enroll(token, { password: `pass word ${index}` })),
      );
      const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      expect(winners).to.have.length(1);
      for (const answer of answers.filter(({ status }) => status !== 200))
        expectError(answer, 404, 'INVALID_ENROLLMENT_TOKEN');
      expect(await total()).to.equal(before + 1);
      expectStatus(await login(username, `pass word ${winners[0] ?? -1}`), 200);
      expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`))).to.equal(0);
      expectError(await enroll(token), 404, 'INVALID_ENROLLMENT_TOKEN');
    });

    it('refuse a token that is unknown, no UUID or absent', async () => {
      for (const token of ['00000000-0000-4000-8000-000000000000', 'nope', '', '%00', "' or 1=1 --"])
        expectError(await enroll(encodeURIComponent(token)), 404, 'INVALID_ENROLLMENT_TOKEN');
      expectError(
        await controller.anonymous.post(`${CLIENT}/enroll?method=updb`, { password: PASSWORD }),
        404,
        'INVALID_ENROLLMENT_TOKEN',
      );
    });

    it('refuse another method than that of the record, and stay usable', async () => {
      const { token } = await updb();
      expectError(
        await controller.anonymous.post(`${CLIENT}/enroll?method=erott&token=${token}`, { password: PASSWORD }),
        400,
        'INVALID_ENROLL_METHOD',
      );
      const other = await identity({ enrollment: { ott: true } });
      const ott = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${other}/enrollments`))[0] as Entity;
      expectError(await enroll(ott['token'] as string), 400, 'INVALID_ENROLL_METHOD');
      expectError(
        await controller.anonymous.post(`${CLIENT}/enroll/updb?token=${ott['token'] as string}`, {
          password: PASSWORD,
          username: 'user',
        }),
        400,
        'INVALID_ENROLL_METHOD',
      );
      await detail(ott.id);
      expectStatus(await enroll(token), 200);
    });

    it('refuse when expired, and the record stays', async () => {
      const { id, token, username } = await updb();
      await expire(id);
      expectError(await enroll(token), 400, 'ENROLLMENT_EXPIRED');
      await detail(id);
      expectStatus(await login(username), 403);
    });

    it('refuse a password that is missing, short or long, and stay usable', async () => {
      const { token, username } = await updb();
      for (const body of [
        {},
        { password: null },
        { password: 'four' },
        { password: 'x'.repeat(101) },
        { password: '' },
      ])
        expect((await enroll(token, body)).status, JSON.stringify(body)).to.equal(400);
      expectStatus(await enroll(token), 200);
      expectStatus(await login(username), 200);
    });

    it('keep their username for their identity, whoever asks for it, until they are used or gone', async () => {
      const { identityId, token, username } = await updb();
      const thief = await identity();
      const named = (name: string) => `duplicate value '${name}' in unique index on`;
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const takeAs = (identityId: string) =>
        controller.admin.post(`${MANAGEMENT}/authenticators`, {
          method: 'updb',
          identityId,
          username,
          password: PASSWORD,
        });
      expectField(await takeAs(thief), 'updbUsername', `${named(username)} authenticators store`, username);
      expectField(
        await controller.admin.post(`${MANAGEMENT}/enrollments`, {
          method: 'updb',
          identityId: thief,
          username,
          expiresAt,
        }),
        'username',
        `${named(username)} enrollments store`,
        username,
      );
      const body = { name: unique('identity'), type: 'User', isAdmin: false, enrollment: { updb: username } };
      expectField(
        await controller.admin.post(`${MANAGEMENT}/identities`, body),
        'username',
        `${named(username)} enrollments store`,
        username,
      );
      expectStatus(await enroll(token), 200);
      expectStatus(await login(username), 200);
      expectField(await takeAs(thief), 'updbUsername', `${named(username)} authenticators store`, username);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${identityId}`), 200);
      expectStatus(await takeAs(thief), 201);
    });

    it('give their username back when they are deleted', async () => {
      const { id, username } = await updb();
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/enrollments/${id}`), 200);
      await make(controller, 'authenticators', {
        method: 'updb',
        identityId: await identity(),
        username,
        password: PASSWORD,
      });
    });

    it('refuse an identity that has a password already', async () => {
      const caller = await controller.newCaller();
      const id = await create({ identityId: caller.id, method: 'updb', username: unique('user') });
      expectError(await enroll((await detail(id))['token'] as string), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
      expectStatus(await login(caller.username, caller.password), 200);
    });
  });
});
