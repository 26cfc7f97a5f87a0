/** External JWT signers for tests: made with a key of their own, whose tokens say what a test wants. */
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { makeCa } from './certificates.js';
import { expectStatus } from './client.js';
import type { Client } from './client.js';
import { unique } from './controller.js';
import { MANAGEMENT } from './paths.js';

export interface TestSigner {
  readonly id: string;
  readonly issuer: string;
  readonly key: KeyObject;
}

export type TestClaims = Readonly<Record<string, unknown>>;

const AUDIENCE = 'network';
const KEY_ID = 'k1';

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** @param changes  of its body */
export async function makeSigner(admin: Client, changes: object = {}): Promise<TestSigner> {
  const [ca, issuer] = [makeCa(), `https://${unique('issuer')}.example.com/`];
  const body = { name: unique('signer'), issuer, audience: AUDIENCE, certPem: ca.pem, kid: KEY_ID, enabled: true };
  const answer = await admin.post(`${MANAGEMENT}/external-jwt-signers`, { ...body, ...changes });
  const { id } = expectStatus(answer, 201).data as { id: string };
  return { id, issuer, key: ca.keys.privateKey };
}

/** A token for a minute. @param changes  of its claims: undefined takes one away */
export function tokenOf({ issuer, key }: TestSigner, sub: string, changes: TestClaims = {}): Promise<string> {
  const claims = { iss: issuer, aud: AUDIENCE, sub, exp: nowSeconds() + 60, jti: unique('token'), ...changes };
  const header = { alg: 'ES256', kid: KEY_ID };
  return new SignJWT(JSON.parse(JSON.stringify(claims)) as TestClaims).setProtectedHeader(header).sign(key);
}

/** The headers that bring the tokens, one each. */
export const bearing = (...tokens: string[]): { headers: { authorization: string[] } } => ({
  headers: { authorization: tokens.map((token) => `Bearer ${token}`) },
});
