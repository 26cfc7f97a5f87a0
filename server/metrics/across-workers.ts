/**
 * One answer for all workers of a controller. The worker that listens asks the first process, which asks every worker
 * and adds up. What a worker counted is not lost with it, since a sum that falls looks like a restart to Prometheus,
 * which would then take all of it for new.
 */
import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Measured } from './registry.js';

/** Messages between the processes of one controller. */
type Message =
  | { readonly edge: 'all metrics'; readonly id: number }
  | { readonly edge: 'all metrics are'; readonly id: number; readonly text: string }
  | { readonly edge: 'own metrics'; readonly id: number }
  | { readonly edge: 'own metrics are'; readonly id: number; readonly measured: Measured };

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'edge' in message;

/** A worker that does not answer by then is left out, with all but its counters. */
const WORKER_MS = 2_000;
/** Longer, so that the first process decides. */
const FIRST_MS = 4_000;

/** @returns answers of others, and how long they are waited for */
class Waiting<T> {
  readonly #open = new Map<string, (value: T) => void>();

  give(key: string, value: T): void {
    this.#open.get(key)?.(value);
  }

  /** Undefined when nothing comes in time. */
  wait(key: string, ms: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const end = (value: T | undefined) => {
        clearTimeout(timer);
        this.#open.delete(key);
        resolve(value);
      };
      const timer = setTimeout(end, ms, undefined);
      this.#open.set(key, end);
    });
  }
}

export interface WorkerMetrics {
  /** Returns the metrics of all workers together. @throws Error when the first process does not answer */
  text(): Promise<string>;
  close(): void;
}

/** Gives the first process this worker's metrics, and asks it for those of all. */
export function shareMetrics(registry: Registry): WorkerMetrics {
  const answers = new Waiting<string>();
  let asked = 0;
  const say = (message: Message) => {
    if (process.connected) process.send?.(message);
  };
  const onMessage = (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.edge === 'all metrics are') answers.give(String(message.id), message.text);
    if (message.edge !== 'own metrics') return;
    const { id } = message;
    void registry.getMetricsAsJSON().then((measured) => {
      say({ edge: 'own metrics are', id, measured });
    });
  };
  process.on('message', onMessage);
  return {
    async text() {
      const id = (asked += 1);
      say({ edge: 'all metrics', id });
      const text = await answers.wait(String(id), FIRST_MS);
      if (text === undefined) throw new Error('the first process does not answer');
      return text;
    },
    close() {
      process.off('message', onMessage);
    },
  };
}

/** Collects the metrics of all workers in the first process, for a worker that asks. */
export function gatherMetrics(): void {
  const answers = new Waiting<Measured>();
  /** Last report of each worker. */
  const known = new Map<number, Measured>();
  /** Sums of the workers that have ended. */
  let ended: Measured = [];
  let asked = 0;

  /** @returns whether it answered */
  const ask = async (worker: Worker, id: number): Promise<boolean> => {
    worker.send({ edge: 'own metrics', id } satisfies Message);
    const measured = await answers.wait(`${worker.id} ${id}`, WORKER_MS);
    if (measured !== undefined && !worker.isDead()) known.set(worker.id, measured);
    return measured !== undefined;
  };
  const all = async (): Promise<string> => {
    const id = (asked += 1);
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const connected = workers.filter((worker) => worker.isConnected());
    const answered = new Set<number>();
    await Promise.all(
      connected.map(async (worker) => {
        if (await ask(worker, id)) answered.add(worker.id);
      }),
    );
    // Only now: one that ended meanwhile counts among those that have ended, and nowhere else.
    const parts = [...known].map(([worker, measured]) => (answered.has(worker) ? measured : countersOf(measured)));
    return aggregate([...parts, ended]).metrics();
  };
  const onMessage = (worker: Worker, message: unknown) => {
    if (!isMessage(message)) return;
    if (message.edge === 'own metrics are') answers.give(`${worker.id} ${message.id}`, message.measured);
    if (message.edge !== 'all metrics') return;
    const { id } = message;
    void all().then((text) => {
      if (worker.isConnected()) worker.send({ edge: 'all metrics are', id, text } satisfies Message);
    });
  };
  const onExit = ({ id }: Worker) => {
    const last = countersOf(known.get(id) ?? []);
    known.delete(id);
    ended = addUp(ended, last);
  };
  cluster.on('message', onMessage);
  cluster.on('exit', onExit);
}

const aggregate = (parts: readonly Measured[]): Registry =>
  AggregatorRegistry.aggregate(parts.map((part) => [...part]));

const countersOf = (measured: Measured): Measured =>
  measured.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));

/** Sample by sample, by name and labels. */
function addUp(one: Measured, other: Measured): Measured {
  const keyOf = (value: object) => {
    const { metricName = '', labels = {} } = value as { metricName?: string; labels?: object };
    return JSON.stringify([metricName, Object.entries(labels).sort()]);
  };
  const byName = new Map(one.map((metric) => [metric.name, metric]));
  for (const metric of other) {
    const before = byName.get(metric.name);
    const values = new Map((before?.values ?? []).map((value) => [keyOf(value), value]));
    for (const value of metric.values) {
      const known = values.get(keyOf(value));
      values.set(keyOf(value), known === undefined ? value : { ...value, value: known.value + value.value });
    }
    byName.set(metric.name, { ...metric, values: [...values.values()] });
  }
  return [...byName.values()];
}
