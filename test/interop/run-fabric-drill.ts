/** `npm run drill:fabric`: runs fabric-drill.ts for some minutes, with a PostgreSQL of its own. Stops by itself. */
import { parseArgs } from 'node:util';
import { openTestDatabase } from '../support/database.js';
import { seedOfRun } from '../support/random.js';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/setup.js';
import { RELEASES, findStockBinary } from '../support/stock-binary.js';
import type { Release } from '../support/stock-binary.js';
import { fabricDrill } from './fabric-drill.js';

const USAGE = `Usage: npm run drill:fabric -- [options]

  --minutes N   how long there are kills: 1 to 600, by default 30
  --seed N      what is killed and when; by default another one each time, which is printed
  --release R   of the programs: present, next, or mixed, which is what it does by default

Needs the field's ziti program of these releases: ZITI and ZITI_NEXT name them, or \`ziti\` and \`ziti-next\` are on the
path, or both are packed in ../shared/bin.
Exit code 1: something is in the history that must not be there.
`;

/** The releases that `--release` means; undefined when it means none. */
const RELEASED: Readonly<Record<string, readonly Release[]>> = {
  present: ['present'],
  next: ['next'],
  mixed: RELEASES,
};

/** Programs of these releases; undefined when one is missing. */
function programs(releases: readonly Release[]): string[] | undefined {
  const found = releases.flatMap((release) => findStockBinary(release) ?? []);
  return found.length > 0 && found.length === releases.length ? found : undefined;
}

const say = (text: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      release: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const minutes = Number(values.minutes ?? '30');
  const binaries = programs(RELEASED[values.release ?? 'mixed'] ?? []);
  if (values.help === true || binaries === undefined || !(minutes >= 1 && minutes <= 600)) {
    process.stdout.write(USAGE);
    return values.help === true ? 0 : 1;
  }
  await mochaGlobalSetup();
  const database = await openTestDatabase();
  try {
    const seed = values.seed === undefined ? seedOfRun() : Number(values.seed);
    const { figures, faults } = await fabricDrill({ minutes, seed, binaries, database, say });
    say(figures);
    for (const fault of faults) process.stdout.write(`! ${fault}\n`);
    say(faults.length === 0 ? 'the history is good' : 'the history is not good');
    return faults.length === 0 ? 0 : 1;
  } finally {
    await database.close();
    await mochaGlobalTeardown();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
