/**
 * Reads the configuration from its file and the environment, which wins, and prints it. All faults are reported at
 * once, each with its place.
 */
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { nearestWord } from '../../domain/nearest-word.js';
import { readConfigFile } from './config-file.js';
import { ConfigError, SETTINGS } from './config.js';
import type { Settings } from './config.js';
import { controlFaults } from './control-settings.js';
import { metricsFaults } from './metrics-settings.js';
import { byOtherNames } from './other-names.js';
import type { OtherNameUse } from './other-names.js';
import type { Setting } from './setting-kinds.js';
import { unknownVariables } from './unknown-variables.js';
import type { UnknownVariable } from './unknown-variables.js';

export interface ConfigSources {
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ReadSettings {
  readonly config: Settings;
  /** Variables of the field's own images that it was read from, or would have been. */
  readonly otherNames: readonly OtherNameUse[];
  /** Variables that look like settings and are none. */
  readonly unknown: readonly UnknownVariable[];
}

/** @throws ConfigError listing every fault at once */
export const readConfig = (sources: ConfigSources): Settings => readSettings(sources).config;

/** @throws as `readConfig` */
export function readSettings({ file, env }: ConfigSources): ReadSettings {
  const faults: string[] = [];
  const fromFile = file === undefined ? new Map<string, unknown>() : readFile(file);
  const otherNames: OtherNameUse[] = [];
  const values: { -readonly [K in keyof Settings]?: Settings[K] } = {};
  for (const [key, item] of Object.entries(SETTINGS) as [keyof Settings, Setting<unknown>][]) {
    const ours = [
      { value: env[item.env], place: `environment variable ${item.env}` },
      { value: fromFile.get(item.path), place: `${item.path} in ${file ?? ''}` },
    ].find(({ value }) => value !== undefined);
    fromFile.delete(item.path);
    const other = byOtherNames(key, env);
    if (other !== undefined) {
      const instead = ours === undefined ? {} : { instead: ours.place };
      otherNames.push({ setting: item.path, variables: other.variables, ...instead });
    }
    const given = ours ?? (other && { ...other, place: `environment variable ${other.variables.join(', ')}` });
    try {
      Object.assign(values, { [key]: given === undefined ? item.fallback : item.parse(given.value) });
    } catch (error) {
      faults.push(`${given?.place ?? item.path}: ${(error as Error).message}`);
    }
  }
  for (const path of fromFile.keys())
    faults.push(`${path} in ${file ?? ''}: no such setting; the settings are in docs/configuration.md${nearest(path)}`);
  faults.push(...faultsOf(values));
  if (faults.length > 0)
    throw new ConfigError(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    );
  const config = values as Settings;
  return { config: { ...config, dataDir: resolve(config.dataDir) }, otherNames, unknown: unknownVariables(env) };
}

/** Returns the faults of settings that contradict each other, as sentences. */
function faultsOf(values: Partial<Settings>): string[] {
  const { headersTimeout, requestTimeout } = values;
  const isHeadersLonger =
    headersTimeout !== undefined && requestTimeout !== undefined && headersTimeout > requestTimeout;
  return [
    ...(isHeadersLonger
      ? [
          `limits.headersTimeout (${headersTimeout}s) is longer than limits.requestTimeout (${requestTimeout}s), ` +
            'which counts the headers too: raise the second or lower the first',
        ]
      : []),
    ...controlFaults(values),
    ...metricsFaults(values),
  ];
}

/** The effective configuration as YAML, secrets hidden. */
export function printConfig(config: Settings): string {
  const tree: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(SETTINGS) as [keyof Settings, Setting<unknown>][]) {
    const value = config[key];
    const hidden = item.isSecret === true && value !== null && !(Array.isArray(value) && value.length === 0);
    const isDuration = item.parse.isDuration === true;
    place(tree, item.path.split('.'), hidden ? '(hidden)' : isDuration ? `${String(value as number)}s` : value);
  }
  return stringify(tree, { lineWidth: 100, singleQuote: true, compat: 'yaml-1.1' });
}

function place(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    tree[head] = value;
    return;
  }
  const branch = (tree[head] ??= {}) as Record<string, unknown>;
  place(branch, rest, value);
}

function readFile(file: string): Map<string, unknown> {
  const tree = readConfigFile(file);
  if (tree === undefined || tree === null) return new Map();
  if (typeof tree !== 'object' || Array.isArray(tree))
    throw new ConfigError(`The configuration file ${file} must hold settings, such as 'listen: 0.0.0.0:1280'`);
  const flat = new Map<string, unknown>();
  const known = new Set(Object.values(SETTINGS).map((item) => item.path));
  const walk = (branch: object, prefix: string) => {
    for (const [key, value] of Object.entries(branch) as [string, unknown][]) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      const isSection = Object.values(SETTINGS).some((item) => item.path.startsWith(`${path}.`));
      if (isSection && value === null) continue; // its settings are commented out
      if (known.has(path) || typeof value !== 'object' || value === null || Array.isArray(value)) flat.set(path, value);
      else walk(value, path);
    }
  };
  walk(tree, '');
  return flat;
}

/** The setting that was probably meant: the same last word elsewhere, or one that is a slip or two away. */
function nearest(path: string): string {
  const lastOf = (dotted: string) => (dotted.split('.').at(-1) ?? dotted).toLowerCase();
  const paths = Object.values(SETTINGS).map((item) => item.path);
  const found = paths.find((known) => lastOf(known) === lastOf(path)) ?? nearestWord(path, paths);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
}
