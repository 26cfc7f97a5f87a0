/** Who gains and who loses what by network files, compared with every pair asked by itself. */
import { expect } from 'chai';
import { accessChangeOf } from '../../domain/network-files/access-change.js';
import type { AccessChange } from '../../domain/network-files/access-change.js';
import { entriesOf } from '../../domain/network-files/entries.js';
import { planOf } from '../../domain/network-files/plan.js';
import { accessReportOf } from '../../domain/network-files/report.js';
import { networkState } from '../../domain/network-files/state.js';
import type { Details } from '../../domain/network-files/state.js';
import { KIND_NAMES } from '../../domain/network-files/kind-names.js';
import { readYaml } from '../../domain/network-files/yaml.js';
import { selects } from '../../domain/policy/roles.js';
import type { JsonObject, PolicyType, Semantic } from '../../domain/model.js';
import { randomly, seedOfRun } from '../support/random.js';

interface Named {
  readonly name: string;
  readonly roleAttributes: readonly string[];
}
interface Policy {
  readonly name: string;
  readonly type: PolicyType;
  readonly semantic: Semantic;
  /** By name. */
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}
interface Network {
  readonly identities: readonly Named[];
  readonly services: readonly Named[];
  readonly servicePolicies: readonly Policy[];
}

const idOf = (name: string) => `id-of-${name}`;
const byId = (role: string) => (role.startsWith('@') ? `@${idOf(role.slice(1))}` : role);

/** As the API answers. */
function stateOf({ identities, services, servicePolicies }: Network) {
  const detail = (value: object, name: string): JsonObject => ({ ...value, id: idOf(name), name, tags: {} });
  const details: Details = {
    ...(Object.fromEntries([...KIND_NAMES, 'controllers'].map((kind) => [kind, []])) as unknown as Details),
    identities: identities.map((each) =>
      detail({ ...each, typeId: 'User', isAdmin: false, authPolicyId: 'default' }, each.name),
    ),
    services: services.map((each) => detail({ ...each, encryptionRequired: false, configs: [] }, each.name)),
    servicePolicies: servicePolicies.map((each) => {
      const roles = { identityRoles: each.identityRoles.map(byId), serviceRoles: each.serviceRoles.map(byId) };
      return detail({ ...each, ...roles, postureCheckRoles: [] }, each.name);
    }),
    authPolicies: [detail({ id: 'default', name: 'Default', primary: {}, secondary: {} }, 'Default')].map((policy) => ({
      ...policy,
      id: 'default',
    })),
  };
  return networkState(details);
}

function changeBetween(before: Network, after: Network): AccessChange {
  const state = stateOf(before);
  const text = JSON.stringify({
    identities: after.identities.map((each) => ({ ...each, type: 'User', isAdmin: false })),
    services: after.services.map((each) => ({ ...each, encryptionRequired: false })),
    servicePolicies: after.servicePolicies,
  });
  const entries = entriesOf([readYaml('network.yaml', text)], () => [], undefined);
  return accessChangeOf(planOf(entries, state, true), state);
}

/** Every pair, asked by itself. */
function pairsOf({ identities, services, servicePolicies }: Network): Set<string> {
  const pairs = new Set<string>();
  for (const identity of identities) {
    for (const service of services) {
      for (const { type, semantic, identityRoles, serviceRoles } of servicePolicies) {
        const isSelected =
          selects(semantic, identityRoles, { ...identity, id: identity.name }) &&
          selects(semantic, serviceRoles, { ...service, id: service.name });
        if (isSelected) pairs.add(`${identity.name} ${service.name} ${type}`);
      }
    }
  }
  return pairs;
}

const named = (prefix: string, count: number, attributesOf: (index: number) => readonly string[]): Named[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, roleAttributes: attributesOf(index) }));

describe('who gains and who loses by a plan', () => {
  it('is what every pair says by itself, in random networks', () => {
    const seed = seedOfRun();
    const pick = randomly(seed);
    const words = ['a', 'b', 'c', 'd'];
    const some = () => words.filter(() => pick(3) === 0);
    const network = (): Network => {
      const identities = named('i', 4 + pick(8), some);
      const services = named('s', 30 + pick(10), some);
      const roles = (of: readonly Named[]) => {
        if (pick(10) === 0) return ['#all'];
        return [...some().map((word) => `#${word}`), ...(pick(3) === 0 ? [`@${of[pick(of.length)]?.name ?? ''}`] : [])];
      };
      const servicePolicies = Array.from({ length: pick(8) }, (_, index) => ({
        name: `p${index}`,
        type: pick(3) === 0 ? ('Bind' as const) : ('Dial' as const),
        semantic: pick(2) === 0 ? ('AnyOf' as const) : ('AllOf' as const),
        identityRoles: roles(identities),
        serviceRoles: roles(services),
      }));
      return { identities, services, servicePolicies };
    };
    let moved = 0;
    for (let round = 0; round < 60; round += 1) {
      const [before, after] = [network(), network()];
      const [then, later] = [pairsOf(before), pairsOf(after)];
      const gained = [...later].filter((pair) => !then.has(pair)).sort();
      const lost = [...then].filter((pair) => !later.has(pair)).sort();
      const change = changeBetween(before, after);
      const said = (side: 'gained' | 'lost') =>
        change.services
          .flatMap(({ service, type, ...sides }) => sides[side].identities.map((name) => `${name} ${service} ${type}`))
          .sort();
      expect(said('gained'), `seed ${seed}, round ${round}`).to.deep.equal(gained);
      expect(said('lost'), `seed ${seed}, round ${round}`).to.deep.equal(lost);
      expect([change.gained, change.lost]).to.deep.equal([gained.length, lost.length]);
      const concerned = new Set([...gained, ...lost].map((pair) => pair.split(' ')[0]));
      expect(change.identities).to.equal(concerned.size);
      moved += gained.length + lost.length;
    }
    expect(moved, `seed ${seed}`).to.be.greaterThan(0);
  });

  it('is counted exactly for 20,000 identities, and named by a few', () => {
    const identities = named('i', 20_000, (index) => [`team-${index % 50}`, `person-${index}`]);
    const services = named('s', 100, (index) => [`team-${index % 50}`]);
    const teams = Array.from({ length: 50 }, (_, index): Policy => {
      const roles = [`#team-${index}`];
      return { name: `p${index}`, type: 'Dial', semantic: 'AnyOf', identityRoles: roles, serviceRoles: roles };
    });
    const before: Network = { identities, services, servicePolicies: teams };
    const change = changeBetween(before, { ...before, servicePolicies: teams.slice(1) });
    expect(change).to.deep.include({ gained: 0, lost: 800, identities: 400 });
    const lines = [...accessReportOf(change)];
    expect(lines).to.have.length(3);
    expect(lines[0]).to.equal('access by policies: 0 gained, 800 lost, identities concerned: 400');
    expect(lines[1]).to.match(/^ {2}- "?s0"? \(Dial\): 400 identities lose it: .* and 395 more$/);
  });
});
