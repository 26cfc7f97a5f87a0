/** The configuration that a command works with. What reads it is loaded only when a command needs it. */
import type { Command } from 'commander';
import type { ReadSettings } from '../../server/settings/config-reader.js';
import type { Settings } from '../../server/settings/config.js';

/** The file that `--config` or `EDGE_CONFIG` names; undefined without one. */
export function configFile(command: Command): string | undefined {
  return command.optsWithGlobals<{ config?: string }>().config ?? process.env['EDGE_CONFIG'];
}

/** Returns the source of the settings, in words. */
export function configPlace(command: Command): string {
  const file = configFile(command);
  return file === undefined ? 'the environment' : `${file} and the environment`;
}

/** @throws ConfigError with all faults at once */
export async function loadSettings(command: Command): Promise<ReadSettings> {
  const { readSettings } = await import('../../server/settings/config-reader.js');
  return readSettings({ file: configFile(command), env: process.env });
}

/** @throws as `loadSettings` */
export const loadConfig = async (command: Command): Promise<Settings> => (await loadSettings(command)).config;
