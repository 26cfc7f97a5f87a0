/** The data directory: private to its owner, and the secrets that are written there. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bitsOf, OwnFileError, ownDirectory, readOwnFile } from '../../db/embedded/own-files.js';
import { replaceOwnFile, setBits } from '../../db/embedded/own-files.js';
import { ConfigError } from '../settings/config.js';

const OURS = /^(master\.key|admin-password|postgres(\.log)?|snapshots|controller\.lock\.\d+)$/;

/**
 * Makes the directory, and closes it to other users. One that holds what is not ours is never closed: it may be `/tmp`.
 * @returns its path without links
 * @throws ConfigError when it cannot be used
 */
export function prepareDataDir(dataDir: string): string {
  let isForeign: boolean;
  let real: string;
  try {
    real = ownDirectory(dataDir);
    const isOpen = (bitsOf(real) & 0o077) !== 0;
    const names = isOpen ? readdirSync(real).filter((name) => name !== 'lost+found') : [];
    isForeign = names.length > 0 && !names.some((name) => OURS.test(name));
    if (isOpen && !isForeign) setBits(real, 0o700);
  } catch (error) {
    const remedy =
      error instanceof OwnFileError
        ? 'Or set EDGE_DATA_DIR to another directory'
        : 'Set EDGE_DATA_DIR to a directory of yours';
    throw new ConfigError(`The data directory ${dataDir} cannot be used: ${(error as Error).message}. ${remedy}.`);
  }
  if (isForeign) {
    throw new ConfigError(
      `The data directory ${dataDir} is open to other users and holds files that are not the controller's. ` +
        'Set EDGE_DATA_DIR to a directory of its own, or close this one (chmod 700).',
    );
  }
  return real;
}

/**
 * @returns undefined when there is none.
 * @throws ConfigError when it cannot be read, or another user could have put it there
 */
export function readSecret(file: string): string | undefined {
  const directory = dirname(file);
  if (!existsSync(directory)) return undefined;
  try {
    return readOwnFile(join(prepareDataDir(directory), basename(file)));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `The file ${file} cannot be read: ${(error as Error).message}. A secret that is kept elsewhere has a setting ` +
        'of its own, such as EDGE_MASTER_KEY_FILE.',
    );
  }
}

/**
 * Whole or not at all, on disk when it returns (the database will rely on it), and readable by its owner only.
 * @throws ConfigError when it cannot be written
 */
export function writeSecret(file: string, content: string): void {
  const directory = prepareDataDir(dirname(file));
  try {
    replaceOwnFile(join(directory, basename(file)), content);
  } catch (error) {
    throw new ConfigError(
      `The file ${file} cannot be written: ${(error as Error).message}. Make the data directory writable, ` +
        'or set EDGE_DATA_DIR to another one.',
    );
  }
}
