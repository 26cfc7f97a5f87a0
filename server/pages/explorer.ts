/**
 * The API explorer: Swagger UI, which the build puts next to this file, served from here only, under a policy that lets
 * the page load and call nothing else. Also the documents of each API, below its base path.
 */
import { readFileSync } from 'node:fs';
import type { Api } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import type { Documents } from '../../handlers/context.js';
import type { Exchange } from '../http/exchange.js';
import { tagOfConstant } from '../http/entity-tags.js';
import { PAGE, STYLE, startScript } from './explorer-page.js';
import { write } from '../http/reply.js';
import type { ResponseHeaders } from '../http/reply.js';

/**
 * Nothing inline, no other origin, no framing. Swagger UI styles through the DOM; its pictures are data in its own
 * style sheet.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ownPages = (hasProvider: boolean) =>
  ({
    '/docs': ['text/html', PAGE],
    '/docs/explorer.css': ['text/css', STYLE],
    '/docs/start.js': ['text/javascript', startScript(hasProvider)],
  }) as const;

/** Files of Swagger UI that the page loads, by path. */
const FILES = {
  '/docs/swagger-ui.css': ['text/css; charset=utf-8', 'swagger-ui.css'],
  '/docs/swagger-ui-bundle.js': ['text/javascript; charset=utf-8', 'swagger-ui-bundle.js'],
  '/docs/swagger-ui-standalone-preset.js': ['text/javascript; charset=utf-8', 'swagger-ui-standalone-preset.js'],
  '/docs/favicon-32x32.png': ['image/png', 'favicon-32x32.png'],
} as const;

type PageEntry = [path: string, page: (exchange: Exchange) => void];

const SAFE: ResponseHeaders = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/**
 * Lets browsers keep the file, but ask each time whether it has changed: a new release has other pages and documents.
 */
const ASK: ResponseHeaders = { 'cache-control': 'no-cache' };

/** Files are read at their first request and kept: start-up does not wait for two megabytes. */
export function explorerPages(hasProvider: boolean): PageEntry[] {
  const cache = new Map<string, Buffer>();
  const load = (name: string) => {
    const known = cache.get(name) ?? readFileSync(new URL(`../explorer/${name}`, import.meta.url));
    cache.set(name, known);
    return known;
  };
  const own = Object.entries(ownPages(hasProvider)).map(([path, [type, text]]): PageEntry => [
    path,
    ({ response, headers }) => {
      const own = { ...SAFE, ...ASK, etag: tagOfConstant(text) };
      write(response, 200, { 'content-type': `${type}; charset=utf-8`, ...headers, ...own }, text);
    },
  ]);
  const files = Object.entries(FILES).map(([path, [type, name]]): PageEntry => [
    path,
    ({ response, headers }) => {
      const file = load(name);
      const own = { ...SAFE, 'cache-control': 'public, max-age=3600', 'etag': tagOfConstant(file) };
      write(response, 200, { 'content-type': type, ...headers, ...own }, file);
    },
  ]);
  const underApis = Object.values(basePaths).map((base): PageEntry => [
    `${base}/docs`,
    ({ response, headers }) => {
      write(response, 302, { ...headers, location: '/docs' }, '');
    },
  ]);
  return [...own, ...files, ...underApis];
}

const DOCUMENTS = [
  ['swagger.json', 'swagger', 'json', 'application/json'],
  ['openapi.json', 'openapi', 'json', 'application/json'],
  ['openapi.yaml', 'openapi', 'yaml', 'application/yaml; charset=utf-8'],
] as const;

const PROVIDER: readonly [string, Api][] = [[basePaths.oidc, 'oidc']];

/** The documents of each API, in both forms, below its base path; the client's at the other paths of its API too. */
export function documentPages(documents: Documents, hasProvider: boolean): PageEntry[] {
  const bases: readonly [string, Api][] = [
    [basePaths.client, 'client'],
    [basePaths.fabric, 'fabric'],
    [basePaths.management, 'management'],
    ...(hasProvider ? PROVIDER : []),
    ['', 'client'],
    ['/edge/v1', 'client'],
  ];
  return bases.flatMap(([base, api]) =>
    DOCUMENTS.map(([name, form, syntax, type]): PageEntry => [
      `${base}/${name}`,
      ({ response, headers }) => {
        const body = documents.bytes(api, syntax, form);
        write(response, 200, { 'content-type': type, ...headers, ...ASK, 'etag': tagOfConstant(body) }, body);
      },
    ]),
  );
}
