/** Where the programs of the drill are, and which Debian packages are missing. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const OLDEST_POSTGRES = 15;
export const PGBOUNCER = '/usr/sbin/pgbouncer';

export interface Programs {
  readonly etcd: string;
  readonly patroni: string;
  readonly patronictl: string;
  readonly haproxy: string;
  /** The directory of `postgres`, `initdb` and `pg_rewind`. */
  readonly postgresBin: string;
}

/** A program that the drill cannot do without. */
export class MissingPrograms extends Error {
  /** @param packages  names of Debian packages */
  constructor(readonly packages: readonly string[]) {
    const names = packages.join(' ');
    super(`missing Debian packages: ${names}. Install them: apt-get install --no-install-recommends ${names}`);
  }
}

/** @throws MissingPrograms */
export function findPrograms(path: string = process.env['PATH'] ?? '/usr/bin'): Programs {
  const missing = new Set<string>();
  // An ordinary user's path lacks the folder of haproxy.
  const folders = [...path.split(':').filter((folder) => folder !== ''), ...(path === '' ? [] : ['/usr/sbin'])];
  const find = (name: string, debianPackage: string): string => {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (found === undefined) missing.add(debianPackage);
    return found ?? '';
  };
  const postgresBin = findPostgres();
  if (postgresBin === undefined) missing.add('postgresql');
  const programs = {
    etcd: find('etcd', 'etcd-server'),
    patroni: find('patroni', 'patroni'),
    patronictl: find('patronictl', 'patroni'),
    haproxy: find('haproxy', 'haproxy'),
    postgresBin: postgresBin ?? '',
  };
  if (missing.size > 0) throw new MissingPrograms([...missing]);
  return programs;
}

/** @throws MissingPrograms: what the drill of outages needs */
export function requireServers(): void {
  const missing = [
    ...(findPostgres() === undefined ? ['postgresql'] : []),
    ...(isExecutable(PGBOUNCER) ? [] : ['pgbouncer']),
  ];
  if (missing.length > 0) throw new MissingPrograms(missing);
}

/** The directory of `postgres` and `initdb`, of the oldest version that will do. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : [];
  return versions
    .filter((version) => version >= OLDEST_POSTGRES)
    .sort((a, b) => a - b)
    .map((version) => join(DEBIAN_POSTGRES, String(version), 'bin'))
    .find((bin) => isExecutable(join(bin, 'initdb')));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
