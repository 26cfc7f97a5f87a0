/** HEAD and OPTIONS, bodies that are packed, a session that is named twice, and what pages and browsers are told. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { dial, readToEnd } from './server-support.js';

/** What differs from one answer to the next, whatever is asked. */
const OWN = ['date', 'x-request-id', 'expires-at', 'expiration-seconds'];
const headOf = ({ headers }: Answer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)));
const allowed = ({ headers }: Answer) => headers.allow?.split(', ').sort();

describe('HTTP', () => {
  let controller: TestController;
  let admin: Client;
  let anonymous: Client;
  before(async () => {
    controller = await startTestController({
      EDGE_API_MAX_LIMIT: '5',
      EDGE_CORS_ORIGINS: 'https://console.example.com',
    });
    ({ admin, anonymous } = controller);
    for (let i = 0; i < 8; i += 1)
      expectStatus(await admin.post(`${M}/identities`, { name: unique('head'), type: 'User', isAdmin: false }), 201);
  });
  after(() => controller.stop());

  const head = (client: Client, path: string, options?: Parameters<Client['get']>[1]) =>
    client.send('HEAD', path, undefined, options);

  describe('HEAD', () => {
    it('is refused as GET is: no session, no right, no such path, no such entity, a query that is wrong', async () => {
      const { client: other } = await controller.newCaller();
      for (const [client, path, status] of [
        [anonymous, `${M}/identities`, 401],
        [anonymous, `${C}/current-identity`, 401],
        [other, `${M}/identities`, 401],
        [admin, `${M}/nonsense`, 404],
        [admin, `${M}/identities/nobody`, 404],
        [admin, `${M}/identities?limit=abc`, 400],
        [admin, `${M}/identities?filter=nonsense`, 400],
        [admin, `${M}/authenticate`, 405],
      ] as const) {
        const [whole, bare] = [await client.get(path), await head(client, path)];
        expect([bare.status, bare.text, bare.bytes], path).to.deep.equal([status, '', 0]);
        expect(whole.status, path).to.equal(status);
        if (status !== 405) expect(headOf(bare), path).to.deep.equal(headOf(whole));
      }
      const unacceptable = await head(admin, `${M}/identities`, { headers: { accept: 'image/png' } });
      expect(unacceptable.status).to.equal(406);
    });

    it('gets the head that GET gets, with the length of what does not follow', async () => {
      for (const path of [
        `${M}/identities`,
        `${M}/identities?limit=2&offset=1`,
        `${M}/version`,
        `${C}/current-identity`,
        `${C}/services`,
        `${M}/specs/edge-client/spec`,
        '/.well-known/est/cacerts',
        `${M}/swagger.json`,
        '/version',
        '/docs',
        '/docs/swagger-ui-bundle.js',
        '/livez',
        '/readyz',
      ]) {
        const [whole, bare] = [expectStatus(await admin.get(path), 200), await head(admin, path)];
        expect([bare.status, bare.bytes], path).to.deep.equal([200, 0]);
        expect(headOf(bare), path).to.deep.equal(headOf(whole));
        expect(Number(bare.headers['content-length']), path).to.equal(whole.bytes);
      }
    });

    it('of a list without limit does not read the list, and gives its connection of the database back', async () => {
      for (let i = 0; i < 30; i += 1) {
        const bare = await head(admin, `${M}/identities?limit=-1`);
        expect([bare.status, bare.bytes, bare.headers['content-length']]).to.deep.equal([200, 0, undefined]);
      }
      expect(expectStatus(await admin.get(`${M}/identities?limit=-1`), 200).data).to.have.lengthOf.at.least(8);
    });

    it('leaves the connection in order: the next answer is read from its first byte on', async () => {
      const request = (method: string, last = '') => `${method} /version HTTP/1.1\r\nhost: localhost\r\n${last}\r\n`;
      const socket = await dial(controller.url);
      socket.write(request('HEAD') + request('HEAD') + request('GET', 'connection: close\r\n'));
      const bare = /HTTP\/1\.1 200 [^{]*\r\n\r\n/.source;
      expect(await readToEnd(socket)).to.match(new RegExp(`^${bare}${bare}${bare}\\{"data":`));
    });

    it('is there wherever GET is, in all APIs', async () => {
      for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
        for (const { method, path } of Object.values(operations[api])) {
          if (method !== 'GET') continue;
          const { status } = await head(anonymous, basePaths[api] + path.replace(/\{[^}]+\}/g, 'x'));
          expect(status, path).not.to.equal(405);
        }
      }
    });
  });

  describe('OPTIONS', () => {
    it('names what the path answers', async () => {
      for (const [path, methods] of [
        [`${M}/identities`, ['GET', 'HEAD', 'OPTIONS', 'POST']],
        [`${M}/identities/x`, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
        [`/${M}//identities/x/`, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
        [`${C}/authenticate`, ['OPTIONS', 'POST']],
        ['/version', ['GET', 'HEAD', 'OPTIONS']],
        ['/docs', ['GET', 'HEAD', 'OPTIONS']],
        [`${M}/swagger.json`, ['GET', 'HEAD', 'OPTIONS']],
        ['/livez', ['GET', 'HEAD', 'OPTIONS']],
      ] as const) {
        const answer = expectStatus(await anonymous.send('OPTIONS', path), 200);
        expect(allowed(answer), path).to.deep.equal(methods);
        expect(answer.text).to.equal('');
      }
    });

    it('names nothing where nothing is, and answers as GET does', async () => {
      for (const path of ['/nonsense', `${M}/nonsense`, `${M}/identities/x/y/z`, `${M}/%zz`, '/edge']) {
        const [options, get] = [await anonymous.send('OPTIONS', path), await anonymous.get(path)];
        expect([options.status, options.error?.code, allowed(options)], path).to.deep.equal([
          get.status,
          get.error?.code,
          undefined,
        ]);
        expect(get.status, path).to.be.within(400, 404);
      }
    });

    it('answers a question about no path', async () => {
      expect(allowed(expectStatus(await anonymous.send('OPTIONS', '*'), 200))).to.equal(undefined);
    });

    it('names the same as the refusal at the endpoints of OpenID Connect, which has no body', async () => {
      for (const path of new Set(Object.values(operations.oidc).map((operation) => operation.path))) {
        const at = basePaths.oidc + path;
        const refused = expectStatus(await anonymous.send('TRACE', at), 405);
        expect(refused.text, at).to.equal('');
        expect(allowed(expectStatus(await anonymous.send('OPTIONS', at), 200)), at)
          .to.deep.equal(allowed(refused))
          .and.include('OPTIONS');
      }
    });

    it('names the same as the refusal of any other method, for every path of the other APIs', async () => {
      for (const api of ['client', 'fabric', 'management'] as const) {
        for (const path of new Set(Object.values(operations[api]).map((operation) => operation.path))) {
          const at = basePaths[api] + path.replace(/\{[^}]+\}/g, 'x');
          const refused = expectFault(await anonymous.send('TRACE', at), 405, 'METHOD_NOT_ALLOWED');
          expect(refused.cause?.['message'], at).to.match(/^method TRACE is not allowed, but \[[A-Z,]+\] are$/);
          const [options, trace] = [await anonymous.send('OPTIONS', at), await anonymous.send('TRACE', at)];
          expect(allowed(options), at).to.deep.equal(allowed(trace)).and.include('OPTIONS');
        }
      }
    });
  });

  describe('a body with a content coding', () => {
    const create = (name: string) => Buffer.from(JSON.stringify({ name, encryptionRequired: true }));
    const send = (rawBody: Buffer, coding: string, path = `${M}/services`, client = admin) =>
      client.send('POST', path, undefined, {
        rawBody,
        headers: { 'content-type': 'application/json', 'content-encoding': coding },
      });

    it('is 415, says which coding would do, and is not unpacked', async () => {
      for (const coding of ['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'x']) {
        const answer = await send(gzipSync(create(unique('packed'))), coding);
        const error = expectFault(answer, 415, 'COULD_NOT_VALIDATE');
        expect(error.cause).to.deep.include({ field: 'Content-Encoding', value: coding });
        expect(error.cause?.['reason']).to.contain('only [identity] is allowed');
        expect(answer.headers['accept-encoding']).to.equal('identity');
      }
      // Also what is no gzip at all, and whatever the size of what it would be.
      expectFault(await send(create(unique('packed')), 'gzip'), 415, 'COULD_NOT_VALIDATE');
      expectFault(await send(gzipSync(Buffer.alloc(100_000_000)), 'gzip'), 415, 'COULD_NOT_VALIDATE');
      expectFault(
        await send(gzipSync('{}'), 'gzip', `${C}/authenticate?method=password`, anonymous),
        415,
        'COULD_NOT_VALIDATE',
      );
    });

    it('is asked for its session first', async () => {
      expectFault(await send(gzipSync('{}'), 'gzip', `${M}/services`, anonymous), 401, 'UNAUTHORIZED');
    });

    it('is read when the coding is none', async () => {
      for (const coding of ['identity', 'Identity', '']) expectStatus(await send(create(unique('plain')), coding), 201);
    });
  });

  describe('a session that is named several times', () => {
    const asked = (headers: Readonly<Record<string, string | string[]>>) =>
      anonymous.get(`${C}/current-identity`, { headers });

    it('is refused when the values differ', async () => {
      const token = admin.token ?? '';
      const other = (await controller.newCaller()).client.token ?? '';
      for (const tokens of [
        [token, other],
        [other, token],
        [token, token, other],
        [token, ''],
        [token, `${token}x`],
        [token, token.toUpperCase()],
      ]) {
        expectFault(await asked({ 'zt-session': tokens }), 401, 'UNAUTHORIZED');
      }
      expectFault(await asked({ 'zt-session': ['', ''] }), 401, 'UNAUTHORIZED');
      expectFault(await asked({ 'zt-session': [UNKNOWN, UNKNOWN] }), 401, 'UNAUTHORIZED');
    });

    it('is that session when they are the same', async () => {
      const token = admin.token ?? '';
      for (const header of ['zt-session', 'svc-session'])
        for (const tokens of [[token, token], [token, token, token], [`${token}, ${token}`]])
          expectStatus(await asked({ [header]: tokens }), 200);
    });
  });

  describe('browsers', () => {
    it('are told to come by HTTPS alone, for this host and no other', async () => {
      for (const path of ['/docs', '/version', `${M}/identities`, '/nonsense'])
        expect((await anonymous.get(path)).headers['strict-transport-security'], path).to.equal('max-age=2592000');
    });

    it('are told to forget that by a setting', async () => {
      const other = await startTestController({ EDGE_HTTP_HSTS: '0s' });
      try {
        expect((await other.anonymous.get('/docs')).headers['strict-transport-security']).to.equal('max-age=0');
      } finally {
        await other.stop();
      }
    });

    it('may read of another origin what says when to come again, and which version came', async () => {
      const { headers } = await anonymous.get('/version', { headers: { origin: 'https://console.example.com' } });
      const exposed = String(headers['access-control-expose-headers']).split(', ');
      expect(exposed).to.include.members([
        'zt-session',
        'location',
        'www-authenticate',
        'x-request-id',
        'retry-after',
        'allow',
        'etag',
      ]);
    });

    it('may send conditions from another origin', async () => {
      const { headers } = await anonymous.send('OPTIONS', `${M}/identities/x`, undefined, {
        headers: {
          origin: 'https://console.example.com',
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'if-match,if-none-match,zt-session,x-other',
        },
      });
      expect(headers['access-control-allow-headers']).to.equal('if-match, if-none-match, zt-session');
      expect(allowed({ headers } as Answer)).to.include('PUT');
    });
  });
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
