/**
 * npm run history: a quarter of a minute in which controllers and PostgreSQL are broken leaves nothing wrong.
 * `npm run test:all` takes half a minute, and finds faults that are put in on purpose, as history-checker.test.ts does
 * in records. The machine is busy with other suites meanwhile, so access gets a second.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readRecord } from '../../lab/history/record.js';
import { seedOfRun } from '../support/random.js';
import { ONLY_ALL, amount, itUnless } from '../support/unless.js';
import { DrillRun } from './drill-run.js';

const HISTORY = fileURLToPath(new URL('../../lab/history.js', import.meta.url));
const LONGEST_MS = 180_000;

describe('npm run history', function history() {
  this.timeout(3 * LONGEST_MS);
  let run: DrillRun | undefined;
  afterEach(() => run?.end());
  const start = async (minutes: string, ...args: readonly string[]): Promise<DrillRun> => {
    const fixed = [
      '--database',
      'single',
      '--record',
      'PLACE/record.jsonl',
      '--calm',
      '1000',
      '--no-porcupine',
      '--seed',
    ];
    run = new DrillRun(HISTORY, '--minutes', minutes, ...fixed, String(seedOfRun()), ...args);
    await run.ended(LONGEST_MS);
    return run;
  };

  it('finds nothing wrong while things break', async () => {
    const { exitCode, output, place } = await start(String(amount(0.25, 0.5)), '--rest', '1000');
    expect(exitCode, `${output.stderr}${output.stdout}`).to.equal(0);
    console.log(output.stdout.replace(/^/gm, '      ').trimEnd());
    const entries = readRecord(join(place, 'record.jsonl'));
    for (const kind of ['write', 'read', 'create', 'remove', 'give', 'take', 'use', 'fault', 'event', 'audit'])
      expect(entries.filter((entry) => entry.kind === kind).length, kind).to.be.greaterThan(0);
    run?.expectNothingLeft();
  });

  itUnless(ONLY_ALL, 'finds faults that are put in on purpose', async () => {
    const signs: Readonly<Record<string, RegExp>> = {
      'skipped-notice': /an API session was granted \d+ ms after it was taken, at B/,
      'lost-write': /lost write: /,
      'doubled-write': /written twice: /,
      'stale-read': /stale read/,
      'lost-event': /r0 lost an event: /,
    };
    let left = Object.keys(signs);
    // On a busy machine a fault may miss: what it undoes has been written over already. Such a one gets a longer run.
    for (const minutes of ['0.2', '0.5', '0.5']) {
      const { exitCode, output } = await start(
        minutes,
        '--rest',
        '60000',
        ...left.flatMap((name) => ['--sabotage', name]),
      );
      left = left.filter((name) => !signs[name]?.test(output.stdout));
      if (left.length === 0) {
        expect(exitCode, `${output.stderr}${output.stdout}`).to.equal(1);
        return;
      }
      await run?.end();
    }
    expect(left, 'not found').to.deep.equal([]);
  });
});
