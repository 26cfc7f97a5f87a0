/** Ids by name, for bodies of requests: of what is there, and of what is made while a plan is carried out. */
import type { ReferenceTarget } from '../../domain/network-files/kind-fields.js';
import type { State } from '../../domain/network-files/state.js';

export class Ids {
  readonly #made = new Map<string, string>();

  constructor(readonly state: Pick<State, 'idOf'>) {}

  add(target: ReferenceTarget, name: string, id: string): void {
    this.#made.set(`${target} ${name}`, id);
  }

  find(target: ReferenceTarget, name: string): string | undefined {
    return this.#made.get(`${target} ${name}`) ?? this.state.idOf(target, name);
  }

  /** @throws Error when nothing of this name was made or found: the order of the plan is wrong */
  get = (target: ReferenceTarget, name: string): string => {
    const id = this.find(target, name);
    if (id === undefined) throw new Error(`no id is known of ${target} ${JSON.stringify(name)}`);
    return id;
  };
}
