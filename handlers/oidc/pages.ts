/**
 * Pages for people who log in with a browser: one form each, no script. The policy lets a page load nothing but its own
 * style, and send its form only here and, by the redirects that follow, to where the login returns.
 */
import { hash } from 'node:crypto';
import type { AuthRequest } from '../../db/stores/auth-requests.js';
import type { RawReply } from '../reply.js';

const STYLE = `body { margin: 0; font: 16px/1.5 sans-serif; color: #1b1b1b; background: #fff; }
header { padding: 10px 20px; color: #fff; background: #1b1b1b; }
header strong { font-size: 17px; }
main { max-width: 22em; margin: 2em auto; padding: 0 20px; }
h1 { font-size: 1.4em; }
label { display: block; margin: 1em 0 .3em; }
input, button { font: inherit; padding: 8px; border: 1px solid #767676; border-radius: 4px; }
input { box-sizing: border-box; width: 100%; }
button { margin-top: 1.5em; padding: 8px 16px; color: #fff; background: #2c6e49; border-color: #2c6e49; }
:focus-visible { outline: 2px solid #1d6fb8; outline-offset: 2px; }
[role=alert] { padding: 8px 12px; color: #8a1f11; border: 1px solid #8a1f11; border-radius: 4px; }
@media (prefers-color-scheme: dark) {
  :root { color-scheme: dark; }
  body { color: #ececec; background: #161616; }
  header { border-bottom: 1px solid #555; }
  input { color: #ececec; background: #1f1f1f; }
  input, button { border-color: #8c8c8c; }
  :focus-visible { outline-color: #8fd3ff; }
  [role=alert] { color: #ffb4a8; border-color: #ffb4a8; }
}
`;

type Form = { readonly title: string; readonly action: string; readonly fields: string; readonly button: string };

/** @param returnTo  the redirect URI, when the login may go on to it from here */
function page<S extends number>(
  form: Form,
  id: string,
  status: S,
  fault: string | undefined,
  returnTo: string | undefined,
) {
  const described = fault === undefined ? '' : `<p role="alert" id="fault">${fault}</p>\n`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${form.title} – Edge Controller</title>
<style>${STYLE}</style>
</head>
<body>
<header><strong>Edge Controller</strong></header>
<main>
<h1>${form.title}</h1>
${described}<form method="post" action="${form.action}">
<input type="hidden" name="id" value="${id}">
${form.fields}
<button type="submit">${form.button}</button>
</form>
</main>
</body>
</html>
`;
  const formAction = ["'self'", ...(returnTo === undefined ? [] : [sourceOf(returnTo)])].join(' ');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headers = {
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  };
  return { status, headers, raw: { contentType: 'text/html; charset=utf-8', body } } satisfies RawReply<S>;
}

/** The origin of a redirect URI, or its scheme where it has no host that a policy knows. */
function sourceOf(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return origin === 'null' ? protocol : origin;
}

const described = (fault: string | undefined) =>
  fault === undefined ? '' : ' aria-describedby="fault" aria-invalid="true"';

export function passwordPage<S extends number>(
  { id, redirectUri }: Pick<AuthRequest, 'id' | 'redirectUri'>,
  status: S,
  headers: Readonly<Record<string, string>>,
  fault?: string,
): RawReply<S> {
  const fields = `<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false"
  required autofocus${described(fault)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described(fault)}>`;
  const form = { title: 'Sign in', action: '/oidc/login/username', fields, button: 'Sign in' };
  const reply = page(form, id, status, fault, redirectUri);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

export function codePage<S extends number>(
  { id, redirectUri }: Pick<AuthRequest, 'id'> & Partial<Pick<AuthRequest, 'redirectUri'>>,
  status: S,
  fault?: string,
): RawReply<S> {
  const fields = `<label for="code">Code of your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false"
  required autofocus${described(fault)}>`;
  const form = { title: 'Second factor', action: '/oidc/login/totp', fields, button: 'Give code' };
  return page(form, id, status, fault, redirectUri);
}
