/**
 * Models that stock routers have: the same as they were told, by their own comparison, whatever happened on the way.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { makeConfig, makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { describeStock } from '../support/unless.js';
import { ZitiShop } from '../support/ziti.js';
import type { ZitiRouter } from '../support/ziti.js';

const WAIT_MS = 60_000;
const CHANGES = 40;
/** Lines of a stock router that was told something that makes no sense to it. */
const COMPLAINTS = /"level":"(?:error|fatal|panic)"[^\n]*(?:data model|data state|unable to|unhandled|index)/i;

describeStock('models of stock routers', (binary) => {
  let controller: TestController;
  let ziti: ZitiShop;
  let router: ZitiRouter;
  before(async () => {
    controller = await startReachable();
    ziti = new ZitiShop(binary, controller);
    await policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    router = await ziti.router('all', { tunnel: { mode: 'host' } });
  });
  after(async () => {
    await ziti.close();
    await controller.stop();
  });

  const policy = (collection: string, roles: object) =>
    make(controller, collection, { name: unique('policy'), semantic: 'AnyOf', ...roles });
  const change = async (method: 'patch' | 'delete', path: string, body?: object) =>
    expectStatus(await controller.admin[method](`${MANAGEMENT}/${path}`, body), 200);

  /** Waits until the router is asked at rest. */
  const differences = async () =>
    until('the router says what it has', () => controller.checkModel(router.id).catch(() => undefined), WAIT_MS);
  const agrees = async () => {
    expect(await differences()).to.deep.equal([]);
    expect(COMPLAINTS.exec(router.process.output())?.[0]).to.equal(undefined);
  };

  const service = async () => {
    const configId = await makeConfig(controller, {
      name: unique('host'),
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: 9 },
    });
    const id = await makeService(controller, {
      encryptionRequired: true,
      configs: [configId],
      roleAttributes: ['x'],
    });
    return { id, configId };
  };

  it('are the same after many changes', async () => {
    const made: { id: string; configId: string; grant: string }[] = [];
    for (let n = 0; n < CHANGES; n += 1) {
      if (n % 4 === 0) {
        const { id, configId } = await service();
        const type = n % 8 === 0 ? 'Bind' : 'Dial';
        const grant = await policy('service-policies', {
          type,
          identityRoles: [`@${router.id}`],
          serviceRoles: n % 12 === 0 ? ['#x'] : [`@${id}`],
        });
        made.push({ id, configId, grant });
      }
      const one = made[n % made.length];
      if (one === undefined) continue;
      if (n % 4 === 1) await change('patch', `services/${one.id}`, { name: unique('other') });
      if (n % 4 === 2)
        await change('patch', `configs/${one.configId}`, { data: { protocol: 'tcp', address: 'localhost', port: n } });
      if (n % 4 === 3) await change('patch', `service-policies/${one.grant}`, { name: unique('other') });
      if (n % 10 === 9) await change('delete', `service-policies/${one.grant}`);
      if (n % 10 === 9) await change('delete', `services/${one.id}`);
      if (n % 10 === 9) made.splice(n % made.length, 1);
    }
    await change('patch', `identities/${router.id}`, { appData: { a: 1 }, defaultHostingCost: 5 });
    await agrees();
  });

  it('are the same when the router comes back with a copy of its own, and lost something meanwhile', async () => {
    const { id } = await service();
    const grant = await policy('service-policies', {
      type: 'Bind',
      identityRoles: [`@${router.id}`],
      serviceRoles: [`@${id}`],
    });
    await agrees();
    await router.process.kill('SIGTERM');
    await change('delete', `service-policies/${grant}`);
    await service();
    router.process = ziti.runRouter(router.name);
    await ziti.online(router);
    await agrees();
  });

  it('are the same after a snapshot was restored: another timeline, and an index of the past', async () => {
    await router.process.kill('SIGTERM');
    await controller.database.query(`UPDATE network SET timeline_id = 'restored'`);
    await controller.database.query('UPDATE model_epochs SET epoch = 1, routing = 1');
    router.process = ziti.runRouter(router.name);
    await ziti.online(router);
    await agrees();
    const { id } = await service();
    await policy('service-policies', { type: 'Bind', identityRoles: [`@${router.id}`], serviceRoles: [`@${id}`] });
    await agrees();
  });

  it('are the same when the router carries configs, which others do not get', async () => {
    const link = await makeConfig(controller, { name: unique('link'), configTypeId: 'router.link.v1', data: {} });
    await makeConfig(controller, { name: unique('link'), configTypeId: 'router.link.v1', data: {} });
    await change('patch', `edge-routers/${router.id}`, { configs: [link] });
    await agrees();
    await change('patch', `configs/${link}`, { data: { gcMode: 'changed' } });
    await agrees();
    await change('delete', `configs/${link}`);
    await agrees();
  });
});
