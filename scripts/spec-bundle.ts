// Builds the OpenAPI documents out of the fragments in specs/ (docs/architecture.md describes the layout).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';
import { addAnswerHeaders } from './answer-headers.js';
import { addConditions } from './conditional.js';
import { addExamples } from './examples/add.js';
import { apis, folderOf, httpMethods, isObject, rootKeys, sections, splitReference } from './spec-document.js';
import type { ApiName, JsonObject, JsonValue, OpenApiDocument, Section } from './spec-document.js';
import { fillEnums } from './spec-enums.js';
import { declareNulls } from './spec-nulls.js';

interface Merged {
  values: Record<Section, JsonObject>;
  /** `section/key` to the file that wrote it. */
  origins: Map<string, string>;
}

/** The documents of all APIs. `rootDir` is the project's folder, the one that holds `specs/`. */
export function loadSpecs(rootDir: string): Record<ApiName, OpenApiDocument> {
  const client = loadApi(rootDir, 'client').document;
  const fabric = loadApi(rootDir, 'fabric').document;
  const management = loadApi(rootDir, 'management').document;
  const oidc = loadApi(rootDir, 'oidc').document;
  addExamples([client, fabric, management, oidc]);
  return { client, fabric, management, oidc };
}

/** What the fragments define and no document needs, each as `file: section/key`. */
export function unusedEntries(rootDir: string): string[] {
  const loaded = apis.map((api) => loadApi(rootDir, api));
  const used = new Set(loaded.flatMap(({ kept }) => [...kept]));
  const unused = loaded.flatMap(({ origins }) =>
    [...origins].filter(([key]) => !key.startsWith('paths/') && !used.has(key)).map(([key, file]) => `${file}: ${key}`),
  );
  return [...new Set(unused)].sort();
}

interface LoadedApi {
  document: OpenApiDocument;
  /** `section/key` of everything that the document needs. */
  kept: Set<string>;
  origins: Map<string, string>;
}

function loadApi(rootDir: string, api: ApiName): LoadedApi {
  const specDir = join(rootDir, 'specs');
  const rootFile = join(specDir, `${folderOf(api)}.yml`);
  const root = readYaml(rootDir, rootFile);
  for (const key of Object.keys(root)) {
    if (!rootKeys.includes(key) && !key.startsWith('x-')) {
      throw new Error(`${relative(rootDir, rootFile)}: '${key}' does not belong into a root file`);
    }
  }

  const merged: Merged = { values: { paths: {}, parameters: {}, responses: {}, definitions: {} }, origins: new Map() };
  for (const file of [...sharedFiles(specDir, root), ...yamlFiles(join(specDir, folderOf(api)))]) {
    mergeFragment(rootDir, file, merged);
  }
  addConditions(api, merged.values.paths);
  if (api !== 'oidc') addAnswerHeaders(merged.values.paths, merged.values.responses);
  checkReferences(merged);
  sections.forEach((section) => fillEnums(merged.values[section]));

  const kept = reachable(merged.values);
  const document: JsonObject = {};
  for (const key of rootKeys) {
    const value = root[key];
    if (value !== undefined) document[key] = sortKeys(value);
  }
  for (const [key, value] of Object.entries(root)) {
    if (key.startsWith('x-') && key !== SHARED) document[key] = sortKeys(value);
  }
  document['paths'] = sortPaths(merged.values.paths);
  for (const section of sections) {
    if (section === 'paths') continue;
    const entries = Object.entries(merged.values[section]).filter(([key]) => kept.has(`${section}/${key}`));
    document[section] = sortKeys(Object.fromEntries(entries));
  }
  // The linter validates the shape against the schema of OpenAPI 2.0; the fragments are our own files.
  const typed = document as unknown as OpenApiDocument;
  declareNulls(typed);
  return { document: typed, kept, origins: merged.origins };
}

/** Names the files of specs/shared that an API takes, where it does not take them all. */
const SHARED = 'x-shared';

function sharedFiles(specDir: string, root: JsonObject): string[] {
  const files = yamlFiles(join(specDir, 'shared'));
  const wanted = root[SHARED];
  return Array.isArray(wanted) ? files.filter((file) => wanted.includes(basename(file))) : files;
}

function yamlFiles(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yml'))
    .sort()
    .map((name) => join(dir, name));
}

function readYaml(rootDir: string, file: string): JsonObject {
  const name = relative(rootDir, file);
  const value = parseYaml(name, readFileSync(file, 'utf8'));
  if (!isObject(value)) throw new Error(`${name}: a mapping is expected at the top level`);
  return value;
}

function parseYaml(name: string, text: string): JsonValue {
  try {
    return parse(text) as JsonValue;
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

function mergeFragment(rootDir: string, file: string, merged: Merged): void {
  const name = relative(rootDir, file);
  for (const [sectionName, entries] of Object.entries(readYaml(rootDir, file))) {
    const section = sections.find((candidate) => candidate === sectionName);
    if (section === undefined) {
      throw new Error(`${name}: unknown section '${sectionName}', expected one of ${sections.join(', ')}`);
    }
    if (!isObject(entries)) throw new Error(`${name}: section '${section}' is not a mapping`);
    for (const [key, value] of Object.entries(entries)) {
      if (!isObject(value)) throw new Error(`${name}: ${section} '${key}' is not a mapping`);
      const earlier = merged.origins.get(`${section}/${key}`);
      if (earlier !== undefined) throw new Error(`${name}: ${section} '${key}' is already in ${earlier}`);
      merged.origins.set(`${section}/${key}`, name);
      merged.values[section][key] = value;
    }
  }
}

function checkReferences(merged: Merged): void {
  for (const section of sections) {
    for (const [key, value] of Object.entries(merged.values[section])) {
      for (const reference of referencesIn(value)) {
        const target = splitReference(reference)?.join('/');
        if (target === undefined || !merged.origins.has(target)) {
          const origin = merged.origins.get(`${section}/${key}`) ?? 'specs';
          throw new Error(`${origin}: ${section} '${key}' refers to '${reference}', which does not exist`);
        }
      }
    }
  }
}

/** What the paths lead to; a definition with a discriminator leads to its sub-types as well. */
function reachable(values: Record<Section, JsonObject>): Set<string> {
  const subTypes = new Map<string, string[]>();
  for (const [key, definition] of Object.entries(values.definitions)) {
    for (const parent of parentsOf(definition)) {
      subTypes.set(parent, [...(subTypes.get(parent) ?? []), `definitions/${key}`]);
    }
  }
  const seen = new Set<string>();
  const queue = [...targetsIn(values.paths), ...keptByName(values.definitions)];
  for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
    if (seen.has(target)) continue;
    seen.add(target);
    const [section, key] = target.split('/') as [Exclude<Section, 'paths'>, string];
    const value = values[section][key];
    if (value === undefined) continue;
    queue.push(...targetsIn(value));
    if (isObject(value) && 'discriminator' in value) queue.push(...(subTypes.get(target) ?? []));
  }
  return seen;
}

function keptByName(definitions: JsonObject): string[] {
  return Object.entries(definitions).flatMap(([key, value]) =>
    isObject(value) && 'x-kept' in value ? [`definitions/${key}`] : [],
  );
}

function parentsOf(definition: JsonValue): string[] {
  const allOf = isObject(definition) ? definition['allOf'] : undefined;
  if (!Array.isArray(allOf)) return [];
  return allOf.flatMap((part) => {
    const reference = isObject(part) ? part['$ref'] : undefined;
    return typeof reference === 'string' ? (splitReference(reference)?.join('/') ?? []) : [];
  });
}

function targetsIn(value: JsonValue): string[] {
  return referencesIn(value).flatMap((reference) => splitReference(reference)?.join('/') ?? []);
}

/** All `$ref` of a value, but not those inside of examples. */
function referencesIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const reference = value['$ref'];
  if (typeof reference === 'string') return [reference];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'x-example' || key === 'examples' || (key === 'example' && !isSchema(part)) ? [] : referencesIn(part),
  );
}

/** Distinguishes a property that happens to be named `example` from the keyword. */
function isSchema(value: JsonValue): boolean {
  return isObject(value) && ('type' in value || '$ref' in value);
}

function sortPaths(paths: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const path of Object.keys(paths).sort()) {
    const item = paths[path];
    if (!isObject(item)) continue;
    const order = [...httpMethods.filter((method) => method in item), ...Object.keys(item).sort()];
    const target: JsonObject = {};
    for (const key of new Set(order)) {
      const value = item[key];
      if (value !== undefined) target[key] = sortKeys(value);
    }
    sorted[path] = target;
  }
  return sorted;
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const part = value[key];
    if (part !== undefined) sorted[key] = sortKeys(part);
  }
  return sorted;
}
