/**
 * 16 writers that create, change and delete rows of their own, of each kind alone and of all kinds mixed. None waits
 * for another in a circle: nothing is refused, nothing is tried again, and none waits long. Against a whole controller,
 * with policies over everything and attributes that all have.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeCa } from '../support/certificates.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import { makeEdgeRouterPolicy, makeRouter, makeServiceEdgeRouterPolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { randomly } from '../support/random.js';
import { countConflicts } from '../support/statements.js';
import { amount } from '../support/unless.js';

const WRITERS = 16;
/** Each writer has at least one round. */
const ALONE_MS = amount(300, 1_500);
const MIXED_MS = amount(3_000, 5_000);
/**
 * A circle costs a second before PostgreSQL finds it, and each retry another one. A machine that runs other suites may
 * hold up a request, so this is far above what a request takes; that nothing was tried again is what counts.
 */
const LONGEST_MS = 10_000;

/** What a writer has to itself. */
interface Own {
  readonly client: Client;
  readonly pick: (limit: number) => number;
  /** An attribute of all writers and one of few, in any order. */
  attributes(): string[];
  /** Deleted at the end of the round, the last one first. */
  readonly made: string[];
}

type Round = (own: Own) => Promise<void>;

describe('16 writers at a time', function writers() {
  this.timeout(180_000);
  let controller: TestController;
  let routers: readonly string[];
  let conflicts: ReturnType<typeof countConflicts>;
  before(async () => {
    controller = await startTestController({ EDGE_DATABASE_POOL_SIZE: String(WRITERS) });
    routers = await Promise.all([1, 2].map(() => makeRouter(controller, { name: unique('shared') })));
    const everywhere = { edgeRouterRoles: ['#all'] };
    await makeEdgeRouterPolicy(controller, { name: 'all', ...everywhere, identityRoles: ['#all'] });
    await makeServiceEdgeRouterPolicy(controller, { name: 'all', ...everywhere, serviceRoles: ['#all'] });
  });
  beforeEach(() => {
    conflicts = countConflicts();
  });
  afterEach(() => {
    conflicts.stop();
    expect(conflicts.codes).to.deep.equal([]);
  });
  after(() => controller.stop());

  const slow: string[] = [];
  const send = async ({ client }: Own, method: string, path: string, body?: object) => {
    const begun = performance.now();
    const answer = await client.send(method, path, body);
    const ms = performance.now() - begun;
    if (ms > LONGEST_MS) slow.push(`${method} ${path}: ${Math.round(ms)} ms`);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const create = async (own: Own, collection: string, body: object) => {
    const { id } = entityOf(await send(own, 'POST', `${MANAGEMENT}/${collection}`, body));
    own.made.push(`${MANAGEMENT}/${collection}/${id}`);
    return id;
  };
  const change = async (own: Own, path: string, ...changes: readonly object[]) => {
    for (const body of changes) await send(own, 'PATCH', `${MANAGEMENT}/${path}`, body);
  };
  const remove = async (own: Own) => {
    for (const path of own.made.splice(0).reverse()) await send(own, 'DELETE', path);
  };
  const of =
    (collection: string, body: (own: Own) => object, ...changes: readonly ((own: Own) => object)[]): Round =>
    async (own) => {
      const id = await create(own, collection, { name: unique('own'), ...body(own) });
      await change(own, `${collection}/${id}`, ...changes.map((each) => each(own)));
    };

  const typeId = 'DOMAIN';
  const renamed = () => ({ name: unique('renamed') });
  const attributes = (own: Own) => ({ roleAttributes: own.attributes() });
  const tagged = ({ pick }: Own) => ({ tags: { pick: pick(100) } });
  const named = (one: readonly string[]) => one.map((id) => `@${id}`);
  const identity = (own: Own) =>
    create(own, 'identities', { name: unique('own'), type: 'Device', isAdmin: false, ...attributes(own) });
  const service = (own: Own, extra: object = {}) =>
    create(own, 'services', { name: unique('own'), encryptionRequired: false, ...attributes(own), ...extra });
  const check = (own: Own) =>
    create(own, 'posture-checks', {
      name: unique('own'),
      typeId: 'DOMAIN',
      domains: ['a.example'],
      ...attributes(own),
    });
  const config = (own: Own) =>
    create(own, 'configs', {
      name: unique('own'),
      configTypeId: 'NH5p4FpGR',
      data: { address: 'a', port: 1, protocol: 'tcp' },
    });
  const jwks = { jwksEndpoint: 'https://keys.example.com/keys' };
  const signer = (own: Own) =>
    create(own, 'external-jwt-signers', {
      name: unique('own'),
      issuer: unique('https://issuer.example/'),
      audience: 'a',
      enabled: true,
      ...jwks,
    });
  const user = async (own: Own) => {
    const id = await identity(own);
    const name = unique('user');
    const authenticator = { identityId: id, method: 'updb', username: name, password: 'pass word 1' };
    return { id, name, authenticatorId: await create(own, 'authenticators', authenticator) };
  };
  const loggedIn = async (own: Own) => {
    const { id, name } = await user(own);
    const answer = await send(own, 'POST', `${CLIENT}/authenticate?method=password`, {
      username: name,
      password: 'pass word 1',
    });
    return { id, token: (answer.data as { token: string; id: string }).token, sessionId: entityOf(answer).id };
  };
  const asUser = async (token: string, method: string, path: string, body?: object) => {
    const answer = await controller.anonymous.send(method, `${CLIENT}/${path}`, body, {
      headers: { 'zt-session': token },
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return entityOf(answer).id;
  };

  const rounds: Readonly<Record<string, Round>> = {
    identities: of(
      'identities',
      (own) => ({ type: 'Device', isAdmin: false, enrollment: { ott: true }, ...attributes(own) }),
      attributes,
      renamed,
      tagged,
      () => ({ appData: { a: 1 } }),
      attributes,
    ),
    'disabled identities': async (own) => {
      const id = await identity(own);
      await send(own, 'POST', `${MANAGEMENT}/identities/${id}/disable`, { durationMinutes: 1 });
      await send(own, 'POST', `${MANAGEMENT}/identities/${id}/enable`, {});
    },
    'hosting identities': async (own) => {
      const [first, second] = [await service(own), await service(own)];
      const id = await identity(own);
      await change(
        own,
        `identities/${id}`,
        { serviceHostingCosts: { [first]: 1, [second]: 2 } },
        { serviceHostingCosts: { [second]: 3 }, ...attributes(own) },
      );
      await send(own, 'DELETE', `${MANAGEMENT}/services/${second}`);
      own.made.splice(own.made.indexOf(`${MANAGEMENT}/services/${second}`), 1);
    },
    services: async (own) => {
      const id = await service(own, { configs: [await config(own)] });
      await change(own, `services/${id}`, attributes(own), renamed(), { encryptionRequired: true }, { configs: [] });
      await change(own, `services/${id}`, { terminatorStrategy: 'random' }, attributes(own), tagged(own));
    },
    configs: of(
      'configs',
      () => ({ configTypeId: 'NH5p4FpGR', data: { address: 'a', port: 1, protocol: 'tcp' } }),
      renamed,
      () => ({ data: { address: 'b', port: 2, protocol: 'udp' } }),
      tagged,
    ),
    'configs of identities': async (own) => {
      const [serviceId, configId, id] = [await service(own), await config(own), await identity(own)];
      await send(own, 'POST', `${MANAGEMENT}/identities/${id}/service-configs`, [{ serviceId, configId }]);
      await send(own, 'DELETE', `${MANAGEMENT}/identities/${id}/service-configs`, [{ serviceId, configId }]);
      await send(own, 'POST', `${MANAGEMENT}/identities/${id}/service-configs`, [{ serviceId, configId }]);
      await change(own, `services/${serviceId}`, { configs: [configId] });
      await send(own, 'DELETE', `${MANAGEMENT}/configs/${configId}`);
      own.made.splice(own.made.indexOf(`${MANAGEMENT}/configs/${configId}`), 1);
    },
    'config types': of('config-types', () => ({ schema: { type: 'object' } }), renamed, tagged),
    'edge routers': of(
      'edge-routers',
      (own) => ({ isTunnelerEnabled: true, ...attributes(own) }),
      attributes,
      renamed,
      () => ({ isTunnelerEnabled: false }),
      () => ({ isTunnelerEnabled: true }),
      () => ({ disabled: true, cost: 7 }),
      attributes,
    ),
    'transit routers': of(
      'transit-routers',
      () => ({}),
      renamed,
      () => ({ disabled: true }),
      tagged,
    ),
    'service policies': async (own) => {
      const [i, s, p] = [await identity(own), await service(own), await check(own)];
      const body = { type: 'Dial', semantic: 'AnyOf', identityRoles: named([i]), serviceRoles: named([s]) };
      const id = await create(own, 'service-policies', { name: unique('own'), ...body });
      await change(own, `service-policies/${id}`, { postureCheckRoles: named([p]) }, { semantic: 'AllOf' });
      await change(own, `service-policies/${id}`, { serviceRoles: ['#x'] }, { type: 'Bind' }, renamed());
      own.made.unshift(...own.made.splice(own.made.length - 1));
      await change(own, `service-policies/${id}`, body);
    },
    'edge router policies': async (own) => {
      const i = await identity(own);
      const body = { semantic: 'AnyOf', identityRoles: named([i]), edgeRouterRoles: named(routers) };
      const id = await create(own, 'edge-router-policies', { name: unique('own'), ...body });
      await change(own, `edge-router-policies/${id}`, { identityRoles: ['#x'] }, renamed(), body, {
        semantic: 'AllOf',
      });
      own.made.unshift(...own.made.splice(own.made.length - 1));
    },
    'service edge router policies': async (own) => {
      const s = await service(own);
      const body = { semantic: 'AnyOf', serviceRoles: named([s]), edgeRouterRoles: named(routers) };
      const id = await create(own, 'service-edge-router-policies', { name: unique('own'), ...body });
      await change(own, `service-edge-router-policies/${id}`, { serviceRoles: ['#x'] }, renamed(), body);
      own.made.unshift(...own.made.splice(own.made.length - 1));
    },
    'posture checks': of(
      'posture-checks',
      (own) => ({ typeId, domains: ['a.example'], ...attributes(own) }),
      () => ({ typeId, domains: ['b.example'] }),
      (own) => ({ typeId, ...attributes(own) }),
      (own) => ({ typeId, domains: ['c.example', `d${own.pick(9)}.example`], ...attributes(own) }),
      (own) => ({ typeId, ...renamed(), ...tagged(own) }),
    ),
    'auth policies': async (own) => {
      const signers = [await signer(own), await signer(own)];
      const method = { allowed: true, allowExpiredCerts: true };
      const updb = {
        allowed: true,
        minPasswordLength: 5,
        requireSpecialChar: false,
        requireNumberChar: false,
        requireMixedCase: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      };
      const body = (allowed: boolean, allowedSigners: readonly string[], requireTotp: boolean) => ({
        primary: { cert: { ...method, allowed }, updb, extJwt: { allowed: true, allowedSigners } },
        secondary: { requireTotp, requireExtJwtSigner: null },
      });
      const id = await create(own, 'auth-policies', { name: unique('own'), ...body(true, signers, false) });
      await change(own, `auth-policies/${id}`, body(false, signers.slice(1), true), body(true, [], false), renamed());
    },
    CAs: of(
      'cas',
      () => ({
        certPem: makeCa().pem,
        identityRoles: ['x'],
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
      }),
      renamed,
      () => ({ isAuthEnabled: false }),
      tagged,
    ),
    'external JWT signers': async (own) => {
      const id = await signer(own);
      await change(own, `external-jwt-signers/${id}`, { enabled: false }, { enabled: true }, renamed());
    },
    authenticators: async (own) => {
      const { authenticatorId } = await user(own);
      await change(own, `authenticators/${authenticatorId}`, { username: unique('user') }, tagged(own));
    },
    enrollments: async (own) => {
      const identityId = await identity(own);
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const id = await create(own, 'enrollments', { identityId, method: 'ott', expiresAt });
      await send(own, 'POST', `${MANAGEMENT}/enrollments/${id}/refresh`, { expiresAt });
      await create(own, 'enrollments', { identityId, method: 'updb', username: unique('newcomer'), expiresAt });
    },
    terminators: async (own) => {
      const body = { service: await service(own), router: routers[own.pick(2)], binding: 'edge', address: 'tcp:a:1' };
      const id = await create(own, 'terminators', body);
      await change(own, `terminators/${id}`, { cost: 7 }, { precedence: 'required' }, { router: routers[own.pick(2)] });
      if (own.pick(2) === 0) own.made.splice(own.made.indexOf(`${MANAGEMENT}/terminators/${id}`), 1);
    },
    webhooks: of(
      'webhooks',
      () => ({ url: 'https://hooks.example/', kinds: ['service.*'], isEnabled: false }),
      renamed,
      () => ({ kinds: ['identity.*'] }),
    ),
    revocations: async (own) => {
      await send(own, 'POST', `${MANAGEMENT}/revocations`, { type: 'JTI', id: randomUUID() });
      const { id, token } = await loggedIn(own);
      await asUser(token, 'GET', 'current-api-session');
      await send(own, 'POST', `${MANAGEMENT}/revocations`, { type: 'IDENTITY', id });
    },
    sessions: async (own) => {
      const [first, second] = [await service(own), await service(own)];
      const { id, token, sessionId } = await loggedIn(own);
      const other = await loggedIn(own);
      const grant = { semantic: 'AnyOf', identityRoles: named([id, other.id]), serviceRoles: named([second, first]) };
      for (const type of ['Dial', 'Bind'])
        await create(own, 'service-policies', { name: unique('own'), type, ...grant });
      const opened: string[] = [];
      for (const serviceId of [first, second])
        for (const type of ['Dial', 'Bind'])
          for (const each of [token, other.token])
            opened.push(await asUser(each, 'POST', 'sessions', { serviceId, type }));
      await change(own, `identities/${id}`, attributes(own), { roleAttributes: [] }, attributes(own));
      await change(own, `services/${first}`, { roleAttributes: [] }, attributes(own));
      await send(own, 'DELETE', `${MANAGEMENT}/sessions/${opened[0] ?? ''}`);
      const end = [`${MANAGEMENT}/api-sessions/${sessionId}`, `${MANAGEMENT}/services/${second}`][own.pick(2)] ?? '';
      await send(own, 'DELETE', end);
      if (own.made.includes(end)) own.made.splice(own.made.indexOf(end), 1);
    },
  };

  const run = async (lengthMs: number, choose: (own: Own) => Round) => {
    const until = performance.now() + lengthMs;
    let changes = 0;
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, index) => {
        const pick = randomly(index + 1);
        const own: Own = {
          client: controller.admin,
          pick,
          attributes: () => ['everyone', `group-${pick(4)}`, `group-${pick(4)}`].slice(pick(2), 2 + pick(2)),
          made: [],
        };
        do {
          await choose(own)(own);
          await remove(own);
          changes += 1;
        } while (performance.now() < until);
      }),
    );
    expect(slow.splice(0), 'took long').to.deep.equal([]);
    expect(changes).to.be.at.least(WRITERS);
  };

  for (const [kind, round] of Object.entries(rounds))
    it(`change ${kind} without a circle`, () => run(ALONE_MS, () => round));

  it('change what is of all kinds without a circle', () => {
    const all = Object.values(rounds);
    return run(MIXED_MS, ({ pick }) => all[pick(all.length)] ?? rounds['services'] ?? (() => Promise.resolve()));
  });
});
