/** A disk of its own for a suite, small enough to be filled: a tmpfs, which only root may mount. */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, rmdirSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly directory: string;
  readonly freeBytes: () => number;
  /** Fills the disk to the last byte. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  end(): void;
}

/** @throws Error where it cannot be mounted */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'edge-disk-'));
  try {
    const options = `size=${mebibytes}m,mode=0755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'edge-disk', directory], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(directory);
    throw new Error('no file system can be mounted: only root may, with CAP_SYS_ADMIN', { cause: error });
  }
  chmodSync(directory, 0o755);
  const filler = join(directory, 'filler');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  };
  return {
    directory,
    freeBytes,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (let chunk = Buffer.alloc(2 ** 20, 1); chunk.length >= 512;) {
          try {
            writeSync(file, chunk);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
            chunk = chunk.subarray(0, chunk.length / 2);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free() {
      rmSync(filler, { force: true });
    },
    end() {
      execFileSync('umount', ['--lazy', directory]);
      rmdirSync(directory);
    },
  };
}
