/** Input that is refused before a handler sees it: bodies, queries, and characters that no text can hold. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault, expectField } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

describe('a request with bad input', () => {
  let controller: TestController;
  let admin: Client;
  let anonymous: Client;
  before(async () => {
    controller = await startTestController();
    ({ admin, anonymous } = controller);
  });
  after(() => controller.stop());
  const json = (path: string, rawBody: string | Buffer) =>
    admin.send('POST', path, undefined, { rawBody, headers: { 'content-type': 'application/json' } });
  const login = (rawBody: string | Buffer) => json(`${C}/authenticate?method=password`, rawBody);
  const identity = (more: object) => ({ name: unique('identity'), type: 'User', isAdmin: false, ...more });

  describe('by its JSON', () => {
    for (const [what, body] of [
      ['an open brace', '{'],
      ['single quotes', "{'name':'x'}"],
      ['a trailing comma', '{"name":"x",}'],
      ['two values', '{} {}'],
      ['a control character in a string', '{"name":"a\nb"}'],
      ['a bad escape', '{"name":"\\u12"}'],
      ['blanks only', '   '],
      ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b])],
    ] as const) {
      it(`answers 400 for malformed JSON: ${what}`, async () => {
        const error = expectFault(await json(`${M}/identities`, body), 400, 'COULD_NOT_PARSE_BODY');
        expect(error.cause?.['message']).to.match(/^parsing identity body failed, because /);
      });
    }

    it('does not repeat what it could not parse: it may be a password', async () => {
      for (const body of [
        '{"username":"admin","password":hunter2}',
        '{"password":"hunter2"',
        '{"password":"hunter2" hunter2}',
        'hunter2',
        '"hunter2',
      ]) {
        const answer = await login(body);
        expectFault(answer, 400, 'COULD_NOT_PARSE_BODY');
        expect(answer.text, body).not.to.contain('hunter');
      }
    });

    for (const body of ['[]', '"text"', '5', 'null', 'true']) {
      it(`answers 400 for a body that is ${body} where an object belongs`, async () => {
        expectFault(await json(`${M}/identities`, body), 400, 'COULD_NOT_PARSE_BODY');
      });
    }

    it('answers 400 for a property of the wrong JSON type', async () => {
      for (const more of [
        { name: 5 },
        { isAdmin: 'yes' },
        { roleAttributes: 'a' },
        { roleAttributes: [1] },
        { defaultHostingCost: 1.5 },
        { enrollment: 'ott' },
      ]) {
        const answer = await admin.post(`${M}/identities`, identity(more));
        expect(answer.status, JSON.stringify(more)).to.equal(400);
      }
      const error = expectFault(
        await admin.post(`${M}/identities`, identity({ isAdmin: 'yes' })),
        400,
        'COULD_NOT_PARSE_BODY',
      );
      expect(error.cause).to.deep.equal({
        field: 'isAdmin',
        reason: 'isAdmin in body must be of type boolean. Write true or false without quotes.',
        value: 'yes',
      });
    });

    it('answers 400 naming the body when it is missing or empty', async () => {
      for (const answer of [await admin.send('POST', `${M}/identities`), await json(`${M}/identities`, '')]) {
        expectField(answer, 'identity', 'identity in body is required', '');
      }
    });

    it('names the first missing property in alphabetical order', async () => {
      const answer = await admin.post(`${M}/identities`, {});
      expectField(answer, 'isAdmin', 'isAdmin in body is required');
      expect(answer.error?.cause?.['value']).to.equal('<nil>');
      expectField(await admin.post(`${M}/identities`, { isAdmin: false }), 'name', 'name in body is required');
      expectField(
        await admin.post(`${M}/identities`, { isAdmin: false, name: 'x' }),
        'type',
        'type in body is required',
      );
    });

    it('names the first fault in alphabetical order, whether a property is missing or breaks a rule', async () => {
      expectField(
        await admin.post(`${M}/identities`, { defaultHostingCost: 70_000 }),
        'defaultHostingCost',
        'defaultHostingCost in body should be less than or equal to 65535',
      );
      expectField(
        await admin.post(`${M}/identities`, { type: 'Wizard', name: 'x' }),
        'isAdmin',
        'isAdmin in body is required',
      );
      expectField(
        await admin.post(`${M}/identities`, { type: 'Wizard', isAdmin: false }),
        'name',
        'name in body is required',
      );
    });

    it('names enum, length and range with the value given', async () => {
      const type = await admin.post(`${M}/identities`, identity({ type: 'Wizard' }));
      expectField(type, 'type', 'type in body should be one of [User Device Service Router Default]');
      expect(type.error?.cause?.['value']).to.equal('Wizard');
      expectField(
        await admin.post(`${M}/identities`, identity({ defaultHostingCost: -1 })),
        'defaultHostingCost',
        'defaultHostingCost in body should be greater than or equal to 0',
      );
      expectField(
        await admin.post(`${M}/identities`, identity({ defaultHostingPrecedence: 'high' })),
        'defaultHostingPrecedence',
        'defaultHostingPrecedence in body should be one of [default required failed]',
      );
      expectField(
        await login(JSON.stringify({ username: 'x', password: 'long enough' })),
        'username',
        'username in body should be at least 4 chars long',
      );
    });

    it('never repeats a password that breaks a rule', async () => {
      const answer = await login(JSON.stringify({ username: 'admin', password: 'hunt' }));
      expectField(answer, 'password', 'password in body should be at least 5 chars long');
      expect(answer.text).not.to.contain('hunt');
    });

    it('does not repeat more than a thousand characters of what it refuses', async () => {
      for (const answer of [
        await admin.post(`${M}/identities`, identity({ type: '😀'.repeat(100_000) })),
        await admin.get(`${M}/identities/${'x'.repeat(20_000)}`),
      ]) {
        expect(answer.status).to.be.oneOf([400, 404]);
        expect(answer.text.length).to.be.lessThan(4000);
        expect(answer.text).to.contain('…');
      }
    });

    it('ignores unknown properties', async () => {
      expectStatus(
        await admin.post(`${M}/identities`, identity({ wizard: true, nested: { deep: [1] }, id: 'mine' })),
        201,
      );
    });

    it('accepts null for every property that need not be there', async () => {
      expectStatus(
        await admin.post(
          `${M}/identities`,
          identity({
            appData: null,
            authPolicyId: null,
            defaultHostingCost: null,
            defaultHostingPrecedence: null,
            enrollment: null,
            externalId: null,
            roleAttributes: null,
            serviceHostingCosts: null,
            serviceHostingPrecedences: null,
            tags: null,
            permissions: null,
          }),
        ),
        201,
      );
      expectStatus(
        await admin.post(`${M}/services`, {
          name: unique('service'),
          encryptionRequired: true,
          configs: null,
          maxIdleTimeMillis: null,
          roleAttributes: null,
          tags: null,
          terminatorStrategy: null,
        }),
        201,
      );
    });

    it('takes null for a required property as missing', async () => {
      expectField(
        await admin.post(`${M}/identities`, { name: null, type: 'User', isAdmin: false }),
        'name',
        'name in body is required',
      );
    });

    it('keeps names out of prototypes: `__proto__` and `constructor` are properties like others', async () => {
      const answer = await json(
        `${M}/identities`,
        `{"name":"${unique('proto')}","type":"User",` +
          '"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
      );
      expectField(answer, 'isAdmin', 'isAdmin in body is required');
      const made = expectStatus(
        await json(
          `${M}/identities`,
          `{"name":"${unique('proto')}","type":"User","isAdmin":false,` +
            '"tags":{"constructor":"c"},"appData":{"__proto__":{"polluted":true}}}',
        ),
        201,
      );
      const read = expectStatus(await admin.get(`${M}/identities/${(made.data as { id: string }).id}`), 200);
      expect((read.data as { tags: object }).tags).to.deep.equal({ constructor: 'c' });
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    });
  });

  describe('by its query', () => {
    for (const [query, field, reason] of [
      ['limit=abc', 'limit', 'limit in query must be of type int64: "abc"'],
      ['limit=1.5', 'limit', 'limit in query must be of type int64: "1.5"'],
      ['limit=1e3', 'limit', 'limit in query must be of type int64: "1e3"'],
      ['limit=99999999999999999999', 'limit', 'limit in query must be of type int64: "99999999999999999999"'],
      ['limit=9223372036854775808', 'limit', 'limit in query must be of type int64: "9223372036854775808"'],
      ['offset=-9223372036854775809', 'offset', 'offset in query must be of type int64: "-9223372036854775809"'],
      ['offset=9007199254740993', 'offset', 'offset in query should be less than or equal to 9007199254740991'],
      ['offset=9223372036854775807', 'offset', 'offset in query should be less than or equal to 9007199254740991'],
      ['limit=0x10', 'limit', 'limit in query must be of type int64: "0x10"'],
      ['offset=x', 'offset', 'offset in query must be of type int64: "x"'],
      ['offset=-99999999999999999999', 'offset', 'offset in query must be of type int64: "-99999999999999999999"'],
    ] as const) {
      it(`answers 400 for ${query}`, async () => {
        const answer = await admin.get(`${M}/identities?${query}`);
        expectField(answer, field, reason);
        expect(answer.error?.cause?.['value']).to.equal(query.split('=')[1]);
      });
    }

    it('takes an empty limit or offset as none, and answers the page that it used', async () => {
      for (const [query, limit, offset] of [
        ['limit=&offset=', 10, 0],
        ['limit=9223372036854775807', 500, 0],
        ['limit=-1', Number.MAX_SAFE_INTEGER, 0],
        ['limit=-9223372036854775808&offset=-9223372036854775808', 10, 0],
        ['offset=9007199254740991', 10, Number.MAX_SAFE_INTEGER],
        ['filter=skip%209007199254740991%20limit%209223372036854775807', 500, Number.MAX_SAFE_INTEGER],
      ] as const) {
        const { meta } = expectStatus(await admin.get(`${M}/identities?${query}`), 200);
        const { pagination } = meta as unknown as { pagination: object };
        expect(pagination, query).to.include({ limit, offset });
      }
    });

    for (const filter of [
      'limit 9223372036854775808',
      'skip 9999999999999999999 limit 5',
      'skip 9007199254740992',
      'skip 9223372036854775807',
    ]) {
      it(`answers 400 for the filter ${filter}`, async () => {
        const answer = await admin.get(`${M}/identities?filter=${encodeURIComponent(filter)}`);
        expectFault(answer, 400, 'INVALID_FILTER');
      });
    }

    it('answers 400 for a missing and for an unknown method of authentication', async () => {
      const body = { username: 'admin', password: 'wrong password' };
      expectField(await anonymous.post(`${C}/authenticate`, body), 'method', 'method in query is required');
      const answer = await anonymous.post(`${C}/authenticate?method=magic`, body);
      expectField(answer, 'method', /^method in query should be one of \[/);
      expect(answer.error?.cause?.['value']).to.equal('magic');
      expectField(
        await anonymous.post(`${C}/authenticate?method=PASSWORD`, body),
        'method',
        /^method in query should be one of \[/,
      );
    });

    it('ignores unknown query parameters', async () => {
      expectStatus(await admin.get(`${M}/identities?rejectUnauthorized=false&x[]=1&=&&constructor=1&__proto__=2`), 200);
    });
  });

  describe('by characters that no text can hold', () => {
    const NUL_PATHS = [
      `${M}/identities/%00`,
      `${M}/identities/a%00b`,
      `${M}/%00`,
      '/%00',
      `${M}/identities/a%00/services`,
      `${C}/services/%00`,
      `${M}/specs/%00/spec`,
    ];
    for (const path of NUL_PATHS) {
      it(`answers 404 for ${path}`, async () => {
        expectFault(await admin.get(path), 404, 'NOT_FOUND');
      });
    }

    for (const query of [
      'filter=name%3D%22a%00b%22',
      'filter=%00',
      'sort=%00',
      'sort=name%00',
      'roleFilter=%00',
      'roleSemantic=%00',
      'limit=%00',
      'filter=%FF',
      'filter=name%3D%22%ED%A0%80%22',
      'filter=%',
      'filter=name%3D%22%ud800%22',
    ]) {
      it(`never answers 500 to ?${query}`, async () => {
        for (const list of ['identities', 'services', 'authenticators', 'api-sessions']) {
          expect((await admin.get(`${M}/${list}?${query}`)).status, list).to.be.oneOf([200, 400]);
        }
      });
    }

    for (const [what, text] of [
      ['a NUL', '\\u0000'],
      ['a lone high surrogate', '\\ud800'],
      ['a lone low surrogate', 'a\\udc00b'],
      ['surrogates the wrong way round', '\\udc00\\ud800'],
    ] as const) {
      it(`answers 400 for ${what} in a body: values, keys, logins`, async () => {
        for (const body of [
          `{"name":"${text}","type":"User","isAdmin":false}`,
          `{"name":"x","type":"User","isAdmin":false,"tags":{"${text}":"v"}}`,
          `{"name":"x","type":"User","isAdmin":false,"appData":{"a":[{"b":"${text}"}]}}`,
          `{"name":"x","type":"User","isAdmin":false,"roleAttributes":["${text}"]}`,
          `{"name":"x","type":"User","isAdmin":false,"unknown":"${text}"}`,
        ])
          expectFault(await json(`${M}/identities`, body), 400, 'COULD_NOT_PARSE_BODY');
        expectFault(await login(`{"username":"user${text}","password":"long enough"}`), 400, 'COULD_NOT_PARSE_BODY');
        expectFault(await login(`{"username":"admin","password":"long${text}enough"}`), 400, 'COULD_NOT_PARSE_BODY');
      });
    }

    it('reads a surrogate pair as its character, and an escaped backslash before u0000 as text', async () => {
      const name = unique('pair');
      const made = expectStatus(
        await json(`${M}/identities`, `{"name":"${name}-\\ud83d\\ude00-\\\\u0000","type":"User","isAdmin":false}`),
        201,
      );
      const read = expectStatus(await admin.get(`${M}/identities/${(made.data as { id: string }).id}`), 200);
      expect((read.data as { name: string }).name).to.equal(`${name}-😀-\\u0000`);
    });

    it('never answers 500 to odd tokens', async () => {
      for (const token of ['\u00ff\u00fe', 'x'.repeat(5000), 'a,b', '%00', "' OR 1=1 --"]) {
        const answer = await anonymous.get(`${M}/identities`, { headers: { 'zt-session': token } });
        expectFault(answer, 401, 'UNAUTHORIZED');
      }
    });

    it('never answers 500 to a text body with a NUL', async () => {
      for (const type of ['text/plain', 'application/x-pem-file']) {
        const answer = await anonymous.send('POST', `${C}/enroll?method=ott&token=x`, undefined, {
          rawBody: 'a\0b',
          headers: { 'content-type': type },
        });
        expect(answer.status, type).to.be.lessThan(500);
      }
    });
  });
});
