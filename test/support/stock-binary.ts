/**
 * The field's own binary: router, client and tunneler in one, of the release in use and of the next one. Suites that
 * need it: describeStock of unless.ts.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHARED = fileURLToPath(new URL('../../../../shared/bin', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/edge-stock', import.meta.url));
/** As this machine needs it. */
const PLATFORM = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const PACKED = new RegExp(`^ziti-(\\d+)\\.(\\d+)\\..*-${PLATFORM}\\.xz$`);

export type Release = 'present' | 'next';

interface Place {
  /** The environment variable that names the program. */
  readonly variable: string;
  /** What it is called on the path and in the folder next to the project. */
  readonly program: string;
  /** Which of the packed ones it is, oldest first. */
  readonly isPacked: (position: number) => boolean;
}

const PLACES: Readonly<Record<Release, Place>> = {
  present: { variable: 'ZITI', program: 'ziti', isPacked: (position) => position === 0 },
  next: { variable: 'ZITI_NEXT', program: 'ziti-next', isPacked: (position) => position === 1 },
};
export const RELEASES: readonly Release[] = ['present', 'next'];

/** Why there is none, for whoever can provide it. */
export const missing = (release: Release): string => {
  const { variable, program } = PLACES[release];
  return `no ziti binary of the ${release} release in ${variable}, as ${program} on the path or in ../shared/bin`;
};

/**
 * What its variable names, then the path, then a folder next to the project, where it may be packed.
 * @throws when what the variable names is not there
 */
export function findStockBinary(release: Release = 'present'): string | undefined {
  const { variable, program, isPacked } = PLACES[release];
  const { PATH = '' } = process.env;
  const named = process.env[variable] ?? '';
  if (named !== '' && !isExecutable(named)) throw new Error(`${variable} names ${named}, which is no program`);
  const places = PATH.split(delimiter).filter((place) => place !== '');
  const candidates = [named, ...places.map((place) => join(place, program)), join(SHARED, program)];
  return candidates.find((file) => file !== '' && isExecutable(file)) ?? unpacked(isPacked);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Names of the packed ones for this machine, oldest first. */
function packedNames(): string[] {
  const found = (existsSync(SHARED) ? readdirSync(SHARED) : []).flatMap((name) => {
    const [, major, minor] = PACKED.exec(name) ?? [];
    return major === undefined ? [] : [{ name, age: Number(major) * 1_000 + Number(minor) }];
  });
  return found.sort((left, right) => left.age - right.age).map(({ name }) => name);
}

/** Once for an installation: it takes seconds, and memory where the temporary directory is in memory. */
function unpacked(isPacked: Place['isPacked']): string | undefined {
  const packed = packedNames().find((_name, position) => isPacked(position));
  if (packed === undefined) return undefined;
  const file = join(CACHE, packed.slice(0, -'.xz'.length));
  if (isExecutable(file)) return file;
  try {
    const bytes = execFileSync('xz', ['-dc', join(SHARED, packed)], { maxBuffer: 1 << 30 });
    mkdirSync(CACHE, { recursive: true, mode: 0o700 });
    const half = `${file}.${process.pid}`;
    writeFileSync(half, bytes, { mode: 0o700 });
    renameSync(half, file);
    return file;
  } catch {
    return undefined;
  }
}
