/** Opens the listener for Prometheus, which answers for one process or for all workers. */
import cluster from 'node:cluster';
import { signsOfLife } from '../api/health.js';
import { shareMetrics } from './across-workers.js';
import { createListener } from './listener.js';
import type { Listener } from './listener.js';
import { createMetricsRegistry } from './registry.js';
import type { RequestCounts } from '../http/request-counts.js';
import { sourcesOf } from './sources.js';
import type { Parts } from './sources.js';
import type { Closers } from '../base/closers.js';
import { holdsRouters } from '../sockets/handoff.js';
import type { Logger } from '../base/log.js';
import { listenAt } from '../sockets/tls-server.js';

export interface MetricsParts extends Parts {
  readonly closers: Closers;
  readonly log: Logger;
  readonly chainPem: string;
  readonly privateKeyPem: string;
}

export interface OpenMetrics {
  /** Address on which this process listens, as `host:port`; undefined in a worker that leaves it to another. */
  readonly address: string | undefined;
  /** Listeners that take a renewed certificate. */
  readonly servers: readonly Pick<Listener, 'setSecureContext'>[];
}

/**
 * Opens the listener. One of several workers, the one that serves the routers, listens for all of them.
 * @throws ConfigError when it cannot listen, or a file of its settings cannot be used
 */
export async function openMetrics(parts: MetricsParts, requests: RequestCounts): Promise<OpenMetrics> {
  const { config, closers, log, chainPem, privateKeyPem, readiness, inFlight } = parts;
  const { metricsListen } = config;
  const registry = createMetricsRegistry(sourcesOf(parts, requests));
  const shared = cluster.isWorker ? shareMetrics(registry) : undefined;
  if (shared !== undefined)
    closers.push(() => {
      shared.close();
    });
  if (metricsListen === null || !holdsRouters()) return { address: undefined, servers: [] };
  const read = shared === undefined ? () => registry.metrics() : () => shared.text();
  const signs = signsOfLife({ readiness, isLeaving: () => inFlight.isLeaving });
  const listener = createListener({ config, chainPem, privateKeyPem, read, signs, log });
  const { server } = listener;
  const address = await listenAt(server, metricsListen, 'EDGE_METRICS_LISTEN', true);
  closers.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  log.info({ address, tls: config.metricsTls !== 'off' }, 'metrics are served');
  return { address, servers: [listener] };
}
