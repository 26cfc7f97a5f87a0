/** A name means one thing: no two files of production export the same one. What is exported is imported elsewhere. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PRODUCTION = ['domain', 'db', 'handlers', 'fabric', 'server', 'commands'];
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const IMPORT = /^(?:import|export) (?:type )?(?:\w+,? ?)?(?:\{([^}]*)\} |(\*)[^{}']*?)?from '(\.[^']+)';/gm;
const IMPORT_AT_USE = /\bimport\('(\.[^']+)'\)/g;

/** The specs give both APIs operations of one name, and messages of the control channel are called like operations. */
const isNamedBySpec = (file: string) => /^(handlers\/(client|fabric|management)|fabric\/messages)\//.test(file);

/** Files that export more than the rest of production imports, each with its reason. */
const MORE: Readonly<Record<string, string>> = {
  'db/stores/entities.ts': 'tables of the names that filters know, for tests over all of them',
  'domain/policy/access.ts':
    'decides in memory what the database decides in SQL: tests compare both in random networks',
  'fabric/channel/bounds.ts': 'tells tests of which kinds to make frames that are too large',
  'fabric/channel/headers.ts': 'reads and writes all kinds of headers, 64-bit ones and capability masks too',
  'fabric/traffic/session-watch.ts': 'makes the message of ended sessions, for whoever sends it to other routers',
};

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });

interface Export {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
  readonly isUsedInFile: boolean;
}

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

function exportsOf(file: string): Export[] {
  const text = withoutComments(textOf(file));
  return [...text.matchAll(EXPORT)].map(([, kind = '', name = '']) => ({
    file,
    name,
    isType: kind === 'interface' || kind === 'type',
    isUsedInFile: (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1,
  }));
}

/** `file name` of what the folders import; `file *` where a file is imported whole. */
function importsOf(folders: readonly string[]): Set<string> {
  const imported = new Set<string>();
  for (const file of folders.flatMap(filesBelow)) {
    const text = textOf(file);
    const target = (path: string) => posix.join(dirname(file), path).replace(/\.js$/, '.ts');
    for (const [, names, star, path = ''] of text.matchAll(IMPORT)) {
      if (star !== undefined) imported.add(`${target(path)} *`);
      for (const name of (names ?? '').split(',')) imported.add(`${target(path)} ${name.trim().split(' ')[0] ?? ''}`);
    }
    for (const [, path = ''] of text.matchAll(IMPORT_AT_USE)) imported.add(`${target(path)} *`);
  }
  return imported;
}

describe('the names that production files export', () => {
  const all = PRODUCTION.flatMap(filesBelow).flatMap(exportsOf);
  const missingIn = (imported: ReadonlySet<string>) =>
    all.filter(({ file, name }) => !imported.has(`${file} ${name}`) && !imported.has(`${file} *`));

  it('are exported by one file each', () => {
    expect(all.length, 'names found').to.be.greaterThan(1500);
    const filesOf = new Map<string, Set<string>>();
    for (const { file, name } of all) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
    const doubled = [...filesOf].filter(([, files]) => files.size > 1 && ![...files].every(isNamedBySpec));
    expect(doubled.map(([name]) => name)).to.deep.equal([]);
  });

  it('are imported elsewhere', () => {
    const imported = importsOf([...PRODUCTION, 'scripts', 'test', 'lab']);
    expect(imported.size, 'imports found').to.be.greaterThan(3000);
    // Types that other exports of the file are made of may be named by whoever calls those.
    const nowhere = missingIn(imported).filter(({ isType, isUsedInFile }) => !(isType && isUsedInFile));
    const forTests = missingIn(importsOf([...PRODUCTION, 'scripts'])).filter(({ isUsedInFile }) => !isUsedInFile);
    const unused = [...nowhere, ...forTests];
    const texts = unused.filter(({ file }) => MORE[file] === undefined).map(({ file, name }) => `${file}: ${name}`);
    expect([...new Set(texts)], 'exports to remove, or to use in production').to.deep.equal([]);
    const isNeeded = (file: string) => unused.some((found) => found.file === file);
    expect(
      Object.keys(MORE).filter((file) => !isNeeded(file)),
      'exceptions to remove',
    ).to.deep.equal([]);
  });
});
