/** How requests fail that never reach a handler: the envelope, its codes, and the order of the checks. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { operations } from '../../generated/operations.js';
import { pending } from '../../handlers/pending.js';
import { expectFault, expectFieldFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { sendRaw } from './server-support.js';
import type { RawAnswer } from './server-support.js';

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
    admin.send(method, path, undefined, {
      rawBody,
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    });
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
      expect(answer.headers.allow?.split(', ').sort()).to.deep.equal(['GET', 'HEAD', 'OPTIONS', 'POST']);
    });

    it('answers 405 without a body to HEAD where there is nothing to read', async () => {
      const answer = await anonymous.send('HEAD', `${M}/authenticate`);
      expect(answer.status).to.equal(405);
      expect(answer.text).to.equal('');
      expect(answer.headers.allow?.split(', ').sort()).to.deep.equal(['OPTIONS', 'POST']);
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
      expectFault(
        await client.send('POST', `${M}/identities`, undefined, {
          rawBody: '{broken',
          headers: { 'content-type': 'application/json' },
        }),
        401,
        'UNAUTHORIZED',
      );
    });

    it('answers 501 for a pending operation only to those who may call it, before validating anything', async () => {
      const { client } = await controller.newCaller();
      const waiting: readonly string[] = pending.management;
      const built = Object.values(operations.management).filter(({ operationId }) => !waiting.includes(operationId));
      expect(built.length + waiting.length).to.equal(Object.keys(operations.management).length);
      for (const { method, path, permission, responses } of Object.values(operations.management).filter(
        ({ operationId }) => waiting.includes(operationId),
      )) {
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
      expectFieldFault(
        await raw('POST', `${M}/identities`, '{}', 'text/plain'),
        415,
        'Content-Type',
        'unsupported media type "text/plain", only [application/json] are allowed',
      );
    });

    it('takes a body without content type for application/octet-stream', async () => {
      const answer = await raw('POST', `${M}/identities`, '{}');
      expectFieldFault(
        answer,
        415,
        'Content-Type',
        'unsupported media type "application/octet-stream", only [application/json] are allowed',
      );
      expect(answer.error?.cause?.['value']).to.equal('application/octet-stream');
    });

    it('accepts parameters and any case of the content type', async () => {
      expectStatus(
        await raw('POST', `${M}/identities`, JSON.stringify(identity({})), 'Application/JSON; charset=utf-8'),
        201,
      );
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
      expectStatus(
        await admin.send('GET', `${M}/identities`, undefined, {
          rawBody: '{broken',
          headers: { 'content-type': 'application/json' },
        }),
        200,
      );
    });
  });

  describe('by what it accepts', () => {
    it('answers 406 when the answer cannot be had as asked', async () => {
      const answer = await admin.get(`${M}/identities`, { headers: { accept: 'image/png' } });
      expectFieldFault(
        answer,
        406,
        'Accept',
        'unsupported media type requested, only [application/json] are available',
      );
      expect(answer.error?.cause?.['value']).to.equal('image/png');
    });

    for (const accept of [
      'application/json',
      '*/*',
      'application/*',
      'text/html, application/json;q=0.1',
      'text/html, */*;q=0.1',
      'Application/JSON; charset=utf-8',
      '',
    ]) {
      it(`answers JSON to Accept: ${accept === '' ? '(empty)' : accept}`, async () => {
        const answer = expectStatus(await admin.get(`${M}/identities`, { headers: { accept } }), 200);
        expect(answer.headers['content-type']).to.equal('application/json');
      });
    }
  });

  it('gives every failure a request id of its own', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 20; i += 1)
      ids.add(expectFault(await anonymous.get(`${C}/nonsense`), 404, 'NOT_FOUND').requestId);
    expect(ids.size).to.equal(20);
  });

  it('answers what is no HTTP in the envelope and closes the connection', async () => {
    for (const bytes of [
      'GARBAGE\r\n\r\n',
      'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
      'GET /version HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n',
      'POST /version HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /version HTTP/1.1\r\n\r\n',
    ]) {
      const answer = await sendRaw(controller.url, bytes);
      expect(answer.status, bytes).to.equal(400);
      expect(answer.json.error?.code, bytes).to.equal('MALFORMED_REQUEST');
      expect(answer.json.error?.requestId).to.match(/^[A-Za-z0-9._-]{8,10}$/);
      expect(answer.json.meta).to.deep.equal({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
      expect(answer.head)
        .to.match(/^server: edge-controller\//m)
        .and.match(/^ziti-instance-id: \w+/m)
        .and.match(/^connection: close/im);
    }
  });

  describe('a Host', () => {
    const ask = (hosts: readonly string[], { version = '1.1', method = 'GET' } = {}) =>
      sendRaw(
        controller.url,
        `${method} /version HTTP/${version}\r\n${hosts.map((host) => `${host}\r\n`).join('')}connection: close\r\n\r\n`,
      );
    const expectMalformed = (answer: RawAnswer, what: string) => {
      expect(answer.status, what).to.equal(400);
      expect(answer.json.error?.code, what).to.equal('MALFORMED_REQUEST');
      expect(answer.json.meta, what).to.deep.equal({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
      expect(answer.head, what).to.match(/^connection: close/im);
    };

    it('that comes twice is refused, also when both are the same, and in every version and method', async () => {
      for (const hosts of [
        ['host: localhost', 'host: example.org'],
        ['host: localhost', 'HOST: localhost'],
        ['Host: localhost', 'x-other: 1', 'hOsT:'],
      ]) {
        expectMalformed(await ask(hosts), hosts.join());
        expectMalformed(await ask(hosts, { version: '1.0' }), hosts.join());
        expectMalformed(await ask(hosts, { method: 'OPTIONS' }), hosts.join());
      }
    });

    it('that is no host is refused', async () => {
      for (const host of [
        '',
        'a b',
        'a,b',
        'http://x',
        'x/y',
        'x?y',
        'x#y',
        'user@x',
        'x%41',
        'x\\y',
        '*',
        'x:99999',
        'x:65536',
        'x:port',
        'x:1:2',
        ':1280',
        '::1',
        '[::1',
        '[::g]',
        '[1.2.3.4]',
        '[fe80::1%25eth0]',
        '[::1]x',
        'é',
        `${'a'.repeat(256)}`,
      ]) {
        expectMalformed(await ask([`host: ${host}`]), host);
      }
      expectMalformed(await ask(['host: a b'], { version: '1.0' }), 'HTTP/1.0');
    });

    it('that is one is taken, whether it is a name of this controller or not', async () => {
      for (const host of [
        'x',
        'localhost:1280',
        'ctrl_1.example.org.:65535',
        'x:',
        'EXAMPLE.org:0',
        '127.0.0.1:1280',
        '[::1]',
        '[::FFFF:1.2.3.4]:443',
      ]) {
        expect((await ask([`host:   ${host} `])).status, host).to.equal(200);
      }
      expect((await ask([], { version: '1.0' })).status, 'none in HTTP/1.0').to.equal(200);
    });
  });

  it('serves a request target in absolute form, and an expectation that it does not know', async () => {
    const answer = await sendRaw(
      controller.url,
      'GET https://localhost:1280/edge/client/v1/version?x=1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    expect(answer.status).to.equal(200);
    expect(answer.body).to.contain('apiVersions');
    expect(
      (
        await sendRaw(
          controller.url,
          'GET /version HTTP/1.1\r\nhost: x\r\nexpect: miracle\r\nconnection: close\r\n\r\n',
        )
      ).status,
    ).to.equal(200);
    expect(
      (await sendRaw(controller.url, 'GET http://[bad/version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'))
        .status,
    ).to.be.oneOf([200, 400, 404]);
  });
});
