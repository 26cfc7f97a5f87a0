/** The state of the network at a glance and its traffic by the hour, with what each reader may see of it. */
import { expect } from 'chai';
import type * as Response from '../../generated/management/response.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { addRouter, connect, openHost } from '../support/explain-scene.js';
import { makeService } from '../support/make.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';

/** What `doctor` looks at, and the page says. */
const CHECKS = ['Node.js', 'permissions', 'disk', 'open files', 'clock', 'locks', 'master key', 'certificates'];

describe('the network at a glance', function atAGlance() {
  this.timeout(120_000);
  let controller: TestController;
  let router: string;
  let service: string;
  before(async () => {
    controller = await startTestController();
    await openHost(controller);
    router = await addRouter(controller);
    await connect(controller, router);
    await addRouter(controller);
    service = await makeService(controller, { name: 'wiki' });
    const hour = "date_trunc('hour', now(), 'UTC')";
    await controller.database.query(
      `INSERT INTO usage_hours (hour, kind, entity_id, bytes_in, bytes_out, dials, failed_dials) VALUES
      (${hour}, 'service', $1, 10, 20, 3, 1), (${hour} - interval '2 hours', 'service', $1, 1, 2, 1, 0),
      (${hour}, 'service', 'gone', 1, 1, 0, 0), (${hour} - interval '30 hours', 'service', $1, 5, 5, 5, 5),
      (${hour}, 'router', $2, 100, 200, 7, 2), (${hour} - interval '1 hour', 'router', $2, 1, 1, 4, 1)`,
      [service, router],
    );
    await controller.database.query(`INSERT INTO dial_minutes (minute, dials, failed_dials) VALUES
      (now() - interval '2 minutes', 7, 2), (now() - interval '40 minutes', 4, 1),
      (now() - interval '90 minutes', 9, 9)`);
    await controller.database.query('UPDATE router_hosts SET circuits = 12');
  });
  after(() => controller.stop());

  const overview = async (client: Client = controller.admin) =>
    expectStatus(await client.get(`${M}/network/overview`), 200).data as Response.NetworkOverview;
  const usage = async (query: string, client: Client = controller.admin) =>
    expectStatus(await client.get(`${M}/network/usage?${query}`), 200).data as Response.NetworkUsage;

  it('shows an administrator all of it', async () => {
    const shown = await until('the router is counted', async () => {
      const now = await overview();
      return now.routers?.total === 2 && now.routers.online === 1 ? now : undefined;
    });
    expect(shown.hidden).to.deep.equal([]);
    expect(shown.controllers).to.include({ total: 1, live: 1 });
    expect(shown.counts).to.include({ services: 1, circuits: 12, terminators: 0 });
    expect(shown.dialsNow).to.include({ dials: 7, failedDials: 2 });
    expect(shown.dialsLastHour).to.include({ dials: 11, failedDials: 3 });
    expect(shown.certificates?.map(({ kind }) => kind)).to.include.members(['root', 'intermediate', 'server', 'ca']);
    expect(new Set(shown.findings?.map(({ check }) => check))).to.deep.equal(new Set(CHECKS));
    expect(shown.backups?.latestAt).to.equal(null);
  });

  it('names what a delegate may not read, and shows none of it', async () => {
    const { client } = await controller.newCaller({ permissions: ['ops.read'], at: M });
    const shown = await overview(client);
    expect(shown.hidden).to.deep.equal(['routers', 'links', 'certificates', 'findings', 'backups']);
    for (const part of shown.hidden) expect(shown).to.not.have.property(part);
    const none = await controller.newCaller({ permissions: ['service.read'], at: M });
    expectStatus(await none.client.get(`${M}/network/overview`), 401);
    expectStatus(await none.client.get(`${M}/network/usage`), 401);
  });

  it('sums traffic by the hour, and shows those with the most', async () => {
    const shown = await usage('hours=4');
    expect(shown.hours.map(({ dials }) => dials)).to.deep.equal([0, 1, 0, 3]);
    expect(shown.top).to.deep.equal([
      { id: service, name: 'wiki', bytesIn: 11, bytesOut: 22, dials: 4, failedDials: 1 },
      { id: 'gone', bytesIn: 1, bytesOut: 1, dials: 0, failedDials: 0 },
    ]);
    expect((await usage(`hours=1&entityId=${service}`)).top).to.have.length(1);
    expect((await usage('kind=router&hours=2')).top[0]).to.include({ id: router, bytesIn: 101, dials: 11 });
    expect((await usage('kind=link')).top).to.deep.equal([]);
    expect((await usage('top=1')).top).to.have.length(1);
  });

  it('shows no names to who may not read them', async () => {
    const { client } = await controller.newCaller({ permissions: ['ops.read'], at: M });
    expect(JSON.stringify(await usage('', client))).to.not.include('wiki');
    expect(JSON.stringify(await usage('kind=router', client))).to.not.include('"name"');
  });
});
