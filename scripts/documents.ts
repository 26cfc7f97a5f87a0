/**
 * Writes the forms of the API documents that are made at build: JSON, and OpenAPI 3.1 as JSON and as YAML. They go to
 * dist/generated, where the controller serves them from. generated/ keeps the YAML of OpenAPI 2.0, which people review,
 * and the SHA-256 of the rest (documents.sha256). scripts/build.mjs runs this when dist/ holds others.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Document, Scalar, isCollection, visit } from 'yaml';
import { listForms } from './form-parameters.js';
import { toOpenApi31 } from './openapi/document.js';
import { loadSpecs } from './spec-bundle.js';
import { apis, folderOf, httpMethods } from './spec-document.js';
import type { ApiName, OpenApiDocument } from './spec-document.js';

export const CHECKSUMS = 'documents.sha256';

const toJson = (document: unknown): string => `${JSON.stringify(document, null, 1)}\n`;

const WIDTH = 120;

/**
 * YAML 1.2 that readers of 1.1 understand alike: what 1.1 would take for a date, a flag or a number is quoted. Texts
 * with long lines are folded, and texts with several lines are literal blocks.
 */
function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(key, node, path) {
      if (key === 'key' || typeof node.value !== 'string') return;
      const width = WIDTH - 2 * path.filter(isCollection).length;
      const lines = node.value.split('\n');
      if (lines.some((line) => line.length > width && line.includes(' '))) node.type = Scalar.BLOCK_FOLDED;
      else if (lines.length > 1) node.type = Scalar.BLOCK_LITERAL;
    },
  });
  return document.toString({ lineWidth: WIDTH, singleQuote: true });
}

/**
 * The document as it is served. What OpenAPI 2.0 calls `type: file` has its examples in 3.1 alone: tools compare an
 * example with its schema, and none is of that type. Members of forms are parameters.
 */
function servedForm(document: OpenApiDocument): OpenApiDocument {
  const served = structuredClone(document);
  for (const item of Object.values(served.paths))
    for (const method of httpMethods)
      for (const response of Object.values(item[method]?.responses ?? {}))
        if (!('$ref' in response) && response.schema?.type === 'file') delete response.examples;
  listForms(served);
  return served;
}

/** OpenAPI 2.0 in YAML: the form that is checked in. */
export function reviewedForm(document: OpenApiDocument): string {
  return toYaml(JSON.parse(toJson(servedForm(document))));
}

/** The forms of all documents that are made at build, by the name of their file. */
export function builtForms(documents: Readonly<Record<ApiName, OpenApiDocument>>): Map<string, string> {
  return new Map(
    apis.flatMap((api): [string, string][] => {
      const openApi31 = toOpenApi31(documents[api]);
      return [
        [`${folderOf(api)}.json`, toJson(servedForm(documents[api]))],
        [`${folderOf(api)}.openapi.json`, toJson(openApi31)],
        [`${folderOf(api)}.openapi.yml`, toYaml(openApi31)],
      ];
    }),
  );
}

/** The SHA-256 of each file, as `sha256sum --check` reads it. */
export function checksums(files: ReadonlyMap<string, string>): string {
  return [...files].map(([path, text]) => `${createHash('sha256').update(text).digest('hex')}  ${path}\n`).join('');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = resolve(import.meta.dirname, '../..');
  for (const [name, text] of builtForms(loadSpecs(root))) writeFileSync(join(root, 'dist/generated', name), text);
}
