/** The result as a table of 108 columns, line by line while it comes in, and as JSON. */
import { cpus, loadavg, totalmem } from 'node:os';
import type { FloorRate } from './floor.js';
import type { GrowthRow } from './growth.js';
import type { LoadResult } from './load.js';
import type { Measured } from './measure.js';
import type { Size } from './options.js';
import type { Memory } from './own-controller.js';
import type { Row } from './row.js';
import type { ValidationCost } from './validation-cost.js';

/** Shares of the floor that the project aims at, with 20,000 identities and 16 connections. */
export const GOALS: Readonly<Record<string, number>> = {
  'version': 0.4,
  'current API session': 0.25,
  'identity by id': 0.11,
  'identities 10': 0.045,
  'identity by name': 0.1,
  'identity create': 0.03,
};
export const GOAL_IDENTITIES = 20_000;
const GOAL_CONNECTIONS = 16;

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly load: number;
  readonly node: string;
}

export function machine(): Machine {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    node: process.version,
  };
}

const COLUMNS = [
  'conn',
  'rate/s',
  'cpu ms',
  'p50 ms',
  'p99 ms',
  'floor/s',
  'share',
  'goal',
  'ratio',
  'errors',
] as const;
const WIDTHS = [5, 8, 8, 8, 8, 8, 7, 6, 7, 7] as const;
const NAME_WIDTH = 36;

const line = (name: string, cells: readonly string[]): string =>
  name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH) + cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 8)).join('');

export const tableHead = (): string =>
  `${line('case', COLUMNS)}\n${'-'.repeat(NAME_WIDTH + WIDTHS.reduce((sum, width) => sum + width, 0))}`;

export function tableRow(row: Row): string {
  const { name, connections, result, cpu, floor } = row;
  const goal = goalOf(row);
  const share = shareOf(row);
  const ratio = ratioOf(row);
  return line(result.errors > 0 ? `! ${name}` : name, [
    String(connections),
    whole(result.rate),
    cpu === undefined ? '-' : milliseconds(cpu.main),
    milliseconds(result.p50Ms),
    milliseconds(result.p99Ms),
    floor === undefined ? '-' : whole(floor.rate),
    share === undefined ? '-' : threePlaces(share),
    goal === undefined ? '' : threePlaces(goal),
    ratio === undefined ? '' : ratio.toFixed(2),
    result.errors === 0 ? '' : String(result.errors),
  ]);
}

const goalOf = ({ name, connections }: Row): number | undefined =>
  connections === GOAL_CONNECTIONS ? GOALS[name] : undefined;
const shareOf = ({ result, floor }: Row): number | undefined =>
  floor === undefined ? undefined : result.rate / floor.rate;
const ratioOf = ({ result, other }: Row): number | undefined =>
  other === undefined || other.completed === 0 ? undefined : result.rate / other.rate;

const whole = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
const milliseconds = (value: number): string =>
  Number.isNaN(value)
    ? '-'
    : value < 10
      ? value.toFixed(2)
      : value < 1000
        ? value.toFixed(1)
        : Math.round(value).toLocaleString('en');
const threePlaces = (value: number): string => (value < 0.0995 ? value.toFixed(3) : value.toFixed(2));

/** What went wrong, once for each case. */
export function errorNotes(rows: readonly Row[], compareLabel: string): string[] {
  const notes = (pick: (row: Row) => LoadResult | undefined, where: string) =>
    rows.flatMap((row) => {
      const result = pick(row);
      if (result === undefined || result.errors === 0) return [];
      const counts = Object.entries(result.statuses)
        .map(([status, count]) => `${status === '0' ? 'lost' : status}: ${count}`)
        .join(', ');
      return [
        `! ${row.name}${where}, ${row.connections} conn: ` +
          `${counts}\n    ${(result.firstError ?? '').trim().slice(0, 94)}`,
      ];
    });
  return [...notes(({ result }) => result, ''), ...notes(({ other }) => other, ` at ${compareLabel}`)];
}

/** Operations that have no case, so that a new one is not forgotten. */
export const unmeasuredNote = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : wrapped(`no case     ${names.join(', ')}`);

/** Lines of at most 100 columns, broken at blanks. */
const wrapped = (text: string): string[] => text.match(/.{1,99}(?: |$)/g)?.map((part) => part.trimEnd()) ?? [text];

const BUSY = 0.97;

/** Rows in which the load generator had no time left, so that the server may be faster than shown. */
export function busyNote(rows: readonly Row[]): string[] {
  const names = rows
    .filter(({ result }) => result.busy > BUSY)
    .map(({ name, connections }) => `${name} (${connections})`);
  return names.length === 0 ? [] : wrapped(`The load generator was at its limit in: ${names.join(', ')}`);
}

export interface Head {
  readonly startedAt: string;
  readonly machine: Machine;
  readonly controller: { readonly version: string; readonly postgres: string | undefined; readonly url: string };
  readonly scale: { readonly identities: number; readonly services: number; readonly seconds: number };
}

export interface Report extends Head, Measured {
  readonly startMs: number | undefined;
  readonly floors: readonly FloorRate[];
  readonly unmeasured: readonly string[];
}

/** What one size came to. */
export interface SizeReport extends Size, Measured {
  readonly firstStartMs: number;
  /** On all that it has stored. */
  readonly secondStartMs: number;
}

export interface GrowthReport extends Pick<Head, 'startedAt' | 'machine'> {
  readonly seconds: number;
  readonly sizes: readonly SizeReport[];
  readonly growth: readonly GrowthRow[];
  readonly floors: readonly FloorRate[];
}

const rowJson = (row: Row) => ({
  case: row.name,
  api: row.api,
  operationId: row.operationId,
  growth: row.growth,
  connections: row.connections,
  ...row.result,
  ids: undefined,
  unused: undefined,
  cpuMs: row.cpu,
  floorRate: row.floor?.rate,
  floorBytes: row.floor?.bytes,
  share: shareOf(row),
  goal: goalOf(row),
  compareRate: row.other?.rate,
  compareErrors: row.other?.errors,
  ratio: ratioOf(row),
});

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

export const reportJson = (report: Report): string => jsonText({ ...report, rows: report.rows.map(rowJson) });

export const growthJson = (report: GrowthReport): string =>
  jsonText({ ...report, sizes: report.sizes.map((size) => ({ ...size, rows: size.rows.map(rowJson) })) });

export function headLines({ machine: { cores, processor, memoryGiB, load, node }, controller, scale }: Head): string[] {
  return [
    `machine     ${cores} x ${processor.slice(0, 50)}, ${memoryGiB} GiB, load ${load} before`,
    `software    ${controller.version}, ` +
      `node ${node}${controller.postgres === undefined ? '' : `, PostgreSQL ${controller.postgres} (embedded)`}`,
    `controller  ${controller.url}`,
    `scale       ${scale.identities.toLocaleString('en')} identities, ${scale.services.toLocaleString('en')} ` +
      `services; ${scale.seconds} s for each case and number of connections`,
    ...(load > cores / 4
      ? ['note        the machine is busy with other things: rates are too low, shares uncertain']
      : []),
    'cpu ms      of the controller, its main thread, for each request',
    'share       rate over that of a bare node:https server with answers of that size (floor)',
    `goal        of the share, with ${GOAL_IDENTITIES.toLocaleString('en')} identities`,
  ];
}

export function validationLine({ items, bytes, validateUs, stringifyUs, isValid }: ValidationCost): string {
  const kib = Math.round(bytes / 1024);
  return (
    `validation  ${items} identities (${kib} KiB): check ${Math.round(validateUs)} us, ` +
    `JSON.stringify ${Math.round(stringifyUs)} us, ` +
    `${(validateUs / stringifyUs).toFixed(2)} times as long${isValid ? '' : ' (the answer is not valid)'}`
  );
}

export function memoryLine(memory: Readonly<Record<string, Memory | undefined>>): string {
  const parts = Object.entries(memory).flatMap(([when, value]) =>
    value === undefined ? [] : [`${when} ${value.residentMiB} MiB`],
  );
  const peak = Object.values(memory).at(-1)?.peakMiB;
  return `memory      controller process: ${parts.join(', ')}${peak === undefined ? '' : `, peak ${peak} MiB`}`;
}

export function startLine({
  firstStartMs,
  secondStartMs,
  seedSeconds,
}: Pick<SizeReport, 'firstStartMs' | 'secondStartMs' | 'seedSeconds'>): string {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
  return (
    `start       to the first answer: first start ${seconds(firstStartMs)} s, second start, filled, ` +
    `${seconds(secondStartMs)} s; filled through the API in ${seedSeconds.toFixed(0)} s`
  );
}
