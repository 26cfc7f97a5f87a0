// Tries what a failover costs: a Patroni cluster, haproxy and two controllers on this machine. Parts: lab/drill/.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newMasterKey } from '../domain/pki/master-key.js';
import { ApiClient } from './bench/api-client.js';
import { launchController } from './controller-process.js';
import { PatroniCluster } from './drill/cluster.js';
import { faultsOf, runEvents } from './drill/events.js';
import type { Scene } from './drill/events.js';
import { findPrograms } from '../test/support/programs.js';
import { LEGEND, markdownOf, tableHead, tableRow } from './drill/report.js';
import { onStage, runScript, stopwatch } from './drill/run.js';
import type { Stage } from '../test/support/stage.js';

const USAGE = `Usage: npm run drill:patroni -- [options]

Starts an etcd, three Patroni members, an haproxy and two controllers in a temporary directory, makes the leader change
in several ways under load, and shows what clients saw. Ends everything that it started. Takes one to three minutes.
Exit code 1: an acknowledged change was lost, a session was wrongly accepted or refused, or an answer was no 503.

  --json FILE     write the figures as JSON as well
  --markdown      print the table as Markdown
  --keep          leave the directory with all configurations and logs
  -h, --help      show this text and exit
`;
const DEADLINE_MS = 300_000;

async function startScene(stage: Stage): Promise<Scene> {
  const timed = stopwatch();
  timed('starting etcd, three Patroni members and haproxy');
  const cluster = await PatroniCluster.start(stage, findPrograms(), timed);
  const credentials = { username: 'admin', password: randomBytes(18).toString('base64url') };
  const masterKey = newMasterKey();
  const start = async (name: string) => {
    timed(`starting controller ${name}`);
    const { url } = await launchController({
      logFile: join(stage.place, `controller-${name}.log`),
      onChild: (child) => {
        stage.adopt(child);
      },
      env: {
        EDGE_NAME: name,
        EDGE_DATA_DIR: join(stage.place, `controller-${name}`),
        DATABASE_URL: cluster.url,
        EDGE_MASTER_KEY: masterKey,
        EDGE_ADMIN_USERNAME: credentials.username,
        EDGE_ADMIN_PASSWORD: credentials.password,
      },
    });
    const client = new ApiClient(url);
    return { name, client, admin: await client.loginToManage(credentials.username, credentials.password) };
  };
  return { cluster, controllers: [await start('A'), await start('B')], credentials, say: timed };
}

async function drill(stage: Stage, options: { readonly json?: string; readonly markdown?: boolean }): Promise<void> {
  const scene = await startScene(stage);
  process.stdout.write(`${tableHead()}\n`);
  const results = await runEvents(scene, (result) => {
    process.stdout.write(`${tableRow(result)}\n`);
  });
  process.stdout.write(`\n${LEGEND.join('\n')}\n`);
  if (options.markdown === true) process.stdout.write(`\n${markdownOf(results)}\n`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  const faults = faultsOf(results);
  if (faults.length === 0) return;
  process.stderr.write(`\n${faults.join('\n')}\n`);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
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
  findPrograms();
  await onStage({ keeps: values.keep === true, deadlineMs: DEADLINE_MS }, (stage) => drill(stage, values));
}

runScript(import.meta.url, main);
