/**
 * Several processes on one port. The first process keeps the embedded database, makes the network once and starts the
 * workers; each worker is a whole controller on that database and shares the listening port. One that ends is replaced.
 * Workers stay consistent through the database, as controllers on different machines do.
 */
import cluster from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:cluster';
import type { ClientConfig } from 'pg';
import { formatHostPort, parseHostPort } from '../../domain/pki/server-name.js';
import type { Settings } from '../settings/config.js';
import { prepareNetwork } from './controller.js';
import type { RunningController } from './controller.js';
import { ROUTERS_HOLDER, ROUTERS_SOCKET } from '../sockets/handoff.js';
import type { Logger } from '../base/log.js';

/** This process is a worker; the first process has settled what all of them need. */
export const isWorker = cluster.isWorker;

/** A worker that ended at once would only end again: wait a little, and longer each time. */
const BACKOFF_MS = [0, 200, 1_000, 5_000];
/** A worker that served for this long ended for a reason of its own. */
const STEADY_MS = 10_000;

export async function startWorkers(config: Settings, log: Logger, abort: AbortSignal): Promise<RunningController> {
  const prepared = await prepareNetwork(config, log, abort);
  const place = mkdtempSync(join(tmpdir(), 'edge-routers-'));
  const env = {
    EDGE_WORKERS: '1',
    DATABASE_URL: urlOf(prepared.connection, config),
    // Used up by the first start: workers need no copy.
    EDGE_ADMIN_PASSWORD: '',
    [ROUTERS_SOCKET]: join(place, 'socket'),
  };
  const removePlace = () => {
    rmSync(place, { recursive: true, force: true });
  };
  const stopping = new AbortController();
  try {
    cluster.setupPrimary({ silent: false });
    // It ends with this process.
    if (config.metricsListen !== null) (await import('../metrics/across-workers.js')).gatherMetrics();
    const port = await startAll(config.workers, env, stopping.signal, log);
    const url = `https://${formatHostPort({ host: parseHostPort(config.listen).host, port })}`;
    return {
      url,
      control: undefined,
      metrics: undefined,
      advertise: config.advertise,
      newAdmin: prepared.newAdmin,
      // Another process has the channels.
      checkModel: () => Promise.resolve(undefined),
      async stop() {
        stopping.abort();
        await endAll();
        removePlace();
        await prepared.close();
      },
    };
  } catch (error) {
    stopping.abort();
    await endAll();
    removePlace();
    await prepared.close();
    throw error;
  }
}

/** Resolves with the port once every worker listens; rejects when one cannot start. */
function startAll(
  count: number,
  env: Readonly<Record<string, string>>,
  stopping: AbortSignal,
  log: Logger,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const listening = new Set<number>();
    let isReady = false;
    /** @param slot  from 0: the worker in the first one holds the routers */
    const start = (slot: number, attempt: number) => {
      const worker = cluster.fork({ ...env, [ROUTERS_HOLDER]: String(slot === 0) });
      const since = Date.now();
      worker.on('listening', ({ port }) => {
        listening.add(worker.id);
        if (listening.size === count && !isReady) {
          isReady = true;
          resolve(port);
        }
      });
      worker.on('error', (error) => {
        // A worker that has just ended takes no message or connection: the client comes again, and the end is
        // logged below. An unhandled error would end the first process and all workers.
        log.warn({ err: error, pid: worker.process.pid }, 'a worker was not reached');
        if (worker.process.pid === undefined) onEnd(null, 'which could not be started');
      });
      const onEnd = (code: number | null, signal: string | null) => {
        if (stopping.aborted) return;
        if (!isReady) {
          reject(new Error(`a worker ended before it served (${signal ?? `code ${code}`}); its message stands above`));
          return;
        }
        const next = Date.now() - since > STEADY_MS ? 0 : attempt + 1;
        log.error({ pid: worker.process.pid, code, signal }, 'a worker ended and is replaced');
        setTimeout(
          () => {
            if (!stopping.aborted) start(slot, next);
          },
          BACKOFF_MS[Math.min(next, BACKOFF_MS.length - 1)],
        );
      };
      worker.on('exit', onEnd);
    };
    for (let slot = 0; slot < count; slot += 1) start(slot, 0);
  });
}

/** SIGTERM to every worker, which lets its requests finish; resolves when all are gone. */
async function endAll(): Promise<void> {
  const alive = Object.values(cluster.workers ?? {}).filter(
    (worker): worker is Worker => worker !== undefined && !worker.isDead(),
  );
  await Promise.all(
    alive.map(
      (worker) =>
        new Promise<void>((resolve) => {
          worker.once('exit', () => {
            resolve();
          });
          worker.process.kill('SIGTERM');
        }),
    ),
  );
}

/** How workers reach the database: by DATABASE_URL, or through the embedded server's socket. */
function urlOf(connection: ClientConfig, { databaseUrl }: Settings): string {
  if (databaseUrl !== null) return databaseUrl;
  const { user, database, host, port } = connection;
  const socket = `host=${encodeURIComponent(host ?? '')}&port=${port ?? 5432}`;
  return `postgresql://${encodeURIComponent(user ?? '')}@/${encodeURIComponent(database ?? '')}?${socket}`;
}
