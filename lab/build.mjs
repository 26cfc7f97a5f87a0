// Compiles the laboratory, lab/ and its tests in test/lab/, into dist/lab and dist/test/lab. It runs on the product and
// on the test doubles that scripts/build.mjs compiled before. Types are not checked here: `npm run check` does that for
// the whole tree (tsconfig.json).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['lab', 'test/lab'];

const settings = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config;
const { options } = ts.convertCompilerOptionsFromJson(settings.compilerOptions, root);
// A single file does not show the "type" of package.json, which NodeNext goes by.
const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };

const filesBelow = (folder, ending) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(ending))
        .map((name) => join(folder, name))
    : [];

function compile(source, target) {
  const fileName = join(root, source);
  const { outputText, sourceMapText } = ts.transpileModule(readFileSync(fileName, 'utf8'), {
    fileName: basename(source),
    compilerOptions,
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(`${target}.map`, sourceMapText);
  writeFileSync(target, outputText);
}

const timeOf = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

for (const folder of SOURCES) {
  const sources = filesBelow(folder, '.ts');
  const expected = new Set(sources.map((source) => join('dist', source.replace(/\.ts$/, '.js'))));
  for (const old of filesBelow(join('dist', folder), '.js').filter((file) => !expected.has(file)))
    rmSync(join(root, old));
  for (const source of sources) {
    const target = join(root, 'dist', source.replace(/\.ts$/, '.js'));
    if (timeOf(target) <= timeOf(join(root, source))) compile(source, target);
  }
}
