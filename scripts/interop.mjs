// Runs the suites that need the field's own program: its router, SDK and tunneler against this controller. The program
// is what ZITI names, or `ziti` on the path, or packed in ../shared/bin. Options after -- go to mocha.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findStockBinary } from '../dist/test/support/stock-binary.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const SUITES = ['dist/test/interop/*.test.js', 'dist/test/life/stock-router.test.js'];
const MOCHA = ['--no-config', '--require', 'dist/test/support/setup.js', '--reporter', 'test/support/reporter.cjs'];

function program() {
  try {
    return findStockBinary();
  } catch (error) {
    console.error(`interop: ${error.message}`);
    process.exit(1);
  }
}

const ziti = program();
if (ziti === undefined) {
  console.error(
    'interop: there is no ziti program. Set ZITI to it, put it on the path, or put ziti-2.0.3-<system>-<machine>.xz ' +
      'into ../shared/bin. Nothing was tested.',
  );
  process.exit(1);
}
const version = spawnSync(ziti, ['version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
console.log(`interop: ${ziti} ${version}`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/mocha/bin/mocha.js', ...MOCHA, '--enable-source-maps', ...SUITES, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ZITI: ziti } },
);
process.exit(status ?? 1);
