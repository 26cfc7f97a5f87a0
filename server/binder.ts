/** Binds every operation of both specs to its handler, or to the list of those that are not built yet. */
import type { Api, OperationSpec } from '../generated/operation.js';
import { operations } from '../generated/operations.js';
import { clientHandlers } from '../handlers/client/index.js';
import { managementHandlers } from '../handlers/management/index.js';
import { pending } from '../handlers/pending.js';
import type { AnyOperation, OperationHandler } from '../handlers/handler.js';

export type BoundHandler = OperationHandler<AnyOperation & { responses: Record<200 | 201 | 202, { data?: unknown; meta?: unknown }> }>;
export type Bindings = ReadonlyMap<OperationSpec, BoundHandler | 'pending'>;

/** @throws Error naming every operation without handler, handler without operation, and stale pending entry */
export function bindOperations(): Bindings {
  const bindings = new Map<OperationSpec, BoundHandler | 'pending'>();
  const faults: string[] = [];
  for (const [api, handlers] of Object.entries({ client: clientHandlers, management: managementHandlers }) as [Api, Readonly<Record<string, unknown>>][]) {
    const waiting = new Set<string>(pending[api]);
    const specs: Readonly<Record<string, OperationSpec>> = operations[api];
    for (const operation of Object.values(specs)) {
      const { operationId } = operation;
      const handler = handlers[operationId];
      if (handler !== undefined && waiting.has(operationId)) faults.push(`${api} ${operationId} has a handler and is listed as pending`);
      if (handler === undefined && !waiting.has(operationId)) faults.push(`${api} ${operationId} has no handler`);
      bindings.set(operation, handler === undefined ? 'pending' : (handler as BoundHandler));
    }
    for (const name of [...Object.keys(handlers), ...waiting]) {
      if (!(name in specs)) faults.push(`${api} ${name} is no operation of the spec`);
    }
  }
  if (faults.length > 0) throw new Error(`handlers and specs do not match:\n  ${faults.join('\n  ')}`);
  return bindings;
}
