/** Compiled schemas of config types: compiling takes milliseconds, checking microseconds. A copy only, and bounded. */
import { LRUCache } from 'lru-cache';
import { compileConfigSchema, type ConfigSchema } from './schema.js';

export interface VersionedSchema {
  readonly id: string;
  /** Rises with every change of the type, so an older copy is never used again. */
  readonly updatedAt: Date;
  readonly schema: object;
}

export class ConfigSchemaCache {
  readonly #byId: LRUCache<string, { readonly version: number; readonly compiled: ConfigSchema }>;

  /**
   * @param maxKib  what schemas may take together; beyond it the one that was not used for longest goes. The built-in
   *   types take 3 MiB, the largest schema 22.
   */
  constructor(maxKib = 48 * 1024) {
    this.#byId = new LRUCache({ maxSize: maxKib, sizeCalculation: ({ compiled }) => Math.max(1, compiled.kib) });
  }

  /** @throws DomainError `invalidField` on `schema`; nothing is kept then */
  get(type: VersionedSchema): ConfigSchema {
    const version = type.updatedAt.getTime();
    const known = this.#byId.get(type.id);
    if (known?.version === version) return known.compiled;
    const compiled = compileConfigSchema(type.schema);
    this.#byId.set(type.id, { version, compiled });
    return compiled;
  }
}
