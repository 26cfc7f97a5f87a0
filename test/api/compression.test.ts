/** Compressed answers: which never are, who gets them, and that they say the same. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

const COUNT = 120;
/** The longest page: what is longer comes without limit, in batches. */
const LONGEST = 100;
const asking = (accepts: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'accept-encoding': accepts, ...more },
});
const codingOf = ({ headers }: Answer) => headers['content-encoding'];

describe('a compressed answer', () => {
  let controller: TestController;
  let admin: Client;
  let anonymous: Client;
  before(async () => {
    controller = await startTestController({
      EDGE_CORS_ORIGINS: 'https://console.example.com',
      EDGE_API_MAX_LIMIT: String(LONGEST),
    });
    ({ admin, anonymous } = controller);
    for (let i = 0; i < COUNT; i += 1)
      expectStatus(
        await admin.post(`${M}/identities`, {
          name: unique('compressed'),
          type: 'Device',
          isAdmin: false,
          enrollment: { ott: true },
          tags: { words: 'ä€😀 '.repeat(20) },
        }),
        201,
      );
  });
  after(() => controller.stop());

  const list = (limit: number) => `${M}/identities?limit=${limit}&sort=name`;

  describe('is not given', () => {
    for (const accepts of [
      '',
      'identity',
      'deflate',
      'gzip;q=0',
      'gzip;q=0, br;q=0',
      'identity, gzip;q=0.5',
      'gzip;q=x',
    ])
      it(`to a client that accepts "${accepts}"`, async () => {
        const answer = expectStatus(await admin.get(list(20), asking(accepts)), 200);
        expect(codingOf(answer)).to.equal(undefined);
        expect(answer.headers.vary).to.equal('Accept-Encoding');
        expect(answer.headers).not.to.have.property('x-padding');
      });

    it('to a client that says nothing of it', async () => {
      const answer = expectStatus(await admin.get(list(20)), 200);
      expect(codingOf(answer)).to.equal(undefined);
      expect(Number(answer.headers['content-length'])).to.equal(answer.bytes);
    });

    it('when it is short, or tells of a failure', async () => {
      for (const [path, status] of [
        [`${M}/services?limit=1`, 200],
        ['/livez', 200],
        [`${M}/identities/${'x'.repeat(1500)}`, 404],
        [`${M}/identities?filter=${'x'.repeat(1500)}`, 400],
      ] as const) {
        const answer = expectStatus(await admin.get(path, asking('gzip, br')), status);
        expect(codingOf(answer), path).to.equal(undefined);
      }
    });

    it('to a login, nor to a read that hands out a token', async () => {
      const login = await anonymous.post(`${C}/authenticate?method=password`, ADMIN, asking('gzip, br'));
      expect(codingOf(expectStatus(login, 200))).to.equal(undefined);
      const [{ id } = { id: '' }] = (await admin.get(list(1))).data as { id: string }[];
      for (const path of [
        `${C}/current-api-session`,
        `${M}/current-api-session`,
        `${C}/current-identity`,
        `${M}/identities/${id}`,
        `${M}/identities/${id}/enrollments`,
        `${M}/enrollments?limit=100`,
        `${C}/sessions`,
      ]) {
        const answer = expectStatus(await admin.get(path, asking('gzip, br')), 200);
        expect(codingOf(answer), path).to.equal(undefined);
        expect(answer.headers).not.to.have.property('x-padding');
      }
      const enrollments = await admin.get(`${M}/enrollments?limit=100`, asking('gzip'));
      expect(enrollments.bytes).to.be.greaterThan(20_000);
    });

    it('of a picture', async () => {
      const answer = expectStatus(await anonymous.get('/docs/favicon-32x32.png', asking('gzip, br')), 200);
      expect(codingOf(answer)).to.equal(undefined);
    });
  });

  it('is demanded in vain where there is none: 406, and nothing was done', async () => {
    for (const accepts of ['identity;q=0', '*;q=0', 'deflate, identity;q=0']) {
      const error = expectFault(await admin.get(list(20), asking(accepts)), 406, 'COULD_NOT_VALIDATE');
      expect(error.cause?.['field']).to.equal('Accept-Encoding');
      expectFault(await anonymous.get(`${M}/swagger.json`, asking(accepts)), 406, 'COULD_NOT_VALIDATE');
    }
    const accepts = asking('gzip, identity;q=0');
    const name = unique('unmade');
    const create = await admin.post(`${M}/services`, { name, encryptionRequired: true }, accepts);
    expectFault(create, 406, 'COULD_NOT_VALIDATE');
    expect((await admin.get(`${M}/services?filter=${encodeURIComponent(`name="${name}"`)}`)).data).to.deep.equal([]);
    expectFault(await admin.get(`${M}/current-api-session`, accepts), 406, 'COULD_NOT_VALIDATE');
    // Who calls is asked first.
    expectFault(await anonymous.get(list(20), asking('identity;q=0')), 401, 'UNAUTHORIZED');
  });

  for (const coding of ['gzip', 'br'] as const) {
    describe(`by ${coding}`, () => {
      const accepts = asking(coding);

      for (const [what, limit] of [
        ['a page', 20],
        ['a page of several pieces', LONGEST],
        ['a list without limit', -1],
      ] as const) {
        it(`says the same of ${what}, in a fraction of the bytes`, async () => {
          const plain = expectStatus(await admin.get(list(limit)), 200);
          const answer = expectStatus(await admin.get(list(limit), accepts), 200);
          expect(codingOf(answer)).to.equal(coding);
          expect(answer.headers.vary).to.equal('Accept-Encoding');
          expect(answer.headers['content-type']).to.equal('application/json');
          expect(answer.text === plain.text).to.equal(true);
          expect(answer.bytes).to.be.lessThan(plain.bytes / 3);
          if (limit > 0) expect(Number(answer.headers['content-length'])).to.equal(answer.bytes);
          else expect(answer.headers['transfer-encoding']).to.equal('chunked');
        });
      }

      it('says the same of documents and pages, in the same bytes each time', async () => {
        for (const path of [
          `${C}/swagger.json`,
          `${M}/swagger.json`,
          `${M}/specs/edge-management/spec`,
          '/docs',
          '/docs/swagger-ui-bundle.js',
          '/docs/swagger-ui.css',
        ]) {
          const plain = expectStatus(await anonymous.get(path), 200);
          const answers = await Promise.all([1, 2, 3].map(() => anonymous.get(path, accepts)));
          for (const answer of [...answers, await anonymous.get(path, accepts)]) {
            expect(codingOf(expectStatus(answer, 200)), path).to.equal(coding);
            expect(answer.text === plain.text, path).to.equal(true);
            expect(answer.headers.vary, path).to.match(/(^|, )Accept-Encoding$/);
            expect(answer.headers['content-length'], path).to.equal(answers[0]?.headers['content-length']);
          }
          expect(answers[0]?.bytes, path).to.be.lessThan(plain.bytes / 2);
        }
      });

      it('says the same of what is kept, before and after it has changed', async () => {
        const policy = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
        expectStatus(await admin.post(`${M}/service-policies`, { name: unique('kept'), ...policy }), 201);
        for (let i = 0; i < 12; i += 1)
          expectStatus(
            await admin.post(`${M}/services`, { name: unique(`kept-${coding}`), encryptionRequired: true }),
            201,
          );
        const path = `${C}/services?limit=500`;
        const [first, second] = [await admin.get(path, accepts), await admin.get(path, accepts)];
        expect(codingOf(first)).to.equal(coding);
        expect(codingOf(second)).to.equal(coding);
        expect(second.text === first.text).to.equal(true);
        expectStatus(await admin.post(`${M}/services`, { name: unique('kept-more'), encryptionRequired: true }), 201);
        const third = await admin.get(path, accepts);
        expect(third.data).to.have.lengthOf((first.data as unknown[]).length + 1);
        expect((await admin.get(path)).text === third.text).to.equal(true);
      });

      it('has the head that HEAD gets, and no body there', async () => {
        for (const path of [list(LONGEST), `${M}/swagger.json`, '/docs/swagger-ui-bundle.js']) {
          const whole = await admin.get(path, accepts);
          const head = await admin.send('HEAD', path, undefined, accepts);
          expect([head.status, head.text, codingOf(head)], path).to.deep.equal([200, '', coding]);
          expect(head.headers['content-length'], path).to.equal(whole.headers['content-length']);
        }
        const endless = await admin.send('HEAD', list(-1), undefined, accepts);
        expect([endless.status, endless.text, codingOf(endless)]).to.deep.equal([200, '', coding]);
      });
    });
  }

  it('is brotli where both are as welcome, and else what is more welcome', async () => {
    for (const [accepts, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0.5, gzip;q=0.6', 'gzip'],
      ['*', 'br'],
      ['x-gzip', 'gzip'],
    ] as const) {
      expect(codingOf(await admin.get(list(20), asking(accepts))), accepts).to.equal(coding);
    }
  });

  it('tells caches of both things that it depends on', async () => {
    const { headers } = await admin.get(list(20), asking('gzip', { origin: 'https://console.example.com' }));
    expect(headers.vary).to.equal('Origin, Accept-Encoding');
    const plain = await admin.get(list(20), asking('', { origin: 'https://console.example.com' }));
    expect(plain.headers.vary).to.equal('Origin, Accept-Encoding');
  });

  it('is never given when it is switched off', async () => {
    const off = await startTestController({ EDGE_HTTP_COMPRESSION: 'false' });
    try {
      for (const path of [`${M}/swagger.json`, `${M}/identities?limit=-1`, `${M}/config-types`]) {
        expect(codingOf(expectStatus(await off.admin.get(path, asking('gzip, br')), 200)), path).to.equal(undefined);
      }
      expectFault(await off.admin.get(`${M}/swagger.json`, asking('gzip, identity;q=0')), 406, 'COULD_NOT_VALIDATE');
    } finally {
      await off.stop();
    }
  });
});
