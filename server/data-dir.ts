/** The data directory: private to its owner, and the secrets that are written there. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './config.js';

/**
 * Makes the directory, and closes it to other users. One that holds what is not ours is never closed: it may be `/tmp`.
 * @throws ConfigError when it cannot be used
 */
export function prepareDataDir(dataDir: string): void {
  let isForeign: boolean;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const isOpen = (statSync(dataDir).mode & 0o077) !== 0;
    const names = isOpen ? readdirSync(dataDir).filter((name) => name !== 'lost+found') : [];
    isForeign = names.length > 0 && !names.some((name) => /^(master\.key|admin-password|postgres(\.log)?|controller\.lock\.\d+)$/.test(name));
    if (isOpen && !isForeign) chmodSync(dataDir, 0o700);
  } catch (error) {
    throw new ConfigError(`The data directory ${dataDir} cannot be used: ${(error as Error).message}. Set EDGE_DATA_DIR to a directory of yours.`);
  }
  if (isForeign) {
    throw new ConfigError(`The data directory ${dataDir} is open to other users and holds files that are not the controller's. `
      + 'Set EDGE_DATA_DIR to a directory of its own, or close this one (chmod 700).');
  }
}

/**
 * Whole or not at all, on disk when it returns (the database will rely on it), and readable by its owner only.
 * @throws ConfigError when it cannot be written
 */
export function writeSecret(file: string, content: string): void {
  const directory = dirname(file);
  prepareDataDir(directory);
  const draft = `${file}.${process.pid}.new`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flush: true });
    renameSync(draft, file);
    const parent = openSync(directory, 'r');
    fsyncSync(parent);
    closeSync(parent);
  } catch (error) {
    throw new ConfigError(`The file ${file} cannot be written: ${(error as Error).message}. Make the data directory writable, or set EDGE_DATA_DIR to another one.`);
  }
}
