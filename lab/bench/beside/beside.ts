/**
 * What `--beside DIR` measures: this revision and another one that is built in DIR, each with a controller and a
 * PostgreSQL of its own, asked the same by one generator in slices that take turns. Processes of one revision differ
 * from each other by a tenth, so both are started several times.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { descendants } from '../abuse/memory.js';
import { methodOf } from '../case.js';
import type { BenchCase } from '../case.js';
import { cpuTime } from '../cpu.js';
import { LoadGenerator } from '../load.js';
import { closeAll } from '../measure.js';
import type { Closers } from '../measure.js';
import { UsageError } from '../options.js';
import type { BenchOptions } from '../options.js';
import { OwnController } from '../own-controller.js';
import { clearProgress, print, say, showProgress } from '../progress.js';
import { machine } from '../report.js';
import { measureCase, pickCases } from '../runner.js';
import { seed } from '../seed.js';
import type { World } from '../world.js';
import { besideHead, besideLine, besideNotes, besideRow } from './ratios.js';
import type { BesideRow, Spent, Turn } from './ratios.js';

/** Where revisions have their programs, and the arguments that start a controller. */
const PROGRAMS = [['dist/commands/main.js', 'start'], ['dist/server/main.js']] as const;
/** What both do before anything counts: a process is three times as slow in its first thousand changes. */
const WARM_CASES = ['identity patch', 'terminator delete', 'identity by id'];
const WARM_TURNS = 8;
const WARM = { connections: 16, seconds: 0.5 };

interface Side {
  readonly own: OwnController;
  readonly world: World;
}

interface Pair {
  readonly load: LoadGenerator;
  readonly then: Side;
  readonly now: Side;
}

interface Slice {
  readonly item: BenchCase;
  readonly connections: number;
  readonly seconds: number;
}

export async function measureBeside(options: BenchOptions, closers: Closers): Promise<void> {
  const { beside, connections, only, seconds, jsonFile } = options;
  if (beside === undefined) throw new UsageError('--beside needs a folder');
  const program = programIn(beside.dir);
  const facts = machine();
  const startedAt = new Date().toISOString();
  const slices = pickCases(only).flatMap((item) =>
    (item.isAlone === true ? [1] : connections).map((count) => ({ item, connections: count, seconds })),
  );
  const turns = slices.map((): Turn[] => []);
  const rows: BesideRow[] = [];
  const load = new LoadGenerator();
  closers.push(() => load.close());
  print([
    `machine     ${facts.cores} x ${facts.processor}, ${facts.memoryGiB} GiB, load ${facts.load} before`,
    `turns       ${beside.starts} starts, ${beside.rounds} slices of ${seconds} s each; ` +
      `${options.identities} identities, ${options.services} services`,
    'then, now   the revision in the folder, and this one; us: CPU of a request, controller+PostgreSQL;',
    '            cpu, bytes: of a request and of an answer, now over then',
    '',
    besideHead(),
  ]);
  for (let start = 1; start <= beside.starts; start += 1) {
    const inner: Closers = [];
    closers.push(() => closeAll(inner));
    const then = await startSide('the other revision', options, inner, program);
    const now = await startSide('this revision', options, inner);
    await measureStart({ load, then, now }, slices, beside.rounds, (index, some) => {
      const all = turns[index];
      const slice = slices[index];
      all?.push(...some);
      showProgress(`start ${start} of ${beside.starts}, ${index + 1} of ${slices.length}: ${slice?.item.name ?? ''}`);
      if (start < beside.starts || slice === undefined || all === undefined) return;
      const found = rowsOf(slice, all);
      rows.push(...found);
      clearProgress();
      for (const row of found) print(besideLine(row));
    });
    await closeAll(inner);
  }
  print(['', ...besideNotes(rows)]);
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, beside, rows }, null, 1)}\n`);
}

/** @throws UsageError when no revision is built there */
export function programIn(dir: string): readonly string[] {
  for (const [file, ...args] of PROGRAMS) {
    const program = join(dir, file);
    if (existsSync(program)) return [program, ...args];
  }
  throw new UsageError(`${dir} has neither ${PROGRAMS.map(([file]) => file).join(' nor ')}: build it first`);
}

async function startSide(
  label: string,
  { identities, services }: BenchOptions,
  closers: Closers,
  program?: readonly string[],
): Promise<Side> {
  showProgress(`starting ${label}`);
  const own = await OwnController.start((stop) => closers.push(stop), { program });
  const { url, username, password } = own;
  const world = await seed({ label, url, username, password, identities, services });
  await own.settle();
  return { own, world };
}

/** All cases with one pair of processes. @param onCase  gets which one it was, and the turns that can be compared */
async function measureStart(
  pair: Pair,
  slices: readonly Slice[],
  rounds: number,
  onCase: (index: number, turns: readonly Turn[]) => void,
): Promise<void> {
  for (const item of pickCases(WARM_CASES)) {
    for (let turn = 0; turn < WARM_TURNS; turn += 1) await takeTurn(pair, { item, ...WARM }, turn);
    await clearUp(pair, item);
  }
  for (const [index, slice] of slices.entries()) {
    await takeTurn(pair, slice, 0); // what it finds cold is not counted
    const turns: Turn[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const turn = await takeTurn(pair, slice, round);
      if (turn !== undefined) turns.push(turn);
    }
    onCase(index, turns);
    const group = slice.item.group;
    if (group !== undefined && slices[index + 1]?.item.group !== group) await clearUp(pair, slice.item);
  }
}

/** @returns undefined where a revision does not answer as it should: there is nothing to compare */
async function takeTurn({ load, then, now }: Pair, slice: Slice, round: number): Promise<Turn | undefined> {
  const isThenFirst = round % 2 === 0;
  const spent = ({ own, world }: Side) => spentBy(slice, own, world, load);
  const first = await spent(isThenFirst ? then : now);
  const second = await spent(isThenFirst ? now : then);
  if (first === undefined || second === undefined) return undefined;
  return isThenFirst ? { then: first, now: second } : { then: second, now: first };
}

async function spentBy(
  { item, connections, seconds }: Slice,
  { pid }: OwnController,
  world: World,
  load: LoadGenerator,
): Promise<Spent | undefined> {
  const { load: result, cpu } = await measureCase(item, { world, load, seconds, connections }, () => ({
    controller: cpuTime(pid)?.all ?? 0,
    postgres: descendants(pid).reduce((sum, child) => sum + (cpuTime(child)?.all ?? 0), 0),
  }));
  if (result.errors > 0 || result.completed === 0 || cpu === undefined) return undefined;
  return {
    rate: result.rate,
    controllerUs: cpu.controller * 1000,
    postgresUs: cpu.postgres * 1000,
    bytes: result.meanBytes,
  };
}

async function clearUp({ load, then, now }: Pair, { group }: BenchCase): Promise<void> {
  for (const { world } of [then, now]) await group?.clearUp({ world, load, seconds: 1, connections: 1 });
}

function rowsOf({ item: { name, api, operationId }, connections }: Slice, turns: readonly Turn[]): BesideRow[] {
  if (turns.length > 0) return [besideRow({ name, connections, isRead: methodOf(api, operationId) === 'GET' }, turns)];
  say(`${name}, ${connections} connections: not compared, a revision refuses it`);
  return [];
}
