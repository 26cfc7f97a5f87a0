// Checks the OpenAPI documents: `npm run lint:specs` prints one line per finding, `document: where: rule: how to fix
// it`. The rules are functions in lint-specs/, listed in operationRules, schemaRules and documentRules; each finding
// carries its rule's name.

import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import SwaggerParser from '@apidevtools/swagger-parser';
import { lintDescriptions } from './lint-specs/descriptions.js';
import { lintAnswers } from './lint-specs/answers.js';
import { lintDocument } from './lint-specs/documents.js';
import { lintExamples, lintMissingExamples } from './lint-specs/examples.js';
import { lintOperations } from './lint-specs/operations.js';
import { lintRequests } from './lint-specs/requests.js';
import { lintSchemas } from './lint-specs/schemas.js';
import { messageOf } from './lint-specs/walk.js';
import type { Report } from './lint-specs/walk.js';
import { loadSpecs, unusedEntries } from './spec-bundle.js';
import { apis } from './spec-document.js';
import type { ApiName, OpenApiDocument } from './spec-document.js';

/** All findings, sorted; none means that the specs are fine. `rootDir` is the project's folder. */
export async function lintSpecs(rootDir: string): Promise<string[]> {
  let documents: ReturnType<typeof loadSpecs>;
  try {
    documents = loadSpecs(rootDir);
  } catch (error) {
    return [`specs: ${messageOf(error)}`];
  }
  const findings: string[] = [];
  for (const api of apis) {
    await lintStructure(documents[api], (rule, fix) => findings.push(`${api}: document: ${rule}: ${fix}`));
    findings.push(...lintBundled(api, documents[api]));
  }
  lintMissingExamples(documents, (api) => (where) => (rule, fix) => findings.push(`${api}: ${where}: ${rule}: ${fix}`));
  for (const entry of unusedEntries(rootDir)) {
    findings.push(`specs: ${entry}: reachable: nothing leads to this entry; use it or remove it`);
  }
  return findings.sort();
}

/** What the rules find in one document; its shape is `lintStructure`'s. */
export function lintBundled(api: ApiName, document: OpenApiDocument): string[] {
  const findings: string[] = [];
  const reportAt =
    (where: string): Report =>
    (rule, fix) =>
      findings.push(`${api}: ${where}: ${rule}: ${fix}`);
  const rules = [lintOperations, lintSchemas, lintDocument, lintDescriptions, lintRequests, lintAnswers, lintExamples];
  for (const lint of rules) lint(document, reportAt);
  return findings;
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
