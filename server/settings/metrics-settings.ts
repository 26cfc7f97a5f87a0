/**
 * Settings of the listener for Prometheus. Part of the table in config.ts; docs/operations/metrics.md says how to use
 * them.
 */
import { isLoopback, parseHostPort } from '../../domain/pki/server-name.js';
import { bearerToken, parseFlag, hostPort, oneOf, orNone, setting, parseText } from './setting-kinds.js';
import type { SettingsOf } from './setting-kinds.js';

export const METRICS = {
  metricsListen: setting(
    'metrics.listen',
    'EDGE_METRICS_LISTEN',
    orNone(hostPort),
    null,
    'Address and port that answer `GET /metrics` for Prometheus, and `/livez` and `/readyz` for anybody. Unset: ' +
      'there are no metrics, and none are counted.',
  ),
  metricsTls: setting(
    'metrics.tls',
    'EDGE_METRICS_TLS',
    oneOf('network', 'files', 'off'),
    'network',
    'Its certificate. network: the server certificate of this controller; files: that of `metrics.certFile`; off: ' +
      'plain HTTP.',
  ),
  metricsCertFile: setting(
    'metrics.certFile',
    'EDGE_METRICS_CERT_FILE',
    orNone(parseText),
    null,
    'PEM file with the certificate, then its intermediates, for `metrics.tls: files`. Read at the start.',
  ),
  metricsKeyFile: setting(
    'metrics.keyFile',
    'EDGE_METRICS_KEY_FILE',
    orNone(parseText),
    null,
    'PEM file with its private key. Read at the start.',
  ),
  metricsClientCaFile: setting(
    'metrics.clientCaFile',
    'EDGE_METRICS_CLIENT_CA_FILE',
    orNone(parseText),
    null,
    'PEM file with the authority of client certificates: who reads metrics must show one of it. Read at the start.',
  ),
  metricsToken: setting(
    'metrics.token',
    'EDGE_METRICS_TOKEN',
    orNone(bearerToken),
    null,
    'Bearer token that who reads metrics must send: 16 to 200 visible characters.',
    true,
  ),
  metricsTokenFile: setting(
    'metrics.tokenFile',
    'EDGE_METRICS_TOKEN_FILE',
    orNone(parseText),
    null,
    'File to read that token from instead. Read at the start.',
  ),
  metricsOpen: setting(
    'metrics.open',
    'EDGE_METRICS_OPEN',
    parseFlag,
    false,
    'Whether anybody who reaches the address may read metrics. Needed where it is not a loopback address and there ' +
      'is neither a token nor an authority of client certificates.',
  ),
};

type MetricsConfig = SettingsOf<typeof METRICS>;

/** Returns the faults of these settings together, as sentences. */
export function metricsFaults(config: Partial<MetricsConfig>): string[] {
  const { metricsListen: listen, metricsTls: tls, metricsCertFile: cert, metricsKeyFile: key } = config;
  const { metricsClientCaFile: ca, metricsToken: token, metricsTokenFile: tokenFile, metricsOpen: isOpen } = config;
  if (listen === undefined || listen === null) return [];
  const faults: string[] = [];
  const hasFiles = cert != null || key != null;
  if (tls === 'files' && (cert == null || key == null))
    faults.push('metrics.tls is files: set both metrics.certFile and metrics.keyFile');
  if (tls !== undefined && tls !== 'files' && hasFiles)
    faults.push(`metrics.certFile and metrics.keyFile are set, but metrics.tls is ${tls}: set it to files`);
  if (tls === 'off' && ca != null) faults.push('metrics.clientCaFile needs TLS: set metrics.tls to network or files');
  if (token != null && tokenFile != null)
    faults.push('metrics.token and metrics.tokenFile are both set: leave one out');
  const isProtected = token != null || tokenFile != null || ca != null;
  if (isOpen === false && !isProtected && !isLoopback(parseHostPort(listen).host))
    faults.push(
      `metrics.listen is ${listen}, which others reach: set metrics.token, metrics.tokenFile or ` +
        'metrics.clientCaFile, or metrics.open to true if anybody may read metrics',
    );
  return faults;
}
