/**
 * Has schemas of config types and config data checked on a thread of its own (schema-worker.ts), one at a time. The
 * thread starts with the first check; its heap is bounded, and one that ends is replaced at the next check. A small
 * schema is compiled at once: to hand it over and to wake the thread would take as long.
 */
import { Worker } from 'node:worker_threads';
import { DomainError } from '../errors.js';
import { ConcurrencyLimit } from '../scheduling/concurrency-limit.js';
import { compileConfigSchema } from './schema.js';
import type { VersionedSchema } from './schema-cache.js';
import { isSmallSchema } from './schema-shape.js';
import type { SchemaOutcome, SchemaTask } from './schema-worker.js';

export interface SchemaThread {
  /** @throws DomainError `invalidField` on `schema`; `tooManyRequests` when too many schemas wait */
  checkSchema(schema: object): Promise<void>;
  /** @throws DomainError `invalidField` that names the first fault of `data`; `tooManyRequests` when too many wait */
  checkData(type: VersionedSchema, data: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface SchemaThreadOptions {
  /** Schemas that may wait. One of them takes part in the turns of the thread, so data is checked in between. */
  readonly waitingSchemas: number;
  /** Checks of data that may wait. */
  readonly waitingData: number;
}

/** Heap of the thread, in MiB. Its cache of schemas takes at most 48 (schema-cache.ts). */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
const PROGRAM = new URL('./schema-worker.js', import.meta.url);

export function createSchemaThread({ waitingSchemas, waitingData }: SchemaThreadOptions): SchemaThread {
  const schemas = new ConcurrencyLimit({ concurrent: 1, waiting: waitingSchemas });
  const turns = new ConcurrencyLimit({ concurrent: 1, waiting: waitingData });
  let thread: Worker | undefined;

  const start = (): Worker => {
    const worker = new Worker(PROGRAM, { resourceLimits: HEAP });
    const forget = () => {
      if (thread === worker) thread = undefined;
    };
    return worker.on('error', forget).on('exit', forget);
  };
  const run = async (task: SchemaTask): Promise<void> => {
    const worker = (thread ??= start());
    // It keeps the process alive only while somebody waits for it.
    worker.ref();
    try {
      accept(await ask(worker, task));
    } finally {
      worker.unref();
    }
  };

  return {
    async checkSchema(schema) {
      if (isSmallSchema(schema)) compileConfigSchema(schema);
      else await schemas.run(() => turns.run(() => run({ kind: 'schema', schema })));
    },
    checkData: (type, data) => turns.run(() => run({ kind: 'data', type, data })),
    async close() {
      await thread?.terminate();
    },
  };
}

/** Rejects when the thread ends instead, as it does when its heap is full. */
function ask(worker: Worker, task: SchemaTask): Promise<SchemaOutcome> {
  return new Promise((resolve, reject) => {
    const onExit = () => {
      onError(new Error('the thread that checks schemas ended'));
    };
    const settle = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (outcome: SchemaOutcome) => {
      settle();
      resolve(outcome);
    };
    const onError = (error: Error) => {
      settle();
      reject(error);
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(task);
  });
}

function accept(outcome: SchemaOutcome): void {
  if (outcome.kind === 'right') return;
  if (outcome.kind === 'failed') throw new Error(`a check of a schema failed: ${outcome.reason}`);
  throw new DomainError('invalidField', { field: outcome.field, logReason: outcome.logReason });
}
