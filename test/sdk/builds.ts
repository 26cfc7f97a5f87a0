/** How the example of each language is built on its SDKs. docs/sdks.md has the same commands for people. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/sdk/generator.js';
import type { Language } from '../../scripts/sdk/languages.js';
import { sdkApis } from '../../scripts/sdk/documents.js';
import { run } from './toolchains.js';

/** What starts a built example. */
export interface Example {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Build {
  /** What needs no SDK: may run while those are made. */
  readonly prepare: (place: string) => Promise<void>;
  /** @param place  has `client`, `fabric` and `management`, the SDKs */
  readonly build: (place: string) => Promise<Example>;
}

const SOURCES = join(ROOT, 'test/sdk');
const nothing = () => Promise.resolve();
/** Nothing but the standard library is needed, so nothing is fetched. */
const GO = { GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' };

export const builds: Readonly<Record<Language, Build>> = {
  typescript: {
    prepare: nothing,
    async build(place) {
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const main = join(place, 'main');
      const modules = join(main, 'node_modules');
      mkdirSync(modules, { recursive: true });
      copyFileSync(join(SOURCES, 'typescript/main.ts'), join(main, 'main.ts'));
      copyFileSync(join(SOURCES, 'typescript/tsconfig.json'), join(main, 'tsconfig.json'));
      writeFileSync(join(main, 'package.json'), '{ "type": "module" }');
      for (const api of sdkApis) symlinkSync(join(place, api), join(modules, `edge-${api}`));
      for (const name of ['@peculiar', '@types', 'reflect-metadata', 'undici-types'])
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
      await Promise.all(sdkApis.map((api) => run(process.execPath, [compiler, '-p', api], { cwd: place })));
      await run(process.execPath, [compiler, '-p', 'main'], { cwd: place });
      return { command: process.execPath, args: [join(main, 'dist/main.js')] };
    },
  },
  go: {
    prepare: nothing,
    async build(place) {
      const main = join(place, 'main');
      mkdirSync(main);
      for (const file of ['main.go', 'go.mod']) copyFileSync(join(SOURCES, 'go', file), join(main, file));
      for (const folder of [...sdkApis, 'main']) {
        await run('go', ['build', ...(folder === 'main' ? ['-o', 'example'] : []), './...'], {
          cwd: join(place, folder),
          env: GO,
        });
      }
      await run('go', ['vet', './...'], { cwd: main, env: GO });
      return { command: join(main, 'example'), args: [] };
    },
  },
  python: {
    async prepare(place) {
      await run('python3', ['-m', 'venv', 'venv'], { cwd: place });
      const requirements = join(SOURCES, 'python/requirements.txt');
      await run('venv/bin/python', ['-m', 'pip', 'install', '-q', '-r', requirements], { cwd: place });
    },
    async build(place) {
      const python = join(place, 'venv/bin/python');
      copyFileSync(join(SOURCES, 'python/main.py'), join(place, 'main.py'));
      const packages = sdkApis.map((api) => `edge_${api}`);
      for (const api of sdkApis)
        cpSync(join(place, api, `edge_${api}`), join(place, `edge_${api}`), { recursive: true });
      // Every module, so that none is broken that the example does not load.
      await run(python, ['-m', 'compileall', '-q', ...packages], { cwd: place });
      await run(python, ['-c', packages.map((name) => `from ${name} import *`).join('\n')], { cwd: place });
      return { command: python, args: ['-W', 'ignore:Unverified HTTPS', 'main.py'] };
    },
  },
  java: {
    async prepare(place) {
      const project = join(SOURCES, 'java/pom.xml');
      const target = `-DoutputDirectory=${join(place, 'lib')}`;
      await run('mvn', ['-q', '-B', '-f', project, 'dependency:copy-dependencies', target], { cwd: place });
    },
    async build(place) {
      const sources = sdkApis.flatMap((api) => javaFiles(join(place, api, 'src/main/java')));
      writeFileSync(join(place, 'sources'), [...sources, ...javaFiles(join(SOURCES, 'java'))].join('\n'));
      const path = ['classes', ...jarsOf(join(place, 'lib'))].join(':');
      const options = ['-nowarn', '-proc:none', '-Xlint:none', '-d', 'classes', '-cp', path];
      await run('javac', [QUICK, ...options, '@sources'], { cwd: place });
      return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', path, 'Main'] };
    },
  },
};

/** Compiles the samples of the READMEs of built TypeScript SDKs, under the settings of the example. @throws Error */
export async function compileSamples(place: string): Promise<void> {
  const main = join(place, 'main');
  const files = sdkApis.map((api) => {
    const readme = readFileSync(join(place, api, 'README.md'), 'utf8');
    const samples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = '']) => text);
    if (samples.length !== 1) throw new Error(`the README of ${api} has ${samples.length} samples`);
    const file = `sample-${api}.ts`;
    writeFileSync(join(main, file), samples.join(''));
    return file;
  });
  const settings = { extends: './tsconfig.json', compilerOptions: { noEmit: true }, files };
  writeFileSync(join(main, 'samples.json'), JSON.stringify(settings));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', 'main/samples.json'], { cwd: place });
}

/**
 * Compiles Go that the generator made by its defaults.
 * @returns what a file used and did not import, as `file: name`; it is imported, as goimports would do
 */
export async function compileGo(folder: string): Promise<string[]> {
  const build = () => run('go', ['build', '-gcflags=-e', './...'], { cwd: folder, env: GO });
  const failure = await build().then(
    () => '',
    (error: Error) => error.message,
  );
  if (failure === '') return [];
  const [lines, found] = [
    failure.match(/^\.\/.+$/gm) ?? [],
    [...failure.matchAll(/^\.\/(\S+?):.*undefined: (time)$/gm)],
  ];
  if (lines.length === 0 || lines.length !== found.length) throw new Error(failure);
  const lacking = new Set(found.map(([, file = '', name = '']) => `${file}: ${name}`));
  for (const [file = '', name = ''] of [...lacking].map((one) => one.split(': '))) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('import (\n', `import (\n\t"${name}"\n`));
  }
  await build();
  return [...lacking];
}

/** It runs for seconds: what is compiled better would never be earned back. */
const QUICK = '-J-XX:TieredStopAtLevel=1';

function javaFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.java')).map((name) => join(folder, name));
}

function jarsOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
