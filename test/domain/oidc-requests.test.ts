/** What a login request may ask for, and where it may be answered: tables of cases. */
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { readAuthorizeRequest, readReturnAddress } from '../../domain/oidc/authorize-request.js';
import type { AuthorizeName } from '../../domain/oidc/authorize-request.js';
import { clientOf } from '../../domain/oidc/clients.js';
import { codeFor, isCodeOf, requestOfCode } from '../../domain/oidc/codes.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { Issuers } from '../../domain/oidc/issuers.js';
import { Parameters } from '../../domain/oidc/parameters.js';
import { fitsChallenge, isChallenge } from '../../domain/oidc/pkce.js';
import { DEFAULT_REDIRECT_URIS, isRegistered, withParameters } from '../../domain/oidc/redirects.js';
import { judgeRefresh, nextTokenId } from '../../domain/oidc/refreshing.js';

const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof OauthFault) return error.error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('redirect URIs of logins', () => {
  const OWN = 'https://ctrl.example.org:1280/auth/callback';
  const registered = [...DEFAULT_REDIRECT_URIS, OWN, 'https://app.example.org/cb?x=1'];
  for (const uri of [
    'openziti://auth/callback',
    OWN,
    'https://app.example.org/cb?x=1',
    'http://localhost:8080/auth/callback',
    'http://localhost:20314/auth/callback',
    'http://localhost/auth/callback',
    'https://127.0.0.1:1/auth/callback',
  ])
    it(`takes ${uri}`, () => {
      expect(isRegistered(uri, registered)).to.equal(true);
    });
  for (const uri of [
    '',
    'http://localhost:*/auth/callback',
    'http://localhost:8080/auth/callback/',
    'http://localhost:8080/auth/callback?x=1',
    'http://localhost:8080/auth/callback#x',
    'http://localhost:8080/auth/../auth/callback',
    'http://localhost:8080/auth/%63allback',
    'http://LOCALHOST:8080/auth/callback',
    'http://localhost.evil.example:8080/auth/callback',
    'http://localhost:8080@evil.example/auth/callback',
    'http://user@localhost:8080/auth/callback',
    'http://localhost:99999/auth/callback',
    'http://localhost:/auth/callback',
    'http://localhost\\:8080/auth/callback',
    'http://localhost:8080\\@evil.example/auth/callback',
    'http://[::1]:8080/auth/callback',
    'http://127.0.0.2:8080/auth/callback',
    'http://0x7f000001:8080/auth/callback',
    'ftp://localhost:8080/auth/callback',
    'javascript://localhost:8080/auth/callback',
    `${OWN}/`,
    `${OWN}?code=1`,
    'https://ctrl.example.org:1281/auth/callback',
    'https://ctrl.example.org/auth/callback',
    'http://ctrl.example.org:1280/auth/callback',
    'https://app.example.org/cb',
    'https://app.example.org/cb?x=2',
    'openziti://auth/callback/x',
    ' openziti://auth/callback',
  ])
    it(`refuses ${uri}`, () => {
      expect(isRegistered(uri, registered)).to.equal(false);
    });

  it('takes any port of a loopback address that is registered with one', () => {
    expect(isRegistered('http://[::1]:7/cb', ['http://[::1]:80/cb'])).to.equal(true);
    expect(isRegistered('https://[::1]:7/cb', ['http://[::1]:80/cb'])).to.equal(false);
  });

  it('adds parameters behind those that are there, encoded', () => {
    expect(withParameters('a://b', { code: 'x.y', state: 'a b&c', none: undefined })).to.equal(
      'a://b?code=x.y&state=a%20b%26c',
    );
    expect(withParameters('https://a/?q=1', { error: 'x' })).to.equal('https://a/?q=1&error=x');
  });
});

describe('login requests', () => {
  const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
  const GOOD = {
    client_id: 'native',
    redirect_uri: 'http://localhost:8080/auth/callback',
    response_type: 'code',
    scope: 'openid offline_access',
    state: 's',
    nonce: 'n',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const parametersOf = (changes: Record<string, string | undefined>) =>
    new Parameters<AuthorizeName>({ ...GOOD, ...changes });
  const addressOf = (parameters: Parameters<AuthorizeName>) => readReturnAddress(parameters, DEFAULT_REDIRECT_URIS);
  const readWith = (changes: Record<string, string | undefined>) => {
    const parameters = parametersOf(changes);
    return readAuthorizeRequest(parameters, addressOf(parameters));
  };

  it('are read', () => {
    expect(readWith({ scope: 'offline_access other openid openid', configTypes: 'all' })).to.deep.equal({
      clientId: 'native',
      redirectUri: GOOD.redirect_uri,
      state: 's',
      nonce: 'n',
      scopes: ['openid', 'offline_access'],
      codeChallenge: challenge,
      configTypes: ['all'],
      method: undefined,
    });
    expect(readWith({ method: 'ext-jwt', state: undefined, prompt: 'login' })).to.include({ method: 'ext-jwt' });
  });

  for (const [what, changes, error] of [
    ['no client', { client_id: undefined }, 'invalid_request'],
    ['an unknown client', { client_id: 'other' }, 'invalid_client'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }, 'invalid_request'],
    ['a state without bounds', { state: 'x'.repeat(3000) }, 'invalid_request'],
  ] as const)
    it(`is not answered at its redirect URI with ${what}`, () => {
      expect(faultOf(() => addressOf(parametersOf(changes)))).to.equal(error);
    });

  for (const [what, changes, error] of [
    ['no response type', { response_type: undefined }, 'unsupported_response_type'],
    ['an implicit response type', { response_type: 'id_token token' }, 'unsupported_response_type'],
    ['a fragment response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['unknown scopes alone', { scope: 'email phone' }, 'invalid_scope'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no challenge method', { code_challenge_method: undefined }, 'invalid_request'],
    ['the challenge method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is too short', { code_challenge: 'abc' }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'invalid_request'],
    ['a request URI', { request_uri: 'https://evil.example/' }, 'invalid_request'],
    ['prompt none', { prompt: 'none' }, 'login_required'],
    ['prompt none and more', { prompt: 'none login' }, 'invalid_request'],
    ['an unknown method', { method: 'totp' }, 'invalid_request'],
  ] as const)
    it(`is refused with ${what}`, () => {
      expect(faultOf(() => readWith(changes))).to.equal(error);
    });

  it('is refused when a parameter comes twice, once in the query and once in the form', () => {
    const parameters = new Parameters<'client_id' | 'state'>({ client_id: 'native', state: 'a' }, { state: 'b' });
    expect(faultOf(() => parameters.get('state'))).to.equal('invalid_request');
    expect(parameters.get('client_id')).to.equal('native');
    expect(new Parameters<'a'>({ a: '' }, { a: '1' }).get('a')).to.equal('1');
    expect(new Parameters<'envOs'>({ envInfo: { os: 'linux' } }).get('envOs'), 'of an object').to.equal('linux');
  });
});

describe('clients at the token endpoint', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  for (const [what, named, authorization] of [
    ['the form', 'native', undefined],
    ['a header with an empty secret', undefined, basic('native:')],
    ['both', 'native', basic('native:')],
    ['a header without a colon', '', basic('native')],
  ] as const)
    it(`are known by ${what}`, () => {
      expect(clientOf(named, authorization)).to.equal('native');
    });
  for (const [what, named, authorization, error] of [
    ['nobody is named', undefined, undefined, 'invalid_request'],
    ['an unknown one is named', 'x', undefined, 'invalid_client'],
    ['a secret is shown', undefined, basic('native:secret'), 'invalid_client'],
    ['a secret is shown, and the form is right', 'native', basic('native:secret'), 'invalid_client'],
    ['two are named', 'openziti', basic('native:'), 'invalid_client'],
    ['the header has a bad escape', undefined, basic('%zz:'), 'invalid_request'],
  ] as const)
    it(`are refused when ${what}`, () => {
      expect(faultOf(() => clientOf(named, authorization))).to.equal(error);
    });
});

describe('the proof key of a code exchange', () => {
  // Example of RFC 7636, appendix B.
  const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  it('fits its challenge', () => {
    expect(isChallenge(CHALLENGE)).to.equal(true);
    expect(fitsChallenge(VERIFIER, CHALLENGE)).to.equal(true);
  });
  for (const verifier of ['', CHALLENGE, VERIFIER.slice(1), `${VERIFIER}x`, `${VERIFIER} `, 'x'.repeat(129)])
    it(`is not ${verifier.slice(0, 50)}`, () => {
      expect(fitsChallenge(verifier, CHALLENGE)).to.equal(false);
    });
  for (const text of ['', CHALLENGE.slice(1), `${CHALLENGE}=`, `${CHALLENGE.slice(0, 42)}N`, `${CHALLENGE}A`])
    it(`has no challenge ${text}`, () => {
      expect(isChallenge(text)).to.equal(false);
    });
});

describe('issuers', () => {
  const issuers = new Issuers({ hosts: ['ctrl.example.org', '10.0.0.1', 'fd00::1'], ports: [1280, 443] });
  for (const [host, issuer] of [
    ['ctrl.example.org:1280', 'https://ctrl.example.org:1280/oidc'],
    ['CTRL.example.org:1280', 'https://ctrl.example.org:1280/oidc'],
    ['ctrl.example.org', 'https://ctrl.example.org/oidc'],
    ['ctrl.example.org:443', 'https://ctrl.example.org/oidc'],
    ['10.0.0.1:1280', 'https://10.0.0.1:1280/oidc'],
    ['[fd00::1]:1280', 'https://[fd00::1]:1280/oidc'],
    ['[fd00:0::1]', 'https://[fd00::1]/oidc'],
    ['evil.example', undefined],
    ['ctrl.example.org:1281', undefined],
    ['x.ctrl.example.org:1280', undefined],
    ['ctrl.example.org:1280/x', undefined],
    ['ctrl.example.org@evil.example', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const)
    it(`of ${host} is ${issuer}`, () => {
      expect(issuers.ofHost(host)).to.equal(issuer);
      if (issuer !== undefined) expect(issuers.has(issuer)).to.equal(true);
    });
  it('are no others', () => {
    for (const issuer of [
      'https://ctrl.example.org:1280',
      'http://ctrl.example.org:1280/oidc',
      'https://ctrl.example.org/oidc/',
    ])
      expect(issuers.has(issuer)).to.equal(false);
  });
});

describe('codes', () => {
  const of = { requestId: '6f1f7c1e-4d3c-4b7c-9a93-6b3f0a3a2f10', apiSessionId: 'a' };
  const key = randomBytes(32);
  it('belong to one request and one session', () => {
    const code = codeFor(key, of);
    expect(code).to.match(/^[A-Za-z0-9._-]+$/);
    expect(requestOfCode(code)).to.equal(of.requestId);
    expect(isCodeOf(code, key, of)).to.equal(true);
    expect(isCodeOf(code, key, { ...of, apiSessionId: 'b' })).to.equal(false);
    expect(isCodeOf(code, randomBytes(32), of)).to.equal(false);
    expect(isCodeOf(`${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`, key, of)).to.equal(false);
    for (const text of ['', of.requestId, `${code}x`, code.replace('.', '')]) {
      expect(requestOfCode(text)).to.equal(undefined);
      expect(isCodeOf(text, key, of)).to.equal(false);
    }
  });
});

describe('refresh tokens', () => {
  const [current, previous, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const rotatedAt = new Date('2030-01-01T00:00:00Z');
  const state = { current, previous, rotatedAt };
  const after = (ms: number) => new Date(rotatedAt.getTime() + ms);
  for (const [what, shown, now, verdict] of [
    ['in force', current, after(1e9), 'current'],
    ['of before, at once', previous, after(0), 'repeat'],
    ['of before, ten seconds later', previous, after(10_000), 'repeat'],
    ['of before, later', previous, after(10_001), 'stale'],
    ['older', other, after(1), 'stale'],
  ] as const)
    it(`that are ${what} are ${verdict}`, () => {
      expect(judgeRefresh(state, shown, now)).to.equal(verdict);
    });
  it('of a session that has had one only are in force or stale', () => {
    const first = { current, previous: null, rotatedAt: null };
    expect(judgeRefresh(first, current, after(0))).to.equal('current');
    expect(judgeRefresh(first, other, after(0))).to.equal('stale');
  });
  it('are followed by the same ids each time, on every controller', () => {
    const key = randomBytes(32);
    const next = (id: string, type: 'a' | 'r' = 'r', session = 's', by = key) => nextTokenId(by, session, id, type);
    expect(next('x')).to.equal(next('x'));
    expect(next('x')).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(
      new Set([next('x'), next('y'), next('x', 'a'), next('x', 'r', 't'), next('x', 'r', 's', randomBytes(32))]).size,
    ).to.equal(5);
  });
});
