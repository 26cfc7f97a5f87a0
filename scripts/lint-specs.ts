// Checks the OpenAPI documents: `npm run lint:specs` prints one line per finding, `document: where: rule: how to fix it`.
// The rules are the functions in `operationRules`, `schemaRules` and `documentRules`; each finding carries its rule's name.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv } from 'ajv';
import {
  apis,
  httpMethods,
  loadSpecs,
  resolveParameter,
  resolveResponse,
  splitReference,
  unusedEntries,
  type HttpMethod,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Schema,
} from './spec-bundle.js';

const formats = ['date-time', 'int32', 'int64', 'uuid', 'byte', 'password'];
const permissions = ['public', 'partial', 'own', 'admin'];
const pagingParameters = ['limit', 'offset', 'filter', 'sort'];
/** Operations that answer an array and yet no pages: the arrays are short and fixed. */
const unpaged = ['listSpecs', 'listEnumeratedCapabilities', 'listNetworkJWTs', 'getIdentityFailedServiceRequests'];
const camelCase = /^[a-z][A-Za-z0-9]*$/;
const numericKeywords = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;
const undescribedFile = 'specs/undescribed.txt';

type Report = (rule: string, fix: string) => void;
interface OperationContext {
  document: OpenApiDocument;
  path: string;
  method: HttpMethod;
  operation: Operation;
  parameters: Parameter[];
}

/** All findings, sorted; none means that the specs are fine. `rootDir` is the project's folder. */
export async function lintSpecs(rootDir: string): Promise<string[]> {
  let documents: ReturnType<typeof loadSpecs>;
  try {
    documents = loadSpecs(rootDir);
  } catch (error) {
    return [`specs: ${messageOf(error)}`];
  }
  const findings: string[] = [];
  const undescribed = new Set<string>();
  for (const api of apis) {
    const document = documents[api];
    const reportAt = (where: string): Report => (rule, fix) => findings.push(`${api}: ${where}: ${rule}: ${fix}`);
    await lintStructure(document, reportAt('document'));
    lintOperations(document, reportAt);
    lintSchemas(document, reportAt);
    for (const rule of documentRules) rule(document, reportAt);
    for (const thing of thingsWithoutDescription(document)) undescribed.add(`${api} ${thing}`);
  }
  for (const entry of unusedEntries(rootDir)) {
    findings.push(`specs: ${entry}: reachable: nothing leads to this entry; use it or remove it`);
  }
  return [...findings, ...lintDescriptions(rootDir, undescribed)].sort();
}

async function lintStructure(document: OpenApiDocument, report: Report): Promise<void> {
  try {
    // The parser resolves references in place, so it gets a copy; its types know other versions of OpenAPI only.
    await SwaggerParser.validate(structuredClone(document) as unknown as Parameters<typeof SwaggerParser.validate>[0]);
  } catch (error) {
    report('valid-swagger', messageOf(error));
  }
}

// ---------------------------------------------------------------------------------------------- operations

const operationRules: ((context: OperationContext, report: Report) => void)[] = [
  function operationId({ operation }, report) {
    if (!camelCase.test(operation.operationId)) report('operation-id', 'give it an operationId in camelCase');
  },
  function summary({ operation }, report) {
    if (!operation.summary.trim()) report('summary', 'say in a few words what the operation does');
  },
  function tag({ document, operation }, report) {
    const [name, ...others] = operation.tags;
    if (name === undefined || others.length > 0) report('tag', 'give it exactly one tag; client generators copy the rest');
    else if (!document.tags.some((known) => known.name === name)) report('tag', `declare '${name}' in the root file`);
  },
  function permission({ operation }, report) {
    if (!permissions.includes(operation['x-permission'])) report('permission', `set x-permission to one of ${permissions.join(', ')}`);
  },
  function security({ operation }, report) {
    const expected = operation['x-permission'] === 'public' ? [] : [{ ztSession: [] }, { svcSession: [] }];
    if (JSON.stringify(operation.security) !== JSON.stringify(expected)) {
      report('security', 'public operations have `security: []`, all others list both session headers');
    }
  },
  function responses({ operation }, report) {
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    if (successes.length !== 1) report('responses', 'declare exactly one success');
    if (operation.responses['default'] === undefined) report('responses', 'declare `default` as #/responses/error');
  },
  usualErrors,
  function errorShape({ document, operation }, report) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status.startsWith('2')) continue;
      if (resolveResponse(document, response).schema?.$ref !== '#/definitions/apiErrorEnvelope') {
        report('error-shape', `answer apiErrorEnvelope for ${status}`);
      }
    }
  },
  pathParameters,
  function requiredExamples({ parameters }, report) {
    for (const parameter of parameters) {
      const sent = parameter.in === 'query' || parameter.in === 'header';
      if (sent && parameter.required === true && parameter['x-example'] === undefined) {
        report('required-example', `give parameter '${parameter.name}' an x-example, contract tests send it`);
      }
    }
  },
  function paging({ document, operation, method, parameters }, report) {
    const present = pagingParameters.filter((name) => parameters.some((one) => one.in === 'query' && one.name === name));
    const answersList = method === 'get' && answersArray(document, operation) && !unpaged.includes(operation.operationId);
    if ((answersList || present.length > 0) && present.length < pagingParameters.length) {
      report('paging', `declare ${pagingParameters.filter((name) => !present.includes(name)).join(', ')} as well`);
    }
  },
];

function usualErrors({ operation, path, parameters }: OperationContext, report: Report): void {
  const body = parameters.some((parameter) => parameter.in === 'body');
  const input = body || parameters.some((parameter) => parameter.in !== 'path');
  const expected: [string, boolean][] = [
    ['400', input],
    ['401', operation['x-permission'] !== 'public'],
    ['404', path.includes('{')],
    ['413', body],
    ['415', body],
    ['503', true],
  ];
  for (const [status, applies] of expected) {
    if (applies && operation.responses[status] === undefined) report('usual-errors', `declare the answer ${status}`);
  }
}

function pathParameters({ path, parameters }: OperationContext, report: Report): void {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
  const declared = parameters.filter((parameter) => parameter.in === 'path');
  for (const name of inPath) {
    const parameter = declared.find((candidate) => candidate.name === name);
    if (parameter?.required !== true) report('path-parameter', `declare '${name}' as a required path parameter`);
    else if (parameter['x-example'] === undefined) report('path-parameter', `give '${name}' an x-example`);
  }
  for (const { name } of declared) {
    if (!inPath.includes(name)) report('path-parameter', `'${name}' is not in the path; remove it`);
  }
}

function answersArray(document: OpenApiDocument, operation: Operation): boolean {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const envelope = success && dereference(document, resolveResponse(document, success).schema);
  return dereference(document, envelope?.properties?.['data'])?.type === 'array';
}

function lintOperations(document: OpenApiDocument, reportAt: (where: string) => Report): void {
  const ids = new Map<string, string>();
  for (const context of operationsOf(document)) {
    const where = `${context.method.toUpperCase()} ${context.path}`;
    const report = reportAt(where);
    for (const rule of operationRules) rule(context, report);
    const earlier = ids.get(context.operation.operationId);
    if (earlier !== undefined) report('operation-id', `'${context.operation.operationId}' is taken by ${earlier}`);
    ids.set(context.operation.operationId, where);
  }
}

function operationsOf(document: OpenApiDocument): OperationContext[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ document, path, method, operation, parameters: parameters.map((one) => resolveParameter(document, one)) }];
    }),
  );
}

// ------------------------------------------------------------------------------------------------- schemas

const schemaRules: ((schema: Schema | Parameter, report: Report) => void)[] = [
  function referenceAlone(schema, report) {
    if ('$ref' in schema && Object.keys(schema).length > 1) report('ref-alone', 'move what stands beside $ref into the definition');
  },
  function nullable(schema, report) {
    if ('x-nullable' in schema && schema.type === undefined) report('nullable-typed', 'x-nullable needs a type beside it');
  },
  function items(schema, report) {
    if (schema.type === 'array' && !isObject(schema.items)) report('array-items', 'say what the items are');
  },
  function format({ format }, report) {
    if (format !== undefined && !formats.includes(format)) report('format', `use one of ${formats.join(', ')}, or none`);
  },
  function plainNumbers(schema, report) {
    for (const keyword of numericKeywords) {
      const value: unknown = (schema as Schema)[keyword];
      if (value !== undefined && !Number.isInteger(value)) report('plain-number', `write ${keyword} as a plain integer`);
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
      if ((schema as Schema).properties?.[name] === undefined) report('required', `'${name}' is not among the properties`);
    }
  },
  function freeValues(schema, report) {
    const values = (schema as Schema).additionalProperties;
    if (values === undefined || typeof values === 'boolean') return;
    const bare = values.$ref === undefined && (values.type === undefined || Object.keys(values).join() === 'type') && !scalar(values);
    if (bare) report('free-values', 'write `additionalProperties: true` for any value; `{}` and `{type: object}` become objects in clients');
  },
];

function lintSchemas(document: OpenApiDocument, reportAt: (where: string) => Report): void {
  for (const { where, schema } of schemasOf(document)) {
    const report = reportAt(where);
    for (const rule of schemaRules) rule(schema, report);
  }
}

/** Every schema of the document, nested ones included, and every parameter that is typed in place. */
function schemasOf(document: OpenApiDocument): { where: string; schema: Schema | Parameter }[] {
  const found: { where: string; schema: Schema | Parameter }[] = [];
  const visit = (where: string, schema: Schema | undefined): void => {
    if (!isObject(schema)) return;
    found.push({ where, schema });
    for (const [name, property] of Object.entries(schema.properties ?? {})) visit(`${where}.${name}`, property);
    for (const part of schema.allOf ?? []) visit(where, part);
    visit(`${where}[]`, schema.items);
    if (isObject(schema.additionalProperties)) visit(`${where}{}`, schema.additionalProperties);
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

// ----------------------------------------------------------------------------------------- whole documents

const documentRules: ((document: OpenApiDocument, reportAt: (where: string) => Report) => void)[] = [
  function definitionNames(document, reportAt) {
    for (const name of Object.keys(document.definitions)) {
      if (!camelCase.test(name)) reportAt(`definition ${name}`)('definition-name', 'name it in camelCase');
    }
  },
  function tagsUsed(document, reportAt) {
    const used = new Set(operationsOf(document).flatMap(({ operation }) => operation.tags));
    for (const { name, description } of document.tags) {
      if (!used.has(name)) reportAt(`tag ${name}`)('tag', 'no operation has this tag; remove it from the root file');
      if (!description?.trim()) reportAt(`tag ${name}`)('tag', 'describe it');
    }
  },
  function noNulls(document, reportAt) {
    for (const where of nullsIn(document, '')) reportAt(where)('no-null', 'null stands only in examples; fill it or remove it');
  },
  discriminators,
  examples,
];

function nullsIn(value: unknown, where: string): string[] {
  if (value === null) return [where];
  if (typeof value !== 'object') return [];
  return Object.entries(value)
    .filter(([key]) => key !== 'example' && key !== 'x-example')
    .flatMap(([key, part]) => nullsIn(part, `${where}/${key}`));
}

function discriminators(document: OpenApiDocument, reportAt: (where: string) => Report): void {
  for (const [name, base] of Object.entries(document.definitions)) {
    const property = base.discriminator;
    if (property === undefined) continue;
    const report = reportAt(`definition ${name}`);
    if (base.properties?.[property]?.type !== 'string' || base.properties[property].enum !== undefined) {
      report('discriminator', `'${property}' has to be a plain string: both forms of its values are accepted`);
    }
    if (!base.required?.includes(property)) report('discriminator', `require '${property}'`);
    const values = new Set<string>();
    for (const [subName, sub] of Object.entries(document.definitions)) {
      if (!sub.allOf?.some((part) => splitReference(part.$ref ?? '')?.[1] === name)) continue;
      const value = sub['x-discriminator-value'];
      if (value === undefined || values.has(value)) report('discriminator', `give ${subName} an x-discriminator-value of its own`);
      else values.add(value);
    }
    if (values.size === 0) report('discriminator', 'there is no sub-type');
  }
}

/** Every example has to fit the schema it stands on. */
function examples(document: OpenApiDocument, reportAt: (where: string) => Report): void {
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false, allErrors: true });
  ajv.addSchema({ $id: 'document', definitions: document.definitions });
  const inDocument = (schema: Schema): unknown =>
    JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
  for (const { where, schema } of schemasOf(document)) {
    const example = 'in' in schema ? schema['x-example'] : schema.example;
    if (example === undefined) continue;
    const report = reportAt(where);
    try {
      const validate = ajv.compile(inDocument('in' in schema ? { ...schema, required: [] } : schema) as object);
      if (!validate(example)) report('example', `the example does not fit: ${ajv.errorsText(validate.errors)}`);
    } catch (error) {
      report('example', `repair the schema, it cannot be used: ${messageOf(error)}`);
    }
  }
}

// -------------------------------------------------------------------------------------------- descriptions

function lintDescriptions(rootDir: string, undescribed: Set<string>): string[] {
  const file = join(rootDir, undescribedFile);
  const listed = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const findings: string[] = [];
  const sorted = [...new Set(listed)].sort();
  if (sorted.join('\n') !== listed.join('\n')) findings.push(`specs: ${undescribedFile}: described: sort it, each line once`);
  for (const line of listed) {
    if (!undescribed.has(line)) {
      findings.push(`specs: ${undescribedFile}: described: remove '${line}', it is described by now or gone`);
    }
  }
  for (const line of undescribed) {
    if (!listed.includes(line)) {
      const [api = '', ...where] = line.split(' ');
      findings.push(`${api}: ${where.join(' ')}: described: write a description`);
    }
  }
  return findings;
}

/** What lacks a description. A field that is only a `$ref` is described by its definition. */
function thingsWithoutDescription(document: OpenApiDocument): string[] {
  const missing = new Set<string>();
  const check = (name: string, described: string | undefined): void => {
    if (!described?.trim()) missing.add(name);
  };
  const checkFields = (name: string, schema: Schema): void => {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (property.$ref === undefined) check(`${name}.${key}`, property.description);
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

function dereference(document: OpenApiDocument, schema: Schema | undefined): Schema | undefined {
  const name = splitReference(schema?.$ref ?? '')?.[1];
  return name === undefined ? schema : document.definitions[name];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function scalar(schema: Schema): boolean {
  return schema.type !== undefined && schema.type !== 'object' && schema.type !== 'array';
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function main(): Promise<void> {
  // This file runs from dist/scripts/; the specs stand beside dist/.
  const rootDir = process.argv[2] ?? resolve(fileURLToPath(new URL('../..', import.meta.url)));
  const findings = await lintSpecs(rootDir);
  for (const finding of findings) console.log(finding);
  console.log(findings.length === 0 ? 'specs: no findings' : `specs: ${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
