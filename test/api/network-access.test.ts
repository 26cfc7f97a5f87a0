/**
 * The picture of who reaches what against the explanation of every pair, in random networks: by identity, by service,
 * by group, by policy, and as those see it who may read less.
 */
import { expect } from 'chai';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { explainView } from '../../db/stores/explain-view.js';
import { postureOf } from '../../db/stores/postures.js';
import { explainAccess } from '../../domain/explain/explain.js';
import type { ChainStep } from '../../domain/explain/explanation.js';
import type { PolicyType } from '../../domain/model.js';
import { selects } from '../../domain/policy/roles.js';
import { judge } from '../../domain/policy/access.js';
import { NOTHING_KNOWN } from '../../domain/posture/state.js';
import type * as Response from '../../generated/management/response.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { totalOf } from '../support/entities.js';
import { openHost } from '../support/explain-scene.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { seedOfRun } from '../support/random.js';
import { addRandomNetwork } from '../support/random-network.js';

interface Entity {
  readonly id: string;
  readonly name: string;
  readonly roleAttributes: string[];
}

/** One pair, as its explanation has it: what each of its policies gives, and all of them together. */
interface Pair {
  readonly outcome: string;
  readonly byPolicy: ReadonlyMap<string, string>;
}

const IGNORED: readonly ChainStep[] = ['login', 'authPolicy'];

describe('who reaches what', function reaching() {
  this.timeout(600_000);
  const seed = seedOfRun();
  let controller: TestController;
  let database: Database;
  let identities: Entity[];
  let services: Entity[];
  let readyAt: Date;
  const pairs = new Map<string, Pair>();

  const entities = async (table: string) =>
    (
      await controller.database.query(
        `SELECT id, name, role_attributes AS "roleAttributes" FROM ${table} ORDER BY name`,
      )
    ).rows as unknown as Entity[];
  const pairOf = (type: PolicyType, identity: string, service: string) => pairs.get(`${type} ${identity} ${service}`);

  before(async () => {
    controller = await startTestController();
    await openHost(controller);
    for (let n = 0; n < 3; n += 1) await addRandomNetwork(controller, seed + n);
    database = openDatabase({ connection: controller.database.connection, poolSize: 2, patienceMs: 5_000 });
    identities = await entities('identities');
    services = await entities('services');
    for (const type of ['Dial', 'Bind'] as const)
      for (const identity of identities)
        for (const service of services) await explainPair(type, identity.id, service.id);
    readyAt = new Date();
  });
  after(async () => {
    await database.close();
    await controller.stop();
  });

  async function explainPair(type: PolicyType, identityId: string, serviceId: string): Promise<void> {
    const found = await explainView(database).on({ identityId, serviceId, type, routerId: null, apiSessionId: null });
    if (!('facts' in found)) throw new Error(`${found.missing} is missing`);
    const { facts } = found;
    if (facts.granting.length === 0) return;
    const stops = explainAccess(facts).links.filter(({ state, step }) => state === 'stops' && !IGNORED.includes(step));
    const [first] = stops;
    const [after] = stops.filter(({ step }) => step !== 'posture');
    const isKnown = facts.login !== null && !facts.login.isJudgedElsewhere;
    // An explanation does not read it where some policy asks for nothing.
    const posture = facts.login === null ? undefined : await postureOf(database, facts.login.id);
    const byPolicy = new Map(
      facts.granting.map(({ id, checks }) => {
        const fails = isKnown && !judge(checks, posture?.state ?? NOTHING_KNOWN, facts.now).isPassing;
        const cause = after?.cause === 'IDENTITY_DISABLED' ? after.cause : fails ? 'POSTURE' : after?.cause;
        return [id, cause ?? 'allowed'];
      }),
    );
    pairs.set(`${type} ${identityId} ${serviceId}`, { outcome: first?.cause ?? 'allowed', byPolicy });
  }

  async function asked<T extends { readonly asOf: string }>(
    path: string,
    client: Client = controller.admin,
  ): Promise<T> {
    return until(
      'the picture is of now',
      async () => {
        const data = expectStatus(await client.get(`${M}/network/access${path}`), 200).data as T;
        return new Date(data.asOf) > readyAt ? data : undefined;
      },
      10_000,
    );
  }
  const picture = (query: string, client?: Client) => asked<Response.NetworkAccess>(`?nodes=200&${query}`, client);
  /** What was read for a picture of now is good for lists. */
  const listed = async (path: string) => {
    const response = await controller.admin.get(`${M}/network/access${path}`);
    return { items: response.data as Response.NetworkAccessReached[], totalCount: totalOf(response) };
  };

  const tallyOf = (outcomes: readonly string[]) => {
    const causes = new Map<string, number>();
    for (const outcome of outcomes) causes.set(outcome, (causes.get(outcome) ?? 0) + 1);
    return Object.fromEntries(causes);
  };
  const tallyIn = (counts: Response.NetworkAccessCounts | undefined) =>
    counts && {
      ...(counts.allowed > 0 ? { allowed: counts.allowed } : {}),
      ...Object.fromEntries(counts.causes.map(({ cause, pairs: count }) => [cause, count])),
    };
  const membersOf = (all: readonly Entity[], { roles }: Response.NetworkAccessGroup) =>
    all.filter((entity) => selects('AllOf', roles, entity));

  function expectExact(shown: Response.NetworkAccess, whom: readonly Entity[], what: readonly Entity[]): void {
    const { type } = shown;
    if (type === 'Invalid') throw new Error('no type');
    expect(Object.values(shown.leftOut), 'all is shown').to.deep.equal([0, 0, 0, 0, 0, 0]);
    const from = new Map(shown.identities.map((group) => [group.key, membersOf(whom, group)]));
    const to = new Map(shown.services.map((group) => [group.key, membersOf(what, group)]));
    for (const group of shown.identities) expect(group.entities).to.equal(from.get(group.key)?.length);
    for (const group of shown.services) expect(group.entities).to.equal(to.get(group.key)?.length);
    const outcomes = (some: readonly Entity[], others: readonly Entity[], policyId?: string) =>
      some.flatMap(({ id }) =>
        others.flatMap((service) => {
          const pair = pairOf(type, id, service.id);
          return (policyId === undefined ? pair?.outcome : pair?.byPolicy.get(policyId)) ?? [];
        }),
      );
    for (const { identities: left, services: right, counts } of shown.reaches)
      expect(tallyIn(counts), `${left} to ${right}`).to.deep.equal(
        tallyOf(outcomes(from.get(left) ?? [], to.get(right) ?? [])),
      );
    for (const { group, policyId, counts } of shown.identityEdges)
      expect(tallyIn(counts), `${group} by ${policyId}`).to.deep.equal(
        tallyOf(outcomes(from.get(group) ?? [], what, policyId)),
      );
    for (const { group, policyId, counts } of shown.serviceEdges)
      expect(tallyIn(counts), `${policyId} to ${group}`).to.deep.equal(
        tallyOf(outcomes(whom, to.get(group) ?? [], policyId)),
      );
    for (const { id, counts } of shown.policies)
      expect(tallyIn(counts), id).to.deep.equal(tallyOf(outcomes(whom, what, id)));
    const shownPairs = new Set(
      shown.reaches.flatMap(({ identities: left, services: right }) =>
        (from.get(left) ?? []).flatMap(({ id }) => (to.get(right) ?? []).map((service) => `${id} ${service.id}`)),
      ),
    );
    const granted = whom.flatMap(({ id }) =>
      what.filter((service) => pairOf(type, id, service.id) !== undefined).map((service) => `${id} ${service.id}`),
    );
    expect(
      granted.filter((pair) => !shownPairs.has(pair)),
      'pairs that the picture lacks',
    ).to.deep.equal([]);
  }

  for (const type of ['Dial', 'Bind'] as const) {
    it(`of type ${type} equals the explanation of every pair, by groups of the whole network`, async () => {
      expect(
        [...pairs.keys()].filter((key) => key.startsWith(type)),
        `seed ${seed}`,
      ).to.not.be.empty;
      expectExact(await picture(`type=${type}`), identities, services);
    });

    it(`of type ${type} equals it for each identity, with the services in a list`, async () => {
      for (const identity of identities) {
        expectExact(await picture(`type=${type}&identityId=${identity.id}`), [identity], services);
        const list = await listed(`/services?type=${type}&identityId=${identity.id}&limit=500`);
        const expected = services.flatMap(({ id }) => {
          const outcome = pairOf(type, identity.id, id)?.outcome;
          return outcome === undefined ? [] : `${id} ${outcome}`;
        });
        expect(list.items.map(({ id, cause }) => `${id} ${cause ?? 'allowed'}`)).to.have.members(expected);
        expect(list.totalCount).to.equal(expected.length);
      }
    });

    it(`of type ${type} equals it for each service, with the identities in a list`, async () => {
      for (const service of services) {
        expectExact(await picture(`type=${type}&serviceId=${service.id}`), identities, [service]);
        const list = await listed(`/identities?type=${type}&serviceId=${service.id}&limit=500`);
        const expected = identities.flatMap(({ id }) => {
          const outcome = pairOf(type, id, service.id)?.outcome;
          return outcome === undefined ? [] : `${id} ${outcome}`;
        });
        expect(list.items.map(({ id, cause }) => `${id} ${cause ?? 'allowed'}`)).to.have.members(expected);
      }
    });
  }

  it('equals it for the identities with a role attribute', async () => {
    for (const word of ['red', 'green', 'blue'])
      expectExact(
        await picture(`role=${word}`),
        identities.filter(({ roleAttributes }) => roleAttributes.includes(word)),
        services,
      );
  });

  it('shows one policy as if there were no other', async () => {
    const { policies } = await picture('');
    for (const { id, counts } of policies) {
      const alone = await picture(`policyId=${id}`);
      expect(alone.policies.map((policy) => policy.id)).to.deep.equal([id]);
      expect(tallyIn(alone.policies[0]?.counts)).to.deep.equal(tallyIn(counts));
    }
  });

  it('pages its lists, and narrows them by state and by roles', async () => {
    const busiest = [...services].sort((a, b) => dialersOf(b).length - dialersOf(a).length)[0];
    if (busiest === undefined) throw new Error('no services');
    const all = dialersOf(busiest);
    await picture('');
    const list = (query: string) => listed(`/identities?serviceId=${busiest.id}&sort=name&${query}`);
    const paged = [];
    for (let offset = 0; offset < all.length + 3; offset += 3) {
      const page = await list(`limit=3&offset=${offset}`);
      expect(page.totalCount).to.equal(all.length);
      paged.push(...page.items.map(({ id }) => id));
    }
    expect(paged).to.deep.equal(all.map(({ id }) => id));
    const states = (await list('limit=500')).items;
    for (const state of ['allowed', 'disabled', 'posture', 'unreachable'] as const) {
      const expected = states.filter((item) => item.state === state).map(({ id }) => id);
      const page = await list(`state=${state}&limit=500`);
      expect(page.items.map(({ id }) => id)).to.deep.equal(expected);
      expect(page.totalCount).to.equal(expected.length);
    }
    const blocked = states.filter(({ state }) => state !== 'allowed');
    expect((await list('state=blocked&limit=-1')).items).to.have.length(blocked.length);
    const red = await list(`roles=${encodeURIComponent('#red')}&limit=500`);
    expect(red.items.map(({ id }) => id)).to.have.members(
      all.filter(({ roleAttributes }) => roleAttributes.includes('red')).map(({ id }) => id),
    );
  });
  it('filters and sorts its lists as those of identities and services, also what is narrowed by state', async () => {
    const [service, identity] = [services[0], identities.find(({ id }) => pairs.has(`Dial ${id} ${services[0]?.id}`))];
    if (service === undefined || identity === undefined) throw new Error('no pair');
    await picture('');
    const name = encodeURIComponent(`name = "${identity.name}"`);
    const own = await listed(`/identities?serviceId=${service.id}&filter=${name}`);
    expect(own.items.map(({ id }) => id)).to.deep.equal([identity.id]);
    const state = own.items[0]?.state ?? '';
    expect(await listed(`/identities?serviceId=${service.id}&filter=${name}&state=${state}`)).to.deep.equal(own);
    const names = (await listed(`/services?identityId=${identity.id}&limit=-1&sort=name%20desc`)).items.map(
      (item) => item.name,
    );
    expect(names).to.deep.equal([...names].sort().reverse());
    const words = encodeURIComponent(`name = "${names[0] ?? ''}"`);
    expect((await listed(`/services?identityId=${identity.id}&filter=${words}`)).totalCount).to.equal(1);
    expectStatus(await controller.admin.get(`${M}/network/access/services?identityId=${identity.id}&sort=x`), 400);
  });

  const dialersOf = (service: Entity) => identities.filter(({ id }) => pairOf('Dial', id, service.id) !== undefined);

  it('bounds its columns and counts what it leaves out', async () => {
    const whole = await picture('');
    const some = await asked<Response.NetworkAccess>('?nodes=2');
    expect(some.policies).to.have.length(2);
    expect(some.policies.length + some.leftOut.policies).to.equal(whole.policies.length);
    expect(some.identities.length).to.be.at.most(2);
    expect(some.services.length).to.be.at.most(2);
    const keys = new Set([...some.identities, ...some.services].map(({ key }) => key));
    for (const { group } of [...some.identityEdges, ...some.serviceEdges]) expect(keys.has(group)).to.equal(true);
  });

  it('finds what a text names, and what is blocked', async () => {
    const whole = await picture('');
    const [policy] = whole.policies;
    if (policy === undefined) throw new Error('no policies');
    const found = await picture(`q=${policy.name.toUpperCase()}`);
    expect(found.policies.map(({ name }) => name)).to.include(policy.name);
    expect((await picture('q=no-such-name')).policies).to.deep.equal([]);
    const blocked = await picture('state=blocked');
    for (const { state } of blocked.identityEdges) expect(state).to.not.be.oneOf(['allowed', 'empty', 'unknown']);
    for (const { counts } of blocked.reaches) expect(counts?.causes).to.not.deep.equal([]);
  });

  it('answers 404 for what is not there, and 400 for two kinds of identities', async () => {
    for (const query of ['identityId=none', 'serviceId=none', 'policyId=none'])
      expectStatus(await controller.admin.get(`${M}/network/access?${query}`), 404);
    expectStatus(await controller.admin.get(`${M}/network/access/identities?serviceId=none`), 404);
    expectStatus(await controller.admin.get(`${M}/network/access/services?identityId=none`), 404);
    expectStatus(await controller.admin.get(`${M}/network/access?identityId=none&role=red`), 400);
  });

  it('leaks no name and no number to who may read policies alone', async () => {
    const { client } = await controller.newCaller({ permissions: ['service-policy.read'], at: M });
    const shown = await picture('', client);
    expect(shown.hidden).to.deep.equal(['identities', 'services', 'posture', 'routers', 'terminators', 'path']);
    const text = JSON.stringify({ ...shown, policies: [] });
    for (const { id } of [...identities, ...services]) expect(text).to.not.include(id);
    for (const key of ['"entities"', '"counts"', '"name"']) expect(text).to.not.include(key);
    expect(JSON.stringify(shown.policies)).to.not.match(/"(counts|identities|services|postureChecks)"/);
    for (const { state } of [...shown.policies, ...shown.reaches]) expect(state).to.equal('unknown');
    expect(shown.policies.map(({ name }) => name)).to.deep.equal(shown.policies.map(({ name }) => name).sort());
    const [identity, service] = [identities[0]?.id ?? '', services[0]?.id ?? ''];
    for (const query of [`identityId=${identity}`, 'role=red', `serviceId=${service}`])
      expectStatus(await client.get(`${M}/network/access?${query}`), 404);
    expect((await picture(`q=${identity}`, client)).policies, 'no search in names').to.deep.equal([]);
    expectStatus(await client.get(`${M}/network/access/services?identityId=${identity}`), 401);
    expectStatus(await client.get(`${M}/network/access/identities?serviceId=${service}`), 401);
  });

  it('leaves aside the causes that a delegate may not read', async () => {
    const permissions = ['service-policy.read', 'service.read', 'identity.read'];
    const { client } = await controller.newCaller({ permissions, at: M });
    const { reaches, hidden } = await picture('', client);
    expect(hidden).to.deep.equal(['posture', 'routers', 'terminators', 'path']);
    const causes = new Set(reaches.flatMap(({ counts }) => counts?.causes.map(({ cause }) => cause) ?? []));
    expect([...causes].filter((cause) => cause !== 'IDENTITY_DISABLED')).to.deep.equal([]);
    for (const { counts } of reaches) expect(counts?.allowed).to.equal(0);
  });
});
