/** The time of the last change of services, which clients poll. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import { makeConfig, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

describe('service updates', () => {
  let controller: TestController;
  let caller: Caller;
  let service: string;
  let policy: string;
  let config: string;
  let otherConfig: string;
  const attribute = unique('attribute');

  before(async () => {
    controller = await startTestController();
    caller = await controller.newCaller({ configTypes: ['host.v1'], roleAttributes: [attribute] });
    config = await makeConfig(controller, {
      configTypeId: 'NH5p4FpGR',
      data: { address: 'a', port: 1, protocol: 'tcp' },
    });
    otherConfig = await makeConfig(controller, {
      configTypeId: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
      data: { hostname: 'a', port: 1 },
    });
    service = await makeService(controller, { configs: [config, otherConfig], roleAttributes: [attribute] });
    policy = await makeServicePolicy(controller, { identityRoles: [`#${attribute}`], serviceRoles: [`#${attribute}`] });
  });
  after(() => controller.stop());

  const lastChange = async (client = caller.client) =>
    (
      expectStatus(await client.get(`${CLIENT}/current-api-session/service-updates`), 200).data as {
        lastChangeAt: string;
      }
    ).lastChangeAt;
  const change = async (method: 'post' | 'patch' | 'put' | 'delete', path: string, body?: object) => {
    const answer = await controller.admin[method](`${MANAGEMENT}/${path}`, body);
    if (answer.status >= 300) throw new Error(answer.text);
    return answer;
  };
  const changes = (title: string, work: () => Promise<unknown>) => {
    it(`change when ${title}`, async () => {
      const before = await lastChange();
      await work();
      const after = await lastChange();
      expect(after > before, `${after} is later than ${before}`).to.equal(true);
      expect(await lastChange()).to.equal(after);
    });
  };
  const stays = (title: string, work: () => Promise<unknown>) => {
    it(`stay when ${title}`, async () => {
      const before = await lastChange();
      await work();
      expect(await lastChange()).to.equal(before);
    });
  };

  it('begin with the session when nothing changed since', async () => {
    const client = await controller.login(caller.username, caller.password, { configTypes: ['intercept.v1'] });
    expect(await lastChange(client)).to.equal(entityOf(await client.get(`${CLIENT}/current-api-session`)).createdAt);
  });

  it('are not missed when they came between login and the first poll', async () => {
    const client = await controller.login(caller.username, caller.password, { configTypes: ['host.v2'] });
    const { createdAt } = entityOf(await client.get(`${CLIENT}/current-api-session`));
    await change('patch', `services/${service}`, { tags: { early: true } });
    expect((await lastChange(client)) > createdAt).to.equal(true);
  });

  changes('a service that it reaches is changed', () =>
    change('patch', `services/${service}`, { name: unique('renamed') }),
  );
  changes('tags of such a service change', () => change('patch', `services/${service}`, { tags: { a: 1 } }));
  changes('data of a config of an asked type changes', () =>
    change('patch', `configs/${config}`, { data: { address: 'b', port: 2, protocol: 'tcp' } }),
  );
  changes('a further policy grants the service', () =>
    change('post', 'service-policies', {
      name: unique('policy'),
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`@${caller.id}`],
      serviceRoles: [`@${service}`],
    }),
  );
  changes('a service comes into reach', () =>
    change('post', 'services', { name: unique('service'), encryptionRequired: false, roleAttributes: [attribute] }),
  );
  changes('its own role attributes take services away', () =>
    change('patch', `identities/${caller.id}`, { roleAttributes: [] }),
  );
  changes('its own role attributes give them back', () =>
    change('patch', `identities/${caller.id}`, { roleAttributes: [attribute] }),
  );
  changes('a service that it reaches loses a config', () =>
    change('patch', `services/${service}`, { configs: [config] }),
  );
  changes('a service that it reaches is deleted', async () => {
    const id = entityOf(
      await change('post', 'services', {
        name: unique('service'),
        encryptionRequired: false,
        roleAttributes: [attribute],
      }),
    ).id;
    const seen = await lastChange();
    await change('delete', `services/${id}`);
    expect((await lastChange()) > seen).to.equal(true);
  });
  changes('the name of an asked config type changes', () =>
    change('patch', 'config-types/NH5p4FpGR', { name: unique('host') }),
  );

  stays('nothing happens', async () => undefined);
  stays('a service out of reach comes, changes and goes', async () => {
    const id = entityOf(await change('post', 'services', { name: unique('service'), encryptionRequired: false })).id;
    await change('patch', `services/${id}`, { name: unique('service') });
    await change('delete', `services/${id}`);
  });
  stays('data of a config of another type changes', () =>
    change('patch', `configs/${otherConfig}`, { data: { hostname: 'b', port: 2 } }),
  );
  stays('a config that no service has comes and goes', async () => {
    const id = entityOf(
      await change('post', 'configs', {
        name: unique('config'),
        configTypeId: 'NH5p4FpGR',
        data: { address: 'a', port: 1, protocol: 'tcp' },
      }),
    ).id;
    await change('delete', `configs/${id}`);
  });
  stays('a policy for others comes, changes and goes', async () => {
    const id = entityOf(
      await change('post', 'service-policies', {
        name: unique('policy'),
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#others'],
        serviceRoles: ['#all'],
      }),
    ).id;
    await change('patch', `service-policies/${id}`, { identityRoles: ['#more'] });
    await change('delete', `service-policies/${id}`);
  });
  stays('a policy is written again as it is', () =>
    change('patch', `service-policies/${policy}`, { identityRoles: [`#${attribute}`], semantic: 'AnyOf' }),
  );
  stays('a service is written again as it is', async () => {
    const { configs } = entityOf(await controller.admin.get(`${MANAGEMENT}/services/${service}`));
    await change('patch', `services/${service}`, { configs: configs as string[], maxIdleTimeMillis: 0 });
  });
  stays('another identity gets role attributes', async () => {
    const other = await makeIdentity(controller);
    await change('patch', `identities/${other}`, { roleAttributes: [attribute] });
  });
  stays('the identity is renamed', () => change('patch', `identities/${caller.id}`, { name: unique('renamed') }));

  it('are kept for each set of config types, and shared by sessions that ask for the same', async () => {
    const client = await controller.login(caller.username, caller.password, { configTypes: ['NH5p4FpGR'] });
    const { createdAt } = entityOf(await client.get(`${CLIENT}/current-api-session`));
    expect(await lastChange(client)).to.equal(createdAt);
    await change('patch', `configs/${config}`, { data: { address: 'c', port: 3, protocol: 'tcp' } });
    const changed = await lastChange();
    expect(changed > createdAt).to.equal(true);
    expect(await lastChange(client)).to.equal(changed);
  });

  it('need no look at the services while neither these nor the own grants change', async () => {
    const before = await lastChange();
    // A comparison would find another digest, and take it for a change.
    await controller.database.query('UPDATE service_views SET digest = $1 WHERE identity_id = $2', [
      Buffer.alloc(32),
      caller.id,
    ]);
    await makeServicePolicy(controller, { identityRoles: ['#others'], serviceRoles: ['#all'] });
    expect(await lastChange()).to.equal(before);
    await change('patch', `services/${service}`, { tags: { seen: true } });
    expect((await lastChange()) > before).to.equal(true);
  });

  it('are told to sessions only', async () => {
    expectStatus(await controller.anonymous.get(`${CLIENT}/current-api-session/service-updates`), 401);
  });
});
