/**
 * Thousands of odd requests to everything that takes certificates, requests, tokens and passwords: none is a fault of
 * ours.
 */
import { expect } from 'chai';
import { entityOf, make, read } from '../support/entities.js';
import { makeIdentity, makeRouter } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { newCertifiedCaller, newVerifiedCa } from '../support/certified.js';
import type { CertifiedCaller } from '../support/certified.js';
import {
  createCertificateClient,
  makeCa,
  makeLeaf,
  makeRequest,
  makeSelfSigned,
  shownBy,
} from '../support/certificates.js';
import type { Answer, Client } from '../support/client.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { oddPems, oddValues, picker } from './hostile-support.js';
import type { Picker } from './hostile-support.js';

/** Each run of the suite sends the same; set another seed to look further. */
const SEED = Number(process.env['EDGE_TEST_SEED'] ?? 7);
const REQUESTS = Number(process.env['EDGE_TEST_REQUESTS'] ?? 2_500);
const AT_ONCE = 8;
const LONGEST_MS = 60_000;

type Route = readonly [method: string, path: string, fields: readonly string[], isText?: boolean];
interface Shot {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly raw: string | Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What answers 501 by design is not looked at. */
const isFault = ({ status, error }: Answer) => status >= 500 && error?.code !== 'NOT_IMPLEMENTED' && status !== 501;

describe('odd requests', () => {
  let controller: TestController;
  let caller: CertifiedCaller;
  let strangers: Client[];
  const ids: Record<string, string> = {};
  const tokens: string[] = [];
  let pems: string[];

  before(async () => {
    controller = await startTestController();
    caller = await newCertifiedCaller(controller);
    const { id, ca } = await newVerifiedCa(controller);
    const victim = await controller.newCaller();
    const [leaf, expired] = [makeLeaf(ca), makeLeaf(ca, { notAfter: new Date(Date.now() - 1000) })];
    strangers = [
      shownBy(leaf),
      shownBy(expired),
      shownBy(makeSelfSigned(), ca),
      shownBy(makeLeaf(makeCa())),
      caller.shown,
    ].map((shown) => createCertificateClient(controller.url, shown));
    const unverified = await make(controller, 'cas', {
      name: unique('ca'),
      certPem: makeCa().pem,
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
    });
    const router = await makeRouter(controller);
    const enrollments = { ott: { ott: true }, ottca: { ottca: id }, updb: { updb: unique('user') } };
    for (const [method, enrollment] of Object.entries(enrollments)) {
      const identity = await makeIdentity(controller, {
        name: unique('invited'),
        enrollment,
      });
      const [item] = (await controller.admin.get(`${MANAGEMENT}/identities/${identity}/enrollments`)).data as {
        id: string;
        token: string;
      }[];
      ids[method] = item?.id ?? '';
      tokens.push(item?.token ?? '');
    }
    tokens.push((await read(controller, `edge-routers/${router}`))['enrollmentToken'] as string);
    Object.assign(ids, { ca: id, unverified, router, identity: victim.id, authenticator: caller.authenticatorId });
    const { pem: csr } = makeRequest();
    ids['certificate'] = entityOf(
      expectStatus(await caller.client.post(`${CLIENT}/current-api-session/certificates`, { csr }), 201),
    ).id;
    pems = [
      csr,
      leaf.pem,
      ca.pem,
      makeLeaf(ca, { commonName: (await read(controller, `cas/${unverified}`))['verificationToken'] as string }).pem,
      ...oddPems({ csr: makeRequest().der, certificate: leaf.der }),
    ];
  });
  after(async () => {
    [...strangers, caller.certified].forEach((client) => {
      client.close();
    });
    await controller.stop();
  });

  const pathsOf = (pick: Picker): readonly Route[] => {
    const query = pick.of([
      '',
      `?token=${pick.of(tokens)}`,
      `?method=${pick.of(['ott', 'ottca', 'updb', 'erott', 'trott', 'ca', 'token', 'constructor', '%00'])}` +
        `&token=${pick.of(tokens)}`,
      '?token=%00',
      `?token=${'a'.repeat(5000)}`,
      '?token=%F0%9F%92%A9',
      '?token=00000000-0000-0000-0000-000000000000',
      '?token[]=1&token=2',
      '?method=ca',
      '?method=ca&token=x',
    ]);
    const id = pick.of([
      ...Object.values(ids),
      '%00',
      '..%2f',
      'x'.repeat(300),
      '%F0%9F%92%A9',
      '__proto__',
      "'--",
      '%ff',
    ]);
    const list = pick.of([
      '',
      '?filter=token%3D%22x%22',
      '?filter=true+limit+none',
      '?filter=fingerprint+contains+%22%00%22',
      '?sort=certPem',
      '?filter=caId%3Dnull',
      '?limit=-2&offset=1e9',
      '?filter=method+in+[]',
    ]);
    const enrollment = ['token', 'clientCsr', 'certCsr', 'serverCertCsr', 'serverCsr', 'password', 'username', 'name'];
    const ca = [
      'name',
      'certPem',
      'isAuthEnabled',
      'isAutoCaEnrollmentEnabled',
      'isOttCaEnrollmentEnabled',
      'identityRoles',
      'identityNameFormat',
      'externalIdClaim',
      'tags',
    ];
    const authenticator = ['identityId', 'method', 'certPem', 'username', 'password', 'currentPassword', 'tags'];
    const own = `${pick.of([CLIENT, MANAGEMENT])}/current-identity/authenticators`;
    return [
      ...['', '/ott', '/ottca', '/updb', '/erott', '/ca', '/extend/router'].map(
        (form) => ['POST', `${CLIENT}/enroll${form}${query}`, enrollment, pick.chance(0.3)] as Route,
      ),
      [
        'POST',
        `${CLIENT}/authenticate?method=${pick.of(['cert', 'cert', 'password', 'ext-jwt', 'x'])}`,
        ['configTypes', 'envInfo', 'sdkInfo', 'username'],
      ],
      ['POST', `${CLIENT}/current-api-session/certificates`, ['csr']],
      ['GET', `${CLIENT}/current-api-session/certificates/${id}`, []],
      ['GET', `${CLIENT}/current-api-session/certificates${list}`, []],
      ['POST', `${own}/${id}/extend`, ['clientCertCsr']],
      ['POST', `${own}/${id}/extend-verify`, ['clientCert']],
      ['PUT', `${own}/${id}`, authenticator],
      ['PATCH', `${own}/${id}`, authenticator],
      ['POST', `${MANAGEMENT}/cas`, ca],
      ['PUT', `${MANAGEMENT}/cas/${id}`, ca],
      ['PATCH', `${MANAGEMENT}/cas/${id}`, ca],
      ['POST', `${MANAGEMENT}/cas/${id}/verify`, [], true],
      ['GET', `${MANAGEMENT}/cas/${id}/jwt`, []],
      ['GET', `${MANAGEMENT}/${pick.of(['cas', 'authenticators', 'enrollments'])}${list}`, []],
      ['POST', `${MANAGEMENT}/authenticators`, authenticator],
      ['PATCH', `${MANAGEMENT}/authenticators/${id}`, ['tags', 'username']],
      ['POST', `${MANAGEMENT}/authenticators/${id}/request-extend`, ['rollKeys']],
      ['POST', `${MANAGEMENT}/authenticators/${id}/re-enroll`, ['expiresAt']],
      ['POST', `${MANAGEMENT}/enrollments`, ['method', 'identityId', 'caId', 'username', 'expiresAt']],
      ['POST', `${MANAGEMENT}/enrollments/${id}/refresh`, ['expiresAt']],
    ];
  };

  const good: Readonly<Record<string, (pick: Picker) => unknown>> = {
    token: (pick) => pick.of(tokens),
    method: (pick) => pick.of(['updb', 'cert', 'ott', 'ottca']),
    identityId: () => ids['identity'],
    caId: () => ids['ca'],
    name: () => unique('odd'),
    certPem: (pick) => pick.of(pems),
    clientCsr: (pick) => pick.of(pems),
    certCsr: (pick) => pick.of(pems),
    serverCertCsr: (pick) => pick.of(pems),
    serverCsr: (pick) => pick.of(pems),
    csr: (pick) => pick.of(pems),
    clientCert: (pick) => pick.of(pems),
    clientCertCsr: (pick) => pick.of(pems),
    identityRoles: () => ['a'],
    identityNameFormat: () => '[caName]',
    isAuthEnabled: () => true,
    isAutoCaEnrollmentEnabled: () => true,
    isOttCaEnrollmentEnabled: () => true,
    username: () => unique('odd'),
    tags: () => ({}),
    expiresAt: (pick) =>
      pick.of([
        '2030-12-31T23:59:60Z',
        '9999-12-31T23:59:59Z',
        '0000-01-01T00:00:00Z',
        '2999-01-01T00:00:00+23:59',
        '2030-02-30T00:00:00Z',
      ]),
    externalIdClaim: (pick) => ({
      location: pick.of(['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL']),
      matcher: pick.of(['ALL', 'PREFIX', 'SCHEME']),
      matcherCriteria: pick.of(['', '(', 'spiffe']),
      parser: pick.of(['NONE', 'SPLIT']),
      parserCriteria: pick.of(['', ' ', '\u{1f4a9}']),
      index: pick.of([0, -1, 1e9, 1.5]),
    }),
  };

  const shotOf = (pick: Picker): Shot => {
    const [method, path, fields, isText = false] = pick.of(pathsOf(pick));
    const oddness = pick.of([0, 0.1, 0.5]);
    const value = (field: string) =>
      pick.chance(oddness) ? pick.of(oddValues) : (good[field]?.(pick) ?? pick.of(oddValues));
    const body = pick.chance(0.05)
      ? pick.of(oddValues)
      : Object.fromEntries(fields.filter(() => pick.chance(0.95)).map((field) => [field, value(field)]));
    const hasBody = method !== 'GET';
    const headers = {
      ...(hasBody
        ? {
            'content-type': isText
              ? pick.of(['text/plain', 'application/x-pem-file', 'application/pkcs7', 'application/json'])
              : pick.chance(0.9)
                ? 'application/json'
                : pick.of(['application/json;charset=utf-16', 'text/plain', 'application/pkcs7']),
          }
        : {}),
      ...(pick.chance(0.1)
        ? {
            accept: pick.of([
              'text/plain',
              '*/*;q=x',
              'application/json;q=0',
              'a'.repeat(3000),
              'application/x-pem-file;q=2,*/*',
            ]),
          }
        : {}),
      ...(pick.chance(0.05)
        ? { 'zt-session': pick.of(['', 'x', 'a'.repeat(4000), '00000000-0000-0000-0000-000000000000']) }
        : {}),
      ...(pick.chance(0.1)
        ? {
            'x-client-certpem': Buffer.from(pick.of(pems)).toString('base64').slice(0, 4_000),
            authorization: pick.of(['Bearer a.b.c', 'Bearer ', 'Basic !!']),
          }
        : {}),
    };
    return {
      method,
      path,
      body: hasBody ? body : undefined,
      raw: hasBody && (isText || pick.chance(0.05)) ? pick.of(pems) : undefined,
      headers,
    };
  };

  it('never answer 5xx, and leave the controller as it was', async function run() {
    this.timeout(LONGEST_MS + 30_000);
    const pick = picker(SEED);
    const anybody = [controller.admin, caller.client, caller.certified, controller.anonymous, ...strangers];
    const usual = (path: string) =>
      /current-/.test(path)
        ? [caller.certified]
        : path.startsWith(MANAGEMENT)
          ? [controller.admin]
          : [controller.anonymous, ...strangers];
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    const end = Date.now() + LONGEST_MS;
    let sent = 0;
    const worker = async () => {
      while (sent < REQUESTS && Date.now() < end) {
        sent += 1;
        const { method, path, body, raw, headers } = shotOf(pick);
        const client = pick.of(pick.chance(0.85) ? usual(path) : anybody);
        const told =
          `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 200)} ` +
          `${String(raw ?? JSON.stringify(body)).slice(0, 1500)}`;
        try {
          const answer = await client.send(method, path, raw === undefined ? body : undefined, {
            headers,
            ...(raw === undefined ? {} : { rawBody: raw }),
          });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (isFault(answer)) faults.push(`${answer.status} ${answer.text.slice(0, 300)}\n  ${told}`);
        } catch (error) {
          faults.push(`${String(error).slice(0, 600)}\n  ${told}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(faults, faults.slice(0, 10).join('\n')).to.deep.equal([]);
    if (process.env['EDGE_TEST_SEED'] !== undefined) console.log(sent, Object.fromEntries(statuses));
    const { rows } = await controller.database.query(
      'SELECT count(*)::int AS total FROM identities WHERE is_admin OR is_default_admin',
      [],
    );
    expect(rows[0]).to.deep.equal({ total: 1 });
    expectStatus(await controller.anonymous.get(`${CLIENT}/version`), 200);
  });
});
