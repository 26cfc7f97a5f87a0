/** Lists of the role attributes in use, per kind of entity. Against a whole controller. */
import { expect } from 'chai';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { createClient, expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { totalOf } from '../support/entities.js';
import { makeIdentity, makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';

describe('role attributes', () => {
  let controller: TestController;
  let second: RunningController;
  before(async () => {
    const key = { EDGE_MASTER_KEY: 'c3'.repeat(31) + 'd4' };
    controller = await startTestController(key);
    second = await startController(
      readConfig({
        env: {
          EDGE_NAME: 'second',
          EDGE_LISTEN: '127.0.0.1:0',
          EDGE_ADVERTISE: 'localhost:1280',
          DATABASE_URL: controller.database.url,
          EDGE_LOG_LEVEL: 'silent',
          ...key,
        },
      }),
      createLogger({ level: 'silent', format: 'json' }),
    );
  });
  after(async () => {
    await second.stop();
    await controller.stop();
  });

  const path = (kind: string) => `${MANAGEMENT}/${kind}-role-attributes`;
  const list = async (kind: string, query = '') =>
    expectStatus(await controller.admin.get(`${path(kind)}${query}`), 200);
  const identity = async (roleAttributes: string[]) => makeIdentity(controller, { roleAttributes });
  const service = async (roleAttributes: string[]) => makeService(controller, { roleAttributes });

  it('are empty lists while nobody has any', async () => {
    for (const kind of ['identity', 'service', 'edge-router', 'posture-check']) {
      const answer = await list(kind);
      expect(answer.data, kind).to.deep.equal([]);
      expect(totalOf(answer), kind).to.equal(0);
      expect(answer.meta.filterableFields, kind).to.deep.equal(['id', 'name']);
    }
  });

  it('are distinct plain strings, sorted by bytes, of one kind of entity each', async () => {
    await identity(['sales', 'Zebra', 'über']);
    await identity(['sales', 'eu']);
    await service(['web', 'sales']);
    expect((await list('identity')).data).to.deep.equal(['Zebra', 'eu', 'sales', 'über']);
    expect((await list('service')).data).to.deep.equal(['sales', 'web']);
    expect((await list('edge-router')).data).to.deep.equal([]);
  });

  it('have pages with the total of all, which follows every change on either controller', async () => {
    const kept = async (query: string) => {
      const answer = await list('service', query);
      return { page: answer.data as string[], total: totalOf(answer) };
    };
    const other = createClient(second.url, controller.admin.token);
    const all = (await list('service')).data as string[];
    expect(await kept('?limit=1')).to.deep.equal({ page: all.slice(0, 1), total: all.length });
    expect(await kept('?limit=1&offset=1')).to.deep.equal({ page: all.slice(1, 2), total: all.length });
    expect(await kept('?limit=1&offset=9')).to.deep.equal({ page: [], total: all.length });
    const made = await service(['aaa-first']);
    for (const client of [controller.admin, other]) {
      const answer = expectStatus(await client.get(`${path('service')}?limit=1`), 200);
      expect([answer.data, totalOf(answer)]).to.deep.equal([['aaa-first'], all.length + 1]);
    }
    expectStatus(await other.delete(`${MANAGEMENT}/services/${made}`), 200);
    expect(await kept('?limit=1')).to.deep.equal({ page: all.slice(0, 1), total: all.length });
    other.close();
  });

  it('leave with the last entity that has them, and follow every change', async () => {
    const [first, second] = [await service(['kept', 'shared']), await service(['shared'])];
    const has = async () =>
      ((await list('service')).data as string[]).filter((item) => ['kept', 'shared', 'new'].includes(item));
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/services/${second}`), 200);
    expect(await has()).to.deep.equal(['kept', 'shared']);
    expectStatus(
      await controller.admin.patch(`${MANAGEMENT}/services/${first}`, { roleAttributes: ['kept', 'new'] }),
      200,
    );
    expect(await has()).to.deep.equal(['kept', 'new']);
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/services/${first}`, { roleAttributes: [] }), 200);
    expect(await has()).to.deep.equal([]);
  });

  it('stay right when many write the same attribute at once', async () => {
    const attribute = unique('busy');
    const ids = await Promise.all(Array.from({ length: 16 }, () => service([attribute])));
    await Promise.all(ids.slice(1).map((id) => controller.admin.delete(`${MANAGEMENT}/services/${id}`)));
    expect((await list('service')).data).to.include(attribute);
    await controller.admin.delete(`${MANAGEMENT}/services/${ids[0] ?? ''}`);
    expect((await list('service')).data).to.not.include(attribute);
  });

  for (const symbol of ['id', 'name']) {
    it(`come whole unless limited, and are filtered, sorted and paged by ${symbol}`, () => expectPagesBy(symbol));
  }

  const expectPagesBy = async (symbol: string) => {
    const prefix = unique('many');
    const all = Array.from({ length: 25 }, (_, index) => `${prefix}-${String(index).padStart(2, '0')}`);
    await identity(all);
    const filter = `filter=${encodeURIComponent(`${symbol} contains "${prefix}"`)}`;
    expect((await list('identity', `?${filter}`)).data).to.deep.equal(all);
    const page = await list('identity', `?${filter}&limit=3&offset=2&sort=${symbol}%20desc`);
    expect([page.data, totalOf(page)]).to.deep.equal([[...all].reverse().slice(2, 5), 25]);
    const beyond = await list('identity', `?${filter}&offset=100`);
    expect([beyond.data, totalOf(beyond)]).to.deep.equal([[], 25]);
    expect(
      (await list('identity', `?filter=${encodeURIComponent(`${symbol} = "${all[7] ?? ''}"`)}`)).data,
    ).to.deep.equal([all[7]]);
  };

  it('are answered as they are at once, also by another controller and while nobody hears of changes', async () => {
    const attribute = unique('heard');
    const id = await identity([]);
    const readers = [controller.admin, createClient(second.url, controller.admin.token)];
    const queries = ['', '?limit=500&sort=id%20desc', `?filter=${encodeURIComponent(`id = "${attribute}"`)}`];
    const expectEverywhere = async (isListed: boolean) => {
      for (const reader of readers) {
        for (const query of queries) {
          const answers = [
            expectStatus(await reader.get(`${path('identity')}${query}`), 200),
            expectStatus(await reader.get(`${path('identity')}${query}`), 200),
          ];
          for (const answer of answers)
            expect((answer.data as string[]).includes(attribute), `${query} ${isListed}`).to.equal(isListed);
          expect(answers[1]?.text).to.equal(answers[0]?.text);
        }
      }
    };
    try {
      await expectEverywhere(false);
      for (const isListed of [true, false, true]) {
        expectStatus(
          await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, {
            roleAttributes: isListed ? [attribute] : [],
          }),
          200,
        );
        await expectEverywhere(isListed);
        await controller.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
            AND query ILIKE 'LISTEN%'`,
        );
      }
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${id}`), 200);
      await expectEverywhere(false);
    } finally {
      readers[1]?.close();
    }
  });

  it('are refused to others although an administrator was just answered', async () => {
    const { client } = await controller.newCaller();
    expectStatus(await controller.admin.get(path('service')), 200);
    expectStatus(await client.get(path('service')), 401);
    expectStatus(await controller.anonymous.get(path('service')), 401);
  });

  it('refuse a filter by anything else', async () => {
    for (const query of ['filter=kind%3D%221%22', 'filter=id%20%3D', 'sort=kind', 'limit=x']) {
      expectStatus(await controller.admin.get(`${path('identity')}?${query}`), 400);
    }
  });

  it('are for administrators only', async () => {
    const { client } = await controller.newCaller();
    for (const kind of ['identity', 'service', 'edge-router', 'posture-check']) {
      expectStatus(await client.get(path(kind)), 401);
      expectStatus(await controller.anonymous.get(path(kind)), 401);
    }
  });
});
