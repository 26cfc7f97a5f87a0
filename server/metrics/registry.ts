/** All metrics of this process as prom-client has them: ours, and those of Node and the process. */
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Gauge } from 'prom-client';
import { FAMILIES } from './families.js';
import type { Sources } from './sources.js';

/**
 * They look at every open connection, or are called a total that they are not: what they say is in
 * `edge_http_connections` and `process_open_fds`.
 */
const UNWANTED = /^nodejs_active_/;

/** The values of one process, as they go from a worker to the first process. */
export type Measured = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export function createMetricsRegistry(sources: Sources): Registry {
  const registry = new Registry();
  for (const { name, type, help, aggregator, read } of FAMILIES) {
    const get = async () => ({ name, type, help, aggregator, values: await read(sources) });
    // All that a registry asks of a metric; its own kinds would count what is counted elsewhere already.
    registry.registerMetric({ name, get } as unknown as Gauge);
  }
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (UNWANTED.test(name)) registry.removeSingleMetric(name);
  return registry;
}
