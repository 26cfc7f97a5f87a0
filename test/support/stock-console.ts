/** The field's own administration console, a folder of files, which is no part of this project. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHARED = fileURLToPath(new URL('../../../../shared/bin', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/edge-stock', import.meta.url));
const PACKED = /^(ziti-console-.*)\.tar\.xz$/;

/** Why there is none, for whoever can provide it. */
export const NO_CONSOLE = 'no build of the stock console in CONSOLE or in ../shared/bin';

const isConsole = (folder: string) => existsSync(join(folder, 'index.html'));

/**
 * The folder that CONSOLE names, else one that is packed in a folder next to the project.
 * @throws when CONSOLE names something else
 */
export function findStockConsole(): string | undefined {
  const named = process.env['CONSOLE'] ?? '';
  if (named !== '' && !isConsole(named)) throw new Error(`CONSOLE names ${named}, where no index.html is`);
  return named === '' ? unpacked() : named;
}

/** Once for an installation. */
function unpacked(): string | undefined {
  const packed = (existsSync(SHARED) ? readdirSync(SHARED) : []).find((file) => PACKED.test(file));
  const name = PACKED.exec(packed ?? '')?.[1];
  if (packed === undefined || name === undefined) return undefined;
  const folder = join(CACHE, name);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true, mode: 0o700 });
    const half = mkdtempSync(`${folder}.`);
    try {
      execFileSync('tar', ['-xJf', join(SHARED, packed), '-C', half]);
      renameSync(half, folder);
    } catch {
      rmSync(half, { recursive: true, force: true });
    }
  }
  return [folder, ...inner(folder)].find(isConsole);
}

const inner = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
