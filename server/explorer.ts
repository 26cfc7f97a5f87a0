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
import { write } from './responder.js';

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
  + "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const INDEX = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edge Controller API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="explorer"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The documents' paths, in the order in which the page offers them. */
const START = `window.ui = SwaggerUIBundle({
  urls: [
    { url: '${basePaths.management}/swagger.json', name: 'Management API' },
    { url: '${basePaths.client}/swagger.json', name: 'Client API' },
  ],
  dom_id: '#explorer',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript', 'swagger-ui-standalone-preset.js': 'text/javascript', 'favicon-32x32.png': 'image/png',
};

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
    if (!path.startsWith('/docs') || request.method !== 'GET') return false;
    const safe = { ...headers, 'content-security-policy': POLICY, 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };
    if (path === '/docs' || path === '/docs/') {
      write(response, 200, { ...safe, 'content-type': 'text/html; charset=utf-8' }, INDEX);
      return true;
    }
    const name = path.slice('/docs/'.length);
    if (name === 'start.js') {
      write(response, 200, { ...safe, 'content-type': 'text/javascript; charset=utf-8' }, START);
      return true;
    }
    const type = FILES[name];
    if (type === undefined) return false;
    write(response, 200, { ...safe, 'content-type': type, 'cache-control': 'public, max-age=3600' }, load(name));
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
