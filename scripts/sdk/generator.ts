/**
 * OpenAPI Generator: the npm package of scripts/sdk-generator, which fetches the generator itself, a jar, from Maven
 * Central in the version of openapitools.json. The jar is kept in the user's cache, so that it is fetched once.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiName, JsonObject } from '../spec-document.js';
import { correctedFor, templates } from './corrections.js';
import { recipeOf } from './languages.js';

/** This file runs from dist/scripts/sdk/. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HOME = join(ROOT, 'scripts', 'sdk-generator');
const PACKAGE = join(HOME, 'node_modules', '@openapitools', 'openapi-generator-cli');

interface Settings {
  readonly 'generator-cli': { readonly version: string; readonly storageDir: string };
}
const settings = (): Settings['generator-cli'] =>
  (readJson(join(ROOT, 'openapitools.json')) as Settings)['generator-cli'];

export interface Order {
  /** One of ours, or any name that OpenAPI Generator knows. */
  readonly language: string;
  readonly api: ApiName;
  readonly document: JsonObject;
  /** Where the package goes; what is there already is overwritten file by file. */
  readonly directory: string;
  /** Of the document as it is and the generator's own defaults, without anything of ours. */
  readonly plain?: boolean;
}

export interface GenerateOptions {
  /** Without pages and stubs of tests, when only the program is wanted. */
  readonly codeOnly?: boolean;
  /** More of `--additional-properties`. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Gets what the tool says, instead of the terminal. */
  readonly output?: (text: string) => void;
}

/** All of them in one run of the tool. @throws Error when it fails */
export async function generateSdks(orders: readonly Order[], options: GenerateOptions = {}): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'edge-sdk-'));
  try {
    const files = orders.map((order, index) => writeConfig(place, index, order, options));
    await runGenerator(['batch', '--fail-fast', '--threads', '2', ...files], options.output);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** @param output  gets what the tool says, instead of the terminal. @throws Error when it fails */
export async function runGenerator(args: readonly string[], output?: (text: string) => void): Promise<void> {
  await install(output);
  await run(process.execPath, [join(PACKAGE, 'main.js'), ...args], output);
}

/** The packages of the tool, and the jar. Does nothing when both are there. */
async function install(output: GenerateOptions['output']): Promise<void> {
  if (!existsSync(join(PACKAGE, 'main.js')))
    await run('npm', ['ci', '--prefix', HOME, '--ignore-scripts', '--no-audit', '--no-fund'], output);
  const { version, storageDir } = settings();
  const jar = join(resolve(ROOT, storageDir.replace('~', homedir())), `${version}.jar`);
  const expected = (readJson(join(HOME, 'package.json')) as { jar: { sha256: string } }).jar.sha256;
  if (existsSync(jar) && sha256Of(jar) !== expected) rmSync(jar); // cut off, or of another version of this project
  if (!existsSync(jar)) await run(process.execPath, [join(PACKAGE, 'main.js'), 'version'], output);
  if (!existsSync(jar)) throw new Error('OpenAPI Generator could not be fetched: see the lines above');
  const found = sha256Of(jar);
  if (found === expected) return;
  rmSync(jar);
  throw new Error(
    `OpenAPI Generator ${version} was fetched with the SHA-256 ${found}, not ${expected}. Run this again; if the ` +
      'version was changed, put the new SHA-256 into scripts/sdk-generator/package.json.',
  );
}

function writeConfig(place: string, index: number, order: Order, options: GenerateOptions): string {
  const { language, api, directory, plain = false } = order;
  const { version } = readJson(join(ROOT, 'package.json')) as { version: string };
  const recipe = recipeOf(language, api, version);
  const [input, config] = [join(place, `${index}.document.json`), join(place, `${index}.json`)];
  writeFileSync(input, JSON.stringify(plain ? order.document : correctedFor(recipe.generator, order.document)));
  const { gitHost, gitUserId, gitRepoId, ...properties } = options.properties ?? {};
  const git = Object.fromEntries(
    Object.entries({ gitHost, gitUserId, gitRepoId }).filter(([, value]) => value !== undefined),
  );
  const own = templates.some(({ generator }) => generator === recipe.generator);
  const without = options.codeOnly === true ? ['apiDocs', 'modelDocs'] : [];
  const files = {
    generatorName: recipe.generator,
    inputSpec: input,
    outputDir: resolve(directory),
    // The tests that the generator makes are stubs.
    globalProperties: Object.fromEntries([...without, 'apiTests', 'modelTests'].map((name) => [name, 'false'])),
  };
  const settings = plain
    ? {}
    : {
        ...(recipe.library === undefined ? {} : { library: recipe.library }),
        ...(own ? { templateDir: join(HOME, 'templates', recipe.generator) } : {}),
        ...recipe.module,
        ...(recipe.names === undefined ? {} : { nameMappings: recipe.names }),
        ...git,
        additionalProperties: { ...recipe.options, ...properties },
      };
  writeFileSync(config, JSON.stringify({ ...files, ...settings }));
  mkdirSync(directory, { recursive: true });
  return config;
}

function run(command: string, args: readonly string[], output: GenerateOptions['output']): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      // It runs for seconds: what is compiled better would never be earned back. It looks for its settings in PWD.
      env: { JAVA_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC', ...process.env, PWD: ROOT },
      stdio: output === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', output ?? (() => {}));
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve();
      else reject(new Error(`${command} ${args[0] ?? ''} ended with status ${status}`));
    });
  });
}

const sha256Of = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
