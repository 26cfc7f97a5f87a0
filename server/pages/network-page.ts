/**
 * The network page: what server/network-page is built into, served at `/` to whoever prefers HTML, under a policy that
 * lets it load and call nothing but this controller, run nothing inline, and make no markup of texts.
 */
import { readFileSync, readdirSync } from 'node:fs';
import type { Exchange } from '../http/exchange.js';
import { tagOfConstant } from '../http/entity-tags.js';
import { preferredOf } from '../http/media.js';
import { write } from '../http/reply.js';
import type { ResponseHeaders } from '../http/reply.js';

const SAFE: ResponseHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};
const IMMUTABLE: ResponseHeaders = { 'cache-control': 'public, max-age=31536000, immutable' };
/** Lets browsers keep it, but ask each time whether it has changed. */
const ASK: ResponseHeaders = { 'cache-control': 'no-cache' };

const FOLDER = new URL('../network-page/', import.meta.url);
const PAGE = 'page.html';
const ICON = 'icon.svg';
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

type Page = (exchange: Exchange) => void;

/** Returns what answers with a file of the page. It is read at its first request and kept. */
function fileOf(name: string, caching: ResponseHeaders): Page {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  let kept: Buffer | undefined;
  return ({ response, headers }) => {
    kept ??= readFileSync(new URL(name, FOLDER));
    const own = { ...SAFE, ...caching, etag: tagOfConstant(kept) };
    write(response, 200, { 'content-type': type, ...headers, ...own }, kept);
  };
}

/** Files of the page, by path. What has a hash in its name is never asked for again. */
export function networkPageFiles(): [path: string, page: Page][] {
  const names = readdirSync(FOLDER).filter((name) => name !== PAGE && name !== ICON);
  return names.map((name) => [`/network-page/${name}`, fileOf(name, IMMUTABLE)]);
}

/** The icon of all pages of this controller, also where browsers look for it by themselves. */
export function iconFiles(): [path: string, page: Page][] {
  const icon = fileOf(ICON, { 'cache-control': 'public, max-age=3600' });
  return [
    [`/network-page/${ICON}`, icon],
    ['/favicon.ico', icon],
  ];
}

/** Answers `/`; undefined for a reader who prefers JSON. */
export function networkPageFront(): (accept: string | undefined) => Page | undefined {
  const page = fileOf(PAGE, { ...ASK, vary: 'Accept' });
  return (accept) => (preferredOf(['application/json', 'text/html'], accept) === 'text/html' ? page : undefined);
}
