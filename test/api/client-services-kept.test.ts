/**
 * Answers about services that a controller keeps are never older than a change that was answered. Against two
 * controllers on one database.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { HEARD_MS, until } from '../support/poll.js';
import { randomly, seedOfRun } from '../support/random.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

const ROUNDS = 80;
const SHOWN_EVERY = 8;

interface Seen {
  readonly id: string;
  readonly name: string;
  readonly permissions: string[];
  readonly config: object;
  readonly tags: object;
}

describe('answers about services that are kept', function kept() {
  this.timeout(120_000);
  let controller: TestController;
  let second: RunningController;
  let caller: Caller;
  let readers: Client[];

  before(async () => {
    controller = await startTestController({ EDGE_MASTER_KEY: 'a1'.repeat(31) + 'b2' });
    second = await startController(
      readConfig({
        env: {
          EDGE_NAME: 'second',
          EDGE_LISTEN: '127.0.0.1:0',
          EDGE_ADVERTISE: 'localhost:1280',
          DATABASE_URL: controller.database.url,
          EDGE_MASTER_KEY: 'a1'.repeat(31) + 'b2',
          EDGE_LOG_LEVEL: 'silent',
        },
      }),
      createLogger({ level: 'silent', format: 'json' }),
    );
    caller = await controller.newCaller({ roleAttributes: ['a'], configTypes: ['all'] });
    readers = [caller.client, createClient(second.url, caller.client.token)];
  });
  after(async () => {
    readers.forEach((reader) => {
      reader.close();
    });
    await second.stop();
    await controller.stop();
  });

  const post = async (path: string, body: object) =>
    (expectStatus(await controller.admin.post(`${M}${path}`, body), 201).data as { id: string }).id;
  const patch = async (path: string, body: object) => {
    expectStatus(await controller.admin.patch(`${M}${path}`, body), 200);
  };

  it('change at once with whatever changes what the caller sees, through either of two controllers', async () => {
    const seed = seedOfRun();
    const pick = randomly(seed);
    const services = await Promise.all(
      [0, 1, 2, 3].map(async (n) =>
        post('/services', { name: unique('kept'), encryptionRequired: false, roleAttributes: [`s${n % 2}`] }),
      ),
    );
    const policy = await post('/service-policies', {
      name: unique('kept'),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#a'],
      serviceRoles: ['#s0'],
    });
    const config = await post('/configs', {
      name: unique('kept'),
      configTypeId: 'cea49285-6c07-42cf-9f52-09a9b115c783',
      data: { hostname: 'h', port: 1 },
    });
    const service = () => services[pick(services.length)] ?? '';
    const changes: (() => Promise<void>)[] = [
      () => patch(`/services/${service()}`, { name: unique('kept') }),
      () => patch(`/services/${service()}`, { tags: { n: pick(100) } }),
      () => patch(`/services/${service()}`, { roleAttributes: [`s${pick(3)}`] }),
      () => patch(`/services/${service()}`, { configs: pick(2) === 0 ? [] : [config] }),
      () => patch(`/configs/${config}`, { data: { hostname: 'h', port: 1 + pick(1000) } }),
      () => patch(`/identities/${caller.id}`, { roleAttributes: [['a'], ['b'], ['a', 'b'], []][pick(4)] }),
      () =>
        patch(`/service-policies/${policy}`, {
          serviceRoles: [['#s0'], ['#s1'], ['#all'], [], [`@${service()}`]][pick(5)],
        }),
      () =>
        patch(`/service-policies/${policy}`, { identityRoles: [['#a'], ['#b'], ['#all'], [`@${caller.id}`]][pick(4)] }),
      () =>
        patch(`/service-policies/${policy}`, {
          type: pick(2) === 0 ? 'Dial' : 'Bind',
          semantic: pick(2) === 0 ? 'AnyOf' : 'AllOf',
        }),
    ];
    let distinct = 0;
    let last = '';
    /** Whatever chance did before: the caller sees all services, and one of them by a name that it did not see yet. */
    const show = async () => {
      const semantic = 'AnyOf';
      await patch(`/service-policies/${policy}`, { semantic, identityRoles: ['#all'], serviceRoles: ['#all'] });
      await patch(`/services/${service()}`, { name: unique('kept') });
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await (round % SHOWN_EVERY === 0 ? show : (changes[pick(changes.length)] ?? show))();
      const truth = (
        expectStatus(await controller.admin.get(`${M}/identities/${caller.id}/services?limit=100`), 200).data as Seen[]
      ).map(({ id, name, permissions, tags }) => ({ id, name, permissions, tags }));
      for (const reader of readers) {
        /** The controller of the change answers it at once, the other one hears of it. */
        const holds = async <T>(what: string, probe: () => Promise<T | false>): Promise<T> => {
          const fault = `${what} (seed ${seed}, round ${round})`;
          if (reader !== readers[0]) return until(fault, probe, HEARD_MS);
          const value = await probe();
          if (value === false) throw new Error(`not at once: ${fault}`);
          return value;
        };
        const answer = await holds('what is true is answered', async () => {
          const given = expectStatus(await reader.get(`${C}/services?limit=100`), 200);
          const seen = (given.data as Seen[]).map(({ id, name, permissions, tags }) => ({
            id,
            name,
            permissions,
            tags,
          }));
          return isDeepStrictEqual(seen, truth) && given;
        });
        expect(expectStatus(await reader.get(`${C}/services?limit=100`), 200).text).to.equal(answer.text);
        const one = services[0] ?? '';
        const isTrue = truth.some(({ id }) => id === one) ? 200 : 404;
        await holds(
          'one service is answered as it is',
          async () => (await reader.get(`${C}/services/${one}`)).status === isTrue,
        );
        if (answer.text !== last) {
          last = answer.text;
          distinct += 1;
        }
      }
    }
    expect(distinct).to.be.at.least(ROUNDS / SHOWN_EVERY);
  });

  it('are never those of another caller, another query or other config types', async () => {
    await controller.database.query('DELETE FROM service_policies');
    await post('/services', { name: unique('kept'), encryptionRequired: false });
    await post('/service-policies', {
      name: unique('kept'),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${caller.id}`],
      serviceRoles: ['#all'],
    });
    const other = await controller.newCaller();
    expect(expectStatus(await caller.client.get(`${C}/services?limit=100`), 200).data).to.have.length.greaterThan(0);
    expectStatus(await caller.client.get(`${C}/services?limit=100`), 200);
    expect(expectStatus(await other.client.get(`${C}/services?limit=100`), 200).data).to.deep.equal([]);
    const all = expectStatus(await caller.client.get(`${C}/services?limit=1`), 200);
    expect(all.meta.pagination?.limit).to.equal(1);
    expect(expectStatus(await caller.client.get(`${C}/services?limit=2`), 200).meta.pagination?.limit).to.equal(2);
  });

  it('are forgotten when the database may be another one that counts the same epochs', async () => {
    const [name, other] = [unique('kept'), unique('kept')];
    const id = await post('/services', { name, encryptionRequired: false, roleAttributes: ['exchanged'] });
    await post('/service-policies', {
      name,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#a'],
      serviceRoles: ['#exchanged'],
    });
    const [reader = caller.client] = readers;
    /** Undefined while the database is out. */
    const nameSeen = async () => {
      const answer = await reader.get(`${C}/services/${id}`);
      return answer.status === 503 ? undefined : (expectStatus(answer, 200).data as { name: string }).name;
    };
    const lastChange = async () => {
      const answer = await reader.get(`${C}/current-api-session/service-updates`);
      return answer.status === 503
        ? undefined
        : (expectStatus(answer, 200).data as { lastChangeAt: string }).lastChangeAt;
    };
    for (let time = 0; time < 2; time += 1) expect(await nameSeen()).to.equal(name);
    const before = await lastChange();
    const noted = '2222-02-22T02:22:22.000Z';
    // As in a standby that was promoted before it had the latest changes, and was changed since.
    await controller.database.query('SET session_replication_role = replica');
    await controller.database.query('UPDATE services SET name = $2 WHERE id = $1', [id, other]);
    await controller.database.query('SET session_replication_role = origin');
    await controller.database.query('UPDATE service_views SET changed_at = $2 WHERE identity_id = $1', [
      caller.id,
      noted,
    ]);
    expect(await nameSeen()).to.equal(name);
    expect(await lastChange()).to.equal(before);
    await controller.database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await until('the answer is of the present database', async () => (await nameSeen()) === other);
    await until('so is the time of the last change', async () => (await lastChange()) === noted);
  });
});
