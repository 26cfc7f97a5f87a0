/** What `--posture` prints. */
import type { ReportPhase } from './reports.js';
import type { RatioRow } from './ratio.js';

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const mib = (kib: number): string => (kib / 1024).toFixed(1);
const cells = (values: readonly string[], width: number): string =>
  values.map((value) => value.padStart(width)).join('');

const COLUMNS = ['MiB before', 'after', 'dead before', 'after', 'inserted', 'updated', 'in place', 'deleted'];

export function phaseLines({ name, result, controllerCpuUs, postgresCpuUs, before, after }: ReportPhase): string[] {
  const wal = (after.walBytes - before.walBytes) / Math.max(1, result.good);
  const cpu = `${whole(controllerCpuUs)} + ${whole(postgresCpuUs)} us of controllers and PostgreSQL`;
  return [
    '',
    `${name}: ${whole(result.good)} reports in ${result.seconds.toFixed(1)} s, ` +
      `${whole(result.good / result.seconds)}/s, ` +
      `p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms, ${result.bad} refused` +
      (result.firstError === undefined ? '' : ` (${result.firstError})`),
    `each        ${cpu}, ${whole(wal)} bytes of WAL`,
    `${'table'.padEnd(26)}${cells(COLUMNS, 12)}`,
    ...Object.entries(after.tables).map(([table, now]) => {
      const was = before.tables[table] ?? now;
      const moved = (['inserted', 'updated', 'updatedInPlace', 'deleted'] as const).map((key) =>
        whole(now[key] - was[key]),
      );
      return `${table.padEnd(26)}${cells(
        [mib(was.totalKib), mib(now.totalKib), whole(was.deadRows), whole(now.deadRows), ...moved],
        12,
      )}`;
    }),
    `${'database'.padEnd(26)}${cells([mib(before.databaseKib), mib(after.databaseKib)], 12)}`,
  ];
}

export const ratioHead = (): string =>
  `${'case'.padEnd(26)}${'size'.padStart(14)}` +
  cells(['rate', 'posture', 'times', 'CPU us', 'posture', 'times', 'errors'], 10);

export function ratioLine({ name, size, plain, guarded, errors }: RatioRow): string {
  return (
    `${name.padEnd(26)}${`${size.identities}x${size.services}`.padStart(14)}` +
    cells(
      [
        whole(plain.rate),
        whole(guarded.rate),
        (plain.rate / guarded.rate).toFixed(2),
        whole(plain.cpuUs),
        whole(guarded.cpuUs),
        (guarded.cpuUs / plain.cpuUs).toFixed(2),
        String(errors),
      ],
      10,
    )
  );
}
