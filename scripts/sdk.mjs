// Builds a client SDK from one of the two API documents with OpenAPI Generator: a development tool that needs Java.
// Its packages have a lockfile of their own and are installed at the first use, without running their scripts. They
// fetch the generator itself, in the version of openapitools.json, from Maven Central.
//   npm run sdk -- client typescript-fetch out/client
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'scripts', 'sdk-generator');
const program = join(home, 'node_modules', '@openapitools', 'openapi-generator-cli', 'main.js');
const [api, generator = 'typescript-fetch', out] = process.argv.slice(2);
if (api !== 'client' && api !== 'management') {
  console.error('Usage: npm run sdk -- client|management [GENERATOR] [OUT]\nGenerators: npm run sdk -- client list');
  process.exit(1);
}
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
if (!existsSync(program)) {
  const status = run('npm', ['ci', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund']);
  if (status !== 0) process.exit(status);
}
const document = join(root, 'generated', `${api}.json`);
const args =
  generator === 'list'
    ? ['list']
    : generator === 'validate'
      ? ['validate', '-i', document]
      : ['generate', '-i', document, '-g', generator, '-o', out ?? join('sdk', api)];
process.exit(run(process.execPath, [program, ...args]));
