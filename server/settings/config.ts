/**
 * The configuration: one YAML file, every setting also an environment variable, which wins. Each setting is once in the
 * table below, with its default and its check; docs/configuration.md is written from the same table.
 */
import { hostname } from 'node:os';
import { parseHost } from '../../domain/pki/server-name.js';
import { parseKeyKind } from '../../domain/pki/keys.js';
import { parseTrustDomain } from '../../domain/pki/spiffe.js';
import { BACKUP } from './backup-settings.js';
import { CONTROL } from './control-settings.js';
import { HTTP } from './http-settings.js';
import { LIMIT_SETTINGS } from './limits.js';
import { METRICS } from './metrics-settings.js';
import { SPA } from './spa-settings.js';
import {
  databaseUrl,
  duration,
  parseFlag,
  hostPort,
  integerBetween,
  issuerName,
  listSetting,
  network,
  oneOf,
  orNone,
  origin,
  password,
  plainHeader,
  setting,
  parseText,
  username,
  workerCount,
} from './setting-kinds.js';
import { TRACES } from './traces-settings.js';
import { WEBHOOKS } from './webhook-settings.js';
import type { Setting } from './setting-kinds.js';

/** A fault in the configuration: names the setting, where it was set and how to mend it. */
export class ConfigError extends Error {}

export const SETTINGS = {
  name: setting(
    'name',
    'EDGE_NAME',
    parseText,
    hostname(),
    'Name of this controller, unique among those that share a database.',
  ),
  dataDir: setting(
    'dataDir',
    'EDGE_DATA_DIR',
    parseText,
    './data',
    'Directory for the embedded database, the master key and first-start secrets; made with mode 0700.',
  ),
  listen: setting(
    'listen',
    'EDGE_LISTEN',
    hostPort,
    '127.0.0.1:1280',
    'Address and port to listen on; port 0 takes any free one.',
  ),
  advertise: setting(
    'advertise',
    'EDGE_ADVERTISE',
    hostPort,
    'localhost:1280',
    'Address and port that clients reach: stands in enrollment JWTs, the version document and the server ' +
      'certificate. Changing it reissues that certificate.',
  ),
  ...CONTROL,
  trustDomain: setting(
    'trustDomain',
    'EDGE_TRUST_DOMAIN',
    orNone((value) => parseTrustDomain(parseText(value))),
    null,
    'SPIFFE trust domain; made at random, and settable, only at the first start.',
  ),
  databaseUrl: setting(
    'database.url',
    'DATABASE_URL',
    orNone(databaseUrl),
    null,
    'PostgreSQL 15 or newer to use, as a connection URL of libpq; several hosts with commas are tried in their ' +
      'order until one takes writes. Unset: an embedded server in the data directory.',
    true,
  ),
  databasePoolSize: setting(
    'database.poolSize',
    'EDGE_DATABASE_POOL_SIZE',
    integerBetween(4, 500),
    20,
    'Most connections that this controller opens for requests; half of them are for lists, and of those at most 4 ' +
      'for lists without limit.',
  ),
  databasePatience: setting(
    'database.patience',
    'EDGE_DATABASE_PATIENCE',
    duration(0.2, 60),
    1.5,
    'How long the database may be silent before requests are answered 503.',
  ),
  databaseStartPatience: setting(
    'database.startPatience',
    'EDGE_DATABASE_START_PATIENCE',
    duration(0, 86_400),
    60,
    'How long a start waits for a database that cannot be reached, is starting up, only reads, or has no connection ' +
      'left. What waiting does not mend, such as a wrong password, ends it at once.',
  ),
  totpIssuer: setting(
    'totp.issuer',
    'EDGE_TOTP_ISSUER',
    issuerName,
    'edge-controller',
    'What authenticator apps show as the issuer of a TOTP secret: up to 64 characters, no colon.',
  ),
  adminUsername: setting(
    'admin.username',
    'EDGE_ADMIN_USERNAME',
    username,
    'admin',
    'Username of the default administrator, used at the first start.',
  ),
  adminPassword: setting(
    'admin.password',
    'EDGE_ADMIN_PASSWORD',
    orNone(password),
    null,
    'Its password, used at the first start; unset: a random one, shown once and kept in the data directory.',
    true,
  ),
  masterKey: setting(
    'masterKey',
    'EDGE_MASTER_KEY',
    orNone(parseText),
    null,
    'Key that seals private keys in the database: 32 bytes in base64 or hex; unset: a file in the data directory, ' +
      'made at the first start.',
    true,
  ),
  masterKeyFile: setting(
    'masterKeyFile',
    'EDGE_MASTER_KEY_FILE',
    orNone(parseText),
    null,
    'File to read the master key from instead.',
  ),
  masterKeyLocal: setting(
    'masterKeyLocal',
    'EDGE_MASTER_KEY_LOCAL',
    parseFlag,
    false,
    'Whether a first start on the database of DATABASE_URL may make the master key in the data directory. ' +
      'Without that file the keys in the database cannot be opened.',
  ),
  oldMasterKeys: setting(
    'oldMasterKeys',
    'EDGE_OLD_MASTER_KEYS',
    listSetting(parseText),
    [] as readonly string[],
    'Earlier master keys, still accepted for reading while secrets are sealed again.',
    true,
  ),
  tlsKey: setting(
    'tls.key',
    'EDGE_TLS_KEY',
    (value) => parseKeyKind(parseText(value)),
    'ec-p256' as const,
    'Kind of the keys made at the first start: ec-p256, rsa-2048, rsa-3072 or rsa-4096.',
  ),
  tlsNames: setting(
    'tls.names',
    'EDGE_TLS_NAMES',
    listSetting((value) => parseHost(parseText(value))),
    [] as readonly string[],
    'Further host names and addresses for the server certificate.',
  ),
  tlsRouterNames: setting(
    'tls.routerNames',
    'EDGE_TLS_ROUTER_NAMES',
    listSetting((value) => parseHost(parseText(value))),
    [] as readonly string[],
    'Names and addresses of controllers that routers may have in their certificates, too: for machines that are ' +
      'reached under one name. A router that has one can pass for the controller there. The same on all controllers.',
  ),
  tlsRenewalCheck: setting(
    'tls.renewalCheck',
    'EDGE_TLS_RENEWAL_CHECK',
    duration(0.1, 604_800),
    3600,
    'How often a running controller looks whether its certificate is due for renewal, or was renewed by another one.',
  ),
  sessionTimeout: setting(
    'edge.api.sessionTimeout',
    'EDGE_API_SESSION_TIMEOUT',
    duration(1, 31_536_000),
    1800,
    'How long an API session lives without activity.',
  ),
  auditKeepDays: setting(
    'audit.keepDays',
    'EDGE_AUDIT_KEEP_DAYS',
    integerBetween(0, 36_500),
    400,
    'For how many days audit records are kept at least; whole months of them are dropped at once. 0: for ever.',
  ),
  defaultLimit: setting(
    'edge.api.defaultLimit',
    'EDGE_API_DEFAULT_LIMIT',
    integerBetween(1, 100_000),
    10,
    'Length of a list that asks for none.',
  ),
  maxLimit: setting(
    'edge.api.maxLimit',
    'EDGE_API_MAX_LIMIT',
    integerBetween(1, 100_000),
    500,
    'Longest list that is answered in one piece.',
  ),
  enrollmentDuration: setting(
    'edge.enrollment.duration',
    'EDGE_ENROLLMENT_DURATION',
    duration(60, 31_536_000),
    10_800,
    'How long an enrollment made with an identity may be used.',
  ),
  corsOrigins: setting(
    'cors.origins',
    'EDGE_CORS_ORIGINS',
    listSetting(origin),
    [] as readonly string[],
    'Origins whose pages may call the APIs; * allows any, without credentials.',
  ),
  proxyFrom: setting(
    'proxyProtocol.from',
    'EDGE_PROXY_PROTOCOL_FROM',
    listSetting(network),
    [] as readonly string[],
    'Addresses or networks (10.0.0.0/8) of balancers that must send a PROXY protocol header, version 2, ' +
      'and are believed.',
  ),
  outgoingAllow: setting(
    'outgoing.allow',
    'EDGE_OUTGOING_ALLOW',
    listSetting(network),
    [] as readonly string[],
    'Addresses or networks (10.0.0.0/8) that may be asked for keys of external JWT signers, and get what webhooks ' +
      'send, though they are not public. Loopback addresses named here may be asked without TLS too.',
  ),
  tokenLeeway: setting(
    'edge.externalJwt.leeway',
    'EDGE_EXTERNAL_JWT_LEEWAY',
    duration(0, 30),
    10,
    'How far the clocks of external JWT signers may be apart from this one.',
  ),
  workers: setting(
    'workers',
    'EDGE_WORKERS',
    workerCount,
    1,
    'Processes that share the port: a number, or auto for one per core.',
  ),
  docs: setting('docs', 'EDGE_DOCS', parseFlag, true, 'Whether the API explorer is served at /docs.'),
  ...SPA,
  ...BACKUP,
  ...HTTP,
  ...LIMIT_SETTINGS,
  ...WEBHOOKS,
  logLevel: setting(
    'log.level',
    'EDGE_LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Least severe log line that is written.',
  ),
  logFormat: setting(
    'log.format',
    'EDGE_LOG_FORMAT',
    oneOf('auto', 'json', 'pretty'),
    'auto',
    'auto: readable on a terminal, JSON elsewhere.',
  ),
  logRequests: setting(
    'log.requests',
    'EDGE_LOG_REQUESTS',
    oneOf('all', 'changes', 'none'),
    'changes',
    'Which requests get a log line: all, those that change something, or none. Failures of ours always do.',
  ),
  slowRequest: setting(
    'log.slow',
    'EDGE_LOG_SLOW',
    duration(0, 600),
    1,
    'Requests that take longer get a line of their own, whatever they are, which tells where the time went; 0s: ' +
      'none do.',
  ),
  requestIdHeader: setting(
    'log.requestIdHeader',
    'EDGE_LOG_REQUEST_ID_HEADER',
    orNone(plainHeader),
    null,
    'Header in which a load balancer names each request, such as x-request-id: the name is used in logs and answers ' +
      'when it has 1 to 64 letters, digits, dots, hyphens and underscores. Unset: names are made here.',
  ),
  ...METRICS,
  ...TRACES,
};

export type Settings = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};
