// Runs all suites: first those that measure, then all others in several processes beside each other. Each process takes
// the next file whenever it has done one, so that all end at about the same time. Files in which a test failed are run
// once more by themselves, and what then passes is listed with its first error.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENDED, startSuites } from './suite-process.mjs';

const MOCHA = 'node_modules/mocha/bin/mocha.js';
const TESTS = 'dist/test';
const ALL = `${TESTS}/**/*.test.js`;

/**
 * Files are in the first of these groups that has their name. What takes long is named whole, before its folder: it
 * must not come last.
 */
const GROUPS = {
  /** They compare waiting times: nothing else runs meanwhile. */
  alone: ['api/hostile-floods'],
  /** They measure gaps in seconds: beside them runs what gives way. */
  drills: ['lab/*-drill'],
  /** Compilers at work: they take what the others leave of the machine. */
  patient: ['sdk/*'],
  /** One at a time: they use what a system has once, the copy of PostgreSQL below /var/lib. */
  once: ['life/upgrade', 'life/package', 'life/packages', 'life/places', 'life/deploy', 'db/embedded-system'],
  /** Controllers as processes: they wait most of their time. */
  processes: ['life/first-start', 'browser/explorer', 'life/kill', 'browser/*', 'interop/*', 'life/*'],
  others: ['contract/contract', '*'],
};
/** By process: the groups that it takes files of, until there is none. */
const LANES = [
  ['once', 'processes', 'others'],
  ['others', 'processes'],
  ['processes', 'others'],
  ['others', 'processes'],
];
const PATIENT_PRIORITY = 10;
/** Ports that processes hand out by themselves, for each a part. Those that the system hands out begin above. */
const [FIRST_PORT, PORTS] = [14_000, 3_000];

const SHOWN = 15;
/** A busy machine spoils a file or two. More is a fault of the tree. */
const AGAIN = 5;

/** By group: its files, in the order in which they are taken. */
function grouped(root) {
  const names = readdirSync(join(root, TESTS), { recursive: true, encoding: 'utf8' });
  const left = new Set(names.filter((name) => name.endsWith('.test.js')).sort());
  const take = (pattern) => {
    const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}\\.test\\.js$`);
    const taken = [...left].filter((name) => expression.test(name));
    taken.forEach((name) => left.delete(name));
    return taken.map((name) => join(TESTS, name));
  };
  return Object.fromEntries(Object.entries(GROUPS).map(([group, patterns]) => [group, patterns.flatMap(take)]));
}

const processes = new Set();
let isHalted = false;

/** From now on a signal ends what runs, and nothing else is started. */
function passSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      isHalted = true;
      // A terminal sends its interrupt to all of them by itself.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) processes.forEach((one) => one.kill(signal));
    });
}

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
export function runChosen(root, args) {
  passSignals();
  const names = args.some((arg) => arg.endsWith('.test.js'));
  const child = spawn(process.execPath, [MOCHA, ...(names ? args : [...args, ALL])], { cwd: root, stdio: 'inherit' });
  processes.add(child);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * All of them; closed by the failed titles and one line that counts. Answers the exit code.
 * @param title      prints a heading
 * @param useMemory  of test/support/memory.ts
 * @param check      runs what is no test, at this priority; answers what failed, { title, error }
 */
export async function runAll(root, { title, useMemory, check }) {
  passSignals();
  const place = useMemory(2) ?? mkdtempSync(join(tmpdir(), 'edge-run-'));
  chmodSync(place, 0o1777);
  /** By file: what its tests came to, and the seconds that it took. */
  const files = {};
  const left = grouped(root);
  const parts = new Set();
  let started = 0;

  const startOne = (priority) => {
    let part = 0;
    while (parts.has(part)) part += 1;
    parts.add(part);
    started += 1;
    const ports = `${FIRST_PORT + part * PORTS}-${FIRST_PORT + (part + 1) * PORTS - 1}`;
    // A short name, since sockets are in it.
    const suites = startSuites(root, { place: join(place, String(started)), ports, priority });
    processes.add(suites);
    return { suites, part };
  };
  const endOne = async ({ suites, part }) => {
    const how = await suites.end();
    process.stdout.write(suites.news());
    processes.delete(suites);
    parts.delete(part);
    return how;
  };
  /** Runs what `next` answers, until that is nothing, in one process; in another one where a file ends that. */
  const runFiles = async (next, priority) => {
    let one;
    let last;
    for (let file; !isHalted && (file = next()) !== undefined; last = file) {
      one ??= startOne(priority);
      const since = Date.now();
      const fault = (error) => ({
        passes: 0,
        pending: 0,
        failures: [{ title: file, error: `its process ${error.message}` }],
      });
      files[file] = { ...(await one.suites.run(file).catch(fault)), seconds: (Date.now() - since) / 1000 };
      process.stdout.write(one.suites.news());
      if (one.suites.hasEnded()) {
        await endOne(one);
        one = undefined;
      }
    }
    if (one === undefined) return;
    const how = await endOne(one);
    if (how !== ENDED && !isHalted) files[last].failures.push({ title: 'the end of its process', error: how });
  };
  const of =
    (...groups) =>
    () => {
      for (const group of groups) if (left[group].length > 0) return left[group].shift();
      return undefined;
    };
  let faults = [];
  try {
    title('suites that compare waiting times');
    await runFiles(of('alone'));
    title('drills; checks and SDKs beside them');
    const patient = [check(PATIENT_PRIORITY), runFiles(of('patient'), PATIENT_PRIORITY)];
    await runFiles(of('drills'));
    title('all others');
    // Much of what they do is waiting: one more than there are processors.
    const lanes = LANES.slice(0, availableParallelism() + 1);
    [faults] = await Promise.all([...patient, ...lanes.map((groups) => runFiles(of(...groups)))]);
    const failed = Object.keys(files).filter((file) => files[file].failures.length > 0);
    if (failed.length > 0 && failed.length <= AGAIN && !isHalted) {
      console.log(`failed at first:\n${listed(failed.flatMap((file) => files[file].failures))}\n`);
      title('files that failed, once more by themselves');
      await runFiles(() => failed.shift());
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  title('all suites');
  console.log(`the slowest files, in seconds:\n${slowest(files)}\n`);
  const failures = [...faults, ...Object.values(files).flatMap((file) => file.failures)];
  if (failures.length > 0) console.log(`failed:\n${listed(failures)}\n`);
  const [passes, pending] = ['passes', 'pending'].map((figure) =>
    Object.values(files).reduce((sum, file) => sum + file[figure], 0),
  );
  if (isHalted) console.log('halted: not all have run');
  if (pending > 0) console.log(`${pending} not run: their titles say why`);
  console.log(`${passes} passed, ${failures.length} failed`);
  return failures.length > 0 || isHalted ? 1 : 0;
}
