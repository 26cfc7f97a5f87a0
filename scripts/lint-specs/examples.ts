/** Rules for examples: everything has one, and every one fits its schema. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { bodyExample } from '../examples/entities.js';
import { addExamples } from '../examples/add.js';
import { toOpenApi31 } from '../openapi/document.js';
import { schemaReference, toSchema } from '../openapi/schema.js';
import { apis, resolveResponse } from '../spec-document.js';
import type { ApiName, JsonObject, OpenApiDocument, Schema } from '../spec-document.js';
import { bodyOf, dereference, subTypesOf } from '../spec-lookup.js';
import { messageOf, operationsOf, schemasOf } from './walk.js';
import type { ReportAt } from './walk.js';

const JSON_TYPE = 'application/json';

/** What keeps answers and bodies without an example. @param reportAt  for each document */
export function lintMissingExamples(
  documents: Readonly<Record<ApiName, OpenApiDocument>>,
  reportAt: (api: ApiName) => ReportAt,
): void {
  addExamples(apis.map((api) => documents[api])).forEach((lacks, index) => {
    for (const [what, properties] of lacks)
      reportAt(apis[index] ?? 'client')(what)('example-missing', `give ${properties.join(', ')} an example`);
  });
}

/** Every body and every success has an example, and each fits, as JSON Schema 2020-12 sees it. */
export function lintExamples(document: OpenApiDocument, reportAt: ReportAt): void {
  const fits = createCheck(document);
  const check = (where: string, schema: Schema, example: unknown) => {
    try {
      const fault = fits(schema, example);
      if (fault !== undefined) reportAt(where)('example', `the example does not fit: ${fault}`);
    } catch (error) {
      reportAt(where)('example', `repair the schema, it cannot be used: ${messageOf(error)}`);
    }
  };
  for (const { where, schema } of schemasOf(document)) {
    if (!('in' in schema)) {
      if (schema.example !== undefined) check(where, schema, schema.example);
    } else if (schema['x-example'] !== undefined) {
      const { type, format, enum: values, items, minimum, maximum, minLength, maxLength } = schema;
      const typed = { type, format, enum: values, items, minimum, maximum, minLength, maxLength };
      check(where, JSON.parse(JSON.stringify(typed)) as Schema, schema['x-example']);
    }
  }
  for (const { operation } of operationsOf(document)) {
    const { operationId, responses } = operation;
    const body = bodyOf(document, operation);
    if (body !== undefined && bodyExample(document, operation) === undefined)
      reportAt(`body ${operationId}`)('body-example', 'give the schema of the body an example');
    for (const status of Object.keys(responses).filter((one) => one.startsWith('2'))) {
      const { schema, examples } = resolveResponse(document, responses[status] ?? { description: '' });
      if (schema === undefined) continue;
      const where = `response ${operationId} ${status}`;
      if (schema.type === 'file' || schema.type === 'string') {
        const texts = (operation.produces ?? []).filter((type) => !type.startsWith('image/') && type !== JSON_TYPE);
        if (texts.length > 0 && !texts.some((type) => examples?.[type] !== undefined))
          reportAt(where)('answer-example', `there is no example of the answer as ${texts.join(' or ')}`);
        continue;
      }
      if (examples?.[JSON_TYPE] === undefined) reportAt(where)('answer-example', 'there is no example of the answer');
      else check(where, schema, examples[JSON_TYPE]);
    }
  }
}

type Check = (schema: Schema, example: unknown) => string | undefined;

/** What is wrong with a value of a schema. A base with a discriminator takes what the sub-type of the value takes. */
function createCheck(document: OpenApiDocument): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true });
  const { components } = toOpenApi31(document) as { components: JsonObject };
  ajv.addSchema({ $id: 'document', components });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, example) => {
    const own = toSchema(subTypeFor(document, schema, example), 'example');
    const prefix = schemaReference('');
    const text = JSON.stringify(own).replaceAll(`"$ref":"${prefix}`, `"$ref":"document${prefix}`);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, validate);
    return validate(example) ? undefined : ajv.errorsText(validate.errors);
  };
}

function subTypeFor(document: OpenApiDocument, schema: Schema, example: unknown): Schema {
  const base = dereference(document, schema);
  if (base?.discriminator === undefined) return schema;
  const [name = ''] = Object.entries(document.definitions).find(([, definition]) => definition === base) ?? [];
  const value = (example as Record<string, unknown> | null)?.[base.discriminator];
  const found = subTypesOf(document, name).find(([, sub]) => sub['x-discriminator-value'] === value);
  return found === undefined ? schema : { $ref: `#/definitions/${found[0]}` };
}
