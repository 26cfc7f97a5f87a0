/**
 * The explorer's own page: its markup, style and script, as they are sent. Swagger UI does the rest. The script holds
 * the session token in memory only, and sends it nowhere but to the controller that served the page.
 */
import { basePaths } from '../generated/routes.js';

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edge Controller API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/explorer.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<header>
<strong>Edge Controller</strong>
<form id="login" autocomplete="on">
<label>Username <input id="username" name="username" autocomplete="username" autocapitalize="none"
  spellcheck="false" required></label>
<label>Password <input id="password" name="password" type="password" autocomplete="current-password" required></label>
<button id="sign-in" type="submit">Sign in</button>
</form>
<button id="sign-out" type="button" hidden>Sign out</button>
<output id="status" for="username password">Not signed in</output>
</header>
<div id="explorer"></div>
<noscript>The explorer needs JavaScript. The documents themselves:
<a href="${basePaths.management}/swagger.json">Management API</a>,
<a href="${basePaths.client}/swagger.json">Client API</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

export const STYLE = `body { margin: 0; }
header {
  display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 10px 20px;
  color: #fff; background: #1b1b1b; font: 14px/1.4 sans-serif;
}
header strong { font-size: 17px; margin-right: auto; }
header form { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; }
header [hidden] { display: none; }
header input, header button { font: inherit; padding: 5px 8px; border: 1px solid #767676; border-radius: 4px; }
header input { width: 11em; color: #1b1b1b; background: #fff; }
header button { color: #fff; background: #2c6e49; border-color: #2c6e49; cursor: pointer; }
header button:disabled { opacity: .6; cursor: default; }
header :focus-visible { outline: 2px solid #8fd3ff; outline-offset: 1px; }
#status.failed { color: #ffb4a8; }
.swagger-ui .topbar { padding: 6px 0; background: #303030; }
.swagger-ui .topbar .link { display: none; }
.swagger-ui .topbar .download-url-wrapper { flex: 1; max-width: none; margin: 0; justify-content: flex-start; }
.swagger-ui .topbar .download-url-wrapper .select-label { width: auto; }
.swagger-ui .topbar .download-url-wrapper .select-label span { flex: none; font-size: 14px; white-space: nowrap; }
.swagger-ui .topbar .download-url-wrapper .select-label select { flex: none; width: 220px; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .scheme-container { padding: 12px 0; margin: 0; }
`;

export const START = `'use strict';
(() => {
  const SCHEME = 'ztSession';
  const element = (id) => document.getElementById(id);
  let token = '';

  const authorize = () => { if (token !== '') window.ui.preauthorizeApiKey(SCHEME, token); };

  /** A document names the advertised address; the page may call only the one that it came from, so it asks there. */
  const atThisAddress = () => ({ statePlugins: { spec: { wrapActions: {
    updateJsonSpec: (proceed) => (document) => {
      const { schemes, ...rest } = document;
      const result = proceed('swagger' in document ? { ...rest, host: location.host } : document);
      authorize();
      return result;
    },
  } } } });

  /** Swagger UI's logo carries a style element, which the policy of this page refuses. */
  const withoutLogo = () => ({ components: { Logo: () => null } });

  window.ui = SwaggerUIBundle({
    urls: [
      { url: '${basePaths.management}/swagger.json', name: 'Management API' },
      { url: '${basePaths.client}/swagger.json', name: 'Client API' },
    ],
    dom_id: '#explorer',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [atThisAddress, withoutLogo],
    layout: 'StandaloneLayout',
    deepLinking: true,
    displayOperationId: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    validatorUrl: null,
    persistAuthorization: false,
  });

  const show = (text, isFailure) => {
    element('status').textContent = text;
    element('status').className = isFailure ? 'failed' : '';
    element('login').hidden = token !== '';
    element('sign-out').hidden = token === '';
  };

  /** The answer's data; throws its error's message. */
  const call = async (method, path, headers, body) => {
    const response = await fetch('${basePaths.management}' + path, { method, headers, body, cache: 'no-store' });
    const answer = await response.json();
    if (response.ok) return answer.data;
    const { code, message } = answer.error;
    throw new Error(code === 'INVALID_AUTH' ? 'Username or password is wrong' : message);
  };

  const signIn = async () => {
    const username = element('username').value;
    const body = JSON.stringify({ username, password: element('password').value });
    const session = await call('POST', '/authenticate?method=password', { 'content-type': 'application/json' }, body);
    token = session.token;
    authorize();
    show('Signed in as ' + username + (session.authQueries.length > 0 ? '; a second factor is still owed' : ''), false);
  };

  const signOut = async () => {
    const ended = token;
    token = '';
    window.ui.authActions.logout([SCHEME]);
    show('Not signed in', false);
    await call('DELETE', '/current-api-session', { 'zt-session': ended });
  };

  const run = async (button, work) => {
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      show(error.message, true);
    } finally {
      element('password').value = '';
      button.disabled = false;
    }
  };

  element('login').addEventListener('submit', (event) => {
    event.preventDefault();
    void run(element('sign-in'), signIn);
  });
  element('sign-out').addEventListener('click', () => { void run(element('sign-out'), signOut); });
})();
`;
