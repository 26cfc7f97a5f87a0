/** Single-page applications that a controller serves beside its APIs: files, paths, caches, what is never served. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../server/settings/config-reader.js';
import { ConfigError } from '../../server/settings/config.js';
import { openSpas } from '../../server/pages/spa.js';
import { RESERVED } from '../../server/settings/spa-settings.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const INDEX = '<!doctype html><title>console</title><script src="main-5A7XQ2LM.js"></script>';
const LONG = 'export const text = "the same words again and again"; '.repeat(200);

/** Sends a request line as it is: clients tidy up paths before they send them. */
function statusOfRaw(url: string, target: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('error', reject);
    socket.once('end', () => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]));
    });
  });
}

describe('a single-page application', () => {
  let place: string;
  let release: string;
  let controller: TestController;
  let anonymous: Client;

  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'edge-spa-'));
    release = join(place, 'release');
    mkdirSync(join(release, 'assets/.hidden'), { recursive: true });
    const files: Readonly<Record<string, string>> = {
      'index.html': INDEX,
      'main-5A7XQ2LM.js': LONG,
      'assets/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'assets/font-ABCDEFG2.woff2': 'w'.repeat(5_000),
      'assets/a name.txt': 'spaces',
      'assets/data.unknown': 'bytes',
      '.env': 'SECRET=1',
      'assets/.hidden/key.txt': 'SECRET=2',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(release, name), text);
    writeFileSync(join(place, 'secret.txt'), 'SECRET=3');
    symlinkSync(join(place, 'secret.txt'), join(release, 'out.txt'));
    symlinkSync(place, join(release, 'up'));
    symlinkSync('main-5A7XQ2LM.js', join(release, 'inside.js'));
    symlinkSync('.', join(release, 'round'));
    mkdirSync(join(place, 'second'));
    writeFileSync(join(place, 'second/start.htm'), '<title>second</title>');
    controller = await startTestController({
      EDGE_SPA: JSON.stringify([
        { path: 'zac', location: release },
        { path: 'tools/second', location: join(place, 'second'), index: 'start.htm', policy: "default-src 'self'" },
      ]),
    });
    ({ anonymous } = controller);
  });
  after(async () => {
    await (controller as TestController | undefined)?.stop();
    rmSync(place, { recursive: true, force: true });
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    anonymous.get(path, { headers });
  const expectIndex = (answer: Answer) => {
    expectStatus(answer, 200);
    expect(answer.text).to.equal(INDEX);
    expect(answer.headers).to.include({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
  };

  describe('refuses', () => {
    it('what is outside of its folder, however it is asked for', async () => {
      for (const path of [
        '/zac/../secret.txt',
        '/zac/%2e%2e/secret.txt',
        '/zac/..%2fsecret.txt',
        '/zac/%2e%2e%2fsecret.txt',
        '/zac/..%5csecret.txt',
        '/zac/assets/../../secret.txt',
        `/zac/${'../'.repeat(12)}etc/passwd`,
        `/zac/%2fetc%2fpasswd`,
        '/zac//etc/../../secret.txt',
        '/zac/out.txt',
        '/zac/up/secret.txt',
        '/zac/round/../out.txt',
        '/zac/secret.txt%00.js',
      ])
        expect(await statusOfRaw(controller.url, path), path).to.equal(404);
    });

    it('names that begin with a dot', async () => {
      for (const path of [
        '/zac/.env',
        '/zac/%2eenv',
        '/zac/assets/.hidden/key.txt',
        '/zac/.git/config',
        '/zac/.well-known',
      ])
        expect((await get(path)).status, path).to.equal(404);
    });

    it('files that it does not have, in the form of every error', async () => {
      const answer = expectStatus(await get('/zac/assets/missing.js'), 404);
      expect(answer.error?.code).to.equal('NOT_FOUND');
      expect(answer.error?.requestId).to.equal(answer.headers['x-request-id']);
    });

    it('all methods that change something', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = expectStatus(await anonymous.send(method, '/zac/index.html'), 405);
        expect(answer.headers['allow']).to.equal('GET, HEAD, OPTIONS');
      }
      expect((await anonymous.send('OPTIONS', '/zac/x')).headers['allow']).to.equal('GET, HEAD, OPTIONS');
    });
  });

  it('answers its index for its path and for all that is no file', async () => {
    for (const path of ['/zac/', '/zac//', '/zac/index.html', '/zac/identities', '/zac/identities/a.b-C/edit?x=1'])
      expectIndex(await get(path));
    expectIndex(await get('/zac/assets'));
    expectIndex(await get('/zac/api/v1/some.page'));
  });

  it('leads from its path without a slash to the one with it', async () => {
    const answer = expectStatus(await get('/zac?next=1'), 308);
    expect(answer.headers['location']).to.equal('/zac/?next=1');
    expect((await get('//zac')).headers['location']).to.equal('/zac/');
  });

  it('answers files with their types, and names no browser may guess', async () => {
    for (const [path, type, text] of [
      ['/zac/main-5A7XQ2LM.js', 'text/javascript; charset=utf-8', LONG],
      ['/zac/inside.js', 'text/javascript; charset=utf-8', LONG],
      ['/zac/assets/logo.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['/zac/assets/a%20name.txt', 'text/plain; charset=utf-8', 'spaces'],
      ['/zac/assets/data.unknown', 'application/octet-stream', 'bytes'],
      ['/zac//assets///logo.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ] as const) {
      const answer = expectStatus(await get(path), 200);
      expect(answer.text, path).to.equal(text);
      expect(answer.headers, path).to.include({ 'content-type': type, 'x-content-type-options': 'nosniff' });
    }
  });

  it('has several, each with an index and a policy of its own', async () => {
    const answer = expectStatus(await get('/tools/second/deep/link'), 200);
    expect(answer.text).to.equal('<title>second</title>');
    expect(answer.headers['content-security-policy']).to.equal("default-src 'self'");
    expect((await get('/zac/')).headers['content-security-policy']).to.include(
      "default-src 'none'; script-src 'self';",
    );
    expect((await get('/zac/')).headers).to.include({ 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' });
    expect((await get('/tools')).status).to.equal(404);
    expect((await get('/tools/secondary')).status).to.equal(404);
  });

  it('is asked for anew by its tag, and files of fixed content are kept for good', async () => {
    const index = await get('/zac/');
    const { etag = '' } = index.headers;
    expect(etag).to.match(/^"[\w-]+"$/);
    const same = expectStatus(await get('/zac/services', { 'if-none-match': etag }), 304);
    expect(same.text).to.equal('');
    expect(same.headers).to.include({ etag, 'cache-control': 'no-cache' });
    expect((await get('/zac/main-5A7XQ2LM.js')).headers['cache-control']).to.equal(
      'public, max-age=31536000, immutable',
    );
    expect((await get('/zac/assets/logo.svg')).headers['cache-control']).to.equal('no-cache');
  });

  it('comes compressed to who asks for it, apart from what is compressed by itself', async () => {
    const plain = await get('/zac/main-5A7XQ2LM.js');
    for (const coding of ['br', 'gzip']) {
      const answer = await get('/zac/main-5A7XQ2LM.js', { 'accept-encoding': coding });
      expect(answer.headers['content-encoding']).to.equal(coding);
      expect(answer.headers['etag']).to.equal(`W/${plain.headers['etag'] ?? ''}`);
      expect(answer.text).to.equal(LONG);
      expect(answer.bytes).to.be.lessThan(plain.bytes / 10);
    }
    const font = await get('/zac/assets/font-ABCDEFG2.woff2', { 'accept-encoding': 'br' });
    expect(font.headers['content-encoding']).to.equal(undefined);
    expect(font.headers['content-type']).to.equal('font/woff2');
  });

  it('answers HEAD like GET, without a body', async () => {
    for (const path of ['/zac/', '/zac/main-5A7XQ2LM.js', '/zac/x']) {
      const [whole, head] = [await get(path), await anonymous.send('HEAD', path)];
      expect(head.status).to.equal(whole.status);
      expect(head.text).to.equal('');
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'content-security-policy'])
        expect(head.headers[name], name).to.equal(whole.headers[name]);
    }
  });

  it('hides nothing of the controller', async () => {
    expectStatus(await get(`${MANAGEMENT}/version`), 200);
    expectStatus(await get(`${CLIENT}/version`), 200);
    expectStatus(await get('/version'), 200);
    expectStatus(await get('/livez'), 200);
    expect((await get('/docs')).text).to.include('Edge Controller API');
    expectStatus(await get('/openapi.json'), 200);
    expect((await get('/zacs')).status).to.equal(404);
    expect((await get('/')).json).to.have.nested.property('data.apiVersions');
  });

  it('goes on when a file is taken away, or exchanged for a link that leads out', async () => {
    const gone = join(place, 'gone');
    mkdirSync(gone);
    for (const name of ['index.html', 'a.txt', 'b.txt']) writeFileSync(join(gone, name), name);
    const other = await startTestController({ EDGE_SPA: JSON.stringify([{ path: 'gone', location: gone }]) });
    try {
      rmSync(join(gone, 'a.txt'));
      rmSync(join(gone, 'b.txt'));
      symlinkSync(join(place, 'secret.txt'), join(gone, 'b.txt'));
      for (const name of ['a.txt', 'b.txt']) expectStatus(await other.anonymous.get(`/gone/${name}`), 404);
      expectStatus(await other.anonymous.get('/gone/'), 200);
    } finally {
      await other.stop();
    }
  });

  describe('is refused at start', () => {
    const faultOf = (spa: unknown): string => {
      try {
        openSpas(readConfig({ env: { EDGE_SPA: JSON.stringify(spa) } }).spa);
      } catch (error) {
        expect(error).to.be.instanceOf(ConfigError);
        return (error as ConfigError).message;
      }
      throw new Error('it was taken');
    };
    const at = (path: string, more: object = {}) => [{ path, location: release, ...more }];

    it('when its folder or its index is not there', () => {
      expect(faultOf([{ path: 'a', location: join(place, 'nowhere') }])).to.match(
        /nowhere of spa \(path a\) cannot be read \(ENOENT\): unpack/,
      );
      expect(faultOf([{ path: 'a', location: join(place, 'secret.txt') }])).to.match(/is no folder: name the folder/);
      expect(faultOf(at('a', { index: 'main.html' }))).to.match(
        /has no file main\.html: name the folder of a built release/,
      );
      expect(faultOf(at('a', { index: 'out.txt' }))).to.match(/has no file out\.txt/);
    });

    it('when two have one path, or one lies within the other', () => {
      expect(faultOf([...at('a'), ...at('b'), ...at('/a/')])).to.match(/has the path a twice/);
      expect(faultOf([...at('a/b'), ...at('a')])).to.match(/has the paths a\/b and a, one within the other/);
    });

    it('at a path of the controller', () => {
      for (const path of [
        'edge',
        'edge/client',
        'docs',
        'livez',
        'readyz',
        'health-checks',
        'version',
        'identities',
        'metrics',
        'oidc',
        'fabric',
        'authenticate',
      ])
        expect(faultOf(at(path)), path).to.match(/is the controller's own: use another/);
      expect([...RESERVED]).to.include.members(['services', 'sessions', 'enroll', 'current-identity', 'swagger.json']);
    });

    it('with a path that is none, or is the root', () => {
      expect(faultOf(at('/'))).to.match(/belongs to the client API/);
      for (const path of ['.zac', 'a/../b', 'a//b', 'a b', 'a/.b', 'ä', 'a?b', '..', 'a/b/c/d/e', 'x'.repeat(80)])
        expect(faultOf(at(path)), path).to.match(/use letters, digits/);
    });

    it('with members that are unknown, missing or of the wrong kind', () => {
      expect(faultOf(at('a', { indexFile: 'x' }))).to.match(
        /has a member indexFile, but only path, location, index, policy/,
      );
      expect(faultOf([{ path: 'a' }])).to.match(/needs location as a text/);
      expect(faultOf([{ path: 5, location: release }])).to.match(/needs path as a text/);
      expect(faultOf(at('a', { index: '../secret.txt' }))).to.match(/must name a file of the folder itself/);
      expect(faultOf(at('a', { policy: 'default-src\r\nset-cookie: x' }))).to.match(
        /characters that no header may have/,
      );
      expect(faultOf({ path: 'a' })).to.match(/must be a list such as/);
      expect(faultOf(['a'])).to.match(/must be a list of objects/);
      expect(() => readConfig({ env: { EDGE_SPA: 'zac=/opt/zac' } })).to.throw(/EDGE_SPA: must be a list as JSON/);
    });

    it('with more files than a release has', () => {
      const many = join(place, 'many');
      mkdirSync(many);
      for (let index = 0; index <= 10_000; index += 1) writeFileSync(join(many, `${index}.txt`), '');
      expect(faultOf([{ path: 'a', location: many }])).to.match(
        /has more than 10000 files: name the folder of the built/,
      );
    });
  });
});
