/** Validators of the specs, and the check of answers with them. */
import clientValidators from '../../generated/client/validators.cjs';
import fabricValidators from '../../generated/fabric-api/validators.cjs';
import managementValidators from '../../generated/management/validators.cjs';
import oidcValidators from '../../generated/oidc/validators.cjs';
import type { Api, OperationSpec, ResponseSpec } from '../../generated/operation.js';
import { describeFault } from './faults.js';

type Validator = (typeof managementValidators)[string];

export const validatorsOf: Readonly<Record<Api, Readonly<Record<string, Validator>>>> = {
  client: clientValidators,
  fabric: fabricValidators,
  management: managementValidators,
  oidc: oidcValidators,
};

/** An answer of ours that its spec does not allow. */
export class ResponseFault extends Error {
  constructor(
    readonly operation: OperationSpec,
    readonly status: number,
    readonly fault: { path: string; rule: string },
  ) {
    super(`${operation.api} ${operation.operationId} ${status}: ${fault.path} ${fault.rule}`);
  }
}

/** @throws ResponseFault for a status that the spec does not declare */
export function specOf(operation: OperationSpec, status: number): ResponseSpec {
  const spec = operation.responses[status] ?? operation.responses['default'];
  if (spec === undefined) throw new ResponseFault(operation, status, { path: '', rule: 'undeclared status' });
  return spec;
}

/** @param name  of the validator; null: nothing to check. @throws ResponseFault */
export function check(operation: OperationSpec, status: number, name: string | null, value: unknown): void {
  if (name === null) return;
  const validate = validatorsOf[operation.api][name];
  if (validate === undefined) throw new Error(`no validator ${name}`);
  if (!validate(value)) throw new ResponseFault(operation, status, describeFault(validate.errors?.[0]));
}
