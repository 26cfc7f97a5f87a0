/** What a router with a tunneler is told of the network, and when. Against whole controllers, with scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { makeConfig } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { HOST_V1, modelOf, patch, remove, tunnelService } from '../support/tunneler.js';
import type { ModelReplica, TunnelService } from '../support/tunneler.js';

describe('the data model of a router with a tunneler', () => {
  let controller: TestController;
  let router: EnrolledRouter;
  let connected: ScriptedRouter;
  let model: ModelReplica;
  const open: ScriptedRouter[] = [];
  before(async () => {
    controller = await startTestController();
  });
  beforeEach(async () => {
    router = await newRouter(controller, { isTunnelerEnabled: true });
    connected = await connect();
    model = await modelOf(connected);
  });
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });
  after(() => controller.stop());

  const connect = async (who: EnrolledRouter = router, url = controller.url) => {
    const made = await ScriptedRouter.connect(url, who);
    open.push(made);
    return made;
  };
  const has = (what: string, holds: () => boolean) => until(what, holds);
  const knows = ({ name }: TunnelService) => model.names('service').includes(name);
  /** All that there is of the service, and nothing else. */
  const reachOf = ({ name, configId, bindPolicy, dialPolicy }: TunnelService) => [
    'host.v1',
    configNames.get(configId) ?? '',
    name,
    ...[bindPolicy, dialPolicy].map((id) => policyNames.get(id) ?? '').sort(),
  ];
  const configNames = new Map<string, string>();
  const policyNames = new Map<string, string>();
  const service = async (options: object = {}, routerId = router.id) => {
    const made = await tunnelService(controller, routerId, options);
    const nameOf = async (path: string) =>
      (expectStatus(await controller.admin.get(`${MANAGEMENT}/${path}`), 200).data as { name: string }).name;
    configNames.set(made.configId, await nameOf(`configs/${made.configId}`));
    for (const id of [made.bindPolicy, made.dialPolicy]) policyNames.set(id, await nameOf(`service-policies/${id}`));
    return made;
  };
  const granted = async (options: object = {}) => {
    const made = await service(options);
    await has('the service is told', () => model.names('servicePolicy').length === 2);
    return made;
  };

  it('is its own identity and the keys, when that reaches nothing', async () => {
    await service({}, '');
    expect(model.names('identity')).to.deep.equal([router.name]);
    expect(model.reach).to.deep.equal([]);
    expect(model.all('publicKey').length).to.be.greaterThan(0);
    expect(model.timelineId).not.to.equal('');
  });

  it('is only the keys for a router without a tunneler, whatever policies say', async () => {
    const plain = await newRouter(controller);
    const { bindPolicy } = await service({}, '');
    await patch(controller, `service-policies/${bindPolicy}`, { identityRoles: ['#all'], semantic: 'AnyOf' });
    const its = await modelOf(await connect(plain));
    expect([...its.names('identity'), ...its.reach]).to.deep.equal([]);
    await remove(controller, `service-policies/${bindPolicy}`);
  });

  it('has what is granted when it is granted, with what it refers to, and nothing of others', async () => {
    await service({}, (await newRouter(controller, { isTunnelerEnabled: true })).id);
    const made = await granted();
    expect(model.reach).to.deep.equal(reachOf(made));
    expect(model.find('service', made.id)).to.deep.include({
      name: made.name,
      encryptionRequired: false,
      configs: [made.configId],
    });
    const config = model.find('config', made.configId);
    expect(config).to.deep.include({ typeId: HOST_V1 });
    expect(JSON.parse(String(config?.['dataJson']))).to.deep.equal({
      protocol: 'tcp',
      address: 'localhost',
      port: 8080,
    });
    expect(
      [made.bindPolicy, made.dialPolicy].map((id) => model.find('servicePolicy', id)?.['policyType']),
    ).to.deep.equal([2, 1]);
    expect(model.members(made.bindPolicy)).to.deep.equal([made.id]);
    expect(model.states).to.equal(1);
  });

  it('is whole and the same for a router that comes later, and again', async () => {
    const made = await granted();
    const { index, timelineId } = model;
    connected.close();
    model = await modelOf(await connect());
    expect(model.reach).to.deep.equal(reachOf(made));
    expect([model.index >= index, model.timelineId]).to.deep.equal([true, timelineId]);
  });

  const ends: readonly (readonly [string, (made: TunnelService) => Promise<unknown>])[] = [
    ['the service is deleted', ({ id }) => remove(controller, `services/${id}`)],
    [
      'no router policy allows the router to it',
      ({ routerPolicy }) => remove(controller, `service-edge-router-policies/${routerPolicy}`),
    ],
    [
      'the identity is disabled',
      () => controller.admin.post(`${MANAGEMENT}/identities/${router.id}/disable`, { durationMinutes: 5 }),
    ],
    [
      'both policies name another identity',
      async ({ bindPolicy, dialPolicy }) => {
        for (const id of [bindPolicy, dialPolicy])
          await patch(controller, `service-policies/${id}`, { identityRoles: ['#nobody'], semantic: 'AnyOf' });
      },
    ],
    [
      'both policies ask for a posture check',
      async ({ bindPolicy, dialPolicy }) => {
        await make(controller, 'posture-checks', {
          name: unique('mac'),
          typeId: 'MAC',
          macAddresses: ['0a1b2c3d4e5f'],
          roleAttributes: ['asked'],
        });
        for (const id of [bindPolicy, dialPolicy])
          await patch(controller, `service-policies/${id}`, { postureCheckRoles: ['#asked'], semantic: 'AnyOf' });
      },
    ],
  ];
  for (const [what, end] of ends)
    it(`has nothing of a service any more when ${what}`, async () => {
      const made = await granted();
      await end(made);
      await has('all of it is taken', () => model.reach.length === 0);
      expect(model.names('identity')).to.deep.equal([router.name]);
    });

  it('loses what a policy loses, and keeps the rest', async () => {
    const [made, other] = [await granted(), await service()];
    await has('both are told', () => model.names('servicePolicy').length === 4);
    await remove(controller, `service-policies/${made.bindPolicy}`);
    await has('the policy is taken', () => model.names('servicePolicy').length === 3);
    expect(knows(made)).to.equal(true);
    await patch(controller, `service-policies/${made.dialPolicy}`, {
      serviceRoles: [`@${other.id}`],
      semantic: 'AnyOf',
    });
    await has('the service is taken', () => !knows(made));
    expect(model.members(made.dialPolicy)).to.deep.equal([other.id]);
    expect(model.names('config')).to.deep.equal([configNames.get(other.configId)]);
  });

  it('follows services, configs, policies and the identity as they change', async () => {
    const made = await granted();
    await patch(controller, `services/${made.id}`, { name: `${made.name}-new` });
    await has('the service has its new name', () => model.names('service').includes(`${made.name}-new`));
    await patch(controller, `configs/${made.configId}`, { data: { protocol: 'tcp', address: 'localhost', port: 9 } });
    const dataOf = (id: string) => String(model.find('config', id)?.['dataJson']);
    await has('the config has its new data', () => dataOf(made.configId).includes('9'));
    await patch(controller, `service-policies/${made.bindPolicy}`, { name: 'renamed' });
    await has('the policy has its new name', () => model.names('servicePolicy').includes('renamed'));
    await patch(controller, `services/${made.id}`, { configs: [] });
    await has('the config is taken', () => model.names('config').length + model.names('configType').length === 0);
    await patch(controller, `identities/${router.id}`, {
      defaultHostingCost: 7,
      serviceHostingCosts: { [made.id]: 8 },
      serviceHostingPrecedences: { [made.id]: 'required' },
      appData: { a: 1 },
    });
    const identity = () => model.find('identity', router.id);
    await has('the identity hosts otherwise', () => identity()?.['defaultHostingCost'] === 7);
    expect(identity()).to.deep.include({
      serviceHostingCosts: { [made.id]: 8 },
      serviceHostingPrecedences: { [made.id]: 1 },
    });
    expect(JSON.parse(Buffer.from(identity()?.['appDataJson'] as Uint8Array).toString())).to.deep.equal({ a: 1 });
    expect(model.states).to.equal(1);
  });

  it('has the configs that the identity uses instead of those of the service', async () => {
    const made = await granted();
    const name = unique('own');
    const own = await makeConfig(controller, {
      name,
      configTypeId: HOST_V1,
      data: { protocol: 'tcp', address: 'own', port: 1 },
    });
    const path = `${MANAGEMENT}/identities/${router.id}/service-configs`;
    expectStatus(await controller.admin.post(path, [{ serviceId: made.id, configId: own }]), 200);
    await has('the config is told', () => model.names('config').includes(name));
    const overrides = () =>
      model.find('identity', router.id)?.['serviceConfigs'] as Record<string, { configs: object }>;
    expect(overrides()[made.id]?.configs).to.deep.equal({ [HOST_V1]: own });
    expectStatus(await controller.admin.delete(path, [{ serviceId: made.id, configId: own }]), 200);
    await has('it is taken', () => !model.names('config').includes(name));
    expect(overrides()).to.deep.equal({});
  });

  it('goes with the tunneler, and comes with it', async () => {
    const made = await granted();
    await patch(controller, `edge-routers/${router.id}`, { isTunnelerEnabled: false });
    await has('all of it is taken', () => [...model.reach, ...model.names('identity')].length === 0);
    await patch(controller, `edge-routers/${router.id}`, { isTunnelerEnabled: true });
    await has('the identity is told', () => model.names('identity').length === 1);
    // The policies named the identity that was deleted.
    expect(knows(made)).to.equal(false);
    await patch(controller, `service-policies/${made.bindPolicy}`, {
      identityRoles: [`@${router.id}`],
      semantic: 'AnyOf',
    });
    await has('the service is told', () => knows(made));
  });

  it('comes back by itself when the time is over for which the identity is disabled', async () => {
    const made = await granted();
    await controller.database.query(
      "UPDATE identities SET disabled_at = now(), disabled_until = now() + interval '1500 ms' WHERE id = $1",
      [router.id],
    );
    await has('all of it is taken', () => model.reach.length === 0);
    await has('the service is told again', () => knows(made));
  });

  it('goes on with a subscription that is renewed, and is told again for another one', async () => {
    await granted();
    connected.subscribe('first');
    await has('it is told again', () => model.update().states === 2);
    connected.subscribe('first', { renew: true });
    connected.subscribe('second');
    await has('it is told for the other one', () => model.update().states === 3);
    const made = await service();
    await has('and goes on', () => knows(made));
    expect(model.states).to.equal(3);
  });

  it('does not change when what changes is reached by nobody, or by others', async () => {
    const made = await granted();
    const { changeSets } = model;
    await service({}, (await newRouter(controller, { isTunnelerEnabled: true })).id);
    await patch(controller, `services/${made.id}`, { roleAttributes: ['other'] });
    // Told in order: when this has come, nothing came before.
    await patch(controller, `services/${made.id}`, { name: `${made.name}-new` });
    await has('the service has its new name', () => model.names('service').includes(`${made.name}-new`));
    expect(model.changeSets).to.equal(changeSets + 1);
  });

  it('goes to a router that subscribed, and to no other', async () => {
    const silent = await connect(await newRouter(controller, { isTunnelerEnabled: true }));
    await granted();
    const kinds: readonly number[] = [ContentType.DataState, ContentType.DataStateChangeSet];
    expect(silent.received.filter(({ contentType }) => kinds.includes(contentType))).to.deep.equal([]);
  });
});
