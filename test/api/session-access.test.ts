/** Sessions whose grant is withdrawn: refused at once, removed by the request that finds them, and never back. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { makeService, makeServicePolicy } from '../support/make.js';
import { until } from '../support/poll.js';
import { entityOf, idsOf, make } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${CLIENT}/sessions`;
const ADMIN_PATH = `${MANAGEMENT}/sessions`;

interface Held {
  readonly caller: Caller;
  readonly service: string;
  readonly policy: string;
  readonly session: string;
}

describe('a session without a grant', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
    await controller.database.query(`INSERT INTO routers (id, name, is_edge) VALUES ('gate', 'gate', true)`);
    await controller.database.query(
      `INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
        VALUES ('a', 'a', 'AnyOf', '{#all}', '{#all}')`,
    );
    await controller.database.query(
      `INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
        VALUES ('a', 'a', 'AnyOf', '{#all}', '{#all}')`,
    );
  });
  after(async () => {
    await controller.stop();
  });

  const hold = async (): Promise<Held> => {
    const word = unique('role');
    const caller = await controller.newCaller({ roleAttributes: [word] });
    const service = await makeService(controller, { roleAttributes: [word] });
    const policy = await makeServicePolicy(controller, { identityRoles: [`#${word}`], serviceRoles: [`#${word}`] });
    const session = entityOf(expectStatus(await caller.client.post(PATH, { serviceId: service }), 201)).id;
    return { caller, service, policy, session };
  };
  const admin = async (method: string, path: string, body?: object) =>
    expectStatus(await controller.admin.send(method, `${MANAGEMENT}/${path}`, body), 200);
  const rowsOf = async (id: string) =>
    (await controller.database.query('SELECT id FROM sessions WHERE id = $1', [id])).rows.length;
  const expectGone = async ({ session }: Held) => {
    const message = `session with id ${session} not found`;
    expectNotFound(await controller.admin.get(`${ADMIN_PATH}/${session}`), message);
    expectNotFound(await controller.admin.get(`${ADMIN_PATH}/${session}/route-path`), message);
    expectNotFound(await controller.admin.delete(`${ADMIN_PATH}/${session}`), message);
    expect(idsOf(await controller.admin.get(`${ADMIN_PATH}?limit=500`))).to.not.include(session);
  };

  const postureCheck = (roleAttributes: readonly string[]) =>
    make(controller, 'posture-checks', {
      name: unique('check'),
      typeId: 'DOMAIN',
      domains: ['example.org'],
      roleAttributes,
    });

  const losses: readonly [what: string, lose: (held: Held) => Promise<unknown>, isLoggedIn?: false][] = [
    ['the policy is deleted', async ({ policy }) => admin('DELETE', `service-policies/${policy}`)],
    [
      'the policy turns to the other type',
      async ({ policy }) => admin('PATCH', `service-policies/${policy}`, { type: 'Bind' }),
    ],
    [
      'the policy no longer names the identity',
      async ({ policy }) => admin('PATCH', `service-policies/${policy}`, { identityRoles: [] }),
    ],
    [
      'the policy no longer names the service',
      async ({ policy }) => admin('PATCH', `service-policies/${policy}`, { serviceRoles: ['#other'] }),
    ],
    [
      'the identity loses the role attribute',
      async ({ caller }) => admin('PATCH', `identities/${caller.id}`, { roleAttributes: [] }),
    ],
    [
      'the service loses the role attribute',
      async ({ service }) => admin('PATCH', `services/${service}`, { roleAttributes: ['other'] }),
    ],
    [
      'the policy gets a posture check',
      async ({ policy }) =>
        admin('PATCH', `service-policies/${policy}`, { postureCheckRoles: [`@${await postureCheck([])}`] }),
    ],
    [
      'a posture check is made that the policy already asks for',
      async ({ policy }) => {
        const word = unique('check');
        await admin('PATCH', `service-policies/${policy}`, { postureCheckRoles: [`#${word}`] });
        await postureCheck([word]);
      },
    ],
    [
      'the identity is locked',
      async ({ caller }) =>
        controller.database.query('UPDATE identities SET disabled_at = now() WHERE id = $1', [caller.id]),
      false,
    ],
  ];
  for (const [what, lose, isLoggedIn = true] of losses) {
    it(`is refused at once and for good when ${what}`, async () => {
      const [held, other] = [await hold(), await hold()];
      expectStatus(await held.caller.client.get(`${PATH}/${held.session}`), 200);
      await lose(held);
      await expectGone(held);
      if (isLoggedIn) {
        expectNotFound(
          await held.caller.client.get(`${PATH}/${held.session}`),
          `session with id ${held.session} not found`,
        );
        expectNotFound(
          await held.caller.client.delete(`${PATH}/${held.session}`),
          `session with id ${held.session} not found`,
        );
        expect(idsOf(await held.caller.client.get(PATH))).to.deep.equal([]);
        expect((await held.caller.client.post(PATH, { serviceId: held.service })).status).to.be.oneOf([400, 404, 409]);
      } else {
        expectStatus(await held.caller.client.get(`${PATH}/${held.session}`), 401);
      }
      expect([await rowsOf(held.session), await rowsOf(other.session)]).to.deep.equal([0, 1]);
      await controller.database.query('UPDATE identities SET disabled_at = NULL WHERE id = $1', [held.caller.id]);
      await makeServicePolicy(controller, {
        identityRoles: [`@${held.caller.id}`],
        serviceRoles: [`@${held.service}`],
      });
      await expectGone(held);
      const again = await controller.login(held.caller.username, held.caller.password);
      expect(entityOf(expectStatus(await again.post(PATH, { serviceId: held.service }), 201)).id).to.not.equal(
        held.session,
      );
      expectStatus(await other.caller.client.get(`${PATH}/${other.session}`), 200);
    });
  }

  it('is one only when the last policy of its type is gone', async () => {
    const held = await hold();
    const second = await makeServicePolicy(controller, {
      semantic: 'AllOf',
      identityRoles: [`@${held.caller.id}`],
      serviceRoles: [`@${held.service}`],
    });
    await makeServicePolicy(controller, {
      type: 'Bind',
      semantic: 'AllOf',
      identityRoles: [`@${held.caller.id}`],
      serviceRoles: [`@${held.service}`],
    });
    await admin('DELETE', `service-policies/${held.policy}`);
    expectStatus(await held.caller.client.get(`${PATH}/${held.session}`), 200);
    await admin('DELETE', `service-policies/${second}`);
    await expectGone(held);
  });

  it('is removed soon though nobody asks for it', async () => {
    const held = await Promise.all([hold(), hold(), hold()]);
    await Promise.all(held.map(async ({ policy }) => admin('DELETE', `service-policies/${policy}`)));
    for (const { session } of held) await until('the session is swept', async () => (await rowsOf(session)) === 0);
  });

  it('goes at once when an administrator disables the identity, and does not come back with it', async () => {
    const held = await hold();
    await admin('POST', `identities/${held.caller.id}/disable`, { durationMinutes: 0 });
    await expectGone(held);
    expect(await rowsOf(held.session)).to.equal(0);
    await admin('POST', `identities/${held.caller.id}/enable`);
    await expectGone(held);
  });

  it('goes with the identity, and one that an administrator ends is ended for its owner', async () => {
    const [gone, ended] = [await hold(), await hold()];
    await admin('DELETE', `identities/${gone.caller.id}`);
    expect(await rowsOf(gone.session)).to.equal(0);
    await expectGone(gone);
    await admin('DELETE', `sessions/${ended.session}`);
    expectNotFound(
      await ended.caller.client.get(`${PATH}/${ended.session}`),
      `session with id ${ended.session} not found`,
    );
  });

  it('is not made, though granted, while the posture checks of every granting policy fail', async () => {
    const { caller, service } = await hold();
    const other = await makeService(controller);
    const check = unique('check');
    const reason = 'the client has not reported its Windows domain: let it report, or update it';
    await controller.database.query(
      `INSERT INTO posture_checks (id, name, type_id, criteria, role_attributes)
        VALUES ($1, $1, 'DOMAIN', '{"domains":["a"]}', ARRAY[$1])`,
      [check],
    );
    const policy = {
      identityRoles: [`@${caller.id}`],
      serviceRoles: [`@${other}`],
      postureCheckRoles: [`#${check}`],
    };
    const ids = await Promise.all([0, 1].map(async () => makeServicePolicy(controller, policy)));
    const answer = expectStatus(await caller.client.post(PATH, { serviceId: other }), 409);
    expect(answer.error?.code).to.equal('INVALID_POSTURE');
    expect(answer.error?.cause).to.deep.equal({
      data: Object.fromEntries(
        ids.map((id) => [id, [{ id: check, isPassing: false, name: check, reason, typeId: 'DOMAIN' }]]),
      ),
      message: `Failed to pass posture checks for service policies: [${[...ids].sort().join(' ')}]`,
    });
    expectStatus(await caller.client.post(PATH, { serviceId: other, type: 'Bind' }), 400);
    await makeServicePolicy(controller, { ...policy, postureCheckRoles: [] });
    expectStatus(await caller.client.post(PATH, { serviceId: other }), 201);
    expectStatus(await caller.client.post(PATH, { serviceId: service }), 201);
  });
});
