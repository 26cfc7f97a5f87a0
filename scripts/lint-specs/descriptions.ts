/** Everything has a description. */
import type { OpenApiDocument, Schema } from '../spec-document.js';
import { operationsOf } from './walk.js';
import type { ReportAt } from './walk.js';

export function lintDescriptions(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const thing of thingsWithoutDescription(document)) reportAt(thing)('described', 'write a description');
}

/** What lacks a description. A field that only refers to a definition is described there. */
function thingsWithoutDescription(document: OpenApiDocument): string[] {
  const missing = new Set<string>();
  const check = (name: string, described: string | undefined): void => {
    if (!described?.trim()) missing.add(name);
  };
  const checkFields = (name: string, schema: Schema): void => {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (property.$ref === undefined && property.allOf === undefined) check(`${name}.${key}`, property.description);
      checkFields(`${name}.${key}`, property);
    }
    for (const part of schema.allOf ?? []) checkFields(name, part);
    if (schema.items) checkFields(name, schema.items);
  };
  for (const { operation, parameters } of operationsOf(document)) {
    check(`operation ${operation.operationId}`, operation.description);
    for (const parameter of parameters) {
      check(`parameter ${operation.operationId}.${parameter.name}`, parameter.description);
      if (parameter.schema) checkFields(`parameter ${operation.operationId}.${parameter.name}`, parameter.schema);
    }
  }
  for (const [name, definition] of Object.entries(document.definitions)) {
    check(`definition ${name}`, definition.description);
    checkFields(`definition ${name}`, definition);
  }
  return [...missing];
}
