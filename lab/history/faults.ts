/** The schedule of what is broken, from a seed, one fault after the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { pause } from './caller.js';
import type { HistoryController, Network } from './network.js';
import type { RecordFile } from './record.js';
import type { Draw } from './writers.js';

/** The name that the connection has by which a controller hears of changes (server/changes/change-feed.ts). */
const FEED = 'edge-controller changes';
const SLOW_MS = 150;

type Act = (controller: HistoryController, durationMs: number) => Promise<void>;

/** Something that happens to one controller. */
const OF_CONTROLLERS: Readonly<Record<string, Act>> = {
  'is killed': async (controller, durationMs) => {
    await controller.kill();
    await delay(durationMs / 2);
    await controller.start();
  },
  'is restarted': async (controller) => {
    await controller.stop();
    await controller.start();
  },
  'hangs': async (controller, durationMs) => {
    controller.signal('SIGSTOP');
    await delay(durationMs);
    controller.signal('SIGCONT');
  },
  'is cut from its database': ({ toDatabase }, durationMs) => during(durationMs, toDatabase, 'cut'),
  'has a silent way to its database': ({ toDatabase }, durationMs) => during(durationMs, toDatabase, 'silent'),
  'does not hear of changes': ({ toDatabase }, durationMs) => during(durationMs, toDatabase, 'silent', { only: FEED }),
  'has a slow way to its database': ({ toDatabase }, durationMs) =>
    during(durationMs, toDatabase, 'open', { delayMs: SLOW_MS }),
  'is cut from its clients': ({ toClients }, durationMs) => during(durationMs, toClients, 'cut'),
  'has a silent way to its clients': ({ toClients }, durationMs) => during(durationMs, toClients, 'silent'),
  'has a slow way to its clients': ({ toClients }, durationMs) =>
    during(durationMs, toClients, 'open', { delayMs: SLOW_MS }),
};

/** A jump that no certificate and no session outlives would be another story: this is a bad NTP server. */
const JUMPS_SECONDS = [-600, -30, 30, 600];

async function during(
  durationMs: number,
  link: HistoryController['toDatabase'],
  ...how: Parameters<HistoryController['toDatabase']['set']>
): Promise<void> {
  link.set(...how);
  await delay(durationMs);
  link.set('open');
}

export interface PlannedFault {
  readonly what: string;
  readonly act: () => Promise<void>;
}

/** The next fault of the schedule: what it is depends on the draws alone, not on what happened meanwhile. */
export function plan(network: Network, draw: Draw): PlannedFault {
  const durationMs = 300 + draw(4_000);
  const index = draw(2);
  const kinds = [
    ...Object.entries(OF_CONTROLLERS).map(([what, act]): PlannedFault => {
      const controller = network.controllers[index] as HistoryController;
      return { what: `controller ${controller.options.name} ${what}`, act: () => act(controller, durationMs) };
    }),
    ...Object.entries(network.database.faults).map(([what, act]): PlannedFault => ({
      what,
      act: () => act(durationMs),
    })),
    ...clockFaults(network, durationMs, draw),
  ];
  const chosen = kinds[draw(kinds.length)] as PlannedFault;
  return { ...chosen, what: `${chosen.what} (${durationMs} ms)` };
}

function clockFaults({ controllers }: Network, durationMs: number, draw: Draw): PlannedFault[] {
  const [index, seconds] = [draw(2), JUMPS_SECONDS[draw(JUMPS_SECONDS.length)] ?? 0];
  const { clock, options } = controllers[index] as HistoryController;
  if (clock === undefined) return [];
  const act = async () => {
    clock.set(seconds);
    await delay(durationMs);
    clock.set(0);
  };
  return [{ what: `the clock of controller ${options.name} jumps by ${seconds} s`, act }];
}

export interface Breaking {
  readonly network: Network;
  readonly record: RecordFile;
  readonly draw: Draw;
  /** Between two faults, at least. */
  readonly restMs: number;
  readonly say: (text: string) => void;
}

/** Breaks one thing after the other until it is aborted; what is broken then is mended first. */
export async function breakThings(
  { network, record, draw, restMs, say }: Breaking,
  signal: AbortSignal,
): Promise<void> {
  await pause(restMs, signal);
  while (!signal.aborted) {
    const { what, act } = plan(network, draw);
    say(what);
    const start = performance.now();
    // An end is written when it is over, so that no answer of meanwhile comes before its fault.
    try {
      await act();
    } finally {
      record.add({ kind: 'fault', what, start, end: performance.now() });
    }
    await pause(restMs + draw(restMs), signal);
  }
}
