// Runs the suites: those that measure time one after the other, then all others in two processes beside each other.
// Files in which a test failed are run once more by themselves, and what then passes is listed with its first error.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

const MOCHA = 'node_modules/mocha/bin/mocha.js';
const ALL = 'dist/test/**/*.test.js';
/** They measure gaps or compare waiting times: nothing else runs meanwhile. */
const ALONE = ['dist/test/life/*-drill.test.js', 'dist/test/api/hostile-floods.test.js'];
/** Compilers at work: they take what the others leave of the machine. */
const PATIENT = ['dist/test/sdk/*.test.js'];
const PATIENT_PRIORITY = 10;
/** About half of the work, and all that uses what a system has once: places below /var/lib, its PostgreSQL. */
const HALF = ['life/**/*', 'interop/**/*', 'browser/**/*', 'db/embedded-system'].map(
  (path) => `dist/test/${path}.test.js`,
);
const ignoring = (...patterns) => patterns.flatMap((pattern) => ['--ignore', pattern]);

const children = new Set();
let isHalted = false;

/** From now on a signal ends what runs, and nothing else is started. */
function passSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      isHalted = true;
      // A terminal sends its interrupt to all of them by itself.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) children.forEach((child) => child.kill(signal));
    });
}

/** One mocha, whose output goes to `output`, a file descriptor, or where ours goes. */
function start(root, args, { env = {}, output = 'inherit', priority = 0 } = {}) {
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', output, output] };
  const child = spawn(process.execPath, [MOCHA, ...args], options);
  children.add(child);
  if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority); // and of all that it starts
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ fault: error.message }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  }).finally(() => children.delete(child));
}

/** Prints a file as far as it is written, and the rest as it comes, until `done`. */
async function show(file, done) {
  const [input, chunk] = [openSync(file, 'r'), Buffer.alloc(65_536)];
  const next = () => {
    for (let length; (length = readSync(input, chunk)) > 0;) writeSync(1, chunk.subarray(0, length));
  };
  const timer = setInterval(next, 500);
  await done;
  clearInterval(timer);
  next();
  closeSync(input);
}

/** What a process says of itself in its file; one that ended in another way than by its tests counts as a failure. */
function resultOf(name, file, { code, signal, fault }) {
  let result = { files: {} };
  let trouble = fault ?? (signal === null ? undefined : `ended by ${signal}`);
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    trouble ??= 'ended without its result';
  }
  if (code !== 0 && failuresIn(result.files).length === 0) trouble ??= `ended with status ${code}`;
  const whole = { passes: 0, pending: 0, seconds: 0, failures: [{ title: `the process ${name}`, error: trouble }] };
  return trouble === undefined ? result.files : { ...result.files, [name]: whole };
}

const failuresIn = (files) => Object.values(files).flatMap(({ failures }) => failures);

const SHOWN = 15;
/** A busy machine spoils a file or two. More is a fault of the tree. */
const AGAIN = 3;

/** So that whoever adds to them sees what the time goes into. */
function slowest(files) {
  const all = Object.entries(files).sort(([, left], [, right]) => right.seconds - left.seconds);
  return all
    .slice(0, SHOWN)
    .map(([file, { seconds }]) => `${seconds.toFixed(0).padStart(6)}  ${file}`)
    .join('\n');
}

const listed = (failures) => failures.map(({ title, error }) => `  ${title}\n    ${error}`).join('\n');

/** As chosen by the user, in one process. Answers the exit code. */
export async function runChosen(root, args) {
  passSignals();
  const names = args.some((arg) => arg.endsWith('.test.js'));
  const { code, fault } = await start(root, names ? args : [...args, ALL]);
  if (fault !== undefined) console.error(fault);
  return code ?? 1;
}

/**
 * All of them; closed by the failed titles and one line that counts. Answers the exit code.
 * @param title      prints a heading
 * @param useMemory  of test/support/memory.ts
 */
export async function runAll(root, { title, useMemory }) {
  passSignals();
  const place = useMemory(2) ?? mkdtempSync(join(tmpdir(), 'edge-run-'));
  chmodSync(place, 0o1777);
  /** By file: what its tests came to. */
  const files = {};
  /** Each has its own temporary directory, with a short name since sockets are in it, and ports of its own. */
  const run = async (name, args, output, priority) => {
    const [temporary, file] = [join(place, name), join(place, `${name}.json`)];
    mkdirSync(temporary);
    chmodSync(temporary, 0o1777); // as /tmp
    const first = { b: 26_000, c: 14_000 }[name] ?? 20_000;
    const env = { TMPDIR: temporary, EDGE_TEST_RESULT: file, EDGE_TEST_PORTS: `${first}-${first + 5_999}` };
    const end = await start(root, args, { env, output, priority });
    Object.assign(files, resultOf(name, file, end));
  };
  try {
    title('suites that measure');
    await run('m', ALONE);
    if (isHalted) return 1;
    title('suites, in two processes, and SDKs beside them');
    const aside = (name, what, args, priority) => {
      const kept = join(place, `${name}.log`);
      const output = openSync(kept, 'w');
      const done = run(name, args, output, priority).then(() => title(`${what} has ended`));
      return { kept, done: done.finally(() => closeSync(output)) };
    };
    const second = aside('b', 'the second', [ALL, ...ignoring(...ALONE, ...HALF, ...PATIENT)]);
    const third = aside('c', 'the third, SDKs,', PATIENT, PATIENT_PRIORITY);
    await run('a', [...HALF, ...ignoring(...ALONE)]);
    title('the first has ended; this is the second');
    await show(second.kept, second.done);
    title('this is the third');
    await show(third.kept, third.done);
    const failed = Object.keys(files).filter((file) => file.endsWith('.test.js') && files[file].failures.length > 0);
    if (failed.length > 0 && failed.length <= AGAIN && !isHalted) {
      const first = failed.flatMap((file) => files[file].failures);
      title('files that failed, once more by themselves');
      await run('again', failed);
      console.log(`failed at first:\n${listed(first)}\n`);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  title('all suites');
  console.log(`the slowest files, in seconds:\n${slowest(files)}\n`);
  const failures = failuresIn(files);
  if (failures.length > 0) console.log(`failed:\n${listed(failures)}\n`);
  const [passes, pending] = ['passes', 'pending'].map((figure) =>
    Object.values(files).reduce((sum, file) => sum + file[figure], 0),
  );
  if (pending > 0) console.log(`${pending} not run: their titles say why`);
  console.log(`${passes} passed, ${failures.length} failed`);
  return failures.length > 0 ? 1 : 0;
}
