/** What the suites of config schemas share: the fault that a schema or its data gets. */
import { expect } from 'chai';
import { compileConfigSchema } from '../../domain/config/schema.js';
import { DomainError, type FieldCause } from '../../domain/errors.js';

export function fault(act: () => unknown): FieldCause {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalidField' && error.field) return error.field;
    throw error;
  }
  return expect.fail('it was accepted');
}
export const refusal = (schema: object, data: unknown) => fault(() => compileConfigSchema(schema).validate(data));
export const schemaFault = (schema: object) => fault(() => compileConfigSchema(schema));
export const accepts = (schema: object, data: unknown) =>
  expect(() => compileConfigSchema(schema).validate(data)).not.to.throw();
export const text = ({ field, reason }: FieldCause): string => reason.replace(`${field} is invalid: ${field}: `, '');
