/**
 * The load generator. It runs in threads of its own and does little for each request, so that the server is what gets
 * measured; `busy` is the share of its time that it was at work; near 1 it was the bottleneck itself.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Histogram } from './histogram.js';

/** Replaced in each request by a number of ten digits that is never used twice in a run. */
export const SERIAL = '%%serial%%';

export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface LoadPlan {
  /** Whole HTTP/1.1 requests. */
  readonly requests: readonly Uint8Array[];
  /** `cycle`: over and over until time is up; `once`: each once, and time may not be up when they are used up. */
  readonly mode: 'cycle' | 'once';
  readonly connections: number;
  readonly seconds: number;
  /** Unmeasured time before; none in mode `once`. */
  readonly warmUpSeconds?: number;
  readonly maxRequests?: number;
  /** Keep `data.id` of every good answer. */
  readonly collectsIds?: boolean;
  /** A new connection for each request, which its latency includes. */
  readonly connectsEach?: boolean;
  /** Between an answer and the next request of a connection; 0 unless given. */
  readonly restMs?: number;
  /** Shown in every handshake; both PEM. */
  readonly clientCertificate?: ClientCertificate;
}

export interface LoadResult {
  /** Good answers (2xx) within the time. */
  readonly completed: number;
  /** Requests that left, those of the time before too. */
  readonly sent: number;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the bodies of good answers. */
  readonly meanBytes: number;
  readonly errors: number;
  /** How often each status came; 0 means a lost connection. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly firstError: string | undefined;
  readonly ids: readonly string[];
  /** Which of the plan's requests were not sent in mode `once`. */
  readonly unused: readonly number[];
  readonly busy: number;
}

export interface Job extends Target {
  readonly requests: readonly Uint8Array[];
  readonly mode: LoadPlan['mode'];
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly maxRequests: number;
  readonly collectsIds: boolean;
  readonly connectsEach: boolean;
  readonly restMs: number;
  readonly clientCertificate: ClientCertificate | undefined;
  readonly serialStart: number;
  readonly serialStep: number;
}

export interface JobResult {
  readonly counts: Uint32Array;
  readonly statuses: readonly (readonly [number, number])[];
  readonly ids: readonly string[];
  readonly completed: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly busy: number;
  readonly taken: number;
  readonly firstError?: string;
}

export class LoadGenerator {
  readonly #workers: readonly Worker[];
  #serial = 1;

  /** @param threads  one serves 40,000 answers a second; more only where there are cores to spare */
  constructor(threads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 4)))) {
    this.#workers = Array.from({ length: threads }, () => new Worker(new URL('./load-worker.js', import.meta.url)));
  }

  /** @throws Error when no connection can be made */
  async run(target: Target, plan: LoadPlan): Promise<LoadResult> {
    if (plan.requests.length === 0) throw new Error('there is nothing to send');
    const threads = Math.min(this.#workers.length, plan.connections);
    const share = <T>(items: readonly T[], thread: number) => items.filter((_, index) => index % threads === thread);
    const lanes = Array.from({ length: plan.connections }, (_, index) => index);
    const max = plan.maxRequests ?? Infinity;
    const results = await Promise.all(
      this.#workers.slice(0, threads).map((worker, thread) =>
        post(worker, {
          host: target.host,
          port: target.port,
          mode: plan.mode,
          connections: share(lanes, thread).length,
          seconds: plan.seconds,
          requests: plan.mode === 'once' ? share(plan.requests, thread) : plan.requests,
          warmUpSeconds: plan.mode === 'once' ? 0 : (plan.warmUpSeconds ?? 0),
          maxRequests: Math.ceil((max - thread) / threads),
          collectsIds: plan.collectsIds ?? false,
          connectsEach: plan.connectsEach ?? false,
          restMs: plan.restMs ?? 0,
          clientCertificate: plan.clientCertificate,
          serialStart: this.#serial + thread,
          serialStep: threads,
        }),
      ),
    );
    this.#serial += threads * Math.max(...results.map(({ taken }) => taken));
    const indexes = plan.mode === 'once' ? plan.requests.map((_, index) => index) : [];
    return { ...combine(results), unused: results.flatMap(({ taken }, thread) => share(indexes, thread).slice(taken)) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function post(worker: Worker, job: Job): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (result: JobResult | { failed: string }) => {
      worker.off('error', reject);
      if ('failed' in result) reject(new Error(`load generator: ${result.failed}`));
      else resolve(result);
    });
    worker.postMessage(job);
  });
}

function combine(results: readonly JobResult[]): Omit<LoadResult, 'unused'> {
  const histogram = new Histogram();
  const statuses: Record<number, number> = {};
  const sum = (of: (result: JobResult) => number) => results.reduce((total, result) => total + of(result), 0);
  for (const result of results) {
    histogram.merge(new Histogram(result.counts));
    for (const [status, count] of result.statuses) statuses[status] = (statuses[status] ?? 0) + count;
  }
  const completed = sum((result) => result.completed);
  return {
    completed,
    sent: sum(({ taken }) => taken),
    statuses,
    rate: sum((result) => result.completed / result.seconds),
    p50Ms: histogram.quantileMs(0.5),
    p99Ms: histogram.quantileMs(0.99),
    meanBytes: completed === 0 ? 0 : sum(({ bytes }) => bytes) / completed,
    errors: Object.values(statuses).reduce((total, count) => total + count, 0) - completed,
    firstError: results.find(({ firstError }) => firstError !== undefined)?.firstError,
    ids: results.flatMap(({ ids }) => ids),
    busy: Math.max(...results.map(({ busy }) => busy)),
  };
}
