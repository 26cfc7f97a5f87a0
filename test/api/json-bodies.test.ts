/** Bodies that would be stored other than they were sent: text that is no UTF-8, names given twice, inexact numbers. */
import { expect } from 'chai';
import { contentsOf } from '../support/contents.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault, expectField } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

describe('a JSON body', () => {
  let controller: TestController;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    ({ admin } = controller);
  });
  after(() => controller.stop());
  const send = (path: string, rawBody: string | Buffer, type = 'application/json') =>
    admin.send('POST', path, undefined, { rawBody, headers: { 'content-type': type } });
  /** An identity whose name and type are given, and whatever else. */
  const identity = (more: string) =>
    send(`${M}/identities`, `{"name":"${unique('identity')}","type":"User","isAdmin":false,${more}}`);
  const storedBy = async (id: string) =>
    expectStatus(await admin.get(`${M}/identities/${id}`), 200).data as { tags: object; appData: object };

  describe('whose bytes are no UTF-8', () => {
    for (const [what, bytes] of [
      ['a byte that begins nothing', [0xff]],
      ['an overlong slash', [0xc0, 0xaf]],
      ['a surrogate', [0xed, 0xa0, 0x80]],
      ['half a character', [0xe2, 0x82]],
      ['a character beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ] as const) {
      it(`is refused and nothing is stored: ${what}`, async () => {
        const before = await contentsOf(controller.database);
        const [head = '', tail = ''] = '{"name":"a~b","type":"User","isAdmin":false}'.split('~');
        const body = Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]);
        const error = expectFault(await send(`${M}/identities`, body), 400, 'COULD_NOT_PARSE_BODY');
        expect(error.cause?.['message']).to.match(/because it is not valid UTF-8$/);
        const text = Buffer.concat([Buffer.from('-----BEGIN'), Buffer.from(bytes)]);
        for (const type of ['text/plain', 'application/x-pem-file']) {
          const answer = await send(`${C}/enroll?method=ott&token=x`, text, type);
          expect(answer.status, type).to.equal(400);
          expect(answer.error?.cause?.['message'], type).to.match(/because it is not valid UTF-8$/);
        }
        expect(await contentsOf(controller.database)).to.deep.equal(before);
      });
    }
  });

  describe('with a name given twice', () => {
    for (const [more, path] of [
      ['"isAdmin":true', 'isAdmin'],
      ['"isAdmin":false', 'isAdmin'],
      ['"\\u0069sAdmin":true', 'isAdmin'],
      ['"tags":{"a":1,"b":{"c":[{"d":1},{"d":1,"e":[],"d":2}]}}', 'tags.b.c.1.d'],
      ['"tags":{"a\\"b":1,"a\\u0022b":1}', 'tags.a"b'],
      ['"tags":{"":1,"":2}', 'tags.'],
      ['"tags":{"__proto__":1,"__proto__":2}', 'tags.__proto__'],
      ['"unknown":[[{"x":"}{,:","x":0}]]', 'unknown.0.0.x'],
    ] as const) {
      it(`is refused with its path: ${more}`, async () => {
        expectField(await identity(more), path, `${path} in body is given more than once`);
      });
    }

    it('is taken when the same name stands in different objects, or in a text', async () => {
      const appData = { a: { a: { a: '{"a":1,"a":2}' } }, b: '"b":"b":', c: ['c', { c: '\\":' }, { c: '\\' }] };
      const made = expectStatus(await identity(`"appData":${JSON.stringify(appData)}`), 201);
      expect((await storedBy((made.data as { id: string }).id)).appData).to.deep.equal(appData);
    });

    it('is refused without a copy of a long name', async () => {
      const name = 'n'.repeat(100_000);
      const answer = await identity(`"tags":{"${name}":1,"${name}":2}`);
      expect(answer.status).to.equal(400);
      expect(answer.text.length).to.be.below(4000);
    });
  });

  describe('with a number', () => {
    for (const number of [
      '9007199254740993',
      '-9007199254740993',
      '123456789012345678901234567890',
      '18446744073709551615',
      '1e999',
      '-1e999',
      '1e-999',
      '4e-324',
      '0.1000000000000000055511151231257827',
      '9007199254740993.0',
      '9007199254740993e0',
      '3.14159265358979323846',
    ]) {
      it(`that a reader would not get back is refused with its path: ${number}`, async () => {
        for (const [more, path] of [
          [`"tags":{"a":${number}}`, 'tags.a'],
          [`"appData":{"a":[0,{"b":[ ${number} ]}]}`, 'appData.a.1.b.0'],
        ] as const) {
          const reason = `${path} in body is a number that cannot be kept as it is: it is beyond a double's precision`;
          expectField(await identity(more), path, reason);
        }
      });
    }

    for (const number of ['1e308', '-1e41', '1.7976931348623157e308', '9e-41', '5e-324', `1${'0'.repeat(41)}`]) {
      it(`that the database would write in many digits is refused with its path: ${number}`, async () => {
        const reason =
          'tags.a.0 in body is a number that is not kept: apart from 0, its size must be from 1e-40 to 1e40';
        expectField(await identity(`"tags":{"a":[${number}]}`), 'tags.a.0', reason);
      });
    }

    it('that a reader gets back is kept', async () => {
      const numbers = [
        ['9007199254740992', 9007199254740992],
        ['9007199254740994', 9007199254740994],
        ['-9007199254740991', -9007199254740991],
        ['1.0', 1],
        ['1e2', 100],
        ['1E+2', 100],
        ['0.1', 0.1],
        ['-0', 0],
        ['-0.0e5', 0],
        ['0e999', 0],
        ['0.10000000000000000000000', 0.1],
        ['3.141592653589793', 3.141592653589793],
        ['1e21', 1e21],
        ['1e40', 1e40],
        ['-1e-40', -1e-40],
        ['3.4028234663852886e38', 3.4028234663852886e38],
        ['1.7976931348623157e0', 1.7976931348623157],
        ['123456789012345680000', 123456789012345680000],
      ] as const;
      const made = expectStatus(await identity(`"appData":{"n":[${numbers.map(([text]) => text).join(',')}]}`), 201);
      const { appData } = await storedBy((made.data as { id: string }).id);
      expect(appData).to.deep.equal({ n: numbers.map(([, value]) => value) });
    });

    it('in a text is a text', async () => {
      const tags = { a: '9007199254740993', b: '1e999', '12345678901234567890': 'x"1e999' };
      const made = expectStatus(await identity(`"tags":${JSON.stringify(tags)}`), 201);
      expect((await storedBy((made.data as { id: string }).id)).tags).to.deep.equal(tags);
    });
  });
});
