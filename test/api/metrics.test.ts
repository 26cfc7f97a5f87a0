/** GET /metrics on its own listener: who may read it, and that the numbers are what happened. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { askMetrics, kindsIn, samplesOf, valueIn } from '../support/metrics.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const TOKEN = 'a token of 30 characters, with spaces'.replaceAll(' ', '-');
const PAGE = fileURLToPath(new URL('../../../docs/operations/metrics.md', import.meta.url));
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('GET /metrics', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  let url: string;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_METRICS_LISTEN: '127.0.0.1:0', EDGE_METRICS_TOKEN: TOKEN });
    admin = await controller.login();
    const line = controller.log.find(({ msg }) => msg === 'metrics are served');
    expect(line).to.include({ tls: true });
    url = `https://${String(line?.['address'])}/metrics`;
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const read = async () => {
    const { status, text } = await askMetrics(url, bearer(TOKEN));
    expect(status).to.equal(200);
    return text;
  };
  /** Requests are counted at the end of their work, which may follow their answer. */
  const becomes = (name: string, labels: Readonly<Record<string, string>>, value: number) =>
    until(`${name} is ${value}`, async () => valueIn(await read(), name, labels) === value);
  const countOf = async (labels: Readonly<Record<string, string>>) =>
    valueIn(await read(), 'edge_http_requests_total', labels) ?? 0;

  it('refuses whoever does not send the token, before anything else', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: `Basic ${TOKEN}` },
      { authorization: `Bearer ${TOKEN}x` },
      { authorization: `Bearer ${TOKEN.slice(0, -1)}` },
      { 'zt-session': admin.token ?? '' },
    ]) {
      for (const path of ['/metrics', '/nothing']) {
        const answer = await askMetrics(new URL(path, url).href, { headers });
        expect(answer.status).to.equal(401);
        expect(answer.headers['www-authenticate']).to.equal('Bearer realm="metrics"');
        expect(answer.text).not.to.include('edge_');
      }
    }
  });

  it('is answered at no other path, and only read', async () => {
    const other = await askMetrics(new URL('/edge/management/v1/version', url).href, bearer(TOKEN));
    expect(other.status).to.equal(404);
    const posted = await askMetrics(url, { ...bearer(TOKEN), method: 'POST' });
    expect([posted.status, posted.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
    const head = await askMetrics(url, { ...bearer(TOKEN), method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(Number(head.headers['content-length'])).to.be.greaterThan(1000);
  });

  it('has signs of life beside it, which anybody may read', async () => {
    for (const path of ['/livez', '/readyz']) {
      const { status, text } = await askMetrics(url.replace('/metrics', path));
      expect([status, text]).to.deep.equal([200, '{"status":"ok"}\n']);
    }
  });

  it('is not on the address of the APIs', async () => {
    expectStatus(await controller.client().get('/metrics'), 404);
  });

  it('is text that Prometheus takes, compressed where that is asked for', async () => {
    const plain = await askMetrics(`${url}?x=1`, bearer(TOKEN));
    expect(plain.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(plain.headers).to.include({ 'cache-control': 'no-store', 'vary': 'accept-encoding' });
    const headers = { 'authorization': `Bearer ${TOKEN}`, 'accept-encoding': 'gzip' };
    const packed = await askMetrics(url, { headers });
    expect(packed.headers['content-encoding']).to.equal('gzip');
    expect(Number(packed.headers['content-length'])).to.be.lessThan(plain.text.length / 3);
    expect(kindsIn(packed.text)).to.deep.equal(kindsIn(plain.text));
  });

  it('counts requests by operation and class of status, and what is no operation as one', async () => {
    const version = { api: 'management', operation: 'listVersion' };
    const unknown = { api: 'none', operation: 'unknown', status: '4xx' };
    const [versions, missed] = [await countOf(version), await countOf(unknown)];
    for (let i = 0; i < 3; i += 1) expectStatus(await controller.client().get(`${M}/version`), 200);
    for (let i = 0; i < 5; i += 1) await controller.client().get(`${M}/${unique('nothing')}`);
    expectStatus(await admin.get(`${M}/identities/nobody`), 404);
    await becomes('edge_http_requests_total', { ...version, status: '2xx' }, versions + 3);
    await becomes('edge_http_requests_total', unknown, missed + 5);
    await becomes('edge_http_requests_total', { operation: 'detailIdentity', status: '4xx' }, 1);
    const text = await read();
    expect(valueIn(text, 'edge_http_request_duration_seconds_count', version)).to.equal(versions + 3);
    expect(valueIn(text, 'edge_http_request_duration_seconds_bucket', { ...version, le: '+Inf' })).to.equal(
      versions + 3,
    );
    expect(valueIn(text, 'edge_http_request_duration_seconds_sum', version)).to.be.greaterThan(0);
  });

  it('has no label that a client can choose', async () => {
    const known = new Set(Object.values(operations).flatMap((ofApi) => Object.keys(ofApi)));
    const text = await read();
    for (const { labels } of samplesOf(text, 'edge_http_requests_total')) {
      expect([...labels.keys()]).to.deep.equal(['api', 'operation', 'status']);
      const operation = labels.get('operation') ?? '';
      expect(operation === 'unknown' || known.has(operation), operation).to.equal(true);
    }
    for (const word of ['nothing-', TOKEN, ADMIN.password, admin.token ?? '']) expect(text).not.to.include(word);
  });

  it('has a histogram whose classes add up', async () => {
    const text = await read();
    const classes = samplesOf(text, 'edge_http_request_duration_seconds_bucket')
      .filter(({ labels }) => labels.get('operation') === 'authenticate')
      .map(({ value }) => value);
    expect(classes).to.have.length(14);
    expect(classes).to.deep.equal([...classes].sort((a, b) => a - b));
    expect(classes.at(-1)).to.be.greaterThan(0);
  });

  it('counts logins by method and result, and the hashes they cost', async () => {
    const login = (method: string, body: object) =>
      controller.client().post(`${C}/authenticate?method=${method}`, body);
    const of = async (method: string, result: string) => valueIn(await read(), 'edge_logins_total', { method, result });
    const [good, bad, byToken, hashes] = [
      (await of('password', 'succeeded')) ?? 0,
      (await of('password', 'refused')) ?? 0,
      (await of('ext-jwt', 'refused')) ?? 0,
      valueIn(await read(), 'edge_password_hashes_total') ?? 0,
    ];
    expectStatus(await login('password', ADMIN), 200);
    expectStatus(await login('password', { username: unique('nobody'), password: 'wrong password' }), 403);
    expectStatus(await login('ext-jwt', {}), 403);
    expectStatus(await login('magic', {}), 400);
    await becomes('edge_logins_total', { method: 'password', result: 'succeeded' }, good + 1);
    await becomes('edge_logins_total', { method: 'password', result: 'refused' }, bad + 1);
    await becomes('edge_logins_total', { method: 'ext-jwt', result: 'refused' }, byToken + 1);
    await becomes('edge_logins_total', { method: 'other', result: 'refused' }, 1);
    expect(valueIn(await read(), 'edge_password_hashes_total')).to.equal(hashes + 2);
  });

  it('counts statements on each kind of connection, and those that fail', async () => {
    const of = (text: string, name: string, connection: string) =>
      valueIn(text, `edge_db_statement_${name}`, { connection }) ?? 0;
    const before = await read();
    const name = unique('metric');
    const made = await admin.post(`${M}/services`, { name, encryptionRequired: true });
    const { id } = expectStatus(made, 201).data as { id: string };
    expectStatus(await admin.post(`${M}/services`, { name, encryptionRequired: true }), 400);
    const filter = encodeURIComponent('name contains "metric"');
    expectStatus(await admin.get(`${M}/services?filter=${filter}`), 200);
    expectStatus(await admin.get(`${M}/services/${id}`), 200);
    const after = await read();
    for (const connection of ['pool', 'list', 'lane'])
      expect(of(after, 'duration_seconds_count', connection), connection).to.be.greaterThan(
        of(before, 'duration_seconds_count', connection),
      );
    expect(of(after, 'failures_total', 'pool')).to.equal(of(before, 'failures_total', 'pool') + 1);
    expect(of(after, 'duration_seconds_sum', 'pool')).to.be.greaterThan(0);
    expect(valueIn(after, 'edge_db_pool_connections')).to.be.greaterThan(0);
  });

  it('tells the state of this controller and its network', async () => {
    // On a busy machine it may be deaf for a moment, or the database may not say in time how much there is.
    const states = ['edge_ready', 'edge_db_up', 'edge_change_feed_up', 'edge_workers'];
    const text = await until('all is well', async () => {
      const found = await read();
      return states.every((name) => valueIn(found, name) === 1) && found.includes('\nedge_entities{') && found;
    });
    expect(samplesOf(text, 'edge_build_info')[0]?.labels.get('node')).to.equal(process.version);
    expect(valueIn(text, 'edge_change_feed_lag_seconds')).to.be.at.least(0);
    const ends = samplesOf(text, 'edge_certificate_not_after_timestamp_seconds');
    expect(ends.map(({ labels }) => labels.get('certificate'))).to.deep.equal(['server', 'intermediate', 'root']);
    for (const { value } of ends) expect(value).to.be.greaterThan(Date.now() / 1000 + 86_400);
    expect(valueIn(text, 'edge_entities', { kind: 'identities' })).to.be.greaterThan(0);
    expect(valueIn(text, 'edge_entities', { kind: 'api_sessions' })).to.be.greaterThan(0);
    const hits = valueIn(text, 'edge_cache_hits_total', { cache: 'api_sessions' }) ?? 0;
    expectStatus(await admin.get(`${M}/current-api-session`), 200);
    expect(valueIn(await read(), 'edge_cache_hits_total', { cache: 'api_sessions' })).to.be.greaterThan(hits);
  });

  it('has the names, kinds and meanings that the page tells (else the table is to be written anew)', async () => {
    const rows = readFileSync(PAGE, 'utf8')
      .split('\n')
      .filter((line) => /^\| `(edge|nodejs|process)_/.test(line))
      .map((line) =>
        line
          .slice(2, -2)
          .split(' | ')
          .map((cell) => cell.trim()),
      );
    // Those of Node come when it happens: of garbage there may be none yet.
    const text = await until('all are there', async () => {
      const found = await read();
      return found.includes('\nedge_entities{') && found.includes('\nnodejs_gc_duration_seconds_count{') && found;
    });
    const labelsOf = (name: string) => {
      const labels = new Set(
        ['', '_bucket', '_count'].flatMap((end) =>
          samplesOf(text, `${name}${end}`).flatMap(({ labels: found }) => [...found.keys()]),
        ),
      );
      labels.delete('le');
      // Of routers, links and standbys there are none here.
      const told = rows.find(([row]) => row === `\`${name}\``)?.[2];
      const whereNone = /^edge_(router|link|db_replica)_/.test(name) ? told : '–';
      return [...labels].map((label) => `\`${label}\``).join(', ') || whereNone;
    };
    const kinds = kindsIn(text);
    const table = kinds.map(({ name, type, help }) => [`\`${name}\``, type, labelsOf(name), help]);
    expect(rows).to.deep.equal(table);
  });
});

describe('without metrics', () => {
  it('nothing of prom-client or OpenTelemetry is loaded', async () => {
    const dist = fileURLToPath(new URL('../..', import.meta.url));
    const script = `
      import { createRequire } from 'node:module';
      const { cache } = createRequire(import.meta.url);
      const found = () => Object.keys(cache).filter((file) => /node_modules.(prom-client|@opentelemetry)/.test(file));
      await import(${JSON.stringify(join(dist, 'server/start/controller.js'))});
      await import(${JSON.stringify(join(dist, 'server/start/workers.js'))});
      const off = found().length;
      await import(${JSON.stringify(join(dist, 'server/metrics/open.js'))});
      await import(${JSON.stringify(join(dist, 'server/traces/sdk.js'))});
      console.log(JSON.stringify([off, found().length > 20]));`;
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ['--input-type=module', '-e', script], { cwd: dist }, (error, output) => {
        if (error === null) resolve(output);
        else reject(new Error(error.message));
      });
    });
    expect(JSON.parse(stdout)).to.deep.equal([0, true]);
  });
});
