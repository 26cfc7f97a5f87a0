/** Operations of the management API by their ids, as kinds of network files name them. */
import type { OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';

/** @throws Error for an id that the spec does not have */
export function managementOperation(operationId: string): OperationSpec {
  const all: Readonly<Record<string, OperationSpec>> = operations.management;
  const operation = all[operationId];
  if (operation === undefined) throw new Error(`${operationId} is no operation of the management API`);
  return operation;
}
