// An OpenID provider to try logins by external tokens with: real tokens, signed by keys that it publishes, for the
// people in a list. On loopback and without TLS: nothing for production.
//
//   node examples/openid-provider.mjs [PORT]
//
//   PORT  on 127.0.0.1; default 3000
//
//   OPENID_PEOPLE    who may have a token, as name:secret:e-mail address, with commas between them
//   OPENID_AUDIENCE  what the tokens are for; default: edge
//   OPENID_MINUTES   how long a token is good for; default 10
//
// The keys are new at each start: tokens of before are no longer accepted once the controller reads the keys again.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const port = Number(process.argv[2] ?? 3000);
const audience = process.env.OPENID_AUDIENCE ?? 'edge';
const seconds = Number(process.env.OPENID_MINUTES ?? 10) * 60;
const people = new Map(
  (process.env.OPENID_PEOPLE ?? 'anna:anna-secret:anna@example.com,ben:ben-secret:ben@example.com')
    .split(',')
    .map((entry) => entry.split(':'))
    .map(([name, secret, email]) => [name, { secret, email }]),
);
const issuer = `http://127.0.0.1:${port}`;

const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'example-1' };

const provider = new Provider(issuer, {
  jwks: { keys: [key] },
  // Whoever runs a program without a browser proves itself by name and secret: the grant `client_credentials`.
  clients: [...people].map(([name, { secret }]) => ({
    client_id: name,
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    id_token_signed_response_alg: 'ES256',
  })),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `urn:${audience}`,
      getResourceServerInfo: () => ({
        audience,
        scope: 'network',
        accessTokenFormat: 'jwt',
        accessTokenTTL: seconds,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  extraTokenClaims: (_context, token) => ({ email: people.get(token.clientId)?.email }),
});

const server = createServer(provider.callback());
server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`${issuer} is ready for ${[...people.keys()].join(', ')}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
