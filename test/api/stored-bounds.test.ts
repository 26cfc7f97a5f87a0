/**
 * What callers may leave in the database is bounded. The net over all operations that others than administrators may
 * call: each member of a body has a bound in the spec, and beyond it the request is refused and nothing is stored.
 */
import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { pending } from '../../handlers/pending.js';
import { exampleOf } from '../contract/examples.js';
import { idsOf, itemsOf, read } from '../support/entities.js';
import {
  makeEdgeRouterPolicy,
  makeIdentity,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { expectField } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { makeRequest } from '../support/certificates.js';
import { newCertifiedCaller } from '../support/certified.js';
import type { CertifiedCaller } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { contentsOf } from '../support/contents.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { describedBy, documentOf, membersOf, resolved } from '../support/document.js';
import type { Document, Schema } from '../support/document.js';

const OWNER_BYTES = 4_096;
const BYTES = 65_536;

const isBuilt = ({ api, operationId }: OperationSpec) => !(pending[api] as readonly string[]).includes(operationId);
const writing = Object.values(operations)
  .flatMap((specs): OperationSpec[] => Object.values(specs))
  .filter((operation) => isBuilt(operation) && operation.body?.kind === 'json');
/** Enrollments are made by administrators; what they bring is checked as certificates and passwords are. */
const byOwners = writing.filter(
  ({ permission, operationId }) => permission === 'own' || permission === 'partial' || operationId === 'authenticate',
);

const bodyOf = (operation: OperationSpec): Schema =>
  describedBy(operation).parameters?.find((parameter) => parameter.in === 'body')?.schema ?? {};

/** Tags whose JSON text has this many bytes. */
const tagsOf = (bytes: number, letter = 'x') => {
  const room = bytes - '{"t":""}'.length;
  const width = Buffer.byteLength(letter);
  return { t: letter.repeat(Math.floor(room / width)) + 'x'.repeat(room % width) };
};

interface Oversized {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** For each member of a schema a value just beyond its bound; undefined for one that has none. */
function* oversized(document: Document, schema: Schema, path: readonly string[] = []): Generator<Oversized> {
  const { type, items, enum: values, format, ...bounds } = resolved(document, schema);
  const { maxLength, maxItems, 'x-max-bytes': maxBytes } = bounds;
  const isText = type === 'string' && values === undefined && format !== 'uuid';
  const members = Object.entries(membersOf(document, schema));
  const beyond = (bound: number | undefined, make: (size: number) => unknown) => ({
    path,
    value: bound === undefined ? undefined : make(bound + 1),
  });
  for (const [name, member] of members) yield* oversized(document, member, [...path, name]);
  if (isText) yield beyond(maxLength, (size) => 'x'.repeat(size));
  if (type === 'object' && members.length === 0) yield beyond(maxBytes, tagsOf);
  if (type !== 'array') return;
  yield beyond(maxItems, (size) => Array.from({ length: size }, (_, index) => String(index)));
  const item = resolved(document, items ?? {});
  if (item.type === 'object') yield* oversized(document, item, [...path, '0']);
  else for (const { value } of oversized(document, item)) yield { path, value: value && [value] };
}

/** The body with the member at a path replaced. */
function withMember(body: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(body))
    return body.map((item: unknown, index) => (String(index) === name ? withMember(item, rest, value) : item));
  const inner = (body as Record<string, unknown> | undefined)?.[name];
  return { ...(body as object | undefined), [name]: withMember(inner, rest, value) };
}

/** Characters of a refusal: the value, cut off, and the further causes, of which there are twenty at most. */
const MOST_ANSWERED = 5_000;

describe('what callers may store', () => {
  let controller: TestController;
  let caller: CertifiedCaller;
  let service: string;
  let password: string;

  before(async () => {
    controller = await startTestController();
    caller = await newCertifiedCaller(controller);
    service = await makeService(controller);
    const everybody = { identityRoles: ['#all'], edgeRouterRoles: ['#all'], serviceRoles: ['#all'] };
    for (const type of ['Dial', 'Bind'] as const) {
      await makeServicePolicy(controller, { name: unique(type), type, ...everybody });
    }
    await makeRouter(controller);
    await makeEdgeRouterPolicy(controller, { name: unique('routers'), ...everybody });
    await makeServiceEdgeRouterPolicy(controller, { name: unique('routers'), ...everybody });
    const own = await caller.client.get(`${CLIENT}/current-identity/authenticators?filter=method%3D%22updb%22`);
    [password = ''] = idsOf(expectStatus(own, 200));
  });
  after(async () => {
    caller.certified.close();
    await controller.stop();
  });

  /** A request that is good in all its members, by operationId. */
  const requests: Readonly<Record<string, () => { id?: string; query?: string; body: object; status?: number }>> = {
    authenticate: () => ({ query: '?method=password', body: { username: caller.username, password: caller.password } }),
    // The caller has no second factor: what is not too long is answered that.
    authenticateMfa: () => ({ body: { code: '123456' }, status: 409 }),
    createMfaRecoveryCodes: () => ({ body: { code: '123456' }, status: 404 }),
    deleteMfa: () => ({ body: { code: '123456' }, status: 404 }),
    detailMfaRecoveryCodes: () => ({ body: { code: '123456' }, status: 404 }),
    verifyMfa: () => ({ body: { code: '123456' }, status: 404 }),
    // This session may have no such token.
    createTotpToken: () => ({ body: { code: '123456' }, status: 400 }),
    createPostureResponse: () => ({ body: { typeId: 'DOMAIN', id: '0', domain: 'a' }, status: 201 }),
    createPostureResponseBulk: () => ({ body: [{ typeId: 'DOMAIN', id: '0', domain: 'b' }], status: 200 }),
    createSession: () => ({ body: { serviceId: service, type: 'Dial' }, status: 201 }),
    createCurrentApiSessionCertificate: () => ({ body: { csr: makeRequest().pem }, status: 201 }),
    extendCurrentIdentityAuthenticator: () => ({
      id: caller.authenticatorId,
      body: { clientCertCsr: makeRequest().pem },
    }),
    extendVerifyCurrentIdentityAuthenticator: () => ({
      id: caller.authenticatorId,
      body: { clientCert: 'not the one that waits' },
      status: 400,
    }),
    updateCurrentIdentityAuthenticator: () => ({
      id: password,
      body: { username: caller.username, password: caller.password, currentPassword: caller.password },
    }),
    patchCurrentIdentityAuthenticator: () => ({ id: password, body: { currentPassword: caller.password } }),
  };
  const send = async ({ api, method, path, operationId }: OperationSpec, body: object): Promise<Answer> => {
    const { id = '', query = '' } = requests[operationId]?.() ?? { body };
    const client = operationId.startsWith('extend') ? caller.certified : caller.client;
    return client.send(method, `${basePaths[api]}${path.replace('{id}', id)}${query}`, body);
  };

  for (const operation of byOwners) {
    const { api, operationId } = operation;
    it(`${api} ${operationId}: each member is bounded, and beyond its bound refused without a trace`, async () => {
      const { body, status = 200 } = requests[operationId]?.() ?? { body: {} };
      const before = await contentsOf(controller.database);
      const faults: string[] = [];
      for (const { path, value } of oversized(documentOf(api), bodyOf(operation))) {
        const at = path.join('.');
        if (value === undefined) faults.push(`${at} has no bound`);
        else {
          const answer = await send(operation, withMember(body, path, value) as object);
          const isNamed = String(answer.error?.cause?.['field']).startsWith(at);
          const isRefused = answer.status === 400 && isNamed && answer.text.length < MOST_ANSWERED;
          if (!isRefused) faults.push(`${at}: ${answer.status} ${answer.text.slice(0, 300)}`);
        }
      }
      expect(faults).to.deep.equal([]);
      expect(await contentsOf(controller.database)).to.deep.equal(before);
      expectStatus(await send(operation, body), status);
    });
  }

  it('whatever an index holds has a bound in the spec that no index exceeds', async () => {
    // Types and methods are checked by name, and a token is only looked for. A row of an index has room for 2,704
    // bytes; a character takes 4 at most, and an id next to it 22. Addresses of controllers come from their settings.
    const bound = 650;
    const { rows } = await controller.database.query(
      `SELECT DISTINCT a.attname AS name FROM pg_index i
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace
            AND relname NOT IN ('controller_addresses', 'server_names'))
          AND a.atttypid IN ('text'::regtype, 'text[]'::regtype)`,
    );
    const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const indexed = new Set(['configs', 'service', 'router', ...rows.map(({ name }) => camelCase(String(name)))]);
    const unbounded = writing.flatMap((operation) => {
      const document = documentOf(operation.api);
      const body = resolved(document, bodyOf(operation));
      return Object.entries(membersOf(document, body.items ?? body)).flatMap(([name, member]) => {
        const { type, items, maxLength, ...rest } = resolved(document, member);
        const isText = rest.enum === undefined && (type === 'string' || type === 'array');
        const most = type === 'array' ? resolved(document, items ?? {}).maxLength : maxLength;
        const isBounded = !isText || (most ?? Infinity) <= bound || ['typeId', 'method', 'token'].includes(name);
        return indexed.has(name) && !isBounded ? [`${operation.api} ${operation.operationId} ${name}`] : [];
      });
    });
    expect(unbounded).to.deep.equal([]);
    expect([...indexed]).to.include.members(['name', 'externalId', 'roleAttributes', 'identityRoles', 'username']);
  });

  it('a text that is too long for its index is refused with its path, however well it compresses', async () => {
    const letters = (count: number) =>
      Array.from({ length: count }, () => String.fromCodePoint(0x1f300 + randomInt(700))).join('');
    const identity = { name: unique('identity'), type: 'User' as const, isAdmin: false };
    const access = { type: 'Dial', semantic: 'AnyOf' } as const;
    const policy = { name: unique('policy'), ...access, serviceRoles: ['#all'] };
    for (const make of [letters, (count: number) => 'x'.repeat(count)]) {
      for (const [path, body, field, most] of [
        ['identities', { ...identity, externalId: make(513) }, 'externalId', 512],
        ['identities', { ...identity, name: make(513) }, 'name', 512],
        ['identities', { ...identity, roleAttributes: ['a', make(513)] }, 'roleAttributes.1', 512],
        ['identities', { ...identity, authPolicyId: make(513) }, 'authPolicyId', 512],
        ['service-policies', { ...policy, identityRoles: ['#all', `#${make(513)}`] }, 'identityRoles.1', 513],
      ] as const) {
        const answer = await controller.admin.post(`${MANAGEMENT}/${path}`, body);
        expectField(answer, field, `${field} in body should be at most ${most} chars long`);
      }
    }
    const whole = { name: letters(512), externalId: letters(512), roleAttributes: [letters(512)] };
    const id = await makeIdentity(controller, { ...identity, ...whole });
    expect(await read(controller, `identities/${id}`)).to.deep.include(whole);
    const [attribute = ''] = whole.roleAttributes;
    await makeServicePolicy(controller, { ...policy, identityRoles: [`#${attribute}`] });
    const costs = { [letters(3_000)]: 5 };
    const answer = await controller.admin.post(`${MANAGEMENT}/identities`, { ...identity, serviceHostingCosts: costs });
    expect(answer.status).to.be.oneOf([400, 404]);
    expect(answer.text).not.to.contain('name is too long');
  });

  const tagged = writing.filter((operation) => 'tags' in membersOf(documentOf(operation.api), bodyOf(operation)));
  for (const operation of tagged) {
    const { api, method, path, operationId, permission } = operation;
    const bound = permission === 'admin' ? BYTES : OWNER_BYTES;
    it(`${api} ${operationId}: tags of more than ${bound} bytes are refused`, async () => {
      const id = operationId.includes('CurrentIdentity') ? password : 'no-such-id';
      const body = { ...exampleOf(api, method, path), ...requests[operationId]?.().body, tags: tagsOf(bound + 1) };
      const answer = await controller.admin.send(method, basePaths[api] + path.replace('{id}', id), body);
      expectField(answer, 'tags', `tags in body should be at most ${bound} bytes long as JSON text`, '');
    });
  }

  it('tags count as JSON text in UTF-8, and are kept up to the bound', async () => {
    const own = `${CLIENT}/current-identity/authenticators/${password}`;
    const patch = (tags: object) => caller.client.patch(own, { currentPassword: caller.password, tags });
    for (const letter of ['x', 'é', '☃', '😀']) {
      const tags = tagsOf(OWNER_BYTES, letter);
      expectStatus(await patch(tags), 200);
      expect((await read(controller, `authenticators/${password}`)).tags).to.deep.equal(tags);
      expectField(await patch(tagsOf(OWNER_BYTES + 1, letter)), 'tags', /at most 4096 bytes/);
    }
    const name = unique('service');
    const id = await makeService(controller, { name, tags: tagsOf(BYTES, 'é') });
    expect((await read(controller, `services/${id}`)).tags).to.deep.equal(tagsOf(BYTES, 'é'));
  });

  it('a login keeps the named members of client information, and drops all others whatever their size', async () => {
    const envInfo = { arch: 'a'.repeat(255), hostname: 'h'.repeat(253), junk: 'A'.repeat(30_000) };
    const strange = { type: 'sdk-ж/2.0 (💡; odd)', appId: '', junk: ['A'.repeat(30_000)], constructor: 'x' };
    await controller.login(caller.username, caller.password, { envInfo, sdkInfo: strange });
    const { envInfo: env, sdkInfo: sdk } = await read(controller, `identities/${caller.id}`);
    expect(env).to.deep.equal({ arch: envInfo.arch, hostname: envInfo.hostname });
    expect(sdk).to.deep.equal({ type: strange.type });
  });

  it("leaves the administrators' list of sessions small", async () => {
    const services = await Promise.all(
      Array.from({ length: 30 }, () => makeService(controller, { name: unique('many') })),
    );
    const tags = tagsOf(OWNER_BYTES);
    for (const serviceId of services) {
      for (const type of ['Dial', 'Bind']) {
        expectStatus(await caller.client.post(`${CLIENT}/sessions`, { serviceId, type, tags }), 201);
      }
    }
    const list = expectStatus(await controller.admin.get(`${MANAGEMENT}/sessions?limit=60&sort=createdAt%20desc`), 200);
    expect(itemsOf(list).map((item) => item.tags)).to.deep.equal(Array.from({ length: 60 }, () => tags));
    expect(list.text.length / 60).to.be.below(2 * OWNER_BYTES);
  });
});
