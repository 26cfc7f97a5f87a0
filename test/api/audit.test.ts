/** The audit record: who changed what, from where, and who logged in or tried to. Against a whole controller. */
import { expect } from 'chai';
import { createClient, expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, make } from '../support/entities.js';
import { makeConfig, makeIdentity, makeRouter, makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';

interface Recorded {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly entityType: string;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly apiSessionId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly controller: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
}

const WAIT_MS = 20_000;

describe('the audit record', () => {
  let controller: TestController;
  let admin: Client;
  let adminId: string;
  const clients: Client[] = [];
  before(async () => {
    controller = await startTestController({ EDGE_NAME: 'north', EDGE_LIMIT_EXACT_TOTAL: '5000' });
    ({ admin } = controller);
    adminId = entityOf(expectStatus(await admin.get(`${CLIENT}/current-identity`), 200)).id;
  });
  after(async () => {
    clients.forEach((client) => {
      client.close();
    });
    await controller.stop();
  });

  const list = async (filter: string, more = ''): Promise<Answer> =>
    expectStatus(await admin.get(`${MANAGEMENT}/audit?filter=${encodeURIComponent(filter)}${more}`), 200);
  /** Oldest first. */
  const recordsOf = async (filter: string): Promise<Recorded[]> =>
    ((await list(filter, '&limit=500')).data as Recorded[]).toReversed();
  const recordsOfEntity = (id: string) => recordsOf(`entityId = "${id}"`);
  const typed = async (filter: string, count = 1): Promise<Recorded[]> => {
    let found: Recorded[] = [];
    const isThere = async () => (found = await recordsOf(filter)).length >= count;
    await until(`${count} records with ${filter}`, isThere, WAIT_MS);
    return found;
  };
  const kinds = (records: readonly Recorded[]) => records.map(({ kind }) => kind);

  it('says who made, changed and deleted an entity, from where, in which request and session', async () => {
    const name = unique('audited');
    const body = { name, type: 'User', isAdmin: false, roleAttributes: ['staff'], tags: { city: 'Oslo' } };
    const created = expectStatus(await admin.post(`${MANAGEMENT}/identities`, body), 201);
    const { id } = entityOf(created);
    const path = `${MANAGEMENT}/identities/${id}`;
    expectStatus(await admin.patch(path, { roleAttributes: ['staff', 'printing'] }), 200);
    expectStatus(await admin.put(path, { ...body, name: `${name}-2`, roleAttributes: ['printing', 'staff'] }), 200);
    expectStatus(await admin.delete(path), 200);
    const [made, changed, replaced, deleted] = await recordsOfEntity(id);
    expect(made).to.deep.include({ kind: 'identity.created', entityType: 'identity', entityId: id, entityName: name });
    expect(made).to.deep.include({ actor: { kind: 'identity', id: adminId, name: 'Default Admin' } });
    expect(made).to.deep.include({ address: '127.0.0.1', controller: 'north', before: null, reason: null });
    expect(made?.requestId).to.equal(created.headers['x-request-id']);
    expect(made?.apiSessionId).to.be.a('string').with.length.above(5);
    expect(made?.after).to.deep.include({ name, type: 'User', roleAttributes: ['staff'], tags: { city: 'Oslo' } });
    expect(changed).to.deep.include({
      kind: 'identity.updated',
      before: { roleAttributes: ['staff'] },
      after: { roleAttributes: ['printing', 'staff'] },
    });
    expect([replaced?.before, replaced?.after]).to.deep.equal([{ name }, { name: `${name}-2` }]);
    expect(deleted).to.deep.include({ kind: 'identity.deleted', entityName: `${name}-2`, after: null });
    expect(deleted?.before).to.deep.include({ roleAttributes: ['printing', 'staff'] });
    for (const record of [changed, replaced, deleted]) {
      expect(record?.actor.id).to.equal(adminId);
      expect(record?.apiSessionId).to.equal(made?.apiSessionId);
    }
  });

  it('has what belongs to an entity as a change of it, and once only what came or went', async () => {
    const data = { address: 'a', port: 1, protocol: 'tcp' };
    const config = (word: string, configTypeId: string, value: Record<string, unknown>) =>
      makeConfig(controller, { name: unique(word), configTypeId, data: value });
    const host = await config('host', 'NH5p4FpGR', data);
    const dial = await config('dial', 'g7cIWbcGg', {
      protocols: ['tcp'],
      addresses: ['a.example'],
      portRanges: [{ low: 1, high: 2 }],
    });
    const id = await makeService(controller, { configs: [host] });
    expectStatus(await admin.patch(`${MANAGEMENT}/services/${id}`, { configs: [host, dial] }), 200);
    expectStatus(await admin.patch(`${MANAGEMENT}/services/${id}`, { configs: [dial] }), 200);
    const records = await recordsOfEntity(id);
    expect(records.map(({ kind, before, after }) => [kind, before?.['configs'], after?.['configs']])).to.deep.equal([
      ['service.created', undefined, undefined],
      ['service.updated', undefined, [{ configId: host }]],
      ['service.updated', undefined, [{ configId: dial }]],
      ['service.updated', [{ configId: host }], undefined],
    ]);
  });

  it('has what a change sets off, by the same actor, and nothing of a change that fails', async () => {
    const identity = await makeIdentity(controller);
    const service = await makeService(controller);
    const draft = { identityRoles: [`@${identity}`], serviceRoles: [`@${service}`] };
    const policy = await makeServicePolicy(controller, { ...draft, name: unique('p') });
    const refused = await admin.patch(`${MANAGEMENT}/service-policies/${policy}`, { identityRoles: ['@nobody'] });
    expect(refused.status).to.equal(400);
    expectStatus(await admin.delete(`${MANAGEMENT}/identities/${identity}`), 200);
    const records = await recordsOfEntity(policy);
    expect(kinds(records)).to.deep.equal(['servicePolicy.created', 'servicePolicy.updated']);
    expect(records[1]).to.deep.include({ before: { identityRoles: [`@${identity}`] }, after: { identityRoles: [] } });
    expect(records[1]?.actor.id).to.equal(adminId);
  });

  it('tells of secrets that they changed, and of what only traffic moves nothing', async () => {
    const caller = await controller.newCaller();
    const own = expectStatus(await caller.client.get(`${CLIENT}/current-identity/authenticators`), 200);
    const [{ id = '' } = {}] = own.data as { id: string }[];
    const body = { password: 'another pass word', currentPassword: caller.password };
    expectStatus(await caller.client.patch(`${CLIENT}/current-identity/authenticators/${id}`, body), 200);
    const records = await recordsOfEntity(id);
    expect(kinds(records)).to.deep.equal(['authenticator.created', 'authenticator.updated']);
    expect(records[1]).to.deep.include({ before: {}, after: { passwordChanged: true } });
    expect(records[1]?.actor).to.deep.equal({ kind: 'identity', id: caller.id, name: caller.name });
    const before = (await recordsOf(`actor.id = "${caller.id}"`)).length;
    expectStatus(await caller.client.get(`${CLIENT}/services`), 200);
    expectStatus(await caller.client.get(`${CLIENT}/current-identity/service-updates`), 404);
    expectStatus(await caller.client.get(`${CLIENT}/current-api-session/service-updates`), 200);
    expect(await recordsOf(`actor.id = "${caller.id}"`)).to.have.length(before);
  });

  it('has a new token of an enrollment, and never the token', async () => {
    const identity = await makeIdentity(controller);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await make(controller, 'enrollments', { identityId: identity, method: 'ott', expiresAt });
    const path = `${MANAGEMENT}/enrollments/${id}`;
    const { token, jwt } = expectStatus(await admin.get(path), 200).data as { token: string; jwt: string };
    const refresh = async (at: string) => expectStatus(await admin.post(`${path}/refresh`, { expiresAt: at }), 200);
    await refresh(expiresAt);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    await refresh(later);
    const [, same, moved] = await recordsOfEntity(id);
    expect([same?.kind, same?.before, same?.after]).to.deep.equal(['enrollment.updated', {}, { tokenChanged: true }]);
    expect([Object.keys(moved?.before ?? {}), Object.keys(moved?.after ?? {})]).to.deep.equal([
      ['expiresAt'],
      ['expiresAt', 'tokenChanged'],
    ]);
    const { rows } = await controller.database.query('SELECT a::text AS row FROM audit_records a');
    const secrets = [token, jwt.slice(-40)];
    expect(rows.filter(({ row }) => secrets.some((secret) => String(row).includes(secret)))).to.deep.equal([]);
  });

  it("has what an administrator does to a terminator of an SDK, and nothing of the SDK's own doing", async () => {
    const service = await makeService(controller);
    const router = await makeRouter(controller);
    const host = await makeIdentity(controller, { name: unique('host') });
    const [id, other] = [unique('t'), unique('t')];
    await controller.database.query(
      `INSERT INTO terminators (id, service_id, router_id, binding, address, host_id, is_system)
      SELECT t, $2, $3, 'edge', 'hosted:' || t, $4, true FROM unnest($1::text[]) t`,
      [[id, other], service, router, host],
    );
    const path = `${MANAGEMENT}/terminators/${id}`;
    expectStatus(await admin.patch(path, { precedence: 'failed' }), 200);
    expectStatus(await admin.delete(path), 200);
    const records = await recordsOfEntity(id);
    expect(kinds(records)).to.deep.equal(['terminator.updated', 'terminator.deleted']);
    expect(records[0]).to.deep.include({ before: { precedence: 'default' }, after: { precedence: 'failed' } });
    expect(records.map(({ actor }) => actor.id)).to.deep.equal([adminId, adminId]);
    expectStatus(await admin.delete(`${MANAGEMENT}/services/${service}`), 200);
    expect(await recordsOfEntity(other), 'one that goes with its service').to.deep.equal([]);
  });

  it('has snapshots and repairs, by who asked for them', async () => {
    const taken = expectStatus(await admin.post(`${MANAGEMENT}/database/snapshot`), 200);
    const [snapshot] = await recordsOf(`requestId = "${String(taken.headers['x-request-id'])}"`);
    expect(snapshot).to.deep.include({ kind: 'database.snapshotTaken', entityType: 'database', controller: 'north' });
    expect(snapshot?.actor.id).to.equal(adminId);
    expect(snapshot?.after?.['file']).to.match(/^edge-.*\.snapshot\.gz$/);
    // A total that is wrong is derived data: no trigger sees its repair.
    await controller.database.query(
      `UPDATE entity_counts SET total = total + 5 WHERE kind = 'services'
      AND slot = (SELECT min(slot) FROM entity_counts WHERE kind = 'services')`,
    );
    const asked = expectStatus(await admin.post(`${MANAGEMENT}/database/fix-data-integrity`), 202);
    const records = await typed(`requestId = "${String(asked.headers['x-request-id'])}"`, 2);
    expect(kinds(records)).to.deep.equal(['database.integrityFixStarted', 'database.integrityFixed']);
    expect(records[1]?.after?.['findings']).to.be.above(0);
    expect(records.map(({ actor }) => actor.id)).to.deep.equal([adminId, adminId]);
  });

  it('has a login and a logout, and API sessions that somebody else ends', async () => {
    const caller = await controller.newCaller();
    const session = entityOf(expectStatus(await caller.client.get(`${CLIENT}/current-api-session`), 200)).id;
    const [login] = await recordsOf(`apiSessionId = "${session}" and kind = "login.succeeded"`);
    expect(login).to.deep.include({ entityId: caller.id, entityName: caller.name, address: '127.0.0.1' });
    expect(login?.actor).to.deep.equal({ kind: 'identity', id: caller.id, name: caller.name });
    expect(login?.after).to.deep.include({ method: 'password' });
    expectStatus(await caller.client.delete(`${CLIENT}/current-api-session`), 200);
    const [logout] = await recordsOfEntity(session);
    expect(logout).to.deep.include({ kind: 'apiSession.deleted', entityType: 'apiSession', after: null });
    expect(logout?.actor.id).to.equal(caller.id);
    const again = await controller.login(caller.username, caller.password);
    const other = entityOf(expectStatus(await again.get(`${CLIENT}/current-api-session`), 200)).id;
    expectStatus(await admin.delete(`${MANAGEMENT}/api-sessions/${other}`), 200);
    const [ended] = await recordsOfEntity(other);
    expect([ended?.kind, ended?.actor.id]).to.deep.equal(['apiSession.deleted', adminId]);
  });

  it('has refused logins by a code word, with the identity where it is known, and never what was typed', async () => {
    const caller = await controller.newCaller();
    const tryLogin = async (username: string, password: string) => {
      const body = { username, password };
      return controller.anonymous.post(`${CLIENT}/authenticate?method=password`, body);
    };
    const wrong = await tryLogin(caller.username, 'typed by mistake 1');
    expect(wrong.status).to.equal(403);
    const [record] = await typed(`entityId = "${caller.id}" and kind = "login.failed"`);
    expect(record).to.deep.include({ reason: 'wrongPassword', entityName: caller.name, address: '127.0.0.1' });
    expect(record?.actor.kind).to.equal('anonymous');
    expect(record?.requestId).to.equal(wrong.headers['x-request-id']);
    expect(record?.after).to.deep.include({ method: 'password' });
    const unknown = await tryLogin('typed by mistake 2', 'typed by mistake 3');
    const found = await typed(`requestId = "${String(unknown.headers['x-request-id'])}"`);
    expect(found[0]).to.deep.include({ reason: 'unknownUsername', entityId: null, entityName: null });
    const disable = `${MANAGEMENT}/identities/${caller.id}/disable`;
    expectStatus(await admin.post(disable, { durationMinutes: 0 }), 200);
    await tryLogin(caller.username, caller.password);
    const refusals = await typed(`entityId = "${caller.id}" and kind = "login.failed"`, 2);
    expect(refusals[1]?.reason).to.equal('identityDisabled');
    for (const method of ['cert', 'ext-jwt']) {
      const answer = await controller.anonymous.post(`${CLIENT}/authenticate?method=${method}`, {});
      expect(answer.status).to.equal(403);
      const [refusal] = await typed(`requestId = "${String(answer.headers['x-request-id'])}"`);
      expect(refusal?.after).to.deep.include({ method });
      expect(refusal?.reason).to.equal(method === 'cert' ? 'certificateRefused' : 'tokenMissing');
    }
    const enrolled = await controller.anonymous.post(`${CLIENT}/enroll?method=ott&token=typed-by-mistake-4`);
    const [enrollment] = await typed(`requestId = "${String(enrolled.headers['x-request-id'])}"`);
    expect(enrollment?.kind).to.equal('enrollment.failed');
    const { rows } = await controller.database.query('SELECT a::text AS row FROM audit_records a');
    expect(rows.filter(({ row }) => /typed.by.mistake/.test(String(row)))).to.deep.equal([]);
  });

  it('has wrong codes of a second factor', async () => {
    const { client, id } = await controller.newCaller();
    expectStatus(await client.post(`${CLIENT}/current-identity/mfa`), 201);
    const answer = await client.post(`${CLIENT}/current-identity/mfa/verify`, { code: '000000' });
    expect(answer.status).to.equal(401);
    const [record] = await typed(`entityId = "${id}" and kind = "login.failed"`);
    expect(record).to.deep.include({ reason: 'mfaCodeInvalid', entityId: id });
    expect(record?.after).to.deep.include({ method: 'totp' });
    expect(kinds(await recordsOf(`entityType = "mfa" and actor.id = "${id}"`))).to.deep.equal(['mfa.created']);
  });

  it('is for administrators and who may read it; one record is found by its id', async () => {
    const [first] = (await list('true', '&limit=1')).data as Recorded[];
    const path = `${MANAGEMENT}/audit/${first?.id ?? ''}`;
    expect(entityOf(expectStatus(await admin.get(path), 200))).to.deep.equal(first);
    const reader = await controller.newCaller({ permissions: ['audit.read'] });
    expectStatus(await reader.client.get(path), 200);
    const others = await controller.newCaller({ permissions: ['identity', 'ops'] });
    expectStatus(await others.client.get(`${MANAGEMENT}/audit`), 401);
    expectStatus(await others.client.get(path), 401);
    for (const id of ['0', 'nonsense', '-1', '999999999999999999', '9'.repeat(40)])
      expectStatus(await admin.get(`${MANAGEMENT}/audit/${id}`), 404);
  });

  it('comes the newest first, by pages, and takes filters and sorts on its fields', async () => {
    const fields = (await list('true')).meta.filterableFields ?? [];
    expect(fields).to.include.members(['at', 'kind', 'entityId', 'actor.id', 'address', 'reason']);
    for (const field of fields) {
      const filter = field === 'at' ? 'at > datetime(2020-01-01T00:00:00Z)' : `${field} != "x"`;
      await list(filter);
      expect((await admin.get(`${MANAGEMENT}/audit?sort=${field}%20desc`)).status, field).to.equal(200);
    }
    for (let n = 0; n < 8; n += 1) await makeService(controller, { name: unique('page') });
    const created = 'kind = "service.created"';
    const ids = ((await list(created, '&limit=8')).data as Recorded[]).map(({ id }) => Number(id));
    expect(ids).to.have.length(8);
    expect(ids).to.deep.equal([...ids].sort((a, b) => b - a));
    const next = ((await list(created, '&limit=4&offset=4')).data as Recorded[]).map(({ id }) => Number(id));
    expect(next).to.deep.equal(ids.slice(4));
    const oldest = ((await list(created, '&limit=20&sort=id')).data as Recorded[]).map(({ id }) => Number(id));
    expect(oldest).to.deep.equal([...oldest].sort((a, b) => a - b));
    expect((await list('id = "1"')).data).to.have.length(1);
    expect((await list('id = "typed"')).data).to.have.length(0);
  });

  it('counts no further than the setting says, and pages beyond', async () => {
    await controller.database.query(
      `INSERT INTO audit_records (kind, entity_type, entity_id, actor_kind)
      SELECT 'config.updated', 'config', 'many', 'controller' FROM generate_series(1, 5100)`,
    );
    const page = await list('entityId = "many"', '&limit=5');
    expect([page.meta.pagination?.totalCount, (page.data as Recorded[]).length]).to.deep.equal([5_000, 5]);
    const deep = await list('entityId = "many"', '&limit=500&offset=5000');
    expect([deep.meta.pagination?.totalCount, (deep.data as Recorded[]).length]).to.deep.equal([5_000, 100]);
    const plain = expectStatus(await admin.get(`${MANAGEMENT}/audit?limit=3&offset=600`), 200);
    expect([plain.meta.pagination?.totalCount, (plain.data as Recorded[]).length]).to.deep.equal([5_000, 3]);
    const sorted = expectStatus(await admin.get(`${MANAGEMENT}/audit?sort=kind&limit=3&offset=600`), 200);
    expect(sorted.data).to.have.length(3);
  });

  it('knows what a start does by itself', async () => {
    const [created] = await recordsOfEntity(adminId);
    expect(created).to.deep.include({ kind: 'identity.created', address: null, requestId: null, controller: 'north' });
    expect(created?.actor).to.deep.equal({ kind: 'controller', id: null, name: null });
    const client = createClient(controller.url);
    clients.push(client);
    const answer = await client.post(`${CLIENT}/authenticate?method=password`, ADMIN);
    expectStatus(answer, 200);
    expect(answer.headers['x-request-id']).to.be.a('string');
    const [login] = await recordsOf(`requestId = "${String(answer.headers['x-request-id'])}"`);
    expect(login).to.deep.include({ kind: 'login.succeeded', entityId: adminId, controller: 'north' });
  });
});
