// Builds a client SDK from one of the two API documents with OpenAPI Generator: a development tool that needs Java
// and fetches itself at its first use. Nothing that runs or tests the controller needs it.
//   npm run sdk -- client typescript-fetch out/client
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const [api, generator = 'typescript-fetch', out] = process.argv.slice(2);
if (api !== 'client' && api !== 'management') {
  console.error('Usage: npm run sdk -- client|management [GENERATOR] [OUT]\nGenerators: npm run sdk -- client list');
  process.exit(1);
}
const tool = ['--yes', '@openapitools/openapi-generator-cli@2.35.0'];
const document = join(root, 'generated', `${api}.json`);
const args = generator === 'list' ? ['list'] : generator === 'validate' ? ['validate', '-i', document]
  : ['generate', '-i', document, '-g', generator, '-o', out ?? join('sdk', api)];
const { status } = spawnSync('npx', [...tool, ...args], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
