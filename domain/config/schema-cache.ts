/** Compiled schemas of config types: compiling takes milliseconds, checking microseconds. A copy only, and bounded. */
import { compileConfigSchema, type ConfigSchema } from './schema.js';

export class ConfigSchemaCache {
  readonly #byId = new Map<string, { readonly version: number; readonly compiled: ConfigSchema }>();
  readonly #limit: number;

  /** @param limit  schemas to keep; beyond it the one that was not used for longest goes */
  constructor(limit = 100) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('a cache needs room for at least one schema');
    this.#limit = limit;
  }

  /**
   * @param type.updatedAt  rises with every change of the type, so an older copy is never used again
   * @throws DomainError `invalidField` on `schema`; nothing is kept then
   */
  get(type: { readonly id: string; readonly updatedAt: Date; readonly schema: object }): ConfigSchema {
    const version = type.updatedAt.getTime();
    const known = this.#byId.get(type.id);
    const compiled = known?.version === version ? known.compiled : compileConfigSchema(type.schema);
    this.#byId.delete(type.id);
    this.#byId.set(type.id, { version, compiled });
    if (this.#byId.size > this.#limit) this.#byId.delete(this.#byId.keys().next().value as string);
    return compiled;
  }

  get size(): number {
    return this.#byId.size;
  }
}
