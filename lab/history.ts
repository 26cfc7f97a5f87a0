// Lets clients work through two controllers while things break, and judges from the record. Parts: lab/history/.

import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { onStage, runScript, stopwatch } from './drill/run.js';
import { BOUNDS } from './history/access.js';
import { judge } from './history/checker.js';
import { missingForCluster, patroniCluster, singleServer } from './history/databases.js';
import { startNetwork } from './history/network.js';
import { RecordFile, readRecord } from './history/record.js';
import type { Entry } from './history/record.js';
import { figuresOf, isClean, verdictLines } from './history/report.js';
import { runHistory } from './history/run.js';
import { judgeAgain } from './history/second-judge.js';
import { SABOTAGES, saboteurOf } from './history/sabotage.js';
import type { Sabotage } from './history/sabotage.js';
import type { Stage } from '../test/support/stage.js';

const USAGE = `Usage: npm run history -- [options]

Clients write, read, log in, dial, give access and take it, through two controllers on one PostgreSQL. Meanwhile
controllers are killed, PostgreSQL restarts or its leader changes, and links between them are cut or slowed down.
All of it is recorded; the verdict comes from the record alone. Ends everything that it started.
Exit code 1: something acknowledged is lost or was done twice, a read was old, access outlasted its end, an event
was lost, doubled or out of order, or the audit is not what happened.

  --minutes N      how long things break (30)
  --seed N         repeats the choices of an earlier run, not its timing
  --database KIND  single, or patroni (needs etcd-server, patroni, haproxy); by default what is installed
  --rest MS        between two faults, at least (1500)
  --calm MS        how long access may outlast its end while nothing is broken (${BOUNDS.calmMs})
  --record FILE    where the record is written; by default a file in the directory for temporary files
  --check FILE     judges an earlier record, and runs nothing
  --sabotage NAME  puts in a fault that has to be found; may be repeated: ${SABOTAGES.slice(0, 2).join(', ')},
                   ${SABOTAGES.slice(2).join(', ')}
  --no-porcupine   no second judge of the registers, which Go builds (it needs Go, and its module proxy once)
  --keep           leave the directory with all logs
  -h, --help       show this text and exit
`;
/** For setting up, and for what is mended in the end. */
const BESIDES_MS = 600_000;

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly database: string;
  readonly restMs: number;
  readonly record: string;
  readonly sabotages: readonly Sabotage[];
}

async function record(stage: Stage, options: Options): Promise<readonly Entry[]> {
  const say = stopwatch();
  const sabotage = saboteurOf(options.sabotages);
  const database = options.database === 'patroni' ? await patroniCluster(stage, say) : await singleServer(stage);
  const network = await startNetwork(stage, database, [undefined, sabotage.filter], say);
  const clocks = network.controllers.every(({ clock }) => clock !== undefined);
  const leftOut = [
    ...database.leftOut,
    ...(clocks ? [] : ['clocks jump: install libfaketime (apt-get install libfaketime)']),
  ];
  for (const what of leftOut) say(`left out: ${what}`);
  const file = new RecordFile(options.record);
  await runHistory(network, file, { ...options, sabotage, say });
  return file.entries;
}

async function tell(entries: readonly Entry[], { calmMs, isAlone }: Judging): Promise<void> {
  const verdict = judge(entries, { ...BOUNDS, calmMs, brokenMs: Math.max(calmMs, BOUNDS.brokenMs) });
  process.stdout.write(`${[...figuresOf(entries), '', ...verdictLines(verdict)].join('\n')}\n`);
  if (!isClean(verdict)) process.exitCode = 1;
  if (isAlone) return;
  const { line, isIllegal } = await judgeAgain(entries);
  process.stdout.write(`Porcupine  ${line}\n`);
  if (isIllegal) process.exitCode = 1;
}

interface Judging {
  readonly calmMs: number;
  /** No second judge. */
  readonly isAlone: boolean;
}

const numberOf = (name: string, text: string): number => {
  const value = Number(text);
  if (!(value >= 0)) throw new Error(`--${name} must be a number, and is ${text}`);
  return value;
};

function chosenDatabase(wanted: string | undefined): string {
  if (wanted === 'single' || wanted === 'patroni') return wanted;
  if (wanted !== undefined) throw new Error('--database must be single or patroni');
  const missing = missingForCluster();
  if (missing === undefined) return 'patroni';
  process.stderr.write(`one PostgreSQL server instead of a cluster: ${missing}\n`);
  return 'single';
}

function sabotageNamed(text: string): Sabotage {
  const found = SABOTAGES.find((name) => name === text);
  if (found === undefined) throw new Error(`there is no sabotage ${text}; there are ${SABOTAGES.join(', ')}`);
  return found;
}

async function main(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      seed: text,
      database: text,
      rest: text,
      calm: text,
      record: text,
      check: text,
      sabotage: { ...text, multiple: true },
      'no-porcupine': { type: 'boolean' },
      'keep': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const judging = {
    calmMs: numberOf('calm', values.calm ?? String(BOUNDS.calmMs)),
    isAlone: values['no-porcupine'] === true,
  };
  if (values.check !== undefined) {
    await tell(readRecord(values.check), judging);
    return;
  }
  const seed = numberOf('seed', values.seed ?? String(randomInt(1_000_000_000)));
  const minutes = numberOf('minutes', values.minutes ?? '30');
  const options: Options = {
    minutes,
    seed,
    sabotages: (values.sabotage ?? []).map(sabotageNamed),
    database: chosenDatabase(values.database),
    restMs: numberOf('rest', values.rest ?? '1500'),
    record: values.record ?? join(tmpdir(), `edge-history-${seed}.jsonl`),
  };
  process.stdout.write(`seed ${seed}, ${minutes} minutes on ${options.database}; record ${options.record}\n\n`);
  const deadlineMs = minutes * 60_000 + BESIDES_MS;
  let entries: readonly Entry[] = [];
  await onStage({ keeps: values.keep === true, deadlineMs }, async (stage) => {
    entries = await record(stage, options);
  });
  await tell(entries, judging);
}

runScript(import.meta.url, main);
