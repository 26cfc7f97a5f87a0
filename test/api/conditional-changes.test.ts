/** `If-Match`: changes that are made only while their entity is as it was read (docs/concurrent-changes.md). */
import { expect } from 'chai';
import { subject } from '../contract/subjects.js';
import { openWorld } from '../contract/world.js';
import type { World } from '../contract/world.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { bodyOf, conditional, detailOf, ifMatch, versionOf } from '../support/conditional.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, make } from '../support/entities.js';
import { makeConfig, makeService } from '../support/make.js';
import { expectFault, expectField, expectNotFound } from '../support/expect.js';
import { whileHeld } from '../support/locks.js';
import { all, nameOf, pathOf } from '../support/operations.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { amount } from '../support/unless.js';

const ROUNDS = amount(15, 50);

/** Of all that can be changed or deleted by its id. */
const COLLECTIONS = [
  'api-sessions',
  'auth-policies',
  'authenticators',
  'cas',
  'config-types',
  'configs',
  'controller-settings',
  'edge-router-policies',
  'edge-routers',
  'enrollments',
  'external-jwt-signers',
  'identities',
  'posture-checks',
  'routers',
  'service-edge-router-policies',
  'service-policies',
  'services',
  'sessions',
  'terminators',
  'transit-routers',
  'webhooks',
];

const MALFORMED = /^If-Match in header must be \* or entity tags in double quotes, separated by commas/;
const NO_TAGS = ['', ' ', ',', ', ,', 'abc', '"abc', 'abc"', '"a" "b"', '"a",b', 'w/"a"', '*, "a"', '"a b"', "'a'"];

describe('If-Match', () => {
  let controller: TestController;
  let world: World;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    world = await openWorld({ api: 'management', url: controller.url, ...ADMIN, outcomesFile: '' });
    ({ admin } = controller);
  });
  after(async () => {
    world.close();
    await controller.stop();
  });

  const tagOf = (answer: Answer): string => {
    expect(expectStatus(answer, 200).headers.etag).to.match(/^"[0-9a-z]+\.[\w-]{22}"$/);
    return answer.headers.etag ?? '';
  };
  const newService = async (): Promise<string> => {
    const body = { name: unique('s'), encryptionRequired: false };
    return `${MANAGEMENT}/services/${await makeService(controller, body)}`;
  };
  const tagAt = async (path: string): Promise<string> => tagOf(await admin.get(path));
  const expectMoved = (answer: Answer, entity: RegExp): void => {
    const { message, cause } = expectFault(answer, 412, 'PRECONDITION_FAILED');
    expect(message).to.equal('The entity is not what it was when it was read, and nothing was done');
    expect(cause?.['message'])
      .to.match(entity)
      .and.match(/read it again, apply the change .* repeat the request/);
  };

  it('is taken by every change and delete of an entity, in one way', () => {
    const collections = conditional.map(({ path }) => path.split('/')[1]);
    expect([...new Set(collections)].sort()).to.deep.equal(COLLECTIONS);
    const changing = all.filter(
      ({ api, method, path }) =>
        api === 'management' &&
        ['PUT', 'PATCH', 'DELETE'].includes(method) &&
        COLLECTIONS.includes(path.split('/')[1] ?? '') &&
        /^\/[a-z-]+\/\{id\}(\/effective)?$/.test(path),
    );
    expect(conditional.filter(({ api }) => api === 'management').map(nameOf)).to.deep.equal(changing.map(nameOf));
    for (const { responses, operationId } of conditional)
      expect(Object.keys(responses), operationId).to.include.members(['400', '401', '404', '412']);
  });

  describe('gives nothing away to those who may not know', () => {
    for (const operation of conditional) {
      it(nameOf(operation), async () => {
        const { method } = operation;
        const id = await subject(operation, world);
        const [path, detail, body] = [pathOf(operation, id), detailOf(operation, id), await bodyOf(operation, world)];
        const ordinary = await controller.newCaller();
        const send = (client: Client, tag?: string) =>
          client.send(method, path, body, tag === undefined ? {} : ifMatch(tag));
        const before = await tagAt(detail);
        for (const client of [controller.anonymous, ordinary.client]) {
          const without = await send(client);
          for (const tag of ['"1.a"', before, '*', 'no tag']) {
            const answer = await send(client, tag);
            expect([answer.status, answer.error?.code, answer.error?.cause]).to.deep.equal([
              without.status,
              without.error?.code,
              without.error?.cause,
            ]);
          }
          expect(without.status).to.be.oneOf([401, 403]);
        }
        expect(versionOf(await tagAt(detail))).to.equal(versionOf(before));
      });
    }
  });

  describe('is compared by', () => {
    for (const operation of conditional) {
      it(nameOf(operation), async () => {
        const { method } = operation;
        const id = await subject(operation, world);
        const [path, detail] = [pathOf(operation, id), detailOf(operation, id)];
        const send = async (tag: string) => admin.send(method, path, await bodyOf(operation, world), ifMatch(tag));

        const unknown = await admin.send(method, pathOf(operation), await bodyOf(operation, world), ifMatch('"1.a"'));
        expect(expectFault(unknown, 404, 'NOT_FOUND').cause?.['message']).to.match(
          /with id no-such-id not found(\. It was given as \w+ in the path\.)?$/,
        );

        const before = await admin.get(detail);
        const tag = tagOf(before);
        expectField(await send('no tag'), 'If-Match', MALFORMED, 'no tag');
        const entity = new RegExp(`^[a-zA-Z]+ with id ${id} has changed since it was read`);
        for (const moved of ['"1.a"', '"nothing"', 'W/"1.a"', '"1.a", "2.b"', '""'])
          expectMoved(await send(moved), entity);
        const after = await admin.get(detail);
        if (operation.path !== '/api-sessions/{id}') expect(after.json).to.deep.equal(before.json);
        expect(versionOf(tagOf(after))).to.equal(versionOf(tag));

        if (method === 'DELETE') {
          expectStatus(await send(`"1.a", ${tag}`), 200);
          expectStatus(await admin.get(detail), 404);
          return;
        }
        expectStatus(await send(tag), 200);
        const second = await tagAt(detail);
        expect(versionOf(second)).to.not.equal(versionOf(tag));
        expectMoved(await send(tag), entity);
        expectStatus(await send(`W/${second}`), 200);
        expectMoved(await send(second), entity);
        expectStatus(await send(`"1.a" ,, W/${await tagAt(detail)}`), 200);
        expectStatus(await send(' * '), 200);
      });
    }
  });

  it('refuses whatever is no list of entity tags, and says how one looks', async () => {
    const path = await newService();
    for (const header of NO_TAGS) {
      expectField(await admin.patch(path, { tags: { a: 1 } }, ifMatch(header)), 'If-Match', MALFORMED, header.trim());
      expectField(await admin.delete(path, undefined, ifMatch(header)), 'If-Match', MALFORMED);
    }
    const long = Array.from({ length: 1000 }, (_, n) => `"${n}.a"`).join();
    expectField(await admin.patch(path, { tags: { a: 1 } }, ifMatch(long)), 'If-Match', /at most 4096 chars/);
    expect(entityOf(await admin.get(path)).tags).to.deep.equal({});
  });

  it('prevents the lost update that happens without it', async () => {
    const id = await makeService(controller, { tags: { owner: 'x' } });
    const path = `${MANAGEMENT}/services/${id}`;
    const add = (seen: Answer, tag: string) => ({ tags: { ...entityOf(seen).tags, [tag]: 'yes' } });

    const [first, second] = [await admin.get(path), await admin.get(path)];
    expectStatus(await admin.patch(path, add(first, 'one')), 200);
    expectStatus(await admin.patch(path, add(second, 'two')), 200);
    expect(entityOf(await admin.get(path)).tags, 'the first change is lost').to.deep.equal({ owner: 'x', two: 'yes' });

    const [third, fourth] = [await admin.get(path), await admin.get(path)];
    expectStatus(await admin.patch(path, add(third, 'three'), ifMatch(tagOf(third))), 200);
    expectMoved(await admin.patch(path, add(fourth, 'four'), ifMatch(tagOf(fourth))), /^service with id /);
    const fifth = await admin.get(path);
    expectStatus(await admin.patch(path, add(fifth, 'four'), ifMatch(tagOf(fifth))), 200);
    expect(entityOf(await admin.get(path)).tags).to.deep.equal({ owner: 'x', two: 'yes', three: 'yes', four: 'yes' });
  });

  for (const [collection, body] of [
    ['services', { encryptionRequired: false }],
    ['identities', { type: 'User', isAdmin: false }],
    ['edge-routers', {}],
  ] as const) {
    it(`lets exactly one of those through who have seen the same: ${collection}, ${ROUNDS} rounds`, async () => {
      const id = await make(controller, collection, { name: unique('race'), ...body });
      const path = `${MANAGEMENT}/${collection}/${id}`;
      for (let round = 0; round < ROUNDS; round += 1) {
        const tag = await tagAt(path);
        const answers = await Promise.all(
          [1, 2, 3, 4].map((writer) => admin.patch(path, { tags: { round, writer } }, ifMatch(tag))),
        );
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses, `round ${round}`).to.deep.equal([200, 412, 412, 412]);
        const winner = answers.findIndex(({ status }) => status === 200) + 1;
        expect(entityOf(await admin.get(path)).tags).to.deep.equal({ round, writer: winner });
      }
    });
  }

  it('waits for a change that is under way, and then sees it', async () => {
    const id = await makeConfig(controller, {
      configTypeId: await make(controller, 'config-types', { name: unique('type') }),
      data: { a: 1 },
    });
    const path = `${MANAGEMENT}/configs/${id}`;
    const tag = await tagAt(path);
    const [patched, deleted] = await whileHeld(
      controller.database,
      ["UPDATE configs SET updated_at = updated_at + interval '1 ms' WHERE id = $1", id],
      () => admin.patch(path, { tags: { a: 1 } }, ifMatch(tag)),
      () => admin.delete(path, undefined, ifMatch(tag)),
    );
    expectMoved(patched!, /^config with id /);
    expectMoved(deleted!, /^config with id /);
    expect(entityOf(await admin.get(path)).tags).to.deep.equal({});
  });

  it('holds for a PATCH that changes nothing, and moves nothing then', async () => {
    const path = await newService();
    const tag = await tagAt(path);
    expectMoved(await admin.patch(path, {}, ifMatch('"1.a"')), /^service with id /);
    expectStatus(await admin.patch(path, {}, ifMatch(tag)), 200);
    expect(await tagAt(path)).to.equal(tag);
    const config = await make(controller, 'config-types', { name: unique('type') });
    expectMoved(
      await admin.patch(`${MANAGEMENT}/config-types/${config}`, {}, ifMatch('"1.a"')),
      /^configType with id /,
    );
  });

  it('leaves nothing behind of a change that is refused, and other refusals come first', async () => {
    const taken = unique('s');
    await makeService(controller, { name: taken });
    const configTypeId = await make(controller, 'config-types', { name: unique('type') });
    const config = await makeConfig(controller, { configTypeId, data: {} });
    const id = await makeService(controller);
    const path = `${MANAGEMENT}/services/${id}`;
    expectField(await admin.patch(path, { name: taken }, ifMatch('"1.a"')), 'name', 'name must be unique');
    expectMoved(await admin.patch(path, { configs: [config] }, ifMatch('"1.a"')), /^service with id /);
    expect(entityOf(await admin.get(path))['configs']).to.deep.equal([]);
    expectStatus(await admin.patch(path, { configs: [config] }), 200);
    const used = `${MANAGEMENT}/config-types/${configTypeId}`;
    expectFault(
      await admin.delete(used, undefined, ifMatch(await tagAt(used))),
      409,
      'CAN_NOT_DELETE_REFERENCED_ENTITY',
    );
  });

  it('lets no session of a moved identity end by a delete that is refused', async () => {
    const { id, client } = await controller.newCaller();
    const path = `${MANAGEMENT}/identities/${id}`;
    expectMoved(await admin.delete(path, undefined, ifMatch('"1.a"')), /^identity with id /);
    expectStatus(await client.get(`${CLIENT}/current-identity`), 200);
    expectStatus(await admin.delete(path, undefined, ifMatch(await tagAt(path))), 200);
    expectStatus(await client.get(`${CLIENT}/current-identity`), 401);
  });

  it('tells a delegate nothing of an administrator that it may not delete', async () => {
    const delegate = await controller.newCaller({ permissions: ['identity'] });
    const other = await controller.newCaller({ isAdmin: true });
    const path = `${MANAGEMENT}/identities/${other.id}`;
    for (const tag of ['"1.a"', await tagAt(path)]) {
      expectFault(await delegate.client.delete(path, undefined, ifMatch(tag)), 401, 'UNAUTHORIZED');
      expectFault(await delegate.client.patch(path, { tags: { a: 1 } }, ifMatch(tag)), 401, 'UNAUTHORIZED');
    }
    const own = await delegate.client.get(path);
    expectMoved(await admin.delete(path, undefined, ifMatch('"1.a"')), /^identity with id /);
    expectStatus(await admin.delete(path, undefined, ifMatch(tagOf(own))), 200);
  });

  it('is not asked for by changes that have none, nor by other operations', async () => {
    const { client } = await controller.newCaller();
    const own = expectStatus(await client.get(`${CLIENT}/current-identity/authenticators`, ifMatch('"1.a"')), 200);
    expect((own.data as object[]).length).to.equal(1);
    const made = await admin.post(
      `${MANAGEMENT}/services`,
      { name: unique('s'), encryptionRequired: false },
      ifMatch('"1.a"'),
    );
    expectStatus(made, 201);
  });

  it('knows nothing of an entity that is gone', async () => {
    const id = await makeService(controller);
    const path = `${MANAGEMENT}/services/${id}`;
    const tag = await tagAt(path);
    expectStatus(await admin.delete(path), 200);
    for (const header of [tag, '*', '"1.a"'])
      expectNotFound(await admin.patch(path, { tags: {} }, ifMatch(header)), `service with id ${id} not found`);
  });
});
