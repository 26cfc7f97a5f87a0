/** Role lists by the selectors that they name: what selects an entity is found without a look at every list. */
import type { Semantic } from '../entity.js';
import { selects } from './roles.js';
import type { Selectable } from './roles.js';

export interface RoleSelector {
  readonly semantic: Semantic;
  readonly roles: readonly string[];
}

export class RoleIndex {
  readonly #byRole = new Map<string, number[]>();

  constructor(readonly lists: readonly RoleSelector[]) {
    lists.forEach(({ roles }, index) => {
      for (const role of roles) {
        const known = this.#byRole.get(role);
        if (known === undefined) this.#byRole.set(role, [index]);
        else known.push(index);
      }
    });
  }

  /** Indexes of the lists that select the entity, in order. */
  selecting(entity: Selectable): number[] {
    const found = new Set<number>();
    for (const selector of selectorsOf(entity)) {
      for (const index of this.#byRole.get(selector) ?? []) {
        const list = this.lists[index];
        if (list !== undefined && selects(list.semantic, list.roles, entity)) found.add(index);
      }
    }
    return [...found].sort((a, b) => a - b);
  }
}

/** Roles that may select an entity. */
export const selectorsOf = ({ id, roleAttributes }: Selectable): string[] => [
  '#all',
  `@${id}`,
  ...roleAttributes.map((attribute) => `#${attribute}`),
];
