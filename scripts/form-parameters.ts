// Forms in the documents that are served. The fragments and the generator know a form as a body with a definition, as
// OpenAPI 3.1 does; OpenAPI 2.0 lists the members of a form among the parameters, and has no objects in them.

import { httpMethods, isObject } from './spec-document.js';
import type { JsonObject, JsonValue, OpenApiDocument, Operation, Parameter, Schema } from './spec-document.js';
import { bodyOf, dereference } from './spec-lookup.js';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Writes the forms of a document as OpenAPI 2.0 has them, in place, and drops the definitions that they had. */
export function listForms(document: OpenApiDocument): void {
  let hasForms = false;
  for (const item of Object.values(document.paths))
    for (const method of httpMethods) {
      const operation = item[method];
      if (operation === undefined || !(operation.consumes ?? document.consumes).includes(FORM_TYPE)) continue;
      hasForms = listForm(document, operation) || hasForms;
    }
  if (hasForms) dropUnused(document);
}

function listForm(document: OpenApiDocument, operation: Operation): boolean {
  const body = bodyOf(document, operation);
  const form = dereference(document, body?.schema);
  if (body === undefined || form === undefined) return false;
  const example = isObject(form.example) ? form.example : {};
  const members = Object.entries(form.properties ?? {}).flatMap(([name, property]) => {
    if (property.type !== 'string' && property.type !== 'array') return [];
    return [memberOf(name, property, form.required?.includes(name) === true, example[name])];
  });
  // The type of parameters lacks a place that the fragments never have.
  operation.parameters = [
    ...(operation.parameters ?? []).filter((one) => one !== body),
    ...(members as unknown as Parameter[]),
  ];
  return true;
}

function memberOf(name: string, property: Schema, required: boolean, example: JsonValue | undefined): JsonObject {
  const { items, ...rest } = property;
  for (const keyword of ['x-nullable', 'example', 'maxItems'] as const) delete rest[keyword];
  return {
    name,
    in: 'formData',
    required,
    ...(rest as JsonObject),
    ...(items === undefined ? {} : { items: items as JsonObject, collectionFormat: 'multi' }),
    ...(example === undefined ? {} : { 'x-example': example }),
  };
}

function dropUnused(document: OpenApiDocument): void {
  for (;;) {
    const text = JSON.stringify(document);
    const unused = Object.keys(document.definitions).filter((name) => !text.includes(`"#/definitions/${name}"`));
    if (unused.length === 0) return;
    for (const name of unused) Reflect.deleteProperty(document.definitions, name);
  }
}
