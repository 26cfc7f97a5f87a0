/** Logins by tokens of an external provider, and second factors. Passwords and certificates have cases elsewhere. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { SignJWT } from 'jose';
import { generateSync } from 'otplib';
import { forEachParallel } from './api-client.js';
import type { BenchCase, CaseContext, Group } from './case.js';
import { CLIENT, MANAGEMENT, madeOf, requestBytes } from './world.js';
import type { World } from './world.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const RUN = Date.now().toString(36);
const AUDIENCE = 'bench';
const KEY_ID = 'bench';
const HOUR_SECONDS = 3600;
const DAY_MS = 86_400_000;
const STEP_SECONDS = 30;
/** A code is good once for its identity, so each request has an identity of its own, which takes five to make. */
const CODES_PER_SECOND = 500;
const LONGEST_SECONDS = 2;

export interface Signer {
  readonly id: string;
  /** A token that names this identity. */
  readonly token: (identityId: string) => Promise<string>;
}

let serial = 0;

/** With the certificate of a key of our own, which the controller reads once: no provider is asked. */
export async function newSigner({ admin }: Pick<World, 'admin'>): Promise<Signer> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=bench ${RUN}`,
      keys,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
    },
    webcrypto,
  );
  serial += 1;
  const issuer = `https://bench-${RUN}-${serial}.example.com/`;
  const id = await admin.create(`${MANAGEMENT}/external-jwt-signers`, {
    name: `bench-new-signer-${RUN}-${serial}`,
    issuer,
    audience: AUDIENCE,
    certPem: certificate.toString('pem'),
    kid: KEY_ID,
    enabled: true,
  });
  const token = (sub: string) =>
    new SignJWT({ iss: issuer, aud: AUDIENCE, sub, exp: Math.floor(Date.now() / 1000) + HOUR_SECONDS })
      .setProtectedHeader({ alg: 'ES256', kid: KEY_ID })
      .sign(keys.privateKey);
  return { id, token };
}
const signers = new WeakMap<World, Promise<Signer>>();
export const signerOf = (world: World): Promise<Signer> => {
  const signer = signers.get(world) ?? newSigner(world);
  signers.set(world, signer);
  return signer;
};
const owners = (world: World): string[] => madeOf(world, 'owner of a second factor');

/** With the signer go the API sessions that its tokens opened. */
export const signerGroup: Group = {
  clearUp: async ({ world }) => {
    const signer = await signers.get(world)?.catch(() => undefined);
    signers.delete(world);
    if (signer !== undefined) await world.admin.call('DELETE', `${MANAGEMENT}/external-jwt-signers/${signer.id}`);
    await forEachParallel(owners(world).splice(0), (id) =>
      world.admin.call('DELETE', `${MANAGEMENT}/identities/${id}`),
    );
  },
};

const loginByToken = (world: World, bearer: string): Buffer =>
  requestBytes(world, { method: 'POST', path: `${CLIENT}/authenticate?method=ext-jwt`, body: {}, bearer });

interface Owner {
  /** Of its API session. */
  readonly token: string;
  readonly secret: string;
}

/** An identity with a verified second factor, in a session. */
async function newOwner(world: World, index: number): Promise<Owner> {
  const { admin } = world;
  const id = await admin.create(`${MANAGEMENT}/identities`, {
    name: `bench-new-owner-${RUN}-${index}-${owners(world).length}`,
    type: 'User',
    isAdmin: false,
  });
  owners(world).push(id);
  const token = await admin.loginByToken(await (await signerOf(world)).token(id));
  const path = `${CLIENT}/current-identity/mfa`;
  const own = <T>(method: string, at: string, body?: unknown) => admin.call<T>(method, at, body, token);
  await own('POST', path);
  const { provisioningUrl } = await own<{ provisioningUrl: string }>('GET', path);
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  await own('POST', `${path}/verify`, { code: generateSync({ secret }) });
  return { token, secret };
}

const amount = ({ seconds }: CaseContext): number => Math.ceil(Math.min(seconds, LONGEST_SECONDS) * CODES_PER_SECOND);

export const loginCases: readonly BenchCase[] = [
  {
    name: 'token login',
    api: 'client',
    operationId: 'authenticate',
    group: signerGroup,
    plan: async ({ world }) => ({
      mode: 'cycle',
      requests: [loginByToken(world, await (await signerOf(world)).token(world.clientIdentity.id))],
    }),
  },
  {
    name: 'second factor',
    api: 'client',
    operationId: 'authenticateMfa',
    group: signerGroup,
    plan: async (context) => {
      const { world } = context;
      const made: Owner[] = [];
      const numbers = Array.from({ length: amount(context) }, (_, index) => index);
      await forEachParallel(numbers, async (index) => {
        made.push(await newOwner(world, index));
      });
      // The step after the present one: later than that of the enrollment, and good for half a minute at least.
      const epoch = Math.floor(Date.now() / 1000) + STEP_SECONDS;
      return {
        mode: 'once',
        requests: made.map(({ token, secret }) =>
          requestBytes(world, {
            method: 'POST',
            path: `${CLIENT}/authenticate/mfa`,
            body: { code: generateSync({ secret, epoch }) },
            token,
          }),
        ),
      };
    },
  },
];
