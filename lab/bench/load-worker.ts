/**
 * A thread of the load generator: takes one job at a time, runs its connections in closed loops, answers what it saw.
 */
import { performance } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import { Histogram } from './histogram.js';
import { Lane } from './lane.js';
import { SERIAL } from './load.js';
import type { Job, JobResult } from './load.js';
import type { HttpAnswer } from './response-reader.js';

const RETRIES = 20;
const EXCERPT_CHARS = 300;

/** A request of which each connection has its own copy, because the serial number is written into it. */
interface Template {
  readonly bytes: Buffer;
  readonly serialAt: readonly number[];
}

function templateOf(request: Uint8Array): Template {
  const bytes = Buffer.from(request);
  const serialAt: number[] = [];
  for (let at = bytes.indexOf(SERIAL); at >= 0; at = bytes.indexOf(SERIAL, at + SERIAL.length)) serialAt.push(at);
  return { bytes, serialAt };
}

class Run {
  readonly #histogram = new Histogram();
  readonly #statuses = new Map<number, number>();
  readonly #ids: string[] = [];
  readonly #templates: readonly Template[];
  #taken = 0;
  #completed = 0;
  #bytes = 0;
  #firstError: string | undefined;
  #startMs = 0;
  #deadlineMs = Infinity;
  #lastMs = 0;

  constructor(readonly job: Job) {
    this.#templates = job.requests.map(templateOf);
  }

  async go(): Promise<JobResult> {
    const { job } = this;
    const lanes = Array.from({ length: job.connections }, () => this.#lane());
    if (!job.connectsEach) await Promise.all(lanes.map(({ lane }) => lane.open()));
    const beganAt = performance.now();
    this.#startMs = beganAt + job.warmUpSeconds * 1000;
    this.#deadlineMs = this.#startMs + job.seconds * 1000;
    this.#lastMs = this.#startMs;
    const before = performance.eventLoopUtilization();
    await Promise.all(lanes.map(({ loop }) => loop()));
    const { utilization } = performance.eventLoopUtilization(before);
    lanes.forEach(({ lane }) => {
      lane.close();
    });
    const isShort = job.mode === 'once' || this.#taken >= job.maxRequests;
    const endMs = isShort ? Math.min(this.#lastMs, this.#deadlineMs) : Math.max(this.#deadlineMs, this.#lastMs);
    return {
      counts: this.#histogram.counts,
      statuses: [...this.#statuses],
      ids: this.#ids,
      completed: this.#completed,
      bytes: this.#bytes,
      seconds: Math.max(endMs - this.#startMs, 0.001) / 1000,
      busy: utilization,
      taken: this.#taken,
      ...(this.#firstError === undefined ? {} : { firstError: this.#firstError }),
    };
  }

  /** A closed loop: the next request leaves when the last one is answered. */
  #lane(): { lane: Lane; loop: () => Promise<void> } {
    const copies = new Map<number, Buffer>();
    let sentAt = 0;
    let failures = 0;
    let finish: () => void = () => undefined;
    const next = () => {
      const bytes = performance.now() < this.#deadlineMs ? this.#take(copies) : undefined;
      if (bytes === undefined) {
        finish();
        return;
      }
      sentAt = performance.now();
      const send = () => {
        lane.send(bytes);
      };
      if (lane.isOpen) send();
      else
        lane.open().then(() => {
          if (!this.job.connectsEach) sentAt = performance.now();
          send();
        }, fail);
    };
    const fail = (error: Error) => {
      this.#count(error, 0);
      failures += 1;
      if (failures > RETRIES) finish();
      else next();
    };
    const lane = new Lane({
      host: this.job.host,
      port: this.job.port,
      keepsBodies: this.job.collectsIds,
      clientCertificate: this.job.clientCertificate,
      onAnswer: (answer) => {
        if (answer instanceof Error) {
          fail(answer);
          return;
        }
        failures = 0;
        this.#count(answer, sentAt);
        if (this.job.connectsEach) lane.close();
        if (this.job.restMs === 0) next();
        else setTimeout(next, this.job.restMs);
      },
    });
    return {
      lane,
      loop: () =>
        new Promise((resolve) => {
          finish = resolve;
          next();
        }),
    };
  }

  #take(copies: Map<number, Buffer>): Buffer | undefined {
    const serial = this.#taken;
    const { job } = this;
    if (serial >= job.maxRequests || (job.mode === 'once' && serial >= this.#templates.length)) return undefined;
    this.#taken += 1;
    const index = serial % this.#templates.length;
    const template = this.#templates[index];
    if (template === undefined || template.serialAt.length === 0) return template?.bytes;
    const copy = copies.get(index) ?? Buffer.from(template.bytes);
    copies.set(index, copy);
    const digits = String(job.serialStart + serial * job.serialStep).padStart(SERIAL.length, '0');
    for (const at of template.serialAt) copy.write(digits, at, 'latin1');
    return copy;
  }

  #count(answer: HttpAnswer | Error, sentAt: number): void {
    const now = performance.now();
    const isGood = !(answer instanceof Error) && answer.status >= 200 && answer.status < 300;
    if (isGood && this.job.collectsIds) this.#collect(answer.body);
    // What is answered after the end still counts when nothing else does: a case slower than its time.
    if (now < this.#startMs || (now > this.#deadlineMs && this.#completed > 0)) return;
    const status = answer instanceof Error ? 0 : answer.status;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#lastMs = now;
    if (isGood) {
      this.#completed += 1;
      this.#bytes += answer.bytes;
      this.#histogram.add((now - sentAt) * 1000);
    } else {
      this.#firstError ??=
        answer instanceof Error ? answer.message : `${answer.status} ${answer.body.slice(0, EXCERPT_CHARS)}`;
    }
  }

  #collect(body: string): void {
    try {
      const id = (JSON.parse(body) as { data?: { id?: unknown } }).data?.id;
      if (typeof id === 'string') this.#ids.push(id);
    } catch (error) {
      this.#firstError ??= `no JSON in an answer: ${String(error)}`;
    }
  }
}

parentPort?.on('message', (job: Job) => {
  new Run(job).go().then(
    (result) => {
      parentPort?.postMessage(result);
    },
    (error: unknown) => {
      parentPort?.postMessage({ failed: error instanceof Error ? error.message : String(error) });
    },
  );
});
