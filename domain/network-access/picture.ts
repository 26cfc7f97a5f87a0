/**
 * The picture of a network: three columns and the edges between them, narrowed by what is asked for and bounded in
 * size. Whoever may not read a column sees its groups without counts, in an order that tells nothing of them.
 */
import { AccessColumn } from './nodes.js';
import type { AccessNode, ColumnParts } from './nodes.js';
import { Tally } from './outcomes.js';
import type { StateWish, TallyState } from './outcomes.js';
import { ReachCounts } from './reaches.js';
import { dialingSide, servingSide, tallyOf } from './through-policy.js';
import type { DialingSide, ServingSide } from './through-policy.js';
import type { Visible } from './visible.js';
import type { AccessWorld, IdentityClass, ServiceClass, WorldPolicy } from './world.js';

export interface PictureWish {
  readonly identities: Omit<ColumnParts<IdentityClass>, 'groups'>;
  readonly services: Omit<ColumnParts<ServiceClass>, 'groups'>;
  readonly state: StateWish | null;
  readonly text: string | null;
  /** Most nodes of a column. */
  readonly nodes: number;
  readonly visible: Visible;
  /** Lets others work in between. */
  readonly pause: () => Promise<void>;
}

/** A tally, or null for a reader who may not know it. */
export type SeenTally = Tally | null;

export interface PicturePolicy {
  readonly number: number;
  readonly policy: WorldPolicy;
  readonly tally: SeenTally;
  readonly identities: number | null;
  readonly services: number | null;
}

export interface PictureEdge {
  readonly group: string;
  readonly policyId: string;
  readonly tally: SeenTally;
  readonly entities: number | null;
}

export interface PictureReach {
  readonly identities: string;
  readonly services: string;
  readonly tally: SeenTally;
}

export interface Picture {
  readonly identities: readonly AccessNode<IdentityClass>[];
  readonly policies: readonly PicturePolicy[];
  readonly services: readonly AccessNode<ServiceClass>[];
  readonly identityEdges: readonly PictureEdge[];
  readonly serviceEdges: readonly PictureEdge[];
  readonly reaches: readonly PictureReach[];
  readonly leftOut: Readonly<Record<PicturePart, number>>;
}

export type PicturePart = 'identities' | 'policies' | 'services' | 'identityEdges' | 'serviceEdges' | 'reaches';

/** Most edges of one kind. */
const MOST_EDGES = 2_000;

export const seenState = (tally: SeenTally): TallyState => tally?.state ?? 'unknown';

interface Edge {
  readonly node: number;
  readonly tally: SeenTally;
  readonly entities: number | null;
}

interface Kept extends PicturePolicy {
  readonly identityEdges: readonly Edge[];
  readonly serviceEdges: readonly Edge[];
}

export async function pictureOf(world: AccessWorld, wish: PictureWish): Promise<Picture> {
  const identities = new AccessColumn({ ...wish.identities, groups: world.identityGroups });
  const services = new AccessColumn({ ...wish.services, groups: world.serviceGroups });
  const maker = new PictureMaker(world, wish, identities, services);
  const kept: Kept[] = [];
  for (const [number, policy] of world.policies.entries()) {
    const found = maker.policy(number, policy);
    if (found !== undefined) kept.push(found);
    if (number % POLICIES_AT_ONCE === 0) await wish.pause();
  }
  return maker.assemble(kept);
}

const POLICIES_AT_ONCE = 20;

class PictureMaker {
  readonly #isCounted: boolean;
  readonly #isFocused: boolean;

  constructor(
    readonly world: AccessWorld,
    readonly wish: PictureWish,
    readonly identities: AccessColumn<IdentityClass>,
    readonly services: AccessColumn<ServiceClass>,
  ) {
    this.#isCounted = identities.isSeen && services.isSeen;
    this.#isFocused = wish.identities.focus !== null || wish.services.focus !== null;
  }

  /** A policy with its edges; undefined when it is none of what is asked for. */
  policy(number: number, policy: WorldPolicy): Kept | undefined {
    const { identities, services, wish } = this;
    const from = dialingSide(identities.selectedBy(number), number, wish.visible);
    const to = servingSide(services.selectedBy(number));
    if (this.#isFocused && (from.entities === 0 || to.entities === 0)) return undefined;
    const found = this.#matching(policy, number);
    if (found === undefined) return undefined;
    const identityEdges = found.identities
      .map((node) => this.#edge(node, dialingSide(identities.of(node, number), number, wish.visible), to, 'identities'))
      .filter((edge) => this.#isWished(edge.tally));
    const serviceEdges = found.services
      .map((node) => this.#edge(node, from, servingSide(services.of(node, number)), 'services'))
      .filter((edge) => this.#isWished(edge.tally));
    if (wish.state !== null && (identityEdges.length === 0 || serviceEdges.length === 0)) return undefined;
    return {
      number,
      policy,
      tally: this.#counted(from, to),
      identities: identities.isSeen ? from.entities : null,
      services: services.isSeen ? to.entities : null,
      identityEdges,
      serviceEdges,
    };
  }

  async assemble(found: readonly Kept[]): Promise<Picture> {
    const { wish } = this;
    const policies = this.#ranked(found, ({ policy }) => policy.facts.name).slice(0, wish.nodes);
    const identities = this.#shown(
      this.identities,
      policies.map(({ identityEdges }) => identityEdges),
    );
    const services = this.#shown(
      this.services,
      policies.map(({ serviceEdges }) => serviceEdges),
    );
    const identityEdges = this.#edges(policies, 'identityEdges', this.identities, identities.numbers);
    const serviceEdges = this.#edges(policies, 'serviceEdges', this.services, services.numbers);
    const reaches = await this.#reaches(found, identities.numbers, services.numbers);
    return {
      identities: identities.numbers.flatMap((number) => this.identities.nodes[number] ?? []),
      policies,
      services: services.numbers.flatMap((number) => this.services.nodes[number] ?? []),
      identityEdges: identityEdges.slice(0, MOST_EDGES),
      serviceEdges: serviceEdges.slice(0, MOST_EDGES),
      reaches: reaches.slice(0, MOST_EDGES),
      leftOut: {
        identities: identities.leftOut,
        policies: found.length - policies.length,
        services: services.leftOut,
        identityEdges: beyond(identityEdges),
        serviceEdges: beyond(serviceEdges),
        reaches: beyond(reaches),
      },
    };
  }

  /** Nodes of a policy that the text asks for; all of them when its own name has it, or no text is given. */
  #matching(policy: WorldPolicy, number: number): { identities: number[]; services: number[] } | undefined {
    const identities = this.identities.nodesOf(policy.identityGroups, number);
    const services = this.services.nodesOf(policy.serviceGroups, number);
    const text = this.wish.text?.toLowerCase() ?? '';
    if (text === '' || policy.facts.name.toLowerCase().includes(text)) return { identities, services };
    const matchingIdentities = identities.filter((node) => hasText(this.identities.nodes[node], text));
    const matchingServices = services.filter((node) => hasText(this.services.nodes[node], text));
    if (matchingIdentities.length + matchingServices.length === 0) return undefined;
    return {
      identities: matchingIdentities.length > 0 ? matchingIdentities : identities,
      services: matchingServices.length > 0 ? matchingServices : services,
    };
  }

  #edge(node: number, from: DialingSide, to: ServingSide, side: 'identities' | 'services'): Edge {
    const { entities } = side === 'identities' ? from : to;
    return { node, tally: this.#counted(from, to), entities: this[side].isSeen ? entities : null };
  }

  #counted(from: DialingSide, to: ServingSide): SeenTally {
    return this.#isCounted ? tallyOf(this.world, from, to, this.wish.visible) : null;
  }

  #isWished(tally: SeenTally): boolean {
    const { state } = this.wish;
    return state === null || (tally === null ? state === 'unknown' : tally.hasAny(state));
  }

  /** Those with the most pairs first, unless the reader may not know how many there are. */
  #ranked<T extends { readonly tally: SeenTally }>(items: readonly T[], nameOf: (item: T) => string): T[] {
    const pairs = new Map(items.map((item) => [item, item.tally?.pairs ?? 0]));
    return [...items].sort((a, b) => (pairs.get(b) ?? 0) - (pairs.get(a) ?? 0) || (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  #shown(
    column: { readonly nodes: readonly { readonly key: string }[] },
    edgesOfPolicies: readonly (readonly Edge[])[],
  ): { readonly numbers: readonly number[]; readonly leftOut: number } {
    const tallies = new Map<number, SeenTally>();
    for (const { node, tally } of edgesOfPolicies.flat()) {
      const sum = new Tally();
      for (const each of [tallies.get(node), tally]) if (each) sum.addAll(each);
      tallies.set(node, tally === null ? null : sum);
    }
    const ranked = this.#ranked(
      [...tallies].map(([number, tally]) => ({ number, tally })),
      ({ number }) => column.nodes[number]?.key ?? '',
    ).map(({ number }) => number);
    return { numbers: ranked.slice(0, this.wish.nodes), leftOut: Math.max(0, ranked.length - this.wish.nodes) };
  }

  #edges(
    policies: readonly Kept[],
    kind: 'identityEdges' | 'serviceEdges',
    column: { readonly nodes: readonly { readonly key: string }[] },
    shown: readonly number[],
  ): PictureEdge[] {
    const isShown = new Set(shown);
    return policies.flatMap(({ policy, [kind]: edges }) =>
      edges
        .filter(({ node }) => isShown.has(node))
        .map(({ node, tally, entities }) => ({
          group: column.nodes[node]?.key ?? '',
          policyId: policy.facts.id,
          tally,
          entities,
        })),
    );
  }

  async #reaches(
    found: readonly Kept[],
    identities: readonly number[],
    services: readonly number[],
  ): Promise<PictureReach[]> {
    const reaches: PictureReach[] = [];
    const connected = connections(found);
    for (const number of services) {
      const node = this.services.nodes[number];
      if (node === undefined) continue;
      const counts = new ReachCounts(this.world, node, this.wish.visible);
      for (const other of identities) {
        const from = this.identities.nodes[other];
        if (from === undefined || connected.get(number)?.has(other) !== true) continue;
        const tally = this.#isCounted ? counts.from(from) : null;
        if (this.#isWished(tally)) reaches.push({ identities: from.key, services: node.key, tally });
        await this.wish.pause();
      }
    }
    return reaches;
  }
}

/** Nodes of identities that some policy connects with each node of services. */
function connections(found: readonly Kept[]): Map<number, Set<number>> {
  const connected = new Map<number, Set<number>>();
  for (const { identityEdges, serviceEdges } of found) {
    for (const { node } of serviceEdges) {
      const known = connected.get(node) ?? new Set<number>();
      for (const edge of identityEdges) known.add(edge.node);
      connected.set(node, known);
    }
  }
  return connected;
}

const hasText = (
  node: { readonly roles: readonly string[]; readonly name: string | null } | undefined,
  text: string,
): boolean => node !== undefined && [...node.roles, node.name ?? ''].some((each) => each.toLowerCase().includes(text));

const beyond = (edges: readonly unknown[]): number => Math.max(0, edges.length - MOST_EDGES);
