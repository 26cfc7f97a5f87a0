/**
 * Ways to give an identity access to a service, or to take it, each with what else it would change. What policies give
 * is asked of the controller; what is compared here are its lists.
 */
import { call } from '../api/client.js';
import type { CallData } from '../api/contract.js';
import type { Named } from '../parts/pickers.js';

export type AccessType = 'Dial' | 'Bind';
type Policy = CallData<'management', 'listIdentityServicePolicies'>[number];

/** One way, ready to be done. */
export interface AccessWay {
  readonly key: string;
  readonly title: string;
  /** The list of roles that changes, before and after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Names of services that the identity gains or loses. */
  readonly gains: readonly string[];
  readonly loses: readonly string[];
  /** How many more identities are concerned; most often none. */
  readonly note: string;
  readonly run: () => Promise<unknown>;
}

export interface AccessQuestion {
  readonly identity: Named;
  readonly service: Named;
  readonly type: AccessType;
}

const MOST = 500;

/** Names of services that policies give the identity: all of them, or one. */
async function given({ identity, type }: AccessQuestion, policyId?: string): Promise<readonly string[]> {
  const query = { identityId: identity.id, type, limit: MOST, ...(policyId === undefined ? {} : { policyId }) };
  const services = await call('listNetworkAccessServices', { query });
  return services.map(({ name }) => name);
}

const without = (all: readonly string[], some: ReadonlySet<string>): string[] => all.filter((name) => !some.has(name));

/** Ways to give it: a policy of its own, or one that has the service already. */
export async function waysToGive(question: AccessQuestion): Promise<AccessWay[]> {
  const { identity, service, type } = question;
  const [now, policies] = await Promise.all([
    given(question),
    call('listServiceServicePolicies', { params: { id: service.id }, query: { limit: 50 } }),
  ]);
  const has = new Set(now);
  if (has.has(service.name)) return [];
  const verb = type === 'Bind' ? 'hosts' : 'uses';
  const name = `${identity.name} ${verb} ${service.name}`;
  const own: AccessWay = {
    key: 'own',
    title: 'A policy for these two alone',
    ...{ before: [], after: [`@${identity.name}`], gains: [service.name], loses: [] },
    note: `Makes the policy "${name}". Nobody else is concerned.`,
    run: () =>
      call('createServicePolicy', {
        body: { name, type, semantic: 'AnyOf', identityRoles: [`@${identity.id}`], serviceRoles: [`@${service.id}`] },
      }),
  };
  const joined = policies.filter((policy) => policy.type === type && policy.semantic === 'AnyOf');
  return [own, ...(await Promise.all(joined.map((policy) => joining(policy, identity, has))))];
}

async function joining(policy: Policy, identity: Named, has: ReadonlySet<string>): Promise<AccessWay> {
  const services = await call('listServicePolicyServices', { params: { id: policy.id }, query: { limit: MOST } });
  const roles = [...policy.identityRoles, `@${identity.id}`];
  const shown = policy.identityRolesDisplay.map(({ name, role }) => name ?? role ?? '');
  return {
    key: policy.id,
    title: `Join the policy ${policy.name}`,
    before: shown,
    after: [...shown, `@${identity.name}`],
    gains: without(
      services.map(({ name }) => name),
      has,
    ),
    loses: [],
    note: 'Nobody else is concerned.',
    run: () => call('patchServicePolicy', { params: { id: policy.id }, body: { identityRoles: roles } }),
  };
}

/** Whether the roles select an identity with these attributes, as policies do. */
function selects({ identityRoles, semantic }: Policy, id: string, attributes: readonly string[]): boolean {
  const fits = (role: string) => role === '#all' || role === `@${id}` || attributes.some((name) => role === `#${name}`);
  return identityRoles.length > 0 && (semantic === 'AllOf' ? identityRoles.every(fits) : identityRoles.some(fits));
}

/** Names what the identity loses when only the rest of its policies selects it. */
async function lost(question: AccessQuestion, now: readonly string[], rest: readonly Policy[]): Promise<string[]> {
  const kept = await Promise.all(rest.map(({ id }) => given(question, id)));
  return without(now, new Set(kept.flat()));
}

/** Ways to take it: out of a policy that names the identity, or without a role that a policy selects by. */
export async function waysToTake(question: AccessQuestion): Promise<AccessWay[]> {
  const { identity, service, type } = question;
  const [now, all, { roleAttributes }] = await Promise.all([
    given(question),
    call('listIdentityServicePolicies', { params: { id: identity.id }, query: { limit: MOST } }),
    call('detailIdentity', { params: { id: identity.id } }),
  ]);
  const policies = all.filter((policy) => policy.type === type);
  const services = await Promise.all(policies.map(({ id }) => given(question, id)));
  const giving = policies.filter((_, index) => services[index]?.includes(service.name) === true);
  const attributes = roleAttributes ?? [];
  const ways: AccessWay[] = [];
  for (const policy of giving) {
    if (policy.identityRoles.includes(`@${identity.id}`)) ways.push(await leaving(question, policy, now, policies));
    for (const name of attributes.filter((attribute) => policy.identityRoles.includes(`#${attribute}`))) {
      if (ways.some(({ key }) => key === `#${name}`)) continue;
      ways.push(await losing(question, name, { attributes, now, policies }));
    }
  }
  return ways;
}

async function leaving(
  question: AccessQuestion,
  policy: Policy,
  now: readonly string[],
  all: readonly Policy[],
): Promise<AccessWay> {
  const { identity } = question;
  const own = `@${identity.id}`;
  const identityRoles = policy.identityRoles.filter((role) => role !== own);
  return {
    key: policy.id,
    title: `Leave the policy ${policy.name}`,
    before: policy.identityRolesDisplay.map(({ name, role }) => name ?? role ?? ''),
    after: policy.identityRolesDisplay.filter(({ role }) => role !== own).map(({ name, role }) => name ?? role ?? ''),
    gains: [],
    loses: await lost(
      question,
      now,
      all.filter(({ id }) => id !== policy.id),
    ),
    note: identityRoles.length === 0 ? 'The policy then selects nobody.' : 'Nobody else is concerned.',
    run: () => call('patchServicePolicy', { params: { id: policy.id }, body: { identityRoles } }),
  };
}

interface Holding {
  readonly attributes: readonly string[];
  readonly now: readonly string[];
  readonly policies: readonly Policy[];
}

async function losing(
  question: AccessQuestion,
  name: string,
  { attributes, now, policies }: Holding,
): Promise<AccessWay> {
  const { identity } = question;
  const rest = attributes.filter((other) => other !== name);
  return {
    key: `#${name}`,
    title: `Take the role #${name} from ${identity.name}`,
    before: attributes.map((attribute) => `#${attribute}`),
    after: rest.map((attribute) => `#${attribute}`),
    gains: [],
    loses: await lost(
      question,
      now,
      policies.filter((policy) => selects(policy, identity.id, rest)),
    ),
    note: 'Router policies and others that select by this role no longer select it either.',
    run: () => call('patchIdentity', { params: { id: identity.id }, body: { roleAttributes: rest } }),
  };
}
