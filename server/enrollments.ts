/** One-time tokens and their JWTs, signed with the key that serves TLS. */
import { randomUUID } from 'node:crypto';
import { enrollmentClaims, networkClaims } from '../domain/enrollment/jwt.js';
import type { JwtSigner } from '../domain/enrollment/jwt.js';
import { newToken } from '../domain/auth/tokens.js';
import type { Enrollments } from '../handlers/services.js';
import type { Stores } from '../db/stores.js';

export interface EnrollmentOptions {
  readonly signer: JwtSigner;
  readonly stores: Stores;
  readonly advertise: string;
  readonly durationSeconds: number;
}

const NETWORK_JWT = 'default';

export function createEnrollments({ signer, stores, advertise, durationSeconds }: EnrollmentOptions): Enrollments {
  let networkJwt: Promise<string> | undefined;
  const makeNetworkJwt = async () => {
    const signedBy = `${signer.kid} ${advertise}`;
    const known = await stores.network.findNetworkJwt(NETWORK_JWT, signedBy);
    if (known !== undefined) return known;
    const token = await signer.sign(networkClaims({ advertise, tokenId: randomUUID() }));
    await stores.network.saveNetworkJwt(NETWORK_JWT, token, signedBy);
    return token;
  };
  return {
    async issue(subjectId, method, expiresAt) {
      const token = newToken();
      return { token, jwt: await signer.sign(enrollmentClaims({ advertise, subjectId, token, method, expiresAt })) };
    },
    defaultExpiry: () => new Date(Date.now() + durationSeconds * 1000),
    networkJwt() {
      networkJwt ??= makeNetworkJwt().catch((error: unknown) => { networkJwt = undefined; throw error; });
      return networkJwt;
    },
  };
}
