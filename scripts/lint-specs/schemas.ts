/** Rules for schemas: definitions, what nests in them, and parameters that are typed in place. */
import { isObject } from '../spec-document.js';
import type { OpenApiDocument, Parameter, Schema } from '../spec-document.js';
import { schemasOf } from './walk.js';
import type { Report, ReportAt } from './walk.js';

const formats = ['date-time', 'int32', 'int64', 'uuid', 'byte', 'password'];
const numericKeywords = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'x-max-bytes',
] as const;

const schemaRules: ((schema: Schema | Parameter, report: Report) => void)[] = [
  function referenceAlone(schema, report) {
    if ('$ref' in schema && Object.keys(schema).length > 1)
      report('ref-alone', 'move what stands beside $ref into the definition');
  },
  function nullable(schema, report) {
    if ('x-nullable' in schema && schema.type === undefined)
      report('nullable-typed', 'x-nullable needs a type beside it');
  },
  function items(schema, report) {
    if (schema.type === 'array' && !isObject(schema.items)) report('array-items', 'say what the items are');
  },
  function format({ format }, report) {
    if (format !== undefined && !formats.includes(format))
      report('format', `use one of ${formats.join(', ')}, or none`);
  },
  function plainNumbers(schema, report) {
    for (const keyword of numericKeywords) {
      const value: unknown = (schema as Schema)[keyword];
      if (value !== undefined && !Number.isInteger(value))
        report('plain-number', `write ${keyword} as a plain integer`);
    }
  },
  function enumeration(schema, report) {
    const values = schema.enum;
    if (values === undefined) return;
    if (values.length === 0 || new Set(values).size < values.length) report('enum', 'list each value once');
    if (schema.type === undefined) report('enum', 'give the enum a type');
  },
  function required(schema, report) {
    if (!Array.isArray(schema.required)) return;
    for (const name of schema.required) {
      if ((schema as Schema).properties?.[name] === undefined)
        report('required', `'${name}' is not among the properties`);
    }
  },
  function freeValues(schema, report) {
    const values = (schema as Schema).additionalProperties;
    if (values === undefined || typeof values === 'boolean') return;
    const bare =
      values.$ref === undefined &&
      (values.type === undefined || Object.keys(values).join() === 'type') &&
      !scalar(values);
    if (bare)
      report(
        'free-values',
        'write `additionalProperties: true` for any value; `{}` and `{type: object}` become objects in clients',
      );
  },
];

export function lintSchemas(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const { where, schema } of schemasOf(document)) {
    const report = reportAt(where);
    for (const rule of schemaRules) rule(schema, report);
  }
}

function scalar(schema: Schema): boolean {
  return schema.type !== undefined && schema.type !== 'object' && schema.type !== 'array';
}
