/** Columns of the picture: groups of identities and of services as nodes. */
import type { RoleGroup } from '../policy/role-groups.js';
import { hasBit } from './bits.js';
import type { Bits } from './bits.js';

interface Classed {
  readonly count: number;
  readonly groups: readonly number[];
  readonly policies: Bits;
}

export interface AccessNode<C extends Classed> {
  readonly key: string;
  readonly kind: RoleGroup['kind'] | 'hidden';
  readonly roles: readonly string[];
  /** Id and name of a node that is one entity. */
  readonly id: string | null;
  readonly name: string | null;
  readonly classes: readonly C[];
  readonly entities: number;
}

/** Parts that a column is made of. */
export interface ColumnParts<C extends Classed> {
  readonly classes: readonly C[];
  readonly groups: readonly RoleGroup[];
  /** The one node that all of them are in; null: a node for each group. */
  readonly focus: RoleGroup | null;
  /** Name of the entity that a group is; undefined when there is none. */
  readonly nameOf: (id: string) => string | undefined;
  /** Whether the reader may see names and counts. */
  readonly isSeen: boolean;
}

export class AccessColumn<C extends Classed> {
  readonly nodes: readonly AccessNode<C>[];
  readonly classes: readonly C[];
  readonly isSeen: boolean;
  /** Number of the node of each group. */
  readonly #ofGroup: readonly number[];
  readonly #isFocused: boolean;

  constructor({ classes, groups, focus, nameOf, isSeen }: ColumnParts<C>) {
    this.classes = classes;
    this.isSeen = isSeen;
    this.#isFocused = focus !== null;
    const byKey = new Map<
      string,
      { readonly group: RoleGroup; readonly kind: AccessNode<C>['kind']; members: Set<C> }
    >();
    const numbers = new Map<string, number>();
    const place = (group: RoleGroup, members: Iterable<C>): number => {
      const isHidden = !isSeen && group.kind === 'entity';
      const key = isHidden ? 'hidden' : group.key;
      const known = byKey.get(key) ?? { group, kind: isHidden ? 'hidden' : group.kind, members: new Set<C>() };
      for (const member of members) known.members.add(member);
      byKey.set(key, known);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    };
    if (focus === null) {
      const members = membersOf(classes, groups.length);
      this.#ofGroup = groups.map((group, number) => place(group, members[number] ?? []));
    } else {
      place(focus, classes);
      this.#ofGroup = groups.map(() => 0);
    }
    this.nodes = [...byKey].map(([key, { group, kind, members }]) => nodeOf(key, kind, group, [...members], nameOf));
  }

  /** Numbers of the nodes of a policy. @param groups  of the policy in this column */
  nodesOf(groups: readonly number[], policy: number): number[] {
    if (this.#isFocused) return this.of(0, policy).length > 0 ? [0] : [];
    return [...new Set(groups.map((group) => this.#ofGroup[group] ?? 0))];
  }

  /** Classes of a node that the policy selects. */
  of(node: number, policy: number): C[] {
    return (this.nodes[node]?.classes ?? []).filter(({ policies }) => hasBit(policies, policy));
  }

  /** All classes that the policy selects. */
  selectedBy(policy: number): C[] {
    return this.classes.filter(({ policies }) => hasBit(policies, policy));
  }
}

function membersOf<C extends Classed>(classes: readonly C[], groups: number): C[][] {
  const members = Array.from({ length: groups }, (): C[] => []);
  for (const one of classes) for (const group of one.groups) members[group]?.push(one);
  return members;
}

function nodeOf<C extends Classed>(
  key: string,
  kind: AccessNode<C>['kind'],
  { roles }: RoleGroup,
  classes: readonly C[],
  nameOf: (id: string) => string | undefined,
): AccessNode<C> {
  const id = kind === 'entity' ? (roles[0] ?? '').slice(1) : null;
  return {
    key,
    kind,
    roles: kind === 'hidden' ? [] : roles,
    id,
    name: id === null ? null : (nameOf(id) ?? null),
    classes,
    entities: countOf(classes),
  };
}

export const countOf = (classes: readonly { readonly count: number }[]): number =>
  classes.reduce((sum, { count }) => sum + count, 0);
