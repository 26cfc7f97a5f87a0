/** Remembers configs that routers are told, with their data, which is long: only what has changed is read again. */
import type { ModelConfig } from '../../domain/fabric/router-model.js';
import type { ConfigVersion } from '../../db/stores/reached-models.js';
import type { Stores } from '../../db/stores/stores.js';

export class ModelConfigs {
  #known = new Map<string, ModelConfig & ConfigVersion>();

  constructor(private readonly store: Pick<Stores['routerModels'], 'configs'>) {}

  /** Undefined when one of them is not there any more. */
  async of(versions: readonly ConfigVersion[]): Promise<ReadonlyMap<string, ModelConfig> | undefined> {
    const stale = versions.filter(({ id, version }) => this.#known.get(id)?.version !== version);
    const found = stale.length === 0 ? [] : await this.store.configs(stale.map(({ id }) => id));
    for (const config of found) this.#known.set(config.id, config);
    return found.length < stale.length ? undefined : this.#known;
  }

  /** Forgets all others. */
  keepOnly(ids: ReadonlySet<string>): void {
    this.#known = new Map([...this.#known].filter(([id]) => ids.has(id)));
  }
}
