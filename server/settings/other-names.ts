/**
 * Environment variables of the field's own images, taken as other names for settings, so that a deployment that was
 * written for those starts this controller. Our own variables and the configuration file win.
 */
import { isIPv6 } from 'node:net';
import type { Settings } from './config.js';

type Environment = Readonly<Record<string, string | undefined>>;

interface OtherName {
  readonly key: keyof Settings;
  /** The variables that the value comes from. */
  readonly variables: readonly string[];
  /** The value, as a text that the setting reads; undefined when they say nothing of it. */
  readonly value: (env: Environment) => string | undefined;
}

const ADDRESS = 'ZITI_CTRL_ADVERTISED_ADDRESS';
const PORT = 'ZITI_CTRL_ADVERTISED_PORT';
/** Variable of older images, in which the names above are those of the address of routers. */
const EDGE_ADDRESS = 'ZITI_CTRL_EDGE_ADVERTISED_ADDRESS';
const EDGE_PORT = 'ZITI_CTRL_EDGE_ADVERTISED_PORT';
const API = [ADDRESS, PORT, EDGE_ADDRESS, EDGE_PORT];

const DEFAULT_HOST = 'localhost';
const DEFAULT_PORT = '1280';

/** Treats an empty value as not set: compose files pass variables on in this way. */
const given = (env: Environment, name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
const isGiven = (env: Environment, ...names: readonly string[]) => names.some((name) => given(env, name) !== undefined);

const hostPort = (host: string, port: string): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Those images listen on all addresses, at the port that they advertise. */
const everywhere = (port: string): string => `0.0.0.0:${port}`;

const isOlder = (env: Environment): boolean => isGiven(env, EDGE_ADDRESS, EDGE_PORT);

function apiPort(env: Environment): string {
  return given(env, EDGE_PORT) ?? (isOlder(env) ? undefined : given(env, PORT)) ?? DEFAULT_PORT;
}

/** The port that is for routers alone. */
function routersPort(env: Environment): string | undefined {
  const port = given(env, PORT);
  return isOlder(env) && port !== apiPort(env) ? port : undefined;
}

const apiHost = (env: Environment): string => given(env, EDGE_ADDRESS) ?? given(env, ADDRESS) ?? DEFAULT_HOST;

export const OTHER_NAMES: readonly OtherName[] = [
  {
    key: 'advertise',
    variables: API,
    value: (env) => (isGiven(env, ...API) ? hostPort(apiHost(env), apiPort(env)) : undefined),
  },
  {
    key: 'listen',
    variables: API,
    value: (env) => (isGiven(env, ...API) ? everywhere(apiPort(env)) : undefined),
  },
  {
    key: 'controlAdvertise',
    variables: [ADDRESS, PORT],
    value: (env) => {
      const port = routersPort(env);
      return port === undefined ? undefined : hostPort(given(env, ADDRESS) ?? apiHost(env), port);
    },
  },
  {
    key: 'controlListen',
    variables: [PORT],
    value: (env) => {
      const port = routersPort(env);
      return port === undefined ? undefined : everywhere(port);
    },
  },
  { key: 'adminUsername', variables: ['ZITI_USER'], value: (env) => given(env, 'ZITI_USER') },
  { key: 'adminPassword', variables: ['ZITI_PWD'], value: (env) => given(env, 'ZITI_PWD') },
];

/** Use of another name for a setting, for the log. */
export interface OtherNameUse {
  /** The dotted name of the setting. */
  readonly setting: string;
  /** Those that are set. */
  readonly variables: readonly string[];
  /** Source that won instead, such as `environment variable EDGE_ADVERTISE`; undefined when this one was used. */
  readonly instead?: string;
}

/** The value of a setting by its other names, and which of them are set. */
export function byOtherNames(
  key: keyof Settings,
  env: Environment,
): { readonly value: string; readonly variables: readonly string[] } | undefined {
  const found = OTHER_NAMES.find((name) => name.key === key);
  const value = found?.value(env);
  if (found === undefined || value === undefined) return undefined;
  return { value, variables: found.variables.filter((name) => isGiven(env, name)) };
}
