/**
 * The thread that compiles schemas of config types and checks config data. An administrator's schema may take a fifth
 * of a second to compile: here no other request waits for it.
 */
import { parentPort } from 'node:worker_threads';
import { DomainError, type FieldCause } from '../errors.js';
import { ConfigSchemaCache, type VersionedSchema } from './schema-cache.js';
import { compileConfigSchema } from './schema.js';

export type SchemaTask =
  | { readonly kind: 'schema'; readonly schema: object }
  | { readonly kind: 'data'; readonly type: VersionedSchema; readonly data: unknown };

/** Errors of our own lose their class between threads, so their parts are passed. */
export type SchemaOutcome =
  | { readonly kind: 'right' }
  | { readonly kind: 'refused'; readonly field: FieldCause; readonly logReason: string | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

const schemas = new ConfigSchemaCache();

function run(task: SchemaTask): SchemaOutcome {
  try {
    if (task.kind === 'schema') compileConfigSchema(task.schema);
    else schemas.get(task.type).validate(task.data);
    return { kind: 'right' };
  } catch (error) {
    if (error instanceof DomainError && error.field !== undefined)
      return { kind: 'refused', field: error.field, logReason: error.logReason };
    return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (task: SchemaTask) => {
  parentPort?.postMessage(run(task));
});
