/**
 * The worst that callers can send within the bounds, one attack after another, each right after a quiet time of its
 * own; with what it does to memory and to others. Bounded in time: it stops by itself.
 */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { LoadGenerator } from '../load.js';
import { UsageError } from '../options.js';
import type { OwnController } from '../own-controller.js';
import { say } from '../progress.js';
import type { Attack, AttackContext } from './attack.js';
import { largeBodies, largeTags, wrongPasswords } from './bodies.js';
import { slowSenders, stillDocuments, stillLists } from './connections.js';
import { dearest, oddShapes } from './filters.js';
import { memoryOf, watchMemory } from './memory.js';
import type { AbuseRow } from './report.js';
import { routersWithOddHellos, routersWithoutCertificate, silentRouters } from './routers.js';
import { Victims } from './victims.js';
import { seedAbuse } from './world.js';

const attacks: readonly Attack[] = [
  oddShapes,
  stillLists,
  ...dearest,
  stillDocuments,
  slowSenders,
  largeTags,
  wrongPasswords,
  largeBodies,
  routersWithoutCertificate,
  routersWithOddHellos,
  silentRouters,
];

const QUIET_SECONDS = 3;
/** What an attack leaves under way ends in this time, before its memory is looked at. */
const SETTLE_MS = 2_000;

export interface AbuseOptions {
  /** Of each attack. */
  readonly seconds: number;
  readonly readers: number;
  readonly only: readonly string[];
}

type Closers = (() => Promise<void> | void)[];

/** @throws UsageError when a name fits no attack */
function pick(only: readonly string[]): readonly Attack[] {
  if (only.length === 0) return attacks;
  const picked = attacks.filter(({ name }) => only.some((term) => name.toLowerCase().includes(term.toLowerCase())));
  if (picked.length === 0)
    throw new UsageError(`no attack is named so; there are: ${attacks.map(({ name }) => name).join(', ')}`);
  return picked;
}

export async function measureAbuse(
  own: OwnController,
  { only, seconds, readers }: AbuseOptions,
  closers: Closers,
  onRow: (row: AbuseRow) => void,
): Promise<AbuseRow[]> {
  const picked = pick(only);
  const world = await seedAbuse(own);
  await own.settle();
  const load = new LoadGenerator(1);
  const victims = new Victims(world);
  closers.push(
    () => load.close(),
    () => victims.close(),
  );
  const context: AttackContext = { world, load, seconds, readers };
  const rows: AbuseRow[] = [];
  for (const [index, attack] of picked.entries()) {
    say(`${index + 1} of ${picked.length}: ${attack.name}`);
    await attack.prepare?.(context);
    const row = await measureAttack(attack, context, victims, own.pid);
    rows.push(row);
    onRow(row);
  }
  return rows;
}

async function measureAttack(attack: Attack, given: AttackContext, victims: Victims, pid: number): Promise<AbuseRow> {
  const context = { ...given, seconds: Math.max(given.seconds, attack.leastSeconds ?? 0) };
  const [load = 0] = loadavg();
  const quiet = await victims.suffer(QUIET_SECONDS);
  const before = memoryOf(pid);
  const peakUntilNow = watchMemory(pid);
  const [statuses, attacked] = await Promise.all([attack.run(context), victims.suffer(context.seconds)]);
  const peak = peakUntilNow();
  await delay(SETTLE_MS);
  return {
    name: attack.name,
    sends: attack.sends(context),
    statuses,
    before,
    peak,
    after: memoryOf(pid),
    quiet,
    attacked,
    load,
  };
}
