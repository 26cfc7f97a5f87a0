// Runs all suites: first those that measure, then all others in several processes beside each other. Each process takes
// the next file whenever it has done one, so that all end at about the same time. Files in which a test failed are run
// once more by themselves; what then passes is named in the last lines, and two such files fail the run.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TESTS, grouped, testFiles } from './suite-files.mjs';
import { ENDED, startSuites } from './suite-process.mjs';
import { summary, timesOf } from './suite-summary.mjs';

const MOCHA = 'node_modules/mocha/bin/mocha.js';

/** By process: the groups that it takes files of, until there is none. */
const LANES = [
  ['once', 'processes', 'others'],
  ['others', 'processes'],
  ['processes', 'others'],
  ['others', 'processes'],
  ['others', 'processes'],
];
/** Much of what they do is waiting: this many more than there are processors. */
const MORE_LANES = 3;
const PATIENT_PRIORITY = 10;
/** Ports that processes hand out by themselves, for each a part. Those that the system hands out begin above. */
const [FIRST_PORT, PORTS] = [14_000, 3_000];
/** Files that are run again. When more have failed, the tree is at fault and not the machine. */
const AGAIN = 5;

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

/** By mocha, in one process. @param args  files and options of mocha. Answers the exit code. */
export function runChosen(root, args) {
  passSignals();
  const child = spawn(process.execPath, [MOCHA, ...args], { cwd: root, stdio: 'inherit' });
  processes.add(child);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** The processes of a run, and what the files came to that they took. */
class Run {
  /** By file: what its tests came to, the seconds that it took, and its first failures if it was run again. */
  results = {};
  #root;
  #place;
  #parts = new Set();
  #started = 0;

  constructor(root, place) {
    this.#root = root;
    this.#place = place;
  }

  /** Runs what `next` answers, until that is nothing, in one process; in another one where a file ends that. */
  async take(next, { priority, isMapped } = {}) {
    let one;
    let last;
    for (let file; !isHalted && (file = next()) !== undefined; last = file) {
      one ??= this.#startOne({ priority, isMapped });
      this.results[file] = { ...(await this.#runFile(one.suites, file)), first: this.results[file]?.failures };
      process.stdout.write(one.suites.news());
      if (one.suites.hasEnded()) {
        await this.#endOne(one);
        one = undefined;
      }
    }
    if (one === undefined) return;
    const how = await this.#endOne(one);
    if (how !== ENDED && !isHalted) this.results[last].failures.push({ title: 'the end of its process', error: how });
  }

  failed() {
    return Object.keys(this.results).filter((file) => this.results[file].failures.length > 0);
  }

  async #runFile(suites, file) {
    const [since, usedBefore] = [Date.now(), suites.cpuSeconds()];
    const fault = (error) => ({
      passes: 0,
      pending: 0,
      failures: [{ title: file, error: `its process ${error.message}` }],
    });
    const result = await suites.run(file).catch(fault);
    const used = suites.hasEnded() ? undefined : suites.cpuSeconds();
    const cpuSeconds = used === undefined || usedBefore === undefined ? undefined : used - usedBefore;
    return { ...result, seconds: (Date.now() - since) / 1000, cpuSeconds };
  }

  #startOne(options) {
    let part = 0;
    while (this.#parts.has(part)) part += 1;
    this.#parts.add(part);
    this.#started += 1;
    const ports = `${FIRST_PORT + part * PORTS}-${FIRST_PORT + (part + 1) * PORTS - 1}`;
    // A short name, since sockets are in it.
    const suites = startSuites(this.#root, { place: join(this.#place, String(this.#started)), ports, ...options });
    processes.add(suites);
    return { suites, part };
  }

  async #endOne({ suites, part }) {
    const how = await suites.end();
    process.stdout.write(suites.news());
    processes.delete(suites);
    this.#parts.delete(part);
    return how;
  }
}

/** What measures, then all others; beside them the checks and what is patient. Answers what the checks found. */
async function runGroups(run, left, { title, check }) {
  const of =
    (...groups) =>
    () => {
      for (const group of groups) if (left[group].length > 0) return left[group].shift();
      return undefined;
    };
  title('suites that compare waiting times');
  await run.take(of('alone'));
  title('drills; checks and SDKs beside them');
  const patient = [check(PATIENT_PRIORITY), run.take(of('patient'), { priority: PATIENT_PRIORITY })];
  await run.take(of('drills'));
  title('all others');
  const lanes = LANES.slice(0, availableParallelism() + MORE_LANES);
  const [faults] = await Promise.all([...patient, ...lanes.map((groups) => run.take(of(...groups)))]);
  return faults;
}

/**
 * All of them; closed by what failed and one line that counts. Answers the exit code.
 * @param title      prints a heading
 * @param useMemory  of test/support/memory.ts
 * @param check      runs what is no test, at this priority; answers what failed, { title, error }
 */
export async function runAll(root, { title, useMemory, check }) {
  passSignals();
  const place = useMemory(2) ?? mkdtempSync(join(tmpdir(), 'edge-run-'));
  chmodSync(place, 0o1777);
  const run = new Run(root, place);
  let faults = [];
  try {
    faults = await runGroups(run, grouped(testFiles(root)), { title, check });
    const failed = run.failed();
    if (failed.length > 0 && failed.length <= AGAIN && !isHalted) {
      title('files that failed, once more by themselves');
      await run.take(() => failed.shift(), { isMapped: true });
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  title('all suites');
  writeFileSync(join(root, TESTS, 'times.tsv'), timesOf(run.results));
  const { lines, code } = summary(run.results, faults, { isHalted });
  console.log(lines.join('\n'));
  return code;
}
