/** Rules for a document as a whole: names, tags, discriminators. */
import type { OpenApiDocument } from '../spec-document.js';
import { dereference, subTypesOf } from '../spec-lookup.js';
import { camelCase, operationsOf } from './walk.js';
import type { ReportAt } from './walk.js';

const documentRules: ((document: OpenApiDocument, reportAt: ReportAt) => void)[] = [
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
    for (const where of nullsIn(document, ''))
      reportAt(where)('no-null', 'null stands only in examples; fill it or remove it');
  },
  constants,
  discriminators,
];

/** OpenAPI Generator makes for Go constants of all enumerations in one package, named after the values alone. */
function constants(document: OpenApiDocument, reportAt: ReportAt): void {
  const owners = new Map<string, string>();
  for (const [name, definition] of Object.entries(document.definitions)) {
    const values = (definition.enum ?? []).filter((value) => typeof value === 'string');
    const report = reportAt(`definition ${name}`);
    const names = definition['x-enum-varnames'] ?? values.map(constantOf);
    if (names.length !== values.length) report('constants', 'give x-enum-varnames one name for each value of enum');
    for (const constant of names) {
      const owner = owners.get(constant);
      if (owner !== undefined)
        report('constants', `${constant} is a constant of ${owner} too; give x-enum-varnames, which tell them apart`);
      owners.set(constant, name);
    }
  }
}

/** As OpenAPI Generator writes it: `EXT_JWT` of `EXT-JWT`, `ALL_OF` of `AllOf`. */
const constantOf = (value: string): string =>
  value
    .replace(/([A-Z]+)([A-Z][a-z][a-z]+)/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[- ]/g, '_')
    .toUpperCase();

function nullsIn(value: unknown, where: string): string[] {
  if (value === null) return [where];
  if (typeof value !== 'object') return [];
  return Object.entries(value)
    .filter(([key]) => key !== 'example' && key !== 'examples' && key !== 'x-example')
    .flatMap(([key, part]) => nullsIn(part, `${where}/${key}`));
}

function discriminators(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const [name, base] of Object.entries(document.definitions)) {
    const property = base.discriminator;
    if (property === undefined) continue;
    const report = reportAt(`definition ${name}`);
    if (!base.required?.includes(property)) report('discriminator', `require '${property}'`);
    const values = new Set<string>();
    for (const [subName, sub] of subTypesOf(document, name)) {
      const value = sub['x-discriminator-value'];
      if (value === undefined || values.has(value))
        report('discriminator', `give ${subName} an x-discriminator-value of its own`);
      else values.add(value);
    }
    if (values.size === 0) report('discriminator', 'there is no sub-type');
    const listed = dereference(document, base.properties?.[property])?.enum ?? [];
    if (listed.length === 0 || [...values].some((value) => !listed.includes(value)))
      report('discriminator', `list the x-discriminator-value of every sub-type as an enum of '${property}'`);
  }
}

export function lintDocument(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const rule of documentRules) rule(document, reportAt);
}
