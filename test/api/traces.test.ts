/** Traces by OpenTelemetry: what a collector gets of a request, its statements and what it asks others. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { startCollector } from '../support/collector.js';
import type { CollectedSpan, Collector } from '../support/collector.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { nowSeconds } from '../support/tokens.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const DEADLINE_MS = 20_000;
const CREDENTIAL = `credential-${randomBytes(8).toString('hex')}`;
const [SERVER, CLIENT_KIND, ERROR] = [2, 3, 2];
const hex = (bytes: number) => randomBytes(bytes).toString('hex');

describe('traces', () => {
  const place = mkdtempSync(join(tmpdir(), 'edge-traces-'));
  let database: TestDatabase;
  let collector: Collector;
  let controller: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    collector = await startCollector();
    const file = join(place, 'headers');
    writeFileSync(file, `# for the collector\nX-Credential: ${CREDENTIAL}\n`);
    controller = await startLogged(database, {
      EDGE_TRACES_ENDPOINT: collector.url,
      EDGE_TRACES_HEADERS_FILE: file,
      EDGE_OUTGOING_ALLOW: '127.0.0.0/8',
    });
    admin = await controller.login();
  });
  after(async () => {
    await controller.stop();
    collector.close();
    await database.close();
    rmSync(place, { recursive: true, force: true });
  });

  const parent = (flags = '01') => {
    const [traceId, spanId] = [hex(16), hex(8)];
    return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } };
  };
  /** The span of the request with this trace, which comes with or after those inside it. */
  const requestOf = (traceId: string): Promise<CollectedSpan> =>
    until(
      'the span of the request',
      () => collector.spans.find((span) => span.traceId === traceId && span.kind === SERVER),
      DEADLINE_MS,
    );
  const inside = ({ spanId }: CollectedSpan) => collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

  it('have a request below the one that sent it, with its statements inside it', async () => {
    const { traceId, spanId, headers } = parent();
    const name = unique('traced');
    const made = await admin.post(`${M}/services`, { name, encryptionRequired: true }, { headers });
    const { id } = expectStatus(made, 201).data as { id: string };
    const request = await requestOf(traceId);
    expect(request.name).to.equal('createService');
    expect(request.parentSpanId).to.equal(spanId);
    expect(Object.fromEntries(request.attributes)).to.deep.include({
      'http.request.method': 'POST',
      'http.route': `${M}/services`,
      'http.response.status_code': 201,
      'edge.api': 'management',
      'edge.request_id': made.headers['x-request-id'],
      'edge.created_id': id,
    });
    expect(Object.fromEntries(request.resource)).to.include({ 'service.name': 'edge-controller' });
    const statements = inside(request);
    expect(statements.some((each) => each.name.startsWith('insert-services-'))).to.equal(true);
    for (const { kind, attributes } of statements) {
      expect(kind).to.equal(CLIENT_KIND);
      expect([...attributes.keys()]).to.deep.equal(['db.system.name', 'edge.db.connection']);
    }
    expect(statements.every((each) => /^[\w-]+$/.test(each.name))).to.equal(true);
    expect(collector.text()).not.to.include(name);
  });

  it('say where a transaction begins and ends', async () => {
    const { traceId, headers } = parent();
    const made = await admin.post(`${M}/edge-routers`, { name: unique('tunneler'), isTunnelerEnabled: true });
    const { id } = expectStatus(made, 201).data as { id: string };
    // Its identity takes the name too.
    expectStatus(await admin.patch(`${M}/edge-routers/${id}`, { name: unique('renamed') }, { headers }), 200);
    const names = inside(await requestOf(traceId)).map(({ name }) => name);
    expect(names).to.include.members(['BEGIN', 'COMMIT']);
  });

  it('go with their id into the log line of the request', async () => {
    const { traceId, headers } = parent();
    expectStatus(await admin.get(`${M}/version`, { headers }), 200);
    await until('the line', () => controller.log.some((line) => line['otelTraceId'] === traceId));
  });

  it('hold no secret, no query string and no value of a statement', async () => {
    const { traceId, headers } = parent();
    const [word, password] = [unique('searched'), unique('a password')];
    const filter = encodeURIComponent(`name contains "${word}"`);
    expectStatus(await admin.get(`${M}/identities?filter=${filter}`, { headers }), 200);
    const body = { username: unique('nobody'), password };
    const refused = parent();
    expectStatus(await controller.client().post(`${C}/authenticate?method=password`, body, refused), 403);
    expectStatus(await controller.client().post(`${C}/authenticate?method=password`, ADMIN, parent()), 200);
    expect((await requestOf(refused.traceId)).attributes.get('error.type')).to.equal('INVALID_AUTH');
    const request = await requestOf(traceId);
    expect(inside(request).map(({ attributes }) => attributes.get('edge.db.connection'))).to.include('list');
    for (const secret of [word, 'filter', password, body.username, ADMIN.password, admin.token ?? '', CREDENTIAL])
      expect(collector.text(), secret).not.to.include(secret);
  });

  it('carry the headers of the file to the collector', () => {
    expect(collector.headers()).to.include({ 'x-credential': CREDENTIAL, 'content-type': 'application/json' });
  });

  it('say what failed by a word of ours', async () => {
    const name = unique('twice');
    const service = { name, encryptionRequired: true };
    expectStatus(await admin.post(`${M}/services`, service), 201);
    const { traceId, headers } = parent();
    expectStatus(await admin.post(`${M}/services`, service, { headers }), 400);
    const request = await requestOf(traceId);
    const failed = inside(request).filter(({ status }) => status === ERROR);
    expect(failed).to.have.length(1);
    expect(failed[0]?.attributes.get('error.type')).to.be.a('string');
    expect(request.status).to.equal(0);
    expect(collector.text()).not.to.include(name);
  });

  it('begin anew where the header makes no sense, and are not made where the sender does not want them', async () => {
    const broken = hex(16);
    for (const traceparent of [
      `00-${broken}-${'0'.repeat(16)}-01`,
      `ff-${broken}-${hex(8)}-01`,
      `00-${broken}-${hex(8)}-01-more`,
      `00-${broken.toUpperCase()}A-${hex(8)}-01`,
      'x'.repeat(5_000),
    ])
      expectStatus(await admin.get(`${M}/version`, { headers: { traceparent } }), 200);
    const [unwanted, wanted] = [parent('00'), parent()];
    expectStatus(await admin.get(`${M}/version`, unwanted), 200);
    expectStatus(await admin.get(`${M}/version`, wanted), 200);
    await requestOf(wanted.traceId);
    expect(collector.spans.some(({ traceId }) => [unwanted.traceId, broken].includes(traceId))).to.equal(false);
    expect(controller.log.some((line) => line['otelTraceId'] === unwanted.traceId)).to.equal(true);
  });

  describe('of a login by a token whose key is published', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    let issuer: Server;
    let asked: IncomingHttpHeaders | undefined;
    before(async () => {
      const body = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }] });
      issuer = createServer((request, response) => {
        asked = request.headers;
        response.end(body);
      });
      await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    });
    after(() => {
      issuer.close();
      issuer.closeAllConnections();
    });

    it('have the request for the key, which carries on the trace', async () => {
      const { port } = issuer.address() as AddressInfo;
      const name = unique('signer');
      const signer = { name, issuer: `https://${name}.example.com`, audience: 'network', enabled: true };
      const jwksEndpoint = `http://127.0.0.1:${port}/jwks?tenant=hidden`;
      const made = await admin.post(`${M}/external-jwt-signers`, { ...signer, jwksEndpoint });
      expectStatus(made, 201);
      const token = await new SignJWT({ iss: signer.issuer, aud: 'network', sub: 'somebody', exp: nowSeconds() + 60 })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .sign(privateKey);
      const { traceId, headers } = parent();
      const login = { headers: { ...headers, tracestate: 'vendor=1', authorization: `Bearer ${token}` } };
      expectStatus(await controller.client().post(`${C}/authenticate?method=ext-jwt`, {}, login), 403);
      const request = await requestOf(traceId);
      const [outgoing] = inside(request).filter((span) => span.attributes.has('server.port'));
      expect(Object.fromEntries(outgoing?.attributes ?? [])).to.deep.equal({
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'server.port': port,
        'url.scheme': 'http',
      });
      expect(asked).to.include({ traceparent: `00-${traceId}-${outgoing?.spanId ?? ''}-01`, tracestate: 'vendor=1' });
      for (const secret of ['hidden', token, 'jwks']) expect(collector.text(), secret).not.to.include(secret);
    });
  });

  it('are dropped while the collector refuses them, which has one line, and go on afterwards', async () => {
    const lines = (text: string) => controller.log.filter(({ msg }) => String(msg).startsWith(text)).length;
    collector.answer(400);
    for (let times = 0; times < 2; times += 1) {
      expectStatus(await admin.get(`${M}/version`, parent()), 200);
      await until('the line', () => lines('traces cannot be sent') === 1, DEADLINE_MS);
    }
    collector.answer(200);
    const { traceId, headers } = parent();
    expectStatus(await admin.get(`${M}/version`, { headers }), 200);
    await requestOf(traceId);
    await until('the line', () => lines('traces are sent again') === 1, DEADLINE_MS);
  });
});
