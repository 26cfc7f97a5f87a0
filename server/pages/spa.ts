/**
 * Serves single-page applications, such as a release of an administration console, next to the APIs. Each has a path of
 * its own that no operation, document or page of the controller has (spa-settings.ts).
 */
import { LRUCache } from 'lru-cache';
import type { Exchange } from '../http/exchange.js';
import type { SpaPlace } from '../settings/spa-settings.js';
import { tagOf } from '../http/entity-tags.js';
import { PAGE_ALLOWS, isRead, methodNotAllowed, pathUnknown, segmentsOf } from '../http/paths.js';
import { write } from '../http/reply.js';
import type { ResponseHeaders } from '../http/reply.js';
import { policyFor } from './spa-policy.js';
import { isAsset, openRelease, typeOf } from './spa-release.js';
import type { SpaRelease, ReleaseFile } from './spa-release.js';

/** Answers a path of an application, of any method. @throws DomainError */
export type SpaPage = (exchange: Exchange) => Promise<void>;

/** The application that a path belongs to; undefined for all paths that are the controller's own. */
export type Spas = (path: string) => SpaPage | undefined;

/** Bytes of files that are kept in memory, of one application. */
const MAX_KEPT = 64 * 1024 * 1024;

const IMMUTABLE: ResponseHeaders = { 'cache-control': 'public, max-age=31536000, immutable' };
const ASK: ResponseHeaders = { 'cache-control': 'no-cache' };

interface CachedFile {
  readonly body: Buffer;
  readonly etag: string;
}

/**
 * A name that another content would change: builders put a hash before its ending. What only might be one, such as a
 * date or a word, does not count, because no browser asks again for a year.
 */
export function isHashed(name: string): boolean {
  const [, word = '', extension = ''] = /[.-]([\w-]{8,64})\.([a-z0-9]{2,5})$/i.exec(name) ?? [];
  const last = word.slice(word.lastIndexOf('-') + 1);
  const isHex = /^[0-9a-f]{8,}$/.test(last) && /[0-9]/.test(last) && /[a-f]/.test(last);
  const isBase32 = /^[A-Z2-7]{8}$/.test(last) && (/[2-7]/.test(last) || /^(?:m?js|css)$/.test(extension));
  const isBase64 = word.length === 8 && /[0-9]/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word);
  return isHex || isBase32 || isBase64;
}

/** @throws ConfigError for a folder that cannot be served */
export function openSpas(places: readonly SpaPlace[]): Spas {
  const pages = places.map((place) => ({ prefix: place.path.split('/'), page: pageOf(openRelease(place)) }));
  if (pages.length === 0) return () => undefined;
  return (path) => {
    const segments = path.split('/').filter((segment) => segment !== '');
    return pages.find(({ prefix }) => prefix.every((segment, index) => segments[index] === segment))?.page;
  };
}

function pageOf(release: SpaRelease): SpaPage {
  const { spa, files } = release;
  const base = `/${spa.path}/`;
  const depth = spa.path.split('/').length;
  const safe: ResponseHeaders = {
    'content-security-policy': spa.policy ?? policyFor(release.indexText),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
  const kept = keptFiles(release);
  return async ({ request, response, headers, path, search }) => {
    if (!isRead(request)) throw methodNotAllowed(request.method ?? '', ['GET', 'HEAD'], PAGE_ALLOWS);
    const below = segmentsOf(path).slice(depth);
    if (below.length === 0 && !path.endsWith('/')) {
      // Addresses in the page are relative to the folder.
      write(response, 308, { ...headers, location: search === '' ? base : `${base}?${search}` }, '');
      return;
    }
    const name = nameOf(below, files, spa);
    const file = files.get(name);
    if (file === undefined) throw pathUnknown(path);
    const { body, etag } = (await kept(file)) ?? {};
    if (body === undefined || etag === undefined) throw pathUnknown(path);
    const own = { ...safe, ...(isHashed(name) && name !== spa.index ? IMMUTABLE : ASK), etag };
    write(response, 200, { 'content-type': typeOf(name), ...headers, ...own }, body);
  };
}

/** The file that answers: the one that is named, or the index, which makes of the path what it wants. */
function nameOf(below: readonly string[], files: ReadonlyMap<string, ReleaseFile>, { index }: SpaPlace): string {
  const name = below.join('/');
  if (files.has(name) && !below.some((segment) => segment.includes('/'))) return name;
  const last = below.at(-1) ?? '';
  const isHidden = below.some((segment) => segment.startsWith('.') || /[\\/]/.test(segment));
  return isHidden || isAsset(last) ? '' : index;
}

/** Reads a file at its first request, once for all who ask for it meanwhile. */
function keptFiles(release: SpaRelease): (file: ReleaseFile) => Promise<CachedFile | undefined> {
  const cache = new LRUCache<string, Promise<CachedFile | undefined>>({ maxSize: MAX_KEPT });
  const forget = ({ place }: ReleaseFile) => {
    cache.delete(place);
  };
  const read = async (file: ReleaseFile): Promise<CachedFile | undefined> => {
    const body = await release.read(file);
    if (body !== undefined) return { body, etag: tagOf(body) };
    forget(file);
    return undefined;
  };
  return (file) => {
    const known = cache.get(file.place);
    if (known !== undefined) return known;
    const reading = read(file);
    cache.set(file.place, reading, { size: Math.max(1, file.bytes) });
    reading.catch(() => {
      forget(file);
    });
    return reading;
  };
}
