/** One-time tokens and their JWTs, and the JWTs of sessions: all signed with the key that serves TLS. */
import { randomUUID } from 'node:crypto';
import { caClaims, enrollmentClaims, networkClaims, sessionClaims } from '../../domain/auth/signed-jwt.js';
import type { JwtSigner } from '../../domain/auth/signed-jwt.js';
import { newToken } from '../../domain/auth/tokens.js';
import { certificatesOf } from '../../domain/pki/pem.js';
import type { Enrollments, SessionTokens } from '../../handlers/context.js';
import type { Stores } from '../../db/stores/stores.js';
import type { Settings } from '../settings/config.js';
import { routersReach } from '../settings/control-settings.js';
import type { RunningPki } from './pki.js';
import type { ServerIdentity } from './renewal.js';

export interface EnrollmentOptions {
  readonly config: Settings;
  /** Its certificate may be renewed while the controller runs; JWTs signed before carry earlier prints as `kid`. */
  readonly identity: ServerIdentity;
  readonly pki: Pick<RunningPki, 'chainPem'>;
  readonly stores: Stores;
}

const NETWORK_JWT = 'default';

export function createEnrollments({ config, identity, pki, stores }: EnrollmentOptions): Enrollments {
  const { advertise, enrollmentDuration } = config;
  const { signer, otherFingerprints } = identity;
  const reached = { advertise, routersReach: routersReach(config) };
  let known: { readonly kid: string; readonly jwt: Promise<string> } | undefined;
  const makeNetworkJwt = async (signer: JwtSigner) => {
    const signedBy = `${signer.kid} ${advertise}`;
    const stored = await stores.network.findNetworkJwt(NETWORK_JWT, signedBy);
    if (stored !== undefined) return stored;
    const token = await signer.sign(networkClaims({ advertise, tokenId: randomUUID() }));
    await stores.network.saveNetworkJwt(NETWORK_JWT, token, signedBy);
    return token;
  };
  return {
    async issue(subjectId, method, expiresAt) {
      const token = newToken();
      const claims = enrollmentClaims({ ...reached, subjectId, token, method, expiresAt });
      return { token, jwt: await signer().sign(claims) };
    },
    defaultExpiry: () => new Date(Date.now() + enrollmentDuration * 1000),
    caJwt: (caId) => signer().sign(caClaims({ advertise, caId })),
    publicKeys: () => {
      const { publicJwk } = signer();
      const { x5c, ...key } = publicJwk;
      return [
        { ...key, x5c: [...x5c, ...certificatesOf(pki.chainPem()).map((der) => der.toString('base64'))] },
        ...otherFingerprints().map((kid) => ({ ...key, kid })),
      ];
    },
    networkJwt() {
      const current = signer();
      if (known?.kid !== current.kid) {
        known = {
          kid: current.kid,
          jwt: makeNetworkJwt(current).catch((error: unknown) => {
            known = undefined;
            throw error;
          }),
        };
      }
      return known.jwt;
    },
  };
}

export function createSessionTokens({
  config: { advertise },
  identity: { signer },
}: Pick<EnrollmentOptions, 'config' | 'identity'>): SessionTokens {
  return {
    sign: async ({ id: sessionId, ...session }) =>
      signer().sign(sessionClaims({ advertise, sessionId, ...session, now: new Date() })),
  };
}
