/** Binds every operation of the specs to its handler, or to the list of those that are not built yet. */
import type { Api, OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { clientHandlers } from '../../handlers/client/index.js';
import { fabricHandlers } from '../../handlers/fabric/index.js';
import { managementHandlers } from '../../handlers/management/index.js';
import { oidcHandlers } from '../../handlers/oidc/index.js';
import { pending } from '../../handlers/pending.js';
import type { AnyReply } from '../http/reply.js';
import type { Context } from '../../handlers/context.js';
import type { AnyOperation, PublicInput } from '../../handlers/handler.js';
import type { Caller } from '../../handlers/reply.js';

/** The input that the server gives a handler: with a caller exactly where the operation is not public. */
export interface BoundInput extends PublicInput<AnyOperation> {
  readonly caller: Caller | undefined;
}
export type BoundHandler = (input: BoundInput, context: Context) => Promise<AnyReply>;
export type Bindings = ReadonlyMap<OperationSpec, BoundHandler | 'pending'>;

export interface BindingSources {
  readonly operations: Readonly<Record<Api, Readonly<Record<string, OperationSpec>>>>;
  readonly handlers: Readonly<Record<Api, Readonly<Record<string, unknown>>>>;
  /** Operations that are not built yet. */
  readonly pending: Readonly<Record<Api, readonly string[]>>;
}

const ours: BindingSources = {
  operations,
  handlers: { client: clientHandlers, fabric: fabricHandlers, management: managementHandlers, oidc: oidcHandlers },
  pending,
};

/**
 * @throws Error naming every operation without handler, handler without operation, and stale or doubled pending entry
 */
export function bindOperations(sources: BindingSources = ours): Bindings {
  const bindings = new Map<OperationSpec, BoundHandler | 'pending'>();
  const faults: string[] = [];
  for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
    const specs = sources.operations[api];
    const handlers = sources.handlers[api];
    const waiting = new Set(sources.pending[api]);
    for (const operation of Object.values(specs)) {
      const { operationId } = operation;
      const handler = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
      if (handler !== undefined && waiting.has(operationId))
        faults.push(`${api} ${operationId} has a handler and is listed as pending`);
      if (handler === undefined && !waiting.has(operationId)) faults.push(`${api} ${operationId} has no handler`);
      bindings.set(operation, handler === undefined ? 'pending' : (handler as BoundHandler));
    }
    for (const name of new Set([...Object.keys(handlers), ...waiting])) {
      if (!Object.hasOwn(specs, name)) faults.push(`${api} ${name} is no operation of the spec`);
    }
    if (waiting.size < sources.pending[api].length) faults.push(`${api} has a pending entry twice`);
  }
  if (faults.length > 0) throw new Error(`handlers and specs do not match:\n  ${faults.join('\n  ')}`);
  return bindings;
}
