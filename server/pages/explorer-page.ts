/**
 * The explorer's own page: its markup, style and script, as they are sent. Swagger UI does the rest. The script holds
 * the session token in memory only, and sends it nowhere but to the controller that served the page.
 */
import { basePaths } from '../../generated/routes.js';

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
<form id="second" autocomplete="on" hidden>
<label>Code <input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters"
  spellcheck="false" required></label>
<button id="give" type="submit">Give code</button>
</form>
<button id="sign-out" type="button" hidden>Sign out</button>
<button id="about" type="button" aria-expanded="false" aria-controls="explorer">About this API</button>
<output id="status" for="username password code">Not signed in</output>
</header>
<div id="explorer"></div>
<noscript>The explorer needs JavaScript. The documents themselves:
<a href="${basePaths.management}/swagger.json">Management API</a>,
<a href="${basePaths.client}/swagger.json">Client API</a>, and both in OpenAPI 3.1:
<a href="${basePaths.management}/openapi.json">Management API</a>,
<a href="${basePaths.client}/openapi.json">Client API</a>.</noscript>
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
#about { background: transparent; border-color: #9a9a9a; }
@media (prefers-color-scheme: dark) {
  header input { color: #f0f0f0; background: #2b2b2b; color-scheme: dark; }
}
.swagger-ui .topbar { padding: 6px 0; background: #303030; }
.swagger-ui .topbar .link { display: none; }
.swagger-ui .topbar .download-url-wrapper { flex: 1; max-width: none; margin: 0; justify-content: flex-start; }
.swagger-ui .topbar .download-url-wrapper .select-label { width: auto; }
.swagger-ui .topbar .download-url-wrapper .select-label span { flex: none; font-size: 14px; white-space: nowrap; }
.swagger-ui .topbar .download-url-wrapper .select-label select { flex: 0 1 220px; width: auto; min-width: 0; }
@media (max-width: 640px) {
  .swagger-ui .topbar .wrapper { padding: 0 12px; }
  .swagger-ui .topbar .download-url-wrapper .select-label span { display: none; }
  .swagger-ui .topbar .download-url-wrapper .select-label select { flex: 1 1 auto; }
}
.swagger-ui .info { margin: 24px 0; }
body:not(.about) .swagger-ui .info .description { display: none; }
.swagger-ui .trust { margin: 8px 0; font: 12px/1.5 sans-serif; color: #3b4151; }
.swagger-ui .trust code { overflow-wrap: anywhere; user-select: all; }
.dark-mode .swagger-ui .trust { color: #e4e6e6; }
.swagger-ui .scheme-container { padding: 12px 0; margin: 0; }
`;

const PROVIDER = `
      { url: '${basePaths.oidc}/swagger.json', name: 'Single sign-on' },
      { url: '${basePaths.oidc}/openapi.json', name: 'Single sign-on (OpenAPI 3.1)' },`;

/** Marks where documents that only some controllers have are listed. */
const MORE_DOCUMENTS = '/* more documents */';

const START = `'use strict';
(() => {
  const SCHEME = 'ztSession';
  const element = (id) => document.getElementById(id);
  let token = '';

  const authorize = () => { if (token !== '') window.ui.preauthorizeApiKey(SCHEME, token); };

  /** Swagger UI breaks lines where a description does: its paragraphs are lines here. */
  const asLines = (text = '') => text.replace(/([^\\n])\\n(?=[^\\n\\s*-])/g, '$1 ');

  /** A document names the advertised address; the page may call only the one that it came from, so it asks there. */
  const atThisAddress = () => ({ statePlugins: { spec: { wrapActions: {
    updateJsonSpec: (proceed) => (document) => {
      const { schemes, ...rest } = document;
      if (rest.info) rest.info = { ...rest.info, description: asLines(rest.info.description) };
      const here = ({ url }) => ({ url: location.origin + new URL(url, location.href).pathname });
      const result = proceed('swagger' in document ? { ...rest, host: location.host }
        : 'openapi' in document ? { ...rest, servers: document.servers.map(here) } : rest);
      authorize();
      return result;
    },
  } } } });

  /** Swagger UI's logo carries a style element, which the policy of this page refuses. */
  const withoutLogo = () => ({ components: { Logo: () => null } });

  /** A command that is pasted fails until curl trusts this network: says above it how it comes to. */
  const withTrust = ({ React: { createElement } }) => ({ wrapComponents: { curl: (Original) => (props) =>
    createElement('div', null,
      createElement('p', { className: 'trust' }, 'Once in a terminal, so that curl trusts this network: ',
        createElement('code', null, 'curl -sk ' + location.origin + '/.well-known/est/cacerts | openssl base64 -d | ' +
          'openssl pkcs7 -inform DER -print_certs -out edge-ca.pem && export CURL_CA_BUNDLE=$PWD/edge-ca.pem')),
      createElement(Original, props)),
  } });

  element('about').addEventListener('click', () => {
    element('about').setAttribute('aria-expanded', String(document.body.classList.toggle('about')));
  });

  window.ui = SwaggerUIBundle({
    urls: [
      { url: '${basePaths.management}/swagger.json', name: 'Management API' },
      { url: '${basePaths.client}/swagger.json', name: 'Client API' },
      { url: '${basePaths.management}/openapi.json', name: 'Management API (OpenAPI 3.1)' },
      { url: '${basePaths.client}/openapi.json', name: 'Client API (OpenAPI 3.1)' },${MORE_DOCUMENTS}
    ],
    dom_id: '#explorer',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [atThisAddress, withoutLogo, withTrust],
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

  /** The session must still give a code of its identity's second factor. */
  let owesCode = false;

  const show = (text, isFailure) => {
    element('status').textContent = text;
    element('status').className = isFailure ? 'failed' : '';
    element('login').hidden = token !== '';
    element('second').hidden = !owesCode;
    element('sign-out').hidden = token === '';
  };

  const ADVICE = {
    INVALID_AUTH: 'Username or password is wrong',
    MFA_INVALID_TOKEN: 'The code is wrong or was used before: take the next one of the app, or a recovery code',
    UNAUTHORIZED: 'The session has ended: sign out and in again',
  };

  /** The answer's data; throws what to do, or its error's message. */
  const call = async (method, path, headers, body) => {
    const response = await fetch('${basePaths.management}' + path, { method, headers, body, cache: 'no-store' });
    const answer = await response.json();
    if (response.ok) return answer.data;
    const seconds = response.headers.get('retry-after');
    const wait = response.status === 429 && seconds !== null ? 'Too many attempts: try again in ' + seconds + ' s' : '';
    const { code, message } = answer.error;
    throw Object.assign(new Error(wait || ADVICE[code] || message), { code });
  };
  const send = (path, headers, body) =>
    call('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

  /** What the session still owes, as far as this page cannot ask for it. */
  const debt = ({ authQueries, isMfaRequired }) => {
    if (authQueries.some(({ typeId }) => typeId === 'EXT-JWT'))
      return '; a token of an external provider is owed with each request, and this page sends none';
    if (authQueries.length === 0 || isMfaRequired) return '';
    return '; an authenticator app must be enrolled first: enrollMfa, detailMfaQrCode, then verifyMfa';
  };

  const signIn = async () => {
    const username = element('username').value;
    const session = await send('/authenticate?method=password', {}, { username, password: element('password').value });
    token = session.token;
    owesCode = session.isMfaRequired && session.authQueries.some(({ typeId }) => typeId === 'MFA');
    authorize();
    if (!owesCode) { show('Signed in as ' + username + debt(session), false); return; }
    show('Code of the authenticator app of ' + username + ', or a recovery code', false);
    element('code').focus();
  };

  const giveCode = async () => {
    const code = element('code').value.replace(/\\s/g, '').toUpperCase();
    await send('/authenticate/mfa', { 'zt-session': token }, { code });
    owesCode = false;
    const session = await call('GET', '/current-api-session', { 'zt-session': token });
    show('Signed in as ' + element('username').value + debt(session), false);
  };

  const signOut = async () => {
    const ended = token;
    token = '';
    owesCode = false;
    window.ui.authActions.logout([SCHEME]);
    show('Not signed in', false);
    try {
      await call('DELETE', '/current-api-session', { 'zt-session': ended });
    } catch (error) {
      if (error.code !== 'UNAUTHORIZED') throw error; // it had ended before
    }
  };

  const run = async (button, work) => {
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      show(error.message, true);
    } finally {
      element('password').value = '';
      element('code').value = '';
      button.disabled = false;
    }
  };

  element('login').addEventListener('submit', (event) => {
    event.preventDefault();
    void run(element('sign-in'), signIn);
  });
  element('second').addEventListener('submit', (event) => {
    event.preventDefault();
    void run(element('give'), giveCode);
  });
  element('sign-out').addEventListener('click', () => { void run(element('sign-out'), signOut); });
})();
`;

/** @param hasProvider  whether single sign-on is offered, and has a document */
export const startScript = (hasProvider: boolean): string =>
  START.replace(MORE_DOCUMENTS, () => (hasProvider ? PROVIDER : ''));
