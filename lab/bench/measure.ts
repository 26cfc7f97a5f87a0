/** One controller measured from start to end: filled, all cases run, its memory looked at between. */
import { performance } from 'node:perf_hooks';
import { ApiClient } from './api-client.js';
import type { BenchCase } from './case.js';
import { cpuTime } from './cpu.js';
import type { Floor } from './floor.js';
import type { LoadGenerator } from './load.js';
import type { BenchOptions, Login, Size } from './options.js';
import type { Memory, OwnController } from './own-controller.js';
import { probePolicy } from './policy-probe.js';
import type { PolicyProbe } from './policy-probe.js';
import { clearProgress, showProgress } from './progress.js';
import type { Row } from './row.js';
import { runCases } from './runner.js';
import { seed } from './seed.js';
import { measureValidation } from './validation-cost.js';
import type { ValidationCost } from './validation-cost.js';
import { CLIENT } from './world.js';

export type Closers = (() => Promise<void> | void)[];

/** Also what comes after one that fails, which fails the run in the end. */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const closer of closers.splice(0).reverse())
    await Promise.resolve()
      .then(closer)
      .catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures);
}

export interface Measured {
  readonly version: string;
  readonly rows: readonly Row[];
  /** Through the API; next to nothing when everything was there already. */
  readonly seedSeconds: number;
  readonly memory: Readonly<Record<string, Memory | undefined>>;
  readonly policy: PolicyProbe | undefined;
  readonly validation: ValidationCost;
}

export interface Bench {
  readonly options: BenchOptions;
  readonly cases: readonly BenchCase[];
  readonly load: LoadGenerator;
  readonly floor: Floor;
  readonly onRow: (row: Row) => void;
}

/** @param onFilled  called before the first case */
export async function measureController(
  { options, cases, load, floor, onRow }: Bench,
  login: Login,
  size: Size,
  own: OwnController | undefined,
  closers: Closers,
  onFilled: (version: string) => void,
): Promise<Measured> {
  const memory: Record<string, Memory | undefined> = { started: own?.memory() };
  const scale = { identities: size.identities, services: size.services };
  const startedAt = performance.now();
  const { url, username, password } = login;
  const world = await seed({ label: 'controller', url, username, password, ...scale });
  const seedSeconds = (performance.now() - startedAt) / 1000;
  const other =
    options.compare === undefined
      ? undefined
      : await seed({ label: 'compare', ...scale, username, password, ...options.compare });
  for (const { admin, client } of other === undefined ? [world] : [world, other])
    closers.push(
      () => admin.logOut(),
      () => client.logOut(),
    );
  await own?.settle();
  memory['filled'] = own?.memory();
  const version = await versionOf(url);
  onFilled(version);
  const rows: Row[] = [];
  await runCases({
    cases,
    connections: options.connections,
    seconds: options.seconds,
    load,
    floor,
    world,
    other,
    cpu: () => own && cpuTime(own.pid),
    onRow: (row) => {
      rows.push(row);
      onRow(row);
    },
  });
  memory['measured'] = own?.memory();
  showProgress('changing a policy over everything');
  const policy = cases.some(({ name }) => name.startsWith('policy all to all')) ? await probePolicy(world) : undefined;
  showProgress('measuring validation');
  const validation = await measureValidation(world);
  clearProgress();
  return { version, rows, seedSeconds, memory, policy, validation };
}

async function versionOf(url: string): Promise<string> {
  const client = new ApiClient(url);
  const { version } = await client.call<{ version: string }>('GET', `${CLIENT}/version`);
  client.close();
  return `controller ${version}`;
}
