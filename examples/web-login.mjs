// A web application that logs its users in by their network identity, with openid-client, which does the protocol.
// On loopback and without TLS of its own: behind a real host name it needs TLS, and its address in `oidc.redirectURIs`.
//
//   NODE_EXTRA_CA_CERTS=ca.pem node examples/web-login.mjs CONTROLLER [PORT]
//
//   CONTROLLER           such as https://localhost:1280
//   PORT                 on 127.0.0.1; default 3100
//   NODE_EXTRA_CA_CERTS  the authorities of the network: Node verifies the controller by them
//
// Sessions are in memory: they are over when the application ends.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import * as oidc from 'openid-client';

const [controller = 'https://localhost:1280', port = '3100'] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`;
const redirectUri = `${origin}/auth/callback`;
const provider = await oidc.discovery(new URL(`${controller}/oidc`), 'native', undefined, oidc.None());

/** By the cookie of their browser: logins under way, and users who are in. */
const pending = new Map();
const users = new Map();
const MOST = 1_000;

const cookieOf = (request) => /(?:^|; )web=([0-9a-f-]{36})/.exec(request.headers.cookie ?? '')?.[1];
const keep = (map, id, value) => {
  if (map.size >= MOST) map.delete(map.keys().next().value);
  map.set(id, value);
};
const escape = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

function send(response, status, text, headers = {}) {
  const page = `<!doctype html><html lang="en"><title>Application</title><p>${text}</p>\n`;
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page);
}
const to = (response, location, headers = {}) => response.writeHead(302, { location, ...headers }).end();
const cookie = (id) => ({ 'set-cookie': `web=${id}; HttpOnly; SameSite=Lax; Path=/` });

/** Sends the browser to the controller. A cookie keeps what has to come back, so that no other browser can use it. */
async function begin(response) {
  const id = randomUUID();
  const login = { verifier: oidc.randomPKCECodeVerifier(), state: oidc.randomState(), nonce: oidc.randomNonce() };
  keep(pending, id, login);
  const address = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    state: login.state,
    nonce: login.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(login.verifier),
    code_challenge_method: 'S256',
  });
  to(response, address.href, cookie(id));
}

/** Checks what came back (state, issuer, signature, nonce), and gives the browser a session of its own. */
async function finish(request, response) {
  const before = cookieOf(request);
  const login = pending.get(before);
  pending.delete(before);
  if (login === undefined) return send(response, 400, 'This login is over: <a href="/">begin again</a>.');
  const { verifier: pkceCodeVerifier, state: expectedState, nonce: expectedNonce } = login;
  const expected = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(request.url, origin), expected);
  const { sub, name } = tokens.claims();
  const id = randomUUID();
  keep(users, id, { sub, name, refreshToken: tokens.refresh_token });
  return to(response, '/', cookie(id));
}

/** Ends the session here and, with its refresh token, at the controller. */
async function leave(request, response) {
  const id = cookieOf(request);
  const user = users.get(id);
  users.delete(id);
  if (user !== undefined) await oidc.tokenRevocation(provider, user.refreshToken);
  send(response, 200, 'Signed out.');
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, origin);
  const work = async () => {
    if (pathname === '/auth/callback') return finish(request, response);
    if (pathname === '/logout') return leave(request, response);
    const user = users.get(cookieOf(request));
    return user === undefined
      ? begin(response)
      : send(response, 200, `Signed in as ${escape(user.name)} (${escape(user.sub)}). <a href="/logout">Sign out</a>.`);
  };
  work().catch((error) => {
    console.error(error.code ?? error.name); // never what a browser sent
    send(response, 401, 'The login was refused: <a href="/">begin again</a>.');
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`open ${origin}/`));
