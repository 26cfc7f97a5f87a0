// Sets up and runs every test: packages, the contract tester, a browser, then the checks and the suites. Works on a
// fresh clone with Node and npm only. With files or folders after --, builds and runs those and nothing else:
// test/api/services.test.ts, what it was compiled to, its bare name, or test/domain. Options go to mocha.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TESTS, filesNamed, testFiles } from './suite-files.mjs';
import { runAll, runChosen } from './suites.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const started = Date.now();

const title = (text) => console.log(`\n── ${text} (${Math.round((Date.now() - started) / 1000)} s)`);

/** Resolves when it went well, or is `optional`. What another one prints meanwhile comes between. */
function step(what, command, args, { optional, ...options } = {}) {
  title(what);
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(String(error));
      resolve(1);
    });
    child.once('exit', resolve);
  }).then((status) => {
    if (status === 0 || optional === true) return;
    console.error(`\n${what}: failed`);
    process.exit(status ?? 1);
  });
}

const CHECKS = {
  'types and lint': ['scripts/lint.mjs'],
  format: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '**/*.{ts,mjs,js,cjs}'],
  'dead code': ['node_modules/knip/bin/knip.js', '--no-progress'],
  'dead code of the product': ['node_modules/knip/bin/knip.js', '--no-progress', '--production'],
  specs: ['dist/scripts/lint-specs.js'],
};

/** Compilers make much that is soon garbage: with more room for it they collect less, a twelfth of their time. */
const ROOM = '--max-semi-space-size=64';

/** Runs them at this priority, one after the other. Answers what failed, with what it said. */
async function check(priority) {
  const faults = [];
  for (const [what, args] of Object.entries(CHECKS)) {
    const child = spawn(process.execPath, [ROOM, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) setPriority(child.pid, priority);
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

/** With what all suites together need. */
async function installPrograms() {
  const optional = missing(extras);
  const wanted = [
    ...(hasBrowser() ? [] : ['chromium']),
    ...(hasSystemPostgres() ? [] : ['postgresql']),
    ...missing(programs),
  ];
  if (wanted.length + optional.length === 0 || !canInstall) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const stdio = ['ignore', 'ignore', 'inherit'];
  const aptGet = (what, args, isOptional) => step(what, 'apt-get', args, { env, stdio, optional: isOptional });
  const install = (names, isOptional) =>
    aptGet(
      `system packages: ${names.join(' ')}`,
      ['install', '-y', '-q', '--no-install-recommends', ...names],
      isOptional,
    );
  await aptGet('package lists', ['update', '-q'], true);
  if (wanted.length > 0) await install(wanted, false);
  if (optional.length > 0) await install(optional, true);
}

const installContractTester = async () => {
  if (existsSync(join(root, 'test/contract/dredd/node_modules/dredd'))) return;
  await step('contract tester', 'npm', ['ci', '--prefix', 'test/contract/dredd', '--no-audit', '--no-fund']);
};

/** Types are checked beside the suites. */
async function build() {
  await step('build', process.execPath, ['scripts/build.mjs', '--if-stale', '--no-check']);
  await step('build of the laboratory', process.execPath, ['lab/build.mjs']);
}

async function testAll() {
  await Promise.all([installContractTester(), installPrograms(), build()]);
  if (!hasBrowser()) {
    console.error(
      'The page tests need a Chromium browser: install one (Debian: apt-get install chromium) or set ' +
        'EDGE_TEST_CHROMIUM to its path.',
    );
    return 1;
  }
  const { useMemory } = await import('../dist/test/support/memory.js');
  return runAll(root, { title, useMemory, check });
}

/** Options of mocha that take the next word. */
const VALUED = ['-g', '--grep', '-f', '--fgrep', '-t', '--timeout', '-s', '--slow'];

/** @param args  files, folders and options of mocha; with options alone, those files of all that have such tests */
async function testChosen(args) {
  await build();
  const all = testFiles(root);
  const files = new Set();
  const options = [];
  for (const [index, word] of args.entries()) {
    if (word.startsWith('-') || VALUED.includes(args[index - 1])) {
      options.push(word);
      continue;
    }
    const named = filesNamed(all, word);
    if (named.length === 0) {
      console.error(`There is no test file or folder ${word}: name it as test/api/services.test.ts, or services.`);
      return 1;
    }
    named.forEach((file) => files.add(file));
  }
  if (files.has(join(TESTS, 'contract/contract.test.js'))) await installContractTester();
  title(files.size > 0 ? [...files].join(' ') : 'suites');
  return runChosen(root, [...options, ...(files.size > 0 ? files : all.map((name) => join(TESTS, name)))]);
}

if (!existsSync(join(root, 'node_modules/typescript'))) await step('packages', 'npm', ['ci']);
const args = process.argv.slice(2);
process.exitCode = args.length > 0 ? await testChosen(args) : await testAll();
