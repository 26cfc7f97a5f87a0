/**
 * What a controller holds while there is traffic, as lines: the data of its heap and the memory of its process after a
 * collection of garbage, its files, memory of its connections to PostgreSQL (which is where prepared statements are),
 * rows, files of the write-ahead log, temporary files. Looked at all the time, fitted by least squares; a line that
 * rises by more than its bound in an hour is a fault, unless the scatter of the values alone may make it rise so.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { clusterProcesses } from '../../db/embedded/processes.js';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { Heap } from './steady-heap.js';
import { isRecord } from './steady-holdings.js';

const LOOK_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Of each life: caches fill, code is compiled, pools grow. */
const WARM_SHARE = 1 / 3;
/** Standard errors that a rise has to be beyond its bound. */
const DOUBT = 2;
/** A line through fewer says nothing. */
const LEAST = 8;

/** Most that each may rise in an hour, in its own unit. */
const BOUNDS = {
  'heap, MiB': 4,
  'memory, MiB': 24,
  'open files': 6,
  'connections, MiB': 24,
  'rows': 200,
  'log, MiB': 128,
  'temporary files': 0.5,
} as const;

type Name = keyof typeof BOUNDS;
const NAMES = Object.keys(BOUNDS) as Name[];

interface Look {
  /** Milliseconds, of any clock. */
  readonly at: number;
  readonly values: Readonly<Record<Name, number>>;
}

export interface Line {
  readonly first: number;
  /** By the line, in an hour. */
  readonly rise: number;
  /** Standard error of the rise. */
  readonly error: number;
}

/** Least squares. @param points  time in milliseconds and value, three at least */
export function lineOf(points: readonly (readonly [at: number, value: number])[]): Line {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = { at: mean(points.map(([at]) => at)), value: mean(points.map(([, value]) => value)) };
  const spread = points.reduce((sum, [at]) => sum + (at - middle.at) ** 2, 0);
  const slope = points.reduce((sum, [at, value]) => sum + (at - middle.at) * (value - middle.value), 0) / spread;
  const lineAt = (at: number) => middle.value + slope * (at - middle.at);
  const scatter = points.reduce((sum, [at, value]) => sum + (value - lineAt(at)) ** 2, 0) / (points.length - 2);
  return {
    first: lineAt(points[0]?.[0] ?? 0),
    rise: slope * HOUR_MS,
    error: Math.sqrt(scatter / spread) * HOUR_MS,
  };
}

/** Whether the line rises by more than the bound in an hour, beyond doubt. */
export const isRising = ({ rise, error }: Line, bound: number): boolean => rise - DOUBT * error > bound;

export class Slopes {
  readonly #lives: Look[][] = [];
  #timer: NodeJS.Timeout | undefined;
  #heap: Heap | undefined;

  constructor(private readonly dataDir: string) {}

  /** Looks at a process until `stop`. @param inspector  its port */
  async start(pid: number, inspector: number): Promise<void> {
    const heap = await Heap.of(pid, inspector);
    this.#heap = heap;
    const looks: Look[] = [];
    this.#lives.push(looks);
    const look = async () => {
      // A controller that is just being killed, or its database, is not looked at.
      const values = await lookAt(pid, heap, this.dataDir).catch(() => undefined);
      if (values !== undefined) looks.push({ at: performance.now(), values });
    };
    this.#timer = setInterval(() => void look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#heap?.close();
  }

  faults(): string[] {
    return this.#lines().flatMap(({ life, name, line }) =>
      isRising(line, BOUNDS[name])
        ? [`life ${life}: ${name} rise by ${line.rise.toFixed(1)} in an hour, more than ${BOUNDS[name]}`]
        : [],
    );
  }

  table(): string {
    return this.#lines()
      .map(
        ({ life, name, line }) =>
          `life ${life}  ${name.padEnd(18)}${line.first.toFixed(1).padStart(10)}, in an hour ` +
          `${line.rise.toFixed(1).padStart(8)} ± ${(DOUBT * line.error).toFixed(1)}`,
      )
      .join('\n');
  }

  #lines(): { readonly life: number; readonly name: Name; readonly line: Line }[] {
    return this.#lives.flatMap((looks, index) => {
      const settled = looks.slice(Math.ceil(looks.length * WARM_SHARE));
      if (settled.length < LEAST) return [];
      return NAMES.map((name) => ({
        life: index + 1,
        name,
        line: lineOf(settled.map(({ at, values }) => [at, values[name]])),
      }));
    });
  }
}

async function lookAt(pid: number, heap: Heap, dataDir: string): Promise<Look['values']> {
  const held = await heap.held();
  const client = new pg.Client(runningConnection(dataDir));
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; rows: number }>(
      'SELECT relname AS name, n_live_tup::int AS rows FROM pg_stat_user_tables',
    );
    const { rows } = await client.query<{ log: number; temporary: number }>(
      `SELECT (SELECT sum(size) FROM pg_ls_waldir())::float AS log,
        (SELECT temp_files FROM pg_stat_database WHERE datname = current_database())::int
          + (SELECT count(*) FROM pg_ls_tmpdir())::int AS temporary`,
    );
    const [found = { log: 0, temporary: 0 }] = rows;
    const servers = clusterProcesses(join(dataDir, 'postgres'));
    return {
      'heap, MiB': held / 2 ** 20,
      'memory, MiB': kibOf(pid, 'VmRSS') / 1024,
      'open files': readdirSync(`/proc/${pid}/fd`).length,
      'connections, MiB': servers.reduce((sum, server) => sum + kibOf(server, 'RssAnon'), 0) / 1024,
      'rows': tables.reduce((sum, table) => sum + (isRecord(table.name) ? 0 : table.rows), 0),
      'log, MiB': found.log / 2 ** 20,
      'temporary files': found.temporary,
    };
  } finally {
    await client.end();
  }
}

const kibOf = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
