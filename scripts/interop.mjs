// Runs the suites that need the field's own program: its router, SDK and tunneler against this controller, of the
// release in use and of the next one. ZITI and ZITI_NEXT name them; else `ziti` and `ziti-next` are on the path, or
// both are packed in ../shared/bin. Options after -- go to mocha.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RELEASES, findStockBinary, missing } from '../dist/test/support/stock-binary.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const SUITES = ['dist/test/interop/*.test.js', 'dist/test/life/stock-router.test.js'];
const MOCHA = ['--no-config', '--require', 'dist/test/support/setup.js', '--reporter', 'test/support/reporter.cjs'];

function program(release) {
  try {
    return findStockBinary(release);
  } catch (error) {
    console.error(`interop: ${error.message}`);
    process.exit(1);
  }
}

const [ziti, next] = RELEASES.map((release) => {
  const file = program(release);
  if (file === undefined) {
    console.error(`interop: there is ${missing(release)}. Nothing was tested.`);
    process.exit(1);
  }
  const version = spawnSync(file, ['version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  console.log(`interop: ${file} ${version}`);
  return file;
});
const { status } = spawnSync(
  process.execPath,
  ['node_modules/mocha/bin/mocha.js', ...MOCHA, '--enable-source-maps', ...SUITES, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ZITI: ziti, ZITI_NEXT: next, EDGE_INTEROP: 'all' } },
);
process.exit(status ?? 1);
