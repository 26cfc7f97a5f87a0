/** Outcomes of dials between two groups, over all policies together. */
import { Tally } from './outcomes.js';
import type { AccessNode } from './nodes.js';
import type { Visible } from './visible.js';
import type { AccessWorld, IdentityClass, ServiceClass } from './world.js';

/** Groups of services, one after the other, each with the groups of identities that are asked about it. */
export class ReachCounts {
  readonly #services: readonly ServiceClass[];
  readonly #byClass = new Map<IdentityClass, Tally>();

  constructor(
    readonly world: AccessWorld,
    node: AccessNode<ServiceClass>,
    readonly visible: Visible,
  ) {
    this.#services = alike(node.classes);
  }

  /** Pairs that no policy gives are not counted. */
  from(node: AccessNode<IdentityClass>): Tally {
    const tally = new Tally();
    for (const one of node.classes) tally.addAll(this.#ofClass(one));
    return tally;
  }

  #ofClass(identity: IdentityClass): Tally {
    const known = this.#byClass.get(identity);
    if (known !== undefined) return known;
    const tally = new Tally();
    for (const service of this.#services) {
      const outcome = this.world.outcome(identity, service, this.visible);
      if (outcome !== undefined) tally.add(outcome, identity.count * service.count);
    }
    this.#byClass.set(identity, tally);
    return tally;
  }
}

/** Within one group, what is in other groups besides decides nothing. */
function alike(classes: readonly ServiceClass[]): ServiceClass[] {
  const byKey = new Map<string, ServiceClass>();
  for (const one of classes) {
    const key = `${one.policies.join()}|${one.end}`;
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? one : { ...known, count: known.count + one.count });
  }
  return [...byKey.values()];
}
