/** Runs the cases: each on the controller, then on the one to compare with, then the floor for answers of that size. */
import type { Api } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { pending } from '../../handlers/pending.js';
import type { BenchCase, CaseContext } from './case.js';
import { caCases } from './ca-cases.js';
import { certificateCases } from './certificate-cases.js';
import { changingCases } from './changing-cases.js';
import { cpuEach } from './cpu.js';
import type { CpuTime } from './cpu.js';
import type { Floor } from './floor.js';
import type { LoadGenerator, LoadResult } from './load.js';
import { loginCases } from './login-cases.js';
import { oidcCases } from './oidc-cases.js';
import { UsageError } from './options.js';
import { clearProgress, showProgress } from './progress.js';
import { postureCases } from './posture-cases.js';
import { readingCases } from './reading-cases.js';
import type { Row } from './row.js';
import { routingChanges, routingReads } from './routing-cases.js';
import { sessionCases } from './session-cases.js';
import type { World } from './world.js';

/** Those that change policies and checks come last: after them all sessions are asked about again, for minutes. */
const known: readonly BenchCase[] = [
  ...readingCases,
  ...routingReads,
  ...sessionCases,
  ...certificateCases,
  ...loginCases,
  ...oidcCases,
  ...caCases,
  ...changingCases,
  ...routingChanges,
  ...postureCases,
];
const isBuilt = (api: Api, operationId: string): boolean => !(pending[api] as readonly string[]).includes(operationId);
/** Cases of operations that are built. */
export const allCases: readonly BenchCase[] = known.filter(({ api, operationId }) => isBuilt(api, operationId));

/** @throws UsageError when a name fits no case */
export function pickCases(only: readonly string[]): readonly BenchCase[] {
  if (only.length === 0) return allCases;
  const picked = new Set(
    only.flatMap((term) => {
      const wanted = term.toLowerCase();
      const exact = allCases.filter(({ name }) => name.toLowerCase() === wanted);
      const found = exact.length > 0 ? exact : allCases.filter(({ name }) => name.toLowerCase().includes(wanted));
      if (found.length === 0) throw new UsageError(`no case is named like '${term}'; --list shows the names`);
      return found;
    }),
  );
  return allCases.filter((item) => picked.has(item));
}

/** Built operations that no case measures; an operation that both APIs have counts as measured in either. */
export function unmeasured(): string[] {
  const covered = new Set(allCases.map(({ operationId }) => operationId));
  const names = Object.values(operations)
    .flatMap((all) => Object.values(all))
    .filter(({ api, operationId }) => isBuilt(api, operationId) && !covered.has(operationId));
  return [...new Set(names.map(({ operationId }) => operationId))].sort();
}

export interface RunOptions {
  readonly cases: readonly BenchCase[];
  readonly connections: readonly number[];
  readonly seconds: number;
  readonly load: LoadGenerator;
  readonly floor: Floor;
  readonly world: World;
  readonly other: World | undefined;
  /** Processor time of the controller so far, where it is known. */
  readonly cpu: () => CpuTime | undefined;
  readonly onRow: (row: Row) => void;
}

export async function runCases(options: RunOptions): Promise<void> {
  const { cases, connections, seconds, load, floor, world, other, cpu, onRow } = options;
  const worlds = other === undefined ? [world] : [world, other];
  for (const [index, item] of cases.entries()) {
    for (const count of item.isAlone === true ? [1] : connections) {
      showProgress(`${index + 1} of ${cases.length}: ${item.name}, ${count} connection${count === 1 ? '' : 's'}`);
      const [result, compared] = await inTurn(worlds, (each) =>
        measureCase(item, { world: each, load, seconds, connections: count }, cpu),
      );
      if (result === undefined) continue;
      const floorRate = result.load.completed === 0 ? undefined : await floor.rate(result.load.meanBytes, count);
      clearProgress();
      onRow({
        name: item.name,
        api: item.api,
        operationId: item.operationId,
        growth: item.growth,
        connections: count,
        result: result.load,
        cpu: result.cpu,
        floor: floorRate,
        other: compared?.load,
      });
    }
    if (item.group === undefined || cases[index + 1]?.group === item.group) continue;
    showProgress(`clearing up after ${item.name}`);
    await inTurn(worlds, (each) => item.group?.clearUp({ world: each, load, seconds, connections: 1 }));
  }
}

async function inTurn<T>(worlds: readonly World[], act: (world: World) => Promise<T> | undefined): Promise<T[]> {
  const results: T[] = [];
  for (const world of worlds) {
    const result = await act(world);
    if (result !== undefined) results.push(result);
  }
  return results;
}

interface Measurement<Cpu> {
  readonly load: LoadResult;
  /** For each request. */
  readonly cpu: Cpu | undefined;
}

/**
 * Runs one case once. One that cannot be prepared has an error, so that the rest still runs.
 * @param cpu  milliseconds so far, where they are known
 */
export async function measureCase<Cpu extends Readonly<Record<keyof Cpu, number>>>(
  item: BenchCase,
  context: CaseContext,
  cpu: () => Cpu | undefined,
): Promise<Measurement<Cpu>> {
  const { load, world, seconds, connections } = context;
  try {
    const plan = await item.plan(context);
    const before = cpu();
    const result = await load.run(world.target, {
      ...plan,
      connections,
      seconds,
      warmUpSeconds: Math.min(0.5, seconds * 0.2),
    });
    const each = cpuEach(before, cpu(), result.sent);
    if (plan.spends !== undefined)
      plan.spends.pool.push(...result.unused.flatMap((index) => plan.spends?.ids[index] ?? []));
    await item.after?.(context, result);
    return { load: result, cpu: each };
  } catch (error) {
    return { load: { ...NOTHING, firstError: (error as Error).message }, cpu: undefined };
  }
}

const NOTHING: LoadResult = {
  completed: 0,
  sent: 0,
  rate: 0,
  p50Ms: NaN,
  p99Ms: NaN,
  meanBytes: 0,
  errors: 1,
  statuses: { 0: 1 },
  firstError: undefined,
  ids: [],
  unused: [],
  busy: 0,
};
