/** Asks whether a controller is ready, as a balancer does, in a thread of its own: the one of the clients is busy. */
import { get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const PROBE_MS = 500;

/**
 * Asks every half second, each time on a new connection.
 * @returns what ends it, with how long each answer took, in milliseconds; Infinity for one that did not come
 */
export function probeReadiness(url: string): () => Promise<readonly number[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  const answered = new Promise<readonly number[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return () => {
    worker.postMessage('end');
    return answered;
  };
}

/** @returns whether it is ready */
const ask = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = get(new URL('/readyz', url), { agent: false, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      answer.once('close', () => {
        resolve(answer.statusCode === 200);
      });
    });
    asking.once('error', () => {
      resolve(false);
    });
  });

async function probe(url: string, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const beganAt = performance.now();
    times.push((await ask(url)) ? performance.now() - beganAt : Infinity);
    await delay(PROBE_MS);
  }
  return times;
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const isOver = new AbortController();
  port.once('message', () => {
    isOver.abort();
  });
  port.postMessage(await probe(workerData as string, isOver.signal));
}
