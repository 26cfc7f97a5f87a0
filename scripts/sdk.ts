/**
 * Builds client SDKs from the API documents with OpenAPI Generator; docs/sdks.md has the whole story. Needs Java.
 *   npm run sdk -- go out/go client
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apis, folderOf } from './spec-document.js';
import type { ApiName } from './spec-document.js';
import { corrections, templates } from './sdk/corrections.js';
import { documentOfTree, sdkApis, served } from './sdk/documents.js';
import { generateSdks, ROOT, runGenerator } from './sdk/generator.js';
import { writeSignatures } from './sdk/signatures.js';

const USAGE = `Usage:
  npm run sdk -- LANGUAGE DIR [client|fabric|management]
      LANGUAGE is typescript, go, python or java, or any name that OpenAPI Generator knows.
      Without an API all come, in DIR/client, DIR/fabric and DIR/management.
        --from URL      the document that this controller serves, not the one of this tree
        --ca FILE       with --from: certificates of the network's authorities, PEM
        --sha256 HEX    with --from: fingerprint of the network's root, which the controller then publishes itself
        --host NAME     without --from: name and port that the SDK calls by default (localhost:1280)
        --set KEY=VALUE one more option of the generator, as often as wanted: --set npmName=@acme/edge
  npm run sdk -- list          names of all generators
  npm run sdk -- validate      checks the documents with OpenAPI Generator
  npm run sdk -- signatures    takes what methods of SDKs take now for the release, in test/sdk/signatures.txt
  npm run sdk -- corrections   what is changed in a document for one generator, and why
The first run fetches the generator's packages and its jar; later ones work without a network.`;

class UsageError extends Error {}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [word, directory, api] = positionals;
  if (word === 'list') await runGenerator(['list']);
  else if (word === 'corrections') printCorrections();
  else if (word === 'signatures') writeSignatures();
  else if (word === 'validate')
    for (const name of apis) await runGenerator(['validate', '-i', join(ROOT, 'generated', `${folderOf(name)}.json`)]);
  else if (word === undefined || directory === undefined)
    throw new UsageError('A language and a directory are needed.');
  else await generate(word, directory, apisOf(api), values);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        ca: { type: 'string' },
        sha256: { type: 'string' },
        host: { type: 'string' },
        set: { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function apisOf(word: string | undefined): readonly ApiName[] {
  if (word === undefined) return sdkApis;
  const found = sdkApis.find((name) => name === word);
  if (found === undefined) throw new UsageError(`${word} is no API: client, fabric or management.`);
  return [found];
}

async function generate(
  language: string,
  directory: string,
  wanted: readonly ApiName[],
  { from, ca, sha256, host, set = [] }: ReturnType<typeof readArguments>['values'],
): Promise<void> {
  if (from === undefined && (ca !== undefined || sha256 !== undefined))
    throw new UsageError('--ca and --sha256 belong to --from.');
  if (from !== undefined && host !== undefined)
    throw new UsageError('--host has no meaning with --from: the controller says its own.');
  const trust = {
    ...(ca === undefined ? {} : { authorities: readFileSync(ca, 'utf8') }),
    ...(sha256 === undefined ? {} : { fingerprint: sha256 }),
  };
  const documents =
    from === undefined
      ? new Map(wanted.map((api) => [api, documentOfTree(api, host ?? 'localhost:1280')]))
      : await served(from, wanted, trust, console.log);
  await generateSdks(
    [...documents].map(([api, document]) => ({
      language,
      api,
      document,
      directory: wanted.length === 1 ? directory : join(directory, api),
    })),
    { properties: Object.fromEntries(set.map(toProperty)) },
  );
}

function toProperty(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--set ${text}: KEY=VALUE is wanted.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function printCorrections(): void {
  for (const { generators, what, why } of corrections)
    console.log(`${[generators].flat().join(', ')}: ${what}\n  ${why}`);
  for (const { generator, file, why } of templates) console.log(`${generator}: our template ${file}\n  ${why}`);
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 1;
}
