/** The events of the drill, and what each of them cost. */
import { setMaxListeners } from 'node:events';
import type { PatroniCluster, Role } from './cluster.js';
import { STORED, compare, faultsOfCounts, untilHealed } from './measure.js';
import type { Stored } from './measure.js';
import { SessionWatch, pause } from './sessions.js';
import type { Controller, Credentials, SessionVerdict } from './sessions.js';
import { runStreams } from './streams.js';
import type { Pace, Target } from './streams.js';
import { Tally } from './tally.js';

const CALM_MS = 2_000;
/** Without a refusal for so long it counts as healed. */
const HEALED_MS = 2_500;
const PACE: Pace = { createsPerSecond: 80, connections: 8 };

export interface EventResult {
  readonly event: string;
  readonly creates: number;
  readonly refused: number;
  readonly gapSeconds: number;
  /** From the event to the first create after which none was refused; undefined when none was. */
  readonly healedSeconds: number | undefined;
  /** From the event until the cluster said that it was over. */
  readonly clusterSeconds: number;
  readonly lost: number;
  readonly unacknowledged: number;
  readonly reads: number;
  readonly refusedReads: number;
  readonly staleReads: number;
  readonly sessions: SessionVerdict;
  readonly looks: number;
  readonly notReadyLooks: number;
  readonly unexpected: Readonly<Record<string, number>>;
}

export interface Scene {
  readonly cluster: PatroniCluster;
  readonly controllers: readonly [Controller & Target, Controller & Target];
  readonly credentials: Credentials;
  readonly say: (text: string) => void;
}

/** Each event on the cluster that the last one left. @param onResult  called after each */
export async function runEvents(scene: Scene, onResult: (result: EventResult) => void): Promise<EventResult[]> {
  const { cluster } = scene;
  const results: EventResult[] = [];
  const measure = async (event: string, act: () => Promise<string>) => {
    const result = await measureEvent(scene, event, act);
    results.push(result);
    onResult(result);
  };
  const kill = async (role: Role) => {
    const killed = await cluster.kill(role);
    return { killed, next: await cluster.successor(role, killed) };
  };
  let former = '';
  await measure('switchover', async () => `${await cluster.switchOver()} leads`);
  await cluster.complete();
  await measure('kill -9 of the leader and its Patroni', async () => {
    const { killed, next } = await kill('leader');
    former = killed;
    return `${killed} killed, ${next} leads`;
  });
  // Two members are left: complete again only with the third, whose return is an event of its own.
  await measure('the killed member comes back', async () => {
    const isRewound = await cluster.rejoin(former);
    return `${former} follows, ${isRewound ? 'rewound' : 'without a rewind'}`;
  });
  await measure('kill -9 of the synchronous standby', async () => {
    const { killed, next } = await kill('sync_standby');
    return `${killed} killed, ${next} is synchronous`;
  });
  return results;
}

/** @param act  ends when the cluster says that the event is over; says what came of it */
async function measureEvent(scene: Scene, event: string, act: () => Promise<string>): Promise<EventResult> {
  const { cluster, controllers, credentials, say } = scene;
  say(`${event}: opening sessions`);
  const watch = await SessionWatch.open(controllers, credentials);
  const halt = new AbortController();
  setMaxListeners(0, halt.signal);
  const tally = new Tally(performance.now());
  const streams = runStreams(controllers, tally, halt.signal, PACE);
  const sessions = watch.run(tally, halt.signal);
  let eventAt = 0;
  let clusterSeconds = 0;
  try {
    await pause(CALM_MS, halt.signal);
    say(`${event}: now`);
    eventAt = performance.now();
    const outcome = await act();
    clusterSeconds = (performance.now() - eventAt) / 1000;
    say(`${event}: ${outcome}, after ${clusterSeconds.toFixed(1)} s; ${tally.refused} creates refused so far`);
    await untilHealed(tally, HEALED_MS);
  } finally {
    halt.abort();
    await Promise.all([streams, sessions]);
  }
  const { lost, unacknowledged } = compare(tally, await cluster.query<Stored>('edge', STORED));
  const healedAt = tally.lastRefusalAt === undefined ? undefined : tally.healedAt;
  return {
    event,
    creates: tally.creates,
    refused: tally.refused,
    lost,
    unacknowledged,
    gapSeconds: tally.longestGapMs / 1000,
    clusterSeconds,
    healedSeconds: healedAt === undefined ? undefined : (healedAt - eventAt) / 1000,
    reads: tally.reads,
    refusedReads: tally.refusedReads,
    staleReads: tally.staleReads,
    looks: tally.looks,
    notReadyLooks: tally.notReadyLooks,
    sessions: await watch.verdict(),
    unexpected: Object.fromEntries(tally.unexpected),
  };
}

/** A failover may refuse; it may never lose, contradict itself, or accept an ended session. */
export function faultsOf(results: readonly EventResult[]): string[] {
  return results.flatMap(({ sessions: { standing, stood, wrong }, ...result }) =>
    [
      ...faultsOfCounts(result),
      ...wrong.map((where) => `an ended session was accepted ${where}`),
      ...(stood < standing ? [`${standing - stood} of ${standing} sessions did not stand`] : []),
    ].map((fault) => `${result.event}: ${fault}`),
  );
}
