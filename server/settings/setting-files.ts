/** Files that settings name, read at the start: an operator keeps them wherever they like, so links are followed. */
import { readFileSync } from 'node:fs';
import { ConfigError } from './config.js';

/** @param variable  the setting that names it. @throws ConfigError */
export function readSettingFile(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`The file of ${variable} cannot be read: ${(error as Error).message}.`);
  }
}
