/** Whether a folder is a release of the stock console, whole, and which; and what to set so that it is served. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { Script } from 'node:vm';
import { policyFor } from '../../server/pages/spa-policy.js';
import { openRelease } from '../../server/pages/spa-release.js';
import type { ReleaseFile } from '../../server/pages/spa-release.js';
import { ConfigError } from '../../server/settings/config.js';
import { SPA } from '../../server/settings/spa-settings.js';
import type { SpaPlace } from '../../server/settings/spa-settings.js';

const INDEX = 'index.html';
const TITLE = 'Ziti Admin Console';
const MOST_NAMED = 10;

/** Sources on other machines that the console loads from: pictures of its map, and a font of icons. */
const ELSEWHERE = {
  'img-src': ['https://tile.openstreetmap.org', 'https://*.tile.openstreetmap.org'],
  'style-src': ['https://fonts.googleapis.com'],
  'font-src': ['https://fonts.gstatic.com'],
};

export interface ConsoleRelease {
  /** Undefined where the release does not say it. */
  readonly version: string | undefined;
  readonly location: string;
  readonly files: number;
  readonly bytes: number;
  /** Content security policy that also lets it load from elsewhere. */
  readonly policy: string;
}

/** @param given  the folder, or the one around it. @throws ConfigError which says what is wrong, and what to do */
export function consoleRelease(given: string, path: string): ConsoleRelease {
  const location = folderOf(resolve(given));
  const [spa] = placesOf([{ path, location, index: INDEX }]);
  if (spa === undefined) throw new ConfigError('There is no path to serve it at.');
  const { files, indexText } = openRelease(spa);
  const title = /<title>([^<]*)<\/title>/i.exec(indexText)?.[1]?.trim() ?? '';
  if (title !== TITLE)
    throw new ConfigError(
      `${location} has an application, but not the stock console: its title is ${JSON.stringify(title)}, not ` +
        `${JSON.stringify(TITLE)}. docs/operations/console.md says how other applications are served.`,
    );
  const lost = damagedFiles(indexText, files);
  if (lost.length > 0)
    throw new ConfigError(
      `The release in ${location} is not whole. Missing, empty or cut: ${lost.slice(0, MOST_NAMED).join(', ')}` +
        `${lost.length > MOST_NAMED ? ` and ${lost.length - MOST_NAMED} more` : ''}. Unpack it again.`,
    );
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
  return { version: versionOf(files), location, files: files.size, bytes, policy: policyFor(indexText, ELSEWHERE) };
}

/** Returns them as the setting takes them. @throws ConfigError */
function placesOf(list: readonly Partial<SpaPlace>[]): readonly SpaPlace[] {
  try {
    return SPA.spa.parse(list);
  } catch (error) {
    throw new ConfigError(`It cannot be served there: the setting ${(error as Error).message}.`, { cause: error });
  }
}

/** The folder with the index: the one that is given, or the only one in it that has one. */
function folderOf(given: string): string {
  const found = statSync(given, { throwIfNoEntry: false });
  if (found === undefined) throw new ConfigError(`${given} does not exist.`);
  if (!found.isDirectory()) throw new ConfigError(`${given} is no folder: unpack the release, and name its folder.`);
  if (existsSync(join(given, INDEX))) return given;
  const inner = readdirSync(given).filter((name) => existsSync(join(given, name, INDEX)));
  const [only, ...more] = inner;
  if (only !== undefined && more.length === 0) return join(given, only);
  const where = only === undefined ? 'nor has a folder in it' : `but several folders in it have: ${inner.join(', ')}`;
  throw new ConfigError(`${given} has no ${INDEX}, ${where}. Name the folder of a built release.`);
}

/** Returns what the index loads and is missing or empty, and scripts that end too early. */
function damagedFiles(page: string, files: ReadonlyMap<string, ReleaseFile>): string[] {
  const plain = page.replace(/<!--[\s\S]*?-->/g, '');
  const named = [...plain.matchAll(/<(?:script|link)\b[^>]*\s(?:src|href)\s*=\s*"([^"]*)"/gi)].map(([, to = '']) => to);
  const missing = named.flatMap(pathsOf).filter((path) => (files.get(path)?.bytes ?? 0) === 0);
  const cut = [...files].filter(([path, { place }]) => isTopScript(path) && isCut(readFileSync(place, 'utf8')));
  return [...new Set([...missing, ...cut.map(([path]) => path)])].sort();
}

const isTopScript = (path: string): boolean => !path.includes('/') && path.endsWith('.js');

/** Compiles it, without running anything. */
function isCut(text: string): boolean {
  try {
    new Script(text);
    return false;
  } catch (error) {
    return !/import|export/.test((error as Error).message); // of a module, which is another language
  }
}

/** The path below the folder; none for what is elsewhere or in the page itself. */
function pathsOf(to: string): string[] {
  const [path = ''] = to.split(/[?#]/, 1);
  return path === '' || /^[a-z][a-z+.-]*:|^\//i.test(path) ? [] : [posix.normalize(path)];
}

function versionOf(files: ReadonlyMap<string, ReleaseFile>): string | undefined {
  for (const [path, { place }] of files) {
    if (!isTopScript(path)) continue;
    const version = /ZAC_VERSION\s*=\s*\{\s*"?version"?\s*:\s*"([\w.+-]{1,40})"/.exec(readFileSync(place, 'utf8'))?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}
