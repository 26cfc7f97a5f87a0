/** What the server refuses before it trusts a caller: size, number and depth, and how TLS is spoken. */
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { expectFault, expectField } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import {
  JSON_TYPE,
  dial,
  expectRawFault,
  openssl,
  parseRaw,
  postHead,
  readToEnd,
  sendRaw,
  startLogged,
} from './server-support.js';
import type { RawAnswer } from './server-support.js';

const MIB = 1_048_576;
const PUBLIC = 65_536;

describe('limits', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());
  describe('of a body', () => {
    const blanks = (size: number, type = 'application/json') => ({
      rawBody: Buffer.alloc(size, ' '),
      headers: { 'content-type': type },
    });

    it('takes one of exactly the limit, and refuses one byte more', async () => {
      const send = (size: number) => controller.admin.send('POST', `${M}/identities`, undefined, blanks(size));
      expectFault(await send(MIB), 400, 'COULD_NOT_PARSE_BODY');
      const refused = await send(MIB + 1);
      expectFault(refused, 413, 'REQUEST_ENTITY_TOO_LARGE');
      expect(refused.text).to.include(`a body may have ${MIB} bytes here`);
    });

    it('takes 64 KiB of one that needs no session, and refuses one byte more', async () => {
      const open = (['client', 'fabric', 'management'] as const).flatMap((api) =>
        Object.values(operations[api]).filter(({ permission, body }) => permission === 'public' && body !== null),
      );
      expect(open).to.have.lengthOf(10);
      for (const { api, method, path } of open) {
        const to = `${api === 'client' ? C : M}${path}?method=ott&token=x`;
        const refused = await controller.anonymous.send(method, to, undefined, blanks(PUBLIC + 1));
        expectFault(refused, 413, 'REQUEST_ENTITY_TOO_LARGE');
        expect(refused.text).to.include(`a body may have ${PUBLIC} bytes here`);
        const taken = await controller.anonymous.send(method, to, undefined, blanks(PUBLIC));
        expect(taken.status, to).to.not.equal(413);
      }
    });

    it('takes as much at the endpoints of OpenID Connect, with a token and without', async () => {
      for (const { method, path, body } of Object.values(operations.oidc)) {
        if (body === null) continue;
        const send = (size: number) =>
          controller.anonymous.send(method, basePaths.oidc + path, undefined, blanks(size, body.consumes[0]));
        const refused = expectStatus(await send(PUBLIC + 1), 413);
        expect(refused.json, path).to.include({ code: 'REQUEST_ENTITY_TOO_LARGE' });
        expect(refused.text).to.include(`a body may have ${PUBLIC} bytes here`);
        expect((await send(PUBLIC)).status, path).to.not.equal(413);
      }
    });

    it('holds so much of all large ones that come slowly, refuses more of them, and never a small one', async () => {
      const narrow = await startTestController({ EDGE_LIMIT_BODIES_BYTES: String(MIB) });
      const change = postHead(`${M}/identities`, JSON_TYPE, `content-length: ${MIB - 1}`);
      const slow = await Promise.all([0, 1].map(() => dial(narrow.url)));
      try {
        for (const socket of slow) socket.write(Buffer.concat([Buffer.from(change), Buffer.alloc(MIB / 2, ' ')]));
        const refused = await until('a large body is refused', async () => {
          const answer = await sendRaw(narrow.url, Buffer.concat([Buffer.from(change), Buffer.alloc(MIB - 1, ' ')]));
          return answer.status === 429 && answer;
        });
        expectRawFault(refused, 429, 'SERVER_TOO_MANY_REQUESTS');
        expect(refused.head).to.match(/^retry-after: 1/im);
        expectStatus(await narrow.anonymous.post(`${C}/authenticate?method=password`, ADMIN), 200);
      } finally {
        slow.forEach((socket) => {
          socket.destroy();
        });
      }
      await until('a large body is read again', async () => {
        const answer = await sendRaw(
          narrow.url,
          Buffer.concat([
            Buffer.from(change.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')),
            Buffer.alloc(MIB - 1, ' '),
          ]),
        );
        return answer.status === 401;
      });
      await narrow.stop();
    });

    it('refuses a declared length before the session, with the envelope, and closes', async () => {
      const bytes = Buffer.concat([
        Buffer.from(postHead(`${M}/identities`, JSON_TYPE, `content-length: ${2 * MIB}`)),
        Buffer.alloc(2 * MIB, ' '),
      ]);
      expectRawFault(await sendRaw(controller.url, bytes), 413, 'REQUEST_ENTITY_TOO_LARGE');
    });

    it('refuses it before the route too', async () => {
      const bytes = Buffer.concat([
        Buffer.from(postHead('/edge/nonsense', `content-length: ${2 * MIB}`)),
        Buffer.alloc(2 * MIB, ' '),
      ]);
      expectRawFault(await sendRaw(controller.url, bytes), 413, 'REQUEST_ENTITY_TOO_LARGE');
    });

    it('refuses a length that is only declared, without waiting for the body', async () => {
      expectRawFault(
        await sendRaw(controller.url, postHead(`${M}/identities`, JSON_TYPE, 'content-length: 99999999999')),
        413,
        'REQUEST_ENTITY_TOO_LARGE',
      );
    });

    it('refuses a chunked body once it is too long', async () => {
      const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`;
      const bytes =
        postHead(`${M}/identities`, JSON_TYPE, 'transfer-encoding: chunked') + chunk.repeat(20) + '0\r\n\r\n';
      expectRawFault(await sendRaw(controller.url, bytes), 413, 'REQUEST_ENTITY_TOO_LARGE');
    });

    it('cuts off a sender that never ends, with the answer in its hands', async () => {
      const socket = await dial(controller.url);
      const answer = readToEnd(socket);
      socket.write(postHead(`${M}/identities`, JSON_TYPE, 'transfer-encoding: chunked'));
      const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;
      const send = () => {
        while (!socket.destroyed && socket.writable && socket.write(chunk));
      };
      socket.on('drain', send);
      send();
      expectRawFault(parseRaw(await answer), 413, 'REQUEST_ENTITY_TOO_LARGE');
    });

    it('takes no notice of a length of zero', async () => {
      expectField(
        await controller.admin.send('POST', `${M}/identities`, undefined, { headers: { 'content-length': '0' } }),
        'identity',
        'identity in body is required',
      );
    });

    it('follows its setting', async () => {
      const database = await openTestDatabase();
      const small = await startLogged(database, { EDGE_LIMIT_BODY_BYTES: '1024' });
      try {
        const client = small.client();
        expectFault(
          await client.post(`${C}/authenticate?method=password`, {
            username: 'admin',
            password: 'x'.repeat(90),
            pad: 'x'.repeat(1024),
          }),
          413,
          'REQUEST_ENTITY_TOO_LARGE',
        );
        expectFault(
          await client.post(`${C}/authenticate?method=password`, { username: 'admin', password: 'x'.repeat(90) }),
          403,
          'INVALID_AUTH',
        );
      } finally {
        await small.stop();
        await database.close();
      }
    });
  });

  describe('of JSON', () => {
    const nested = (depth: number) =>
      `{"name":"${unique('deep')}","type":"User","isAdmin":false,` +
      `"appData":${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}}`;
    const post = (rawBody: string) =>
      controller.admin.send('POST', `${M}/identities`, undefined, {
        rawBody,
        headers: { 'content-type': 'application/json' },
      });

    it('takes 64 levels and refuses 65', async () => {
      expectStatus(await post(nested(64)), 201);
      const error = expectFault(await post(nested(65)), 400, 'COULD_NOT_PARSE_BODY');
      expect(error.cause?.['message']).to.contain('nested deeper than 64 levels');
    });

    it('refuses a hundred thousand levels as calmly', async () => {
      expectFault(await post('['.repeat(100_000)), 400, 'COULD_NOT_PARSE_BODY');
      expectFault(await post('{"a":'.repeat(100_000)), 400, 'COULD_NOT_PARSE_BODY');
    });

    it('does not count brackets in strings', async () => {
      expectStatus(
        await post(
          `{"name":"${unique('brackets')}","type":"User","isAdmin":false,"tags":{"t":"${'[{'.repeat(100)}\\"[[["}}`,
        ),
        201,
      );
    });
  });

  describe('of headers', () => {
    const request = (...lines: string[]) =>
      `GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: ` +
      `close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `x-${i}: 1`);

    it('takes a hundred lines and refuses more, with the envelope', async () => {
      expect((await sendRaw(controller.url, request(...lines(98)))).status).to.equal(200);
      for (const count of [99, 150, 1000])
        expectRawFault(await sendRaw(controller.url, request(...lines(count))), 431, 'REQUEST_HEADERS_TOO_LARGE');
    });

    it('counts repeated lines', async () => {
      expectRawFault(
        await sendRaw(controller.url, request(...Array.from({ length: 120 }, () => 'x-same: 1'))),
        431,
        'REQUEST_HEADERS_TOO_LARGE',
      );
    });

    it('refuses more bytes than the limit, in one header, in all, or in the path', async () => {
      expectRawFault(
        await sendRaw(controller.url, request(`x-long: ${'a'.repeat(70_000)}`)),
        431,
        'REQUEST_HEADERS_TOO_LARGE',
      );
      expectRawFault(
        await sendRaw(controller.url, request(...Array.from({ length: 80 }, (_, i) => `x-${i}: ${'a'.repeat(1000)}`))),
        431,
        'REQUEST_HEADERS_TOO_LARGE',
      );
      expectRawFault(
        await sendRaw(controller.url, `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`),
        431,
        'REQUEST_HEADERS_TOO_LARGE',
      );
    });
  });

  describe('of what comes after a refusal', () => {
    const LONG = `GET /${'a'.repeat(200_000)} HTTP/1.1\r\nhost: x\r\n\r\n`;

    it('reads it, so that the answer reaches a client that is still sending', async () => {
      for (let round = 0; round < 20; round += 1)
        expectRawFault(await sendRaw(controller.url, LONG), 431, 'REQUEST_HEADERS_TOO_LARGE');
      const whole = `${LONG}${'a'.repeat(400_000)}`;
      expectRawFault(await sendRaw(controller.url, whole), 431, 'REQUEST_HEADERS_TOO_LARGE');
    });

    it('reads no more than a bound', async () => {
      const socket = await dial(controller.url);
      const end = readToEnd(socket);
      const piece = Buffer.alloc(65_536, 'a');
      let sent = 0;
      const pour = () => {
        while (!socket.destroyed && socket.writable && sent < 64 * 1_048_576) {
          sent += piece.length;
          if (!socket.write(piece)) {
            socket.once('drain', pour);
            return;
          }
        }
      };
      pour();
      await end;
      // What the kernel of both sides holds is sent, too.
      expect(socket.bytesWritten).to.be.below(32 * 1_048_576);
    });
  });

  describe('of TLS', () => {
    it('refuses TLS 1.1 and older, and speaks 1.2 and 1.3', async () => {
      for (const version of ['TLSv1', 'TLSv1.1'] as const) {
        let refusal: unknown;
        try {
          (
            await dial(controller.url, { minVersion: version, maxVersion: version, ciphers: 'ALL@SECLEVEL=0' })
          ).destroy();
        } catch (error) {
          refusal = error;
        }
        expect(refusal, version).to.be.instanceOf(Error);
        expect((refusal as NodeJS.ErrnoException).code, version).to.match(
          /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|ECONNRESET/,
        );
      }
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const socket = await dial(controller.url, { minVersion: version, maxVersion: version });
        expect(socket.getProtocol()).to.equal(version);
        socket.destroy();
      }
    });

    it('presents leaf and intermediate, not the root', async () => {
      const socket = await dial(controller.url);
      const leaf = socket.getPeerCertificate(true);
      expect(leaf.subject.CN).to.be.a('string');
      expect(leaf.issuerCertificate.fingerprint256).not.to.equal(leaf.fingerprint256);
      const pem = await openssl('s_client', '-connect', new URL(controller.url).host, '-showcerts');
      expect(pem.match(/BEGIN CERTIFICATE/g)).to.have.lengthOf(2);
      socket.destroy();
    });

    it('asks for a client certificate, does not need one, and takes an unknown one for none', async () => {
      const hello = await openssl('s_client', '-connect', new URL(controller.url).host, '-tls1_2');
      expect(hello).to.match(/Client Certificate Types|Requested Signature Algorithms/);
      const dir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
      try {
        await openssl(
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-keyout',
          join(dir, 'k'),
          '-out',
          join(dir, 'c'),
          '-subj',
          '/CN=stranger',
          '-days',
          '1',
        );
        const stranger = { key: readFileSync(join(dir, 'k')), cert: readFileSync(join(dir, 'c')) };
        const get = (path: string, more = '') =>
          `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${more}\r\n`;
        const bare = (answer: RawAnswer) => answer.body.replace(/"requestId":"[^"]*"/, '');
        for (const path of ['/version', `${M}/identities`, `${C}/current-identity`]) {
          const [without, withOne] = [
            await sendRaw(controller.url, get(path)),
            await sendRaw(controller.url, get(path), stranger),
          ];
          expect(withOne.status, path).to.equal(without.status);
          expect(bare(withOne)).to.equal(bare(without));
        }
        const session = `zt-session: ${controller.admin.token ?? ''}\r\n`;
        expect((await sendRaw(controller.url, get(`${M}/identities`, session), stranger)).status).to.equal(200);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    });

    it('speaks HTTP/1.1 only', async () => {
      const socket = await dial(controller.url, { ALPNProtocols: ['h2', 'http/1.1'] });
      expect(socket.alpnProtocol).to.equal('http/1.1');
      socket.destroy();
    });
  });
});
