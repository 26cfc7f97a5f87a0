// Measures a controller, its own or a running one. For people, never for a timed test. The parts are in lab/bench/.

import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { measureAbuse } from './bench/abuse/abuse.js';
import { measureAccess } from './bench/access/access.js';
import { abuseHead, abuseNotes, abuseRow, broken } from './bench/abuse/report.js';
import { shapeLines } from '../test/support/body-shapes.js';
import { measureBeside } from './bench/beside/beside.js';
import { measureCompression } from './bench/compression.js';
import { failFor, wrongOf } from './bench/faults.js';
import { Floor } from './bench/floor.js';
import { markdownOf } from './bench/format.js';
import { frameHead, frameRow, measureFrames } from './bench/frames/frames.js';
import { growthLines, growthOf } from './bench/growth.js';
import { LoadGenerator } from './bench/load.js';
import { isEven, loginTimingHead, loginTimingRow, measureLoginTiming } from './bench/login-timing.js';
import { closeAll, measureController } from './bench/measure.js';
import type { Bench, Closers, Measured } from './bench/measure.js';
import { parseOptions, usage, UsageError } from './bench/options.js';
import type { BenchOptions, Login, Size } from './bench/options.js';
import { OwnController } from './bench/own-controller.js';
import { probeLine } from './bench/policy-probe.js';
import { measurePosture } from './bench/posture/posture.js';
import { clearProgress, print, say, showProgress } from './bench/progress.js';
import {
  busyNote,
  errorNotes,
  growthJson,
  headLines,
  machine,
  memoryLine,
  reportJson,
  startLine,
  tableHead,
  tableRow,
  unmeasuredNote,
  validationLine,
} from './bench/report.js';
import type { Head, SizeReport } from './bench/report.js';
import { figureHead, figureRow } from './bench/routers/figures.js';
import { measureRouters } from './bench/routers/routers.js';
import { allCases, pickCases, unmeasured } from './bench/runner.js';
import { fillDirectory } from './explain/network.js';

async function prepare(options: BenchOptions, closers: Closers): Promise<Bench> {
  const cases = pickCases(options.only);
  const load = new LoadGenerator();
  closers.push(() => load.close());
  const floor = await Floor.start(load, options.seconds);
  closers.push(() => {
    floor.stop();
  });
  return {
    options,
    cases,
    load,
    floor,
    onRow: (row) => {
      print(tableRow(row));
    },
  };
}

async function measureOne(options: BenchOptions, closers: Closers): Promise<void> {
  const facts = machine();
  const startedAt = new Date().toISOString();
  const bench = await prepare(options, closers);
  const own = options.base === undefined ? await startOwn(closers) : undefined;
  const login: Login = options.base ?? own ?? raise();
  const scale = { identities: options.identities, services: options.services, seconds: options.seconds };
  const headFor = (version: string): Head => ({
    startedAt,
    machine: facts,
    scale,
    controller: {
      version,
      postgres: own?.postgresVersion,
      url: own === undefined ? login.url : 'started for this run',
    },
  });
  const measured = await measureController(bench, login, options, own, closers, (version) => {
    const compared = options.compare === undefined ? [] : [`ratio       rate over that of ${options.compare.url}`];
    print(['', ...headLines(headFor(version)), ...compared, '', tableHead()]);
  });
  const left = options.only.length > 0 ? [] : unmeasured();
  print([
    '',
    ...footLines(measured, own),
    ...unmeasuredNote(left),
    ...errorNotes(measured.rows, options.compare?.url ?? ''),
  ]);
  if (options.jsonFile !== undefined) {
    writeFileSync(
      options.jsonFile,
      reportJson({
        ...headFor(measured.version),
        ...measured,
        startMs: own?.startMs,
        floors: bench.floor.all,
        unmeasured: left,
      }),
    );
  }
  failFor(wrongOf(measured.rows));
}

/** Each size on a fresh controller; its second start is on all that it has stored. */
async function measureGrowth(options: BenchOptions, closers: Closers): Promise<void> {
  const facts = machine();
  const startedAt = new Date().toISOString();
  const bench = await prepare(options, closers);
  const reports: SizeReport[] = [];
  for (const size of options.sizes) {
    const inner: Closers = [];
    closers.push(() => closeAll(inner));
    const own = await startOwn(inner, options.isFilledBySql ? size : undefined);
    const measured = await measureController(bench, own, size, own, inner, (version) => {
      const head: Head = {
        startedAt,
        machine: facts,
        scale: { ...size, seconds: options.seconds },
        controller: { version, postgres: own.postgresVersion, url: 'started for this size' },
      };
      print(['', ...headLines(head), '', tableHead()]);
    });
    showProgress('starting it again');
    const firstStartMs = own.startMs;
    const secondStartMs = await own.restart((stop) => inner.push(stop));
    clearProgress();
    reports.push({ ...size, ...measured, firstStartMs, secondStartMs });
    print([
      '',
      ...footLines(measured, undefined),
      memoryLine(measured.memory),
      startLine({ firstStartMs, secondStartMs, seedSeconds: measured.seedSeconds }),
      ...errorNotes(measured.rows, ''),
    ]);
    await closeAll(inner);
  }
  const growth = growthOf(reports.map(({ rows }) => rows));
  print(['', ...growthLines(growth, reports.map(sizeName))]);
  if (options.jsonFile !== undefined)
    writeFileSync(
      options.jsonFile,
      growthJson({
        startedAt,
        machine: facts,
        seconds: options.seconds,
        sizes: reports,
        growth,
        floors: bench.floor.all,
      }),
    );
  failFor(reports.flatMap((report) => wrongOf(report.rows).map((name) => `${name} at ${sizeName(report)}`)));
}

/** Exits with 0 whatever it finds: a benchmark is no timed test. */
async function measureAttacks(options: BenchOptions, closers: Closers): Promise<void> {
  const { abuse, only, jsonFile } = options;
  if (abuse === undefined) raise();
  const facts = machine();
  const startedAt = new Date().toISOString();
  const own = await startOwn(closers);
  print([
    `machine     ${facts.cores} x ${facts.processor}, ${facts.memoryGiB} GiB, load ${facts.load} before`,
    `software    node ${facts.node}, PostgreSQL ${own.postgresVersion ?? ''} (embedded)`,
    '',
    abuseHead(),
  ]);
  const rows = await measureAbuse(own, { ...abuse, only }, closers, (row) => {
    print(abuseRow(row));
  });
  print(['', ...abuseNotes(rows)]);
  if (jsonFile !== undefined)
    writeFileSync(
      jsonFile,
      `${JSON.stringify(
        { startedAt, machine: facts, rows: rows.map((row) => ({ ...row, broken: broken(row) })) },
        null,
        1,
      )}\n`,
    );
}

/** Its heap is as small as the one that it must live with. */
async function measureWorstFrames({ jsonFile }: BenchOptions, closers: Closers): Promise<void> {
  const facts = machine();
  const startedAt = new Date().toISOString();
  process.env['NODE_OPTIONS'] = '--max-old-space-size=256';
  const own = await startOwn(closers);
  print([
    `machine     ${facts.cores} x ${facts.processor}, ${facts.memoryGiB} GiB, load ${facts.load} before`,
    `software    node ${facts.node}, a heap of 256 MiB`,
    '',
    frameHead(),
  ]);
  const rows = await measureFrames(own, (row) => {
    print(frameRow(row));
  });
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, rows }, null, 1)}\n`);
}

async function measureFleet(options: BenchOptions, closers: Closers): Promise<void> {
  const { routers, only, seconds, jsonFile } = options;
  if (routers === undefined) raise();
  const facts = machine();
  const startedAt = new Date().toISOString();
  const figures = await measureRouters({ ...routers, only, seconds }, closers, (figure) => {
    say(figureRow(figure));
  });
  print([
    `machine     ${facts.cores} x ${facts.processor}, ${facts.memoryGiB} GiB, load ${facts.load} before`,
    `software    node ${facts.node}`,
    '',
    figureHead(),
    ...figures.map(figureRow),
  ]);
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, figures }, null, 1)}\n`);
}

/** Exits with 1 when some share is not even: a person, or a job, asked for just that. */
async function measureLogins({ loginPairs = 0, jsonFile }: BenchOptions, closers: Closers): Promise<void> {
  const facts = machine();
  const startedAt = new Date().toISOString();
  const own = await startOwn(closers);
  clearProgress();
  print([`machine     ${facts.cores} x ${facts.processor}, load ${facts.load} before`, '', loginTimingHead()]);
  const timings = await measureLoginTiming(own, loginPairs, (timing) => {
    print(loginTimingRow(timing));
  });
  if (timings.some((timing) => !isEven(timing))) process.exitCode = 1;
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, timings }, null, 1)}\n`);
}

const sizeName = ({ identities, services }: Size): string => `${identities}x${services}`;

const footLines = ({ rows, memory, policy, validation }: Measured, own: OwnController | undefined): string[] => [
  validationLine(validation),
  ...(policy === undefined ? [] : [probeLine(policy)]),
  ...(own === undefined ? [] : [memoryLine(memory)]),
  ...busyNote(rows),
];

function raise(): never {
  throw new Error('no controller');
}

/** @param filled  the network that it starts with */
async function startOwn(closers: Closers, filled?: Size): Promise<OwnController> {
  showProgress('starting a controller');
  const prepare = filled && ((dataDir: string) => fillDirectory(dataDir, filled));
  return OwnController.start((stop) => closers.push(stop), { prepare });
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseOptions(args, process.env);
  if (options.isHelp) {
    process.stdout.write(usage());
    return;
  }
  if (options.isList) {
    print(allCases.map(({ name }) => name));
    return;
  }
  if (options.formatFile !== undefined) {
    process.stdout.write(markdownOf(JSON.parse(readFileSync(options.formatFile, 'utf8'))));
    return;
  }
  const closers: Closers = [];
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeAll(closers));
  const interrupt = () => {
    clearProgress();
    void close().finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    await runOf(options)(options, closers);
  } finally {
    await close();
  }
}

function runOf(options: BenchOptions) {
  const { abuse, beside, posture, routers, sizes, isAccess, isCompression, isFrames, isShapes, loginPairs } = options;
  if (isFrames) return measureWorstFrames;
  if (loginPairs !== undefined) return measureLogins;
  if (isShapes) return async () => print(shapeLines());
  if (isAccess) return measureAccess;
  if (isCompression) return measureCompression;
  if (abuse !== undefined) return measureAttacks;
  if (beside !== undefined) return measureBeside;
  if (posture !== undefined) return measurePosture;
  if (routers !== undefined) return measureFleet;
  return sizes.length > 0 ? measureGrowth : measureOne;
}

/** What is thrown on purpose, or by the network, needs no stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return error.constructor === Error || error instanceof UsageError ? error.message : (error.stack ?? error.message);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    clearProgress();
    process.stderr.write(`bench: ${describe(error)}\n${error instanceof UsageError ? `\n${usage()}` : ''}`);
    process.exitCode = 1;
  });
}
