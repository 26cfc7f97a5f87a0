/** The field's own binary: router, client and tunneler in one. Suites that need it: describeStock of unless.ts. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHARED = fileURLToPath(new URL('../../../../shared/bin', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/edge-stock', import.meta.url));
/** As this machine needs it. */
const PLATFORM = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;

/**
 * What `ZITI` names, then the path, then a folder next to the project, where it may be packed.
 * @throws when what `ZITI` names is not there
 */
export function findStockBinary(): string | undefined {
  const { ZITI = '', PATH = '' } = process.env;
  if (ZITI !== '' && !isExecutable(ZITI)) throw new Error(`ZITI names ${ZITI}, which is no program`);
  const places = PATH.split(delimiter).filter((place) => place !== '');
  const candidates = [ZITI, ...places.map((place) => join(place, 'ziti')), join(SHARED, 'ziti')];
  return candidates.find((file) => file !== '' && isExecutable(file)) ?? unpacked();
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Once for an installation: it takes seconds, and memory where the temporary directory is in memory. */
function unpacked(): string | undefined {
  const packed = existsSync(SHARED) ? readdirSync(SHARED).find((name) => name.endsWith(`-${PLATFORM}.xz`)) : undefined;
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
