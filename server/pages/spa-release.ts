/**
 * The files of a single-page application, as they are found at start. What a request names is looked up among them, so
 * that no path of a request ever reaches the file system.
 */
import { readFile, readFileSync, readdirSync, realpath, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../settings/config.js';
import type { SpaPlace } from '../settings/spa-settings.js';

/** Media types by extension. Browsers may not guess them (`nosniff`). */
const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.eot': 'application/vnd.ms-fontobject',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};
const PAGES = ['.html', '.htm'];

export const typeOf = (name: string): string => TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';

/** A file that a page loads: where it is missing, the index would be no answer to who asks for it. */
export const isAsset = (name: string): boolean => {
  const extension = extname(name).toLowerCase();
  return TYPES[extension] !== undefined && !PAGES.includes(extension);
};

/** Most files of a release; one with more is probably no release, but the sources of one. */
const MOST_FILES = 10_000;
const MOST_FILE_BYTES = 32 * 1024 * 1024;

/** How the system says that a file was taken away. */
const GONE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'];

export interface ReleaseFile {
  /** Real path, with links resolved. */
  readonly place: string;
  readonly bytes: number;
}

export interface SpaRelease {
  readonly spa: SpaPlace;
  /** Files by their paths below the folder, such as `assets/main.js`. */
  readonly files: ReadonlyMap<string, ReleaseFile>;
  readonly indexText: string;
  /** @returns undefined when it is not there any more, or is not what was found at start */
  read(file: ReleaseFile): Promise<Buffer | undefined>;
}

/** @throws ConfigError which says what is missing, and what to do */
export function openRelease(spa: SpaPlace): SpaRelease {
  const root = rootOf(spa);
  const files = filesIn(spa, root);
  const index = files.get(spa.index);
  if (index === undefined)
    throw new ConfigError(
      `The folder ${spa.location} of spa (path ${spa.path}) has no file ${spa.index}: name the folder of a built ` +
        'release, or set index to the name of its first page.',
    );
  return {
    spa,
    files,
    indexText: readFileSync(index.place, 'utf8'),
    async read({ place }) {
      try {
        // A link put in place of a part of the path may lead out of the folder.
        return (await promisify(realpath)(place)) === place ? await promisify(readFile)(place) : undefined;
      } catch (error) {
        if (GONE.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
        throw error;
      }
    },
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

function rootOf({ path, location }: SpaPlace): string {
  let root: string;
  let found: Stats;
  try {
    root = realpathSync(location);
    found = statSync(root);
  } catch (error) {
    throw new ConfigError(
      `The folder ${location} of spa (path ${path}) cannot be read (${codeOf(error)}): unpack the release there, or ` +
        'correct location.',
      { cause: error },
    );
  }
  if (!found.isDirectory())
    throw new ConfigError(`${location} of spa (path ${path}) is no folder: name the folder that holds the release.`);
  return root;
}

/** Returns the files by their paths below the folder. */
function filesIn(spa: SpaPlace, root: string): Map<string, ReleaseFile> {
  const files = new Map<string, ReleaseFile>();
  /** @param above  folders on the way down, so that no link leads round in circles */
  const collect = (folder: string, prefix: string, above: ReadonlySet<string>): void => {
    for (const name of namesIn(spa, folder)) {
      // Files of tools and secrets, such as .env and .git, are no part of a release.
      if (name.startsWith('.')) continue;
      const place = targetOf(join(folder, name), root);
      if (place === undefined || above.has(place)) continue;
      const found = statSync(place, { throwIfNoEntry: false });
      if (found?.isDirectory()) collect(place, `${prefix}${name}/`, new Set([...above, place]));
      if (found?.isFile()) files.set(`${prefix}${name}`, { place, bytes: sizeOf(spa, place, found) });
      if (files.size > MOST_FILES)
        throw new ConfigError(
          `The folder ${spa.location} of spa (path ${spa.path}) has more than ${MOST_FILES} files: name the folder ` +
            'of the built release, not that of its sources.',
        );
    }
  };
  collect(root, '', new Set([root]));
  return files;
}

/** Files are sent from memory. */
function sizeOf({ path }: SpaPlace, place: string, { size }: Stats): number {
  if (size <= MOST_FILE_BYTES) return size;
  throw new ConfigError(
    `The file ${place} of spa (path ${path}) has more than ${MOST_FILE_BYTES / 1024 / 1024} MiB: take it out of the ` +
      'folder, because no page needs one so large.',
  );
}

function namesIn({ path }: SpaPlace, folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new ConfigError(
      `The folder ${folder} of spa (path ${path}) cannot be read (${codeOf(error)}): let the user of the controller ` +
        'read it.',
      { cause: error },
    );
  }
}

/** Returns the path of an entry without links; undefined when it is outside of the folder, or does not exist. */
function targetOf(entry: string, root: string): string | undefined {
  try {
    const place = realpathSync(entry);
    return place.startsWith(`${root}${sep}`) ? place : undefined;
  } catch {
    return undefined;
  }
}
