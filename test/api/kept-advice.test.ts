/**
 * Policy advice is kept in memory: it follows each change of what it tells of, made by this controller or by another,
 * and costs no statement while nothing changes. Two controllers share a database.
 */
import { expect } from 'chai';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { HEARD_MS, until } from '../support/poll.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { recordStatements } from '../support/statements.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

interface Advice {
  readonly isDialAllowed?: boolean;
  readonly identity: { readonly name: string };
  readonly service: { readonly name: string };
  readonly commonRouters: readonly { readonly name: string }[];
}

describe('policy advice that is kept', function keptAdvice() {
  this.timeout(120_000);
  let pair: Pair;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;
  let onTwo: Client;

  before(async () => {
    pair = await startPair();
    ({ one, two, admin } = pair);
    onTwo = two.client(admin.token);
  });
  after(() => pair.stop());

  const post = async (path: string, body: object) =>
    (expectStatus(await admin.post(`${M}/${path}`, body), 201).data as { id: string }).id;
  const patch = async (path: string, body: object) => expectStatus(await admin.patch(`${M}/${path}`, body), 200);
  const remove = async (path: string) => expectStatus(await admin.delete(`${M}/${path}`), 200);

  it('follows every change of what it tells of, at once here and soon on another controller', async () => {
    const name = unique('advised');
    const identity = await post('identities', { name, type: 'User', isAdmin: false });
    const service = await post('services', { name, encryptionRequired: false });
    const path = `${M}/identities/${identity}/policy-advice/${service}`;
    const read = async (client: Client) => expectStatus(await client.get(path), 200).data as Advice;
    const roles = { semantic: 'AnyOf', identityRoles: [`@${identity}`] };
    let router = '';
    let routerPolicy = '';
    let servicePolicy = '';
    const routersOf = ({ commonRouters }: Advice) => commonRouters.map((each) => each.name);
    const changes: readonly (readonly [
      what: string,
      change: () => Promise<unknown>,
      isSeen: (now: Advice) => boolean,
    ])[] = [
      [
        'a service policy',
        async () =>
          (servicePolicy = await post('service-policies', {
            ...roles,
            name,
            type: 'Dial',
            serviceRoles: [`@${service}`],
          })),
        ({ isDialAllowed }) => isDialAllowed === true,
      ],
      [
        'a router policy',
        async () => (routerPolicy = await post('edge-router-policies', { ...roles, name, edgeRouterRoles: ['#all'] })),
        () => true,
      ],
      [
        'a service router policy',
        () =>
          post('service-edge-router-policies', {
            name,
            semantic: 'AnyOf',
            serviceRoles: [`@${service}`],
            edgeRouterRoles: [`#${name}`],
          }),
        (now) => routersOf(now).length === 0,
      ],
      [
        'a router',
        async () => (router = await post('edge-routers', { name, roleAttributes: [name] })),
        (now) => routersOf(now).includes(name),
      ],
      [
        'a renamed router',
        () => patch(`edge-routers/${router}`, { name: `${name}-r` }),
        (now) => routersOf(now).includes(`${name}-r`),
      ],
      [
        'a router without its attribute',
        () => patch(`edge-routers/${router}`, { roleAttributes: [] }),
        (now) => routersOf(now).length === 0,
      ],
      [
        'a router with its attribute again',
        () => patch(`edge-routers/${router}`, { roleAttributes: [name] }),
        (now) => routersOf(now).length === 1,
      ],
      ['no router', () => remove(`edge-routers/${router}`), (now) => routersOf(now).length === 0],
      ['no router policy', () => remove(`edge-router-policies/${routerPolicy}`), () => true],
      [
        'a renamed identity',
        () => patch(`identities/${identity}`, { name: `${name}-i` }),
        (now) => now.identity.name === `${name}-i`,
      ],
      [
        'a renamed service',
        () => patch(`services/${service}`, { name: `${name}-s` }),
        (now) => now.service.name === `${name}-s`,
      ],
      [
        'no service policy',
        () => remove(`service-policies/${servicePolicy}`),
        ({ isDialAllowed }) => isDialAllowed !== true,
      ],
    ];
    for (const [what, change, isSeen] of changes) {
      await read(admin);
      await read(onTwo);
      await change();
      expect(isSeen(await read(admin)), `${what}, here`).to.equal(true);
      await until(`${what}, on another controller`, async () => isSeen(await read(onTwo)), HEARD_MS);
    }
    await remove(`identities/${identity}`);
    expectStatus(await admin.get(path), 404);
    await until('the end of the identity', async () => (await onTwo.get(path)).status === 404, HEARD_MS);
  });

  it('costs no statement while nothing changes', async () => {
    const name = unique('advised');
    const identity = await post('identities', { name, type: 'User', isAdmin: false });
    const service = await post('services', { name, encryptionRequired: false });
    const path = `${M}/identities/${identity}/policy-advice/${service}`;
    const sent = recordStatements(/edge_router_policies|model_epochs/);
    try {
      for (let round = 0; round < 200; round += 1) expectStatus(await admin.get(path), 200);
      // What was announced of the entities above may still be heard, and the epoch is read again every five seconds.
      expect(sent.texts, sent.texts.join('\n\n')).to.have.length.at.most(20);
    } finally {
      sent.stop();
    }
  });

  it('is for administrators, whoever asked before', async () => {
    const name = unique('advised');
    const identity = await post('identities', { name, type: 'User', isAdmin: false });
    const service = await post('services', { name, encryptionRequired: false });
    const path = `${M}/identities/${identity}/policy-advice/${service}`;
    expectStatus(await admin.get(path), 200);
    const anonymous = createClient(one.url);
    expectStatus(await anonymous.get(path), 401);
    anonymous.close();
  });
});
