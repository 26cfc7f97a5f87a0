/** The entity tags of answers to changes: the next change needs no read between (docs/concurrent-changes.md). */
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
import { makeConfig, makeIdentity, makeRouter, makeService } from '../support/make.js';
import { expectFault } from '../support/expect.js';
import { all, nameOf, pathOf } from '../support/operations.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { recordStatements } from '../support/statements.js';

const changing = conditional.filter(({ method }) => method !== 'DELETE');
const VERSION = /^"[0-9a-z]+"$/;

describe('the answer to a change', () => {
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
    expect(expectStatus(answer, 200).headers.etag).to.match(VERSION);
    return answer.headers.etag ?? '';
  };
  /** The tag of a change, once a read shows its version. */
  const shownTagOf = async (answer: Answer, detail: string): Promise<string> => {
    const tag = tagOf(answer);
    const read = expectStatus(await admin.get(detail), 200);
    expect(versionOf(read.headers.etag ?? ''), detail).to.equal(versionOf(tag));
    return tag;
  };
  const newService = async (body: object = {}): Promise<string> => {
    const id = await makeService(controller, body);
    return `${MANAGEMENT}/services/${id}`;
  };

  it('is declared to carry an entity tag where it does, and nowhere else', () => {
    const tagged = all.filter(({ method, isTagged }) => isTagged && method !== 'GET');
    expect(tagged.map(nameOf)).to.deep.equal(changing.map(nameOf));
  });

  describe('carries what the next change takes', () => {
    for (const operation of changing) {
      it(nameOf(operation), async () => {
        const id = await subject(operation, world);
        const [path, detail] = [pathOf(operation, id), detailOf(operation, id)];
        const send = async (headers?: object) =>
          admin.send(operation.method, path, await bodyOf(operation, world), headers ?? {});
        const read = expectStatus(await admin.get(detail), 200).headers.etag ?? '';

        const first = await shownTagOf(await send(), detail);
        expect(versionOf(first)).to.not.equal(versionOf(read));
        const second = await shownTagOf(await send(ifMatch(first)), detail);
        const third = tagOf(await send(ifMatch(second)));
        const [fourth, fifth] = [tagOf(await send(ifMatch(`W/${third}`))), tagOf(await send(ifMatch('*')))];
        expect(new Set([first, second, third, fourth, fifth]).size).to.equal(5);
        for (const earlier of [read, first, fourth]) {
          const refused = await send(ifMatch(earlier));
          expectFault(refused, 412, 'PRECONDITION_FAILED');
          expect(refused.headers.etag).to.equal(undefined);
        }
        await shownTagOf(await send(ifMatch(fifth)), detail);
      });
    }
  });

  describe('carries the version that is there when nothing had to be changed', () => {
    for (const operation of changing.filter(({ method }) => method === 'PATCH')) {
      it(nameOf(operation), async () => {
        const id = await subject(operation, world);
        const { typeId } = (await bodyOf(operation, world)) ?? {};
        const nothing = typeId === undefined ? {} : { typeId };
        const [path, detail] = [pathOf(operation, id), detailOf(operation, id)];
        const first = await shownTagOf(await admin.patch(path, nothing), detail);
        expect(await shownTagOf(await admin.patch(path, nothing, ifMatch(first)), detail)).to.equal(first);
      });
    }
  });

  it('carries the version of what is stored in other tables, of whatever is written last', async () => {
    const service = await newService();
    const type = await make(controller, 'config-types', { name: unique('type') });
    const config = await makeConfig(controller, { configTypeId: type, data: {} });
    const serviceId = service.split('/').at(-1) ?? '';
    const identity = await makeIdentity(controller);
    const router = await makeRouter(controller);
    const policy = await subject({ ...changing[0]!, api: 'management', path: '/auth-policies/{id}' }, world);
    const changes: readonly (readonly [path: string, body: object])[] = [
      [service, { configs: [config] }],
      [service, { configs: [] }],
      [`${MANAGEMENT}/identities/${identity}`, { serviceHostingCosts: { [serviceId]: 7 } }],
      [`${MANAGEMENT}/identities/${identity}`, { serviceHostingCosts: { [serviceId]: 8 }, name: unique('i') }],
      [`${MANAGEMENT}/identities/${identity}`, { isAdmin: true }],
      [`${MANAGEMENT}/edge-routers/${router}`, { isTunnelerEnabled: true }],
      [`${MANAGEMENT}/edge-routers/${router}`, { name: unique('r') }],
      [`${MANAGEMENT}/edge-routers/${router}`, { isTunnelerEnabled: false }],
      [`${MANAGEMENT}/auth-policies/${policy}`, { primary: { extJwt: { allowed: true, allowedSigners: [] } } }],
    ];
    const last = new Map<string, string>();
    for (const [path, body] of changes) {
      const known = last.get(path);
      const answer = await admin.patch(path, body, known === undefined ? {} : ifMatch(known));
      last.set(path, await shownTagOf(answer, path));
    }
  });

  it('saves the reads of a writer who makes one change after the other', async () => {
    const path = await newService();
    let tag = expectStatus(await admin.get(path), 200).headers.etag ?? '';
    for (let round = 0; round < 20; round += 1) tag = tagOf(await admin.patch(path, { tags: { round } }, ifMatch(tag)));
    const other = await admin.patch(path, { tags: { round: 'other' } });
    expectFault(await admin.patch(path, { tags: { round: 20 } }, ifMatch(tag)), 412, 'PRECONDITION_FAILED');
    expectStatus(await admin.patch(path, { tags: { round: 20 } }, ifMatch(tagOf(other))), 200);
    expect(entityOf(await admin.get(path)).tags).to.deep.equal({ round: 20 });
  });

  it('is no answer to a read: its tag never stands for one', async () => {
    const path = await newService();
    const tag = tagOf(await admin.patch(path, { tags: { a: 1 } }));
    const read = await admin.get(path, { headers: { 'if-none-match': tag } });
    expect(entityOf(read).tags).to.deep.equal({ a: 1 });
    for (const known of ['*', tag, read.headers.etag ?? '']) {
      const headers = { headers: { 'if-none-match': known } };
      expect(expectStatus(await admin.patch(path, {}, headers), 200).data, known).to.deep.equal({});
    }
  });

  it('has no tag when it is a refusal, a delete, or of what has no version', async () => {
    const taken = unique('s');
    await newService({ name: taken });
    const path = await newService();
    const untagged = [
      expectStatus(await admin.patch(path, { name: taken }), 400),
      expectStatus(await admin.patch(`${path}-none`, { tags: {} }), 404),
      expectStatus(await admin.patch(`${path}-none`, {}), 404),
      expectStatus(await admin.delete(path), 200),
    ];
    const { client, username, password } = await controller.newCaller();
    const [own] = expectStatus(await client.get(`${CLIENT}/current-identity/authenticators`), 200).data as {
      id: string;
    }[];
    const body = { username, currentPassword: password, password: `${password}2` };
    untagged.push(
      expectStatus(await client.put(`${CLIENT}/current-identity/authenticators/${own?.id ?? ''}`, body), 200),
    );
    expect(untagged.map(({ headers }) => headers.etag)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('asks nothing more of the database for its tag', async () => {
    const statementsOf = async (table: string, path: string, body: object): Promise<string[]> => {
      const recorded = recordStatements(new RegExp(`(?:from|update) "?${table}\\b`, 'i'));
      try {
        tagOf(await admin.patch(path, body));
      } finally {
        recorded.stop();
      }
      return recorded.texts;
    };
    const type = `${MANAGEMENT}/config-types/${await make(controller, 'config-types', { name: unique('type') })}`;
    const [changed, ...rest] = await statementsOf('config_types', type, { tags: { a: 1 } });
    expect(changed).to.match(/^update .* returning "updated_at", set_config\(/);
    expect(rest).to.deep.equal([]);
    expect(await statementsOf('config_types', type, {})).to.deep.equal([
      'SELECT updated_at FROM config_types WHERE id = $1',
    ]);
  });
});
