/**
 * The API explorer: Swagger UI from its npm package, served from here only, under a policy that lets the page load
 * and call nothing else. Also each API's document at `<base path>/swagger.json`.
 */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Api } from '../generated/operation.js';
import { basePaths } from '../generated/routes.js';
import type { Documents } from '../handlers/services.js';
import type { Page } from './app.js';
import { PAGE, START, STYLE } from './explorer-page.js';
import { write } from './responder.js';

/** Nothing inline, no other origin, no framing. Swagger UI styles through the DOM; its pictures are data in its own style sheet. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const OWN: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ['/docs', ['text/html', PAGE]], ['/docs/', ['text/html', PAGE]], ['/docs/explorer.css', ['text/css', STYLE]], ['/docs/start.js', ['text/javascript', START]],
]);

/** Files of the package that the page loads, by path. */
const FILES: ReadonlyMap<string, readonly [type: string, name: string]> = new Map([
  ['/docs/swagger-ui.css', ['text/css', 'swagger-ui.css']],
  ['/docs/swagger-ui-bundle.js', ['text/javascript', 'swagger-ui-bundle.js']],
  ['/docs/swagger-ui-standalone-preset.js', ['text/javascript', 'swagger-ui-standalone-preset.js']],
  ['/docs/favicon-32x32.png', ['image/png', 'favicon-32x32.png']],
]);

/** Files are read at their first request and kept: start-up does not wait for two megabytes. */
export function explorerPages(): Page {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const cache = new Map<string, Buffer>();
  const load = (name: string) => {
    const known = cache.get(name) ?? readFileSync(join(root, name));
    cache.set(name, known);
    return known;
  };
  return ({ request, response, headers }, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const safe = { ...headers, 'content-security-policy': POLICY, 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };
    const [ownType, text] = OWN.get(path) ?? [];
    if (ownType !== undefined && text !== undefined) {
      write(response, 200, { ...safe, 'content-type': `${ownType}; charset=utf-8` }, text);
      return true;
    }
    const [type, name] = FILES.get(path) ?? [];
    if (type === undefined || name === undefined) return false;
    const charset = type.startsWith('text/') ? '; charset=utf-8' : '';
    write(response, 200, { ...safe, 'content-type': type + charset, 'cache-control': 'public, max-age=3600' }, load(name));
    return true;
  };
}

const DOCS_UNDER_API = /^\/edge\/(?:client|management)\/v1\/docs\/?$/;

/** `swagger.json` of each API, and the explorer under each API's own path. */
export function documentPages(documents: Documents, hasExplorer: boolean): Page {
  const paths = new Map<string, Api>([
    [`${basePaths.client}/swagger.json`, 'client'], [`${basePaths.management}/swagger.json`, 'management'], ['/swagger.json', 'client'], ['/edge/v1/swagger.json', 'client'],
  ]);
  return ({ request, response, headers }, path) => {
    if (request.method !== 'GET') return false;
    const api = paths.get(path);
    if (api !== undefined) {
      write(response, 200, { ...headers, 'content-type': 'application/json' }, documents.text(api, 'json'));
      return true;
    }
    if (!hasExplorer || !DOCS_UNDER_API.test(path)) return false;
    write(response, 302, { ...headers, location: '/docs' }, '');
    return true;
  };
}
