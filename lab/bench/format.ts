/** The JSON of a run as Markdown tables, for docs/performance/figures.md. */
import { rateText } from './growth.js';

interface SizeJson {
  readonly identities: number;
  readonly services: number;
  readonly seedSeconds: number;
  readonly firstStartMs?: number;
  readonly secondStartMs?: number;
  readonly memory: Readonly<Record<string, { readonly residentMiB: number; readonly peakMiB: number }>>;
  readonly policy?: Readonly<Record<string, number>>;
  readonly rows: readonly RowJson[];
}
interface RowJson {
  readonly case: string;
  readonly connections: number;
  readonly rate: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly share?: number;
  readonly errors: number;
}
interface GrowthJson {
  readonly case: string;
  readonly connections: number;
  readonly rates: readonly (number | null)[];
  readonly factor: number | null;
  readonly grows?: string;
}
interface RunJson {
  readonly startedAt: string;
  readonly machine: {
    readonly cores: number;
    readonly processor: string;
    readonly memoryGiB: number;
    readonly node: string;
  };
  readonly sizes?: readonly SizeJson[];
  readonly growth?: readonly GrowthJson[];
  readonly scale?: { readonly identities: number; readonly services: number };
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const fixed = (value: number | null | undefined, places: number): string =>
  value === null || value === undefined ? '-' : value.toFixed(places);
const count = (value: number): string => value.toLocaleString('en');
const sizeName = ({ identities, services }: Pick<SizeJson, 'identities' | 'services'>): string =>
  `${count(identities)} x ${count(services)}`;

/** @param json  what `--json` wrote, of a single run or of growth */
export function markdownOf(json: unknown): string {
  const run = json as RunJson & SizeJson;
  const { machine } = run;
  const parts = [
    '# Figures',
    `Written by \`node dist/lab/bench.js --format\`; do not edit. Sizes are identities x services; ` +
      'rates are answers a second.',
    `Measured ${run.startedAt.slice(0, 10)} on ${machine.cores} x ${machine.processor}, ${machine.memoryGiB} GiB, ` +
      `Node ${machine.node}.`,
  ];
  if (run.sizes !== undefined && run.growth !== undefined) {
    parts.push(
      '## At each size',
      growthTable(run.sizes, run.growth),
      '## Policies over everything',
      policyTable(run.sizes),
      '## Start, filling and memory',
      startTable(run.sizes),
    );
    for (const size of run.sizes) parts.push(`## All cases at ${sizeName(size)}`, casesTable(size.rows));
  } else {
    parts.push(`## All cases at ${sizeName(run.scale ?? run)}`, casesTable(run.rows));
  }
  return `${parts.join('\n\n')}\n`;
}

const growthTable = (sizes: readonly SizeJson[], growth: readonly GrowthJson[]): string =>
  table(
    ['case', 'connections', ...sizes.map(sizeName), 'first over last', 'grows because'],
    growth.map((row) => [
      row.case,
      String(row.connections),
      ...row.rates.map((rate) => rateText(rate ?? NaN)),
      fixed(row.factor, 2),
      row.grows ?? '',
    ]),
  );

const PROBES: readonly (readonly [string, string])[] = [
  ['create', 'createMs'],
  ['list after it', 'listAfterCreateMs'],
  ['patch', 'patchMs'],
  ['list after it', 'listAfterPatchMs'],
  ['delete', 'deleteMs'],
  ['list after it', 'listAfterDeleteMs'],
  ['list, nothing changed', 'listMs'],
];

const policyTable = (sizes: readonly SizeJson[]): string =>
  table(
    ['ms of one call', ...sizes.map(sizeName)],
    PROBES.map(([name, key]) => [name, ...sizes.map(({ policy }) => fixed(policy?.[key], 1))]),
  );

const startTable = (sizes: readonly SizeJson[]): string => {
  const line = (name: string, value: (size: SizeJson) => string) => [name, ...sizes.map(value)];
  return table(
    ['', ...sizes.map(sizeName)],
    [
      line('first start to first answer, s', ({ firstStartMs }) => fixed((firstStartMs ?? NaN) / 1000, 1)),
      line('second start, filled, s', ({ secondStartMs }) => fixed((secondStartMs ?? NaN) / 1000, 1)),
      line('filling through the API, s', ({ seedSeconds }) => fixed(seedSeconds, 0)),
      line('controller process after start, MiB', ({ memory }) => String(memory['started']?.residentMiB ?? '-')),
      line('filled, MiB', ({ memory }) => String(memory['filled']?.residentMiB ?? '-')),
      line('after all cases, MiB', ({ memory }) => String(memory['measured']?.residentMiB ?? '-')),
      line('peak, MiB', ({ memory }) => String(memory['measured']?.peakMiB ?? '-')),
    ],
  );
};

const casesTable = (rows: readonly RowJson[]): string =>
  table(
    ['case', 'connections', 'rate/s', 'p50 ms', 'p99 ms', 'share of the floor', 'errors'],
    rows.map((row) => [
      row.case,
      String(row.connections),
      rateText(row.rate),
      fixed(row.p50Ms, 2),
      fixed(row.p99Ms, 1),
      fixed(row.share, 3),
      row.errors === 0 ? '' : String(row.errors),
    ]),
  );
