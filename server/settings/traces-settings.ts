/** Settings of traces. Part of the table in config.ts; docs/operations/traces.md says how to use them. */
import { endpoint, fraction, orNone, setting, parseText } from './setting-kinds.js';

export const TRACES = {
  tracesEndpoint: setting(
    'traces.endpoint',
    'EDGE_TRACES_ENDPOINT',
    orNone(endpoint),
    null,
    'URL of an OpenTelemetry collector that takes traces by OTLP over HTTP, such as ' +
      'http://127.0.0.1:4318/v1/traces. Unset: nothing is traced.',
  ),
  tracesRatio: setting(
    'traces.ratio',
    'EDGE_TRACES_RATIO',
    fraction,
    1,
    'Share of requests that are traced, among those whose sender has not decided by a `traceparent` header.',
  ),
  tracesHeadersFile: setting(
    'traces.headersFile',
    'EDGE_TRACES_HEADERS_FILE',
    orNone(parseText),
    null,
    'File with headers for the collector, one `name: value` a line, such as its credentials. Read at the start.',
  ),
};
