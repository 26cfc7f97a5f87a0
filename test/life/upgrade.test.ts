/**
 * An upgrade one controller after the other: the release before and this one on one database, under light load. What
 * each writes the other reads, no request fails, and no change is lost (docs/operations/upgrades.md).
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { builtinConfigTypes } from '../../domain/config/builtin-types.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { makeCa } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { describeUnless } from '../support/unless.js';
import { buildRelease, findReleaseBefore } from './release-before.js';

const before_ = findReleaseBefore();
const NO_RELEASE =
  before_ === undefined ? 'this clone has neither a tag v* before HEAD nor the end of 0.1.0' : undefined;

/** Rounds of each of four writers: some hundred requests to each controller. */
const ROUNDS = 12;
const WRITERS = 4;

interface Named {
  readonly id: string;
  readonly name: string;
}

interface EmptyTexts {
  /** Paths of entities with an empty text in a list, and the member that has the list. */
  readonly cleaned: readonly (readonly [path: string, member: string])[];
  /** Those of what is no use with its empty text. */
  readonly removed: readonly string[];
}

let names = 0;

/** Entities with empty texts that this release takes in no request. */
async function makeEmptyTexts(client: Client): Promise<EmptyTexts> {
  const make = async (collection: string, body: object): Promise<string> => {
    const made = await client.post(`${MANAGEMENT}/${collection}`, { name: `with-empty-${(names += 1)}`, ...body });
    return `${MANAGEMENT}/${collection}/${(expectStatus(made, 201).data as Named).id}`;
  };
  const roleAttributes = ['a', ''];
  const service = await make('services', { encryptionRequired: true, roleAttributes });
  const router = await make('edge-routers', { roleAttributes });
  const idOf = (path: string) => path.split('/').at(-1);
  const terminator = { service: idOf(service), router: idOf(router), binding: 'transport', address: 'tcp:host:1' };
  return {
    cleaned: [
      [service, 'roleAttributes'],
      [router, 'roleAttributes'],
      [await make('identities', { type: 'User', isAdmin: false, roleAttributes }), 'roleAttributes'],
      [await make('posture-checks', { typeId: 'DOMAIN', domains: ['d.example'], roleAttributes }), 'roleAttributes'],
      [
        await make('cas', {
          certPem: makeCa().pem,
          isAuthEnabled: true,
          isAutoCaEnrollmentEnabled: true,
          isOttCaEnrollmentEnabled: true,
          identityRoles: roleAttributes,
        }),
        'identityRoles',
      ],
      [
        await make('external-jwt-signers', {
          issuer: `https://issuer-${names}.example`,
          audience: 'a',
          enabled: true,
          jwksEndpoint: 'https://keys.example.org/jwks',
          scopes: ['', 'a'],
        }),
        'scopes',
      ],
    ],
    removed: [
      await make('terminators', { ...terminator, address: '' }),
      await make('terminators', { ...terminator, binding: '' }),
    ],
  };
}

describeUnless(NO_RELEASE, `an upgrade beside ${before_?.name ?? 'the release before'}`, function upgrade() {
  this.timeout(300_000);
  const shop = new ProcessShop();
  const masterKey = newMasterKey();
  let database: TestDatabase;
  let older: ControllerProcess;
  let newer: ControllerProcess;
  let emptyTexts: EmptyTexts;
  /** Of the older, and of the newer one. */
  let clients: readonly [Client, Client];

  const start = (name: string, program: { main?: string } = {}) =>
    shop.start(join(shop.place(), 'data'), {
      ...program,
      env: {
        DATABASE_URL: database.url,
        EDGE_NAME: name,
        EDGE_MASTER_KEY: masterKey,
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_DATABASE_POOL_SIZE: '6',
      },
    });
  const failures: string[] = [];
  /** Notes what is a fault of a controller, whatever the test makes of the answer. */
  const ask = async (client: Client, method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await client.send(method, path, body);
    if (answer.status >= 500) failures.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  };

  before(async () => {
    database = await openTestDatabase({ isEmpty: true });
    const main = await buildRelease(before_ as NonNullable<typeof before_>, join(shop.place(), 'release'));
    // The network was made, and used, by the release before.
    older = start('older', { main });
    const olderUrl = await older.ready();
    const client = await shop.login(olderUrl);
    expectStatus(
      await client.post(`${MANAGEMENT}/identities`, { name: 'from-before', type: 'User', isAdmin: false }),
      201,
    );
    emptyTexts = await makeEmptyTexts(client);
    newer = start('newer');
    const newerUrl = await newer.ready();
    clients = [client, await shop.login(newerUrl)];
  });
  after(async () => {
    await shop.end();
    await database.close();
  });

  it('has a session of each work at the other, but for administration with one that the older opened', async () => {
    const [atOlder, atNewer] = clients;
    const [olderUrl, newerUrl] = [await older.ready(), await newer.ready()];
    const own = (url: string, { token }: Client, base: string) =>
      shop.client(url, token).get(`${base}/current-identity`);
    expectStatus(await own(olderUrl, atNewer, MANAGEMENT), 200);
    expectStatus(await own(newerUrl, atOlder, CLIENT), 200);
    // The older tells routers of every session.
    expectStatus(await own(newerUrl, atOlder, MANAGEMENT), 401);
    const found = await atNewer.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent('name="from-before"')}`);
    expect((found.data as Named[]).map(({ name }) => name)).to.deep.equal(['from-before']);
  });

  it('has no empty text where this release takes none, and shows what the older one still stores', async () => {
    for (const [path, member] of emptyTexts.cleaned) {
      const shown = expectStatus(await ask(clients[1], 'GET', path), 200).data as Record<string, unknown>;
      expect(shown[member], path).to.deep.equal(['a']);
    }
    for (const path of emptyTexts.removed) expectStatus(await ask(clients[1], 'GET', path), 404);
    const { cleaned } = await makeEmptyTexts(clients[0]);
    for (const [path, member] of cleaned) {
      const shown = expectStatus(await ask(clients[1], 'GET', path), 200).data as Record<string, unknown>;
      expect(shown[member], path).to.deep.equal(['', 'a']);
      expectStatus(await ask(clients[1], 'PATCH', path, { typeId: shown['typeId'], [member]: ['a'] }), 200);
    }
    expect(failures).to.deep.equal([]);
  });

  it('brings the config types of every network to what they are in this release', async () => {
    const path = `${MANAGEMENT}/config-types?limit=100`;
    const types = expectStatus(await ask(clients[1], 'GET', path), 200).data as (Named & { schema: object })[];
    const schemas = new Map(types.map(({ id, schema }) => [id, schema]));
    for (const { id, schema } of builtinConfigTypes) expect(schemas.get(id), id).to.deep.equal(schema);
  });

  it('has each read, change and delete what the other wrote, under load, and loses nothing', async () => {
    const kept: Named[] = [];
    const removed: string[] = [];
    const work = async (writer: number) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [writes, reads] = (writer + round) % 2 === 0 ? clients : ([clients[1], clients[0]] as const);
        const name = `service-${writer}-${round}`;
        const made = expectStatus(
          await ask(writes, 'POST', `${MANAGEMENT}/services`, {
            name,
            encryptionRequired: true,
            roleAttributes: ['a'],
          }),
          201,
        );
        const { id } = made.data as Named;
        const path = `${MANAGEMENT}/services/${id}`;
        expect((expectStatus(await ask(reads, 'GET', path), 200).data as Named).name).to.equal(name);
        expectStatus(await ask(reads, 'PATCH', path, { name: `${name}-b`, roleAttributes: ['b'] }), 200);
        const seen = expectStatus(await ask(writes, 'GET', path), 200).data as Named & { roleAttributes: string[] };
        expect(seen).to.deep.include({ name: `${name}-b`, roleAttributes: ['b'] });
        if (round % 3 === 0) {
          expectStatus(await ask(reads, 'DELETE', path), 200);
          expectStatus(await ask(writes, 'GET', path), 404);
          removed.push(id);
        } else kept.push({ id, name: `${name}-b` });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
    for (const client of clients) {
      const list = expectStatus(await ask(client, 'GET', `${MANAGEMENT}/services?limit=500`), 200).data as Named[];
      const names = new Map(list.map(({ id, name }) => [id, name]));
      for (const { id, name } of kept) expect(names.get(id)).to.equal(name);
      expect(removed.filter((id) => names.has(id))).to.deep.equal([]);
    }
    expect(failures).to.deep.equal([]);
  });

  it('has each see what the other allows, and takes away', async () => {
    const [atOlder, atNewer] = clients;
    for (const [one, other] of [
      [atOlder, atNewer],
      [atNewer, atOlder],
    ] as const) {
      const name = `person-${one === atOlder ? 'older' : 'newer'}`;
      const { id } = expectStatus(
        await ask(one, 'POST', `${MANAGEMENT}/identities`, {
          name,
          type: 'User',
          isAdmin: false,
          roleAttributes: [name],
        }),
        201,
      ).data as Named;
      const credentials = { username: name, password: 'a pass word' };
      expectStatus(
        await ask(one, 'POST', `${MANAGEMENT}/authenticators`, { identityId: id, method: 'updb', ...credentials }),
        201,
      );
      const policy = expectStatus(
        await ask(other, 'POST', `${MANAGEMENT}/service-policies`, {
          name,
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: [`#${name}`],
          serviceRoles: ['#b'],
        }),
        201,
      ).data as Named;
      const url = one === atOlder ? await newer.ready() : await older.ready();
      const login = expectStatus(
        await shop.client(url).post(`${CLIENT}/authenticate?method=password`, credentials),
        200,
      );
      const there = shop.client(url, (login.data as { token: string }).token);
      const services = async () =>
        (expectStatus(await ask(there, 'GET', `${CLIENT}/services`), 200).data as Named[]).length;
      await until('the services are there', async () => (await services()) > 0);
      expectStatus(await ask(one, 'DELETE', `${MANAGEMENT}/service-policies/${policy.id}`), 200);
      await until('the services are gone', async () => (await services()) === 0);
      expectStatus(await ask(one, 'DELETE', `${MANAGEMENT}/identities/${id}`), 200);
      await until(
        'the session has ended',
        async () => (await ask(there, 'GET', `${CLIENT}/current-identity`)).status === 401,
      );
    }
    expect(failures).to.deep.equal([]);
  });

  it('ends without a line of an error in the log of either', async () => {
    expect(await older.stop()).to.deep.equal({ code: 0, signal: null });
    expectStatus(await clients[1].get(`${MANAGEMENT}/services?limit=1`), 200);
    expect(await newer.stop()).to.deep.equal({ code: 0, signal: null });
    for (const controller of [older, newer])
      expect(controller.log().filter(({ level }) => level === 'error' || level === 'warn')).to.deep.equal([]);
  });
});
