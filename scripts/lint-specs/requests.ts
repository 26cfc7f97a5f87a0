/** Rules for what requests may hold: keywords say where null is taken, lengths, bounds, closed sets and defaults. */
import { bodyOf, definitionsFrom, dereference } from '../spec-lookup.js';
import { optionalProperties, requestDefinitions, takesNull } from '../spec-nulls.js';
import type { OpenApiDocument, Parameter, Schema } from '../spec-document.js';
import { isObject } from '../spec-document.js';
import { operationsOf } from './walk.js';
import type { Report, ReportAt } from './walk.js';

/** Formats whose values have a length of their own. */
const shortFormats = ['date-time', 'uuid'];
/** Names that always stand for a value of a closed set. */
const closedSets = ['method', 'os', 'osType', 'precedence', 'roleSemantic', 'semantic', 'terminatorStrategy', 'typeId'];
/** Parameters of lists for which any negative number will do, and a limit that no list has. */
const anyNegative = ['limit', 'offset'];
const endless = ['limit'];

const inputRules: ((name: string, schema: Schema | Parameter, report: Report) => void)[] = [
  function textLength(_name, schema, report) {
    if (schema.type !== 'string' || 'allOf' in schema || (schema.enum !== undefined && schema['x-lenient'] !== true))
      return;
    if (schema.format !== undefined && shortFormats.includes(schema.format)) return;
    if (schema.maxLength === undefined && schema.enum === undefined) report('text-length', 'give it a maxLength');
  },
  function integerBounds(name, schema, report) {
    if (schema.type !== 'integer') return;
    if (schema.minimum === undefined && !('in' in schema && anyNegative.includes(name)))
      report('integer-bounds', 'give it a minimum');
    if (schema.maximum === undefined && !endless.includes(name)) report('integer-bounds', 'give it a maximum');
  },
  function names(name, schema, report) {
    if (name === 'name' && schema.type === 'string' && (schema.minLength ?? 0) < 1)
      report('name-length', 'an empty name is refused: give it minLength: 1');
  },
];

/** The controller makes a name for an identity that enrolls without one; in a change of an identity it is ignored. */
const mayBeEmpty = ['genericEnroll.name', 'identityPatch.name'];

function inputs(document: OpenApiDocument, reportAt: ReportAt): void {
  const check = (where: string, name: string, schema: Schema | Parameter): void => {
    const report: Report = (rule, fix) => {
      if (rule !== 'name-length' || !mayBeEmpty.includes(where)) reportAt(where)(rule, fix);
    };
    for (const rule of inputRules) rule(name, schema, report);
  };
  const visit = (where: string, name: string, schema: Schema): void => {
    check(where, name, schema);
    for (const [key, property] of Object.entries(schema.properties ?? {})) visit(`${where}.${key}`, key, property);
    for (const part of schema.allOf ?? []) visit(where, name, part);
    if (schema.items !== undefined) visit(`${where}[]`, name, schema.items);
    if (isObject(schema.additionalProperties)) visit(`${where}{}`, name, schema.additionalProperties);
  };
  for (const name of requestDefinitions(document)) visit(name, '', document.definitions[name] ?? {});
  for (const { operation, parameters } of operationsOf(document)) {
    for (const parameter of parameters) {
      const where = `parameter ${operation.operationId}.${parameter.name}`;
      if (parameter.in === 'body') continue;
      if (parameter.items === undefined) check(where, parameter.name, parameter);
      else check(`${where}[]`, '', parameter.items);
    }
  }
}

function nulls(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const { where, property } of optionalProperties(document)) {
    if (!takesNull(document, property))
      reportAt(where)('optional-null', 'null stands for an absent property: declare x-nullable');
  }
}

/** Everywhere, in answers too. */
function closed(document: OpenApiDocument, reportAt: ReportAt): void {
  const check = (where: string, name: string, schema: Schema | Parameter): void => {
    const target = 'in' in schema ? schema : dereference(document, schema.allOf?.[0] ?? schema);
    if (closedSets.includes(name) && target?.type === 'string' && target.enum === undefined && !isOpen(where))
      reportAt(where)('closed-set', `list the values of '${name}' as an enum`);
  };
  const visit = (where: string, schema: Schema): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      check(`${where}.${name}`, name, property);
      visit(`${where}.${name}`, property);
    }
    for (const part of schema.allOf ?? []) visit(where, part);
    if (schema.items !== undefined) visit(`${where}[]`, schema.items);
  };
  for (const [name, definition] of Object.entries(document.definitions)) visit(name, definition);
  for (const { operation, parameters } of operationsOf(document)) {
    for (const parameter of parameters)
      if (parameter.in !== 'body')
        check(`parameter ${operation.operationId}.${parameter.name}`, parameter.name, parameter);
  }
}

/** Fields of these names that hold something else. */
const openFields: Readonly<Record<string, string>> = {
  'envForm.os': 'whatever the client reports',
  'envInfo.os': 'whatever the client reports',
  'identityDetail.typeId': 'an id of the collection identity-types',
  'link.method': 'any HTTP method',
  'versionInfo.os': 'whatever the router reports',
};
const isOpen = (where: string): boolean => where in openFields;

/** A default in a PATCH would change what a client did not mention. */
function defaults(document: OpenApiDocument, reportAt: ReportAt): void {
  const visit = (where: string, schema: Schema, isPatch: boolean): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const report = reportAt(`${where}.${name}`);
      if (isPatch && property.default !== undefined)
        report('default', 'remove the default: PATCH keeps what is absent');
      visit(`${where}.${name}`, property, isPatch);
    }
    for (const part of schema.allOf ?? []) visit(where, part, isPatch);
  };
  const inPatches = reachedByPatches(document);
  for (const name of requestDefinitions(document)) {
    const definition = document.definitions[name];
    if (definition === undefined) continue;
    if (inPatches.has(name) && definition.default !== undefined)
      reportAt(`definition ${name}`)('default', 'remove the default: PATCH keeps what is absent');
    visit(name, definition, inPatches.has(name));
  }
  for (const { where, name, property } of optionalProperties(document)) {
    const holder = where.split('.')[0] ?? '';
    if (
      property.type === 'boolean' &&
      property.default === undefined &&
      /(Create|Update)$/.test(holder) &&
      !inPatches.has(holder)
    )
      reportAt(where)('default', `say what '${name}' is when it is absent`);
  }
  for (const { operation, parameters } of operationsOf(document)) {
    for (const { name, default: value } of parameters) {
      if (name === 'offset' && value === undefined)
        reportAt(`parameter ${operation.operationId}.${name}`)('default', 'say what it is when it is absent');
    }
  }
}

/** The definitions that bodies of PATCH lead to. */
function reachedByPatches(document: OpenApiDocument): Set<string> {
  const bodies = Object.values(document.paths).flatMap(({ patch }) => (patch && bodyOf(document, patch))?.schema ?? []);
  return new Set(definitionsFrom(document, bodies));
}

export function lintRequests(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const rule of [inputs, nulls, closed, defaults]) rule(document, reportAt);
}
