// Tries what outages of a database or a controller cost: each under load, one after the other. Parts: lab/drill/.

import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { machine } from './bench/report.js';
import { DRILLS } from './drill/outages/drills.js';
import { Ground } from './drill/outages/ground.js';
import { faultsOf } from './drill/outages/load.js';
import type { Row } from './drill/outages/load.js';
import { LEGEND, markdownOf, tableHead, tableRow } from './drill/outages/report.js';
import { requireServers } from '../test/support/programs.js';
import { onStage, runScript, stopwatch } from './drill/run.js';
import type { Stage } from '../test/support/stage.js';

const NAMES = Object.keys(DRILLS);
const USAGE = `Usage: npm run drill:outages -- [options]

Starts PostgreSQL servers and controllers in a temporary directory, breaks one after the other under load, and shows
what clients saw. Ends everything that it started. Takes three to five minutes.
Exit code 1: something acknowledged was lost, a session was accepted after its end, a server answered that must not be
believed, or an answer was neither a success nor 503.

  --only NAME     run this one; may be repeated. Names:
                  ${NAMES.slice(0, 7).join(', ')},
                  ${NAMES.slice(7).join(', ')}
  --json FILE     write the rows as JSON as well
  --markdown      print the table as Markdown
  --keep          leave the directory with all logs
  -h, --help      show this text and exit
`;
const DEADLINE_MS = 300_000;

interface Options {
  readonly only?: readonly string[];
  readonly json?: string;
  readonly markdown?: boolean;
}

async function drill(stage: Stage, { only = NAMES, json, markdown = false }: Options): Promise<void> {
  const say = stopwatch();
  const ground = new Ground(stage, say);
  const rows: Row[] = [];
  const loads = [loadavg()[0] ?? 0];
  process.stdout.write(`${tableHead()}\n`);
  for (const name of only) {
    say(name);
    for (const row of (await DRILLS[name]?.(ground)) ?? []) {
      rows.push(row);
      process.stdout.write(`${tableRow(row)}\n`);
    }
    loads.push(loadavg()[0] ?? 0);
  }
  const { cores, node } = machine();
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1));
  const primary = await ground.primary();
  const [server] = await primary.query<{ server_version: string }>('SHOW server_version');
  const versions = `Node ${node.slice(1)}, PostgreSQL ${server?.server_version ?? ''}`;
  const measuredOn = `${cores} cores, load ${least} to ${most}; ${versions}`;
  process.stdout.write(`\n${LEGEND.join('\n')}\n\n${measuredOn}\n`);
  if (markdown) process.stdout.write(`\n${markdownOf(rows)}\n`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, null, 2)}\n`);
  const faults = faultsOf(rows);
  if (faults.length === 0) return;
  process.stderr.write(`\n${faults.join('\n')}\n`);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      markdown: { type: 'boolean' },
      keep: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const unknown = values.only?.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`there is no drill ${unknown}; there are ${NAMES.join(', ')}`);
  requireServers();
  await onStage({ keeps: values.keep === true, deadlineMs: DEADLINE_MS }, (stage) => drill(stage, values));
}

runScript(import.meta.url, main);
