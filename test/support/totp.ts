/** Second factors of the caller's own identity, and the codes that an authenticator app would show. */
import { generateSync } from 'otplib';
import { expectStatus } from './client.js';
import type { Client } from './client.js';
import { CLIENT } from './paths.js';

export const MFA = `${CLIENT}/current-identity/mfa`;
export const STEP_SECONDS = 30;

export interface Totp {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** The code of the present step, or of one so many steps later: none is accepted twice. */
export const codeAt = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_SECONDS });

/** Begins an enrollment, which asks for nothing until a code has verified it. */
export async function beginTotp(client: Client): Promise<Totp> {
  expectStatus(await client.post(MFA), 201);
  const { provisioningUrl, recoveryCodes } = expectStatus(await client.get(MFA), 200).data as {
    provisioningUrl: string;
    recoveryCodes: string[];
  };
  return { secret: new URL(provisioningUrl).searchParams.get('secret') ?? '', recoveryCodes };
}

/** The code that verifies it counts as one that was given in this session. */
export async function verifyTotp(client: Client, secret: string): Promise<void> {
  expectStatus(await client.post(`${MFA}/verify`, { code: codeAt(secret) }), 200);
}

export async function enrollTotp(client: Client): Promise<Totp> {
  const begun = await beginTotp(client);
  await verifyTotp(client, begun.secret);
  return begun;
}
