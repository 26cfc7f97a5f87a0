/** Tokens that a network did not sign, with the claims of one that it did: what each way of forging makes of a token. */
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';

export interface PublishedKey extends JsonWebKey {
  readonly kid: string;
  readonly x5c?: readonly string[];
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** @param key  as the network publishes it */
export function forgeries(key: PublishedKey): Readonly<Record<string, (token: string) => string>> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kid } = key;
  const spki = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
  const certificate = key.x5c?.[0] ?? '';
  const claims = (token: string) => token.split('.')[1] ?? '';
  const joined = (header: object, token: string, signature: (signed: string) => string) => {
    const signed = `${part({ typ: 'JWT', ...header })}.${claims(token)}`;
    return `${signed}.${signature(signed)}`;
  };
  const bySelf = (header: object) => (token: string) =>
    joined(header, token, (signed) =>
      sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
    );
  const byHmac = (secret: string | Buffer) => (token: string) =>
    joined({ alg: 'HS256', kid }, token, (signed) => createHmac('sha256', secret).update(signed).digest('base64url'));
  return {
    'alg none': (token) => joined({ alg: 'none', kid }, token, () => ''),
    'alg None, with a signature': (token) => joined({ alg: 'None', kid }, token, () => 'AAAA'),
    'no alg': (token) => joined({ kid }, token, () => 'AAAA'),
    'HMAC with the public key': byHmac(spki),
    'HMAC with the certificate': byHmac(Buffer.from(certificate, 'base64')),
    'HMAC with an empty secret': byHmac(''),
    'another key under the name of ours': bySelf({ alg: 'ES256', kid }),
    'another key under a name of its own': bySelf({ alg: 'ES256', kid: 'f'.repeat(40) }),
    'a name that is a path': bySelf({ alg: 'ES256', kid: '../../../dev/null' }),
    'a name that is a member of every object': bySelf({ alg: 'ES256', kid: 'constructor' }),
    'no name of a key': bySelf({ alg: 'ES256' }),
    'its key in its header': bySelf({ alg: 'ES256', kid, jwk: publicKey.export({ format: 'jwk' }) }),
    'its key elsewhere': bySelf({ alg: 'ES256', kid, jku: 'https://evil.example/keys' }),
    'a signature of nothing': (token) =>
      joined({ alg: 'ES256', kid }, token, () => Buffer.alloc(64).toString('base64url')),
    'other claims under our signature': (token) => {
      const [head = '', , signature = ''] = token.split('.');
      const changed = { ...(JSON.parse(Buffer.from(claims(token), 'base64url').toString()) as object), z_ia: true };
      return `${head}.${part(changed)}.${signature}`;
    },
  };
}
