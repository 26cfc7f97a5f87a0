// Sets up and runs every test: packages, the contract tester, a browser, then the checks and the suites.
// Works on a fresh clone with Node and npm only. What comes after -- goes to mocha: options, files below dist/test.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAll, runChosen } from './suites.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const started = Date.now();

const title = (text) => console.log(`\n── ${text} (${Math.round((Date.now() - started) / 1000)} s)`);

function step(what, command, args, options = {}) {
  title(what);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) console.error(String(error));
  if (status !== 0 && options.optional !== true) {
    console.error(`\n${what}: failed`);
    process.exit(status ?? 1);
  }
}

const CHECKS = {
  types: ['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false'],
  lint: ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'],
  format: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '**/*.{ts,mjs,js,cjs}'],
  specs: ['dist/scripts/lint-specs.js'],
  'generated files are fresh': ['dist/scripts/generate.js', '--check'],
};

/** Runs them at this priority, one after the other. Answers what failed, with what it said. */
async function check(priority = 0) {
  const faults = [];
  for (const [what, args] of Object.entries(CHECKS)) {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    const status = await new Promise((resolve) => {
      child.once('error', (error) => {
        output += String(error);
        resolve(1);
      });
      child.once('close', resolve);
    });
    if (status === 0) continue;
    console.error(`\n${what}: failed\n${output}`);
    faults.push({ title: what, error: output.trim() });
  }
  return faults;
}

const browsers = [
  process.env.EDGE_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const onPath = (process.env.PATH ?? '')
  .split(':')
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)));
const hasBrowser = () => [...browsers, ...onPath].some((path) => path && existsSync(path));
const hasSystemPostgres = () => existsSync('/usr/lib/postgresql');
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

if (!existsSync(join(root, 'node_modules/typescript'))) step('packages', 'npm', ['ci']);
if (!existsSync(join(root, 'test/contract/dredd/node_modules/dredd')))
  step('contract tester', 'npm', ['ci', '--prefix', 'test/contract/dredd', '--no-audit', '--no-fund']);
const programs = {
  pgbouncer: '/usr/sbin/pgbouncer',
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  openssl: '/usr/bin/openssl',
  curl: '/usr/bin/curl',
};
/** Without them their tests are skipped, and say so. */
const extras = { prometheus: '/usr/bin/prometheus' };
const missing = (places) =>
  Object.entries(places)
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => name);
const optional = missing(extras);
const wanted = [
  ...(hasBrowser() ? [] : ['chromium']),
  ...(hasSystemPostgres() ? [] : ['postgresql']),
  ...missing(programs),
];
const install = (names, options) =>
  step(`system packages: ${names.join(' ')}`, 'apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
if (wanted.length + optional.length > 0 && canInstall) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  step('package lists', 'apt-get', ['update', '-q'], { env, optional: true, stdio: ['ignore', 'ignore', 'inherit'] });
  if (wanted.length > 0) install(wanted, { env });
  if (optional.length > 0) install(optional, { env, optional: true });
}
if (!hasBrowser()) {
  console.error(
    'The page tests need a Chromium browser: install one (Debian: apt-get install chromium) or set ' +
      'EDGE_TEST_CHROMIUM to its path.',
  );
  process.exit(1);
}
// Types are checked beside the suites.
step('build', process.execPath, ['scripts/build.mjs', '--if-stale', '--no-check']);
step('build of the laboratory', process.execPath, ['lab/build.mjs']);
const chosen = process.argv.slice(2);
if (chosen.length > 0) {
  title(Object.keys(CHECKS).join(', '));
  if ((await check()).length > 0) process.exit(1);
  title('suites');
  process.exitCode = await runChosen(root, chosen);
} else {
  const { useMemory } = await import('../dist/test/support/memory.js');
  process.exitCode = await runAll(root, { title, useMemory, check });
}
