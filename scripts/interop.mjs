// Runs the suites that need the field's own program: its router, SDK and tunneler against this controller, of the
// release in use and of the next one. ZITI and ZITI_NEXT name them; else `ziti` and `ziti-next` are on the path, or
// both are packed in ../shared/bin. Options after -- go to mocha.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RELEASES, findStockBinary, missing } from '../dist/test/support/stock-binary.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const SUITES = [
  'dist/test/interop/*.test.js',
  'dist/test/life/existing-controller-page.test.js',
  'dist/test/life/stock-router.test.js',
];
/** Suites that change the addresses and packet filters of their machine. */
const OF_OWN_NETWORK = ['dist/test/interop/intercept.test.js'];
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
/** @param prefix  what runs the command, instead of it being run itself */
function runSuites(files, more = {}, prefix = []) {
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    ...MOCHA,
    '--enable-source-maps',
    ...files,
    ...process.argv.slice(2),
  ];
  const [command, ...args] = [...prefix, process.execPath, ...mocha];
  const env = { ...process.env, ZITI: ziti, ZITI_NEXT: next, EDGE_INTEROP: 'all', ...more };
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status ?? 1;
}

/** Why there can be no network of its own with packet filters; undefined where there can. */
function hindranceOfOwnNetwork() {
  const inOwn = (command) => spawnSync('unshare', ['-n', 'sh', '-c', command]).status === 0;
  if (!inOwn('ip link set lo up')) return 'no network namespace can be made: root, `unshare` and `ip` are needed';
  return inOwn('iptables -t mangle -S') ? undefined : 'there is no `iptables` with a mangle table';
}

const status = runSuites(SUITES);
const hindrance = hindranceOfOwnNetwork();
if (hindrance !== undefined) {
  console.error(`interop: interception was not tested, since ${hindrance}.`);
  process.exit(status);
}
const inOwnNetwork = ['unshare', '-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
process.exit(runSuites(OF_OWN_NETWORK, { EDGE_OWN_NETWORK: 'yes' }, inOwnNetwork) || status);
