/** What a controller holds while nothing is said: memory and sockets of its process, rows of its tables. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { until } from '../support/poll.js';
import type { Traffic } from './steady-talk.js';

const LOOK_MS = 2_000;
/** A heap breathes; what is lost with every dial goes beyond. */
const MEMORY_MIB = 48;
/** Connections to the database and those that clients keep open for their next request come and go. */
const SOCKETS = 12;

interface Held {
  readonly when: string;
  readonly memoryMiB: number;
  readonly sockets: number;
  readonly rows: ReadonlyMap<string, number>;
}

export class Holdings {
  readonly #held: Held[] = [];

  /** @param sessionSeconds  after which sessions of programs that were killed have ended */
  constructor(
    private readonly dataDir: string,
    private readonly sessionSeconds: number,
    private readonly say: (text: string) => void,
  ) {}

  /** Waits until unused sessions are gone. */
  async note(when: string, pid: number, traffic: Traffic): Promise<void> {
    await traffic.pause();
    const first = this.#held[0];
    let rows = await this.#rows();
    if (first !== undefined)
      await until(
        'no table has more rows than before',
        async () => {
          await delay(LOOK_MS);
          await traffic.stayLoggedIn();
          rows = await this.#rows();
          return grown(first.rows, rows).length === 0;
        },
        2 * this.sessionSeconds * 1_000,
      ).catch(() => {
        this.say(`${when}: ${grown(first.rows, rows).join('; ')}`);
      });
    this.#held.push({ when, memoryMiB: memoryOf(pid), sockets: socketsOf(pid), rows });
  }

  /** Of the process: between its start and its end. */
  faults(life: string): string[] {
    const [start, end] = [`${life}, start`, `${life}, end`].map((when) =>
      this.#held.find((held) => held.when === when),
    );
    if (start === undefined || end === undefined) return [`${life}: nothing was noted`];
    return [
      ...(end.memoryMiB > start.memoryMiB + MEMORY_MIB
        ? [`${life}: memory grew from ${start.memoryMiB} to ${end.memoryMiB} MiB`]
        : []),
      ...(end.sockets > start.sockets + SOCKETS
        ? [`${life}: sockets grew from ${start.sockets} to ${end.sockets}`]
        : []),
    ];
  }

  /** Between the first note and the last. */
  rowFaults(): string[] {
    const [first, last] = [this.#held[0], this.#held.at(-1)];
    return first === undefined || last === undefined ? [] : grown(first.rows, last.rows);
  }

  table(): string {
    const tables = [...new Set(this.#held.flatMap(({ rows }) => [...rows.keys()]))].sort();
    const counts = (table: string) => this.#held.map(({ rows }) => rows.get(table) ?? 0);
    const changing = tables.filter((table) => new Set(counts(table)).size > 1);
    const lines: (readonly (string | number)[])[] = [
      ['', ...this.#held.map(({ when }) => when)],
      ['memory, MiB', ...this.#held.map(({ memoryMiB }) => memoryMiB)],
      ['sockets', ...this.#held.map(({ sockets }) => sockets)],
      ...changing.map((table) => [table, ...counts(table)]),
      [
        'rows of all tables',
        ...this.#held.map(({ rows }) => [...rows.values()].reduce((sum, count) => sum + count, 0)),
      ],
    ];
    return lines
      .map(([name = '', ...cells]) => String(name).padEnd(26) + cells.map((cell) => String(cell).padStart(16)).join(''))
      .join('\n');
  }

  async #rows(): Promise<Map<string, number>> {
    const client = new pg.Client(runningConnection(this.dataDir));
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE c.relkind = 'r' AND n.nspname = 'public' ORDER BY 1`,
      );
      const counted = new Map<string, number>();
      for (const { name } of tables) {
        const { rows } = await client.query<{ rows: number }>(
          `SELECT count(*)::int AS rows FROM ${pg.escapeIdentifier(name)}`,
        );
        counted.set(name, rows[0]?.rows ?? 0);
      }
      return counted;
    } finally {
      await client.end();
    }
  }
}

/** What is kept for each identity once it asks, and no more than that. */
const PER_IDENTITY: readonly string[] = ['service_views'];

/** A total is kept in several slots, and each is made when it is first needed: their number says nothing. */
const COUNTERS = 'entity_counts';
/** They have rows for each hour, or for each minute of the last two hours. */
const BY_TIME: readonly string[] = ['usage_hours', 'dial_minutes'];
/** What is recorded stays recorded: each change has its row, for as long as the audit is kept. */
export const isRecord = (table: string): boolean => table.startsWith('audit_records') || table === 'event_batches';

/** Tables with more rows than before. */
const grown = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] =>
  [...after].flatMap(([table, count]) => {
    if (table === COUNTERS || BY_TIME.includes(table) || isRecord(table)) return [];
    const earlier = PER_IDENTITY.includes(table) ? (after.get('identities') ?? 0) : (before.get(table) ?? 0);
    return count <= earlier ? [] : [`${table}: ${earlier} rows at the start, ${count} at the end`];
  });

const memoryOf = (pid: number): number =>
  Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024);

const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; // closed since
    }
  }).length;
