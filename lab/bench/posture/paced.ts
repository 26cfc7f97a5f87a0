/** Requests at a fixed rate, whatever the answers take: as many independent clients send them. */
import { performance } from 'node:perf_hooks';
import { Histogram } from '../histogram.js';
import type { Target } from '../load.js';
import { Lane } from '../lane.js';

const LANES = 16;
const TICK_MS = 5;
/** Without any answer. */
const PATIENCE_MS = 60_000;

export interface PacedPlan {
  /** In turn. */
  readonly targets: readonly Target[];
  /** Of all targets together. */
  readonly perSecond: number;
  readonly count: number;
  /** @param index  from 0 */
  readonly requestFor: (index: number, target: Target) => Buffer;
}

export interface PacedResult {
  readonly good: number;
  readonly bad: number;
  readonly firstError: string | undefined;
  readonly seconds: number;
  /** From when a request was due to its answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A connection, and when the request that it carries was due. */
interface Slot {
  readonly lane: Lane;
  dueMs: number;
}

class Pool {
  readonly #idle: Slot[] = [];
  readonly #all: Slot[] = [];
  readonly #waiting: { readonly bytes: Buffer; readonly dueMs: number }[] = [];
  readonly #onAnswer: (dueMs: number, error: string | undefined) => void;

  constructor(onAnswer: (dueMs: number, error: string | undefined) => void) {
    this.#onAnswer = onAnswer;
  }

  async open({ host, port }: Target): Promise<void> {
    for (let count = 0; count < LANES; count += 1) {
      const lane = new Lane({
        host,
        port,
        keepsBodies: false,
        clientCertificate: undefined,
        onAnswer: (answer) => {
          this.#onAnswer(slot.dueMs, faultOf(answer));
          this.#idle.push(slot);
          this.#next();
        },
      });
      const slot: Slot = { lane, dueMs: 0 };
      await lane.open();
      this.#all.push(slot);
      this.#idle.push(slot);
    }
  }

  send(bytes: Buffer, dueMs: number): void {
    this.#waiting.push({ bytes, dueMs });
    this.#next();
  }

  close(): void {
    for (const { lane } of this.#all) lane.close();
  }

  /** A server ends connections that rest for long. */
  #send(slot: Slot, bytes: Buffer): void {
    slot.lane.open().then(
      () => {
        slot.lane.send(bytes);
      },
      (error: Error) => {
        this.#onAnswer(slot.dueMs, error.message);
        this.#idle.push(slot);
      },
    );
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const slot = this.#idle.shift();
      if (slot === undefined) return;
      const item = this.#waiting.shift();
      if (item === undefined) return;
      slot.dueMs = item.dueMs;
      this.#send(slot, item.bytes);
    }
  }
}

const faultOf = (answer: { readonly status: number; readonly body: string } | Error): string | undefined => {
  if (answer instanceof Error) return answer.message;
  return answer.status >= 200 && answer.status < 300 ? undefined : `status ${answer.status}`;
};

/** @throws Error when answers stay out */
export async function runPaced({ targets, perSecond, count, requestFor }: PacedPlan): Promise<PacedResult> {
  const latencies = new Histogram();
  let [good, bad, sent] = [0, 0, 0];
  let answeredMs = performance.now();
  let firstError: string | undefined;
  const pools = targets.map(
    () =>
      new Pool((dueMs, error) => {
        answeredMs = performance.now();
        if (error === undefined) {
          good += 1;
          latencies.add((performance.now() - dueMs) * 1000);
        } else {
          bad += 1;
          firstError ??= error;
        }
      }),
  );
  try {
    await Promise.all(pools.map((pool, index) => pool.open(targets[index] as Target)));
    const startedMs = performance.now();
    const dueOf = (index: number) => startedMs + (index * 1000) / perSecond;
    await new Promise<void>((resolve, reject) => {
      const timer = setInterval(() => {
        const now = performance.now();
        for (; sent < count && dueOf(sent) <= now; sent += 1) {
          const at = sent % targets.length;
          pools[at]?.send(requestFor(sent, targets[at] as Target), dueOf(sent));
        }
        if (good + bad === count) {
          clearInterval(timer);
          resolve();
        } else if (now > Math.max(answeredMs, dueOf(sent)) + PATIENCE_MS) {
          clearInterval(timer);
          reject(new Error(`${count - good - bad} of ${count} requests are not answered`));
        }
      }, TICK_MS);
    });
    const seconds = (performance.now() - startedMs) / 1000;
    return { good, bad, firstError, seconds, p50Ms: latencies.quantileMs(0.5), p99Ms: latencies.quantileMs(0.99) };
  } finally {
    for (const pool of pools) pool.close();
  }
}
