// Sets up and runs every test: packages, the contract tester, a browser, then the checks and the suites.
// Works on a fresh clone with Node and npm only. Options after -- go to mocha.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const started = Date.now();

function step(title, command, args, options = {}) {
  console.log(`\n── ${title} (${Math.round((Date.now() - started) / 1000)} s)`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) console.error(String(error));
  if (status !== 0 && options.optional !== true) {
    console.error(`\n${title}: failed`);
    process.exit(status ?? 1);
  }
  return status === 0;
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
const wanted = [
  ...(hasBrowser() ? [] : ['chromium']),
  ...(hasSystemPostgres() ? [] : ['postgresql']),
  ...Object.entries(programs)
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => name),
];
if (wanted.length > 0 && canInstall) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  step('package lists', 'apt-get', ['update', '-q'], { env, optional: true, stdio: ['ignore', 'ignore', 'inherit'] });
  step(
    `system packages: ${wanted.join(' ')}`,
    'apt-get',
    ['install', '-y', '-q', '--no-install-recommends', ...wanted],
    { env, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}
if (!hasBrowser()) {
  console.error(
    'The page tests need a Chromium browser: install one (Debian: apt-get install chromium) or set ' +
      'EDGE_TEST_CHROMIUM to its path.',
  );
  process.exit(1);
}
step('build', process.execPath, ['scripts/build.mjs']);
step('format', process.execPath, [
  'node_modules/prettier/bin/prettier.cjs',
  '--check',
  '--log-level',
  'warn',
  '**/*.{ts,mjs,js,cjs}',
]);
step('lint', process.execPath, ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0']);
step('specs', process.execPath, ['dist/scripts/lint-specs.js']);
step('generated files are fresh', process.execPath, ['dist/scripts/generate.js', '--check']);
step('suites', process.execPath, ['node_modules/mocha/bin/mocha.js', ...process.argv.slice(2)]);
