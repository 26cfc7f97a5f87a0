/**
 * Tokens and JWTs of outstanding enrollments are shown to those who may make such enrollments; whoever may only read
 * sees that there is one.
 */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { ENROLLING } from '../../domain/auth/rights.js';
import type { Client } from '../support/client.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, itemsOf, make } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { makeIdentity, makeRouter } from '../support/make.js';
import { CLIENT, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD } from '../support/users.js';

type Kind = keyof typeof ENROLLING;

/** Every read that shows an outstanding enrollment; `{id}` is the id of its identity or router. */
const READS: readonly (readonly [kind: Kind, path: string])[] = [
  ['identity', '/identities/{id}'],
  ['identity', '/identities?filter=id="{id}"'],
  ['identity', '/identities/{id}/enrollments'],
  ['identity', '/enrollments?filter=identity="{id}"'],
  ['identity', '/enrollments/{enrollment}'],
  ['router', '/edge-routers/{id}'],
  ['router', '/edge-routers?filter=id="{id}"'],
  ['router', '/routers/{id}'],
  ['router', '/routers?filter=id="{id}"'],
  ['router', '/enrollments?filter=edgeRouter="{id}"'],
  ['router', '/enrollments/{enrollment}'],
];

interface Outstanding {
  readonly id: string;
  readonly enrollment: string;
  readonly token: string;
}

describe('tokens of outstanding enrollments', () => {
  let controller: TestController;
  let outstanding: Readonly<Record<Kind | 'transit', Outstanding>>;
  before(async () => {
    controller = await startTestController();
    const body = { enrollment: { ott: true } };
    outstanding = {
      identity: await outstandingOf(await makeIdentity(controller, body), 'identity'),
      router: await outstandingOf(await makeRouter(controller, { name: unique('edge') }), 'edgeRouter'),
      transit: await outstandingOf(await make(controller, 'transit-routers', { name: unique('hop') }), 'transitRouter'),
    };
  });
  after(async () => {
    await controller.stop();
  });

  const asked = (path: string) => {
    const [bare = '', query] = path.split('?filter=');
    return query === undefined ? `${M}${bare}` : `${M}${bare}?filter=${encodeURIComponent(query)}`;
  };
  const outstandingOf = async (id: string, symbol: string): Promise<Outstanding> => {
    const answer = expectStatus(await controller.admin.get(asked(`/enrollments?filter=${symbol}="${id}"`)), 200);
    const [found] = itemsOf(answer);
    return { id, enrollment: found?.id ?? '', token: String(found?.['token']) };
  };
  const pathOf = (kind: Kind | 'transit', path: string) =>
    asked(path.replace('{id}', outstanding[kind].id).replace('{enrollment}', outstanding[kind].enrollment));
  const delegate = async (permissions: readonly string[]): Promise<Client> =>
    (await controller.newCaller({ permissions, at: M })).client;
  /** Whether the answer has the token, after it was seen to have the enrollment in either case. */
  const shows = async (client: Client, kind: Kind, path: string): Promise<boolean> => {
    const { text, data } = expectStatus(await client.get(pathOf(kind, path)), 200);
    const item = (Array.isArray(data) ? data[0] : data) as Entity | undefined;
    const isRouter = path.startsWith('/edge-routers') || path.startsWith('/routers');
    const summaries = item?.['enrollment'] as { ott?: Record<string, unknown> } | undefined;
    const shown = (path.startsWith('/identities') && !path.endsWith('/enrollments') ? summaries?.ott : item) ?? {};
    const [jwt, token, expiresAt] = isRouter
      ? [shown['enrollmentJwt'], shown['enrollmentToken'], shown['enrollmentExpiresAt']]
      : [shown['jwt'], shown['token'], shown['expiresAt']];
    expect(expiresAt, `${path} lists the enrollment`).to.be.a('string');
    const isShown = text.includes(outstanding[kind].token);
    if (isShown) expect([token, String(jwt).split('.').length], path).to.deep.equal([outstanding[kind].token, 3]);
    else expect([jwt, token], path).to.deep.equal([undefined, isRouter ? undefined : '']);
    return isShown;
  };
  const READERS = ['identity.read', 'router.read', 'enrollment.read', 'admin_readonly'];

  it('are hidden from those who may only read, in every read', async () => {
    for (const permissions of [['admin_readonly'], ['identity.read', 'router.read', 'enrollment.read']]) {
      const client = await delegate(permissions);
      for (const [kind, path] of READS)
        if (!path.endsWith('/enrollments') || permissions[0] === 'admin_readonly')
          expect(await shows(client, kind, path), `${permissions.join()} ${path}`).to.equal(false);
    }
  });

  it('are hidden from those who may change, delete or make something else', async () => {
    const permissions = [
      'admin_readonly',
      ...['identity.update', 'identity.delete', 'router.delete', 'enrollment.delete', 'ca', 'auth-policy', 'config'],
    ];
    const client = await delegate(permissions);
    for (const [kind, path] of READS) expect(await shows(client, kind, path), path).to.equal(false);
  });

  for (const kind of ['identity', 'router'] as const)
    for (const permission of ENROLLING[kind])
      it(`of one kind alone are shown with ${permission}: ${kind}`, async () => {
        const client = await delegate([...READERS, permission]);
        for (const [of, path] of READS) expect(await shows(client, of, path), path).to.equal(of === kind);
      });

  it('are shown to administrators', async () => {
    for (const [kind, path] of READS) expect(await shows(controller.admin, kind, path), path).to.equal(true);
  });

  it('of transit routers are hidden and shown as those of edge routers', async () => {
    const [reader, maker] = [await delegate(['router.read']), await delegate(['router.read', 'router.create'])];
    for (const path of ['/transit-routers/{id}', '/routers?filter=id="{id}"']) {
      const { token } = outstanding.transit;
      expect(expectStatus(await reader.get(pathOf('transit', path)), 200).text, path).not.to.include(token);
      expect(expectStatus(await maker.get(pathOf('transit', path)), 200).text, path).to.include(token);
    }
  });

  it('are what the operations that make them ask for, by the documents', () => {
    const { createIdentity, createEnrollment, refreshEnrollment } = operations.management;
    const { createEdgeRouter, reEnrollEdgeRouter, createTransitRouter, createRouter } = operations.management;
    const alone = (...made: readonly { readonly grantedBy: readonly string[] }[]) =>
      [...new Set(made.flatMap(({ grantedBy }) => grantedBy.filter((each) => each.includes('.'))))].sort();
    expect(alone(createIdentity, createEnrollment, refreshEnrollment)).to.deep.equal([...ENROLLING.identity].sort());
    expect(alone(createEdgeRouter, reEnrollEdgeRouter, createTransitRouter, createRouter)).to.deep.equal([
      ...ENROLLING.router,
    ]);
  });

  it('are found by a filter only where they are shown', async () => {
    const counts = async (client: Client) =>
      Promise.all(
        (['identity', 'router', 'transit'] as const).map(async (kind) => {
          const count = async (filter: string) =>
            itemsOf(expectStatus(await client.get(asked(`/enrollments?filter=${filter}`)), 200)).length;
          const { token, id } = outstanding[kind];
          const symbol = { identity: 'identity', router: 'edgeRouter', transit: 'transitRouter' }[kind];
          const other = '00000000-0000-4000-8000-000000000000';
          const found = await count(`token = "${token}"`);
          expect(await count(`token in ["${token}","${other}"]`)).to.equal(found);
          // What it finds beside says the same of a right guess and of a wrong one.
          const missed = [token, other].map((guess) => count(`${symbol} = "${id}" and token != "${guess}"`));
          const [right, wrong] = await Promise.all(missed);
          expect(right === wrong, 'a guess tells nothing').to.equal(found === 0);
          return found;
        }),
      );
    expect(await counts(await delegate(['enrollment.read']))).to.deep.equal([0, 0, 0]);
    expect(await counts(await delegate(['enrollment.read', 'identity.create']))).to.deep.equal([1, 0, 0]);
    expect(await counts(await delegate(['enrollment.read', 'router.update']))).to.deep.equal([0, 1, 1]);
    expect(await counts(controller.admin)).to.deep.equal([1, 1, 1]);
  });

  it('do not come in kept texts of lists from those who may see them', async () => {
    const [maker, reader] = [await delegate(['identity']), await delegate(['identity.read'])];
    const path = '/identities?filter=id="{id}"';
    for (let round = 0; round < 4; round += 1) {
      expect(await shows(maker, 'identity', path)).to.equal(true);
      expect(await shows(reader, 'identity', path)).to.equal(false);
    }
  });

  it('are not in what an identity reads of itself with a client session, also as administrator', async () => {
    const caller = await controller.newCaller({ isAdmin: true });
    const expiresAt = '2099-01-01T00:00:00Z';
    const id = await make(controller, 'enrollments', { identityId: caller.id, method: 'ott', expiresAt });
    const { token } = entityOf(expectStatus(await controller.admin.get(`${M}/enrollments/${id}`), 200));
    for (const root of [CLIENT, M]) {
      const { text, data } = expectStatus(await caller.client.get(`${root}/current-identity`), 200);
      expect(text).not.to.include(String(token));
      expect((data as { enrollment: { ott: object } }).enrollment.ott).to.include({ id, token: '' });
    }
    const managing = await controller.loginAt(M, caller.username, PASSWORD);
    expect(expectStatus(await managing.get(`${M}/current-identity`), 200).text).to.include(String(token));
    const plain = await controller.newCaller();
    await make(controller, 'enrollments', { identityId: plain.id, method: 'ott', expiresAt });
    const own = expectStatus(await plain.client.get(`${CLIENT}/current-identity`), 200);
    expect((own.data as { enrollment: { ott: object } }).enrollment.ott).to.include({ token: '' });
  });
});
