// Reads operations: path, parameters, body, responses.

import { FORM_TYPE } from '../form-parameters.js';
import { readFormat } from './formats.js';
import type { Body, Method, Operation, Parameter, Permission, Response, Schema } from './model.js';
import { byName, type Node } from './node.js';
import { readEnum, readLenient, readSchema, readTarget } from './read-schema.js';

/** What definitions and operations are named by. */
export const NAME = /^[A-Za-z][A-Za-z0-9]*$/;
/** The permission to read all entities. */
const READ_ALL = 'admin_readonly';
/** Bytes. A larger bound is that of the setting `limits.bodyBytes`. */
const MOST_OF_BODY = 1_048_576;

export function readOperation(
  root: Node,
  item: Node,
  path: string,
  method: Method,
  node: Node,
  definitions: Map<string, Schema>,
): Operation {
  node.only(
    'operationId',
    'summary',
    'description',
    'tags',
    'consumes',
    'produces',
    'parameters',
    'responses',
    'security',
    'deprecated',
    'externalDocs',
    'x-permission',
    'x-grant',
    'x-refusal',
    'x-credential',
    'x-max-body',
  );
  const operationId = node.at('operationId').string();
  if (!NAME.test(operationId)) node.at('operationId').fail('letters and digits are expected');
  const { segments, pathParameters } = readPath(item, path);
  const produces = mediaTypes(root, node, 'produces');
  const { parameters, body } = readParameters(root, item, node, operationId, definitions);
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  if (inPath.slice().sort().join() !== pathParameters.slice().sort().join()) {
    node.fail(`path parameters are ${pathParameters.join() || 'none'}, described are ${inPath.join() || 'none'}`);
  }
  const responses = new Map<string, Response>();
  for (const [status, response] of node.at('responses').entries()) {
    if (!/^([1-5]\d\d|default)$/.test(status)) response.fail('a status or default is expected');
    responses.set(status, readResponse(root, response, operationId, status, produces, definitions));
  }
  if (responses.size === 0) node.at('responses').fail('there is none');
  const permission = node.at('x-permission').oneOf('public', 'partial', 'own', 'admin');
  return {
    node,
    operationId,
    method,
    path,
    segments,
    pathParameters,
    permission,
    grantedBy: readGrant(root, node, permission, method),
    refusalStatus: readRefusal(node, permission, responses),
    handsOutCredential: readCredential(node, method),
    maxBodyBytes: readMaxBody(node, permission, body),
    summary: node.optionalString('summary') ?? node.optionalString('description'),
    parameters,
    body,
    produces,
    responses,
  };
}

/** What a caller with a session but without the right gets: 401, unless `x-refusal` says 403. */
function readRefusal(node: Node, permission: Permission, responses: ReadonlyMap<string, Response>): 401 | 403 {
  if (!node.has('x-refusal')) return 401;
  const refusal = node.at('x-refusal');
  if (refusal.value !== 403) return refusal.fail('403 is expected; without it the answer is 401');
  if (permission !== 'admin') return refusal.fail('only an operation for administrators refuses a full session');
  if (!responses.has('403')) return refusal.fail('the operation does not declare the answer 403');
  return 403;
}

/** Whether a read hands out a credential. Of a change nothing has to be said: no answer to one is compressed. */
function readCredential(node: Node, method: Method): boolean {
  if (!node.has('x-credential')) return false;
  const credential = node.at('x-credential');
  if (credential.value !== true) return credential.fail('true is expected; without it the answer holds no credential');
  if (method !== 'GET') return credential.fail('only a read says so');
  return true;
}

/** Most bytes of its body. What comes without a session has to be bounded, so that it costs others little. */
function readMaxBody(node: Node, permission: Permission, body: Body | null): number | null {
  if (!node.has('x-max-body')) {
    if (permission === 'public' && body !== null) node.fail('x-max-body is missing: the operation needs no session');
    return null;
  }
  const bound = node.at('x-max-body');
  if (body === null) return bound.fail('the operation has no body');
  const { value } = bound;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1024 || value > MOST_OF_BODY)
    return bound.fail(`an integer from 1024 to ${MOST_OF_BODY} is expected`);
  return value;
}

/**
 * The permissions of which one lets a caller through who is no administrator, from `x-grant`: none for `admin`, the one
 * for reading everything for `adminRead`, else a permission for one action, what it is a part of, and for reads by GET
 * again the one for everything.
 */
function readGrant(root: Node, node: Node, permission: Permission, method: Method): readonly string[] {
  if (permission !== 'admin') {
    if (node.has('x-grant')) node.at('x-grant').fail('only an operation for administrators grants anything');
    return [];
  }
  const grant = node.at('x-grant');
  const name = grant.string();
  if (name === 'admin') return [];
  if (name === 'adminRead') return [READ_ALL];
  const [entity = '', action] = name.split('.');
  if (action === undefined || !isKnownGrant(root.at('definitions'), name, entity))
    grant.fail(`admin, adminRead, or one action of the definition permissions is expected, not '${name}'`);
  return action === 'read' && method === 'GET' ? [READ_ALL, entity, name] : [entity, name];
}

/** A document that shows no permissions has none to compare with. */
function isKnownGrant(definitions: Node, name: string, entity: string): boolean {
  if (!definitions.has('permissions')) return /^[a-z-]+\.(read|create|update|delete)$/.test(name);
  const known = definitions.at('permissions').at('items').at('enum').strings();
  return known.includes(name) && known.includes(entity);
}

function readPath(item: Node, path: string): { segments: (string | null)[]; pathParameters: string[] } {
  if (!path.startsWith('/')) item.fail('a path starts with /');
  const pathParameters: string[] = [];
  const segments = path
    .split('/')
    .slice(1)
    .filter((segment, index, all) => segment !== '' || index < all.length - 1)
    .map((segment) => {
      const [, parameter] = /^\{([^{}]+)\}$/.exec(segment) ?? [];
      if (parameter === undefined)
        return /^[A-Za-z0-9._~-]+$/.test(segment) ? segment : item.fail(`segment '${segment}' is unknown`);
      if (pathParameters.includes(parameter)) item.fail(`parameter ${parameter} is there twice`);
      pathParameters.push(parameter);
      return null;
    });
  return { segments, pathParameters };
}

function mediaTypes(root: Node, operation: Node, key: 'consumes' | 'produces'): string[] {
  const holder = operation.has(key) ? operation : root.has(key) ? root : null;
  const types = holder ? holder.at(key).strings() : ['application/json'];
  for (const type of types) {
    if (!/^[a-z]+\/[a-z0-9.+-]+$/.test(type)) holder?.at(key).fail(`'${type}' is not a plain media type`);
  }
  return types;
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = /^text\/|^application\/(jwt|yaml|x-pem-file|pkcs7|pkcs7-mime|pkcs10|pkix-cert)$/;

function readParameters(
  root: Node,
  item: Node,
  operation: Node,
  operationId: string,
  definitions: Map<string, Schema>,
): { parameters: Parameter[]; body: Body | null } {
  const parameters = new Map<string, Parameter>();
  let body: Body | null = null;
  for (const holder of [item, operation]) {
    if (!holder.has('parameters')) continue;
    for (const entry of holder.at('parameters').items()) {
      const node = resolve(root, entry, 'parameters');
      if (node.at('in').value === 'body') {
        if (body) node.fail('there are two bodies');
        body = readBody(root, operation, node, operationId, definitions);
        continue;
      }
      const parameter = readParameter(node);
      parameters.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return { parameters: [...parameters].sort(([a], [b]) => byName(a, b)).map(([, parameter]) => parameter), body };
}

function resolve(root: Node, node: Node, section: 'parameters' | 'responses'): Node {
  if (!node.has('$ref')) return node;
  node.only('$ref');
  const name = readTarget(node, section);
  if (!root.has(section) || !root.at(section).has(name)) return node.fail(`${section} has no ${name}`);
  return root.at(section).at(name);
}

function readParameter(node: Node): Parameter {
  const place = node.at('in').oneOf('query', 'header', 'path');
  node.only(
    'name',
    'in',
    'required',
    'description',
    'type',
    'format',
    'enum',
    'default',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
    'items',
    'collectionFormat',
    'x-lenient',
    'x-example',
  );
  const type = node.at('type').oneOf('string', 'integer', 'number', 'boolean', 'array');
  if (type === 'array' && place !== 'query') node.at('type').fail('only a query parameter repeats');
  if (type !== 'string' && node.has('enum')) node.at('enum').fail('only a string has one');
  if (type !== 'array' && (node.has('items') || node.has('collectionFormat'))) node.fail('items are for arrays');
  // For readers of the document: whoever reads the header says what is wrong with it, in words.
  if (place !== 'header' && node.has('pattern')) node.at('pattern').fail('only a header has one');
  const required = node.flag('required');
  if (place === 'path' && !required) node.fail('a path parameter is always required');
  // What is said of the elements of a list holds for each value.
  const rules = type === 'array' ? node.at('items') : node;
  if (type === 'array') {
    node.at('collectionFormat').oneOf('multi');
    rules.only('type', 'enum', 'minLength', 'maxLength');
    rules.at('type').oneOf('string');
  }
  return {
    name: node.at('name').string(),
    in: place,
    type,
    format: type === 'array' || type === 'boolean' ? noFormat(node) : readFormat(node, type),
    required,
    enum: readEnum(rules),
    isLenient: readLenient(rules),
    minimum: node.optionalNumber('minimum'),
    maximum: node.optionalNumber('maximum'),
    minLength: rules.optionalNumber('minLength'),
    maxLength: rules.optionalNumber('maxLength'),
    description: node.optionalString('description'),
  };
}

function noFormat(node: Node): null {
  return node.has('format') ? node.at('format').fail('not for this type') : null;
}

function readBody(
  root: Node,
  operation: Node,
  node: Node,
  operationId: string,
  definitions: Map<string, Schema>,
): Body {
  node.only('name', 'in', 'required', 'description', 'schema', 'x-example');
  const consumes = mediaTypes(root, operation, 'consumes');
  const textTypes = consumes.filter((type) => type !== JSON_TYPE && type !== FORM_TYPE);
  for (const type of textTypes) {
    if (!TEXT_TYPE.test(type)) operation.at('consumes').fail(`'${type}' is neither JSON nor a known text`);
  }
  const common = { name: node.at('name').string(), required: node.flag('required'), consumes, textTypes };
  const schema = node.at('schema');
  if (consumes.includes(FORM_TYPE)) {
    if (textTypes.length > 0) operation.at('consumes').fail('a form goes with JSON, and with no text');
    return { ...common, kind: 'form', definition: hoist(schema, `${operationId}Body`, definitions) };
  }
  if (consumes.includes(JSON_TYPE)) {
    return { ...common, kind: 'json', definition: hoist(schema, `${operationId}Body`, definitions) };
  }
  schema.only('type', 'format', 'description', 'example');
  schema.at('type').oneOf('string');
  return { ...common, kind: 'text', definition: null };
}

function readResponse(
  root: Node,
  entry: Node,
  operationId: string,
  status: string,
  produces: readonly string[],
  definitions: Map<string, Schema>,
): Response {
  const node = resolve(root, entry, 'responses');
  node.only('description', 'schema', 'headers', 'examples');
  const isTagged = node.has('headers') && node.at('headers').has('ETag');
  if (!node.has('schema')) return { kind: 'empty', textTypes: [], definition: null, isTagged };
  const schema = node.at('schema');
  const otherTypes = produces.filter((type) => type !== JSON_TYPE);
  if (!schema.has('$ref')) {
    const type = schema.has('type') ? schema.at('type').value : undefined;
    if (type === 'file') {
      schema.only('type', 'description');
      return { kind: 'binary', textTypes: [], definition: null, isTagged };
    }
    if (type === 'string' && otherTypes.length > 0) {
      schema.only('type', 'description', 'format', 'example');
      return { kind: 'text', textTypes: otherTypes, definition: null, isTagged };
    }
  }
  const isError = status === 'default' || Number(status) >= 400;
  if (!isError && !produces.includes(JSON_TYPE)) schema.fail(`${produces.join()} cannot carry it`);
  return {
    kind: 'json',
    textTypes: isError ? [] : otherTypes.filter((type) => TEXT_TYPE.test(type)),
    definition: hoist(schema, `${operationId}Response${status === 'default' ? 'Default' : status}`, definitions),
    isTagged,
  };
}

/** A schema that is written inline becomes a definition, so that it has a name in types and validators. */
function hoist(node: Node, name: string, definitions: Map<string, Schema>): string {
  const schema = readSchema(node);
  if (schema.kind === 'ref' && !schema.nullable) {
    if (!definitions.has(schema.name)) node.fail(`definitions has no ${schema.name}`);
    return schema.name;
  }
  if (definitions.has(name)) node.fail(`its name would be ${name}, which is a definition already`);
  definitions.set(name, schema);
  return name;
}
