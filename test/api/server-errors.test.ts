/** How requests fail that never reach a handler: the envelope, its codes, and the order of the checks. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { operations } from '../../generated/operations.js';
import { pending } from '../../handlers/pending.js';
import { C, M, expectFault, expectField, sendRaw } from './server-support.js';

describe('a request that cannot be served', () => {
  let controller: TestController;
  let admin: Client;
  let anonymous: Client;
  before(async () => {
    controller = await startTestController();
    ({ admin, anonymous } = controller);
  });
  after(() => controller.stop());

  const raw = (method: string, path: string, rawBody: string | Buffer, contentType?: string): Promise<Answer> =>
    admin.send(method, path, undefined, { rawBody, ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }) });
  const json = (path: string, rawBody: string | Buffer) => raw('POST', path, rawBody, 'application/json');
  const login = (rawBody: string | Buffer) => json(`${C}/authenticate?method=password`, rawBody);
  const identity = (more: object) => ({ name: unique('identity'), type: 'User', isAdmin: false, ...more });

  describe('by its path or verb', () => {
    it('answers 404 for an unknown path of a known API, with and without a session', async () => {
      for (const client of [admin, anonymous]) {
        const error = expectFault(await client.get(`${M}/nonsense`), 404, 'NOT_FOUND');
        expect(error.cause).to.deep.equal({ code: 'UNHANDLED', message: `path ${M}/nonsense was not found` });
      }
    });

    it('answers 404 below a known path too', async () => {
      expectFault(await admin.get(`${M}/identities/x/nonsense`), 404, 'NOT_FOUND');
      expectFault(await admin.get(`${M}/version/x`), 404, 'NOT_FOUND');
    });

    it('answers 405 for a verb that the path does not have, and says which it has', async () => {
      const answer = await admin.send('PUT', `${M}/identities`);
      const error = expectFault(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(error.cause?.['code']).to.equal('UNHANDLED');
      expect(error.cause?.['message']).to.match(/^method PUT is not allowed, but \[(GET,POST|POST,GET)\] are$/);
      expect(answer.headers.allow?.split(', ').sort()).to.deep.equal(['GET', 'POST']);
    });

    it('answers 405 without a body to HEAD', async () => {
      const answer = await anonymous.send('HEAD', `${M}/version`);
      expect(answer.status).to.equal(405);
      expect(answer.text).to.equal('');
    });

    it('answers 405 to verbs that no operation has, and for a pending operation', async () => {
      expectFault(await admin.send('TRACE', `${M}/identities`), 405, 'METHOD_NOT_ALLOWED');
      expectFault(await admin.send('PUT', `${M}/summary`), 405, 'METHOD_NOT_ALLOWED');
    });

    it('checks the route before the session', async () => {
      expectFault(await anonymous.get(`${M}/nonsense`), 404, 'NOT_FOUND');
      expectFault(await anonymous.send('PUT', `${M}/identities`), 405, 'METHOD_NOT_ALLOWED');
    });
  });

  describe('in the order of the checks', () => {
    it('asks for the session before it looks at the body, the query or the accepted types', async () => {
      for (const [path, options] of [
        [`${M}/identities`, { rawBody: '{broken', headers: { 'content-type': 'application/json' } }],
        [`${M}/identities`, { rawBody: 'x', headers: { 'content-type': 'text/plain' } }],
        [`${M}/identities?limit=abc`, { headers: { accept: 'image/png' } }],
      ] as const) {
        const method = 'rawBody' in options ? 'POST' : 'GET';
        expectFault(await anonymous.send(method, path, undefined, options), 401, 'UNAUTHORIZED');
      }
    });

    it('asks for the right before it looks at the body', async () => {
      const { client } = await controller.newCaller();
      expectFault(await client.send('POST', `${M}/identities`, undefined, { rawBody: '{broken', headers: { 'content-type': 'application/json' } }), 401, 'UNAUTHORIZED');
    });

    it('answers 501 for a pending operation only to those who may call it, before validating anything', async () => {
      const { client } = await controller.newCaller();
      const waiting: readonly string[] = pending.management;
      const built = Object.values(operations.management).filter(({ operationId }) => !waiting.includes(operationId));
      expect(built.length + waiting.length).to.equal(Object.keys(operations.management).length);
      for (const { method, path, permission, responses } of Object.values(operations.management).filter(({ operationId }) => waiting.includes(operationId))) {
        if (permission !== 'admin') continue;
        const target = M + path.replace(/\{\w+\}/g, 'x');
        const broken = { headers: { accept: 'image/png', 'content-type': 'garbage' } };
        expectFault(await anonymous.send(method, target, undefined, broken), 401, 'UNAUTHORIZED');
        expectFault(await client.send(method, target, undefined, broken), 403 in responses ? 403 : 401, 'UNAUTHORIZED');
        expectFault(await admin.send(method, target, undefined, broken), 501, 'NOT_IMPLEMENTED');
      }
    });
  });

  describe('by what it says of its body', () => {
    it('answers 415 for a content type that is not accepted', async () => {
      expectField(await raw('POST', `${M}/identities`, '{}', 'text/plain'), 415, 'Content-Type', 'unsupported media type "text/plain", only [application/json] are allowed');
    });

    it('takes a body without content type for application/octet-stream', async () => {
      const answer = await raw('POST', `${M}/identities`, '{}');
      expectField(answer, 415, 'Content-Type', 'unsupported media type "application/octet-stream", only [application/json] are allowed');
      expect(answer.error?.cause?.['value']).to.equal('application/octet-stream');
    });

    it('accepts parameters and any case of the content type', async () => {
      expectStatus(await raw('POST', `${M}/identities`, JSON.stringify(identity({})), 'Application/JSON; charset=utf-8'), 201);
    });

    it('answers 400 for a malformed content type', async () => {
      const error = expectFault(await raw('POST', `${M}/identities`, '{}', 'garbage'), 400, 'COULD_NOT_PARSE_BODY');
      expect(error.cause?.['message']).to.match(/^parsing Content-Type header from "garbage" failed, because /);
    });

    it('tolerates a content type on GET and DELETE without a body', async () => {
      const headers = { 'content-type': 'application/json' };
      expectStatus(await admin.get(`${M}/identities`, { headers }), 200);
      const id = (expectStatus(await admin.post(`${M}/identities`, identity({})), 201).data as { id: string }).id;
      expectStatus(await admin.delete(`${M}/identities/${id}`, undefined, { headers }), 200);
    });

    it('ignores a body where none belongs', async () => {
      expectStatus(await admin.send('GET', `${M}/identities`, undefined, { rawBody: '{broken', headers: { 'content-type': 'application/json' } }), 200);
    });
  });

  describe('by what it accepts', () => {
    it('answers 406 when the answer cannot be had as asked', async () => {
      const answer = await admin.get(`${M}/identities`, { headers: { accept: 'image/png' } });
      expectField(answer, 406, 'Accept', 'unsupported media type requested, only [application/json] are available');
      expect(answer.error?.cause?.['value']).to.equal('image/png');
    });

    for (const accept of ['application/json', '*/*', 'application/*', 'text/html, application/json;q=0.1', 'text/html, */*;q=0.1', 'Application/JSON; charset=utf-8', '']) {
      it(`answers JSON to Accept: ${accept === '' ? '(empty)' : accept}`, async () => {
        const answer = expectStatus(await admin.get(`${M}/identities`, { headers: { accept } }), 200);
        expect(answer.headers['content-type']).to.equal('application/json');
      });
    }
  });

  describe('by its JSON', () => {
    for (const [what, body] of [
      ['an open brace', '{'], ['single quotes', "{'name':'x'}"], ['a trailing comma', '{"name":"x",}'], ['two values', '{} {}'],
      ['a control character in a string', '{"name":"a\nb"}'], ['a bad escape', '{"name":"\\u12"}'], ['blanks only', '   '], ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b])],
    ] as const) {
      it(`answers 400 for malformed JSON: ${what}`, async () => {
        const error = expectFault(await json(`${M}/identities`, body), 400, 'COULD_NOT_PARSE_BODY');
        expect(error.cause?.['message']).to.match(/^parsing identity body from "" failed, because /);
      });
    }

    it('does not repeat what it could not parse: it may be a password', async () => {
      for (const body of ['{"username":"admin","password":hunter2}', '{"password":"hunter2"', '{"password":"hunter2" hunter2}', 'hunter2', '"hunter2']) {
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
      for (const more of [{ name: 5 }, { isAdmin: 'yes' }, { roleAttributes: 'a' }, { roleAttributes: [1] }, { defaultHostingCost: 1.5 }, { enrollment: 'ott' }]) {
        const answer = await admin.post(`${M}/identities`, identity(more));
        expect(answer.status, JSON.stringify(more)).to.equal(400);
      }
      const error = expectFault(await admin.post(`${M}/identities`, identity({ isAdmin: 'yes' })), 400, 'COULD_NOT_PARSE_BODY');
      expect(error.cause?.['message']).to.match(/^parsing identity body from "" failed, because isAdmin must be of type boolean/);
    });

    it('answers 400 naming the body when it is missing or empty', async () => {
      for (const answer of [await admin.send('POST', `${M}/identities`), await json(`${M}/identities`, '')]) {
        expectField(answer, 400, 'identity', 'identity in body is required');
      }
    });

    it('names the first missing property in alphabetical order', async () => {
      const answer = await admin.post(`${M}/identities`, {});
      expectField(answer, 400, 'isAdmin', 'isAdmin in body is required');
      expect(answer.error?.cause?.['value']).to.equal('<nil>');
      expectField(await admin.post(`${M}/identities`, { isAdmin: false }), 400, 'name', 'name in body is required');
      expectField(await admin.post(`${M}/identities`, { isAdmin: false, name: 'x' }), 400, 'type', 'type in body is required');
    });

    it('names the first fault in alphabetical order, whether a property is missing or breaks a rule', async () => {
      expectField(await admin.post(`${M}/identities`, { defaultHostingCost: 70_000 }), 400, 'defaultHostingCost', 'defaultHostingCost in body should be less than or equal to 65535');
      expectField(await admin.post(`${M}/identities`, { type: 'Wizard', name: 'x' }), 400, 'isAdmin', 'isAdmin in body is required');
      expectField(await admin.post(`${M}/identities`, { type: 'Wizard', isAdmin: false }), 400, 'name', 'name in body is required');
    });

    it('names enum, length and range with the value given', async () => {
      const type = await admin.post(`${M}/identities`, identity({ type: 'Wizard' }));
      expectField(type, 400, 'type', 'type in body should be one of [User Device Service Router Default]');
      expect(type.error?.cause?.['value']).to.equal('Wizard');
      expectField(await admin.post(`${M}/identities`, identity({ defaultHostingCost: -1 })), 400, 'defaultHostingCost', 'defaultHostingCost in body should be greater than or equal to 0');
      expectField(await admin.post(`${M}/identities`, identity({ defaultHostingPrecedence: 'high' })), 400, 'defaultHostingPrecedence', 'defaultHostingPrecedence in body should be one of [default required failed]');
      expectField(await login(JSON.stringify({ username: 'x', password: 'long enough' })), 400, 'username', 'username in body should be at least 4 chars long');
    });

    it('never repeats a password that breaks a rule', async () => {
      const answer = await login(JSON.stringify({ username: 'admin', password: 'hunt' }));
      expectField(answer, 400, 'password', 'password in body should be at least 5 chars long');
      expect(answer.text).not.to.contain('hunt');
    });

    it('does not repeat more than a thousand characters of what it refuses', async () => {
      for (const answer of [await admin.post(`${M}/identities`, identity({ type: '😀'.repeat(100_000) })), await admin.get(`${M}/identities/${'x'.repeat(20_000)}`)]) {
        expect(answer.status).to.be.oneOf([400, 404]);
        expect(answer.text.length).to.be.lessThan(4000);
        expect(answer.text).to.contain('…');
      }
    });

    it('ignores unknown properties', async () => {
      expectStatus(await admin.post(`${M}/identities`, identity({ wizard: true, nested: { deep: [1] }, id: 'mine' })), 201);
    });

    it('accepts null for every property that need not be there', async () => {
      expectStatus(await admin.post(`${M}/identities`, identity({
        appData: null, authPolicyId: null, defaultHostingCost: null, defaultHostingPrecedence: null, enrollment: null, externalId: null,
        roleAttributes: null, serviceHostingCosts: null, serviceHostingPrecedences: null, tags: null, permissions: null,
      })), 201);
      expectStatus(await admin.post(`${M}/services`, {
        name: unique('service'), encryptionRequired: true, configs: null, maxIdleTimeMillis: null, roleAttributes: null, tags: null, terminatorStrategy: null,
      }), 201);
    });

    it('takes null for a required property as missing', async () => {
      expectField(await admin.post(`${M}/identities`, { name: null, type: 'User', isAdmin: false }), 400, 'name', 'name in body is required');
    });

    it('keeps names out of prototypes: `__proto__` and `constructor` are properties like others', async () => {
      const answer = await json(`${M}/identities`, `{"name":"${unique('proto')}","type":"User","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}`);
      expectField(answer, 400, 'isAdmin', 'isAdmin in body is required');
      const made = expectStatus(await json(`${M}/identities`, `{"name":"${unique('proto')}","type":"User","isAdmin":false,"tags":{"constructor":"c"},"appData":{"__proto__":{"polluted":true}}}`), 201);
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
      ['limit=0x10', 'limit', 'limit in query must be of type int64: "0x10"'],
      ['offset=x', 'offset', 'offset in query must be of type int64: "x"'],
      ['offset=-99999999999999999999', 'offset', 'offset in query must be of type int64: "-99999999999999999999"'],
    ] as const) {
      it(`answers 400 for ${query}`, async () => {
        const answer = await admin.get(`${M}/identities?${query}`);
        expectField(answer, 400, field, reason);
        expect(answer.error?.cause?.['value']).to.equal(query.split('=')[1]);
      });
    }

    it('takes an empty limit or offset as none, and the largest int64 as what it is', async () => {
      for (const query of ['limit=&offset=', 'offset=9223372036854775807', 'limit=9223372036854775807']) expectStatus(await admin.get(`${M}/identities?${query}`), 200);
    });

    it('answers 400 for a missing and for an unknown method of authentication', async () => {
      const body = { username: 'admin', password: 'wrong password' };
      expectField(await anonymous.post(`${C}/authenticate`, body), 400, 'method', 'method in query is required');
      const answer = await anonymous.post(`${C}/authenticate?method=magic`, body);
      expectField(answer, 400, 'method', /^method in query should be one of \[/);
      expect(answer.error?.cause?.['value']).to.equal('magic');
      expectField(await anonymous.post(`${C}/authenticate?method=PASSWORD`, body), 400, 'method', /^method in query should be one of \[/);
    });

    it('ignores unknown query parameters', async () => {
      expectStatus(await admin.get(`${M}/identities?rejectUnauthorized=false&x[]=1&=&&constructor=1&__proto__=2`), 200);
    });
  });

  describe('by characters that no text can hold', () => {
    const NUL_PATHS = [`${M}/identities/%00`, `${M}/identities/a%00b`, `${M}/%00`, '/%00', `${M}/identities/a%00/services`, `${C}/services/%00`, `${M}/specs/%00/spec`];
    for (const path of NUL_PATHS) {
      it(`answers 404 for ${path}`, async () => {
        expectFault(await admin.get(path), 404, 'NOT_FOUND');
      });
    }

    for (const query of ['filter=name%3D%22a%00b%22', 'filter=%00', 'sort=%00', 'sort=name%00', 'roleFilter=%00', 'roleSemantic=%00', 'limit=%00', 'filter=%FF', 'filter=name%3D%22%ED%A0%80%22', 'filter=%', 'filter=name%3D%22%ud800%22']) {
      it(`never answers 500 to ?${query}`, async () => {
        for (const list of ['identities', 'services', 'authenticators', 'api-sessions']) {
          expect((await admin.get(`${M}/${list}?${query}`)).status, list).to.be.oneOf([200, 400]);
        }
      });
    }

    for (const [what, text] of [['a NUL', '\\u0000'], ['a lone high surrogate', '\\ud800'], ['a lone low surrogate', 'a\\udc00b'], ['surrogates the wrong way round', '\\udc00\\ud800']] as const) {
      it(`answers 400 for ${what} in a body: values, keys, logins`, async () => {
        for (const body of [
          `{"name":"${text}","type":"User","isAdmin":false}`, `{"name":"x","type":"User","isAdmin":false,"tags":{"${text}":"v"}}`,
          `{"name":"x","type":"User","isAdmin":false,"appData":{"a":[{"b":"${text}"}]}}`, `{"name":"x","type":"User","isAdmin":false,"roleAttributes":["${text}"]}`,
          `{"name":"x","type":"User","isAdmin":false,"unknown":"${text}"}`,
        ]) expectFault(await json(`${M}/identities`, body), 400, 'COULD_NOT_PARSE_BODY');
        expectFault(await login(`{"username":"user${text}","password":"long enough"}`), 400, 'COULD_NOT_PARSE_BODY');
        expectFault(await login(`{"username":"admin","password":"long${text}enough"}`), 400, 'COULD_NOT_PARSE_BODY');
      });
    }

    it('reads a surrogate pair as its character, and an escaped backslash before u0000 as text', async () => {
      const name = unique('pair');
      const made = expectStatus(await json(`${M}/identities`, `{"name":"${name}-\\ud83d\\ude00-\\\\u0000","type":"User","isAdmin":false}`), 201);
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
        const answer = await anonymous.send('POST', `${C}/enroll?method=ott&token=x`, undefined, { rawBody: 'a\0b', headers: { 'content-type': type } });
        expect(answer.status, type).to.be.lessThan(500);
      }
    });
  });

  it('gives every failure a request id of its own', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 20; i += 1) ids.add(expectFault(await anonymous.get(`${C}/nonsense`), 404, 'NOT_FOUND').requestId);
    expect(ids.size).to.equal(20);
  });

  it('answers what is no HTTP in the envelope and closes the connection', async () => {
    for (const bytes of ['GARBAGE\r\n\r\n', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n', 'GET /version HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n',
      'POST /version HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', 'GET /version HTTP/1.1\r\n\r\n']) {
      const answer = await sendRaw(controller.url, bytes);
      expect(answer.status, bytes).to.equal(400);
      expect(answer.json.error?.code, bytes).to.equal('MALFORMED_REQUEST');
      expect(answer.json.error?.requestId).to.match(/^[A-Za-z0-9._-]{8,10}$/);
      expect(answer.json.meta).to.deep.equal({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
      expect(answer.head).to.match(/^server: edge-controller\//m).and.match(/^ziti-instance-id: \w+/m).and.match(/^connection: close/mi);
    }
  });

  it('serves a request target in absolute form, and an expectation that it does not know', async () => {
    const answer = await sendRaw(controller.url, 'GET https://localhost:1280/edge/client/v1/version?x=1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.contain('apiVersions');
    expect((await sendRaw(controller.url, 'GET /version HTTP/1.1\r\nhost: x\r\nexpect: miracle\r\nconnection: close\r\n\r\n')).status).to.equal(200);
    expect((await sendRaw(controller.url, 'GET http://[bad/version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).status).to.be.oneOf([200, 400, 404]);
  });
});
