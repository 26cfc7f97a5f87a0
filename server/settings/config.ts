/**
 * The configuration: one YAML file, every setting also an environment variable, which wins. Each setting is once in the
 * table below, with its default and its check; docs/configuration.md is written from the same table.
 */
import { hostname } from 'node:os';
import { parseTrustDomain } from '../../domain/pki/spiffe.js';
import { BACKUP } from './backup-settings.js';
import { CONTROL } from './control-settings.js';
import { DATABASE_SETTINGS } from './database-settings.js';
import { HTTP } from './http-settings.js';
import { LIMIT_SETTINGS } from './limits.js';
import { LOG } from './log-settings.js';
import { METRICS } from './metrics-settings.js';
import { OIDC } from './oidc-settings.js';
import { SPA } from './spa-settings.js';
import {
  duration,
  parseFlag,
  hostPort,
  integerBetween,
  issuerName,
  listSetting,
  network,
  orNone,
  origin,
  password,
  setting,
  parseText,
  username,
  workerCount,
} from './setting-kinds.js';
import { TLS } from './tls-settings.js';
import { TRACES } from './traces-settings.js';
import { WEBHOOKS } from './webhook-settings.js';
import type { SettingsOf } from './setting-kinds.js';

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
  ...DATABASE_SETTINGS,
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
  ...TLS,
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
  usageKeepDays: setting(
    'usage.keepDays',
    'EDGE_USAGE_KEEP_DAYS',
    integerBetween(1, 36_500),
    35,
    'For how many days sums of traffic and dials by the hour are kept.',
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
  networkPage: setting(
    'networkPage',
    'EDGE_NETWORK_PAGE',
    parseFlag,
    true,
    'Whether the network page is served at / to browsers; everything else gets the version there.',
  ),
  docs: setting('docs', 'EDGE_DOCS', parseFlag, true, 'Whether the API explorer is served at /docs.'),
  ...OIDC,
  ...SPA,
  ...BACKUP,
  ...HTTP,
  ...LIMIT_SETTINGS,
  ...WEBHOOKS,
  ...LOG,
  ...METRICS,
  ...TRACES,
};

export type Settings = SettingsOf<typeof SETTINGS>;
