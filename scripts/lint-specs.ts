// Checks the OpenAPI documents: `npm run lint:specs` prints one line per finding, `document: where: rule: how to fix
// it`. The rules are functions in lint-specs/, listed in operationRules, schemaRules and documentRules; each finding
// carries its rule's name.

import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import SwaggerParser from '@apidevtools/swagger-parser';
import { lintDescriptions, thingsWithoutDescription } from './lint-specs/descriptions.js';
import { lintDocument } from './lint-specs/documents.js';
import { lintOperations } from './lint-specs/operations.js';
import { lintSchemas } from './lint-specs/schemas.js';
import { messageOf } from './lint-specs/walk.js';
import type { Report } from './lint-specs/walk.js';
import { apis, loadSpecs, unusedEntries } from './spec-bundle.js';
import type { OpenApiDocument } from './spec-bundle.js';

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
    const reportAt =
      (where: string): Report =>
      (rule, fix) =>
        findings.push(`${api}: ${where}: ${rule}: ${fix}`);
    await lintStructure(document, reportAt('document'));
    lintOperations(document, reportAt);
    lintSchemas(document, reportAt);
    lintDocument(document, reportAt);
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

async function main(): Promise<void> {
  // This file runs from dist/scripts/; the specs are next to dist/.
  const rootDir = process.argv[2] ?? resolve(fileURLToPath(new URL('../..', import.meta.url)));
  const findings = await lintSpecs(rootDir);
  for (const finding of findings) console.log(finding);
  console.log(findings.length === 0 ? 'specs: no findings' : `specs: ${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
