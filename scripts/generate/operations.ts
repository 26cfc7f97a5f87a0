// Emits the operation table, the route tries and, per API, the interface that types the handlers.

import type { Catalog } from './catalog.js';
import { byName } from './node.js';
import type { Model, Operation, Parameter, Response } from './model.js';
import type { NameTables } from './names.js';
import { folderOf } from '../spec-document.js';
import { comment, key, literal, pascalCase } from './text.js';

// ---- <api>/operations.ts

export function emitOperationTypes(catalog: Catalog): string {
  const members = catalog.model.operations.map((operation) => {
    const { body } = operation;
    const inPlace = (place: Parameter['in']): string =>
      parametersType(operation.parameters.filter((one) => one.in === place));
    const responses = [...operation.responses].map(
      ([status, response]) => `      ${status}: ${responseType(response)};\n`,
    );
    const bodyTypes = !body
      ? ['undefined']
      : [
          ...(body.definition === null ? ['string'] : [`Request.${pascalCase(body.definition)}`]),
          ...(body.kind === 'json' && body.textTypes.length > 0 ? ['string'] : []),
          ...(body.required ? [] : ['undefined']),
        ];
    return (
      comment(operation.summary, '  ') +
      `  ${operation.operationId}: {\n    permission: ${literal(operation.permission)};\n` +
      `    params: ${inPlace('path')};\n    query: ${inPlace('query')};\n    headers: ${inPlace('header')};\n` +
      `    body: ${bodyTypes.join(' | ')};\n` +
      `    responses: {\n${responses.join('')}    };\n  };\n`
    );
  });
  const text =
    `/** What each operation takes and may answer, by operationId. */\nexport interface Operations ` +
    `{\n${members.join('')}}\n`;
  const imports = (['Request', 'Response'] as const)
    .filter((name) => text.includes(`${name}.`))
    .map((name) => `import type * as ${name} from './${name.toLowerCase()}.js';\n`);
  return `${imports.join('')}\n${text}`;
}

function parametersType(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '{}';
  return `{ ${parameters
    .map((one) => `${key(one.name)}${one.required ? '' : '?'}: ${parameterType(one)}`)
    .join('; ')} }`;
}

function parameterType(parameter: Parameter): string {
  const accepted = parameter.isLenient ? null : parameter.enum;
  const values = accepted?.map((value) => literal(value)).join(' | ') ?? 'string';
  switch (parameter.type) {
    case 'string':
      return values;
    case 'array':
      return accepted && accepted.length > 1 ? `(${values})[]` : `${values}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
  }
}

function responseType(response: Response): string {
  switch (response.kind) {
    case 'empty':
      return 'undefined';
    case 'text':
      return 'string';
    case 'binary':
      return 'Buffer';
    case 'json':
      return `Response.${pascalCase(response.definition ?? '')}${response.textTypes.length > 0 ? ' | string' : ''}`;
  }
}

// ---- operations.ts

export interface TablePart {
  readonly catalog: Catalog;
  readonly items: ReadonlyMap<string, string>;
  readonly names: NameTables;
}

/** Parameters and responses repeat all over, so each distinct one is a constant of its own. */
export function emitOperationTable(parts: readonly TablePart[]): string {
  const constants = new Constants();
  const tables = parts.map((part) => {
    const { model } = part.catalog;
    const entries = model.operations.map((operation) => tableEntry(part, operation, constants));
    return `  ${model.api}: {\n${entries.join('')}  },\n`;
  });
  const apis = parts.map(
    ({
      catalog: {
        model: { api },
      },
    }) => ({ api, type: `${pascalCase(api)}Operations` }),
  );
  return [
    "import type { Api, OperationSpec, ParameterSpec, ResponseSpec } from './operation.js';\n",
    ...apis.map(({ api, type }) => `import type { Operations as ${type} } from './${folderOf(api)}/operations.js';\n`),
    `\nexport interface OperationsOf {\n${apis.map(({ api, type }) => `  ${api}: ${type};\n`).join('')}}\n`,
    'export type OperationId<A extends Api> = keyof OperationsOf[A] & string;\n\n',
    constants.text(),
    '\n/** Every operation of all APIs. */\n',
    'export const operations: { readonly [A in Api]: Readonly<Record<OperationId<A>, OperationSpec>> } = {\n',
    ...tables,
    '};\n',
  ].join('');
}

function tableEntry({ catalog, items, names }: TablePart, operation: Operation, constants: Constants): string {
  const { body } = operation;
  const parameters = operation.parameters.map((parameter) => {
    const { name, in: place, type, format, required, minimum, maximum, minLength, maxLength } = parameter;
    const spec = {
      name,
      in: place,
      type,
      format,
      required,
      enum: parameter.isLenient ? null : parameter.enum,
      minimum,
      maximum,
      minLength,
      maxLength,
    };
    return constants.name('ParameterSpec', `${place} ${name}`, literal(spec));
  });
  const responses = [...operation.responses].map(([status, response]) => {
    const { kind, textTypes, definition } = response;
    const validator = definition === null ? null : `response_${definition}`;
    const itemValidator = definition === null ? null : (items.get(definition) ?? null);
    const text = literal({ validator, kind, textTypes, itemValidator });
    return `${status}: ${constants.name('ResponseSpec', definition ?? kind, text)}`;
  });
  const bodySpec = body && {
    name: body.name,
    required: body.required,
    consumes: body.consumes,
    textTypes: body.textTypes,
    kind: body.kind,
    validator: body.definition === null ? null : `request_${body.definition}`,
    names: body.definition === null ? null : names.of(body.definition),
    ...(body.kind === 'form' ? { members: formMembers(catalog, body.definition ?? '') } : {}),
  };
  const { operationId, method, path, pathParameters, permission, grantedBy, refusalStatus } = operation;
  const { produces, handsOutCredential, maxBodyBytes } = operation;
  const lines = [
    `api: ${literal(catalog.model.api)}, operationId: ${literal(operationId)}, method: ${literal(method)}, ` +
      `path: ${literal(path)}`,
    `pathParameters: ${literal(pathParameters)}, parameters: [${parameters.join(', ')}]`,
    `permission: ${literal(permission)}, grantedBy: ${literal(grantedBy)}, refusalStatus: ${refusalStatus}`,
    `body: ${literal(bodySpec)}, maxBodyBytes: ${maxBodyBytes}`,
    `produces: ${literal(produces)}`,
    `responses: { ${responses.join(', ')} }`,
    `isTagged: ${operation.responses.get('200')?.isTagged === true}, handsOutCredential: ${handsOutCredential}`,
  ];
  return `    ${operationId}: {\n${lines.map((line) => `      ${line},\n`).join('')}    },\n`;
}

/** What a form can carry: texts, and lists of texts. */
function formMembers(catalog: Catalog, definition: string): Readonly<Record<string, 'list' | 'text'>> {
  const schema = catalog.resolve(catalog.definition(definition));
  if (schema.kind !== 'object') return schema.node.fail('a form is an object');
  return Object.fromEntries(
    catalog.merge(schema).properties.flatMap(({ name, schemas: [first] }): [string, 'list' | 'text'][] => {
      const { kind } = first === undefined ? { kind: 'any' } : catalog.resolve(first);
      return kind === 'string' ? [[name, 'text']] : kind === 'array' ? [[name, 'list']] : [];
    }),
  );
}

class Constants {
  private readonly names = new Map<string, string>();
  private readonly lines: string[] = [];

  /** The name of the constant for a literal, made from a hint and, where hints meet, a number. */
  name(type: string, hint: string, text: string): string {
    const known = this.names.get(type + text);
    if (known !== undefined) return known;
    const words = hint.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
    const camel = words
      .map((word, index) => (index === 0 ? word.charAt(0).toLowerCase() + word.slice(1) : pascalCase(word)))
      .join('');
    const stem = `${camel}${type.replace('Spec', '')}`;
    const taken = new Set(this.names.values());
    let name = stem;
    for (let number = 2; taken.has(name); number++) name = `${stem}${number}`;
    this.names.set(type + text, name);
    this.lines.push(`const ${name}: ${type} = ${text};\n`);
    return name;
  }

  text(): string {
    return this.lines.sort(byName).join('');
  }
}

// ---- routes.ts

interface Route {
  readonly literals: Map<string, Route>;
  parameter: Route | null;
  readonly operations: Map<string, string>;
}

export function emitRoutes(models: readonly Model[]): string {
  const tries = models.map((model) => `  ${model.api}: ${printRoute(buildRoutes(model), '  ')},\n`);
  const basePaths = models.map(({ api, basePath }) => `  ${api}: ${literal(basePath)},\n`);
  return [
    "import type { Api, Method, RouteNode } from './operation.js';\n\n",
    '/** What precedes every path of an API. */\n',
    `export const basePaths: Readonly<Record<Api, string>> = {\n${basePaths.join('')}};\n\n`,
    '/** Without a prototype, so that a segment such as `constructor` finds nothing. */\n',
    'function node(\n',
    '  operations: Partial<Record<Method, string>>, literals: Record<string, RouteNode>, parameter: ' +
      'RouteNode | null,\n',
    '): RouteNode {\n',
    '  const bare = Object.create(null) as Record<string, RouteNode>;\n',
    '  return { literals: Object.assign(bare, literals), parameter, operations };\n}\n\n',
    '/** The paths of each API, segment by segment; a literal goes before a parameter. */\n',
    `export const routes: Readonly<Record<Api, RouteNode>> = {\n${tries.join('')}};\n`,
  ].join('');
}

function buildRoutes(model: Model): Route {
  const create = (): Route => ({ literals: new Map(), parameter: null, operations: new Map() });
  const root = create();
  for (const { segments, method, operationId, node } of model.operations) {
    let route = root;
    for (const segment of segments) {
      if (segment === null) {
        route.parameter ??= create();
        route = route.parameter;
      } else {
        const next = route.literals.get(segment) ?? create();
        route.literals.set(segment, next);
        route = next;
      }
    }
    const other = route.operations.get(method);
    if (other !== undefined) node.fail(`it has the same method and path as ${other}`);
    route.operations.set(method, operationId);
  }
  return root;
}

function printRoute(route: Route, indent: string): string {
  const inner = `${indent}  `;
  const operations = literal(Object.fromEntries([...route.operations].sort(([a], [b]) => byName(a, b))));
  const literals = [...route.literals]
    .sort(([a], [b]) => byName(a, b))
    .map(([segment, next]) => `${inner}${key(segment)}: ${printRoute(next, inner)},\n`);
  const parameter = route.parameter ? printRoute(route.parameter, indent) : 'null';
  return `node(${operations}, {${literals.length > 0 ? `\n${literals.join('')}${indent}` : ''}}, ${parameter})`;
}
