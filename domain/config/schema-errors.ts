/** The validator's faults in the field's words, which scripts and consoles match on. */
import { invalidField, type DomainError } from '../errors.js';
import { jsonStart } from '../value-text.js';

/** A fault as the validator tells it. */
export interface SchemaFault {
  readonly keyword: string;
  /** JSON pointer to the value, empty at the top. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The keyword's value. */
  readonly schema?: unknown;
  /** The plain subschema that the keyword stands in; `branch` is ours. */
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The value that was refused. */
  readonly data?: unknown;
}

const MAX_VALUE_CHARACTERS = 200;

/** `invalidField` with the path in dots, `(root)` at the top, and the reason `<field> is invalid: <field>: <text>`. */
export function toFieldError(fault: SchemaFault): DomainError {
  const field = fieldOf(fault.instancePath);
  return invalidField(field, `${field} is invalid: ${field}: ${textOf(fault, field)}`, shown(fault.data));
}

function fieldOf(instancePath: string): string {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.length === 0 ? '(root)' : steps.join('.');
}

/** Text as it is, the rest as JSON; cut, because a config may have a megabyte. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  return typeof value === 'object' && value !== null ? json(value) : value;
}

function textOf(fault: SchemaFault, field: string): string {
  const text = texts.get(fault.keyword);
  return text ? text(fault, field) : `Does not satisfy '${fault.keyword}'`;
}

const branches: ReadonlyMap<unknown, string> = new Map([
  ['then', 'Must validate "then" as "if" was valid'],
  ['else', 'Must validate "else" as "if" was not valid'],
]);

const texts: ReadonlyMap<string, (fault: SchemaFault, field: string) => string> = new Map([
  ['required', ({ params }) => `${word(params['missingProperty'])} is required`],
  ['type', ({ params, data }) => `Invalid type. Expected: ${expected(params['type'])}, given: ${typeName(data)}`],
  ['additionalProperties', ({ params }) => `Additional property ${word(params['additionalProperty'])} is not allowed`],
  ['additionalItems', () => 'No additional items allowed on array'],
  ['enum', ({ schema }, field) => `${field} must be one of the following: ${listed(schema)}`],
  ['const', ({ schema }, field) => `${field} does not match: ${json(schema)}`],
  ['minimum', ({ params }) => `Must be greater than or equal to ${word(params['limit'])}`],
  ['maximum', ({ params }) => `Must be less than or equal to ${word(params['limit'])}`],
  ['exclusiveMinimum', ({ params }) => `Must be greater than ${word(params['limit'])}`],
  ['exclusiveMaximum', ({ params }) => `Must be less than ${word(params['limit'])}`],
  ['multipleOf', ({ params }) => `Must be a multiple of ${word(params['multipleOf'])}`],
  ['minLength', ({ params }) => `String length must be greater than or equal to ${word(params['limit'])}`],
  ['maxLength', ({ params }) => `String length must be less than or equal to ${word(params['limit'])}`],
  ['pattern', ({ params }) => `Does not match pattern '${word(params['pattern'])}'`],
  ['format', ({ params }) => `Does not match format '${word(params['format'])}'`],
  ['minItems', ({ params }) => `Array must have at least ${word(params['limit'])} items`],
  ['maxItems', ({ params }) => `Array must have at most ${word(params['limit'])} items`],
  ['uniqueItems', ({ params }) => `array items[${word(params['i'])},${word(params['j'])}] must be unique`],
  ['contains', () => 'At least one of the items must match'],
  ['minProperties', ({ params }) => `Must have at least ${word(params['limit'])} properties`],
  ['maxProperties', ({ params }) => `Must have at most ${word(params['limit'])} properties`],
  ['propertyNames', ({ params }) => `Property name of "${word(params['propertyName'])}" does not match`],
  ['dependencies', ({ params }) => `Has a dependency on ${word(params['missingProperty'])}`],
  [
    'anyOf',
    ({ parentSchema }) => branches.get(parentSchema?.['branch']) ?? 'Must validate at least one schema (anyOf)',
  ],
  ['oneOf', () => 'Must validate one and only one schema (oneOf)'],
  ['not', () => 'Must not validate the schema (not)'],
  ['false schema', () => 'False always fails validation'],
  ['weight', () => 'Takes too long to check: make the data smaller, or the schema simpler'],
]);

function expected(type: unknown): string {
  const types = [type].flat();
  return types.length === 1 ? word(types[0]) : `[${types.join(',')}]`;
}

/** Each value as JSON. */
function listed(values: unknown): string {
  let text = '';
  for (const value of values as unknown[]) {
    if (text.length > MAX_VALUE_CHARACTERS) break;
    text += `${text === '' ? '' : ', '}${jsonStart(value, MAX_VALUE_CHARACTERS + 1)}`;
  }
  return cut(text);
}

function json(value: unknown): string {
  return cut(jsonStart(value, MAX_VALUE_CHARACTERS + 1));
}

function word(value: unknown): string {
  return cut(String(value));
}

function cut(text: string): string {
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
