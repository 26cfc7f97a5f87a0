// Writes generated/ from specs/, or with --check says whether it is fresh. The parts are in scripts/generate/.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtForms, CHECKSUMS, checksums, reviewedForm } from './documents.js';
import { Catalog } from './generate/catalog.js';
import type { Api } from './generate/model.js';
import { NameTables } from './generate/names.js';
import { networkFilesSchema } from './generate/network-files.js';
import { byName } from './generate/node.js';
import { emitProtobuf } from './generate/protobuf.js';
import { emitOperationTable, emitOperationTypes, emitRoutes } from './generate/operations.js';
import { readModel } from './generate/read.js';
import { FORMATS, FORMATS_DECLARATION, OPERATION_TYPES, VALIDATORS_DECLARATION } from './generate/static.js';
import { HEADER } from './generate/text.js';
import { emitTypes } from './generate/types.js';
import { emitValidators } from './generate/validators.js';
import { toSchemas } from './openapi/schema.js';
import { loadSpecs } from './spec-bundle.js';
import { apis, folderOf } from './spec-document.js';
import type { JsonObject, OpenApiDocument } from './spec-document.js';

/** Everything in generated/, by path. `rootDir` is the folder that holds specs/. */
export function generate(rootDir: string): Map<string, string> {
  const documents = loadSpecs(rootDir);
  return sorted([...generateFrom(documents), ...emitProtobuf(rootDir), networkFiles(documents.management)]);
}

/** The schema of network files; it comes of this network's own document alone, not of any that can be read. */
function networkFiles(management: OpenApiDocument): [path: string, content: string] {
  const schema = networkFilesSchema(toSchemas(management) as Readonly<Record<string, JsonObject>>);
  return ['network-files.schema.json', `${JSON.stringify(schema, null, 1)}\n`];
}

/** What comes of the bundled documents alone. */
export function generateFrom(documents: Readonly<Record<Api, unknown>>): Map<string, string> {
  const files = new Map<string, string>();
  const parts = apis.map((api) => {
    const folder = folderOf(api);
    const catalog = new Catalog(readModel(api, documents[api]));
    const { code, allFaults, items } = emitValidators(catalog);
    files.set(`${folder}.yml`, reviewedForm(documents[api] as OpenApiDocument));
    const names = new NameTables(catalog);
    files.set(`${folder}/names.ts`, `${HEADER}\n${names.emit()}`);
    files.set(`${folder}/request.ts`, `${HEADER}\n${emitTypes(catalog, 'request')}`);
    files.set(`${folder}/response.ts`, `${HEADER}\n${emitTypes(catalog, 'response')}`);
    files.set(`${folder}/operations.ts`, `${HEADER}\n${emitOperationTypes(catalog)}`);
    files.set(`${folder}/all-faults.cjs`, HEADER + allFaults);
    files.set(`${folder}/all-faults.d.cts`, HEADER + VALIDATORS_DECLARATION);
    files.set(`${folder}/validators.cjs`, HEADER + code);
    files.set(`${folder}/validators.d.cts`, HEADER + VALIDATORS_DECLARATION);
    return { catalog, items, names };
  });
  files.set(CHECKSUMS, checksums(builtForms(documents as Record<Api, OpenApiDocument>)));
  files.set('formats.cjs', HEADER + FORMATS);
  files.set('formats.d.cts', HEADER + FORMATS_DECLARATION);
  files.set('operation.ts', `${HEADER}\n${OPERATION_TYPES}`);
  files.set('operations.ts', `${HEADER}\n${emitOperationTable(parts)}`);
  files.set('routes.ts', `${HEADER}\n${emitRoutes(parts.map(({ catalog }) => catalog.model))}`);
  return sorted([...files]);
}

function sorted(files: [path: string, content: string][]): Map<string, string> {
  return new Map(files.sort(([a], [b]) => byName(a, b)));
}

/** How a folder differs from what it should hold, a line for each file; empty when it does not. */
export function differences(folder: string, files: ReadonlyMap<string, string>): string[] {
  const found = new Set(filesIn(folder));
  const extra = [...found]
    .filter((path) => !files.has(path))
    .sort(byName)
    .map((path) => `${path}: does not belong here`);
  const changed = [...files].flatMap(([path, expected]) => {
    if (!found.has(path)) return [`${path}: missing`];
    const actual = readFileSync(join(folder, path), 'utf8');
    if (actual === expected) return [];
    const lines = actual.split('\n');
    const at = expected.split('\n').findIndex((line, index) => line !== lines[index]);
    return [at < 0 ? `${path}: differs` : `${path}:${at + 1}: differs`];
  });
  return [...changed, ...extra];
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  for (const path of filesIn(folder)) {
    if (!files.has(path)) rmSync(join(folder, path));
  }
  for (const [path, content] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

function main(args: readonly string[]): void {
  const rootDir = resolve(import.meta.dirname, '../..');
  const folder = join(rootDir, 'generated');
  const files = generate(rootDir);
  if (!args.includes('--check')) {
    write(folder, files);
    return;
  }
  const stale = differences(folder, files);
  if (stale.length === 0) return;
  console.error(
    ['generated/ does not match specs/:', ...stale.slice(0, 10).map((line) => `  generated/${line}`)].join('\n'),
  );
  if (stale.length > 10) console.error(`  and ${stale.length - 10} more`);
  console.error('Run `npm run generate` and commit the result.');
  process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  main(process.argv.slice(2));
