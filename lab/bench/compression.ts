/**
 * What `--compression` measures: bytes, rate and CPU of a list of 500 identities and of both documents, as they are and
 * compressed. The variants take turns, so that other work on the machine meets all of them.
 */
import { writeFileSync } from 'node:fs';
import { failFor } from './faults.js';
import { LoadGenerator } from './load.js';
import type { LoadResult } from './load.js';
import type { Closers } from './measure.js';
import { median } from './median.js';
import type { BenchOptions } from './options.js';
import { OwnController } from './own-controller.js';
import { cpuMsOf } from './posture/cpu.js';
import { clearProgress, showProgress } from './progress.js';
import { machine } from './report.js';
import { seed } from './seed.js';
import { CLIENT, MANAGEMENT, requestBytes } from './world.js';
import type { World } from './world.js';

const TURNS = 9;
const CONNECTIONS = 8;
const CODINGS = ['none', 'gzip', 'br'] as const;
const IDENTITIES = 500;

const PATHS: Readonly<Record<string, string>> = {
  'identities 500': `${MANAGEMENT}/identities?limit=500`,
  'identities 10': `${MANAGEMENT}/identities?limit=10`,
  'client document': `${CLIENT}/swagger.json`,
  'management document': `${MANAGEMENT}/swagger.json`,
};

export interface CompressionRow {
  readonly answer: string;
  readonly coding: (typeof CODINGS)[number];
  readonly bytes: number;
  /** The medians of the turns; of the controller's process alone, all its threads. */
  readonly rate: number;
  readonly cpuUs: number;
  readonly errors: number;
}

export async function measureCompression({ seconds, jsonFile }: BenchOptions, closers: Closers): Promise<void> {
  const facts = machine();
  const startedAt = new Date().toISOString();
  showProgress('starting a controller');
  const own = await OwnController.start((stop) => closers.push(stop));
  const { url, username, password } = own;
  const world = await seed({ label: 'controller', url, username, password, identities: IDENTITIES, services: 20 });
  await own.settle();
  const load = new LoadGenerator();
  closers.push(() => load.close());
  const turn = async (path: string, coding: string, forSeconds: number) => {
    const before = cpuMsOf(own.pid);
    const result = await load.run(world.target, {
      mode: 'cycle',
      requests: [requestFor(world, path, coding)],
      connections: CONNECTIONS,
      seconds: forSeconds,
    });
    return { result, cpuUs: ((cpuMsOf(own.pid) - before) * 1000) / Math.max(1, result.completed) };
  };
  const head = ['answer'.padEnd(20), 'coding', '    bytes', '  rate/s', 'CPU us', 'errors'].join('  ');
  clearProgress();
  process.stdout.write(`machine     ${facts.cores} x ${facts.processor}, load ${facts.load} before\n\n${head}\n`);
  const rows: CompressionRow[] = [];
  for (const [answer, path] of Object.entries(PATHS)) {
    const seen = new Map<string, { result: LoadResult; cpuUs: number }[]>(CODINGS.map((coding) => [coding, []]));
    for (const coding of CODINGS) await turn(path, coding, Math.min(0.5, seconds));
    for (let i = 0; i < TURNS; i += 1)
      for (const coding of CODINGS) seen.get(coding)?.push(await turn(path, coding, seconds / TURNS));
    for (const coding of CODINGS) {
      const turns = seen.get(coding) ?? [];
      const row: CompressionRow = {
        answer,
        coding,
        bytes: Math.round(turns[0]?.result.meanBytes ?? NaN),
        rate: Math.round(median(turns.map(({ result }) => result.rate))),
        cpuUs: Math.round(median(turns.map(({ cpuUs }) => cpuUs))),
        errors: turns.reduce((sum, { result }) => sum + result.errors, 0),
      };
      rows.push(row);
      process.stdout.write(`${lineOf(row)}\n`);
    }
  }
  await world.admin.logOut();
  await world.client.logOut();
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, rows }, null, 1)}\n`);
  failFor(rows.filter(({ errors }) => errors > 0).map(({ answer, coding }) => `${answer}, ${coding}`));
}

function requestFor(world: World, path: string, coding: string): Buffer {
  const parts = { method: 'GET', path, token: world.admin.token };
  return requestBytes(world, coding === 'none' ? parts : { ...parts, accepts: coding });
}

const lineOf = ({ answer, coding, bytes, rate, cpuUs, errors }: CompressionRow): string =>
  [
    answer.padEnd(20),
    coding.padEnd(6),
    String(bytes).padStart(9),
    String(rate).padStart(8),
    String(cpuUs).padStart(6),
    String(errors).padStart(6),
  ].join('  ');
