// Builds, starts the controller, and does both again whenever a source file changes. A build that fails leaves the
// controller that runs as it is. Options go to `edge-controller start`. Ctrl-C stops it.
import { spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['commands', 'db', 'domain', 'fabric', 'generated', 'handlers', 'server'];
/** Editors write a file in several steps, and a checkout changes many. */
const QUIET_MS = 300;

let controller;
let isStopping = false;

const build = () => spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' }).status === 0;

function start() {
  const args = ['dist/commands/main.js', 'start', ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  controller = child;
  child.once('exit', (code) => {
    if (controller !== child) return;
    controller = undefined;
    if (isStopping) process.exit(code ?? 0);
    console.error(`dev: the controller ended with code ${code}; it starts again after the next change`);
  });
}

/** Lets the controller end in good order, so that the next one finds its port and its database free. */
async function stop() {
  const child = controller;
  if (child === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  controller = undefined;
  child.kill('SIGTERM');
  await ended;
}

let isBusy = false;
let hasChanged = false;
async function restart(file) {
  hasChanged = true;
  if (isBusy || isStopping) return;
  isBusy = true;
  while (hasChanged && !isStopping) {
    hasChanged = false;
    console.error(`dev: ${file} has changed`);
    if (!build()) {
      console.error('dev: the build failed; the controller runs as it was');
      continue;
    }
    await stop();
    if (!isStopping) start();
  }
  isBusy = false;
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopping = true;
    if (controller === undefined) process.exit(0);
    // A terminal sends its interrupt to the controller by itself.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) controller.kill(signal);
  });

if (!build()) process.exit(1);
start();
let timer;
for (const folder of SOURCES)
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    clearTimeout(timer);
    timer = setTimeout(() => void restart(`${folder}/${file}`), QUIET_MS);
  });
