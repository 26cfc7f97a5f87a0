/** Remembers the keys that routers are told until they change. */
import type { Stores } from '../../db/stores/stores.js';
import { publicKeysOf } from './public-keys.js';
import type { KeySources } from './public-keys.js';
import type { Keys } from './sent-model.js';

export interface ModelKeySources {
  readonly stores: Pick<Stores, 'routerSync'>;
  readonly keySources: () => Omit<KeySources, 'caPems'>;
}

export class ModelKeys {
  readonly #options: ModelKeySources;
  /** Undefined when they must be read again. */
  #keys: Keys | undefined;
  #changes = 0;

  constructor(options: ModelKeySources) {
    this.#options = options;
  }

  changed(): void {
    this.#changes += 1;
    this.#keys = undefined;
  }

  /** Returns the keys as they are now: reads them again when a change is heard of meanwhile. */
  async current(): Promise<Keys> {
    for (;;) {
      if (this.#keys !== undefined) return this.#keys;
      const before = this.#changes;
      const { stores, keySources } = this.#options;
      const read = publicKeysOf({ caPems: await stores.routerSync.caPems(), ...keySources() });
      if (before === this.#changes) this.#keys = read;
    }
  }
}
