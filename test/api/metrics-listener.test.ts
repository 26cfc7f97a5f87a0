/** The listener of metrics by itself: its certificate, and client certificates. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../server/settings/config-reader.js';
import { createLogger } from '../../server/base/log.js';
import { createListener } from '../../server/metrics/listener.js';
import type { Listener } from '../../server/metrics/listener.js';
import { secureContext } from '../../server/sockets/tls-server.js';
import { makeCa, makeLeaf } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { askMetrics } from '../support/metrics.js';
import { until } from '../support/poll.js';

const TEXT = '# HELP edge_x Of a test.\n# TYPE edge_x gauge\nedge_x 1\n';
const log = createLogger({ level: 'silent', format: 'json' });

describe('the listener of metrics', () => {
  const place = mkdtempSync(join(tmpdir(), 'edge-metrics-'));
  const open: Listener[] = [];
  const network = makeCa({ commonName: 'network' });
  const serverOf = (ca: TestCertificate) =>
    makeLeaf(ca, { names: { dns: ['localhost'], ip: ['127.0.0.1'] }, extendedKeyUsage: ['serverAuth'] });
  const own = serverOf(network);
  const fileOf = (name: string, content: string) => {
    const file = join(place, name);
    writeFileSync(file, content);
    return file;
  };
  const make = (env: Readonly<Record<string, string>>, read: () => Promise<string> = async () => TEXT) =>
    createListener({
      config: readConfig({ env: { EDGE_METRICS_LISTEN: '127.0.0.1:0', ...env } }),
      chainPem: own.pem,
      privateKeyPem: own.privateKeyPem,
      read,
      signs: new Map<string, () => { isGood: boolean; body: object }>([
        ['/livez', () => ({ isGood: true, body: { status: 'ok' } })],
        ['/readyz', () => ({ isGood: false, body: { status: 'draining' } })],
      ]),
      log,
    });
  const start = async (env: Readonly<Record<string, string>>, read?: () => Promise<string>) => {
    const listener = make(env, read);
    open.push(listener);
    await new Promise<void>((resolve) => listener.server.listen(0, '127.0.0.1', resolve));
    const scheme = env['EDGE_METRICS_TLS'] === 'off' ? 'http' : 'https';
    const { port } = listener.server.address() as AddressInfo;
    return { listener, url: `${scheme}://127.0.0.1:${port}/metrics` };
  };
  after(() => {
    for (const { server } of open) {
      server.close();
      server.closeAllConnections();
    }
    rmSync(place, { recursive: true, force: true });
  });
  const trusting = (ca: TestCertificate, more: object = {}) => ({ rejectUnauthorized: true, ca: ca.pem, ...more });
  const refusal = async (url: string, options: object) =>
    askMetrics(url, options).then(
      ({ status }) => `answered ${status}`,
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );

  it('answers without TLS when that is asked for', async () => {
    const { url } = await start({ EDGE_METRICS_TLS: 'off' });
    expect((await askMetrics(url)).text).to.equal(TEXT);
  });

  it('gives signs of life to anybody, and metrics to who has the token alone', async () => {
    const { url } = await start({ EDGE_METRICS_TOKEN: 'a-token-of-sixteen-letters' });
    expect((await askMetrics(url)).status).to.equal(401);
    for (const [path, status, body] of [
      ['/livez', 200, '{"status":"ok"}\n'],
      ['/readyz?from=balancer', 503, '{"status":"draining"}\n'],
    ] as const) {
      const answer = await askMetrics(url.replace('/metrics', path));
      expect([answer.status, answer.text]).to.deep.equal([status, body]);
    }
    expect((await askMetrics(url.replace('/metrics', '/health-checks'))).status).to.equal(401);
    expect((await askMetrics(url.replace('/metrics', '/livez'), { method: 'POST' })).status).to.equal(401);
  });

  it('has the certificate of the controller, and takes a renewed one', async () => {
    const { listener, url } = await start({});
    expect((await askMetrics(url, trusting(network))).text).to.equal(TEXT);
    const later = makeCa();
    const next = serverOf(later);
    listener.setSecureContext(secureContext(next.pem, next.privateKeyPem));
    expect((await askMetrics(url, trusting(later))).status).to.equal(200);
  });

  it('has the certificate of given files, whatever the controller renews', async () => {
    const ca = makeCa();
    const leaf = serverOf(ca);
    const { listener, url } = await start({
      EDGE_METRICS_TLS: 'files',
      EDGE_METRICS_CERT_FILE: fileOf('cert.pem', leaf.pem),
      EDGE_METRICS_KEY_FILE: fileOf('key.pem', leaf.privateKeyPem),
    });
    listener.setSecureContext(secureContext(own.pem, own.privateKeyPem));
    expect((await askMetrics(url, trusting(ca))).status).to.equal(200);
  });

  it('lets in clients of the given authority alone, also after the controller renewed its certificate', async () => {
    const [readers, others] = [makeCa(), makeCa()];
    const { listener, url } = await start({ EDGE_METRICS_CLIENT_CA_FILE: fileOf('readers.pem', readers.pem) });
    const shown = (ca: TestCertificate) => {
      const leaf = makeLeaf(ca);
      return trusting(network, { cert: leaf.pem, key: leaf.privateKeyPem });
    };
    for (let renewals = 0; renewals < 2; renewals += 1) {
      expect((await askMetrics(url, shown(readers))).status).to.equal(200);
      for (const options of [trusting(network), shown(others)])
        expect(await refusal(url, options)).to.match(/^(ERR_SSL_|ECONNRESET|EPIPE)/);
      listener.setSecureContext(secureContext(own.pem, own.privateKeyPem));
    }
  });

  it('wants both where a token and an authority are given; the token may be in a file', async () => {
    const readers = makeCa();
    const { url } = await start({
      EDGE_METRICS_CLIENT_CA_FILE: fileOf('both.pem', readers.pem),
      EDGE_METRICS_TOKEN_FILE: fileOf('token', 'a-token-of-its-own\n'),
    });
    const leaf = makeLeaf(readers);
    const shown = trusting(network, { cert: leaf.pem, key: leaf.privateKeyPem });
    expect((await askMetrics(url, shown)).status).to.equal(401);
    const headers = { authorization: 'Bearer a-token-of-its-own' };
    expect((await askMetrics(url, { ...shown, headers })).status).to.equal(200);
    expect(await refusal(url, trusting(network, { headers }))).to.match(/^(ERR_SSL_|ECONNRESET|EPIPE)/);
  });

  it('keeps its places for who may read: strangers who hold theirs give way', async () => {
    const token = 'x'.repeat(20);
    const { listener, url } = await start({ EDGE_METRICS_TLS: 'off', EDGE_METRICS_TOKEN: token });
    const { port } = new URL(url);
    const read = () => askMetrics(url, { headers: { authorization: `Bearer ${token}` } });
    const strangers: Socket[] = [];
    try {
      for (let count = 0; count < 70; count += 1) {
        const stranger = connect(Number(port), '127.0.0.1');
        strangers.push(stranger.on('error', () => undefined));
        await once(stranger, 'connect');
      }
      const count = () =>
        new Promise<number>((resolve, reject) => {
          listener.server.getConnections((error, open) => (error === null ? resolve(open) : reject(error)));
        });
      expect((await read()).status).to.equal(200);
      expect((await askMetrics(url)).status).to.equal(401);
      await until('those that are too many are cut', async () => (await count()) <= 64);
      expect((await read()).status).to.equal(200);
    } finally {
      for (const stranger of strangers) stranger.destroy();
    }
  });

  it('reads once for all that ask at a time, and says when it cannot', async () => {
    let [reads, requests] = [0, 0];
    let answer: (text: string) => void = () => undefined;
    const { listener, url } = await start({}, () => {
      reads += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    listener.server.on('request', () => {
      requests += 1;
    });
    const both = [askMetrics(url), askMetrics(url)];
    await until('both ask', () => requests === 2);
    answer(TEXT);
    expect((await Promise.all(both)).map(({ text }) => text)).to.deep.equal([TEXT, TEXT]);
    expect(reads).to.equal(1);
    const { url: broken } = await start({}, () => Promise.reject(new Error('not now')));
    const failed = await askMetrics(broken);
    expect([failed.status, failed.text]).to.deep.equal([503, 'Metrics could not be read; try again.\n']);
  });

  it('does not start with files that cannot be used, and says which', () => {
    const missing = join(place, 'missing');
    const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
      [{ EDGE_METRICS_TOKEN_FILE: missing }, /file of EDGE_METRICS_TOKEN_FILE cannot be read/],
      [{ EDGE_METRICS_TOKEN_FILE: fileOf('short', 'short') }, /EDGE_METRICS_TOKEN_FILE must have 16 to 200/],
      [{ EDGE_METRICS_CLIENT_CA_FILE: missing }, /file of EDGE_METRICS_CLIENT_CA_FILE cannot be read/],
      [{ EDGE_METRICS_CLIENT_CA_FILE: fileOf('no.pem', 'no certificate') }, /authority of the metrics settings/],
      [
        {
          EDGE_METRICS_TLS: 'files',
          EDGE_METRICS_CERT_FILE: fileOf('wrong.pem', own.pem),
          EDGE_METRICS_KEY_FILE: fileOf('wrong.key', network.privateKeyPem),
        },
        /certificate, key or authority of the metrics settings cannot be used/,
      ],
    ];
    for (const [env, message] of cases) expect(() => make(env)).to.throw(message);
  });
});
