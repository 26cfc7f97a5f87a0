/** What every rule needs: reporting, and the operations and schemas of a document. */
import { httpMethods, isObject, resolveParameter, resolveResponse } from '../spec-document.js';
import type { HttpMethod, OpenApiDocument, Operation, Parameter, Schema } from '../spec-document.js';

export const camelCase = /^[a-z][A-Za-z0-9]*$/;

/** Notes a finding: the rule that is broken, and how to fix it. */
export type Report = (rule: string, fix: string) => void;
export type ReportAt = (where: string) => Report;

export interface OperationContext {
  document: OpenApiDocument;
  path: string;
  method: HttpMethod;
  operation: Operation;
  parameters: Parameter[];
}

/** Whether a document is that of OpenID Connect, whose answers have the forms of that protocol. */
export const isProvider = ({ basePath }: OpenApiDocument): boolean => basePath === '/oidc';

export function operationsOf(document: OpenApiDocument): OperationContext[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [
        { document, path, method, operation, parameters: parameters.map((one) => resolveParameter(document, one)) },
      ];
    }),
  );
}

/** Every schema of the document, nested ones included, and every parameter that is typed in place. */
export function schemasOf(document: OpenApiDocument): { where: string; schema: Schema | Parameter }[] {
  const found: { where: string; schema: Schema | Parameter }[] = [];
  const visit = (where: string, schema: Schema | undefined): void => {
    if (!isSchema(schema)) return;
    found.push({ where, schema });
    for (const [name, property] of Object.entries(schema.properties ?? {})) visit(`${where}.${name}`, property);
    for (const part of schema.allOf ?? []) visit(where, part);
    visit(`${where}[]`, schema.items);
    if (isSchema(schema.additionalProperties)) visit(`${where}{}`, schema.additionalProperties);
  };
  for (const [name, definition] of Object.entries(document.definitions)) visit(`definition ${name}`, definition);
  for (const { operation, parameters } of operationsOf(document)) {
    for (const parameter of parameters) {
      const where = `parameter ${operation.operationId}.${parameter.name}`;
      if (parameter.in === 'body') visit(where, parameter.schema);
      else found.push({ where, schema: parameter });
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      visit(`response ${operation.operationId} ${status}`, resolveResponse(document, response).schema);
    }
  }
  return found;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isSchema(value: unknown): value is Schema {
  return isObject(value);
}
