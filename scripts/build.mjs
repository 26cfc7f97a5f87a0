// Compiles to dist/ and adds what the compiler leaves out. Does nothing when dist/ is newer than every source, or where
// there are none: an installed package runs it too (npm start), and has dist/ alone.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['generated', 'domain', 'db', 'handlers', 'fabric', 'server', 'commands', 'scripts', 'test'].filter(
  (folder) => existsSync(join(root, folder)), // an image is built without tests
);
const stamp = join(root, 'dist/build.json');
const isStaleOnly = process.argv.includes('--if-stale');
if (isStaleOnly && existsSync(stamp) && !existsSync(join(root, 'tsconfig.json'))) process.exit(0);

function newest(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

const sources = Math.max(
  ...folders.map((folder) => newest(join(root, folder))),
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((file) => statSync(join(root, file)).mtimeMs),
);
if (isStaleOnly && existsSync(stamp) && statSync(stamp).mtimeMs > sources) process.exit(0);

const project = join(root, 'tsconfig.build.json');
const noCheck = process.argv.includes('--no-check') ? ['--noCheck'] : [];
const checksPage = noCheck.length === 0 && isPageNewer();
/** The page has a compiler's project of its own, for browsers, which takes some seconds: only when it has changed. */
function isPageNewer() {
  const info = join(root, 'dist/.network-page.tsbuildinfo');
  const changed = Math.max(newest(join(root, 'server/network-page')), newest(join(root, 'generated')));
  return !existsSync(info) || statSync(info).mtimeMs < changed;
}
try {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, ...noCheck], {
    stdio: 'inherit',
  });
  if (checksPage) {
    const page = join(root, 'server/network-page/tsconfig.json');
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', page], { stdio: 'inherit' });
    // The compiler leaves the file as it is when there is nothing new to say.
    utimesSync(join(root, 'dist/.network-page.tsbuildinfo'), new Date(), new Date());
  }
} catch {
  process.exit(1);
}
/** Removes what an earlier build made of sources that are gone: tests and imports would still find it. */
function prune(folder) {
  const made = join(root, 'dist', folder);
  if (!existsSync(made)) return;
  for (const entry of readdirSync(made, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) prune(path);
    else if (path.endsWith('.js.map') && !existsSync(join(root, path.replace(/\.js\.map$/, '.ts'))))
      for (const file of [path, path.replace(/\.map$/, '')]) rmSync(join(root, 'dist', file), { force: true });
  }
  if (readdirSync(made).length === 0) rmdirSync(made);
}
folders.forEach(prune);
const { bundle } = await import('./bundle.mjs'); // not in the package, which has dist/ alone
await bundle(root);

// What `bin` of package.json names: npm makes it executable when it installs, and a checkout does not.
chmodSync(join(root, 'dist/commands/main.js'), 0o755);
mkdirSync(join(root, 'dist/generated'), { recursive: true });
cpSync(join(root, 'generated'), join(root, 'dist/generated'), {
  recursive: true,
  filter: (path) => !/\.ts$/.test(path),
});

// The forms of the API documents that are not checked in: made unless dist/ has those with the expected hashes.
const checksums = join(root, 'generated/documents.sha256');
const hasHash = (hash, path) =>
  existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === hash;
const areMade =
  existsSync(checksums) &&
  [...readFileSync(checksums, 'utf8').matchAll(/^(\w+) {2}(.+)$/gm)].every(([, hash, name]) =>
    hasHash(hash, join(root, 'dist/generated', name)),
  );
if (!areMade) execFileSync(process.execPath, [join(root, 'dist/scripts/documents.js')], { stdio: 'inherit' });

// Every .sql file that is there is a migration, so none of an earlier build may stay.
rmSync(join(root, 'dist/db/schema/migrations'), { recursive: true, force: true });
cpSync(join(root, 'db/schema/migrations'), join(root, 'dist/db/schema/migrations'), { recursive: true });
cpSync(join(root, 'db/schema/schema.sql'), join(root, 'dist/db/schema/schema.sql'));

// The explorer's program. Its package would bring 10 MB more, and a dependency that reports each installation home.
const explorer = join(root, 'dist/server/explorer');
mkdirSync(explorer, { recursive: true });
for (const file of [
  'LICENSE',
  'NOTICE',
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-standalone-preset.js.LICENSE.txt',
  'swagger-ui.css',
])
  cpSync(join(root, 'node_modules/swagger-ui-dist', file), join(explorer, file));

const { buildNetworkPage } = await import('./network-page.mjs');
await buildNetworkPage(root);

const git = (...args) => {
  try {
    return execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
};
writeFileSync(
  stamp,
  JSON.stringify({
    version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    revision: git('rev-parse', '--short=12', 'HEAD') || 'source',
    buildDate: new Date().toISOString().slice(0, 19).replace('T', ' '),
  }),
);
