/**
 * Service policies: what every resource and every policy does, and who may use what by them. Against a whole
 * controller.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { IDENTITIES, POSTURE_CHECKS, SERVICES, behavesLikeAnyPolicy } from '../support/any-policy.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { make, read, totalOf } from '../support/entities.js';
import { makeConfig, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectField } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/service-policies`;

describe('service policies', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const policy = (name: string) => ({ name, type: 'Dial', semantic: 'AnyOf' }) as const;
  const create = async (extra: object = {}) => makeServicePolicy(controller, { ...policy(unique('policy')), ...extra });
  const detail = async (id: string) => read(controller, `service-policies/${id}`);
  const post = async (extra: object) => controller.admin.post(PATH, { ...policy(unique('policy')), ...extra });

  behavesLikeAnyResource({
    collection: 'service-policies',
    singular: 'servicePolicy',
    controller: () => controller,
    body: policy,
    nestedLinks: ['services', 'identities', 'posture-checks'],
  });

  behavesLikeAnyPolicy({
    collection: 'service-policies',
    singular: 'servicePolicy',
    controller: () => controller,
    body: policy,
    lists: [IDENTITIES, SERVICES, POSTURE_CHECKS],
    fields: { type: 'Dial' },
  });

  it('keeps its type unless PATCH or PUT gives another', async () => {
    const name = unique('policy');
    const id = await create({ name, type: 'Bind' });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { type: null, semantic: 'AllOf' }), 200);
    expect(await detail(id)).to.deep.include({ type: 'Bind', semantic: 'AllOf' });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, policy(name)), 200);
    expect((await detail(id))['type']).to.equal('Dial');
  });

  it('accepts # alone, which selects nobody, and #all', async () => {
    await makeIdentity(controller);
    const alone = await create({ identityRoles: ['#'] });
    expect(totalOf(await controller.admin.get(`${PATH}/${alone}/identities`))).to.equal(0);
    const all = await create({ identityRoles: ['#all'] });
    expect(totalOf(await controller.admin.get(`${PATH}/${all}/identities`))).to.equal(
      totalOf(await controller.admin.get(`${MANAGEMENT}/identities`)),
    );
  });

  it('wants a type out of what there is', async () => {
    expectField(
      await controller.admin.post(PATH, { name: 'x', semantic: 'AnyOf' }),
      'type',
      'type in body is required',
      '<nil>',
    );
    expectField(await post({ type: 'dial' }), 'type', 'type in body should be one of [Dial Bind Invalid]', 'dial');
    expectField(await post({ type: 'Invalid' }), 'type', /.+/, 'Invalid');
  });

  it('survives deletes of services and changes of the policies that name them at the same time', async () => {
    const services = await Promise.all(Array.from({ length: 12 }, () => makeService(controller)));
    const config = await makeConfig(controller, {
      configTypeId: 'NH5p4FpGR',
      data: { address: 'x', port: 1, protocol: 'tcp' },
    });
    await Promise.all(
      services.map((id) => controller.admin.patch(`${MANAGEMENT}/services/${id}`, { configs: [config] })),
    );
    const policies = await Promise.all([0, 1, 2].map(() => create({ serviceRoles: services.map((id) => `@${id}`) })));
    const answers = await Promise.all(
      services.flatMap((id, index) => [
        controller.admin.delete(`${MANAGEMENT}/services/${id}`),
        controller.admin.patch(`${PATH}/${policies[index % 3] ?? ''}`, { tags: { index } }),
      ]),
    );
    expect(answers.map(({ status, text }) => (status === 200 ? '' : text))).to.deep.equal(answers.map(() => ''));
    for (const id of policies) expect((await detail(id))['serviceRoles']).to.deep.equal([]);
  });

  describe('with posture checks', () => {
    const check = async (roleAttributes: readonly string[] = [], name = unique('check')) =>
      make(controller, 'posture-checks', { name, typeId: 'DOMAIN', domains: ['corp.example.org'], roleAttributes });

    it('do not pass while they select one, and tell so at the service', async () => {
      const attribute = unique('posture');
      const { id: identityId, client } = await controller.newCaller();
      const serviceId = await makeService(controller);
      await create({
        identityRoles: [`@${identityId}`],
        serviceRoles: [`@${serviceId}`],
        postureCheckRoles: [`#${attribute}`],
      });
      const isPassing = async () => {
        const { postureQueries } = expectStatus(await client.get(`/edge/client/v1/services/${serviceId}`), 200)
          .data as { postureQueries: { isPassing: boolean }[] };
        return postureQueries.map((item) => item.isPassing);
      };
      const lastChange = async () =>
        (
          expectStatus(await client.get(`${CLIENT}/current-api-session/service-updates`), 200).data as {
            lastChangeAt: string;
          }
        ).lastChangeAt;
      expect(await isPassing()).to.deep.equal([true]);
      const before = await lastChange();
      const checkId = await check([attribute]);
      expect(await isPassing()).to.deep.equal([false]);
      expect((await lastChange()) > before).to.equal(true);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/posture-checks/${checkId}`), 200);
      expect(await isPassing()).to.deep.equal([true]);
    });
  });
});
