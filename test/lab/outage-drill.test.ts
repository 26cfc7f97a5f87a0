/** The drill of outages as a command: it measures, and leaves nothing behind, not even when it is interrupted. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Row } from '../../lab/drill/outages/load.js';
import { until } from '../support/poll.js';
import { textOf } from '../support/proc.js';
import { DrillRun } from './drill-run.js';

const DRILL = fileURLToPath(new URL('../../lab/drill-outages.js', import.meta.url));
const COLUMNS = 100;

describe('npm run drill:outages', function outageDrill() {
  this.timeout(150_000);
  let run: DrillRun | undefined;
  afterEach(() => run?.end());
  const start = (...args: readonly string[]): DrillRun => (run = new DrillRun(DRILL, ...args));

  it('shows what a restart and a pooler in transaction mode cost, and leaves nothing behind', async () => {
    const drill = start('--only', 'restart-immediate', '--only', 'pooler', '--json', 'PLACE/rows.json', '--markdown');
    await drill.ended(120_000);
    const { stdout, stderr } = drill.output;
    expect(drill.exitCode, `${stderr}${stdout}`).to.equal(0);
    const [restart, pooler] = JSON.parse(readFileSync(join(drill.place, 'rows.json'), 'utf8')) as Row[];
    expect(restart?.acknowledged).to.be.greaterThan(0);
    expect(restart?.saw).to.match(/^[1-9]\d* of /);
    expect(restart?.healed).to.match(/; gap /);
    expect(pooler?.saw).to.match(/^refused /);
    const [table = '', markdown = ''] = stdout.split(/\n\n(?=\|)/);
    for (const line of table.split('\n')) expect(line.length, line).to.be.at.most(COLUMNS);
    expect(markdown.trim().split('\n')).to.have.length(4);
    drill.expectNothingLeft();
  });

  it('ends servers that hang when it is interrupted', async () => {
    const drill = start('--only', 'hang');
    const isStopped = (pid: string) => /^State:\tT/m.test(textOf(`/proc/${pid}/status`));
    await until('the server hangs', () => drill.processes().some(isStopped), 60_000);
    drill.interrupt();
    await drill.ended(30_000);
    expect(drill.exitCode).to.equal(130);
    drill.expectNothingLeft();
  });

  it('gives back the disk that it filled when it is interrupted', async () => {
    const drill = start('--only', 'full-disk');
    const isServer = (pid: string) => textOf(`/proc/${pid}/comm`).startsWith('postgres');
    await until('the embedded server runs', () => drill.processes().some(isServer), 60_000);
    drill.interrupt();
    await drill.ended(30_000);
    expect(drill.exitCode).to.equal(130);
    expect(textOf('/proc/mounts')).not.to.include(drill.place);
    drill.expectNothingLeft();
  });

  it('knows its drills by name', async () => {
    const drill = start('--only', 'restart');
    await drill.ended(30_000);
    expect(drill.exitCode).to.equal(1);
    expect(drill.output.stderr).to.match(/^drill: there is no drill restart; there are restart-fast, /);
  });
});
